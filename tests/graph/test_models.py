import asyncio
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import openai
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import OpenAIEmbeddings
from pydantic import BaseModel

from graph.models import ModelNotConfigured, ScriptedModel, resolve_model
from graph.offline import OfflineModel
from graph.scripted_server import Answer, Failure, Half, OpenAIServer, Stall, ToolCall, hashed_embedding
from graph.settings import Settings as FromEnvironment

ROOT = Path(__file__).parents[2]
KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "PALIMPSEST_OPENAI_API_KEY",
    "PALIMPSEST_OPENAI_BASE_URL",
)


@dataclass(frozen=True)
class Settings:
    openai_base_url: str | None = None
    openai_api_key: str | None = None
    request_timeout: float = 30.0
    max_retries: int = 2


@pytest.fixture(autouse=True)
def _no_keys_of_the_machine(monkeypatch):
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def model_of(server, **fields):
    return resolve_model("openai:any", settings=Settings(server.base_url, **fields))


@tool
def search(query: str) -> str:
    """Search for something."""
    return query


class Preference(BaseModel):
    """A thing that somebody likes."""

    thing: str


# names


def test_no_name_is_the_offline_model_and_an_object_is_itself():
    offline = resolve_model(None, settings=Settings())
    assert isinstance(offline, OfflineModel)
    assert [resolve_model(name, settings=Settings()) for name in ("offline", "", " ")] == [offline] * 3
    scripted = ScriptedModel(["hi"])
    assert resolve_model(scripted, settings=Settings()) is scripted


def test_a_name_is_made_once_for_the_same_settings():
    here = Settings("http://127.0.0.1:1/v1")
    model = resolve_model("openai:a", settings=here)
    assert resolve_model("openai:a", settings=Settings("http://127.0.0.1:1/v1")) is model
    assert resolve_model("openai:b", settings=here) is not model
    assert resolve_model("openai:a", settings=Settings("http://127.0.0.1:2/v1")) is not model


