"""Judging cases one after the other."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from fairplay.certificate import MET, Verdict
from fairplay.certificate.inapplicable import may_be_inapplicable
from fairplay.conformance.blame.verdicts import Judged, Slowness
from fairplay.conformance.case import Case, Failure, NotApplicable, NotTested
from fairplay.conformance.case_ids import BACK_TO_BACK
from fairplay.conformance.evidence import Evidence, clipped
from fairplay.conformance.games.trial import Trial
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Run, count_decisions, measure
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription


class Result(NamedTuple):
    """What judging a case has shown."""

    judged: Judged
    times: Mapping[str, Sequence[float]]
    """Method -> the seconds of each call since the case before."""
    decisions: Mapping[str, int]
    """Method -> the decisions judged since the case before."""
    player: PlayerDescription
    """What the player says about itself; empty if it has not been asked yet."""


class AnyContext(Protocol):
    """What cases work with, of a player or a server."""

    @property
    def trials(self) -> Sequence[Trial]:
        """Return the games whose times are reported, in order."""

    @property
    def description(self) -> PlayerDescription:
        """Return what the player says about itself, or what is known of the server."""

    def try_again(self, *, settled: bool) -> bool:
        """Return whether the last case is to be tried again, without what others handed on.

        `settled`: it is met, or another attempt would show nothing else.
        """


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do: the cases to judge, and everything that they need."""

    run: Run
    """What is judged, and under which conditions."""
    cases: Sequence[Case]
    known: frozenset[str]
    """The ids of the known failures."""
    open_context: Callable[[], AbstractContextManager[AnyContext]]
    """Returns what cases work with; the end of its `with` block lets go of the player or the server."""
    repeat_command: Callable[[str, str], str]
    """Returns the command that judges a case again, after a history ("": its own), or "" if there is none."""
    options: Options | None = None
    """What other processes make the same plan of. None: the cases are judged in this one."""


class Judge:
    """Judges cases of a plan with one context. `close`, or the end of a `with` block, lets go of the player."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._stack = ExitStack()
        self._context: AnyContext | None = None
        self._trial_count = 0
        self._slowness = Slowness(plan.run.limits)

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the player."""
        self._stack.close()

    @property
    def context(self) -> AnyContext:
        """Return the context of the cases, opened for the first of them."""
        return self.reach()

    def reach(self) -> AnyContext:
        """Open the context, unless it is open, and return it. Without that, the first case to be judged opens it.

        Raises OSError, with one sentence, if something on this machine keeps what is judged from being reached.
        """
        if self._context is None:
            self._context = self._stack.enter_context(self._plan.open_context())
        return self._context

    def prepare(self, cases: Iterable[Case]) -> None:
        """Begin what cases that are judged later will need. They are judged in the same way without that."""
        for case in cases:
            if case.prepare is not None:
                case.prepare(self.context)

    def judge(self, case: Case) -> Result:
        """Judge a case."""
        context, plan = self.context, self._plan
        judged = judge(case, context, plan.repeat_command, known=case.id in plan.known)
        judged = _checked(judged, plan.run)
        new, self._trial_count = context.trials[self._trial_count :], len(context.trials)
        judged = self._slowness.look_at(judged, new)
        return Result(judged, measure(new), count_decisions(new), context.description)


def judge(case: Case, context: AnyContext, repeat: Callable[[str, str], str], *, known: bool = False) -> Judged:
    """Judge a case. `repeat` returns the command that judges it again, for its evidence."""
    began = time.monotonic()
    verdict, sentence, evidence, see, _ = _try_twice(case, context)
    if evidence is not None:
        command = repeat(BACK_TO_BACK, evidence.history) if evidence.history else repeat(case.id, "")
        evidence = evidence.with_sections(*([("Again", command)] if command else []))
    return Judged(case.id, case.level, verdict, sentence, time.monotonic() - began, evidence, known, see)


def _checked(judged: Judged, run: Run) -> Judged:
    """Return a verdict, or SUITE ERROR in place of a NOT APPLICABLE that the contract does not allow."""
    if judged.verdict is not Verdict.NOT_APPLICABLE or may_be_inapplicable(judged.id, run.reached_by, run.game):
        return judged
    sentence = f"the suite failed: this case concerns every player that is reached by {run.reached_by}"
    return replace(judged, verdict=Verdict.SUITE_ERROR, sentence=sentence, evidence=Evidence(sentence))


class _Outcome(NamedTuple):
    verdict: Verdict
    sentence: str = ""
    evidence: Evidence | None = None
    see: str = ""
    given_up: bool = False
    """Whether another attempt would show nothing else."""


def _try_twice(case: Case, context: AnyContext) -> _Outcome:
    """Try a case, and once more if it was not met where the player had a past: that is misconduct all the same."""
    first = _try(case, context)
    if not context.try_again(settled=first.verdict in MET or first.given_up):
        return first
    again = _try(case, context)
    if again.verdict not in MET or first.evidence is None:
        return again
    if first.verdict is Verdict.WARN:  # what is not demanded is nothing that others could be blamed with
        return first
    see = first.see or BACK_TO_BACK
    return _Outcome(Verdict.NOT_TESTED, f"it fails only after other games: see {see}", first.evidence, see)


def _try(case: Case, context: AnyContext) -> _Outcome:
    try:
        remark = case.run(context)
    except Failure as failure:
        verdict = Verdict.FAIL if case.level is Level.MUST else Verdict.WARN
        return _Outcome(verdict, failure.evidence.sentence, failure.evidence)
    except NotTested as untested:
        return _Outcome(Verdict.NOT_TESTED, untested.reason, untested.evidence, untested.see, untested.given_up)
    except NotApplicable as inapplicable:
        return _Outcome(Verdict.NOT_APPLICABLE, inapplicable.reason)
    except Exception as error:  # an error of the suite is no fault of the player
        sentence = f"the suite failed: {type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))
        shown = Evidence(sentence, sections=[("Trace", clipped(trace, from_end=True))])
        return _Outcome(Verdict.SUITE_ERROR, sentence, shown)
    return _Outcome(Verdict.PASS, remark or "")
