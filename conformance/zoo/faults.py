"""Faults that any player of any game can have: a reference player, and what goes wrong in one of its methods."""

from __future__ import annotations

import functools
import itertools
import os
import signal
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Method: TypeAlias = Callable[[Any], Any]
Fault: TypeAlias = Callable[[Method, Any, int], Any]
"""What a method answers instead: from the sound method, its request and the number of the call, from 1."""


class BrokenPlayerError(Exception):
    """What a player with a fault raises."""


def raises(_: Method, request: Any, number: int) -> Any:
    """Raises an exception."""
    raise BrokenPlayerError(f"this player is broken: it raises in call {number}")


def hangs(_: Method, request: Any, number: int) -> Any:
    """Never answers."""
    threading.Event().wait()


def dies(_: Method, request: Any, number: int) -> Any:
    """Ends its process without a word."""
    os.kill(os.getpid(), signal.SIGKILL)


def says_nothing(method: Method, request: Any, number: int) -> Any:
    """Answers with an empty message, where a decision is asked for."""
    return type(method(request))()


class Repeats:
    """Gives its first answer again and again."""

    def __init__(self) -> None:
        self._first: Any = None

    def __call__(self, method: Method, request: Any, number: int) -> Any:
        """The first answer."""
        if self._first is None:
            self._first = method(request)
        return self._first


FAULTS: Mapping[str, Callable[[], Fault]] = {
    "raises": lambda: raises,
    "hangs": lambda: hangs,
    "dies": lambda: dies,
    "says-nothing": lambda: says_nothing,
    "repeats": Repeats,
}


def broken(player: Any, method: str, fault: Fault, after: int = 0) -> Any:
    """The player with a fault in one method (its Python name), from the call behind the first `after` ones."""
    sound: Method = getattr(player, method)
    numbers = itertools.count(1)

    @functools.wraps(sound)
    def faulty(request: Any) -> Any:
        number = next(numbers)
        return sound(request) if number <= after else fault(sound, request, number)

    setattr(player, method, faulty)
    player.quick = False  # it may hang: in a thread of its own
    return player
