"""Matches of several games, for formats in which the loser of a match has to go."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from fairplay.formats.deals import Deals
from fairplay.formats.points import Points
from fairplay.games.kit.knockout import Groups, Match, Play, play_games
from fairplay.games.kit.tournament import Played, PlayRound, Results


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
