"""Settings of a game: a frozen dataclass whose fields state their meaning, range and default once.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Settings:
        rows: int = number(5, 1, 25, "How many rows the board has.")
        announce_order: Order = choice("phases", Order, "Whether all players hear their colour first.")
        random_fish: bool = flag(False, "Whether each tile has a random number of fish.")

Pure: rules import it.
"""

from __future__ import annotations

from dataclasses import MISSING, field, fields
from typing import Any, NamedTuple, get_args

MAX_REVISION, MAX_COUNT = 2**53, 2**32 - 2**20
"""Of states from outside: far more than a game reaches, and its messages have room for all that can follow."""


class Setting(NamedTuple):
    """A setting as people read it."""

    name: str
    meaning: str
    """One sentence."""
    allowed: str
    """E.g. "1 to 25", "one of phases, per_player", "true or false"."""
    default: str
    """As it is typed on a command line; empty: not set."""
    limits: tuple[int, int] | None = None
    """The least and the greatest value of a whole number; None: it is no number between limits."""


class _Range(NamedTuple):
    low: int
    high: int

    @property
    def limits(self) -> tuple[int, int] | None:
        return self.low, self.high

    def problem(self, name: str, value: Any) -> str | None:
        if self.low <= value <= self.high:
            return None
        return f"{name} is {value}: it must be between {self.low} and {self.high}."

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"


class _Choices(NamedTuple):
    values: tuple[str, ...]
    limits: tuple[int, int] | None = None

    def problem(self, name: str, value: Any) -> str | None:
        if value in self.values:
            return None
        return f"{name} is {value!r}: it must be {self}."

    def __str__(self) -> str:
        return f"one of {', '.join(self.values)}"


class _Anything(NamedTuple):
    allowed: str
    limits: tuple[int, int] | None = None

    def problem(self, name: str, value: Any) -> str | None:
        return None

    def __str__(self) -> str:
        return self.allowed


def number(default: int, low: int, high: int, meaning: str) -> Any:
    """Return a dataclass field for a whole number between `low` and `high`, both included."""
    return _field(default, _Range(low, high), meaning)


def choice(default: str, choices: Any, meaning: str) -> Any:
    """Return a dataclass field for one of the texts of a Literal type."""
    return _field(default, _Choices(get_args(choices)), meaning)


def flag(default: bool, meaning: str) -> Any:
    """Return a dataclass field that is true or false."""
    return _field(default, _Anything("true or false"), meaning)


def other(default: Any, allowed: str, meaning: str) -> Any:
    """Return a dataclass field that the game checks itself; `allowed` describes its values."""
    return _field(default, _Anything(allowed), meaning)


def _field(default: Any, check: Any, meaning: str) -> Any:
    return field(default=default, metadata={"check": check, "meaning": meaning})


def find_problem(settings: Any) -> tuple[str, str] | None:
    """Return the first field outside its range or choices, and a sentence that says what is allowed; else None."""
    for each in fields(settings):
        if sentence := each.metadata["check"].problem(each.name, getattr(settings, each.name)):
            return each.name, sentence
    return None


def describe(settings: type[Any]) -> tuple[Setting, ...]:
    """Return the settings of a dataclass as people read them, in the order of its fields."""
    return tuple(
        Setting(each.name, each.metadata["meaning"], str(check), _shown(each.default), check.limits)
        for each in fields(settings)
        for check in [each.metadata["check"]]
    )


def _shown(default: Any) -> str:
    if default is None or default is MISSING or default == ():
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)
