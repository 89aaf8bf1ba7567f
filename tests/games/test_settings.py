"""The settings of every game: ranges and defaults are part of the rules, and each range holds from end to end."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from fairplay.games.kit.settings import Setting, choice, describe, find_problem, flag, number, other

GOLDEN = Path(__file__).with_name("settings.txt").read_text(encoding="utf-8").splitlines()
GAMES = ("bazaar", "eriantys", "fish", "q", "webset")
RANGE = re.compile(r"(-?\d+) to (-?\d+)")


def settings_of(game: str) -> type[Any]:
    found: type[Any] = import_module(f"fairplay.games.{game}.rules").Settings
    return found


def line(game: str, setting: Setting) -> str:
    return f"{game} {setting.name}: {setting.allowed}; default {setting.default or 'none'}"


@pytest.mark.parametrize("game", GAMES)
def test_settings_have_the_ranges_and_defaults_that_are_written_down(game: str) -> None:
    assert [line(game, each) for each in describe(settings_of(game))] == [
        each for each in GOLDEN if each.startswith(f"{game} ")
    ]


@pytest.mark.parametrize("game", GAMES)
def test_a_number_may_be_either_end_of_its_range_and_nothing_beyond(game: str) -> None:
    settings = settings_of(game)
    for setting in describe(settings):
        found = RANGE.fullmatch(setting.allowed)
        if found and setting.default and setting.default.lstrip("-").isdigit():
            low, high = map(int, found.groups())
            for value in (low, high):
                assert find_problem(replace(settings(), **{setting.name: value})) is None
            for value in (low - 1, high + 1):
                problem = find_problem(replace(settings(), **{setting.name: value}))
                assert problem == (setting.name, f"{setting.name} is {value}: it must be between {low} and {high}.")


@pytest.mark.parametrize("game", GAMES)
def test_no_game_begins_with_settings_that_are_not_allowed_and_it_says_what_is(game: str) -> None:
    rules = import_module(f"fairplay.games.{game}.rules")
    setting = next(each for each in describe(settings_of(game)) if each.limits)
    assert setting.limits is not None
    low, high = setting.limits
    wrong = replace(settings_of(game)(), **{setting.name: high + 1})
    sentence = f"{setting.name} is {high + 1}: it must be between {low} and {high}."
    assert rules.settings_problem(wrong) == (setting.name, sentence)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        rules.initial(wrong, 2, Random(0))


def test_settings_are_described_by_their_fields() -> None:
    @dataclass(frozen=True)
    class Table:
        rows: int = number(5, 1, 25, "How many rows there are.")
        order: str = choice("up", Literal["up", "down"], "Which row is first.")
        is_round: bool = flag(False, "Whether the rows end where they begin.")
        board: tuple[int, ...] = other((), "up to 3 numbers", "What lies on it.")
        floor: int | None = other(None, "-9 to 0", "What is below.")

    assert describe(Table) == (
        Setting("rows", "How many rows there are.", "1 to 25", "5", (1, 25)),
        Setting("order", "Which row is first.", "one of up, down", "up"),
        Setting("is_round", "Whether the rows end where they begin.", "true or false", "false"),
        Setting("board", "What lies on it.", "up to 3 numbers", ""),
        Setting("floor", "What is below.", "-9 to 0", ""),
    )
    assert Table() == Table(5, "up", False, (), None)
    assert find_problem(Table(board=(1, 2, 3, 4))) is None  # which the game checks itself
    assert find_problem(Table(rows=26, order="left")) == ("rows", "rows is 26: it must be between 1 and 25.")
    assert find_problem(Table(order="left")) == ("order", "order is 'left': it must be one of up, down.")
