"""What nearly every checkpoint says, for zlib to point at instead of saying it again (a preset dictionary).

zlib finds what repeats within a value, and a checkpoint is small: most of its bytes are names of channels, of steps and
of fields of messages, each once. With these the checkpoints of a turn take less than half the room. zlib looks no
further back than 32 kB and writes near matches shorter, so what is most frequent stands last.

**Never change these bytes**: a file that was written with them cannot be read without them. Other words want another
prefix in `stores.serializer`.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = (
    # A message, as LangGraph's serializer writes one.
    b"\xb1langchain_core.messages.tool\xabToolMessage\xactool_call_id\xa8artifact\xa6status\xa7success\xa5error"
    b"\xb0langchain_core.messages.human\xacHumanMessage\x85\xa7content\xb1additional_kwargs\x80\xb1response_metadata"
    b"\x80\xa4type\xa5human\xa4name\xc0\xa2id\xd9$\xb3model_validate_json"
    b"\xbalangchain_core.messages.ai\xa9AIMessage\x89\xa7content\xb1additional_kwargs\x80\xb1response_metadata\x82"
    b"\xaamodel_name\xadfinish_reason\xa4stop\xaemodel_provider\xa6openai"
    b"\x80\xa4type\xa2ai\xa4name\xc0\xa2id\xd9.lc_run--\xaatool_calls\x90\xb2invalid_tool_calls\x90\xaeusage_metadata"
    b"\x83\xacinput_tokens\xadoutput_tokens\xactotal_tokens\xb3input_token_details\xb4output_token_details"
    b"\xc0\xb3model_validate_json\xbflangchain_core.messages.modifier\xadRemoveMessage\xa7content\xa0"
    # What a turn recalled.
    b"\xa5reason\xbashares words (BM25  in meaning; its neighbours in the conversation match; cosine 0."
    b"\x86\xa7results\x9a\x8a\xa2id\xd9$\xa4kind\xa7episode\xa4text\xa5score\xcb?\xa7signals\x87\xa7lexical\xcb?"
    b"\xa8semantic\xcb?\xaaneighbours\xcb?\xa7recency\xcb?\xaaimportance\xcb?\xa9frequency\xcb\xa7speaker\xa4user"
    b"\xa9assistant\xa7said_at\xd9 20\xa9thread_id\xa7profile\x91\x85\xa4fact\xa7subject\xa9attribute\xa5value"
    b"\xaaconfidence\xa6skills\x90\xa5empty\xc0\xb0nothing relevant\xa8degraded\xc0\xabmemory_time\xcf\x00\x00\x01"
    # What was proposed, and what became of it.
    b"\xa5items\x90\xa9extractor\xa7rules-1\xa7failure\xc0\xa5usage\x80\x88\xa7turn_id\xd9$\xa7said_ms\xcf\x00\x00\x01"
    b"\xabmessage_ids\x92\xd9$\xacextracted_to\xd9.lc_run--\x87\xa9commit_id\xd9$\xa7turn_id\xd9$\xa8episodes\x02"
    b"\xa5facts\x90\xa7failure\xc0\xabledger_time\xcf\x00\x00\x01\xa5index\xc0"
    b"\x87\xa7turn_id\xd9$\xa6tokens\x88\xa8reserved\xcd\x04\x00\xa6system\xa5tools\x00\xa7profile\x00\xa8recalled"
    b"\xa7summary\x00\xa7history\xcd\xa4free\xcd\xa5share\xcb?\xa7dropped\x80\xa8messages\xa8memories\xaasummarised"
    b"\xa7too old\xa9shortened\x00\xa5calls\x81\xa6answer\x83\xa5calls\x01\xacinput_tokens\xcd\xadoutput_tokens\xcc"
    b"\xa9committed\xc3"
    # A checkpoint.
    b"\x87\xa1v\x04\xa2ts\xd9 20\xa2id\xd9$1f1\xaechannel_values\x88\xa7user_id\xa8settings\x8e\xa5model\xc0"
    b"\xadsystem_prompt\xc0\xb2max_context_tokens\xcd \x00\xb5reserve_output_tokens\xcd\x04\x00\xb0context_strategy"
    b"\xa6hybrid\xacmax_messages\xcc\xc8\xacrecall_limit\n\xadrecall_tokens\xcd\x04\x00\xacuse_episodes\xc3"
    b"\xa9use_facts\xc3\xabmemory_view\xa7current\xaaextraction\xa6inline\xb0extraction_model\xc0\xa8language\xa4auto"
    b"\xa7turn_id\xd9$\xabmemory_time\xcf\x00\x00\x01\xa7summary\x82\xa4text\xa2to\xaccommitted_to\xd9.lc_run--"
    b"\xacextracted_to\xd9.lc_run--\xa4head\xd9$\xb9branch:to:retrieve_memory\xc0\xb8branch:to:manage_context\xc0"
    b"\xb2branch:to:call_llm\xc0\xb7branch:to:extract_facts\xc0\xb6branch:to:write_memory\xc0"
    b"\xb0channel_versions\xde\x00\x13\xa9__start__\xd9'00000000000000000000000000\xa8messages"
    b"\xd9'00000000000000000000000000\xb9branch:to:retrieve_memory\xd9'00000000000000000000000000\xa7user_id"
    b"\xd9'00000000000000000000000000\xa8settings\xd9'00000000000000000000000000\xa7turn_id"
    b"\xd9'00000000000000000000000000\xabmemory_time\xd9'00000000000000000000000000\xa8recalled"
    b"\xd9'00000000000000000000000000\xb8branch:to:manage_context\xd9'00000000000000000000000000\xa5usage"
    b"\xd9'00000000000000000000000000\xb2branch:to:call_llm"
    b"\xd9'00000000000000000000000000\xb7branch:to:extract_facts\xd9'00000000000000000000000000\xa9proposals"
    b"\xd9'00000000000000000000000000\xb6branch:to:write_memory\xd9'00000000000000000000000000\xa7changes"
    b"\xd9'00000000000000000000000000\xa4head\xd9'00000000000000000000000000\xacextracted_to"
    b"\xd9'00000000000000000000000000\xaccommitted_to\xd9'00000000000000000000000000\xa7summary"
    b"\xd9'00000000000000000000000000\xadversions_seen\x87\xa9__input__\x80\xa9__start__\x81\xa9__start__"
    b"\xd9'00000000000000000000000000\xafretrieve_memory\x81\xb9branch:to:retrieve_memory"
    b"\xd9'00000000000000000000000000\xaemanage_context\x81\xb8branch:to:manage_context"
    b"\xd9'00000000000000000000000000\xa8call_llm\x81\xb2branch:to:call_llm"
    b"\xd9'00000000000000000000000000\xadextract_facts\x81\xb7branch:to:extract_facts"
    b"\xd9'00000000000000000000000000\xacwrite_memory\x81\xb6branch:to:write_memory"
    b"\xd9'00000000000000000000000000\xb0updated_channels\x92"
    b"\xa9__start__\xb9branch:to:retrieve_memory\xb8branch:to:manage_context\xa5usage\xb2branch:to:call_llm\xa8messages"
    b"\xb7branch:to:extract_facts\xa9proposals\xb6branch:to:write_memory\xa7changes\xaccommitted_to"
    b"\xacextracted_to\xa4head\xabmemory_time\xa8recalled\xa8settings\xa7turn_id\xa7user_id"
)
