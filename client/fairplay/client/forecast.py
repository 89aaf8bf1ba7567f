"""How many games a tournament is going to have."""

from __future__ import annotations

import time
from collections.abc import Iterator
from random import Random

from fairplay.formats.format import Terms, chosen, full_format
from fairplay.games.game import find
from fairplay.games.kit.tournament import Played, PlayRound, Rounds
from fairplay.games.kit.tournament import Results as Due
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.tournament_pb2 import TournamentPlan

PATIENCE_S = 2.0
"""A forecast that takes longer is given up: there is something else to do."""


def forecast_games(plan: TournamentPlan, entrant_count: int) -> int | None:
    """Return how many games a tournament has if nobody fails; None if that takes long to find out.

    Where the number depends on the results it is that of one possible tournament.
    """
    deadline = time.monotonic() + PATIENCE_S
    count = 0
    for games in _rounds(plan, entrant_count):
        count += games
        if time.monotonic() > deadline:
            return None
    return count


def _rounds(plan: TournamentPlan, entrant_count: int) -> Iterator[int]:
    """Yield how many games each round has. A format that cannot be forecast has no rounds."""
    sizes = find(plan.game).seats
    format_, settings = chosen(full_format(plan.format, sizes))
    names = [f"entrant-{number}" for number in range(entrant_count)]
    terms = Terms(names, sizes, plan.deal_count, strikes_withdrawn=False)
    steps = format_.schedule(settings, terms, range(entrant_count), Random(0))
    rounds, rng = Rounds(), Random(0)
    try:
        step = next(steps)
        while True:
            yield len(step.games)
            _play(rounds, step, rng)
            step = steps.send(Due(rounds.answer() or (), frozenset()))
    except StopIteration:
        return


def _play(rounds: Rounds, step: PlayRound, rng: Random) -> None:
    number = rounds.begin(step)
    for place, game in enumerate(step.games, start=1):
        order = rng.sample(range(len(game.entrants)), len(game.entrants))
        groups = [RankGroup(players=[RankedPlayer(seat=seat, score=-rank)]) for rank, seat in enumerate(order)]
        rounds.record(Played(number, place, game, GameResult(ranking=groups)))
