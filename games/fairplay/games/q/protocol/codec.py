"""The Q game: the messages of settings, states and actions, and their values in the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from fairplay.games.kit import messages
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.wire import Heads, varint, write_field, write_number, zigzag
from fairplay.games.q import rules
from fairplay.games.q.rules.board import KINDS, Board, Placement
from fairplay.games.q.rules.state import (
    PASS,
    REPLACE,
    Action,
    Delivery,
    Extension,
    Settings,
    State,
    View,
    invariant,
    settings_problem,
)
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import SetupRequest, TakeTurnRequest, TakeTurnResponse

# Settings


@messages.remember_settings
def read_settings(message: q_pb2.Settings) -> Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    return messages.read_settings(message, Settings, settings_problem)


def build_settings(settings: Settings) -> q_pb2.Settings:
    """Return the message of settings, every field set."""
    return messages.fill(q_pb2.Settings(), settings)


# Tiles. A tile's number in messages is its own and one, so bytes carry them: they translate in one step

_UP = bytes([*range(1, 256), 0])
_DOWN = bytes([255, *range(255)])


def tile_numbers(tiles: Iterable[int]) -> Sequence[q_pb2.Tile.ValueType]:
    """Return the numbers of tiles in messages."""
    return bytes(tiles).translate(_UP)  # type: ignore[return-value]  # the values of the enum are ints


def read_tiles(numbers: Iterable[int]) -> bytes:
    """Return the tiles of numbers in messages, as a sequence. Raises ValueError if a byte cannot hold a number."""
    return bytes(numbers).translate(_DOWN)


# Maps


_ROWS, _COLUMNS, _TILES = (write_field(q_pb2.State, name) for name in ("rows", "columns", "tiles"))


class Laid:
    """The map of a game, serialised, which grows with it: no call writes anew what the call before it wrote."""

    def __init__(self, board: Board) -> None:
        self._rows, self._columns, self._tiles = bytearray(), bytearray(), bytearray()
        self.fit_rule = _fit_rule(board)
        self.put(Placement(*cell, tile) for cell, tile in board.tiles.items())

    def put(self, placements: Iterable[Placement]) -> None:
        """Put tiles on the map."""
        for row, column, tile in placements:
            self._rows += varint(zigzag(row))
            self._columns += varint(zigzag(column))
            self._tiles.append(tile + 1)

    @property
    def data(self) -> bytes:
        """Return the three lists of a state that say which tile lies where."""
        return _ROWS(self._rows) + _COLUMNS(self._columns) + _TILES(self._tiles) if self._tiles else b""


def _fit_rule(board: Board) -> q_pb2.FitRule.ValueType:
    return q_pb2.FIT_RULE_QWIRKLE if board.whole_lines else q_pb2.FIT_RULE_Q


def map_message(board: Board) -> q_pb2.State:
    """Return the parts of a state that are its map, in the order in which the tiles were placed."""
    return q_pb2.State(
        rows=[row for row, _ in board.tiles],
        columns=[column for _, column in board.tiles],
        tiles=tile_numbers(board.tiles.values()),
        fit_rule=_fit_rule(board),
    )


def read_board(message: q_pb2.State) -> Board:
    """Return the map of a state. Raises ValueError if it makes none."""
    cells = zip(message.rows[:], message.columns[:], strict=True)
    laid = dict(zip(cells, read_tiles(message.tiles[:]), strict=True))
    return Board(laid, message.fit_rule == q_pb2.FIT_RULE_QWIRKLE)


# What players see


_STATE = write_field(TakeTurnRequest, "state")
_REVISION = write_number(q_pb2.State, "revision")
_PLAYER = write_field(q_pb2.State, "players")
_PILE_LEFT = write_number(q_pb2.State, "pile_left")
_TURN = write_number(q_pb2.State, "turn")
_PLACED_IN_ROUND = write_number(q_pb2.State, "placed_in_round")
_FIT_RULE = write_number(q_pb2.State, "fit_rule")


def setup_request(heads: Heads, state: State, seat: int, laid: Laid) -> bytes:
    """Return the request of Setup for a seat, serialised."""
    if state.settings.setup_argument == "map":
        seen = _REVISION(state.revision) + laid.data + _FIT_RULE(laid.fit_rule)
    else:
        seen = _seen(state, seat, laid)
    held: bytes = SetupRequest(tiles=tile_numbers(state.hands[seat])).SerializeToString()
    return heads[seat] + _STATE(seen) + held


def turn_request(heads: Heads, state: State, seat: int, laid: Laid) -> bytes:
    """Return the request of TakeTurn for a seat, serialised."""
    return heads[seat] + _STATE(_seen(state, seat, laid))


def _seen(state: State, seat: int, laid: Laid) -> bytes:
    """Return the state for a player, serialised: the public part, and its own hand."""
    others = [other for other in (*range(seat + 1, len(state.hands)), *range(seat)) if other not in state.eliminated]
    me = q_pb2.Player(seat=seat, score=state.points[seat], hand=tile_numbers(state.hands[seat]))
    return b"".join(
        (
            _REVISION(state.revision),
            laid.data,
            _PLAYER(me.SerializeToString()),
            *[_other_data(other, state.points[other]) for other in others],
            _PILE_LEFT(len(state.pile)),
            _TURN(state.mover) if state.mover is not None else b"",
            _PLACED_IN_ROUND(state.placed),
            _FIT_RULE(laid.fit_rule),
        )
    )


@lru_cache(maxsize=10_000)
def _other_data(seat: int, points: int) -> bytes:
    """Return what a player is told of another."""
    return _PLAYER(q_pb2.Player(seat=seat, score=points).SerializeToString())


def read_view(message: q_pb2.State) -> View:
    """Return the view that a player is given. Raises ValueError if it makes no view."""
    me, *others = message.players
    return View(
        read_board(message),
        tuple(read_tiles(me.hand)),
        me.score,
        tuple(player.score for player in others),
        message.pile_left,
        message.revision,
    )


# States as the referee shows them


class Turn(NamedTuple):
    """A turn that was carried out, with the points it brought."""

    seat: int
    action: Action
    points: int


class Shown(NamedTuple):
    """A state as it is shown, and the turn that led to it, if one did."""

    state: State
    last: Turn | None = None


def build_public(shown: Shown) -> q_pb2.State:
    """Return the public part of a state, which spectators see."""
    state, last = shown
    message = map_message(state.board)
    message.revision = state.revision
    message.pile_left = len(state.pile)
    message.placed_in_round = state.placed
    for seat, points in enumerate(state.points):
        out = state.eliminated.index(seat) + 1 if seat in state.eliminated else 0
        message.players.add(seat=seat, score=points, elimination_number=out)
    for field, value in (("turn", state.mover), ("finisher", state.finisher), ("top_score", state.top)):
        if value is not None:
            setattr(message, field, value)
    if last is not None:
        message.last_turn.CopyFrom(q_pb2.Turn(seat=last.seat, action=build_action(last.action), points=last.points))
    return message


def build_state(shown: Shown) -> q_pb2.State:
    """Return all of a state; `resume` is its inverse."""
    state = shown.state
    message = build_public(shown)
    message.pile.extend(tile_numbers(state.pile))
    message.lost.extend(tile_numbers(state.lost))
    for player, hand in zip(message.players, state.hands, strict=True):
        player.hand.extend(tile_numbers(hand))
    if state.delivery is not None:
        message.players[state.delivery.seat].undelivered_count = len(state.delivery.tiles)
    return message


# Actions


def build_action(action: Action) -> q_pb2.Action:
    """Return the message of an action."""
    if isinstance(action, Extension):
        placements = [
            q_pb2.Placement(row=row, column=column, tile=tile + 1)  # type: ignore[arg-type]  # a value of the enum
            for row, column, tile in action.placements
        ]
        return q_pb2.Action(extension=q_pb2.Extension(placements=placements))
    if action is PASS:
        return q_pb2.Action(pass_turn=q_pb2.Pass())
    return q_pb2.Action(replace=q_pb2.Replace())


def read_reply(reply: TakeTurnResponse) -> Action:
    """Return the answer to TakeTurn. Raises MalformedReplyError if it is malformed."""
    return read_action(reply.action)


def read_action(message: q_pb2.Action) -> Action:
    """Return the action of a message. Raises MalformedReplyError if it is malformed."""
    match message.WhichOneof("choice"):
        case "extension":
            return Extension(tuple(map(_placement, message.extension.placements)))
        case "replace":
            return REPLACE
        case "pass_turn":
            return PASS
    raise MalformedReplyError("q.action.required", "none of them")


_TILES_OF_MESSAGES = frozenset(q_pb2.Tile.values())


def _placement(message: q_pb2.Placement) -> Placement:
    if not (message.HasField("row") and message.HasField("column")):
        raise MalformedReplyError("q.coordinate.required", "a placement without row or column")
    if not message.tile:
        raise MalformedReplyError("q.tile.required", "a placement without a tile")
    if message.tile not in _TILES_OF_MESSAGES:
        raise MalformedReplyError("q.tile.known", f"a tile with the number {message.tile}")
    return Placement(message.row, message.column, message.tile - 1)


def build_reply(action: Action) -> TakeTurnResponse:
    """Return the answer to TakeTurn with an action."""
    return TakeTurnResponse(action=build_action(action))


def legal_replies(state: State) -> list[TakeTurnResponse]:
    """Return replies that would be legal now: each placement of one tile, a replacement, a pass."""
    return [build_reply(action) for action in rules.legal(state)]


_MOST_DESCRIBED = 6


def describe_action(action: Action) -> str:
    """Return an action in words. Spectators of a running game may read them, so they name no tile."""
    if not isinstance(action, Extension):
        return f"a {action.value}"
    cells = [f"[{row}, {column}]" for row, column, _ in action.placements]
    more = len(cells) - _MOST_DESCRIBED
    where = ", ".join(cells[:_MOST_DESCRIBED]) + (f" and {more} more" if more > 0 else "")
    return f"an extension onto {where}" if cells else "an extension without tiles"


# States from outside

_MOST_POINTS, _MOST_REVISION = 1_000_000_000, 1 << 53  # room for a game to go on within what the fields hold


def resume(message: q_pb2.State, settings: Settings) -> Shown:
    """Return the state that a game is to go on from. Raises ValueError, with what it breaks, if no game can."""
    if problem := next(chain(_tile_problems(message), _problems(message)), None):
        raise ValueError(problem)
    board, players = read_board(message), message.players
    if not message.fit_rule:
        board = Board(board.tiles, settings.fit_rule == "qwirkle")
    out = sorted((player.elimination_number, seat) for seat, player in enumerate(players) if player.elimination_number)
    hands = tuple(tuple(read_tiles(player.hand[:])) for player in players)
    undelivered = [(seat, each.undelivered_count) for seat, each in enumerate(players) if _has_delivery(each)]
    state = State(
        settings,
        board,
        tuple(read_tiles(message.pile[:])),
        hands,
        tuple(player.score for player in players),
        tuple(seat for _, seat in out),
        message.turn if message.HasField("turn") else None,
        message.placed_in_round,
        next((Delivery(seat, hands[seat][:count]) for seat, count in undelivered), None),
        message.finisher if message.HasField("finisher") else None,
        message.top_score if message.HasField("top_score") else None,
        tuple(read_tiles(message.lost[:])),
        message.revision,
    )
    if problem := invariant(state):
        raise ValueError(problem)
    return Shown(state, _read_turn(message))


def _has_delivery(player: q_pb2.Player) -> bool:
    return player.HasField("undelivered_count")


def _read_turn(message: q_pb2.State) -> Turn | None:
    """Return the last turn of a state message, if it has one that can be read."""
    turn = message.last_turn
    try:
        return Turn(turn.seat, read_action(turn.action), turn.points) if message.HasField("last_turn") else None
    except MalformedReplyError:
        return None


def _tile_problems(message: q_pb2.State) -> Iterator[str]:
    """Yield what is wrong with the numbers of tiles in a message, and with their places on the map."""
    counts = len(message.rows), len(message.columns), len(message.tiles)
    if len(set(counts)) > 1:
        entries = "{}, {} and {}".format(*counts)
        yield f"rows, columns and tiles have {entries} entries: they must have one each for every tile."
    if len(set(zip(message.rows[:], message.columns[:], strict=True))) < len(message.rows):
        yield "Two tiles of the map have the same coordinate."
    if message.fit_rule not in q_pb2.FitRule.values():
        yield f"fit_rule has the unknown value {message.fit_rule}."
    hands = {f"players[{seat}].hand": player.hand for seat, player in enumerate(message.players)}
    for name, listed in {"tiles": message.tiles, "pile": message.pile, "lost": message.lost, **hands}.items():
        numbers = listed[:]
        if numbers and not 1 <= min(numbers) <= max(numbers) <= KINDS:
            index, number = next((at, each) for at, each in enumerate(numbers) if not 1 <= each <= KINDS)
            yield f"{name}[{index}] is {number}: a tile has a number between 1 and {KINDS}."


def _problems(message: q_pb2.State) -> Iterator[str]:
    """Yield what else is wrong with a message, before it is known whether a game can lead to its state."""
    players = message.players
    for index, player in enumerate(players):
        if player.seat != index:
            yield f"players[{index}] has the seat {player.seat}: a full state lists all seats in order, from 0."
        if player.undelivered_count > len(player.hand):
            yield f"players[{index}] has {len(player.hand)} tiles, fewer than its undelivered_count."
    out = sorted(player.elimination_number for player in players if player.elimination_number)
    if out != list(range(1, len(out) + 1)):
        yield "The elimination_numbers of the eliminated players must be 1, 2 and so on."
    if sum(map(_has_delivery, players)) > 1:
        yield "At most one player can have an undelivered_count."
    points = max([message.top_score, *(player.score for player in players)])
    if points > _MOST_POINTS:
        yield f"A score is {points}: a game goes on from scores of at most {_MOST_POINTS}."
    if message.revision > _MOST_REVISION:
        yield f"revision is {message.revision}: a game goes on from one of at most {_MOST_REVISION}."
    if message.pile_left and message.pile_left != len(message.pile):
        count, listed_count = message.pile_left, len(message.pile)
        yield f"pile_left is {count}, but pile lists {listed_count} tiles: a game goes on from full states only."
    over = message.HasField("top_score") or all(player.elimination_number for player in players)
    if not over and not message.HasField("turn"):
        yield "turn is not set: it must name the seat to move, unless the game is over and has a top_score."
