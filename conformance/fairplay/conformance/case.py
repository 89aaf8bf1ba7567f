"""What a case is, and the ways in which it can end other than well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from fairplay.conformance.evidence import Evidence
from fairplay.games.conformance import Level

if TYPE_CHECKING:
    from fairplay.conformance.context import Context

Body: TypeAlias = "Callable[[Context], None]"
"""Tries the player. Returns: the case is passed. Otherwise raises one of the exceptions below."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is asked of a player."""

    id: str
    """Stable, "<group>.<what>", e.g. "memory.back-to-back"."""
    level: Level
    checks: Sequence[str]
    """Ids of rules, or sentences of the contract."""
    why: str
    """One sentence: why it matters."""
    run: Body


def case(case_id: str, *checks: str, level: Level = Level.MUST) -> Callable[[Body], Case]:
    """Makes a case of a function; the first line of its docstring says why the case matters."""

    def made(body: Body) -> Case:
        return Case(case_id, level, checks, (body.__doc__ or "").partition("\n")[0], body)

    return made


class Failure(Exception):  # noqa: N818 - a verdict on the player, not an error of ours
    """The player does not do what the case asks."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence.sentence)
        self.evidence = evidence


class NotTested(Exception):  # noqa: N818 - likewise
    """The case could not be tried; `reason` is one sentence. Never counts as passed."""

    def __init__(self, reason: str, evidence: Evidence | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.evidence = evidence


class NotApplicable(Exception):  # noqa: N818 - likewise
    """The case does not concern this player or this way of reaching it; `reason` is one sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SuiteError(Exception):
    """Something of ours is wrong: a reference player breaks a rule, a probe is no valid state. One sentence."""


def failure(sentence: str, *sections: tuple[str, str]) -> Failure:
    """A failure that a sentence and some texts explain."""
    return Failure(Evidence(sentence, sections=sections))
