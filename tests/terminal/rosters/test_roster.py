"""Rosters: what can be read, and the sentence for everything else."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.terminal.roster import Entrant, TimeLimits, parse_roster, roster_text, toml_string

TWO = """
[limits]
call = "1s"

[[entrant]]
name = "ann"
link = "bot:greedy"

[[entrant]]
name = "bob"
link = "exec:python bob.py"
who = "Bob"
language = "Python"
"""


def problem(text: str) -> str:
    with pytest.raises(ValueError) as found:
        parse_roster(text, "roster.toml")
    sentence = str(found.value)
    assert len(sentence.splitlines()) == 1
    return sentence


def test_a_roster_lists_who_enters_in_its_order() -> None:
    roster = parse_roster(TWO, "roster.toml")
    assert roster.entrants == [
        Entrant("ann", "bot:greedy"),
        Entrant("bob", "exec:python bob.py", "Bob", "Python"),
    ]
    assert roster.limits == TimeLimits(call="1s")


def test_a_wrong_roster_is_refused_in_one_sentence_with_its_place() -> None:
    for text, sentence in [
        ("[[entrant]\n", "roster.toml is not TOML: Expected ']]' at the end of an array declaration (at line 1"),
        ("", "roster.toml has no entrants: list each below a line [[entrant]]"),
        ("entrant = []", "roster.toml has no entrants"),
        ("entrant = 3", "roster.toml: entrants are listed as tables"),
        ("entrant = [3]", "roster.toml: entrants are listed as tables"),
        (f"{TWO}[[players]]\n", "roster.toml: unknown key 'players': it may have entrant, limits"),
        (f"{TWO}[limit]\n", "roster.toml: unknown key 'limit': did you mean limits?"),
        (f'{TWO}nmae = "x"', "roster.toml, line 9: unknown key 'nmae': did you mean name?"),
        (TWO.replace("bob", "ann", 1), "roster.toml, line 9: the name 'ann' is taken by roster.toml, line 5"),
        ('\n[[entrant]]\nname = "a"', 'roster.toml, line 2: the entrant has no link: add link = "…"'),
        ('entrant = [{link = "bot:first"}]', 'roster.toml, entrant 1: the entrant has no name: add name = "…"'),
        ('[[entrant]]\nname = "a b"\nlink = "bot:first"', "roster.toml, line 1: 'a b' is no name: 1 to 64 letters"),
        ('[[entrant]]\nname = 3\nlink = "bot:first"', 'roster.toml, line 1: name is a text: write name = "3"'),
        ('[[entrant]]\nname = "a"\nlink = "bot"', "roster.toml, line 1: 'bot' is not a way to reach a player"),
        ('[[entrant]]\nname = "a"\nlink = "grpc://x:0"', "roster.toml, line 1: 'grpc://x:0' is not an address"),
        ('[[entrant]]\nname = "a"\nlink = "exec:\'"', 'roster.toml, line 1: the command "\'" cannot be read'),
        (TWO.replace("call", "cal"), "roster.toml, [limits]: unknown key 'cal': did you mean call?"),
        (TWO.replace('"1s"', "1"), 'roster.toml, [limits]: call is a text: write call = "1"'),
        (TWO.replace("[limits]\ncall", "limits"), "roster.toml: limits is a table"),
        (TWO + f'language = "{"x" * 201}"', "roster.toml is not TOML"),
        (TWO.replace('"Bob"', f'"{"x" * 201}"'), "roster.toml, line 9: who has more than 200 characters"),
        ("x = " + "[" * 5_000, "roster.toml is not TOML"),
    ]:
        assert problem(text).startswith(sentence)


def test_a_wrong_name_steers_no_terminal() -> None:
    assert "\x1b" not in problem('[[entrant]]\nname = "\\u001b[2J"\nlink = "bot:first"')
    assert "\x1b" not in problem('[[entrant]]\nname = "a"\nlink = "\\u001b[2J"')


@given(st.text())
def test_any_text_is_written_as_toml_and_read_again(text: str) -> None:
    try:
        written = toml_string(text)
    except ValueError:
        assert any(0xD800 <= ord(character) < 0xE000 for character in text)
        return
    assert tomllib.loads(f"x = {written}")["x"] == text


NAME = st.from_regex(r"(?!\.{1,2}\Z)[A-Za-z0-9_.-]{1,64}", fullmatch=True)
NAMES = st.lists(NAME, min_size=1, max_size=5, unique=True)


@given(NAMES, st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_a_written_roster_is_read_as_the_same(names: list[str], who: str) -> None:
    entrants = [Entrant(name, "bot:first", who) for name in names]
    assert parse_roster(roster_text(entrants, TimeLimits(start="2s"), "made"), "x").entrants == entrants
