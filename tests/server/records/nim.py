"""A small game to record: players say a colour all at once, then take from a heap in turn; who takes the last one wins.

With it the shortest driver there can be, which records as the referee does, and players made of a table of faults.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import BoolValue, Int64Value, StringValue

from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, Start
from fairplay.games.kit.judging import build_rule_break
from fairplay.games.machine import GameMachine
from fairplay.games.steps import (
    Call,
    CallAll,
    CallKind,
    Conversation,
    Eliminate,
    Failure,
    Outcome,
    Show,
    Step,
    build_methods,
)
from fairplay.games.transcript import Answer, game_result, game_rng
from fairplay.server.records.chain import chained
from fairplay.server.records.replay import resume
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun
from fairplay.v1.record_pb2 import GameHeader, Record, RecordedResult, RecordEntry, Resumed
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import SignUpPolicy

RULES = {"nim.take": "A player takes 1 to 3, and no more than there are."}
METHODS = build_methods(
    "nim.Player",
    {"Colour": (StringValue, StringValue), "Take": (Int64Value, Int64Value), "Over": (BoolValue, Empty)},
)


class State(NamedTuple):
    heap: int
    alive: tuple[bool, ...]


def build_nim(fails_at: int = 0, state_seats: int = 2) -> Game:
    """Return the game. `fails_at`: the heap at which the rules themselves fail; 0: never.

    `state_seats`: the number of players of any state from outside.
    """

    def converse(start: Start) -> Conversation:
        if len(start.names) not in range(2, 5):
            raise ValueError(f"nim is played by 2 to 4 players, not by {len(start.names)}")
        return play(start.game_id, State(start.state, (True,) * len(start.names)), fails_at)

    return Game(
        name="nim",
        title="Nim",
        service="nim.Player",
        methods=tuple(METHODS.values()),
        turn=METHODS["Take"],
        seats=range(2, 5),
        rules=RULES,
        strategies={},
        settings=(),
        settings_type=Int64Value,
        state_type=Int64Value,
        time_control=TimeControl(decision_limit=Duration(seconds=1)),
        sign_up=SignUpPolicy(),
        tournament_settings=Int64Value(),
        read_settings=lambda message: message,
        build_settings=_full_settings,
        begin=lambda settings, seat_count, rng: settings.value + rng.randrange(8),
        resume=lambda message, settings, rng: message.value,
        count_seats=lambda heap: state_seats,
        converse=converse,
        full_state=lambda state: Int64Value(value=state.heap),
        public_state=lambda state: Int64Value(value=state.heap),
        player=_no_player,
        svg=lambda message, names: f"<svg>{message}</svg>",
        text=lambda message, names: str(message),
    )


def _full_settings(settings: Int64Value) -> Int64Value:
    if settings.value < 0:
        raise ValueError(f"the heap is {settings.value}; it must be 1 or more")
    return Int64Value(value=settings.value or 12)


def _no_player(strategy: str) -> object:
    raise ValueError(f"there is no strategy {strategy!r}")


def play(game_id: str, state: State, fails_at: int) -> Conversation:
    yield Show(state)
    yield CallAll([])
    calls = [Call(seat, METHODS["Colour"], StringValue(value=game_id), CallKind.DECISION) for seat in living(state)]
    answers: Mapping[int, Answer] = yield CallAll(calls)
    for seat, answer in answers.items():
        if not isinstance(answer, StringValue):
            state = yield from out(state, seat, answer)
    winner: int | None = None
    seat = 0
    while state.heap and any(state.alive):
        if state.heap <= fails_at:
            raise RuntimeError("the rules of nim are wrong")
        if state.alive[seat]:
            before = state
            state = yield from turn(state, seat)
            winner = seat if state.heap < before.heap else winner
        seat = (seat + 1) % len(state.alive)
    for seat in living(state):
        answer = yield Call(seat, METHODS["Over"], BoolValue(value=seat == winner), CallKind.NOTIFICATION)
        if not isinstance(answer, Empty):
            state = yield from out(state, seat, answer)
    groups = [[(seat, int(seat == winner))] for seat in living(state)]
    return Outcome(sorted(groups, key=lambda group: -group[0][1]))


Part: TypeAlias = Generator[Step, Any, State]


def turn(state: State, seat: int) -> Part:
    answer: Answer = yield Call(seat, METHODS["Take"], Int64Value(value=state.heap), CallKind.DECISION)
    if not isinstance(answer, Int64Value):
        return (yield from out(state, seat, answer))
    if not 1 <= answer.value <= min(3, state.heap):
        legal = [Int64Value(value=number) for number in range(1, min(3, state.heap) + 1)]
        return (yield from out(state, seat, build_rule_break(RULES, "nim.take", str(answer.value), legal)))
    state = state._replace(heap=state.heap - answer.value)
    yield Show(state)
    return state


def out(state: State, seat: int, cause: Any) -> Part:
    yield Eliminate(seat, cause)
    state = state._replace(alive=(*state.alive[:seat], False, *state.alive[seat + 1 :]))
    yield Show(state)
    return state


def living(state: State) -> list[int]:
    return [seat for seat, alive in enumerate(state.alive) if alive]


NIM = build_nim()


def find(name: str, nim: Game = NIM) -> Game:
    if name != NIM.name:
        raise ValueError(f"there is no game {name!r}; the games are nim")
    return nim


# --- a driver that records ---

Reply: TypeAlias = bytes | Failure
Players: TypeAlias = Callable[[Call], Reply]

FAULTY_AT = [*range(1, 80), *range(100, 104)]
FAULTS: Mapping[str, Reply] = {
    "illegal": Int64Value(value=9).SerializeToString(),
    "nothing": b"",
    "garbage": b"\xff\xff\xff",
    "exception": CallError(reason=CallErrorReason.CALL_ERROR_REASON_STATUS, status_code=2, message="oh no"),
    "overrun": Overrun(limit=Duration(seconds=1), elapsed=Duration(seconds=1, nanos=7)),
}


def players(faults: Mapping[int, str]) -> Players:
    """Return players who take what is best, but fail at times: heap + 20 * seat, and 100 + seat in the other calls."""

    def answer(call: Call) -> Reply:
        heap = call.request.value if isinstance(call.request, Int64Value) else 0
        known = heap + 20 * call.seat if heap else 100 + call.seat
        if known in faults:
            return FAULTS[faults[known]]
        if heap:
            return Int64Value(value=heap % 4 or 1).SerializeToString()
        return StringValue(value="red").SerializeToString() if call.method is METHODS["Colour"] else b""

    return answer


def header(seat_count: int = 3, *, seed: int = 5, heap: int = 12, game_id: str = "g1", state: int = 0) -> RecordEntry:
    plan = GamePlan(
        game="nim",
        settings=wrap(GameSettings, NIM, Int64Value(value=heap)),
        players=[Player(name=name, link="bot:best") for name in ("ann", "bob", "cy", "dee", "eve")[:seat_count]],
        seed=seed,
    )
    if state:
        plan.initial_state.CopyFrom(wrap(GameState, NIM, Int64Value(value=state)))
    return RecordEntry(game=GameHeader(game_id=game_id, plan=plan))


def recorded(header: RecordEntry, answer: Players, nim: Game = NIM) -> Record:
    """Return the record of a whole game."""
    entries = [header.SerializeToString()]
    plan = header.game.plan
    settings = nim.full_settings(unpacked(plan.settings))
    state = unpacked(plan.initial_state) if plan.HasField("initial_state") else None
    names = [player.name for player in plan.players]
    conversation = nim.play(header.game.game_id, settings, names, game_rng(plan.seed), state)
    drive(GameMachine(conversation, names, entries.append), answer, entries, names)
    return chained(entries)


def unpacked(envelope: GameSettings | GameState) -> Int64Value:
    message = Int64Value()
    envelope.other.Unpack(message)
    return message


def gone_on(record: Record, answer: Players) -> Record:
    """Return the record of a game that is resumed and played to its end."""
    entries = [linked.entry for linked in record.entries]
    entries.append(RecordEntry(resumed=Resumed(server_version="2")).SerializeToString())
    replayer = resume(record, entries.append, find)
    names = [player.name for player in replayer.header.plan.players]
    replayer.machine.replayed = False
    drive(replayer.machine, answer, entries, names)
    return chained(entries)


def drive(machine: GameMachine, answer: Players, entries: list[bytes], names: Sequence[str]) -> None:
    """Drive a game from where it stands to its end, as the referee does, and append its result.

    Of calls that are made at once, those of later seats are answered first.
    """
    misconducts = machine.transcript.misconducts
    try:
        if machine.step is None and machine.outcome is None:
            machine.begin()
        machine.go_on()
        while machine.step is not None:
            elapsed_s = 0.25 if isinstance(machine.step, Call) else 1.5
            for asked in reversed(machine.open(0.0).send):
                machine.record_outcome(asked.call.seat, answer(asked.call), elapsed_s, 0.0)
            machine.tick(0.0)
    except RuntimeError:
        result = GameResult(misconducts=misconducts, aborted="the referee failed")
    if machine.outcome is not None:
        result = game_result(machine.outcome, names, misconducts)
    entries.append(RecordEntry(result=RecordedResult(result=result)).SerializeToString())
