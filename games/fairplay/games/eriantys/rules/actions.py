"""What players of Eriantys do, as values (eriantys.md section 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ChooseTowers:
    """Set-up: the tower colour of the player's side, an index into TOWER_COLORS."""

    color: int


@dataclass(frozen=True, slots=True)
class PlayAssistant:
    """Planning: an assistant of the hand, 1 to 10."""

    value: int


@dataclass(frozen=True, slots=True)
class ToDiningRoom:
    """Moves a student of this colour from the entrance to its table."""

    color: int


@dataclass(frozen=True, slots=True)
class ToIsland:
    """Moves a student of this colour from the entrance to an island, named as the settings say."""

    color: int
    island: int


@dataclass(frozen=True, slots=True)
class MoveMotherNature:
    """Moves Mother Nature clockwise by so many groups."""

    steps: int


@dataclass(frozen=True, slots=True)
class TakeCloud:
    """Takes all students of a cloud (0 to number of players - 1) into the entrance."""

    cloud: int


@dataclass(frozen=True, slots=True)
class PlayCharacter:
    """Pays for a character (1 to 12) and uses it at once, with what it needs to know and nothing more (section 5.3).

    `color` for 1, 9, 11 and 12; `island` for 1, 3 and 5; `swaps` are pairs for 7 (card colour, entrance colour) and
    10 (entrance colour, dining-room colour), exchanged at the same time, so that their order means nothing.
    """

    character: int
    color: int | None = None
    island: int | None = None
    swaps: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Ends the turn, where the settings want that said."""


Action: TypeAlias = (
    ChooseTowers | PlayAssistant | ToDiningRoom | ToIsland | MoveMotherNature | TakeCloud | PlayCharacter | EndTurn
)
