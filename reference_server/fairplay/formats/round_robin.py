"""The format round robin: everybody meets everybody equally often."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import SEAT_COUNT, Terms, check_count, check_game_count, fewest_seats, filled, number
from fairplay.formats.ranking import Ranking
from fairplay.formats.schedules import Deals, game_count, schedule
from fairplay.games.kit.tournament import PlayRound, Schedule
from fairplay.v1.tournament_pb2 import RoundRobin

AHEAD = 16
"""How many rounds may have begun before the games of the first of them are over: no result is waited for."""


class _RoundRobinFormat:
    """A balanced schedule, see fairplay.formats.schedules."""

    name = "round-robin"
    title = "round robin"
    summary = "Everybody meets everybody equally often, and has every seat equally often."
    settings = (
        SEAT_COUNT,
        number(
            "cycle_count", 1, 1_000, "1", "How many times each pair meets; in games of more than two, at the least."
        ),
    )
    failures_allowed = 3
    strikes_withdrawn = True
    ranks = True

    def full_settings(self, settings: Message, sizes: range) -> RoundRobin:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return filled(settings, RoundRobin(seat_count=fewest_seats(sizes), cycle_count=1), self.settings, sizes)

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError if there are too few entrants, or too many for so many games."""
        assert isinstance(settings, RoundRobin)
        check_count(terms, settings.seat_count)
        check_game_count(game_count(len(terms.names), settings.seat_count, settings.cycle_count), terms)

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the rounds of the schedule.

        A game of an entrant that was withdrawn is played by the others, where they are enough for a game.
        """
        assert isinstance(settings, RoundRobin)
        ranking = Ranking(entrants, strikes_withdrawn=terms.strikes_withdrawn)
        deals = Deals(terms.deal_count)
        withdrawn: frozenset[int] = frozenset()
        seats = min(settings.seat_count, len(entrants))
        rounds = schedule(len(entrants), seats, settings.cycle_count) if seats in terms.sizes and seats > 1 else ()
        for round_ in rounds:
            left = [[entrants[place] for place in group if entrants[place] not in withdrawn] for group in round_]
            games = [game for group in left if len(group) in terms.sizes for game in deals.games(group)]
            if games:
                played, withdrawn = yield PlayRound(tuple(games), AHEAD)
                ranking.add(played)
        played, withdrawn = yield PlayRound(())
        ranking.add(played)
        return ranking.by_points(withdrawn, rng)


FORMAT = _RoundRobinFormat()
