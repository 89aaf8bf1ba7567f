"""What a mutant does in place of a sound answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from fairplay.conformance.zoo.mutant_player import Act, Environment, GameMemory, MutantPlayer, ReceivedCall
from fairplay.games.conformance import Mutation
from fairplay.games.steps import Method
from fairplay.player.handlers import describe
from fairplay.server.links.link import MAX_REPLY_BYTES
from fairplay.v1.player_pb2 import DescribeResponse, PlayerDescription

SOMETHING_ELSE = b"\xfa\x01\x05hello"
"""A message with nothing but a text in field 31."""
BALLAST_BYTES = 5 * 1024 * 1024 // 2
BALLAST_COUNT = 300
TOO_LATE = 1.25
"""A late answer takes this many times its limit."""


class Symptom(StrEnum):
    """What a referee finds where a mutation shows."""

    RULE = "breaks a rule"
    STATUS = "fails"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    GONE = "disconnected"
    TIMEOUT = "too late"
    NOTHING = "nothing"
    """The game goes on: the mutation does not concern the referee, or was lucky."""


class Effect(NamedTuple):
    """What a mutant does, and what a referee may find."""

    act: Act
    symptoms: frozenset[Symptom]


def _effect(act: Act, *symptoms: Symptom) -> Effect:
    return Effect(act, frozenset(symptoms))


class BrokenPlayerError(Exception):
    """Raised by mutants whose effect is an exception."""


def _raise(_: MutantPlayer, call: ReceivedCall) -> Any:
    raise BrokenPlayerError(f"this player is broken: it raises in call {call.number} of {call.method.name}")


def _hang(player: MutantPlayer, call: ReceivedCall) -> Any:
    player.wait()
    return call.method.response()


def _die(player: MutantPlayer, call: ReceivedCall) -> Any:
    player.environment.die()


def _longest(game: GameMemory | None, method: Method) -> Any:
    """Return the longest answer to a method in a game, or None if there is none."""
    answers = [] if game is None else [answer for (name, _), answer in game.answers.items() if name == method.name]
    return max(answers, key=lambda answer: answer.ByteSize(), default=None)


def adds(make: Callable[[], object], at_most: float = math.inf) -> Effect:
    """Return the effect of a sound answer after which the player keeps something more, but not more than so many."""

    def act(_: MutantPlayer, call: ReceivedCall) -> None:
        if len(call.memory.ballast) < at_most:
            call.memory.ballast.append(make())

    return _effect(act, Symptom.NOTHING)


RAISES = _effect(_raise, Symptom.STATUS)
HANGS = _effect(_hang, Symptom.TIMEOUT)
DIES = _effect(_die, Symptom.GONE)
SAYS_NOTHING = _effect(lambda _, call: call.method.response(), Symptom.RULE)
SAYS_SOMETHING_ELSE = _effect(lambda *_: SOMETHING_ELSE, Symptom.RULE)
IS_UNREADABLE = _effect(lambda *_: b"\xff\xff", Symptom.UNREADABLE)
SAYS_TOO_MUCH = _effect(lambda *_: bytes(MAX_REPLY_BYTES + 1), Symptom.TOO_LARGE)
GROWS = adds(lambda: b"x" * BALLAST_BYTES, BALLAST_COUNT)


def repeats(find: Callable[[ReceivedCall], GameMemory | None]) -> Effect:
    """Return the effect of the longest answer that was given in another game."""
    return _effect(lambda _, call: _longest(find(call), call.method), Symptom.RULE, Symptom.NOTHING)


REPEATS_THE_LAST_GAME = repeats(lambda call: call.previous_game)
REPEATS_THE_OTHER_GAME = repeats(lambda call: call.other_game)


def late(limit_s: Callable[[Environment], float]) -> Effect:
    """Return the effect of a sound answer just after a limit, which may be shorter than the limit of the call."""

    def act(player: MutantPlayer, call: ReceivedCall) -> Any:
        answer = call.sound()
        player.wait(TOO_LATE * limit_s(player.environment))
        return answer

    return _effect(act, Symptom.TIMEOUT, Symptom.NOTHING)


def describes(change: Callable[[PlayerDescription], object]) -> Effect:
    """Return the effect of a changed description of the player."""

    def act(player: MutantPlayer, call: ReceivedCall) -> Any:
        description = describe(player)
        change(description)
        return DescribeResponse(description=description)

    return _effect(act, Symptom.NOTHING)


def mutates(mutation: Mutation) -> Effect:
    """Return the effect of a game's mutation: wrong answers wherever there is room for it."""

    def act(player: MutantPlayer, call: ReceivedCall) -> Any:
        return mutation.mutate(call.request, call.sound(), player.rng)

    return _effect(act, Symptom.RULE if mutation.rule else Symptom.NOTHING)
