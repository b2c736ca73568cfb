"""Charts: the same numbers give the same picture, what is drawn is where the numbers say, and names cannot break it."""

import re
from xml.etree import ElementTree

from evals import plot

SVG = "{http://www.w3.org/2000/svg}"


def rects(picture):
    """What a bar chart draws for each part: its words, where it begins and how wide it is."""
    drawn = [r for r in ElementTree.fromstring(picture).iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    return [(r.find(f"{SVG}title").text, float(r.get("x")), float(r.get("width")), r.get("fill")) for r in drawn]


def texts(picture):
    return [t.text for t in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def test_a_bar_is_its_parts_one_after_another_and_what_takes_away_stands_to_the_left_in_red():
    picture = plot.bars("sum", [("a", {"words": 0.5, "date": 0.25, "question": -0.25}), ("b", {"date": 0.75})])
    (words, date, question), (other,) = rects(picture)[:3], rects(picture)[3:]
    assert [w for w, *_ in (words, date, question, other)] == [
        "words +0.50",
        "date +0.25",
        "question -0.25",
        "date +0.75",
    ]
    assert words[2] == 2 * date[2] == 2 * question[2]
    assert abs(words[1] + words[2] - date[1]) < 0.2
    assert abs(question[1] + question[2] - words[1]) < 0.2
    assert other[1] == words[1]
    assert (date[3], question[3]) == (other[3], "#d1495b")
    assert texts(picture) == ["sum", "words", "date", "question", "a", "0.50", "b", "0.75"]


def test_a_part_that_no_row_has_keeps_the_colours_of_the_others_and_is_not_in_the_legend():
    with_it = rects(plot.bars("t", [("a", {"words": 1.0, "hop": 1.0, "date": 1.0})]))
    without = plot.bars("t", [("a", {"words": 1.0, "hop": 0.0, "date": 1.0})])
    assert [r[3] for r in rects(without)] == [with_it[0][3], with_it[2][3]]
    assert "hop" not in texts(without)


def test_a_mark_is_named_and_a_sum_of_nothing_is_no_negative_zero():
    picture = plot.bars("t", [("a", {"x": 0.1, "y": -0.1001})], mark=("threshold", 0.3))
    assert texts(picture)[-3:] == ["a", "0.00", "threshold 0.30"]


def test_intervals_have_a_dot_and_a_line_by_series_and_round_numbers_below():
    picture = plot.intervals("worth", {"no words": {"here": (0.1, -0.05, 0.25), "there": (0.0, 0.0, 0.0)}})
    circles = [float(c.get("cx")) for c in ElementTree.fromstring(picture).iter(f"{SVG}circle")]
    assert len(circles) == 2
    assert circles[0] > circles[1]
    assert texts(picture) == [
        "worth",
        "here",
        "there",
        "-0.05",
        "0",
        "+0.05",
        "+0.1",
        "+0.15",
        "+0.2",
        "+0.25",
        "no words",
    ]


def test_points_of_an_empty_group_are_no_part_of_the_legend_and_words_do_not_overlap():
    groups = {"found": [(0.5, 1.0, "one"), (0.4, 1.0, "two")], "lost": [], "near": [(0.1, 0.0, "")]}
    picture = plot.points("where", ("cosine", "BM25"), groups)
    heights = [
        float(t.get("y")) for t in ElementTree.fromstring(picture).iter(f"{SVG}text") if t.text in ("one", "two")
    ]
    assert abs(heights[0] - heights[1]) >= 12
    assert texts(picture)[:3] == ["where", "found", "near"]


def test_words_of_any_kind_are_cut_and_escaped_and_the_same_numbers_give_the_same_picture():
    long = "<b>&" + "漫长的季节" * 40
    picture = plot.bars(long, [(long, {"<i>": 1.0})])
    assert picture == plot.bars(long, [(long, {"<i>": 1.0})])
    row = next(text for text in texts(picture) if text.endswith("…"))
    assert row.startswith("<b>&漫长")
    assert len(row) < 60
    assert not re.search("<[bi]>", picture)


def test_nothing_but_zeros_is_drawn_too():
    assert texts(plot.bars("t", [("a", {"x": 0.0})])) == ["t", "a", "0.00"]
    assert "no x" in texts(plot.intervals("t", {"no x": {"here": (0.0, 0.0, 0.0)}}))
    assert "where" in texts(plot.points("where", ("x", "y"), {"g": [(0.0, 0.0, "")]}))
