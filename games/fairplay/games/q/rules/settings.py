"""What can be chosen about a Q game (q.md section 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from fairplay.games.q.rules.board import KINDS

UndeliveredTiles: TypeAlias = Literal["lost", "return"]
FitRule: TypeAlias = Literal["q", "qwirkle"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
SetupArgument: TypeAlias = Literal["public_state", "map"]

MIN_SEATS, MAX_SEATS = 2, 4
MAX_BONUS = 10
MAX_HAND = 36
MAX_COPIES = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be chosen about a game (section 10)."""

    hand_size: int = 6  # tiles dealt to each player of a fresh game
    copies_per_kind: int = 30  # of each of the 36 kinds of tiles
    q_bonus: int = 8  # points for each Q
    finish_bonus: int = 4  # points for placing all tiles one holds
    undelivered_tiles: UndeliveredTiles = "lost"  # those drawn for a player that fails in new-tiles, or to the pile
    fit_rule: FitRule = "q"  # qwirkle: whole lines share a color or a shape, without duplicates
    lone_survivor: LoneSurvivor = "play_on"  # stop: the game is over once elimination leaves one player
    setup_argument: SetupArgument = "public_state"  # what setup tells of the table; no rule of play depends on it


_RANGES = {
    "hand_size": (1, MAX_HAND),
    "copies_per_kind": (1, MAX_COPIES),
    "q_bonus": (0, MAX_BONUS),
    "finish_bonus": (0, MAX_BONUS),
}
_CHOICES = {
    "undelivered_tiles": get_args(UndeliveredTiles),
    "fit_rule": get_args(FitRule),
    "lone_survivor": get_args(LoneSurvivor),
    "setup_argument": get_args(SetupArgument),
}


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """The first field that is wrong and one sentence saying what is allowed; None where all is well."""
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(settings, name)) <= high:
            return name, f"{name} is {value}: it must be between {low} and {high}."
    for name, allowed in _CHOICES.items():
        if (value := getattr(settings, name)) not in allowed:
            return name, f"{name} is {value!r}: it must be one of {', '.join(allowed)}."
    return too_few_tiles(settings, MIN_SEATS)


def too_few_tiles(settings: Settings, seat_count: int) -> tuple[str, str] | None:
    """As `settings_problem`: whether there are tiles enough for so many seats."""
    needed, existing = seat_count * settings.hand_size + 1, KINDS * settings.copies_per_kind
    if needed <= existing:
        return None
    return "copies_per_kind", (
        f"{KINDS} kinds times {settings.copies_per_kind} copies_per_kind are {existing} tiles: "
        f"{seat_count} players with {settings.hand_size} each and one tile on the map need {needed}."
    )
