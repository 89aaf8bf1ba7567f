"""The format Swiss: rounds between entrants of equal standing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import SEAT_COUNT, Terms, check_count, check_game_count, fewest_seats, filled, number
from fairplay.formats.grouping import Candidate, Groups, group_sizes
from fairplay.formats.pairing import Pairings, Ranked
from fairplay.formats.ranking import Points, Ranking
from fairplay.formats.schedules import Group, Meetings
from fairplay.games.kit.tournament import Played, PlayRound, Schedule
from fairplay.v1.tournament_pb2 import Swiss

EXTRA_ROUNDS = 2
"""How many rounds more than a knock-out there are, where nobody says how many."""


class _SwissFormat:
    """Games of two after fairplay.formats.pairing, larger ones after fairplay.formats.grouping."""

    name = "swiss"
    title = "Swiss"
    summary = "Rounds between entrants with equal points; nobody meets twice while that can be avoided."
    settings = (
        number("round_count", 1, 1_000, "as many as a knock-out needs, and two more", "How many rounds are played."),
        SEAT_COUNT,
    )
    failures_allowed = 3
    strikes_withdrawn = False
    ranks = True

    def full_settings(self, settings: Message, sizes: range) -> Swiss:
        """Return the settings with the defaults that do not depend on the number of entrants.

        Raises ValueError if a value is not allowed.
        """
        return filled(settings, Swiss(seat_count=fewest_seats(sizes)), self.settings, sizes)

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError if there are too few entrants for a game, or for so many rounds of games of two."""
        assert isinstance(settings, Swiss)
        count = len(terms.names)
        check_count(terms, settings.seat_count)
        most = _most_rounds(count)
        if settings.seat_count == 2 and settings.round_count > most:
            raise ValueError(
                f"round_count is {settings.round_count}: after {most} rounds each of {count} entrants has met everybody"
                "; round-robin is the format for more"
            )
        check_game_count(count // settings.seat_count * _round_count(settings, count), terms)

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule of the rounds. Entrants that sit out a round get the points of games that they won."""
        assert isinstance(settings, Swiss)
        event = _Event(settings, terms, entrants, rng)
        rounds = _round_count(settings, len(entrants))
        for number_ in range(rounds):
            groups = event.groups(rounds - number_)
            if not groups:
                break
            games = tuple(game for group in groups for game in event.meetings.games(group))
            played, withdrawn = yield PlayRound(games, byes=event.byes, skipped_are_won=True)
            event.add(played)
            event.left = [entrant for entrant in event.left if entrant not in withdrawn]
        return event.ranking.by_points(set(entrants).difference(event.left), rng)


class _Event:
    """A tournament while it goes on: who is left, with how many points, and who has met."""

    def __init__(self, settings: Swiss, terms: Terms, entrants: Sequence[int], rng: Random) -> None:
        self.left = [*entrants]
        self.meetings = Meetings(terms.deal_count)
        self.points = Points(terms.sizes)
        self.ranking = Ranking(entrants, strikes_withdrawn=terms.strikes_withdrawn)
        self._sizes = terms.sizes
        self._seats = min(settings.seat_count, len(entrants))
        self._pairings = Pairings(rng)
        self._groups = Groups(rng)
        self._sat_out: Counter[int] = Counter()
        self.byes: tuple[int, ...] = ()
        """Who sits out the round that was paired last, once for each game that counts as won."""

    def groups(self, rounds: int) -> tuple[Group, ...]:
        """Return who plays whom in the next round, of so many that are left; none where too few entrants are."""
        if len(self.left) < max(2, self._sizes.start):
            return ()
        ranked = sorted(self.left, key=lambda entrant: -self.points.of(entrant))
        groups = self._pairs(ranked, rounds) if self._seats == 2 else self._larger(ranked)
        out = sorted(set(ranked).difference(*groups))
        for entrant in out:
            self._sat_out[entrant] += 1
            self._add_wins(entrant, self.meetings.length(self._seats))
        self.byes = tuple(entrant for entrant in out for _ in range(self.meetings.length(self._seats)))
        return groups

    def _pairs(self, ranked: Sequence[int], rounds: int) -> tuple[Group, ...]:
        return self._pairings.pair(
            [Ranked(each, self._quarters(each), self.meetings.imbalance(each)) for each in ranked], rounds
        )

    def _larger(self, ranked: Sequence[int]) -> tuple[Group, ...]:
        sizes = group_sizes(len(ranked), self._seats, self._sizes)
        if self.meetings.deal_count:  # with smaller groups some would play fewer games of a deal than others
            sizes = [self._seats] * (len(ranked) // self._seats) or sizes
        places = {entrant: place for place, entrant in enumerate(ranked)}
        lowest = sorted(ranked, key=lambda entrant: (self._sat_out[entrant], -places[entrant]))
        out = lowest[: len(ranked) - sum(sizes)]
        return self._groups.form([Candidate(each, self._quarters(each)) for each in ranked if each not in out], sizes)

    def _quarters(self, entrant: int) -> int:
        return self.points.quarters(entrant, self.meetings.length(self._seats))

    def add(self, played: Sequence[Played]) -> None:
        """Add the games of a round. One that was skipped is won by who is left of it, as its other opponents win."""
        self.points.add(played)
        self.ranking.add(played)
        for game in played:
            for entrant in game.pairing.entrants if game.skipped else ():
                self._add_wins(entrant, 1)

    def _add_wins(self, entrant: int, count: int) -> None:
        self.points.add_wins(entrant, count)
        self.ranking.add_wins(entrant, count)


def _most_rounds(count: int) -> int:
    """Return how many rounds of games of two are possible in which nobody meets twice."""
    return count - 1 if count % 2 == 0 else count


def _round_count(settings: Swiss, count: int) -> int:
    """Return how many rounds are played by so many entrants."""
    if settings.HasField("round_count"):
        return settings.round_count
    rounds, reach = EXTRA_ROUNDS, 1
    while reach < count:
        rounds, reach = rounds + 1, reach * settings.seat_count
    return min(rounds, max(1, _most_rounds(count))) if settings.seat_count == 2 else rounds


FORMAT = _SwissFormat()
