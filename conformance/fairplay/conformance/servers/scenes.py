"""Games to be played on a server, what their players do, and what a server that keeps the contract makes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from math import inf
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.conformance.case import SuiteError
from fairplay.conformance.games.trial import CallLimits
from fairplay.games.conformance import Mutation
from fairplay.games.envelopes import wrap
from fairplay.games.evidence import add_evidence
from fairplay.games.game import Game, find
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, CallKind, Eliminate, Failure, Method, Show
from fairplay.games.transcript import Transcript, game_result, game_rng
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import call_error, disconnected, too_large
from fairplay.v1.game_pb2 import GameSettings, GameState, TimeControl
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, Overrun
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult


class Manner(Enum):
    """The ways to answer a call."""

    REPLY = "reply"
    FAIL = "fail"
    HANG = "hang"
    VANISH = "vanish"


@dataclass(frozen=True, slots=True)
class Act:
    """What a player does with one call."""

    manner: Manner
    data: bytes = b""
    """The reply."""
    code: int = 0
    """The gRPC status of a failure."""
    message: str = ""
    wait_s: float = 0.0
    """How long the player takes. A reply that is `late` is sent after the limit of the call."""
    late: bool = False
    again: bytes | None = None
    """A second reply to the same call, right behind the first."""
    gate: asyncio.Event | None = None
    """The player answers when it is set; None: at once."""
    beyond: int | None = None
    """By how many bytes the reply is larger than the server says that it accepts; None: it is as large as it is."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The metadata of a reply on a stream."""

    @property
    def outcome(self) -> bytes | Failure:
        """Return the outcome of the call for a referee that keeps the contract."""
        match self.manner:
            case Manner.FAIL:
                return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, self.message, code=self.code)
            case Manner.VANISH:
                return disconnected("the player has left")
        if self.manner is Manner.HANG or self.late:
            return Overrun()
        return too_large(len(self.data)) if self.beyond else self.data


class Asked(NamedTuple):
    """A call to a scripted player, as a script sees it."""

    seat: int
    method: str
    """The last part of the method's name, e.g. "TakeTurn"."""
    number: int
    """How often the seat has been called with this method in this game, this call included."""
    request: Any
    sound: bytes
    """The reply of a reference player."""


Script: TypeAlias = Callable[[Asked], Act | None]
"""What a player does with a call; None: it answers as a reference player."""


def sound_script(asked: Asked) -> None:
    """Answer every call as a reference player."""


def at(seat: int, method: str, act: Callable[[Asked], Act], number: int = 1) -> Script:
    """Return the script that does something else in one call, the `number`-th of this method to this seat."""

    def script(asked: Asked) -> Act | None:
        return act(asked) if (asked.seat, asked.method, asked.number) == (seat, method, number) else None

    return script


def any_of(*scripts: Script) -> Script:
    """Return the script that does what the first of these says that says something."""
    return lambda asked: next((act for script in scripts if (act := script(asked)) is not None), None)


def reply(data: bytes) -> Callable[[Asked], Act]:
    """Return what answers a call with these bytes."""
    return lambda _: Act(Manner.REPLY, data)


def fail(code: int, message: str) -> Callable[[Asked], Act]:
    """Return what answers a call with an error status."""
    return lambda _: Act(Manner.FAIL, code=code, message=message)


FAILED = fail(2, "scripted failure")
NOBODY = "grpc://127.0.0.1:9"
"""The link of a player that is not there: nobody calls it before there is a game."""


def fail_slowly(_: Asked) -> Act:
    """Answer a call with an error status, after those that answer at once."""
    return Act(Manner.FAIL, code=13, message="scripted failure", wait_s=HESITATION_S)


def oversize(_: Asked) -> Act:
    """Answer with more bytes than the server accepts."""
    return Act(Manner.REPLY, beyond=1)


def fill(asked: Asked) -> Act:
    """Answer as a reference player, with as many bytes as the server accepts."""
    return Act(Manner.REPLY, asked.sound, beyond=0)


def hang(_: Asked) -> Act:
    """Leave a call without an answer."""
    return Act(Manner.HANG)


def wait_for(gate: asyncio.Event) -> Callable[[Asked], Act]:
    """Return what answers soundly once a gate is open."""
    return lambda asked: Act(Manner.REPLY, asked.sound, gate=gate)


