"""A reference player with one fault, and what it knows of the calls to it when it decides whether the fault shows."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.objects import Gone
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.handlers import PLAYER_METHODS, describe, snake_case
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse

WAIT_S = 3_600.0
"""How long a player hangs that nobody releases."""


@dataclass(slots=True)
class Course:
    """What a player remembers of one game, or of its calls without a game."""

    number: int
    """Of the games that it was called in, from 1 on; 0: no game."""
    first_tick: int
    last_tick: int
    """When it was called in this game for the first time, and for the last: all its calls are counted."""
    decision_count: int = 0
    call_counts: Counter[str] = field(default_factory=Counter)
    answers: dict[tuple[str, int], Any] = field(default_factory=dict)
    """(name of a method, number of the call) -> what the sound player answered."""
    last_request: bytes = b""
    """Of a decision."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What else it has seen, by whatever names."""


@dataclass(slots=True)
class Past:
    """What a player remembers of all its games."""

    courses: dict[str, Course] = field(default_factory=dict)
    """By the ids of the games."""
    tick: int = 0
    repeated: bool = False
    """Whether it was asked for a decision twice."""
    call_counts: Counter[str] = field(default_factory=Counter)
    """Of each method, in all games."""
    ballast: list[bytes] = field(default_factory=list)
    """What it keeps and does not need."""


class Ask(NamedTuple):
    """A call to a player with a fault."""

    method: Method
    request: Any
    sound: Callable[[], Any]
    """Makes the answer of the sound player."""
    number: int
    """Of the calls of this method in this game, from 1 on."""
    decision: int
    """Of the decisions in this game, from 1 on; 0: it is none."""
    others: int
    """How many other games it was called in since the last call in this one."""
    course: Course
    before: Course | None
    """The game that began before this one."""
    other: Course | None
    """The other game that it was called in last."""
    past: Past


class Shown(NamedTuple):
    """The fault has shown itself in the answer to a call."""

    method: str
    """The full name of the method."""
    game_id: str


class World(NamedTuple):
    """Where a player with a fault lives."""

    decision_s: float
    first_decision_s: float
    """The time limits of decisions, which some just miss."""
    die: Callable[[], None]
    """Ends the player."""
    wait: Callable[[threading.Event, float], object]
    """Waits so many seconds, or until the event."""


def in_this_process(limit_s: float) -> World:
    """For objects behind `conformance.objects.ObjectLink`: each call has a thread, and one that dies is only gone."""
    return World(limit_s, limit_s, _gone, threading.Event.wait)


def _gone() -> None:
    raise Gone


When: TypeAlias = Callable[[Ask], bool]
Does: TypeAlias = "Callable[[Specimen, Ask], Any]"
"""What a player does in the place of a good answer: returns another, or None where there is no room for the fault."""


class Specimen:
    """A player that answers as `sound` does, but for one fault.

    `shown` are the calls in whose answers it has shown itself, not counting the first `after`, which it spares.
    `released` ends all its waiting.
    """

    quick = False

    def __init__(self, game: Game, sound: Any, world: World, when: When, does: Does, luck: Random, after: int) -> None:
        self.game = game.name
        self.name = getattr(sound, "name", game.name)
        self.version = "1"
        self.world = world
        self.luck = luck
        self.shown: list[Shown] = []
        self.released = threading.Event()
        self._when = when
        self._does = does
        self._spared = after
        self._past = Past()
        self._lock = threading.Lock()
        for method in (*PLAYER_METHODS.values(), *game.methods):
            name = snake_case(method.name)
            setattr(self, name, partial(self._answer, method, getattr(sound, name, self._default)))

    def without(self, *methods: str) -> Specimen:
        """The same player without these methods; Python names."""
        for name in methods:
            delattr(self, name)
        return self

    def wait(self, seconds: float = WAIT_S) -> None:
        """Takes its time."""
        self.world.wait(self.released, seconds)

    def _default(self, request: Message) -> Message | None:
        if isinstance(request, DescribeRequest):
            return DescribeResponse(description=describe(self))
        return None

    def _answer(self, method: Method, sound: Callable[[Any], Any], request: Any) -> Any:
        with self._lock:
            ask = self._heard(method, partial(sound, request), request)
            shows = self._when(ask)
            if shows and self._spared:
                self._spared -= 1
                shows = False
        answer = self._shown(ask) if shows else None
        if answer is None:
            answer = ask.sound()
            ask.course.answers[method.name, ask.number] = answer
        return answer

    def _shown(self, ask: Ask) -> Any:
        """The wrong answer; None: there is no room for it."""
        shown = Shown(ask.method.path, getattr(ask.request, "game_id", ""))
        self.shown.append(shown)
        answer = self._does(self, ask)
        if answer is None:
            self.shown.remove(shown)
        return answer

    def _heard(self, method: Method, sound: Callable[[], Any], request: Any) -> Ask:
        past = self._past
        past.tick += 1
        course = self._course(getattr(request, "game_id", ""))
        rest = [each for each in past.courses.values() if each is not course and each.number]
        others = sum(each.last_tick > course.last_tick for each in rest)
        course.last_tick = past.tick
        course.call_counts[method.name] += 1
        past.call_counts[method.name] += 1
        decides = bool(course.number and method.response.DESCRIPTOR.fields)
        if decides:
            course.decision_count += 1
            asked = request.SerializeToString()
            past.repeated = past.repeated or asked == course.last_request
            course.last_request = asked
        return Ask(
            method,
            request,
            sound,
            course.call_counts[method.name],
            course.decision_count if decides else 0,
            others,
            course,
            next((each for each in rest if each.number == course.number - 1), None),
            max(rest, key=lambda each: each.last_tick, default=None),
            past,
        )

    def _course(self, game_id: str) -> Course:
        past = self._past
        if game_id not in past.courses:
            number = 1 + sum(map(bool, past.courses)) if game_id else 0
            past.courses[game_id] = Course(number, past.tick, past.tick)
        return past.courses[game_id]
