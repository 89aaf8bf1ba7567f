"""What can be chosen about a Q game (q.md section 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairplay.games.kit.settings import choice, find_problem, number
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
    """The settings of a game."""

    hand_size: int = number(6, 1, MAX_HAND, "How many tiles each player of a fresh game is dealt.")
    copies_per_kind: int = number(30, 1, MAX_COPIES, "How many tiles there are of each of the 36 kinds.")
    q_bonus: int = number(8, 0, MAX_BONUS, "How many points each Q brings.")
    finish_bonus: int = number(4, 0, MAX_BONUS, "How many points a player gets that places all tiles it holds.")
    undelivered_tiles: UndeliveredTiles = choice(
        "lost",
        UndeliveredTiles,
        "Whether tiles drawn for a player that fails in new-tiles are lost or return.",
    )
    fit_rule: FitRule = choice(
        "q", FitRule, "Whether a tile fits its neighbours, or whole lines share a color or shape without duplicates."
    )
    lone_survivor: LoneSurvivor = choice(
        "play_on", LoneSurvivor, "Whether the last player left after eliminations goes on alone, or the game stops."
    )
    setup_argument: SetupArgument = choice(
        "public_state", SetupArgument, "What setup tells of the table; no rule of play depends on it."
    )


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first field that is wrong and one sentence that says what is allowed; None if all are right."""
    return find_problem(settings) or too_few_tiles(settings, MIN_SEATS)


def too_few_tiles(settings: Settings, seat_count: int) -> tuple[str, str] | None:
    """Return the problem of settings with too few tiles for so many seats, as `settings_problem` does."""
    dealt, existing = seat_count * settings.hand_size, KINDS * settings.copies_per_kind
    if dealt < existing:
        return None
    return "copies_per_kind", (
        f"{KINDS} kinds times {settings.copies_per_kind} copies_per_kind are {existing} tiles: "
        f"{seat_count} players with {settings.hand_size} each and one tile on the map need {dealt + 1}."
    )
