"""Reference strategies by name, e.g. "best:width=4,q_bonus=6". Pure: rules may import it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, NamedTuple, TypeVar

_T = TypeVar("_T")


class StrategyKind(NamedTuple, Generic[_T]):
    """A kind of strategy: how to make one, what it does, and its keys with their defaults and ranges."""

    make: Callable[..., _T]
    sentence: str
    keys: Mapping[str, tuple[float, float, float]] = {}
    """key -> (default, smallest, greatest); where the default is an int, values are whole numbers"""
    is_quick: bool = True
    """Whether it decides within microseconds."""


def make_strategy(spec: str, entries: Mapping[str, StrategyKind[_T]], title: str) -> _T:
    """Return the strategy that a text names, out of those of the game with this title.

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    entry, chosen = _parse(spec, entries, title)
    return entry.make(**{key: default for key, (default, _, _) in entry.keys.items()} | chosen)


def search_depth(spec: str, entries: Mapping[str, StrategyKind[_T]], title: str) -> int:
    """Return the key `depth` of the strategy that a text names; 0 if it searches no deeper than by default.

    Raises ValueError like `make_strategy`.
    """
    entry, chosen = _parse(spec, entries, title)
    if "depth" not in chosen or chosen["depth"] <= entry.keys["depth"][0]:
        return 0
    return int(chosen["depth"])


def _parse(spec: str, entries: Mapping[str, StrategyKind[_T]], title: str) -> tuple[StrategyKind[_T], dict[str, float]]:
    """Return the kind of strategy that a text names, and the keys that it chooses."""
    name, _, listed = spec.partition(":")
    if name not in entries:
        raise ValueError(f"There is no strategy {name!r} for {title}: it must be one of {', '.join(entries)}.")
    entry = entries[name]
    return entry, dict(_key_and_value(name, entry.keys, pair) for pair in listed.split(",") if pair)


def _key_and_value(name: str, keys: Mapping[str, tuple[float, float, float]], pair: str) -> tuple[str, float]:
    key, _, text = pair.partition("=")
    if key not in keys:
        allowed = f"its keys are {', '.join(keys)}" if keys else "it has none"
        raise ValueError(f"The strategy {name} has no key {key!r}: {allowed}.")
    default, low, high = keys[key]
    kind, value = "number", _read_number(text)
    if isinstance(default, int):
        kind, value = "whole number", int(text) if text.removeprefix("-").isdecimal() else None
    if value is None or not low <= value <= high:
        raise ValueError(f"{key}={text} of the strategy {name} must be a {kind} between {low} and {high}.")
    return key, value


def _read_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
