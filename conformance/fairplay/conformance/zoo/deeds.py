"""What a player with a fault does where it shows."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

from fairplay.conformance.zoo.specimen import Ask, Course, Does, Specimen, World
from fairplay.games.conformance import Mutation
from fairplay.games.steps import Method
from fairplay.player.handlers import describe
from fairplay.server.links.link import MAX_REPLY_BYTES
from fairplay.v1.player_pb2 import DescribeResponse, PlayerDescription

SOMETHING_ELSE = b"\xfa\x01\x05hello"
"""A message with nothing but a text in field 31."""
BALLAST_BYTES = 1024 * 1024
TOO_LATE = 1.25
"""How much longer than its limit a late answer takes."""


class Trace(StrEnum):
    """What a referee finds when a fault shows itself."""

    RULE = "breaks a rule"
    STATUS = "fails"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    GONE = "disconnected"
    TIMEOUT = "too late"
    NOTHING = "nothing"
    """It goes on. The fault is no matter of the referee, or has been lucky."""


class Deed(NamedTuple):
    """What is done, and what a referee may find."""

    does: Does
    traces: frozenset[Trace]


def _deed(does: Does, *traces: Trace) -> Deed:
    return Deed(does, frozenset(traces))


class BrokenPlayerError(Exception):
    """What a player with a fault raises."""


def _raises(_: Specimen, ask: Ask) -> Any:
    raise BrokenPlayerError(f"this player is broken: it raises in call {ask.number} of {ask.method.name}")


def _hangs(specimen: Specimen, ask: Ask) -> Any:
    specimen.wait()
    return ask.method.response()


def _dies(specimen: Specimen, ask: Ask) -> Any:
    specimen.world.die()


def _longest(course: Course | None, method: Method) -> Any:
    """The longest answer to such a question in a game; None: there is none."""
    answers = [] if course is None else [answer for (name, _), answer in course.answers.items() if name == method.name]
    return max(answers, key=lambda answer: answer.ByteSize(), default=None)


def _grows(_: Specimen, ask: Ask) -> Any:
    ask.past.ballast.append(b"x" * BALLAST_BYTES)


RAISES = _deed(_raises, Trace.STATUS)
HANGS = _deed(_hangs, Trace.TIMEOUT)
DIES = _deed(_dies, Trace.GONE)
SAYS_NOTHING = _deed(lambda _, ask: ask.method.response(), Trace.RULE)
SAYS_SOMETHING_ELSE = _deed(lambda *_: SOMETHING_ELSE, Trace.RULE)
IS_UNREADABLE = _deed(lambda *_: b"\xff\xff", Trace.UNREADABLE)
SAYS_TOO_MUCH = _deed(lambda *_: bytes(MAX_REPLY_BYTES + 1), Trace.TOO_LARGE)
REPEATS_THE_LAST_GAME = _deed(lambda _, ask: _longest(ask.before, ask.method), Trace.RULE, Trace.NOTHING)
REPEATS_THE_OTHER_GAME = _deed(lambda _, ask: _longest(ask.other, ask.method), Trace.RULE, Trace.NOTHING)
GROWS = _deed(_grows, Trace.NOTHING)


def late(limit_s: Callable[[World], float]) -> Deed:
    """Answers well, and just too late for this limit, which may be shorter than the one of a call."""

    def answers(specimen: Specimen, ask: Ask) -> Any:
        answer = ask.sound()
        specimen.wait(TOO_LATE * limit_s(specimen.world))
        return answer

    return _deed(answers, Trace.TIMEOUT, Trace.NOTHING)


def describes(change: Callable[[PlayerDescription], object]) -> Deed:
    """Says something wrong about itself."""

    def answers(specimen: Specimen, ask: Ask) -> Any:
        description = describe(specimen)
        change(description)
        return DescribeResponse(description=description)

    return _deed(answers, Trace.NOTHING)


def spoils(fault: Mutation) -> Deed:
    """Answers wrongly where a game's fault finds room for it."""

    def answers(specimen: Specimen, ask: Ask) -> Any:
        return fault.mutate(ask.request, ask.sound(), specimen.luck)

    return _deed(answers, Trace.RULE if fault.rule else Trace.NOTHING)
