"""Fish: the messages of settings, states and actions, and their values in the rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from fairplay.fish.v1 import fish_pb2, fish_player_pb2
from fairplay.games.fish import rules
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.messages import fill, read_settings, remember_settings
from fairplay.games.kit.wire import write_field, write_number, write_numbers

# Settings


@remember_settings
def settings(message: fish_pb2.Settings) -> rules.Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    board = {"board": _rows(message.board)} if message.HasField("board") else {}
    return read_settings(message, rules.Settings, rules.settings_problem, **board)


def _rows(board: fish_pb2.Board) -> tuple[tuple[int, ...], ...]:
    columns = board.columns
    if columns == 0 or not board.fish or len(board.fish) % columns:
        raise ValueError(f"board has {len(board.fish)} tiles in rows of {columns}: it must have whole rows.")
    return tuple(tuple(board.fish[start : start + columns]) for start in range(0, len(board.fish), columns))


def settings_message(settings: rules.Settings) -> fish_pb2.Settings:
    """Return the message of settings, every field set."""
    message = fill(fish_pb2.Settings(), settings)
    if settings.board is not None:
        board = rules.board_of_rows(settings.board)
        message.board.CopyFrom(fish_pb2.Board(columns=board.columns, fish=board.fish))
    return message


# States


class Shown(NamedTuple):
    """A state as it is shown: the colour of each seat, and the move that led to it, if a move did."""

    state: rules.State
    colors: Sequence[fish_pb2.Color.ValueType]
    last: rules.Move | None = None


def colors(seat_count: int) -> tuple[fish_pb2.Color.ValueType, ...]:
    """Return the colours of the seats of a fresh game."""
    return tuple(map(color_of, rules.COLORS[:seat_count]))


def color_of(name: str) -> fish_pb2.Color.ValueType:
    """Return the colour of a name, e.g. "red"."""
    return fish_pb2.Color.Value(f"COLOR_{name.upper()}")


def state_message(
    state: rules.State, colors: Sequence[fish_pb2.Color.ValueType], last: rules.Move | None = None
) -> fish_pb2.State:
    """Return the message of a state, the seat whose turn it is first."""
    message = fish_pb2.State.FromString(state_data(state, colors))
    if last is not None:
        message.last_action.CopyFrom(action_message(last))
    return message


_REVISION = write_number(fish_pb2.State, "revision")
_COLUMNS = write_number(fish_pb2.State, "columns")
_FISH = write_numbers(fish_pb2.State, "fish")
_PLAYER = write_field(fish_pb2.State, "players")
_PENGUIN_COUNT = write_number(fish_pb2.State, "penguin_count")


def state_data(state: rules.State, colors: Sequence[fish_pb2.Color.ValueType]) -> bytes:
    """Return the message of a state serialised: half the price of filling it in."""
    scores, places, alive = state.scores, state.places, state.alive
    seats = range(state.seat - len(places), state.seat)  # counting from the end: the same seats, in turn order
    players = [_player_data(colors[seat], scores[seat], places[seat]) for seat in seats if alive[seat]]
    return b"".join(
        (
            _REVISION(state.revision),
            _COLUMNS(state.board.geometry.columns),
            _FISH(rules.tiles(state)),
            *players,
            _PENGUIN_COUNT(state.penguins),
        )
    )


@lru_cache(maxsize=10_000)
def _player_data(color: fish_pb2.Color.ValueType, score: int, places: tuple[int, ...]) -> bytes:
    """Return a player of a state: with each move one of them changes."""
    return _PLAYER(fish_pb2.Player(color=color, score=score, places=places).SerializeToString())


def view(message: fish_pb2.State) -> rules.State:
    """Return the state that a player is given; seat 0 is the player itself. Raises ValueError if it makes no state."""
    players = message.players
    return rules.state_of(
        rules.board_of(message.columns, message.fish),
        [player.places for player in players],
        penguins=message.penguin_count,
        scores=[player.score for player in players],
        revision=message.revision,
    )


def initial_state(message: fish_pb2.State, settings: rules.Settings) -> Shown:
    """Return the state that a game is to go on from, its players as seats in order.

    Raises ValueError, with the invariant that it breaks, if no game has such a state.
    """
    own_colors = [player.color for player in message.players]
    if len(set(own_colors)) < len(own_colors) or not set(own_colors) <= set(colors(rules.MAX_SEATS)):
        raise ValueError("Each player must have a colour of its own.")
    state = view(message)._replace(lone_survivor=settings.lone_survivor)
    if problem := rules.invariant(state):
        raise ValueError(problem)
    return Shown(state, own_colors, move(message.last_action) if message.HasField("last_action") else None)


def shown(message: fish_pb2.State) -> Shown:
    """Return a state message as it is shown, its players as seats in order; if nobody is left, one empty seat."""
    if not message.players:
        board = rules.board_of(message.columns, message.fish)
        nobody = rules.state_of(board, [()], alive=[False], penguins=message.penguin_count)
        return Shown(nobody, [fish_pb2.Color.COLOR_UNSPECIFIED])
    last = move(message.last_action) if message.HasField("last_action") else None
    return Shown(view(message), [player.color for player in message.players], last)


# Actions


def action_message(move: rules.Move | None) -> fish_pb2.Action:
    """Return the message of a move, or of the skip of a stuck player."""
    if move is None:
        return fish_pb2.Action(skip=True)
    return fish_pb2.Action(source=move.source, target=move.target)


def move(message: fish_pb2.Action) -> rules.Move:
    """Return the move of a message that has one."""
    return rules.Move(message.source, message.target)


def placed(reply: fish_player_pb2.SetupResponse) -> rules.Place:
    """Return the answer to Setup. Raises MalformedReplyError if it has no place."""
    if not reply.HasField("place"):
        raise MalformedReplyError("fish.place.required", "no place")
    return rules.Place(reply.place)


def moved(reply: fish_player_pb2.TakeTurnResponse) -> rules.Move | None:
    """Return the answer to TakeTurn; None is a skip, also one that names a move.

    Raises MalformedReplyError if it has no complete action.
    """
    action = reply.action
    if action.skip:
        return None
    if action.HasField("source") and action.HasField("target"):
        return rules.Move(action.source, action.target)
    raise MalformedReplyError("fish.action.required", "no complete action")


def legal_replies(
    state: rules.State,
) -> list[fish_player_pb2.SetupResponse] | list[fish_player_pb2.TakeTurnResponse]:
    """Return the replies that would be legal now."""
    actions = rules.legal(state)
    if rules.placing(state):
        return [
            fish_player_pb2.SetupResponse(place=action.cell) for action in actions if isinstance(action, rules.Place)
        ]
    return [
        fish_player_pb2.TakeTurnResponse(action=action_message(action))
        for action in actions
        if isinstance(action, rules.Move)
    ]


def described(state: rules.State, action: rules.Action | None) -> str:
    """Return an action in words, with rows and columns."""
    columns = state.board.columns
    if action is None:
        return "a skip"
    cells = " to ".join(f"[{cell // columns}, {cell % columns}]" for cell in action)
    return f"a move from {cells}" if isinstance(action, rules.Move) else f"the place {cells}"
