"""A reference player with one mutation, and what it remembers of its calls to decide where the mutation shows."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.player.objects import Gone
from fairplay.games.game import Game
from fairplay.games.kit.player_service import PLAYER_METHODS, START
from fairplay.games.steps import Method
from fairplay.player.handlers import describe, snake_case
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse

WAIT_S = 3_600.0
"""The seconds for which a player hangs if nobody releases it."""

TOLD_S: ContextVar[float] = ContextVar("TOLD_S", default=math.inf)
"""The limit of the call that is answered, in seconds, as a program is told of it."""


@dataclass(slots=True)
class GameMemory:
    """What a player remembers of one game, or of its calls without a game."""

    number: int
    """The number among the games that it was called in, from 1; 0: calls without a game."""
    first_tick: int
    last_tick: int
    """The ticks of its first and its last call in this game. Each call to the player is one tick."""
    decision_count: int = 0
    call_counts: Counter[str] = field(default_factory=Counter)
    answers: dict[tuple[str, int], Any] = field(default_factory=dict)
    """(name of a method, number of the call) -> the answer of the sound player."""
    last_request: bytes = b""
    """The request of the last decision."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What triggers have noted, by names of their own."""


@dataclass(slots=True)
class Memory:
    """What a player remembers of all its games."""

    games: dict[str, GameMemory] = field(default_factory=dict)
    """By the ids of the games."""
    tick: int = 0
    repeated: bool = False
    """Whether the player was asked for the same decision twice."""
    tournament_id: str = ""
    """The tournament that was started last; empty if none was."""
    call_counts: Counter[str] = field(default_factory=Counter)
    """The calls of each method in all games."""
    notes: dict[str, float] = field(default_factory=dict)
    """What triggers have noted, by names of their own."""
    ballast: list[object] = field(default_factory=list)
    """What the player keeps and does not need."""


class ReceivedCall(NamedTuple):
    """A call to a mutant."""

    method: Method
    request: Any
    sound: Callable[[], Any]
    """Returns the answer of the sound player."""
    number: int
    """The number among the calls of this method in this game, from 1."""
    decision: int
    """The number among the decisions in this game, from 1; 0: the call asks for no decision."""
    other_game_count: int
    """How many other games the player was called in since the last call in this one."""
    game: GameMemory
    previous_game: GameMemory | None
    """The game that began before this one."""
    other_game: GameMemory | None
    """The other game in which the player was called last."""
    memory: Memory


class Occurrence(NamedTuple):
    """A call whose answer shows the mutation."""

    method: str
    """The full name of the method."""
    game_id: str


class Environment(NamedTuple):
    """What a mutant needs of the place where it runs."""

    decision_s: float
    first_decision_s: float
    """The time limits of decisions, which late answers just miss."""
    die: Callable[[], None]
    """Ends the player."""
    wait: Callable[[threading.Event, float], object]
    """Waits for so many seconds, or until the event is set."""


def in_this_process(limit_s: float) -> Environment:
    """Return the environment of a player behind an `ObjectLink`: each call has a thread, and dying raises Gone."""
    return Environment(limit_s, limit_s, _die, threading.Event.wait)


def _die() -> None:
    raise Gone


Trigger: TypeAlias = Callable[[ReceivedCall], bool]
"""Returns whether the mutation shows in the answer to a call."""
Act: TypeAlias = "Callable[[MutantPlayer, ReceivedCall], Any]"
"""Returns the wrong answer to a call, or None if the call leaves no room for the mutation."""


class MutantPlayer:
    """A player that answers like `sound`, but with one mutation.

    `occurrences` are the calls whose answers show the mutation. The first `after` calls that would are spared.
    Setting `released` ends all its waiting.
    """

    quick = False

    def __init__(
        self, game: Game, sound: Any, environment: Environment, trigger: Trigger, act: Act, rng: Random, after: int
    ) -> None:
        self.game = game.name
        self.name = getattr(sound, "name", game.name)
        self.version = "1"
        self.environment = environment
        self.rng = rng
        self.occurrences: list[Occurrence] = []
        self.released = threading.Event()
        self._trigger = trigger
        self._act = act
        self._spared = after
        self._memory = Memory()
        self._lock = threading.Lock()
        for method in (*PLAYER_METHODS.values(), *game.methods):
            name = snake_case(method.name)
            setattr(self, name, partial(self._answer, method, getattr(sound, name, self._default)))

    def without(self, *methods: str) -> MutantPlayer:
        """Remove methods, given by their Python names, and return the player."""
        for name in methods:
            delattr(self, name)
        return self

    def wait(self, seconds: float = WAIT_S) -> None:
        """Wait for some seconds, or until the player is released."""
        self.environment.wait(self.released, seconds)

    def _default(self, request: Message) -> Message | None:
        if isinstance(request, DescribeRequest):
            return DescribeResponse(description=describe(self))
        return None

    def _answer(self, method: Method, sound: Callable[[Any], Any], request: Any) -> Any:
        with self._lock:
            call = self._remember(method, partial(sound, request), request)
            shows = self._trigger(call)
            if shows and self._spared:
                self._spared -= 1
                shows = False
        answer = self._wrong_answer(call) if shows else None
        if answer is None:
            answer = call.sound()
            call.game.answers[method.name, call.number] = answer
        return answer

    def _wrong_answer(self, call: ReceivedCall) -> Any:
        """Return the wrong answer, or None if there is no room for it."""
        occurrence = Occurrence(call.method.path, getattr(call.request, "game_id", ""))
        self.occurrences.append(occurrence)
        answer = self._act(self, call)
        if answer is None:
            self.occurrences.remove(occurrence)
        return answer

    def _remember(self, method: Method, sound: Callable[[], Any], request: Any) -> ReceivedCall:
        memory = self._memory
        memory.tick += 1
        game = self._game_memory(getattr(request, "game_id", ""))
        rest = [each for each in memory.games.values() if each is not game and each.number]
        other_game_count = sum(each.last_tick > game.last_tick for each in rest)
        game.last_tick = memory.tick
        game.call_counts[method.name] += 1
        memory.call_counts[method.name] += 1
        if method == START:
            memory.tournament_id = request.tournament_id
        decides = game.number > 0 and method.asks
        if decides:
            game.decision_count += 1
            asked = request.SerializeToString()
            memory.repeated = memory.repeated or asked == game.last_request
            game.last_request = asked
        return ReceivedCall(
            method,
            request,
            sound,
            game.call_counts[method.name],
            game.decision_count if decides else 0,
            other_game_count,
            game,
            next((each for each in rest if each.number == game.number - 1), None),
            max(rest, key=lambda each: each.last_tick, default=None),
            memory,
        )

    def _game_memory(self, game_id: str) -> GameMemory:
        memory = self._memory
        if game_id not in memory.games:
            number = 1 + sum(map(bool, memory.games)) if game_id else 0
            memory.games[game_id] = GameMemory(number, memory.tick, memory.tick)
        return memory.games[game_id]
