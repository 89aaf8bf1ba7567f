"""The format ladder: the games that say most about the ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.formats.format import (
    GAME_LIMIT,
    SEAT_COUNT,
    Terms,
    check_count,
    check_game_count,
    fewest_seats,
    filled,
    number,
)
from fairplay.formats.ranking import Ranking
from fairplay.formats.schedules import Group, Meetings
from fairplay.games.kit.tournament import Pairing, PlayRound, Schedule
from fairplay.standings.rating import MAX_RATED, MEAN
from fairplay.v1.tournament_pb2 import Ladder

GAMES_EACH = 100
"""How many games there are for each entrant, where nobody says how many."""
UNKNOWN = 700
"""The margin of a rating of which nothing is known, in Elo."""
GROWTH = 8
"""Ratings are computed again when the games have grown by one in so many."""
AHEAD = 1
"""How many rounds may have begun before the games of the first of them are over."""


class _LadderFormat:
    """Rounds in which those play whose ratings are known least, against whom that says most."""

    name = "ladder"
    title = "ladder"
    summary = "The games that say most about the ratings, until each is known well enough."
    settings = (
        number("precision", 1, 1_000, "50", "Half the width of the 95 % interval, in Elo, that is good enough."),
        number("game_limit", 1, GAME_LIMIT, "100 for each entrant", "How many games there are at the most."),
        SEAT_COUNT,
    )
    failures_allowed = 3
    strikes_withdrawn = False
    ranks = True

    def full_settings(self, settings: Message, sizes: range) -> Ladder:
        """Return the settings with the defaults that do not depend on the number of entrants.

        Raises ValueError if a value is not allowed.
        """
        return filled(settings, Ladder(precision=50, seat_count=fewest_seats(sizes)), self.settings, sizes)

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError if there are too few entrants for a game, or more than are rated."""
        assert isinstance(settings, Ladder)
        check_count(terms, settings.seat_count)
        if len(terms.names) > MAX_RATED:
            raise ValueError(f"ladder is for {MAX_RATED:,} entrants at the most; there are {len(terms.names):,}")
        check_game_count(1, terms)

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule: rounds until each rating is known well enough, or no game is left to be played."""
        assert isinstance(settings, Ladder)
        ranking = Ranking(entrants, strikes_withdrawn=terms.strikes_withdrawn)
        rungs = _Rungs(settings, terms, entrants, rng)
        left = settings.game_limit or min(GAME_LIMIT, GAMES_EACH * len(entrants))
        withdrawn: frozenset[int] = frozenset()
        counted = due = 0
        while games := rungs.next_games(left, withdrawn):
            left -= len(games)
            played, withdrawn = yield PlayRound(games, AHEAD)
            ranking.add(played)
            counted += len(played)
            if counted > due:
                due = counted + counted // GROWTH
                rungs.known = _known(ranking, entrants, withdrawn)
        played, withdrawn = yield PlayRound(())
        ranking.add(played)
        return ranking.by_rating(withdrawn, rng)


class _Known(NamedTuple):
    """What is known of an entrant's rating, in whole Elo."""

    rating: int = round(MEAN)
    margin: int = UNKNOWN


def _known(ranking: Ranking, entrants: Sequence[int], withdrawn: frozenset[int]) -> dict[int, _Known]:
    """Return what is known of those who have played.

    Rounded, because the last digits of a fit may differ between machines, and games must not.
    """
    ratings = ranking.ratings(withdrawn)
    return {
        entrant: _Known(round(rating.rating), min(UNKNOWN, round(rating.margin)))
        for entrant in entrants
        if (rating := ratings[entrant]) is not None
    }


class _Rungs:
    """The rounds of one ladder. `known` is what the games say that have been counted, by entrant."""

    def __init__(self, settings: Ladder, terms: Terms, entrants: Sequence[int], rng: Random) -> None:
        self.known: dict[int, _Known] = {}
        self._precision = settings.precision
        self._seats = settings.seat_count
        self._sizes = terms.sizes
        self._entrants = entrants
        self._meetings = Meetings(terms.deal_count)
        self._met: Counter[tuple[int, int]] = Counter()
        self._rng = rng

    def next_games(self, limit: int, withdrawn: frozenset[int]) -> tuple[Pairing, ...]:
        """Return the games of the next round, nobody in two meetings; none where enough is known."""
        waiting = [entrant for entrant in self._entrants if entrant not in withdrawn]
        seats = min(self._seats, len(waiting))
        if seats < 2 or seats not in self._sizes:
            return ()
        self._rng.shuffle(waiting)
        waiting.sort(key=lambda entrant: -self._of(entrant).margin)
        games: list[Pairing] = []
        while len(waiting) >= seats and self._of(waiting[0]).margin > self._precision:
            if len(games) + self._meetings.length(seats) > limit:
                break
            group = self._group(waiting, seats)
            waiting = [entrant for entrant in waiting if entrant not in group]
            self._met.update(combinations(sorted(group), 2))
            games += self._meetings.games(group)
        return tuple(games)

    def _of(self, entrant: int) -> _Known:
        return self.known.get(entrant, _Known())

    def _group(self, waiting: Sequence[int], seats: int) -> Group:
        """Return the first of those who wait, with those against whom its games say most."""
        group = [waiting[0]]
        while len(group) < seats:
            others = (entrant for entrant in waiting if entrant not in group)
            group.append(max(others, key=lambda other: sum(self._gain(each, other) for each in group)))
        return tuple(group)

    def _gain(self, one: int, other: int) -> float:
        """Return what a game of these two says: much if both may win and little is known of them.

        The less, the more often they have met: others say more about where they stand among all.
        """
        mine, theirs = self._of(one), self._of(other)
        expected = 1 / (1 + 10 ** ((theirs.rating - mine.rating) / 400))
        unknown = mine.margin * mine.margin + theirs.margin * theirs.margin
        return expected * (1 - expected) * unknown / (1 + self._met[min(one, other), max(one, other)])


FORMAT = _LadderFormat()