def vanish(_: Asked) -> Act:
    """End the connection instead of answering a call."""
    return Act(Manner.VANISH)


def slow(wait_s: float, *, late: bool = False) -> Callable[[Asked], Act]:
    """Return what answers soundly after some time."""
    return lambda asked: Act(Manner.REPLY, asked.sound, wait_s=wait_s, late=late)


def mutated(game: Game, mutation: Mutation, seat: int, seed: int = 1) -> Script:
    """Return the script of a seat that answers wrongly wherever it can, as a mutation says."""
    method = next(each for each in game.methods if each.name == mutation.method)

    def script(asked: Asked) -> Act | None:
        if asked.seat != seat or asked.method != mutation.method:
            return None
        wrong = mutation.mutate(asked.request, method.response.FromString(asked.sound), Random(seed))
        return None if wrong is None else Act(Manner.REPLY, _encoded(wrong))

    return script


def with_unknown_values(game: Game) -> Script:
    """Return the script in which every value of an enum in a turn is one that nobody knows."""

    def script(asked: Asked) -> Act | None:
        if asked.method != game.turn.name:
            return None
        reply_ = game.turn.response.FromString(asked.sound)
        _forget_values(reply_)
        changed = reply_.SerializeToString()
        return None if changed == asked.sound else Act(Manner.REPLY, changed)

    return script


def _forget_values(message: Message) -> None:
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for part in value if descriptor.is_repeated else [value]:
                _forget_values(part)
        elif descriptor.enum_type is not None and not descriptor.is_repeated:
            setattr(message, descriptor.name, UNKNOWN_VALUE)


def _encoded(wrong: Any) -> bytes:
    data: bytes = wrong if isinstance(wrong, bytes) else wrong.SerializeToString()
    return data


class Actor:
    """The player of a seat: a reference player, and a script."""

    def __init__(self, seat: int, script: Script, player: SoundPlayer) -> None:
        self._seat = seat
        self._script = script
        self._player = player
        self._counts: dict[tuple[str, str], int] = {}

    def act(self, method: Method, request: Message, game_id: str) -> Act:
        """Return what the player does with a call."""
        key = (game_id, method.name)
        number = self._counts[key] = self._counts.get(key, 0) + 1
        sound = self._player.reply(method, request)
        return self._script(Asked(self._seat, method.name, number, request, sound)) or Act(Manner.REPLY, sound)


class SoundPlayer:
    """A reference player, which keeps nothing between calls: it is asked once, whatever the game's id.

    So what is expected of a scene is worked out once, however often the scene is played.
    """

    def __init__(self, game: Game, strategy: str) -> None:
        self._game = game
        self._player = game.player(strategy)
        self._replies: dict[bytes, bytes] = {}

    def reply(self, method: Method, request: Message) -> bytes:
        """Return the reply to a request; an empty one to a method of another service than that of the game."""
        if method not in self._game.methods:
            return b""
        asked: Any = request
        if asked.game_id != ANY_ID:
            asked = _under(request, ANY_ID)
        data = method.path.encode() + asked.SerializeToString(deterministic=True)
        key = blake2b(data, digest_size=16).digest()
        if key not in self._replies:
            reply_ = reply_of(self._player, Call(0, method, asked, CallKind.DECISION))
            self._replies[key] = reply_.SerializeToString()
        return self._replies[key]


def _under(request: Message, game_id: str) -> Any:
    """Return a request as it is in a game with another id."""
    copied: Any = type(request)()
    copied.CopyFrom(request)
    copied.game_id = game_id
    return copied


ANY_ID = "draw"
"""The id of each game for its reference players: what they draw by chance follows from it, too."""
UNKNOWN_VALUE = 999
"""No enum has this value."""
UNKNOWN_FIELD = b"\xf8\x7c\x01"
"""The field 1999 with the number 1."""
GARBAGE = b"\xff\xff\xff\xff"
"""No message in protobuf's encoding."""
NAMES = ("anna", "bert", "cleo", "dora", "emil", "finn", "gina", "hans", "ines", "jens")
HESITATION_S = 0.1
"""What others answer at once comes before what takes so long."""
AMPLE_S = 5.0
"""A limit that scripted players keep on any machine."""


