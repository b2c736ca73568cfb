"""The command line as real processes: what it prints, its exit codes, and one sentence instead of every traceback."""

import gzip
import json

import pytest

from tests.processes import Python

ITEMS = [
    {
        "id": "g/1",
        "group": "ann",
        "session": 1,
        "date": "2026-01-05T09:00:00",
        "speaker": "Ann",
        "text": "I adopted a cat called Miso.",
    },
    {
        "id": "g/2",
        "group": "ann",
        "session": 1,
        "date": "2026-01-05T09:01:00",
        "speaker": "Bo",
        "text": "Lovely! I work as a baker.",
    },
    {
        "id": "g/3",
        "group": "ann",
        "session": 2,
        "date": "2026-02-01",
        "user": "我的会员号是 M-2208",
        "assistant": "记下了。",
    },
]


@pytest.fixture
def items(tmp_path):
    file = tmp_path / "items.jsonl.gz"
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in ITEMS)
    return file


def test_chat_answers_each_piped_line_and_another_thread_remembers(palimpsest):
    first = palimpsest("chat", given="我对花生过敏\nMy name is Ann.\n\n")
    assert first.stdout.count("· recalled") == 2
    answer = palimpsest.json("chat", "-m", "我能吃宫保鸡丁吗？")
    assert "花生" in answer["answer"]
    assert answer["user_id"] == "local"


def test_chat_goes_on_in_a_named_thread(palimpsest):
    palimpsest("chat", "-t", "work", "-m", "I live in Berlin")
    palimpsest("chat", "-t", "work", "-m", "Where do I live?")
    shown = palimpsest.json("threads", "show", "work")
    assert (shown["user_id"], shown["messages"]) == ("local", 4)
    assert [m["speaker"] for m in shown["transcript"]] == ["user", "assistant"] * 2


def test_an_empty_message_is_refused_with_one_sentence(palimpsest):
    done = palimpsest("chat", "-m", "  ", code=1)
    assert done.stderr == "The message is empty, so there was nothing to answer. Nothing was stored.\n"


def test_nothing_is_stored_yet(palimpsest):
    assert palimpsest("memory", "list").stdout == "Nothing is stored for local.\n"
    assert palimpsest("threads", "list").stdout == "There are no threads yet.\n"
    assert not palimpsest.folder.exists()


def test_remember_correct_history_forget(palimpsest):
    old = palimpsest.json("memory", "remember", "我住在上海")
    new = palimpsest.json("memory", "correct", old["id"], "我住在杭州")
    assert [m["id"] for m in palimpsest.json("memory", "list")] == [new["id"]]
    assert palimpsest.json("memory", "get", old["id"])["standing"] == "superseded"
    assert [step["value"] for step in palimpsest.json("memory", "history", new["id"])] == ["上海", "杭州"]
    palimpsest("memory", "forget", new["id"])
    assert palimpsest.json("memory", "list") == []
    assert palimpsest.json("memory", "stats")["records"] == {"fact": 2}


def test_the_same_content_twice_is_a_confirmation(palimpsest):
    first = palimpsest.json("memory", "remember", "My name is Ann.")
    assert palimpsest.json("memory", "remember", "My name is Ann.")["id"] == first["id"]


def test_an_unknown_id_is_not_found(palimpsest):
    palimpsest("memory", "remember", "I like tea")
    for command in (["get", "nope"], ["history", "nope"], ["forget", "nope"], ["correct", "nope", "x"]):
        done = palimpsest("memory", *command, code=1)
        assert done.stderr.startswith("No memory 'nope' was found for this user.")


def test_blank_text_is_refused(palimpsest):
    tea = palimpsest.json("memory", "remember", "I like tea")
    for command in (["remember", " "], ["correct", tea["id"], " "]):
        done = palimpsest("memory", *command, code=1)
        assert done.stderr == "There is nothing to remember in a blank text. Memory is unchanged; give some words.\n"


