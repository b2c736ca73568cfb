"""`palimpsest check`: against a double that does all it should, against ones that do not, and on both Qdrant clients."""

import json
from contextlib import closing

import pytest
from qdrant_client import QdrantClient

from evals.checks import run_probes
from evals.checks.model import model_probes
from evals.checks.qdrant import probes_of
from graph.models import ScriptedModel
from graph.scripted_server import Answer, Failure, OpenAIServer, ToolCall
from stores.edge import EdgeClient
from stores.embeddings import HashEmbeddings, resolve_embeddings


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name in ("MODEL", "EXTRACTION_MODEL", "QDRANT_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(f"PALIMPSEST_{name}", raising=False)
        monkeypatch.delenv(name, raising=False)


def fact(value, text):
    named = {"action": "add", "id": None, "subject": "user", "attribute": "allergic_to", "value": value, "text": text}
    rest = {
        "polarity": 1,
        "message": "m1",
        "confidence": 0.9,
        "importance": 0.9,
        "occurred_at": None,
        "expires_at": None,
    }
    return {"reason": "they say so", **named, **rest}


def good(request):
    """A model that does everything that is asked of it."""
    messages = request.body["messages"]
    said = str(messages[-1]["content"])
    if "facts" in json.dumps(request.body.get("response_format") or {}):
        if "花生" in said:
            return {"facts": [fact("花生", "用户对花生过敏")]}
        return {"facts": [fact("peanuts", "The user is allergic to peanuts")] if "peanuts" in said else []}
    if messages[-1]["role"] == "tool":
        return "It is 17 °C in Paris."
    if request.body.get("tools"):
        cities = ("上海", "北京") if "上海" in said else ("杭州",)
        return Answer(tool_calls=tuple(ToolCall("weather", {"city": c}, f"call-{c}") for c in cities))
    for asked, answer in (
        ("宫保鸡丁", "不行，你对花生过敏。"),
        ("allergic to?", "You are allergic to peanuts."),
        ("capital of France", "Paris."),
        ("门的密码", "K-7204"),
    ):
        if asked in said:
            return answer
    return "Of course, here it is." if said.isascii() else "好的，这里是很美的。 完。"


def test_a_good_model_passes_every_probe(palimpsest, monkeypatch):
    with OpenAIServer(good) as server:
        monkeypatch.setenv("PALIMPSEST_OPENAI_BASE_URL", server.base_url)
        done = palimpsest("check", "model", "--model", "openai:double")
    assert "FAIL" not in done.stdout
    assert done.stdout.startswith(f"openai:double at {server.base_url}\n")
    assert done.stdout.endswith("16 of 16 passed\n")
    assert {r.body["model"] for r in server.requests} == {"double"}


def test_a_model_that_only_chats_fails_the_rest_and_says_why():
    model = ScriptedModel(lambda messages: "hello")
    outcomes = {(o.name, o.tongue): o for o in run_probes(model_probes(model))}
    failed = {key: o.detail for key, o in outcomes.items() if not o.passed}
    assert set(outcomes) - set(failed) == {("answers in English", "en")}
    assert failed["answers in Chinese", "zh"] == "the answer is in another language: hello"
    assert failed["calls a tool", "zh"] == "no tool was called: hello"
    assert failed["calls tools in parallel", "zh"] == "no tool was called: hello"
    assert failed["takes recalled text as data", "en"] == "an instruction inside the memory block was followed: hello"
    assert "one piece" in failed["streams in pieces", "zh"]
    assert "no facts in JSON" in failed["extracts a fact", "zh"]


def test_one_tool_call_at_a_time_and_a_fact_made_of_a_question_are_found_out():
    def limited(request):
        answer = good(request)
        if isinstance(answer, Answer):
            return answer.tool_calls[0]
        return {"facts": [fact("成都", "用户住在成都")]} if answer == {"facts": []} else answer

    with OpenAIServer(limited) as server:
        model = resolve_of(server)
        failed = [o.name for o in run_probes(model_probes(model)) if not o.passed]
    assert failed == ["calls tools in parallel", "makes no fact of a question"]


def resolve_of(server):
    from graph.models import resolve_model
    from graph.settings import Settings

    return resolve_model("openai:double", settings=Settings(openai_base_url=server.base_url, max_retries=0))


def test_a_model_that_counts_more_tokens_than_we_do_is_told_what_to_set():
    from langchain_core.messages import AIMessage

    usage = {"input_tokens": 20_000, "output_tokens": 5, "total_tokens": 20_005}
    model = ScriptedModel(lambda messages: AIMessage("K-7204", usage_metadata=usage))
    (outcome,) = run_probes(p for p in model_probes(model) if p.name == "takes a prompt of the planned length")
    assert not outcome.passed
    assert "set max_context_tokens below 2" in outcome.detail


def test_a_refused_key_fails_every_probe_with_its_reason_and_exit_code_1(palimpsest, monkeypatch):
    with OpenAIServer(good, api_key="right") as server:
        monkeypatch.setenv("PALIMPSEST_OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("PALIMPSEST_OPENAI_API_KEY", "wrong")
        monkeypatch.setenv("PALIMPSEST_MODEL", "openai:double")
        monkeypatch.setenv("PALIMPSEST_EMBEDDINGS", "hash")
        found = palimpsest.json("check", "model", code=1)
    assert found["failed"] >= 15
    assert all("Incorrect API key" in p["detail"] for p in found["probes"] if p["name"] != "embeds by meaning")


def test_an_embedder_that_knows_no_meaning_is_found_out():
    class Blind(HashEmbeddings):
        def embed_query(self, text):
            return super().embed_query("the same for all")

    probes = model_probes(ScriptedModel(), lambda: resolve_embeddings(Blind(64)))
    (outcome,) = run_probes(p for p in probes if p.name == "embeds by meaning")
    assert (outcome.passed, outcome.detail[:30]) == (False, "related texts are no nearer (1")


@pytest.mark.parametrize(("what", "named"), [("model", "PALIMPSEST_MODEL"), ("qdrant", "PALIMPSEST_QDRANT_URL")])
def test_nothing_configured_is_one_sentence(palimpsest, what, named):
    done = palimpsest("check", what, code=1)
    assert named in done.stderr
    assert done.stdout == ""


def test_local_mode_passes_every_probe_of_the_index(palimpsest):
    done = palimpsest("check", "qdrant", "--url", ":memory:")
    assert done.stdout.endswith("15 of 15 passed\n")
    assert done.stderr == ""


def test_edge_passes_them_too_and_the_collection_is_dropped(tmp_path):
    with closing(EdgeClient(tmp_path / "index")) as client:
        with probes_of(client) as probes:
            outcomes = list(run_probes(probes))
            (made,) = [o.detail for o in outcomes if o.name == "makes its collection, twice over"]
            assert client.collection_exists(made)
        assert not client.collection_exists(made)
    assert [o for o in outcomes if not o.passed] == []


class Faulty:
    """A client of which one method does something else."""

    def __init__(self, client, **methods):
        self._inner = client
        self.__dict__.update({name: method(getattr(client, name)) for name, method in methods.items()})
        self._client = client._client

    def __getattr__(self, name):
        return getattr(self._inner, name)


def collection_wide(ask):
    def query(*args, requests, **options):
        for request in requests:
            if request.params and request.params.idf:
                request.params = request.params.model_copy(update={"idf": None})
        return ask(*args, requests=requests, **options)

    return query


def deaf(delete):
    return lambda *args, **options: None


def unfiltered(ask):
    def query(*args, requests, **options):
        return ask(*args, requests=[r.model_copy(update={"filter": None}) for r in requests], **options)

    return query


@pytest.mark.parametrize(
    ("method", "fault", "found_out"),
    [
        ("query_batch_points", collection_wide, {"counts IDF over the search's own filter"}),
        ("delete", deaf, {"deletes"}),
        ("batch_update_points", deaf, {"patches a payload, and no vector"}),
        ("update_vectors", deaf, {"adds dense vectors later"}),
        ("query_batch_points", unfiltered, {"reads as of a moment", "asks both legs at once"}),
    ],
)
def test_a_server_that_does_not_do_one_thing_is_found_out(method, fault, found_out):
    with closing(QdrantClient(":memory:")) as client, probes_of(Faulty(client, **{method: fault})) as probes:
        failed = {o.name for o in run_probes(probes) if not o.passed}
    assert found_out <= failed
    assert failed == found_out or fault is unfiltered


def test_a_server_that_is_not_there_fails_with_its_reason(palimpsest):
    with OpenAIServer() as gone:
        address = gone.base_url.removesuffix("/v1")
    found = palimpsest.json("check", "qdrant", "--url", address, code=1)
    assert found["failed"] == len(found["probes"])
    assert "refused" in found["probes"][0]["detail"]


def test_a_failing_service_does_not_end_the_check():
    with OpenAIServer(lambda request: Failure(500, "down")) as server:
        outcomes = list(run_probes(model_probes(resolve_of(server))))
    assert [o.passed for o in outcomes] == [False] * 15
