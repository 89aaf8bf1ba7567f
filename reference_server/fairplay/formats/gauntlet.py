"""The format gauntlet: one or some against all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import SEAT_COUNT, Terms, check_game_count, fewest_seats, filled, number
from fairplay.formats.ranking import Ranking
from fairplay.formats.schedules import Group, Meetings
from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import PlayRound, Schedule
from fairplay.v1.tournament_pb2 import Gauntlet

AHEAD = 16
"""How many rounds may have begun before the games of the first of them are over: no result is waited for."""


class _GauntletFormat:
    """Each game has one challenger; the others fill the other seats."""

    name = "gauntlet"
    title = "gauntlet"
    summary = "One or some entrants play against all others."
    settings = (
        Setting(
            "challengers",
            "The entrants that play against all others.",
            "names of entrants",
            "the first of the list",
        ),
        SEAT_COUNT,
        number("meeting_count", 1, 1_000, "1", "How many times each challenger meets each of the others."),
    )
    failures_allowed = 3
    strikes_withdrawn = True
    ranks = True

    def full_settings(self, settings: Message, sizes: range) -> Gauntlet:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        full = filled(settings, Gauntlet(seat_count=fewest_seats(sizes), meeting_count=1), self.settings[1:], sizes)
        if len(set(full.challengers)) < len(full.challengers):
            raise ValueError("challengers: a name is there twice")
        return full

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError if a challenger is no entrant, or if there are too few others, or too many."""
        assert isinstance(settings, Gauntlet)
        for name in settings.challengers:
            if name not in terms.names:
                raise ValueError(f"challengers: {name[:64]!r} is not an entrant")
        challengers = max(1, len(settings.challengers))
        others = len(terms.names) - challengers
        if others < settings.seat_count - 1:
            raise ValueError(
                f"games of {settings.seat_count} players need at least {settings.seat_count - 1} entrants beside the "
                f"{'challengers' if challengers > 1 else 'challenger'}; there {'is' if others == 1 else 'are'} {others}"
            )
        games = _game_count(others, settings.seat_count - 1, settings.meeting_count)
        check_game_count(challengers * games, terms)

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule: in turn one game of each challenger.

        A game of another entrant that was withdrawn is played by those left, where they are enough for a game.
        """
        assert isinstance(settings, Gauntlet)
        ranking = Ranking(entrants, strikes_withdrawn=terms.strikes_withdrawn)
        meetings = Meetings(terms.deal_count)
        named = [entrant for entrant in entrants if terms.names[entrant] in settings.challengers]
        challengers = named or ([] if settings.challengers else [*entrants[:1]])
        others = [entrant for entrant in entrants if entrant not in challengers]
        withdrawn: frozenset[int] = frozenset()
        for opponents in zip(*(_opponents(others, settings, rng) for _ in challengers), strict=True):
            groups = [
                [each for each in (challenger, *group) if each not in withdrawn]
                for challenger, group in zip(challengers, opponents, strict=True)
                if challenger not in withdrawn
            ]
            games = [
                game._replace(needed=group[0])
                for group in groups
                if len(group) in terms.sizes
                for game in meetings.games(group)
            ]
            if games:
                played, withdrawn = yield PlayRound(tuple(games), AHEAD)
                ranking.add(played)
        played, withdrawn = yield PlayRound(())
        ranking.add(played)
        return ranking.by_rating(withdrawn, rng)


def _opponents(others: Sequence[int], settings: Gauntlet, rng: Random) -> Iterator[Group]:
    """Return the opponents of a challenger, game by game, in an order that is drawn.

    Each of the others comes as often as is asked for; in games of more than two some come once more.
    """
    seats = min(settings.seat_count - 1, len(others))
    waiting: list[int] = []
    for _ in range(_game_count(len(others), seats, settings.meeting_count)):
        group: list[int] = []
        while len(group) < seats:
            waiting = waiting or rng.sample(others, len(others))
            group.append(next(each for each in waiting if each not in group))
            waiting.remove(group[-1])
        yield tuple(group)


def _game_count(others: int, opponents: int, meetings: int) -> int:
    """Return how many games a challenger plays."""
    return -(-others * meetings // opponents) if opponents else 0


FORMAT = _GauntletFormat()
