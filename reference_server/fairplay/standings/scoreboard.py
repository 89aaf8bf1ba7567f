"""The standings of an event while it goes on: points, tie-breaks, ratings and bands of its entrants as one message."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from fairplay.standings.rating import TIE_BREAKS, Rating, Score, Start, divide_into_bands
from fairplay.standings.results import Outcome, Results
from fairplay.v1.tournament_pb2 import Rating as RatingMessage
from fairplay.v1.tournament_pb2 import Standing, Standings, TieBreak


@dataclass(frozen=True, slots=True)
class Conduct:
    """What is known of entrants beside their games, by their numbers."""

    failures: Mapping[int, int] = field(default_factory=dict)
    """How often each has failed, where it has."""
    withdrawn: Collection[int] = ()
    """Who was withdrawn: they come after all others."""
    strikes_withdrawn: bool = False
    """Whether the games of those count for nobody."""
    unplayed: Collection[int] = ()
    """Who has failed without playing. They come last, and have no rating: it would tell only how little is known."""


class Scoreboard:
    """The standings of one event. Entrants are known by their numbers from 0; lots are drawn from the seed.

    Memory: some ten bytes for each player of a game.
    """

    def __init__(self, names: Sequence[str], seed: int) -> None:
        self._names = names
        self._seed = seed
        self._results = Results(len(names))
        self._ratings: list[Rating | None] = [None] * len(names)

    def add(self, outcome: Outcome) -> None:
        """Add a game that is over. Raises ValueError if it cannot be one between these entrants."""
        self._results.add(outcome)

    def compute(
        self, conduct: Conduct = Conduct(), order: Sequence[Sequence[int]] = (), start: Start | None = None
    ) -> Standings:
        """Return the standings of all games so far.

        `order`: the order at the end where the format, not the points, decides it, in groups of equal place, best
        first. Those who are in no group come after them, by points; so do those who were withdrawn.
        """
        from fairplay.standings.points import score_entrants  # noqa: PLC0415 - they load numpy: see rating.py
        from fairplay.standings.ratings import rate_entrants  # noqa: PLC0415

        struck = conduct.withdrawn if conduct.strikes_withdrawn else ()
        scores = score_entrants(self._results, seed=self._seed, struck=struck)
        self._ratings = rate_entrants(self._results, struck=struck, start=start)
        for entrant in conduct.unplayed:
            self._ratings[entrant] = None
        bands = divide_into_bands(self._ratings)
        standings = [
            self._line(place, score, bands[score.entrant], conduct) for place, score in _placed(scores, conduct, order)
        ]
        counted = sum(len(table.deals) for table in self._results.tables(struck) if table.size > 1)
        return Standings(standings=standings, entrant_count=len(self._names), game_count=counted)

    def _line(self, place: int, score: Score, band: int, conduct: Conduct) -> Standing:
        rating = self._ratings[score.entrant]
        return Standing(
            place=place,
            band=band,
            name=self._names[score.entrant],
            points=score.points,
            tie_breaks=[
                TieBreak(name=name, value=value) for name, value in zip(TIE_BREAKS, score.tie_breaks, strict=True)
            ],
            game_count=score.game_count,
            win_count=score.win_count,
            tie_count=score.tie_count,
            loss_count=score.loss_count,
            failure_count=conduct.failures.get(score.entrant, 0),
            rating=RatingMessage(value=rating.rating, low=rating.low, high=rating.high) if rating is not None else None,
            withdrawn=score.entrant in conduct.withdrawn,
            unplayed=score.entrant in conduct.unplayed,
        )


def _placed(scores: Sequence[Score], conduct: Conduct, order: Sequence[Sequence[int]]) -> list[tuple[int, Score]]:
    """Return the entrants, best first, each with its place."""
    known = {entrant: number for number, group in enumerate(order) for entrant in group}
    last = len(order)
    keys = [
        (
            _lateness(score.entrant, conduct),
            known.get(score.entrant, last),
            0 if score.entrant in known else score.place,
        )
        for score in scores
    ]
    lines = sorted(zip(keys, scores, strict=True), key=lambda line: (*line[0], line[1].place))
    placed: list[tuple[int, Score]] = []
    for number, (key, score) in enumerate(lines, start=1):
        shares = number > 1 and lines[number - 2][0] == key
        placed.append((placed[-1][0] if shares else number, score))
    return placed


def _lateness(entrant: int, conduct: Conduct) -> int:
    """Return a number by which those who have not played come last, and among others alike who was withdrawn."""
    return 2 * (entrant in conduct.unplayed) + (entrant in conduct.withdrawn)
