"""The Q game: what there is to draw of a state message of any kind, whatever is in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import seat_name
from fairplay.games.q.rules.board import KINDS, Coordinate, Placement, tile_name
from fairplay.q.v1 import q_pb2

NAME_LIMIT = 16
"""The most cells of a terminal that a name takes; longer ones are cut."""
UNKNOWN = -1
"""A tile that is none of the 36."""


class Standing(NamedTuple):
    """A player; `status` is empty or what there is to say of it, `hand` empty where it is hidden."""

    name: str
    score: int
    status: str
    hand: Sequence[int]


class Table(NamedTuple):
    """The contents of a picture: the map, whose cells `last` were placed at last, the players, and the pile."""

    tiles: dict[Coordinate, int]  # in the order in which they were placed
    last: frozenset[Coordinate]
    standings: Sequence[Standing]
    pile_left: int
    pile: Sequence[int]  # empty where it is hidden
    last_turn: str  # in words; empty if it is not known
    rows: range  # from the first one with a tile to the last; empty without tiles
    columns: range


class Own(NamedTuple):
    """What a person sees of its own beside the table."""

    hand: Sequence[int] = ()
    placed: Sequence[Placement] = ()
    """Tiles that are about to be placed; on the map they lie already."""
    free: frozenset[Coordinate] = frozenset()
    """The free places that can be pointed at."""
    words: Sequence[Choice] = ()
    """What can be chosen beside tiles."""


NOTHING_OWN = Own()
name_of = partial(seat_name, cells=NAME_LIMIT)


def with_own(shown: Table, own: Own) -> Table:
    """Return a table with the person's tiles on its map, which is large enough for the free places, too."""
    tiles = {**shown.tiles, **{(row, column): tile for row, column, tile in own.placed}}
    rows, columns = (covering(cell[axis] for cell in (*tiles, *own.free)) for axis in (0, 1))
    return shown._replace(tiles=tiles, rows=rows, columns=columns)


def table(message: q_pb2.State, players: Sequence[str]) -> Table:
    """Return the table of a state; `players` are the names by seat."""
    cells = zip(message.rows, message.columns, strict=False)
    tiles = dict(zip(cells, known(message.tiles), strict=False))
    placed = ((placement.row, placement.column) for placement in message.last_turn.action.extension.placements)
    return Table(
        tiles,
        frozenset(cell for cell in placed if cell in tiles),
        [
            Standing(name_of(each.seat, players), each.score, _status(message, each), known(each.hand))
            for each in message.players
        ],
        max(message.pile_left, len(message.pile)),
        known(message.pile),
        _describe(message.last_turn, players) if message.HasField("last_turn") else "",
        covering(row for row, _ in tiles),
        covering(column for _, column in tiles),
    )


def covering(numbers: Iterable[int]) -> range:
    """Return the range from the least to the largest of the numbers; empty without numbers."""
    found = sorted(numbers)
    return range(found[0], found[-1] + 1) if found else range(0)


def cell_part(cell: Coordinate) -> str:
    """Return the id of a coordinate in pictures."""
    return f"cell_{cell[0]}_{cell[1]}"


def cell_of(part: str) -> Coordinate | None:
    """Return the coordinate of an id, or None if it is another part's."""
    kind, *numbers = part.split("_")
    try:
        row, column = map(int, numbers)
    except ValueError:
        return None
    return (row, column) if kind == "cell" else None


def hand_part(place: int) -> str:
    """Return the id of a tile of the own hand in pictures, by its place there."""
    return f"hand_{place}"


def known(numbers: Iterable[int]) -> list[int]:
    """Return the tiles of numbers in messages."""
    return [number - 1 if 1 <= number <= KINDS else UNKNOWN for number in numbers]


def tile_words(tile: int) -> str:
    """Return a tile as people say it, also one that is none."""
    return tile_name(tile) if tile != UNKNOWN else "unknown tile"


def _status(message: q_pb2.State, player: q_pb2.Player) -> str:
    if player.elimination_number:
        return "out"
    if message.HasField("turn"):
        return "to move" if player.seat == message.turn else ""
    return "winner" if message.HasField("top_score") and player.score == message.top_score else ""


def _describe(turn: q_pb2.Turn, players: Sequence[str]) -> str:
    name = name_of(turn.seat, players)
    match turn.action.WhichOneof("choice"):
        case "extension":
            count = len(turn.action.extension.placements)
            return f"{name} placed {count} {'tile' if count == 1 else 'tiles'}: +{turn.points}"
        case "replace":
            return f"{name} replaced its tiles"
        case "pass_turn":
            return f"{name} passed"
    return ""
