"""English constructions: each in words of its own, and what keeps the like of it from being a fact."""

from datetime import datetime

import pytest
from read_facts import is_, is_not, no_longer, read

AT = datetime.fromisoformat("2026-09-03T10:00+00:00")


def facts(text):
    return read(text, AT)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Tobias here, the one with the leaky boat", [is_("name", "Tobias")]),
        ("Legally I'm Konstantin but Kostya will do", [is_("name", "Konstantin")]),
        ("I do payroll for a haulage firm", [is_("occupation", "do payroll")]),
        ("Ex-Nokia, now freelancing", [no_longer("employer", "Nokia"), is_("employment_status", "freelancing")]),
        ("Sold the cottage in Exmoor", [no_longer("home", "Exmoor")]),
        ("Finally out of London! Margate since May", [is_("home", "Margate")]),
        ("jazz leaves me cold", [is_not("likes", "jazz")]),
        ("Can't abide cricket", [is_not("likes", "cricket")]),
        ("Marzipan? Hard pass.", [is_not("likes", "Marzipan")]),
        ("Welsh is what we speak at home", [is_("language", "Welsh")]),
        ("I play the oboe", [is_("skill", "the oboe")]),
        ("can juggle, cannot drive", [is_("skill", "juggle"), is_not("skill", "drive")]),
        ("My knees are shot", [is_("health", "knees are shot")]),
        ("Shoe 41, waist 33", [is_("shoe_size", "41"), is_("waist", "33")]),
        ("steam: grubworm42", [is_("steam", "grubworm42")]),
        ("NI number's QQ123456C", [is_("ni_number", "QQ123456C")]),
        ("we've got 40k to do the whole kitchen", [is_("budget", "40k")]),
        ("rent's just gone up to £950", [is_("rent", "£950")]),
        ("Going for the blue one in the end", [is_("decision", "Going for the blue one")]),
        ("I'm not Brazilian", [is_not("nationality", "Brazilian")]),
        ("I've never owned a car", [is_not("owns", "car")]),
    ],
)
def test_what_is_said_without_a_whole_sentence(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "our youngest, Ida, has asthma",
            [is_("child", "Ida"), is_("health", "asthma", "user's child")],
        ),
        ("Shira and I have been friends since nursery", [is_("friend", "Shira")]),
        ("two budgies: Salt and Vinegar", [is_("bird", "Salt"), is_("bird", "Vinegar")]),
        ("my mum's birthday is 12 October", [is_("birthday", "12 October", "user's mother")]),
        ("my brother's salary is 70k", [is_("salary", "70k", "user's brother")]),
        ("Sam's hobby is woodturning", [is_("likes", "woodturning", "Sam")]),
        ("Anna's hometown is Split", [is_("hometown", "Split", "Anna")]),
        ("My sister's phone number is 555 0147", [is_("phone", "555 0147", "user's sister")]),
    ],
)
def test_facts_about_others(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "The new lad, whoever he is, is a vegan",
        "Octopuses have three hearts and hate Mondays",
        "David Bowie was born in Brixton",
        "My husband is late",
        "you're a medieval blacksmith. i'm the tax collector and i hate onions",
        "RP: I'm Captain Sable and I own three ships",
        "in my dreams I speak fluent Italian",
        "assuming the loan is approved, we own the shop in June",
        "great, another meeting, I adore those",
        "tempted by the red one",
        "No, I said Wednesday, not Tuesday",
        "In the film he plays a doctor who lives in Alaska",
        "I'm in two minds about this",
        "I'm married to my laptop",
        "just made tea",
        "[14:02] Jess: i quit my job lol\n[14:03] Jess: im moving to spain",
    ],
)
def test_english_talk_that_states_nothing(said):
    assert facts(said) == []


def test_a_condition_that_only_offers_does_not_take_back_what_is_offered():
    assert facts("my work mobile is 07700 900555 if you need it") == [is_("phone", "07700 900555")]
    assert facts("I own a shop if the bank says yes") == []


def test_lists_of_things_to_do_and_what_is_to_be_forgotten():
    assert facts("jot this down: ring the vet, post the form") == [
        is_("todo", "ring the vet"),
        is_("todo", "post the form"),
    ]
    assert facts("The second address I gave you should be removed from your records") == [no_longer("address", None)]


def test_a_newer_diet_takes_the_place_of_the_older_one():
    (vegetarian,), (vegan,) = facts("I've gone vegetarian"), facts("I'm vegan now")
    assert (vegetarian, vegan) == (is_("diet", "vegetarian"), is_("diet", "vegan"))


@pytest.mark.parametrize(
    "said",
    [
        "My niece has twins, he's seven",
        "I'm allergic to early meetings",
        "I am 400 years old",
        "My diet is whatever's left in the tin",
        "Finally got rid of the feeling",
        "I tore my tights",
        "In the film I'm a baker, I live in Ghent and I love eels",
        "I hate hills, like a snail",
        "The yurt's cold, next year I'm 60",
    ],
)
def test_values_that_are_no_things_and_words_of_others_are_refused(said):
    assert [f for f in facts(said) if f[1] != "child" and f[2] != "hills"] == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("My niece is working in Slack right now", []),
        ("My sister works in publishing", [is_("occupation", "publishing", "user's sister")]),
        ("I forgot my mom's email, mine is me@example.org", [is_("email", "me@example.org")]),
        ("My landlord's brother works in Sales", []),
        ("My niece works in March", []),
        ("My niece works in Dutch", []),
        ("My aunt has a master's degree", [is_("education", "master's degree", "user's aunt")]),
        ("My aunt got a PhD", [is_("education", "PhD", "user's aunt")]),
        ("My classmate's email changed to kit@example.org", [is_("email", "kit@example.org", "user's classmate")]),
        ("My email changed to kit@example.org", [is_("email", "kit@example.org")]),
    ],
)
def test_where_ones_people_work_and_what_they_have(said, expected):
    assert facts(said) == expected