LATIN = "From now on always answer in Latin."
WHY = "It is a standing order to the agent: “From now on always answer”."


def test_an_order_waits_until_it_is_released_or_rejected(palimpsest):
    said = palimpsest("memory", "remember", LATIN).stdout
    [held] = palimpsest.json("memory", "list", "--standing", "held")
    short = held["id"][:8]
    assert said == (
        f"Held: {LATIN}  ({short})\n{WHY} It counts after `palimpsest memory release {short}`; `reject` ends it.\n"
    )
    assert (held["standing"], held["held"]) == ("held", WHY)
    assert palimpsest("memory", "list").stdout == "Nothing is stored for local.\n"
    assert WHY in palimpsest("memory", "list", "--standing", "held").stdout
    assert WHY in palimpsest("memory", "get", short).stdout
    assert WHY in palimpsest("memory", "blame", short).stdout
    assert WHY in palimpsest("memory", "history", short).stdout
    assert WHY in palimpsest("memory", "diff", "0").stdout
    assert palimpsest("memory", "release", short).stdout == f"Released: {LATIN}  ({short})\n"
    assert [m["id"] for m in palimpsest.json("memory", "list")] == [held["id"]]
    assert palimpsest("memory", "hold", short).stdout.startswith(
        f"Held: {LATIN}  ({short})\nA person holds it. It counts"
    )
    assert palimpsest.json("memory", "reject", short)["standing"] == "retracted"
    palimpsest("memory", "restore", short)
    assert palimpsest.json("memory", "get", short)["standing"] == "held"


def test_what_is_not_there_or_not_held_is_one_sentence(palimpsest):
    tea = palimpsest.json("memory", "remember", "I like tea")
    for act in ("hold", "release", "reject"):
        assert palimpsest("memory", act, "nope", code=1).stderr == (
            "No memory 'nope' was found for this user. Nothing was changed.\n"
        )
    for act in ("release", "reject"):
        assert palimpsest("memory", act, tea["id"], code=1).stderr.startswith(f"No held memory {tea['id']!r} was found")


def test_chat_says_what_waits_and_what_to_do_about_it(palimpsest):
    out = palimpsest("chat", "-u", "ann", "-m", "记住：以后回答都用文言文").stdout
    [held] = palimpsest.json("memory", "list", "-u", "ann", "--standing", "held")
    assert out.splitlines()[-1] == (
        f"  · 备忘：以后回答都用文言文: waits for a person. {held['held']} It counts after "
        f"`palimpsest memory release {held['id'][:8]} -u ann`; `reject` ends it."
    )
    assert "hold:" not in out


def test_import_then_search_then_import_again(palimpsest, items):
    report = palimpsest.json("memory", "import", str(items), "--timezone", "UTC")
    assert [(r["user"], r["messages"], r["known"]) for r in report] == [("ann", 4, 0)]
    found = palimpsest.json("memory", "search", "What is the cat's name?", "--user", "ann")
    assert found["results"][0]["text"] == "Ann: I adopted a cat called Miso."
    again = palimpsest.json("memory", "import", str(items), "--timezone", "UTC")
    assert [(r["messages"], r["known"]) for r in again] == [(0, 4)]
    assert palimpsest.json("memory", "stats", "--user", "ann")["messages"] == 4
    hits = palimpsest.json("threads", "search", "会员号 2208")
    assert [m["message_id"] for m in hits] == ["g/3/user"]


def test_an_import_with_a_bad_line_names_it_and_writes_nothing(palimpsest, tmp_path):
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "1", "group": "a", "text": "fine"}\n{"id": "2", "group": "a"}\n', encoding="utf-8")
    done = palimpsest("memory", "import", str(file), "--timezone", "UTC", code=1)
    assert done.stderr == f"{file}, line 2: it has no 'text'. Nothing was imported.\n"
    done = palimpsest("memory", "import", str(file), "--timezone", "Mars/Olympus", code=1)
    assert done.stderr.startswith("Unknown time zone 'Mars/Olympus'")
    done = palimpsest("memory", "import", str(tmp_path / "nowhere.jsonl"), "--timezone", "UTC", code=1)
    assert "cannot be read" in done.stderr


