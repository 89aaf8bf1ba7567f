"""What can be chosen about a game of Fish (fish.md section 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fairplay.games.kit.settings import choice, find_problem, flag, number, other

PenguinCountBasis: TypeAlias = Literal["at_start", "survivors"]
AnnounceOrder: TypeAlias = Literal["phases", "per_player"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
ActionList: TypeAlias = Literal["none", "moves", "moves_and_skips"]

MIN_SEATS, MAX_SEATS = 2, 4
MAX_SIDE = 25  # rows and columns of the largest board
FISH_LIMIT = 5  # the largest `max_fish`


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a game. The first five have no effect if there is a `board`."""

    rows: int = number(5, 1, MAX_SIDE, "How many rows the board has.")
    columns: int = number(5, 1, MAX_SIDE, "How many columns the board has.")
    fish: int = number(2, 1, FISH_LIMIT, "How many fish every tile has, at most max_fish.")
    random_fish: bool = flag(False, "Whether each tile has a random number of fish, from 1 to max_fish.")
    holes: int = number(0, 0, MAX_SIDE**2 - 1, "How many tiles are removed at random; at least one tile stays.")
    board: tuple[tuple[int, ...], ...] | None = other(
        None, "rows of numbers", "How many fish each tile has, 0 for a hole; replaces rows, columns, fish and holes."
    )
    max_fish: int = number(5, 1, FISH_LIMIT, "How many fish a tile has at most.")
    penguin_base: int = number(6, MAX_SEATS + 1, 10, "Each of N players owns this number of penguins, less N.")
    penguin_count_basis: PenguinCountBasis = choice(
        "at_start", PenguinCountBasis, "Whether N counts the players at the start, or those left when penguins come."
    )
    announce_order: AnnounceOrder = choice(
        "phases", AnnounceOrder, "Whether all players hear their own colour first, or one hears everything at a time."
    )
    lone_survivor: LoneSurvivor = choice(
        "play_on", LoneSurvivor, "Whether the last player left after eliminations goes on alone, or the game stops."
    )
    action_list: ActionList = choice(
        "none", ActionList, "What a player hears of the others' actions when it is its turn."
    )


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first field that is wrong and one sentence that says what is allowed; None if all are right."""
    if settings.board is not None:
        free = Settings()
        effective = replace(settings, rows=free.rows, columns=free.columns, fish=free.fish, holes=free.holes)
        return find_problem(effective) or _board_problem(settings.board, settings.max_fish)
    if problem := find_problem(settings):
        return problem
    if settings.fish > settings.max_fish:
        return "fish", f"fish is {settings.fish}: it must be between 1 and {settings.max_fish}."
    if settings.holes >= (size := settings.rows * settings.columns):
        return "holes", f"holes is {settings.holes}: it must be between 0 and {size - 1}."
    return None


def _board_problem(board: Sequence[Sequence[int]], max_fish: int) -> tuple[str, str] | None:
    if not 1 <= len(board) <= MAX_SIDE:
        return "board", f"board has {len(board)} rows: it must have between 1 and {MAX_SIDE}."
    if not 1 <= (columns := max(map(len, board))) <= MAX_SIDE:
        return "board", f"board's longest row has {columns} tiles: it must have between 1 and {MAX_SIDE}."
    for row, tiles in enumerate(board):
        for column, fish in enumerate(tiles):
            if not 0 <= fish <= max_fish:
                return "board", f"board has {fish} fish at [{row}, {column}]: it must be between 0 and {max_fish}."
    return None