def control(
    decision_s: float = AMPLE_S, first_s: float = AMPLE_S, notification_s: float = AMPLE_S, *, bank_s: float = 0.0
) -> TimeControl:
    """Return a time control; with `bank_s` 0 it has no bank."""
    return TimeControl(
        decision_limit=span(decision_s),
        first_decision_limit=span(first_s),
        notification_limit=span(notification_s),
        bank=span(bank_s) if bank_s else None,
    )


def span(seconds: float) -> Duration:
    """Return seconds as google.protobuf.Duration."""
    duration = Duration()
    duration.FromNanoseconds(round(seconds * 1e9))
    return duration


PATIENT = control(6 * AMPLE_S, 6 * AMPLE_S, 6 * AMPLE_S)
"""Limits of games in which players wait for something."""


@dataclass(frozen=True)
class Scene:
    """A game from a given state, with what its players do."""

    game: Game
    settings: Message
    state: Message
    player_count: int
    script: Script = sound_script
    control: TimeControl = field(default_factory=control)
    strategies: Sequence[str] = ("first",)
    """The reference strategies of the seats; further seats begin with the first one again."""

    @cached_property
    def _players(self) -> Sequence[SoundPlayer]:
        return [SoundPlayer(self.game, strategy) for strategy in self.strategies]

    @property
    def names(self) -> Sequence[str]:
        """Return the names of the players, in turn order."""
        return NAMES[: self.player_count]

    def plan(self) -> GamePlan:
        """Return the plan of the game, without its players."""
        return GamePlan(
            game=self.game.name,
            settings=wrap(GameSettings, self.game, self.settings),
            seed=1,
            time_control=self.control,
            initial_state=wrap(GameState, self.game, self.state),
        )

    @cached_property
    def _playing(self) -> _Playing:
        return _Playing(self)

    @cached_property
    def expected(self) -> Expected:
        """Return what is expected of the game whose id is ANY_ID."""
        return self._playing.finish()

    def is_longer_than(self, call_count: int) -> bool:
        """Return whether a sound server makes more calls than so many, without playing on from there."""
        return self._playing.goes_beyond(call_count)

    def actors(self) -> list[Actor]:
        """Return new players for the seats."""
        players = self._players
        return [Actor(seat, self.script, players[seat % len(players)]) for seat in range(self.player_count)]


@dataclass(frozen=True)
class Expected:
    """What a server that keeps the contract makes of a scene."""

    game: Game
    calls: Sequence[Call]
    limits_s: Sequence[float]
    """The limit of each call."""
    steps: Sequence[int]
    """The number of the step that makes each call: calls of one step are made at once, in any order."""
    misconducts: Sequence[Misconduct]
    result: GameResult
    states: Sequence[Any]
    """The states of the rules, in order. Most are never looked at, so they are no messages yet."""
    told: Sequence[tuple[int, int]]
    """How many states were shown, and how many players eliminated, before each call."""

    def stopped(self, number: int, call_count: int) -> Expected:
        """Return what is expected of the game when it is stopped while the call of this number is open.

        It is the first of its step, of which so many calls in all have been made.
        """
        state_count, out_count = self.told[number - 1]
        misconducts = self.misconducts[:out_count]
        result = GameResult(misconducts=misconducts, aborted="stopped")
        end = number + self.steps[number:].count(self.steps[number - 1])
        calls = self.calls[: min(end, max(number, call_count))]
        return replace(self, calls=calls, misconducts=misconducts, result=result, states=self.states[:state_count])

    @cached_property
    def public_states(self) -> Sequence[Message]:
        """Return what spectators of the running game may see of the states."""
        return [self.game.public_state(state) for state in self.states]

    @cached_property
    def full_states(self) -> Sequence[Message]:
        """Return the states, hidden things included."""
        return [self.game.full_state(state) for state in self.states]


def small(name: str, player_count: int, seed: int = 1, **values: Any) -> Scene:
    """Return a scene of sound players from a drawn state. `values` are settings of the game."""
    game = find(name)
    settings = game.full_settings(game.settings_type(**values))
    # One that answers at once, always the same.
    strategy = "first" if "first" in game.strategies else next(iter(game.strategies))
    return Scene(game, settings, draw_state(game, settings, player_count, seed), player_count, strategies=(strategy,))


