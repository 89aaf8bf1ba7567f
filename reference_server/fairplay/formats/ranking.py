"""The order in which a format leaves its entrants, and points in whole numbers, so that equal is equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import inf, lcm
from random import Random

from fairplay.games.kit.tournament import Order, Played
from fairplay.standings.rating import MEAN, Rating
from fairplay.standings.results import Outcome, Results, read_outcome


class Points:
    """The points of entrants: of each game of k players 1 for the first place, 0 for the last, in equal steps.

    Places that are shared share their points; whoever failed is last. A game that was aborted counts for nobody.
    """

    def __init__(self, sizes: range) -> None:
        self._unit = 2 * lcm(*(max(1, size - 1) for size in sizes))
        self._points: Counter[int] = Counter()

    def add(self, played: Iterable[Played]) -> None:
        """Add the points of games."""
        for game in played:
            if not game.result.aborted and len(game.pairing.entrants) > 1:
                self._add(game)

    def _add(self, game: Played) -> None:
        entrants = game.pairing.entrants
        step = self._unit // (2 * (len(entrants) - 1))
        behind = len(entrants)
        for group in game.result.ranking:
            behind -= len(group.players)
            for player in group.players:
                self._points[entrants[player.seat]] += step * (2 * behind + len(group.players) - 1)

    def add_wins(self, entrant: int, count: int) -> None:
        """Add the points of so many games that were won."""
        self._points[entrant] += self._unit * count

    def of(self, entrant: int) -> int:
        """Return the points of an entrant; only comparisons with others mean something."""
        return self._points[entrant]

    def quarters(self, entrant: int, games: int) -> int:
        """Return the points of an entrant in quarters of what so many games are worth."""
        return round(4 * self._points[entrant] / (self._unit * games))


class Ranking:
    """The results of a format so far, packed, and the orders that follow from them.

    With `strikes_withdrawn` games of entrants that were withdrawn count for nobody.
    """

    def __init__(self, entrants: Sequence[int], *, strikes_withdrawn: bool) -> None:
        self._entrants = entrants
        self._strikes_withdrawn = strikes_withdrawn
        self._results = Results(max(entrants, default=-1) + 1)
        self._warm: list[float] = []

    def add(self, played: Iterable[Played]) -> None:
        """Add the results of games; those that were aborted count for nobody."""
        for game in played:
            outcome = read_outcome(game.pairing.entrants, game.result, game.pairing.deal)
            if outcome is not None:
                self._results.add(outcome)

    def add_wins(self, entrant: int, count: int) -> None:
        """Add what a bye is worth: so many games that were won, against nobody."""
        self._results.extend([Outcome((entrant,), (1,), (0,))] * count)

    def by_points(self, withdrawn: Collection[int], rng: Random) -> Order:
        """Return those that were not withdrawn, by points and the tie-breaks of the standings.

        Whoever equals the first in all but the lot wins too.
        """
        from fairplay.standings.points import score_entrants  # noqa: PLC0415 - it loads numpy: see rating.py

        if not self._entrants:
            return Order((), ())
        scores = [
            score
            for score in score_entrants(self._results, seed=rng.getrandbits(53), struck=self._struck(withdrawn))
            if score.entrant in self._entrants and score.entrant not in withdrawn
        ]
        equal = [(score.points, *score.tie_breaks[:-1]) for score in scores]
        winners = sorted(score.entrant for score, values in zip(scores, equal, strict=True) if values == equal[0])
        return Order(tuple(winners), tuple(score.entrant for score in scores if score.entrant not in winners))

    def by_rating(self, withdrawn: Collection[int], rng: Random) -> Order:
        """Return those that were not withdrawn, by rating, which does not ask who has played how often."""
        winners, others = self.by_points(withdrawn, rng)
        ratings = self.ratings(withdrawn)
        best = sorted((*winners, *others), key=lambda each: -(rating.rating if (rating := ratings[each]) else -inf))
        return Order(tuple(best[:1]), tuple(best[1:]))

    def ratings(self, withdrawn: Collection[int]) -> list[Rating | None]:
        """Return the ratings of all entrants by their numbers; None for those without a game, or with too many."""
        from fairplay.standings.ratings import rate_entrants  # noqa: PLC0415 - it loads numpy: see rating.py

        ratings = rate_entrants(self._results, struck=self._struck(withdrawn), warm=self._warm)
        self._warm = [MEAN if rating is None else rating.rating for rating in ratings]
        return ratings

    def _struck(self, withdrawn: Collection[int]) -> Collection[int]:
        return set(withdrawn).intersection(self._entrants) if self._strikes_withdrawn else ()
