"""The declaration of a case, and the ways in which it can end other than by passing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fairplay.conformance.evidence import Evidence
from fairplay.games.conformance import Level

Body: TypeAlias = Callable[[Any], str | None]
"""Tries a player or a server, with a context: `games.context.Context` or `servers.context.ServerContext`.

Returning means that the case is passed; a text is a remark on what could not be tried. Otherwise it raises an exception
of those below.
"""
Preparation: TypeAlias = Callable[[Any], object]
"""Begins, with a context, what a case needs."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is asked of a player or a server."""

    id: str
    """Stable, "<group>.<what>", e.g. "memory.back-to-back"."""
    level: Level
    checks: Sequence[str]
    """Ids of requirements and of rules: `requirements.sentence_of` has their sentences."""
    why: str
    """One sentence: why it matters."""
    run: Body
    prepare: Preparation | None = None
    """Begins, without waiting for it, what takes long and needs no attention. Called some cases before."""


def case(
    case_id: str, *checks: str, level: Level = Level.MUST, prepare: Preparation | None = None
) -> Callable[[Body], Case]:
    """Declare a case: the decorated function is its body, and the first line of the docstring says why it matters."""

    def declare(body: Body) -> Case:
        return Case(case_id, level, checks, (body.__doc__ or "").partition("\n")[0], body, prepare)

    return declare


class Failure(Exception):  # noqa: N818 - a verdict on the player, not an error of the suite
    """Raised by a case if the player does not do what the case asks."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence.sentence)
        self.evidence = evidence


class NotTested(Exception):  # noqa: N818 - likewise
    """Raised by a case that could not be tried. It never counts as passed. `reason` is one sentence.

    If the player is the reason, `evidence` shows what it did wrong, and `see` is the id of the case that this belongs
    to: `blame.verdicts.charge` has some case fail for it. `given_up`: another attempt would show nothing else, because
    the player is not asked any more.
    """

    def __init__(self, reason: str, evidence: Evidence | None = None, see: str = "", *, given_up: bool = False) -> None:
        super().__init__(f"{reason}: see {see}" if see else reason)
        self.reason = str(self)
        self.evidence = evidence
        self.see = see
        self.given_up = given_up


class LeftOut(NotTested):
    """Raised in place of a call to a method in which the player hangs, and which is not called any more; others are."""


class NotApplicable(Exception):  # noqa: N818 - likewise
    """Raised by a case that does not concern this player or this transport. `reason` is one sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SuiteError(Exception):
    """Raised if the suite or a game is wrong: a reference player breaks a rule, a probe has an invalid state."""


def failure(sentence: str, *sections: tuple[str, str], cause: str = "") -> Failure:
    """Return a failure with a sentence and sections of text as its evidence, and what tells its cause from others."""
    return Failure(Evidence(sentence, sections=sections, cause=cause))
