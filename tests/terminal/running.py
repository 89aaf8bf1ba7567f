"""Commands run in this process, in a directory of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Ran]


def done(ran: Ran) -> str:
    """Return what a command printed that did what it was asked."""
    assert (ran.code, ran.err) == (0, "")
    return ran.out
