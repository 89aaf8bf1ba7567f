"""Limits of what a player may cost: the time for all cases, and methods that it fails again and again.

Each hang costs a limit, each death a new process.
"""

from __future__ import annotations

import time
from collections import Counter
from enum import Enum
from typing import NamedTuple

from fairplay.conformance import case_ids
from fairplay.conformance.case import LeftOut, NotTested
from fairplay.conformance.evidence import Evidence, cause_key, clipped, gone_cause, sent
from fairplay.conformance.run.options import duration_text
from fairplay.games.steps import Failure, Method
from fairplay.server.links.link import GONE
from fairplay.v1.misconduct_pb2 import CallError, MisconductKind, Overrun

GAME_SHARE = 1 / 40
"""A game that takes longer than this share of the budget is left early."""
NO_TIME = "there was no time left in the budget of"
"""How the reason begins for which a case is not tested."""
MIN_DECISIONS = 8
"""The decisions that a game has before it is left for want of time."""
ALL_DECISIONS, ALL_GAMES = 6_000, 1_000
"""About so many decisions a player is asked for that is quick, in so many games."""
LATER_SHARE, LATER_DECISIONS = 1 / 160, 2
"""The same for the games that come after such a game: there are many of them."""


class Budget:
    """How long the player may be asked. The time begins to run at once, also while this process stands still.

    Somebody waits for it: on a machine that is busy with other work the time of the loop is a small part of it.
    """

    def __init__(self, total_s: float) -> None:
        self.total_s = total_s
        self._began = time.monotonic()
        self._is_short = False
        """Whether a game has been left for want of time."""

    @property
    def elapsed_s(self) -> float:
        """Return the seconds since the time began to run."""
        return time.monotonic() - self._began

    @property
    def left_s(self) -> float:
        """Return the seconds that are left."""
        return max(0.0, self.total_s - self.elapsed_s)

    def check(self) -> None:
        """Raise NotTested if there is no time left."""
        if self.elapsed_s >= self.total_s:
            raise NotTested(f"{NO_TIME} {duration_text(self.total_s)}", given_up=True)

    def is_short_for(self, decision_s: float, first_decision_s: float) -> bool:
        """Return whether a player that takes so long for a decision must be asked for fewer of them than others.

        `first_decision_s` is what it takes for the first one of a game.
        """
        return decision_s * ALL_DECISIONS + first_decision_s * ALL_GAMES > self.total_s

    def is_spent_on(self, elapsed_s: float, decision_count: int, may_take_s: float = 0.0) -> bool:
        """Return whether a game has taken its share, or what it may take, and shown how the player begins.

        `decision_count` is the number of decisions since everything has happened that the game is about.
        """
        share, least = (LATER_SHARE, LATER_DECISIONS) if self._is_short else (GAME_SHARE, MIN_DECISIONS)
        is_spent = elapsed_s > max(self.total_s * share, may_take_s) and decision_count >= least
        self._is_short = self._is_short or is_spent
        return is_spent


MAX_IN_ROW = 3
"""After so many hangs or deaths in a row in a method, it is not called any more."""
MIN_STALLS = 2
"""Hangs at the same time are one stall. A player may stall once in all its games: no method is given up for that."""
MAX_DEATHS = 8
"""After so many deaths in a method, it is not called any more, however often it was answered in between."""
MAX_STALLS = 8
"""The same for hangs, of which those at the same time are one: such a method is tried again only now and then."""
MAX_OVERRUNS = 6
"""After so many calls in a row without an answer, the player is not called any more, whatever the method."""
FIRST_RETRY, RETRY_GROWTH = 3, 1.5
"""A method that has not been answered is tried again after so many calls that were left out, then after more and more.

A player may hang in some games only, and what is asked in the others is worth knowing.
"""
ANY_METHOD = ""


class _Kind(Enum):
    """What a call costs that goes wrong."""

    OVERRUN = "did not answer in time"
    STALL = "did not answer for a while"
    """One for all overruns at the same time: they cost a limit once."""
    DEATH = "ended the player"


class _Reason(NamedTuple):
    """Why a method is not called any more."""

    sentence: str
    evidence: Evidence
    owner: str
    """The id of the case that this belongs to."""
    may_pass: bool
    """Whether the method is tried again: it costs only the limit of a call."""