def draw_state(game: Game, settings: Message, player_count: int, seed: int) -> Message:
    """Return the first state of a fresh game. Raises ValueError if the settings do not fit the players."""
    conversation = game.play("draw", settings, NAMES[:player_count], game_rng(seed), None)
    try:
        shown = next(conversation)
        if not isinstance(shown, Show):
            raise SuiteError(f"a game of {game.name} does not show its first state")
        return game.full_state(shown.state)
    finally:
        conversation.close()


def is_banked(call: Call) -> bool:
    """Return whether a call may draw on the bank of its player."""
    return call.kind is not CallKind.NOTIFICATION and call.limit_s is None


def expect(scene: Scene, game_id: str) -> Expected:
    """Return what is expected of a scene in a game with an id. Raises SuiteError if no such game can be played.

    What was worked out when the scene was drawn is not worked out again: the id is nothing but what requests name. It
    is kept until then, as hardly any scene is played twice.
    """
    found: Expected = scene.expected
    for kept in ("expected", "_playing"):
        del vars(scene)[kept]
    calls = [
        Call(each.seat, each.method, _under(each.request, game_id), each.kind, each.limit_s) for each in found.calls
    ]
    misconducts = [_misconduct_under(each, calls[each.call_number - 1]) for each in found.misconducts]
    result = GameResult(ranking=found.result.ranking, misconducts=misconducts)
    return replace(found, calls=calls, misconducts=misconducts, result=result)


def _misconduct_under(misconduct: Misconduct, call: Call) -> Misconduct:
    """Return a misconduct with the request of a call as its evidence."""
    copied = Misconduct()
    copied.CopyFrom(misconduct)
    copied.ClearField("request")
    add_evidence(copied, call.request, None, call.method.response)
    return copied


class _Playing:
    """A scene, as far as it has been played by the game's own conversation.

    In that nobody draws on its bank but in a call that it overruns.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        try:
            conversation = scene.game.play(ANY_ID, scene.settings, scene.names, game_rng(1), scene.state)
        except ValueError as error:
            raise SuiteError(f"the game {scene.game.name} cannot be played: {error}") from error
        self._actors = scene.actors()
        self._calls = list[Call]()
        self._step_numbers = list[int]()
        self._step_count = 0
        self._states = list[Any]()
        self._told = list[tuple[int, int]]()
        self._transcript = Transcript(scene.names)
        self._machine = GameMachine(conversation)
        self._steps = self._machine.play(self._answer)

    def _answer(self, call: Call) -> Any:
        self._calls.append(call)
        self._step_numbers.append(self._step_count)
        self._told.append((len(self._states), len(self._transcript.misconducts)))
        outcome = self._actors[call.seat].act(call.method, call.request, ANY_ID).outcome
        return self._transcript.parse_outcome(self._transcript.ask(call), outcome)

    def goes_beyond(self, call_count: float) -> bool:
        """Play on until there are more calls than so many, and return whether there are."""
        if len(self._calls) <= call_count:
            for step in self._steps:
                self._step_count += 1
                if isinstance(step, Show):
                    self._states.append(step.state)
                elif isinstance(step, Eliminate):
                    self._transcript.record_misconduct(step)
                if len(self._calls) > call_count:
                    break
        return len(self._calls) > call_count

    def finish(self) -> Expected:
        """Play to the end, and return what is expected."""
        self.goes_beyond(inf)
        scene, calls, misconducts = self._scene, self._calls, self._transcript.misconducts
        assert self._machine.outcome is not None
        limits = CallLimits.of(scene.control)
        for misconduct in misconducts:
            if misconduct.HasField("overrun"):
                overrun = calls[misconduct.call_number - 1]
                bank_s = scene.control.bank.ToNanoseconds() / 1e9 if is_banked(overrun) else 0.0
                misconduct.overrun.limit.CopyFrom(span(limits.limit_s(overrun) + bank_s))
        return Expected(
            scene.game,
            calls,
            [limits.limit_s(call) for call in calls],
            self._step_numbers,
            misconducts,
            game_result(self._machine.outcome, scene.names, misconducts),
            self._states,
            self._told,
        )