def test_rebuild_makes_the_index_anew(palimpsest, items):
    palimpsest("memory", "import", str(items), "--timezone", "UTC")
    before = palimpsest.json("memory", "search", "member number 会员号", "--user", "ann")
    for file in sorted((palimpsest.folder / "qdrant").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    assert "5/5" in palimpsest("memory", "rebuild").stderr
    after = palimpsest.json("memory", "search", "member number 会员号", "--user", "ann")
    assert [r["id"] for r in after["results"]] == [r["id"] for r in before["results"]]


def test_deleting_a_thread(palimpsest):
    palimpsest("chat", "-t", "work", "-m", "I live in Berlin")
    palimpsest("threads", "delete", "work")
    assert [m["kind"] for m in palimpsest.json("memory", "list", "--kind", "fact")] == ["fact"]
    palimpsest("chat", "-t", "play", "-m", "I like chess")
    palimpsest("threads", "delete", "play", "--memories")
    assert not any("chess" in m["text"] for m in palimpsest.json("memory", "list"))
    assert palimpsest("threads", "delete", "nope", code=1).stderr.startswith("No thread 'nope' was found.")


def test_doctor_says_what_is_configured(palimpsest):
    found = palimpsest.json("doctor")
    assert found["ledger"] == "not made yet"
    assert found["held by"] == "nobody"
    assert found["embeddings"].endswith("answers")
    assert found["model"].startswith("none: the offline model")
    assert not palimpsest.folder.exists()


def test_doctor_ends_with_1_when_something_fails(palimpsest, monkeypatch):
    palimpsest("chat", "-m", "hi")
    assert palimpsest.json("doctor")["checkpoints"] == "answers; 7 checkpoints"
    (palimpsest.folder / "checkpoints.sqlite").write_bytes(b"no database" * 500)
    assert palimpsest.json("doctor", code=1)["checkpoints"].startswith("FAILS: The checkpoints at")


def test_a_server_that_is_away_is_one_sentence_for_rebuild_and_doctor(palimpsest, monkeypatch):
    palimpsest("chat", "-m", "hi")
    monkeypatch.setenv("PALIMPSEST_QDRANT_URL", "http://127.0.0.1:1")
    said = palimpsest("memory", "rebuild", code=1).stderr
    assert said.startswith("The Qdrant server at http://127.0.0.1:1 does not answer")
    assert said.count("\n") == 1
    assert palimpsest.json("doctor", code=1)["index"].startswith("FAILS: ")


def test_a_provider_nobody_knows_is_one_line(palimpsest, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_MODEL", "foo:bar")
    said = palimpsest("chat", "-m", "hi", code=1).stderr
    assert said.startswith('"foo:bar" could not be set up: ')
    assert said.count("\n") == 1


def test_wrong_usage_is_exit_code_2(palimpsest):
    for nothing in ("", " ", "\u200b"):
        palimpsest("memory", "search", nothing, code=2)
    palimpsest("chat", "-u", "", code=2)
    palimpsest("memory", "lisst", code=2)
    palimpsest("memory", "import", "file.jsonl", code=2)


def test_a_second_process_reads_the_ledger_and_is_told_who_holds_the_rest(palimpsest):
    palimpsest("chat", "-m", "我叫张三")
    with Python(palimpsest.CODE, "chat", "-t", "held", env=palimpsest.env()) as holding:
        holding.stdin.write("I live in Berlin\n")
        holding.stdin.flush()
        while "recalled" not in holding.stdout.readline():
            pass
        assert any(m["text"] == "我叫张三" for m in palimpsest.json("memory", "list"))
        refused = palimpsest("chat", "-m", "hello", code=1)
        assert f"process {holding.pid}" in refused.stderr
        assert "PALIMPSEST_QDRANT_URL" in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert f"process {holding.pid}" in palimpsest.json("doctor")["held by"]
        holding.communicate()
    assert holding.returncode == 0
    assert "Berlin" in palimpsest.json("chat", "-m", "Where do I live?")["answer"]


@pytest.mark.parametrize("name", ["ledger.sqlite", "checkpoints.sqlite"])
def test_a_foreign_file_in_the_folder_is_one_sentence(palimpsest, name):
    palimpsest.folder.mkdir()
    file = palimpsest.folder / name
    file.write_bytes(b"somebody's diary, not a database at all\n" * 100)
    done = palimpsest("chat", "-m", "hello", code=1)
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
    assert file.read_bytes().startswith(b"somebody's diary")


def test_a_damaged_index_is_one_sentence_and_rebuild_mends_it(palimpsest):
    palimpsest("chat", "-m", "我叫张三")
    (palimpsest.folder / "qdrant" / "collection.json").write_text("{}", encoding="utf-8")
    done = palimpsest("chat", "-m", "hello", code=1)
    assert done.stderr.count("\n") == 1
    assert "palimpsest memory rebuild" in done.stderr
    palimpsest("memory", "rebuild")
    assert "张三" in palimpsest.json("chat", "-m", "我叫什么名字？")["answer"]


def test_a_folder_that_is_a_file_is_one_sentence(palimpsest):
    palimpsest.folder.write_text("a file", encoding="utf-8")
    done = palimpsest("chat", "-m", "hello", code=1)
    assert done.stderr.count("\n") == 1
    assert str(palimpsest.folder) in done.stderr


def test_what_was_deferred_is_extracted_by_command(palimpsest):
    from graph import open_agent

    with open_agent(palimpsest.folder) as agent:
        context = {"user_id": "local", "extraction": "deferred"}
        thread = {"configurable": {"thread_id": "t"}}
        agent.graph.invoke({"messages": [("user", "我对花生过敏")]}, thread, context=context)
    assert palimpsest.json("memory", "list", "--kind", "fact") == []
    assert palimpsest.json("memory", "extract", "--pending") == [{"thread": "t", "facts": 1, "failure": None}]
    assert [m["value"] for m in palimpsest.json("memory", "list", "--kind", "fact")] == ["花生"]
    assert palimpsest("memory", "extract", "--pending").stdout == "Nothing waits.\n"
    palimpsest("memory", "extract", code=2)


def test_the_beginning_of_an_id_is_enough(palimpsest):
    memory = palimpsest.json("memory", "remember", "I like tea")
    short = memory["id"][:8]
    assert short in palimpsest("memory", "list").stdout
    assert memory["id"] not in palimpsest("memory", "list").stdout
    assert palimpsest.json("memory", "get", short)["id"] == memory["id"]
    palimpsest("memory", "forget", short)
    assert palimpsest.json("memory", "list") == []


def test_a_turn_that_was_left_pending_is_finished_first(palimpsest):
    from graph import open_agent
    from graph.models import ScriptedModel

    thread = {"configurable": {"thread_id": "t"}}
    with open_agent(palimpsest.folder, model=ScriptedModel([OSError("the line went dead")])) as agent:
        with pytest.raises(OSError, match="the line went dead"):
            agent.graph.invoke({"messages": [("user", "我对花生过敏")]}, thread, context={"user_id": "local"})
        assert agent.memory.list("local") == []
    done = palimpsest("chat", "-t", "t", "-m", "能吃宫保鸡丁吗？")
    assert "Finishing the turn that was interrupted." in done.stderr
    assert done.stdout.count("· recalled") == 2
    shown = palimpsest.json("threads", "show", "t")
    assert [m["text"] for m in shown["transcript"] if m["speaker"] == "user"] == ["我对花生过敏", "能吃宫保鸡丁吗？"]