class Breaker:
    """Stops calls of methods in which a player hangs, or which end it: `check` before a call, `record` after it.

    A method in which it hangs is tried again now and then, and called as before once it is answered. `stops`: False for
    games of which the first that goes wrong is the last.
    """

    def __init__(self, *, stops: bool = True) -> None:
        self._stops = stops
        self._in_row: dict[str, Counter[_Kind]] = {}
        """Path of a method, or ANY_METHOD -> what has happened since the last answer."""
        self._hung_until: dict[str, float] = {}
        """Path of a method, or ANY_METHOD -> when the last hang had cost its limit."""
        self._deaths: Counter[str] = Counter()
        self._stalls: Counter[str] = Counter()
        self._given_up: dict[str, _Reason] = {}
        self._left_out: Counter[str] = Counter()
        """How many calls were left out since the last that was made."""
        self._retry_after: dict[str, float] = {}

    @property
    def has_given_up(self) -> bool:
        """Return whether there is a method that is not called any more."""
        return bool(self._given_up)

    def check(self, path: str) -> NotTested | None:
        """Raise LeftOut if a method in which the player hangs is not called any more, NotTested if the player is not.

        Return None for a call that is made in any case; for one that tries the method again, what is to be raised if
        that fails.
        """
        key = next((each for each in (path, ANY_METHOD) if each in self._given_up), None)
        if key is None:
            return None
        reason = self._given_up[key]
        kind = LeftOut if reason.may_pass and ANY_METHOD not in self._given_up else NotTested
        refusal = kind(reason.sentence, reason.evidence, reason.owner, given_up=True)
        self._left_out[key] += 1
        if not reason.may_pass or self._left_out[key] <= self._retry_after.get(key, FIRST_RETRY):
            raise refusal
        self._retry_after[key] = RETRY_GROWTH * self._retry_after.get(key, FIRST_RETRY)
        self._left_out[key] = 0
        return refusal

    def record(
        self,
        method: Method,
        request: bytes,
        limit_s: float,
        outcome: bytes | Failure,
        began_s: float,
        output: str = "",
    ) -> None:
        """Record how a call has ended that began at `began_s` of `time.monotonic`, and what the player had written.

        Calls that fail because the player was gone before are not to be recorded.
        """
        kind = _kind(outcome)
        if not self._stops:
            return
        if kind is None:
            for key in (method.path, ANY_METHOD):
                self._in_row.pop(key, None)
                if key in self._given_up and self._given_up[key].may_pass:
                    del self._given_up[key]
            return
        for key in (method.path, ANY_METHOD):
            in_row = self._in_row.setdefault(key, Counter())
            in_row[kind] += 1
            if kind is _Kind.OVERRUN and began_s >= self._hung_until.get(key, began_s):
                in_row[_Kind.STALL] += 1
                self._stalls[key] += 1
                self._hung_until[key] = time.monotonic()
        self._deaths[method.path] += kind is _Kind.DEATH
        for key, times in self._exceeded(method.path):
            self._given_up.setdefault(
                key, _reason(method, request, limit_s, outcome, output, f"{kind.value} {times}", key)
            )

    def excuse(self) -> None:
        """Forget the hangs so far: the player was in time when it was asked again, and others had had the machine."""
        self._in_row.clear()
        self._stalls.clear()

    def _exceeded(self, path: str) -> list[tuple[str, str]]:
        """Return what is to be given up, and how often it went wrong."""
        here, anywhere = self._in_row[path], self._in_row[ANY_METHOD]
        is_repeated = here[_Kind.DEATH] >= MAX_IN_ROW or _has_hung(here, MAX_IN_ROW)
        found = [(path, f"{MAX_IN_ROW} times in a row")] if is_repeated else []
        if self._deaths[path] >= MAX_DEATHS:
            found.append((path, f"{MAX_DEATHS} times"))
        if here[_Kind.OVERRUN] and self._stalls[path] >= MAX_STALLS:
            found.append((path, f"{MAX_STALLS} times"))
        if _has_hung(anywhere, MAX_OVERRUNS):
            found.append((ANY_METHOD, f"{MAX_OVERRUNS} times in a row"))
        return found


def is_disconnection(outcome: bytes | Failure) -> bool:
    """Return whether a call failed because the player was not there, or is gone."""
    return isinstance(outcome, CallError) and outcome.reason in GONE


def _has_hung(in_row: Counter[_Kind], count: int) -> bool:
    """Return whether so many calls have hung, and not all of them at the same time."""
    return in_row[_Kind.OVERRUN] >= count and in_row[_Kind.STALL] >= MIN_STALLS


def _kind(outcome: bytes | Failure) -> _Kind | None:
    if isinstance(outcome, Overrun):
        return _Kind.OVERRUN
    return _Kind.DEATH if is_disconnection(outcome) else None


def _reason(
    method: Method, request: bytes, limit_s: float, outcome: bytes | Failure, output: str, what: str, given_up: str
) -> _Reason:
    name = "The player" if given_up == ANY_METHOD else method.name
    sentence = f"{name} {what}, and is not called any more"
    sections = [("Call", method.path), ("Request", sent(method.request, request))]
    if output := outcome.output if isinstance(outcome, CallError) else output:
        sections.append(("Output of the player", clipped(output, from_end=True)))
    if not isinstance(outcome, CallError):
        cause = cause_key(method.name, MisconductKind.MISCONDUCT_KIND_TIMEOUT)
        shown = Evidence(f"{method.name} did not answer within {limit_s:g} s.", sections=sections, cause=cause)
        return _Reason(sentence, shown, case_ids.of_overrun(method.name), may_pass=True)
    owner = case_ids.of_death(method.name)
    shown = Evidence(f"{method.name} failed: {outcome.message}", sections=sections, cause=gone_cause(outcome.message))
    return _Reason(sentence, shown, owner, may_pass=False)
