"""The suite as a library call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from datetime import UTC, datetime

from fairplay.conformance.cases import cases as all_cases
from fairplay.conformance.context import Context
from fairplay.conformance.engine import chosen, judge
from fairplay.conformance.event_loop import Loop
from fairplay.conformance.events import Began, CaseBegan, CaseJudged, Ended, Writer
from fairplay.conformance.objects import ObjectLink
from fairplay.conformance.player_under_test import PlayerUnderTest
from fairplay.conformance.report import Report, Run, distribution, measured
from fairplay.conformance.transports import ObjectTransport, Transport, transport
from fairplay.conformance.trial import CallLimits
from fairplay.conformance.verdicts import Judged
from fairplay.games.conformance import Level
from fairplay.games.game import Game, find
from fairplay.server.links.link import duration
from fairplay.server.links.opening import START_LIMIT_S, parse_link
from fairplay.server.plans import full_time_control
from fairplay.v1.game_pb2 import TimeControl

EXAMPLES = 40
LISTEN = "127.0.0.1:0"
LONGEST_S = 6.0
"""The longest limit that a game sets by itself here: those for people are a minute and more."""


def run(
    game: str | Game,
    subject: str | Callable[[], object],
    *,
    only: str = "",
    level: Level = Level.MAY,
    seed: int = 1,
    limit_s: float | None = None,
    first_limit_s: float | None = None,
    start_limit_s: float = START_LIMIT_S,
    listen: str = LISTEN,
    examples: int = EXAMPLES,
    writers: Sequence[Writer] = (),
) -> Report:
    """Judges a player in this thread and returns what was found.

    `subject` is a link ("exec:./my-player") or something that makes player objects with the methods of the SDK: a class
    or a function, called for each fresh player. `limit_s` holds for every call, `first_limit_s` for first decisions;
    None: as the game has it. `examples` states are drawn. ValueError: no such game, link or case; one sentence.
    """
    played = find(game) if isinstance(game, str) else game
    limits = limits_of(played, limit_s, first_limit_s)
    cases = chosen(all_cases(played), level, only)
    way = make_transport(played, subject, listen, start_limit_s)
    facts = Run(played.name, way.kind, seed, limits, level, only)
    began, since = datetime.now(UTC), time.monotonic()
    _tell(writers, Began(facts, cases))
    judged: list[Judged] = []
    with open_context(played, way, seed, limits, examples) as context:
        for case in cases:
            _tell(writers, CaseBegan(case.id))
            judged.append(judge(case, context, ""))
            _tell(writers, CaseJudged(judged[-1]))
        times = {method: distribution(seconds) for method, seconds in measured(context.trials).items()}
        description = context.player.description
    report = Report(facts, description, judged, times, began, time.monotonic() - since)
    _tell(writers, Ended(report))
    return report


def _tell(writers: Sequence[Writer], event: Began | CaseBegan | CaseJudged | Ended) -> None:
    for writer in writers:
        writer.take(event)


def limits_of(game: Game, limit_s: float | None, first_limit_s: float | None) -> CallLimits:
    """The game's limits, those for people shortened, with those that are given in their place.

    Refusal: they make no sense.
    """
    control = TimeControl()
    if limit_s is not None:
        control.decision_limit.CopyFrom(duration(limit_s))
    if first_limit_s is not None:
        control.first_decision_limit.CopyFrom(duration(first_limit_s))
    limits = CallLimits.of(full_time_control(game, control))
    longest_s = max(LONGEST_S, limit_s or 0.0, first_limit_s or 0.0)
    return CallLimits(*(min(each, longest_s) for each in astuple(limits)))


def make_transport(game: Game, subject: str | Callable[[], object], listen: str, start_limit_s: float) -> Transport:
    """The way to the player. ValueError: there is no such way; one sentence."""
    if isinstance(subject, str):
        return transport(game, parse_link(subject), listen, start_limit_s)
    make = subject
    return ObjectTransport("object", lambda clock: ObjectLink(clock, make()))


@contextmanager
def open_context(
    game: Game, way: Transport, seed: int, limits: CallLimits, examples: int = EXAMPLES
) -> Iterator[Context]:
    """What cases are tried on. The player is let go of at the end, whatever happens."""
    loop = Loop()
    subject = PlayerUnderTest(loop, way, limits.notification_s)
    try:
        yield Context(game, subject, seed, limits, examples)
    finally:
        try:
            subject.close()
        finally:
            loop.close()
