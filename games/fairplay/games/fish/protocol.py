"""Fish between rules and messages: settings, states, actions, and the calls in their order (fish.md, 3 to 6, 8 and 9).

PlayAs to all, PlayWith to all; Setup once for every penguin, in rounds; TakeTurn until nobody can move.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import cache, lru_cache, partial
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1 import fish_player_pb2 as pb
from fairplay.games.fish import rules
from fairplay.games.fish.rules.board import Action, Move, Place, board_of, board_of_rows
from fairplay.games.game import Start
from fairplay.games.kit import messages
from fairplay.games.kit.judging import CAUSES, MalformedReplyError, judge_reply, notify
from fairplay.games.kit.wire import Heads, write_field, write_number, write_numbers
from fairplay.games.steps import Call, CallKind, Conversation, Eliminate, Show, Step, methods_of, rank

METHODS = methods_of(pb.DESCRIPTOR.services_by_name["FishPlayerService"])
PLAY_AS, PLAY_WITH, SETUP, TAKE_TURN = METHODS.values()
STATE = write_field(pb.TakeTurnRequest, "state")
"""The field of the state, in both methods that have one."""

Colors: TypeAlias = Sequence[fish_pb2.Color.ValueType]

# Settings


@messages.remember_settings
def read_settings(message: fish_pb2.Settings) -> rules.Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    others = {}
    if message.HasField("board"):
        columns, fish = message.board.columns, tuple(message.board.fish)
        if columns == 0 or not fish or len(fish) % columns:
            raise ValueError(f"board has {len(fish)} tiles in rows of {columns}: it must have whole rows.")
        others["board"] = tuple(fish[start : start + columns] for start in range(0, len(fish), columns))
    return messages.read_settings(message, rules.Settings, rules.settings_problem, **others)


def build_settings(settings: rules.Settings) -> fish_pb2.Settings:
    """Return the message of settings, every field set."""
    message = messages.fill(fish_pb2.Settings(), settings)
    if settings.board is not None:
        board = board_of_rows(settings.board)
        message.board.CopyFrom(fish_pb2.Board(columns=board.columns, fish=board.fish))
    return message


# States


class Shown(NamedTuple):
    """A state as it is shown: the colour of each seat, and the move that led to it, if a move did."""

    state: rules.State
    colors: Colors
    last: Move | None = None


@cache
def colors(seat_count: int) -> tuple[fish_pb2.Color.ValueType, ...]:
    """Return the colours of the seats of a fresh game."""
    return tuple(map(color_of, rules.COLORS[:seat_count]))


def color_of(name: str) -> fish_pb2.Color.ValueType:
    """Return the colour of a name, e.g. "red"."""
    return fish_pb2.Color.Value(f"COLOR_{name.upper()}")


def build_state(shown: Shown) -> fish_pb2.State:
    """Return the message of a state, the seat whose turn it is first."""
    message = fish_pb2.State.FromString(state_data(shown.state, shown.colors))
    if shown.last is not None:
        message.last_action.CopyFrom(build_action(shown.last))
    return message


_REVISION = write_number(fish_pb2.State, "revision")
_COLUMNS = write_number(fish_pb2.State, "columns")
_FISH = write_numbers(fish_pb2.State, "fish")
_PLAYER = write_field(fish_pb2.State, "players")
_PENGUIN_COUNT = write_number(fish_pb2.State, "penguin_count")


def state_data(state: rules.State, colors: Colors) -> bytes:
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


def read_view(message: fish_pb2.State) -> rules.State:
    """Return the state that a player is given; seat 0 is the player itself. Raises ValueError if it makes no state."""
    players = message.players
    return rules.state_of(
        board_of(message.columns, message.fish),
        [player.places for player in players],
        penguins=message.penguin_count,
        scores=[player.score for player in players],
        revision=message.revision,
    )


def resume(message: fish_pb2.State, settings: rules.Settings, rng: Random) -> Shown:
    """Return the state that a game is to go on from, its players as seats in order.

    Raises ValueError, with the invariant that it breaks, if no game has such a state.
    """
    own_colors = [player.color for player in message.players]
    if len(set(own_colors)) < len(own_colors) or not set(own_colors) <= set(colors(rules.MAX_SEATS)):
        raise ValueError("Each player must have a colour of its own.")
    state = read_view(message)._replace(lone_survivor=settings.lone_survivor)
    if problem := rules.invariant(state):
        raise ValueError(problem)
    return Shown(state, own_colors, _read_last(message))


def read_shown(message: fish_pb2.State) -> Shown:
    """Return a state message as it is shown, its players as seats in order; if nobody is left, one empty seat."""
    if not message.players:
        board = board_of(message.columns, message.fish)
        nobody = rules.state_of(board, [()], alive=[False], penguins=message.penguin_count)
        return Shown(nobody, [fish_pb2.Color.COLOR_UNSPECIFIED])
    return Shown(read_view(message), [player.color for player in message.players], _read_last(message))


def _read_last(message: fish_pb2.State) -> Move | None:
    last = message.last_action
    return Move(last.source, last.target) if message.HasField("last_action") else None


# Actions


def build_action(move: Move | None) -> fish_pb2.Action:
    """Return the message of a move, or of the skip of a stuck player."""
    if move is None:
        return fish_pb2.Action(skip=True)
    return fish_pb2.Action(source=move.source, target=move.target)


def read_place(reply: pb.SetupResponse) -> Place:
    """Return the answer to Setup. Raises MalformedReplyError if it has no place."""
    if not reply.HasField("place"):
        raise MalformedReplyError("fish.place.required", "no place")
    return Place(reply.place)


def read_move(reply: pb.TakeTurnResponse) -> Move | None:
    """Return the answer to TakeTurn; None is a skip, also one that names a move.

    Raises MalformedReplyError if it has no complete action.
    """
    action = reply.action
    if action.skip:
        return None
    if action.HasField("source") and action.HasField("target"):
        return Move(action.source, action.target)
    raise MalformedReplyError("fish.action.required", "no complete action")


def legal_replies(state: rules.State) -> Iterator[Message]:
    """Yield the replies that would be legal now."""
    for action in rules.legal(state):
        if isinstance(action, Place):
            yield pb.SetupResponse(place=action.cell)
        else:
            yield pb.TakeTurnResponse(action=build_action(action))


def describe_action(state: rules.State, action: Action | None) -> str:
    """Return an action in words, with rows and columns."""
    columns = state.board.columns
    if action is None:
        return "a skip"
    cells = " to ".join(f"[{cell // columns}, {cell % columns}]" for cell in action)
    return f"a move from {cells}" if isinstance(action, Move) else f"the place {cells}"


# Conversation


def play(start: Start) -> Conversation:
    """Play a game from a state; the number of penguins follows from the survivors only in a fresh one."""
    game_id, settings, (state, colors, last) = start.game_id, start.settings, start.state
    yield Show(start.state)
    state = yield from _announce(game_id, settings, state, colors)
    if start.fresh:
        state = rules.fix_penguins(state, settings)
    yield Show(Shown(state, colors, last))
    log, heads = _ActionLog(settings.action_list), Heads(pb.TakeTurnRequest, game_id)
    while (seat := rules.turn(state)) is not None:
        shown = heads[seat] + STATE(state_data(state, colors))
        is_setup = rules.placing(state)
        reply = yield Call(seat, SETUP, shown, CallKind.DECISION) if is_setup else log.ask(seat, shown)
        verdict = _judge(state, reply)
        if isinstance(verdict, CAUSES):
            yield Eliminate(seat, verdict)
            state, last = rules.eliminate(state, seat), None
            log.clear()
        else:
            before, state, last = state, rules.apply(state, verdict), None
            if isinstance(verdict, Move):
                last = verdict
                log.add(last, before, state)
        yield Show(Shown(state, colors, last))
    return rank(rules.ranking(state), state.scores)


def _judge(state: rules.State, reply: Any) -> Any:
    """Return the legal action of a reply, or the cause for which its player is eliminated."""
    return judge_reply(
        reply,
        rules.RULES,
        read_place if rules.placing(state) else read_move,
        partial(rules.violation, state),
        partial(describe_action, state),
        partial(legal_replies, state),
    )


def _announce(
    game_id: str, settings: rules.Settings, state: rules.State, colors: Colors
) -> Generator[Step, Any, rules.State]:
    """Tell everybody its colour and those of the others, in turn order; return the state without those that fail."""
    everyone = [seat for seat in range(len(colors)) if state.alive[seat]]
    calls = [(PLAY_AS, seat) for seat in everyone] + [(PLAY_WITH, seat) for seat in everyone]
    one_by_one = settings.announce_order == "per_player"
    if one_by_one:
        calls.sort(key=lambda call: call[1])
    for method, seat in calls:
        if not state.alive[seat]:
            continue
        if method is PLAY_AS:
            request: Message = pb.PlayAsRequest(game_id=game_id, seat=seat, color=colors[seat])
        else:
            others = [colors[each] for each in everyone if each != seat and (one_by_one or state.alive[each])]
            request = pb.PlayWithRequest(game_id=game_id, seat=seat, colors=others)
        if not (yield from notify(Call(seat, method, request, CallKind.NOTIFICATION))):
            state = rules.eliminate(state, seat)
    return state


class _ActionLog:
    """What the others have done since each player's last turn. Who has not had one is told nothing yet."""

    def __init__(self, kind: rules.ActionList) -> None:
        self._kind = kind
        self._untold: dict[int, list[fish_pb2.Action]] = {}

    def ask(self, seat: int, shown: bytes) -> Call:
        """Return the call for a player's turn, with what it has not been told."""
        untold, self._untold[seat] = self._untold.get(seat), []
        if untold is None:
            return Call(seat, TAKE_TURN, shown, CallKind.FIRST_DECISION)
        told = pb.TakeTurnRequest(actions=untold).SerializeToString()
        return Call(seat, TAKE_TURN, shown + told, CallKind.DECISION)

    def add(self, move: Move, before: rules.State, after: rules.State) -> None:
        """Add the move of the player whose turn it was, and the skips of those that were passed over after it."""
        done: list[tuple[int, Move | None]] = [] if self._kind == "none" else [(before.seat, move)]
        if self._kind == "moves_and_skips":
            done += [(passed, None) for passed in rules.skipped(before, after)]
        for actor, action in done:
            for seat, untold in self._untold.items():
                if seat != actor:
                    untold.append(build_action(action))

    def clear(self) -> None:
        """Forget all actions: after an elimination nobody is told what was before it."""
        for untold in self._untold.values():
            untold.clear()
