"""The strategies of the reference players of Webset: whether to call, and which cards to pick.

A strategy answers from what it is shown alone and keeps nothing between two answers. What it draws by chance follows
from its seed and from what it is shown, so that a resumed game goes on as it would have gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import NamedTuple, Protocol

from fairplay.games.kit import strategies as kit
from fairplay.games.kit.strategies import StrategyKind
from fairplay.games.webset.rules.cards import Cards, Triple, is_set, sets_among
from fairplay.games.webset.rules.state import Word


class Position(NamedTuple):
    """What a strategy is shown."""

    game_id: str
    seat: int
    cards: Cards
    """The cards on the table, in slot order."""
    words: tuple[Word, ...]
    """What the player may try, beside doing nothing."""
    refused: bool
    """Whether its last act was refused, and nothing has happened since."""
    may_skip: bool
    """Whether picking no cards costs nothing."""
    all_sets: bool
    """Whether any number of sets may be named, and each counts."""
    revision: int
    idle_count: int
    """How often all players have done nothing on this table."""
    one_by_one: bool = False
    """Whether fewer than three cards may be picked, which everybody is shown."""
    picked: Cards = ()
    """The cards that the player has picked so far in its call."""


class Strategy(Protocol):
    """Answers for a player."""

    @property
    def pauses(self) -> bool:
        """Return whether answers take time."""

    def act(self, position: Position) -> Word | None:
        """Return what to do; None stands for nothing."""

    def pick(self, position: Position) -> Cards:
        """Return three cards, or none to pass in a round; in a puzzle the cards of any number of sets."""

    def pause_s(self, position: Position) -> float:
        """Return how long the answer takes, in seconds."""


class _First:
    pauses = False

    def act(self, position: Position) -> Word | None:
        """Return what leads to cards soonest."""
        return _sensible(position, sets_among(position.cards) != ())

    def pick(self, position: Position) -> Cards:
        """Return the set with the smallest cards, in a puzzle all sets."""
        if position.all_sets:
            return _cards_of(sets_among(position.cards))
        return next(iter(sets_among(position.cards)), _nothing(position))

    def pause_s(self, position: Position) -> float:
        """Return 0: answers take no time."""
        return 0.0


class _Random:
    pauses = False

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def act(self, position: Position) -> Word | None:
        """Return anything that may be tried, but no call without a set, and nothing after a refusal."""
        words = [word for word in position.words if word is not Word.CALL or sets_among(position.cards)]
        return None if position.refused else _rng(self._seed, position).choice([None, *words])

    def pick(self, position: Position) -> Cards:
        """Return any set, in a puzzle any number of them."""
        found = sets_among(position.cards)
        if position.all_sets:
            rng = _rng(self._seed, position)
            return _cards_of(rng.sample(found, rng.randint(0, len(found))))
        return _rng(self._seed, position).choice(found) if found else _nothing(position)

    def pause_s(self, position: Position) -> float:
        """Return 0: answers take no time."""
        return 0.0


class _Solver:
    def __init__(self, reaction: float, spread: float, error: float, misses: float, singly: float, seed: int) -> None:
        self._reaction = reaction
        self._spread = spread
        self._error = error
        self._misses = misses
        self._singly = singly
        self._seed = seed
        self.pauses = reaction > 0

    def act(self, position: Position) -> Word | None:
        """Return what leads to cards soonest."""
        return _sensible(position, not self._overlooks(position) and sets_among(position.cards) != ())

    def pick(self, position: Position) -> Cards:
        """Return any set, or by mistake three cards that are no set; in a puzzle all sets, or others by mistake.

        Cards that are picked one by one are the first ones of a set that has those that are picked already.
        """
        if position.may_skip and self._overlooks(position):
            return ()
        rng, found = _rng(self._seed, position), sets_among(position.cards)
        if position.all_sets:
            return _cards_of([triple for each in found if (triple := self._judged(rng, position, [each]))])
        chosen = self._judged(rng, position, found) or _nothing(position)
        if not position.one_by_one or rng.random() >= self._singly:
            return chosen
        begun = next((each for each in (chosen, *found) if set(position.picked) <= set(each)), chosen)
        ordered = sorted(begun, key=lambda card: card not in position.picked)
        return tuple(ordered[: len(position.picked) + 1])

    def _judged(self, rng: Random, position: Position, found: Sequence[Triple]) -> Cards:
        """Return any of these sets, or by mistake three cards that are no set; nothing if there is no choice."""
        if rng.random() < self._error:
            wrong = [triple for triple in combinations(position.cards, 3) if not is_set(*triple)]
            found = wrong or found  # three cards that are a set leave nothing to mistake
        return rng.choice(found) if found else ()

    def _overlooks(self, position: Position) -> bool:
        """Return whether no set is found in a position, whatever there is."""
        return self._misses > 0 and _rng(self._seed, position).random() < self._misses

    def pause_s(self, position: Position) -> float:
        """Return the reaction time, which differs from table to table."""
        return max(0.0, _rng(self._seed, position).gauss(self._reaction, self._spread * self._reaction))


def _sensible(position: Position, there_is_a_set: bool) -> Word | None:
    """End a showing, call if there is a set, ask for cards if there is none."""
    if Word.END_SHOW in position.words:
        return Word.END_SHOW
    wanted = Word.CALL if there_is_a_set else Word.MORE
    return wanted if wanted in position.words and not position.refused else None


def _cards_of(triples: Iterable[Cards]) -> Cards:
    return tuple([card for triple in triples for card in triple])


def _nothing(position: Position) -> Cards:
    """Return what to pick if there is no set."""
    return () if position.may_skip else position.cards[:3]


def _rng(seed: int, position: Position) -> Random:
    """Return a generator that is the same for the same position in every process, as `hash` is not."""
    return Random(repr((seed, position.game_id, position.seat, position.revision, position.idle_count)))


_SEED = (0, 0, 2**31 - 1)
STRATEGIES: Mapping[str, StrategyKind[Strategy]] = MappingProxyType(
    {
        "first": StrategyKind(_First, "Calls at once and picks the set with the smallest cards."),
        "random": StrategyKind(
            _Random, "Does anything that may be tried, also nothing; picks any set.", MappingProxyType({"seed": _SEED})
        ),
        "solver": StrategyKind(
            _Solver,
            "Finds sets, with the reaction time (seconds) and the shares of mistakes, of misses and of cards picked "
            "singly that it is given.",
            MappingProxyType(
                {
                    "reaction": (0.0, 0, 60),
                    "spread": (0.3, 0, 1),
                    "error": (0.0, 0, 1),
                    "misses": (0.0, 0, 1),
                    "singly": (0.0, 0, 1),
                    "seed": _SEED,
                }
            ),
        ),
    }
)


def make_strategy(spec: str) -> Strategy:
    """Return the strategy of a text, e.g. "first", "random:seed=7" or "solver:reaction=2.5,error=0.1".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return kit.make_strategy(spec, STRATEGIES, "Webset")
