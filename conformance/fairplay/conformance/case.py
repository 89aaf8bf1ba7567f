"""The declaration of a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fairplay.games.conformance import Level

Body: TypeAlias = Callable[[Any], str | None]
"""Tries a player or a server, with a context: `games.context.Context` or `servers.context.ServerContext`.

Returning means that the case is passed; a text is a remark on what could not be tried. Otherwise it raises an exception
of `case_errors`.
"""
Preparation: TypeAlias = Callable[[Any], None]
"""Begins, with a context, what a case needs."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that is asked of a player or a server."""

    id: str
    """Stable, "<group>.<what>", e.g. "memory.back-to-back"."""
    level: Level
    checks: Sequence[str]
    """Ids of rules, or sentences of the contract."""
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
