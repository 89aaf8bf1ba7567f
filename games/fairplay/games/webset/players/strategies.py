"""Brains of the reference players of Webset: whether to call, and which cards to pick.

A strategy answers from what it is shown alone and keeps nothing between two answers. What it draws by chance follows
from its seed and from what it sees, so that a game that is resumed goes on as it would have gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol

from fairplay.games.webset.rules import Cards, Word, is_set, sets_among


class View(NamedTuple):
    """What a player is shown."""

    game_id: str
    seat: int
    cards: Cards
    """The cards on the table, in slot order."""
    words: tuple[Word, ...]
    """What it may try, beside doing nothing."""
    refused: bool
    """Whether its last act was refused."""
    may_skip: bool
    """Whether to pick no cards costs nothing."""
    revision: int
    idle_count: int
    """How often everybody has done nothing on this table."""


class Strategy(Protocol):
    """Answers for one player."""

    @property
    def pauses(self) -> bool:
        """Whether answers take time."""

    def act(self, view: View) -> Word | None:
        """What to do; None: nothing."""

    def pick(self, view: View) -> Cards:
        """Three cards; none to pass in a round."""

    def pause_s(self, view: View) -> float:
        """How long the answer takes, in seconds."""


class _First:
    pauses = False

    def act(self, view: View) -> Word | None:
        """What leads to cards soonest."""
        return _sensible(view, sets_among(view.cards) != ())

    def pick(self, view: View) -> Cards:
        """The set with the smallest cards."""
        return next(iter(sets_among(view.cards)), _nothing(view))

    def pause_s(self, view: View) -> float:
        """No time at all."""
        return 0.0


class _Random:
    pauses = False

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def act(self, view: View) -> Word | None:
        """Anything that may be tried, but no call without a set, and nothing after a refusal."""
        words = [word for word in view.words if word is not Word.CALL or sets_among(view.cards)]
        return None if view.refused else _rng(self._seed, view).choice([None, *words])

    def pick(self, view: View) -> Cards:
        """Any set."""
        found = sets_among(view.cards)
        return _rng(self._seed, view).choice(found) if found else _nothing(view)

    def pause_s(self, view: View) -> float:
        """No time at all."""
        return 0.0


class _Solver:
    def __init__(self, reaction: float, spread: float, error: float, seed: int) -> None:
        self._reaction = reaction
        self._spread = spread
        self._error = error
        self._seed = seed
        self.pauses = reaction > 0

    def act(self, view: View) -> Word | None:
        """What leads to cards soonest."""
        return _sensible(view, sets_among(view.cards) != ())

    def pick(self, view: View) -> Cards:
        """Any set, or by mistake three cards that are none."""
        rng, found = _rng(self._seed, view), sets_among(view.cards)
        if rng.random() < self._error:
            return rng.choice([triple for triple in combinations(view.cards, 3) if not is_set(*triple)])
        return rng.choice(found) if found else _nothing(view)

    def pause_s(self, view: View) -> float:
        """Its reaction time, which differs from table to table."""
        return max(0.0, _rng(self._seed, view).gauss(self._reaction, self._spread * self._reaction))


def _sensible(view: View, there_is_a_set: bool) -> Word | None:
    """Ends a showing, calls where there is a set, asks for cards where there is none."""
    if Word.END_SHOW in view.words:
        return Word.END_SHOW
    wanted = Word.CALL if there_is_a_set else Word.MORE
    return wanted if wanted in view.words and not view.refused else None


def _nothing(view: View) -> Cards:
    """What to pick where there is no set."""
    return () if view.may_skip else view.cards[:3]


def _rng(seed: int, view: View) -> Random:
    """The same for the same view in every process, as `hash` would not be."""
    return Random(repr((seed, view.game_id, view.seat, view.revision, view.idle_count)))


class Option(NamedTuple):
    """A number that a strategy can be told."""

    kind: Callable[[str], float]
    default: float
    low: float
    high: float


class Kind(NamedTuple):
    """A strategy by name."""

    summary: str
    make: Callable[..., Strategy]
    options: Mapping[str, Option] = MappingProxyType({})


_SEED = Option(int, 0, 0, 2**31 - 1)
STRATEGIES: Mapping[str, Kind] = MappingProxyType(
    {
        "first": Kind("Calls at once and picks the set with the smallest cards.", _First),
        "random": Kind(
            "Does anything that may be tried, also nothing; picks any set.", _Random, MappingProxyType({"seed": _SEED})
        ),
        "solver": Kind(
            "Finds all sets, with the reaction time (seconds) and the share of mistakes that it is told.",
            _Solver,
            MappingProxyType(
                {
                    "reaction": Option(float, 0.0, 0.0, 60.0),
                    "spread": Option(float, 0.3, 0.0, 1.0),
                    "error": Option(float, 0.0, 0.0, 1.0),
                    "seed": _SEED,
                }
            ),
        ),
    }
)


def strategy(spec: str) -> Strategy:
    """The strategy written "name" or "name:key=value,...": "first", "random:seed=7", "solver:reaction=2.5,error=0.1".

    ValueError, saying what is allowed, for an unknown name or key or a value out of range.
    """
    name, _, listed = spec.partition(":")
    if name not in STRATEGIES:
        raise ValueError(f"There is no strategy {name!r} for Webset: it must be one of {', '.join(STRATEGIES)}.")
    kind = STRATEGIES[name]
    chosen = dict(_key_and_value(name, kind, pair) for pair in listed.split(",") if pair)
    return kind.make(**{key: option.default for key, option in kind.options.items()} | chosen)


def _key_and_value(name: str, kind: Kind, pair: str) -> tuple[str, float]:
    key, _, text = pair.partition("=")
    if key not in kind.options:
        allowed = f"its keys are {', '.join(kind.options)}" if kind.options else "it has none"
        raise ValueError(f"The strategy {name} has no key {key!r}: {allowed}.")
    option = kind.options[key]
    try:
        value = option.kind(text)
    except ValueError:
        value = option.high + 1
    if not option.low <= value <= option.high:
        number = "whole number" if option.kind is int else "number"
        allowed = f"must be a {number} from {option.low:.10g} to {option.high:.10g}"
        raise ValueError(f"{key}={text} of the strategy {name} {allowed}.")
    return key, value
