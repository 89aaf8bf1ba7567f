"""Every game has a reference player that is worth meeting: `best` beats `random` and the strategies of courses."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message

from fairplay.games.game import find, registered
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call
from fairplay.games.transcript import game_rng
from fairplay.player.handlers import reply_of

DUELS = 6
OTHERS = {"fish": ["minimax"], "q": ["dag", "ldasg"], "bazaar": ["points", "size"]}
"""The strategies of the courses that games come from."""


def wins_of_best(name: str, other: str) -> int:
    """Return how many duels `best` wins, under the settings of tournaments, from both seats of each deal."""
    game = find(name)
    settings = game.full_settings(game.tournament_settings)
    wins = 0
    for number in range(DUELS):
        seat, seed = number % 2, number // 2
        players = [game.player("best" if each == seat else other) for each in range(2)]

        def answer(call: Call, players: list[object] = players) -> Message:
            return reply_of(players[call.seat], call)

        first, *_ = GameMachine(game.play("duel", settings, ["a", "b"], game_rng(seed), None)).finish(answer).ranking
        wins += [winner for winner, _ in first] == [seat]
    return wins


# Webset is a race: who answers in the same moment as another is first here by its seat, and live by lot.
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in registered() if name != "webset"])
def test_best_beats_random_and_the_strategies_of_courses(name: str) -> None:
    for other in ("random", *OTHERS.get(name, ())):
        assert wins_of_best(name, other) >= DUELS - 2, other
