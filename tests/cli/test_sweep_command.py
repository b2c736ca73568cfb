"""`palimpsest memory sweep`: what it shows, what it ends, and that a dry run ends nothing."""


def test_a_sweep_shows_what_it_ends_and_restore_brings_it_back(palimpsest, monkeypatch):
    palimpsest("chat", "-m", "I like jasmine tea.")
    palimpsest("chat", "-m", "我对花生过敏")
    assert "Nothing is to end." in palimpsest("memory", "sweep").stdout
    monkeypatch.setenv("PALIMPSEST_FORGET_AGE_DAYS", "0")
    monkeypatch.setenv("PALIMPSEST_FORGET_FLOOR", "0.9")
    listed = palimpsest.json("memory", "list")
    shown = palimpsest.json("memory", "sweep", "--dry-run")
    assert sorted(s["text"] for s in shown["ended"]) == sorted(
        m["text"] for m in listed if "allerg" not in str(m["attribute"])
    )
    assert palimpsest.json("memory", "list") == listed
    table = palimpsest("memory", "sweep", "--user", "local").stdout
    assert "Ended: 3" in table
    assert "never used in the 0 days since" in table
    assert [m["attribute"] for m in palimpsest.json("memory", "list")] == ["allergy"]
    gone = next(s for s in shown["ended"] if s["kind"] == "fact")
    assert gone["last_used"] is None
    palimpsest("memory", "restore", gone["memory_id"][:8])
    assert gone["text"] in [m["text"] for m in palimpsest.json("memory", "list")]


def test_a_sweep_of_nobody_s_memory_ends_nothing(palimpsest):
    assert palimpsest.json("memory", "sweep", "--dry-run", "--user", "nobody")["ended"] == []


def test_a_setting_that_makes_no_sense_is_refused(palimpsest, monkeypatch):
    monkeypatch.setenv("PALIMPSEST_FORGET_FLOOR", "2")
    assert "PALIMPSEST_FORGET_FLOOR cannot be used" in palimpsest("memory", "sweep", "--dry-run", code=1).stderr
