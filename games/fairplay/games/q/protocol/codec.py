"""The Q game: the messages of settings, states and actions, and their values in the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.messages import fill, read_settings, remember_settings
from fairplay.games.kit.wire import Heads, varint, write_field, write_number, zigzag
from fairplay.games.q import rules
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import SetupRequest, TakeTurnRequest, TakeTurnResponse

# Settings


@remember_settings
def settings(message: q_pb2.Settings) -> rules.Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    return read_settings(message, rules.Settings, rules.settings_problem)


def settings_message(settings: rules.Settings) -> q_pb2.Settings:
    """Return the message of settings, every field set."""
    return fill(q_pb2.Settings(), settings)


# Tiles. A tile's number in messages is its own and one, so bytes carry them: they translate in one step

_UP = bytes([*range(1, 256), 0])
_DOWN = bytes([255, *range(255)])


def numbers(tiles: Iterable[int]) -> Sequence[q_pb2.Tile.ValueType]:
    """Return the numbers of tiles in messages."""
    return bytes(tiles).translate(_UP)  # type: ignore[return-value]  # the values of the enum are ints


def tiles(numbers: Iterable[int]) -> bytes:
    """Return the tiles of numbers in messages, as a sequence. Raises ValueError if a byte cannot hold a number."""
    return bytes(numbers).translate(_DOWN)


# Maps


_ROWS, _COLUMNS, _TILES = (write_field(q_pb2.State, name) for name in ("rows", "columns", "tiles"))


class Laid:
    """The map of a game, serialised, which grows with it: no call writes anew what the call before it wrote."""

    def __init__(self, board: rules.Board) -> None:
        self._rows, self._columns, self._tiles = bytearray(), bytearray(), bytearray()
        self.fit_rule = _fit_rule(board)
        self.put(rules.Placement(*cell, tile) for cell, tile in board.tiles.items())

    def put(self, placements: Iterable[rules.Placement]) -> None:
        """Put tiles on the map."""
        for row, column, tile in placements:
            self._rows += varint(zigzag(row))
            self._columns += varint(zigzag(column))
            self._tiles.append(tile + 1)

    @property
    def data(self) -> bytes:
        """Return the three lists of a state that say which tile lies where."""
        return _ROWS(self._rows) + _COLUMNS(self._columns) + _TILES(self._tiles) if self._tiles else b""


def _fit_rule(board: rules.Board) -> q_pb2.FitRule.ValueType:
    return q_pb2.FIT_RULE_QWIRKLE if board.whole_lines else q_pb2.FIT_RULE_Q


def map_message(board: rules.Board) -> q_pb2.State:
    """Return the parts of a state that are its map, in the order in which the tiles were placed."""
    return q_pb2.State(
        rows=[row for row, _ in board.tiles],
        columns=[column for _, column in board.tiles],
        tiles=numbers(board.tiles.values()),
        fit_rule=_fit_rule(board),
    )


def board(message: q_pb2.State) -> rules.Board:
    """Return the map of a state. Raises ValueError if it makes none."""
    cells = zip(message.rows[:], message.columns[:], strict=True)
    laid = dict(zip(cells, tiles(message.tiles[:]), strict=True))
    return rules.Board(laid, message.fit_rule == q_pb2.FIT_RULE_QWIRKLE)


# What players see


_STATE = write_field(TakeTurnRequest, "state")
_REVISION = write_number(q_pb2.State, "revision")
_PLAYER = write_field(q_pb2.State, "players")
_PILE_LEFT = write_number(q_pb2.State, "pile_left")
_TURN = write_number(q_pb2.State, "turn")
_PLACED_IN_ROUND = write_number(q_pb2.State, "placed_in_round")
_FIT_RULE = write_number(q_pb2.State, "fit_rule")


def setup_request(heads: Heads, state: rules.State, seat: int, laid: Laid) -> bytes:
    """Return the request of Setup for a seat, serialised."""
    if state.settings.setup_argument == "map":
        seen = _REVISION(state.revision) + laid.data + _FIT_RULE(laid.fit_rule)
    else:
        seen = _seen(state, seat, laid)
    held: bytes = SetupRequest(tiles=numbers(state.hands[seat])).SerializeToString()
    return heads[seat] + _STATE(seen) + held


def turn_request(heads: Heads, state: rules.State, seat: int, laid: Laid) -> bytes:
    """Return the request of TakeTurn for a seat, serialised."""
    return heads[seat] + _STATE(_seen(state, seat, laid))


def _seen(state: rules.State, seat: int, laid: Laid) -> bytes:
    """Return the state for a player, serialised: the public part, and its own hand."""
    others = [other for other in (*range(seat + 1, len(state.hands)), *range(seat)) if other not in state.eliminated]
    me = q_pb2.Player(seat=seat, score=state.points[seat], hand=numbers(state.hands[seat]))
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


def view(message: q_pb2.State) -> rules.View:
    """Return the view that a player is given. Raises ValueError if it makes no view."""
    me, *others = message.players
    return rules.View(
        board(message),
        tuple(tiles(me.hand)),
        me.score,
        tuple(player.score for player in others),
        message.pile_left,
        message.revision,
    )


# States as the referee shows them


class Turn(NamedTuple):
    """A turn that was carried out, with the points it brought."""

    seat: int
    action: rules.Action
    points: int


class Shown(NamedTuple):
    """A state as it is shown, and the turn that led to it, if one did."""

    state: rules.State
    last: Turn | None = None


def public_message(shown: Shown) -> q_pb2.State:
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
        message.last_turn.CopyFrom(_turn_message(last))
    return message


def full_message(shown: Shown) -> q_pb2.State:
    """Return all of a state; `intake.initial_state` is its inverse."""
    state = shown.state
    message = public_message(shown)
    message.pile.extend(numbers(state.pile))
    message.lost.extend(numbers(state.lost))
    for player, hand in zip(message.players, state.hands, strict=True):
        player.hand.extend(numbers(hand))
    if state.delivery is not None:
        message.players[state.delivery.seat].undelivered_count = len(state.delivery.tiles)
    return message


def _turn_message(turn: Turn) -> q_pb2.Turn:
    return q_pb2.Turn(seat=turn.seat, action=action_message(turn.action), points=turn.points)


# Actions


def action_message(action: rules.Action) -> q_pb2.Action:
    """Return the message of an action."""
    if isinstance(action, rules.Extension):
        placements = [
            q_pb2.Placement(row=row, column=column, tile=tile + 1)  # type: ignore[arg-type]  # a value of the enum
            for row, column, tile in action.placements
        ]
        return q_pb2.Action(extension=q_pb2.Extension(placements=placements))
    if action is rules.PASS:
        return q_pb2.Action(pass_turn=q_pb2.Pass())
    return q_pb2.Action(replace=q_pb2.Replace())


def decided(reply: TakeTurnResponse) -> rules.Action:
    """Return the answer to TakeTurn. Raises MalformedReplyError if it is malformed."""
    return action(reply.action)


def action(message: q_pb2.Action) -> rules.Action:
    """Return the action of a message. Raises MalformedReplyError if it is malformed."""
    match message.WhichOneof("choice"):
        case "extension":
            return rules.Extension(tuple(map(_placement, message.extension.placements)))
        case "replace":
            return rules.REPLACE
        case "pass_turn":
            return rules.PASS
    raise MalformedReplyError("q.action.required", "none of them")


_TILES_OF_MESSAGES = frozenset(q_pb2.Tile.values())


def _placement(message: q_pb2.Placement) -> rules.Placement:
    if not (message.HasField("row") and message.HasField("column")):
        raise MalformedReplyError("q.coordinate.required", "a placement without row or column")
    if not message.tile:
        raise MalformedReplyError("q.tile.required", "a placement without a tile")
    if message.tile not in _TILES_OF_MESSAGES:
        raise MalformedReplyError("q.tile.known", f"a tile with the number {message.tile}")
    return rules.Placement(message.row, message.column, message.tile - 1)


def legal_replies(state: rules.State) -> list[TakeTurnResponse]:
    """Return replies that would be legal now: each placement of one tile, a replacement, a pass."""
    return [TakeTurnResponse(action=action_message(action)) for action in rules.legal(state)]


_MOST_DESCRIBED = 6


def described(action: rules.Action) -> str:
    """Return an action in words. Spectators of a running game may read them, so they name no tile."""
    if not isinstance(action, rules.Extension):
        return f"a {action.value}"
    cells = [f"[{row}, {column}]" for row, column, _ in action.placements]
    more = len(cells) - _MOST_DESCRIBED
    where = ", ".join(cells[:_MOST_DESCRIBED]) + (f" and {more} more" if more > 0 else "")
    return f"an extension onto {where}" if cells else "an extension without tiles"
