"""The offline model: what answers when no language model is configured.

It reads the memory block of the system message and lists it. It is a demonstration and a test double that says so
itself: it understands nothing, calls no tool, and needs no network.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from memory.lexical import terms
from memory.rendering import ParsedBlock, parse_block
from memory.text import Language, content_text, language

NAME = "palimpsest-offline"
"""The model's name, in `response_metadata["model_name"]` of each of its answers."""

RECALLED_LINES = 10
PROFILE_LINES = 12

_NOTICE: dict[Language, str] = {
    "zh": "（我不是语言模型，只会存下你说的话，并原样列出想起的内容。）",
    "en": "(I am not a language model: I only keep what you say and list what was recalled.)",
}
_NOTED: dict[Language, str] = {"zh": "记下了。", "en": "Noted."}
_RECALLED: dict[Language, str] = {"zh": "想起的内容：", "en": "What was recalled:"}
_PROFILE: dict[Language, str] = {"zh": "关于你，已知：", "en": "What is known about you:"}
_MORE: dict[Language, str] = {"zh": "（另有 {} 条未列出）", "en": "({} more not listed)"}
_NOTHING: dict[Language, str] = {
    "zh": "关于这个，我什么也没有想起。",
    "en": "Nothing was recalled about this.",
}
_CONFIGURE: dict[Language, str] = {
    "zh": "要得到真正的回答，请配置模型：pip install langchain-openai，再设 PALIMPSEST_MODEL=openai:<模型名>。",
    "en": "For real answers, configure a model: pip install langchain-openai and PALIMPSEST_MODEL=openai:<name>.",
}

_PIECE = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+\s*|\s+")
_LETTER = re.compile(r"[^\W\d_]")
_CLAUSE_END = re.compile(r"[，。；！,;!\n]+|\.\s|(?<=[?？])")
_IDENTIFIER = re.compile(r"#\w|\d{3}")

_ASKS = re.compile(
    r"[?？]|[吗呢]\W*$|什么|啥|谁|哪|怎么|怎样|如何|几[个点号天岁时]|多少|多久|多大|多远|为何|是否|(\w)[不没]\1|有没有|知不知道"
    r"|想知道|想问|请问|忘了|不记得|帮我|帮忙|请[帮给查列说告提推]|告诉我|提醒我|给我|说说|列出|查一下|查查|推荐"
    r"|^\W*(?:what|who|whose|whom|where|when|which|why|how|is|are|was|were|do|does|did|can|could|would|will|should|shall"
    r"|have|has|may|any|tell|show|list|find|give|suggest|recommend|help|remind|check|look)\b"
    r"|\b(?:tell|remind|show|help|give) me\b|\b(?:can|could|would|will) you\b"
    r"|\bi (?:forgot|forget|wonder|want to know|don't (?:remember|recall|know))\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"^\W*(?:(?:好的|嗯|对了|另外|顺便说一下|by the way|also|well|ok(?:ay)?|actually|please|请)\W*)*"
    r"(?:我|咱|俺|本人|叫我|记住|记下|记得|记一下|(?:i|my|mine|we|our|call me|remember|note|for the record)\b)",
    re.IGNORECASE,
)

# A list of what is remembered, kept as a memory, would be recalled for what it lists.
_NOT_KEPT = {"remember": False}


class OfflineModel(BaseChatModel):
    """A chat model without a language model in it: it lists what was recalled, in the question's language.

    The answer is a pure function of the messages. To a question (and to anything that is not plainly a statement) it
    lists the recalled lines of the system message's memory block and then the profile's, or says that nothing was
    recalled and how to configure a model; a plain statement is only acknowledged. Every answer says once that it does
    not come from a language model. Usage is estimated (`usage_metadata`). It never reads the conversation for an
    answer, ignores `stop`, and ignores tools: `bind_tools` returns the model itself. Structured output raises
    `NotImplementedError`: facts are extracted by rules when this model is in use.
    """

    @property
    def _llm_type(self) -> str:
        return NAME

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": NAME}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],  # noqa: ARG002
        *,
        tool_choice: str | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """This model: it calls no tools, so there is nothing to bind."""
        return self

    def with_structured_output(self, schema: dict[str, Any] | type, **kwargs: Any) -> Any:
        """Not possible without a language model: raises `NotImplementedError`."""
        raise NotImplementedError("the offline model gives no structured output; use the rule extractor instead")

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        text = answer(messages)
        message = AIMessage(
            content=text,
            usage_metadata=_usage(messages, text),
            response_metadata={"model_name": NAME},
            additional_kwargs=_NOT_KEPT,
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> ChatResult:
        return self._generate(messages, stop, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> Iterator[ChatGenerationChunk]:
        text = answer(messages)
        for piece in _PIECE.findall(text):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="",
                usage_metadata=_usage(messages, text),
                response_metadata={"model_name": NAME},
                additional_kwargs=_NOT_KEPT,
                chunk_position="last",
            )
        )

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._stream(messages, stop, **kwargs):
            yield chunk


def answer(messages: Sequence[BaseMessage]) -> str:
    """What the offline model says to these messages."""
    said = next((content_text(m.content) for m in reversed(messages) if isinstance(m, HumanMessage)), "")
    system = "\n\n".join(content_text(m.content) for m in messages if isinstance(m, SystemMessage))
    tongue = language(said if _LETTER.search(said) else system)
    clauses = [clause for clause in _CLAUSE_END.split(said) if clause.strip()]
    asking = [clause for clause in clauses if _ASKS.search(clause)]
    stating = [clause for clause in clauses if clause not in asking and _STATES.search(clause)]
    lines = [_NOTED[tongue]] if stating else []
    if asking or not stating:
        lines += _listing(parse_block(system), said, tongue)
    return "\n".join([*lines, _NOTICE[tongue]])


def _listing(block: ParsedBlock, said: str, tongue: Language) -> list[str]:
    """The recalled lines, best first, then the profile; or that there are none and what to do about it."""
    own = tuple(_NOTICE.values())
    recalled = [line for line in block.recalled if not any(notice in line for notice in own)]
    profile = _most_useful([line for line in block.profile if line not in recalled], said)
    if not (recalled or profile):
        return [_NOTHING[tongue], _CONFIGURE[tongue]]
    out: list[str] = []
    for heading, lines, most in ((_RECALLED, recalled, RECALLED_LINES), (_PROFILE, profile, PROFILE_LINES)):
        if lines:
            out += [heading[tongue], *(f"- {line}" for line in lines[:most])]
        if len(lines) > most:
            out.append(_MORE[tongue].format(len(lines) - most))
    return out


def _most_useful(profile: list[str], said: str) -> list[str]:
    """The profile with what shares a word with the message first, then numbers and ids (nobody knows those by heart);
    it only matters when there are more lines than are listed."""
    asked = _words(said)
    return sorted(profile, key=lambda line: (not asked & _words(line), not _IDENTIFIER.search(line)))


def _words(text: str) -> set[str]:
    return {term for term in terms(text) if len(term) > 1}


def _tokens(text: str) -> int:
    """An estimate: one token a Chinese character, one for four others."""
    wide = sum(character > "\u2e7f" for character in text)
    return wide + -(-(len(text) - wide) // 4)


def _usage(messages: Sequence[BaseMessage], text: str) -> UsageMetadata:
    given, made = sum(_tokens(content_text(m.content)) for m in messages), _tokens(text)
    return UsageMetadata(input_tokens=given, output_tokens=made, total_tokens=given + made)
