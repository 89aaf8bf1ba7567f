"""The format knockout: the winners of each game, or match of several games, go on."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import GAMES_PER_MATCH, Terms, check_no_deals, filled
from fairplay.formats.ranking import Points
from fairplay.formats.schedules import Deals
from fairplay.games.kit import knockout
from fairplay.games.kit.knockout import Groups, Match, Play, play_games
from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import Played, PlayRound, Results, Schedule
from fairplay.v1.tournament_pb2 import Knockout


def matches_of(games_per_match: int, sizes: range) -> Play:
    """Return how rounds of matches are played: single games, or whole deals until there are enough games.

    Of a match of several games those with the most points go on. Where every game was aborted it has beaten nobody.
    """
    if games_per_match <= 1:  # plans of tournaments recorded before there were matches have none
        return play_games
    deals = Deals(1)

    def play(groups: Groups) -> Generator[PlayRound, Results, list[Match]]:
        matches = [
            [game for _ in range(-(-games_per_match // len(group))) for game in deals.games(group)] for group in groups
        ]
        played, withdrawn = yield PlayRound(tuple(game for match in matches for game in match))
        games = iter(played)
        return [
            _end(group, [next(games) for _ in match], withdrawn, sizes)
            for group, match in zip(groups, matches, strict=True)
        ]

    return play


def _end(group: Sequence[int], games: Sequence[Played], withdrawn: frozenset[int], sizes: range) -> Match:
    """Return how a match ended. Whoever was withdrawn does not go on."""
    points = Points(sizes)
    points.add(games)
    left = [entrant for entrant in group if entrant not in withdrawn]
    most = max((points.of(entrant) for entrant in left), default=0)
    first = {entrant for entrant in left if points.of(entrant) == most}
    return Match(not all(game.result.aborted for game in games), set(group) - first, withdrawn.intersection(group))


class _KnockoutFormat:
    """Knock-out rounds, see fairplay.games.kit.knockout."""

    name = "knockout"
    title = "knockout"
    summary = "The winners of each game go on, until those left fit into one game."
    settings = (
        GAMES_PER_MATCH,
        Setting("end_failure_is_failure", "Whether a player that fails End counts as failed.", "true or false", "true"),
    )
    failures_allowed = 0
    strikes_withdrawn = False
    ranks = False

    def full_settings(self, settings: Message, sizes: range) -> Knockout:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return filled(settings, Knockout(end_failure_is_failure=True, games_per_match=1), self.settings, sizes)

    def check(self, settings: Message, terms: Terms) -> None:
        """Accept any number of entrants. Raises ValueError if there are duplicate deals."""
        check_no_deals(terms)

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule of the rounds."""
        assert isinstance(settings, Knockout)
        return knockout.schedule(entrants, terms.sizes, matches_of(settings.games_per_match, terms.sizes))


FORMAT = _KnockoutFormat()
