"""The settings of every game: ranges and defaults are part of the rules, and each range holds from end to end."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fairplay.games.kit.settings import Setting, describe, find_problem

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