@pytest.mark.parametrize("name", ["gpt-4o", "openai:", ":gpt-4o", "offline:x:"])
def test_a_name_that_is_none_is_refused_in_one_sentence(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(ModelNotConfigured) as refused:
        resolve_model(name, settings=Settings())
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_missing_key_is_named():
    with pytest.raises(ModelNotConfigured, match="OPENAI_API_KEY"):
        resolve_model("openai:gpt-4o", settings=Settings())


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    with pytest.raises(ModelNotConfigured, match=r"pip install langchain-openai"):
        resolve_model("openai:never-made", settings=Settings(openai_api_key="k"))


def test_another_provider_needs_langchain(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    with pytest.raises(ModelNotConfigured, match="pip install langchain langchain-acme"):
        resolve_model("acme:one", settings=Settings())


def test_another_provider_goes_through_init_chat_model(monkeypatch):
    made = ScriptedModel(["hi"])

    def init_chat_model(name):
        if name != "acme:two":
            raise ValueError(f"Unsupported provider in {name}")
        return made

    module = ModuleType("langchain.chat_models")
    module.init_chat_model = init_chat_model
    monkeypatch.setitem(sys.modules, "langchain", ModuleType("langchain"))
    monkeypatch.setitem(sys.modules, "langchain.chat_models", module)
    assert resolve_model("acme:two", settings=Settings()) is made
    with pytest.raises(ModelNotConfigured, match="Unsupported provider in nobody:x"):
        resolve_model("nobody:x", settings=Settings())


@pytest.mark.parametrize("prefix", ["", "PALIMPSEST_"])
@pytest.mark.parametrize("written", ["environment", ".env"])
def test_address_and_key_come_from_the_environment_or_a_file(prefix, written, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with OpenAIServer(["hello"], api_key="secret") as server:
        given = {f"{prefix}OPENAI_BASE_URL": server.base_url, f"{prefix}OPENAI_API_KEY": "secret"}
        if written == ".env":
            (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in given.items()))
        else:
            for name, value in given.items():
                monkeypatch.setenv(name, value)
        assert resolve_model("openai:any", settings=FromEnvironment()).invoke("hi").content == "hello"


def test_our_own_variables_win_over_openai_s_wherever_they_stand(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "general")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://general/v1")
    (tmp_path / ".env").write_text("PALIMPSEST_OPENAI_API_KEY=chat\nPALIMPSEST_EMBEDDINGS_BASE_URL=http://vectors/v1\n")
    found = FromEnvironment(max_retries=1)
    assert (found.openai_base_url, found.openai_api_key) == ("http://general/v1", "chat")
    assert (found.embeddings_base_url, found.embeddings_api_key) == ("http://vectors/v1", "general")
    monkeypatch.setenv("PALIMPSEST_OPENAI_API_KEY", "")
    assert FromEnvironment().openai_api_key == "chat"
    assert "chat" not in repr(found)


RECIPE = re.compile(r"^### (\w+).*?\n```ini\n(.*?)```", re.MULTILINE | re.DOTALL)
RECIPES = dict(RECIPE.findall((ROOT / "docs/models.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("service", "address"),
    [
        ("OpenAI", None),
        ("DeepSeek", "https://api.deepseek.com"),
        ("Qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("Ollama", "http://localhost:11434/v1"),
        ("vLLM", "http://localhost:8000/v1"),
    ],
)
def test_a_recipe_of_the_docs_makes_a_model_by_copy_and_paste(service, address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(RECIPES[service], encoding="utf-8")
    found = FromEnvironment()
    model = resolve_model(found.model, settings=found)
    assert (model.openai_api_base, model.model_name) == (address, found.model.removeprefix("openai:"))
    assert found.embeddings == "use-multilingual" or found.embeddings_api_key


# openai:<name>, end to end


def test_invoke_sends_the_messages_and_reads_text_and_usage():
    with OpenAIServer(["你好，小明"]) as server:
        said = model_of(server).invoke([SystemMessage("be kind"), HumanMessage("嗨")])
    assert said.content == "你好，小明"
    assert said.usage_metadata["total_tokens"] > 0
    (request,) = server.requests
    assert (request.path, request.body["model"]) == ("/v1/chat/completions", "any")
    assert request.body["messages"] == [{"role": "system", "content": "be kind"}, {"role": "user", "content": "嗨"}]


def test_stream_gives_words_and_usage():
    with OpenAIServer(["one two  three"]) as server:
        chunks = list(model_of(server).stream("count"))
    assert [c.content for c in chunks if c.content] == ["one", " two", "  three"]
    assert sum(chunks[1:], chunks[0]).usage_metadata["total_tokens"] > 0


async def test_async_invoke_and_stream():
    with OpenAIServer(["one two", "three four"]) as server:
        model = model_of(server)
        assert (await model.ainvoke("count")).content == "one two"
        assert [c.content async for c in model.astream("count") if c.content] == ["three", " four"]


def test_one_model_serves_one_event_loop_after_another():
    with OpenAIServer(["one", "two", "three"]) as server:
        model = model_of(server)
        assert [asyncio.run(model.ainvoke("count")).content for _ in range(3)] == ["one", "two", "three"]


def test_tools_are_called_and_answered():
    with OpenAIServer([ToolCall("search", {"query": "茶"}, id="c1"), "found"]) as server:
        model = model_of(server).bind_tools([search])
        said = model.invoke("find tea")
        assert said.tool_calls == [{"name": "search", "args": {"query": "茶"}, "id": "c1", "type": "tool_call"}]
        assert model.invoke(["find tea", said, ToolMessage("tea", tool_call_id="c1")]).content == "found"
    assert server.requests[0].body["tools"][0]["function"]["name"] == "search"


def test_tool_calls_stream_in_pieces():
    calls = (ToolCall("search", {"query": "a"}), ToolCall("search", '{"query": '))
    with OpenAIServer([Answer("wait", calls)]) as server:
        chunks = list(model_of(server).bind_tools([search]).stream("find"))
    said = sum(chunks[1:], chunks[0])
    assert said.content == "wait"
    assert [call["args"] for call in said.tool_call_chunks] == ['{"query": "a"}', '{"query": ']
    assert said.response_metadata["finish_reason"] == "tool_calls"


@pytest.mark.parametrize("messages", [[], [HumanMessage("x"), ToolMessage("y", tool_call_id="c1")]])
def test_the_server_refuses_what_openai_refuses(messages):
    with OpenAIServer(["never"]) as server, pytest.raises(openai.BadRequestError):
        model_of(server).invoke(messages)


def test_the_server_refuses_a_tool_call_without_its_result():
    call = AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "c1"}])
    with OpenAIServer(["never"]) as server, pytest.raises(openai.BadRequestError, match="c1"):
        model_of(server).invoke(["x", call, HumanMessage("and?")])


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_structured_output(method):
    with OpenAIServer([{"thing": "海苔"}]) as server:
        structured = model_of(server).with_structured_output(Preference, method=method)
        assert structured.invoke("Answer in JSON: 我喜欢海苔") == Preference(thing="海苔")


@pytest.mark.parametrize(
    ("status", "error"), [(401, openai.AuthenticationError), (404, openai.NotFoundError), (400, openai.BadRequestError)]
)
def test_an_error_that_stays_is_raised_at_once(status, error):
    with OpenAIServer([Failure(status, "no such thing")]) as server, pytest.raises(error, match="no such thing"):
        model_of(server).invoke("hi")
    assert len(server.requests) == 1


@pytest.mark.parametrize(("status", "error"), [(429, openai.RateLimitError), (500, openai.InternalServerError)])
def test_an_error_that_passes_is_tried_again_twice(status, error):
    with OpenAIServer([Failure(status), Failure(status), "at last"]) as server:
        assert model_of(server).invoke("hi").content == "at last"
    with OpenAIServer([Failure(status)] * 3) as server, pytest.raises(error):
        model_of(server).invoke("hi")
    assert len(server.requests) == 3


def test_a_wrong_key_is_refused_and_uses_no_reply_up():
    with OpenAIServer(["hello"], api_key="secret") as server:
        with pytest.raises(openai.AuthenticationError):
            model_of(server, openai_api_key="wrong").invoke("hi")
        assert model_of(server, openai_api_key="secret").invoke("hi").content == "hello"


def test_half_a_streamed_answer_raises_after_what_came():
    with OpenAIServer([Half("one two")]) as server:
        chunks = model_of(server).stream("count")
        assert [next(chunks).content for _ in range(3)] == ["", "one", " two"]
        with pytest.raises(openai.APIConnectionError):
            next(chunks)
    assert len(server.requests) == 1


def test_half_an_answer_is_tried_again():
    with OpenAIServer([Half("one two"), "whole"]) as server:
        assert model_of(server).invoke("count").content == "whole"


def test_a_stall_ends_with_the_timeout():
    with OpenAIServer([Stall("one")]) as server, pytest.raises(openai.APIConnectionError):
        list(model_of(server, request_timeout=0.2).stream("count"))


def test_a_script_may_be_a_function_and_runs_out_with_a_clear_error():
    with OpenAIServer(lambda request: request.body["messages"][-1]["content"].upper()) as server:
        assert model_of(server).invoke("echo").content == "ECHO"
    with OpenAIServer([]) as server, pytest.raises(openai.BadRequestError, match="the script has 0 replies"):
        model_of(server).invoke("hi")


def test_embeddings_models_and_unknown_paths():
    with OpenAIServer() as server:
        vectors = OpenAIEmbeddings(
            model="any", base_url=server.base_url, api_key="k", check_embedding_ctx_length=False
        ).embed_documents(["茶", "tea", "茶"])
        assert vectors == [list(hashed_embedding(text)) for text in ("茶", "tea", "茶")]
        with openai.OpenAI(base_url=server.base_url, api_key="k") as client:
            assert [model.id for model in client.models.list()] == ["scripted"]
            with pytest.raises(openai.NotFoundError):
                client.images.generate(prompt="x")
    with OpenAIServer(embed=lambda text: Failure(400, f"not {text}")) as server:
        embeddings = OpenAIEmbeddings(
            model="any", base_url=server.base_url, api_key="k", check_embedding_ctx_length=False
        )
        with pytest.raises(openai.BadRequestError, match="not tea"):
            embeddings.embed_query("tea")


# the scripted model


def test_a_script_is_answered_in_order_and_calls_are_kept():
    model = ScriptedModel(["one", TimeoutError("late"), AIMessage("two", id="m2")])
    assert model.invoke("a").content == "one"
    with pytest.raises(TimeoutError, match="late"):
        model.invoke("b")
    assert model.invoke("c", temperature=0).id == "m2"
    with pytest.raises(LookupError, match="3 replies, and this is call 4"):
        model.invoke("d")
    assert [call.messages for call in model.calls] == [[HumanMessage(text)] for text in "abcd"]
    assert model.calls[2].options == {"temperature": 0}


async def test_a_scripted_reply_streams_by_words_with_its_tool_calls_and_usage():
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    call = {"name": "search", "args": {"query": "茶"}, "id": "c1", "type": "tool_call"}
    reply = AIMessage("let me  look\n", tool_calls=[call], usage_metadata=usage, id="m1")
    model = ScriptedModel([reply] * 4)
    chunks = list(model.stream("q"))
    assert [c.content for c in chunks] == ["let", " me", "  look", "\n", ""]
    said = sum(chunks[1:], chunks[0])
    assert (said.content, said.tool_calls, said.usage_metadata, said.id) == ("let me  look\n", [call], usage, "m1")
    assert [c async for c in model.astream("q")] == chunks
    assert all(isinstance(c, AIMessageChunk) for c in chunks)
    assert await model.ainvoke("q") == model.invoke("q") == reply


def test_a_scripted_model_may_be_a_function_of_the_messages():
    model = ScriptedModel(lambda messages: f"{len(messages)} messages")
    assert model.invoke(["a", "b"]).content == "2 messages"


def test_a_reply_that_is_used_twice_is_two_messages():
    reply = AIMessage("ok")
    model = ScriptedModel(lambda messages: reply)
    assert model.invoke("a").id != model.invoke("a").id
    assert reply.id is None


def test_a_scripted_model_gives_structured_output_and_keeps_the_tools():
    call = {"name": "Preference", "args": {"thing": "海苔"}, "id": "c1", "type": "tool_call"}
    model = ScriptedModel([AIMessage("", tool_calls=[call]), "ok"])
    assert model.with_structured_output(Preference).invoke("我喜欢海苔") == Preference(thing="海苔")
    model.bind_tools([search]).invoke("find")
    assert model.calls[1].options["tools"][0]["function"]["name"] == "search"
