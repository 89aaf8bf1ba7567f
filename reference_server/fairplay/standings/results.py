"""The results of many games, packed into arrays: some ten bytes for each player of a game, however many there are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fairplay.v1.result_pb2 import GameResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FAILED = 127
"""The place of whoever failed: behind everybody else."""
MAX_PLAYERS = FAILED - 1

Ints: TypeAlias = "NDArray[np.int64]"


class Outcome(NamedTuple):
    """How one game ended. All sequences are by seat.

    Players that share a place have the same number, and the next one after two that share place 1 is 3. Games of the
    same players with the same `deal` belong together: they are one unit of statistics. 0: a deal of its own.
    """

    entrants: Sequence[int]
    places: Sequence[int]
    scores: Sequence[int]
    deal: int = 0


class Table(NamedTuple):
    """All games of one size: a row for each game, a column for each seat."""

    entrants: Ints
    places: Ints
    scores: Ints
    deals: Ints
    """One number for each game, the same in all games of a deal."""

    @property
    def size(self) -> int:
        """Return how many players each game has."""
        return int(self.entrants.shape[1])


def read_outcome(entrants: Sequence[int], result: GameResult, deal: int = 0) -> Outcome | None:
    """Return the outcome of a game between `entrants`, by seat; None if it was aborted, which counts for nobody.

    Whoever failed is last. The score of a player that failed is the lowest of the others, or 0.
    """
    if result.aborted:
        return None
    places, scores = [FAILED] * len(entrants), [0] * len(entrants)
    better = 0
    for group in result.ranking:
        for player in group.players:
            places[player.seat], scores[player.seat] = better + 1, player.score
        better += len(group.players)
    lowest = min((score for place, score in zip(places, scores, strict=True) if place != FAILED), default=0)
    kept = [lowest if place == FAILED else score for place, score in zip(places, scores, strict=True)]
    return Outcome(tuple(entrants), tuple(places), tuple(kept), deal)


class Results:
    """The results of the games between `count` entrants, which are known by their numbers from 0."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.game_count = 0
        self._packed: dict[int, _Packed] = {}

    def add(self, outcome: Outcome) -> None:
        """Add the outcome of a game. Raises ValueError if it cannot be one between these entrants."""
        self._check(outcome)
        self.game_count += 1
        packed = self._packed.setdefault(len(outcome.entrants), _Packed())
        packed.entrants.extend(outcome.entrants)
        packed.places.extend(outcome.places)
        packed.scores.extend(outcome.scores)
        packed.deals.append(hash((outcome.deal, *sorted(outcome.entrants)) if outcome.deal else (0, self.game_count)))

    def extend(self, outcomes: Iterable[Outcome]) -> None:
        """Add the outcomes of several games."""
        for outcome in outcomes:
            self.add(outcome)

    def _check(self, outcome: Outcome) -> None:
        size = len(outcome.entrants)
        if not 1 <= size <= MAX_PLAYERS or len(outcome.places) != size or len(outcome.scores) != size:
            raise ValueError(f"a game of {size} entrants needs as many places and scores, and at most {MAX_PLAYERS}")
        if len(set(outcome.entrants)) != size or not all(0 <= each < self.count for each in outcome.entrants):
            raise ValueError(f"{list(outcome.entrants)} are not different entrants from 0 to {self.count - 1}")
        if not all(1 <= place <= size or place == FAILED for place in outcome.places):
            raise ValueError(f"{list(outcome.places)} are not places from 1 to {size}")

    def tables(self, struck: Iterable[int] = ()) -> Iterator[Table]:
        """Yield the games, size by size, without those in which an entrant of `struck` took part."""
        import numpy as np  # noqa: PLC0415 - a server that has no standings to compute does without

        left_out = np.zeros(self.count, dtype=bool)
        left_out[list(struck)] = True
        for size, packed in sorted(self._packed.items()):
            entrants = np.array(packed.entrants, dtype=np.int64).reshape(-1, size)
            kept = ~left_out[entrants].any(axis=1)
            if kept.any():
                places = np.array(packed.places, dtype=np.int64).reshape(-1, size)
                scores = np.array(packed.scores, dtype=np.int64).reshape(-1, size)
                deals = np.array(packed.deals, dtype=np.int64)
                yield Table(entrants[kept], places[kept], scores[kept], deals[kept])


class _Packed:
    """The games of one size, one after the other."""

    def __init__(self) -> None:
        self.entrants = array("i")
        self.places = array("b")
        self.scores = array("q")
        self.deals = array("q")
