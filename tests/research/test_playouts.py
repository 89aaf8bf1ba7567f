"""Random games by the thousand: what the arrays hold, and that the number of processes changes nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest

from fairplay.games.game import find, registered
from fairplay.games.research import find_research, playouts, rewards
from fairplay.playouts import Playouts
from fairplay.server.game.rules import simulate_game
from fairplay.v1.rules_pb2 import SimulateGameRequest


@pytest.mark.parametrize("game", sorted(registered()))
def test_a_batch_has_a_row_for_each_game(game: str) -> None:
    with Playouts(game) as games:
        batch = games.play(3, seed=1)
    assert batch.scores.shape == batch.ranks.shape == batch.rewards.shape == (3, games.players)
    assert (batch.actions > 0).all()
    assert (batch.ranks.min(axis=1) == 1).all()
    np.testing.assert_allclose(batch.rewards.sum(axis=1), 0, atol=1e-9)


def test_a_row_says_what_the_rules_say_of_the_end() -> None:
    with Playouts("fish", 3) as games:
        batch = games.play(5, seed=7)
    for row, ending in enumerate(playouts("fish", 3, 5, Random("7 0"))):
        assert batch.scores[row].tolist() == list(ending.scores)
        assert batch.rewards[row].tolist() == rewards(ending.ranking, 3)
        assert batch.actions[row] == ending.actions
        for rank, group in zip(sorted({*batch.ranks[row].tolist()}), ending.ranking, strict=True):
            assert [seat for seat in range(3) if batch.ranks[row, seat] == rank] == sorted(group)


SAME = """
import numpy as np
from fairplay.playouts import Playouts
from fairplay.playouts.batches import CHUNK

if __name__ == "__main__":
    settings = {"rows": 4, "randomFish": True}
    with Playouts("fish", 2, settings) as alone, Playouts("fish", 2, settings, jobs=2) as two:
        one, other = (each.play(2 * CHUNK + 5, seed=3) for each in (alone, two))
        assert all(np.array_equal(left, right) for left, right in zip(one, other, strict=True))
        assert (one.scores != alone.play(2 * CHUNK + 5, seed=4).scores).any()
"""


def test_the_number_of_processes_changes_nothing(tmp_path: Path) -> None:
    # By a process of its own: a resource tracker stays with one that has started others.
    (tmp_path / "same.py").write_text(SAME)
    subprocess.run([sys.executable, "same.py"], cwd=tmp_path, check=True)


def test_games_between_strategies_are_those_that_a_server_simulates() -> None:
    strategies = ["greedy", "random"]
    with Playouts("fish", settings={"rows": 5}, strategies=strategies) as games:
        batch = games.play(3, seed=8)
        with pytest.raises(ValueError, match="fresh games only"):
            games.play_from([], each=1, seed=1)
    for row in range(3):
        request = SimulateGameRequest(game="fish", seed=8 + row, strategies=strategies)
        request.settings.fish.rows = 5
        simulated = simulate_game(request)
        scores = {player.seat: player.score for group in simulated.ranking for player in group.players}
        assert dict(enumerate(batch.scores[row].tolist())) == scores
        assert batch.actions[row] == simulated.decision_count
        assert [seat for seat in scores if batch.ranks[row, seat] == 1] == [
            player.seat for player in simulated.ranking[0].players
        ]


@pytest.mark.parametrize("game", sorted(registered()))
def test_strategies_of_every_game_play(game: str) -> None:
    best = [*find(game).strategies][-1]
    with Playouts(game, strategies=[best] * find(game).seats.start) as games:
        assert (games.play(1, seed=1).actions > 0).all()


def test_strategies_that_there_are_not_or_not_for_all_are_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        Playouts("fish", strategies=["first", "nobody"])
    with pytest.raises(ValueError, match="players is 3, and there are 2 strategies"):
        Playouts("fish", 3, strategies=["first", "first"])


def test_games_go_on_from_given_states() -> None:
    rules = find_research("fish").rules
    fresh = rules.initial(rules.Settings(), 2, Random(1))
    over = fresh
    while rules.turn(over) is not None:
        over = rules.apply(over, rules.legal(over)[0])
    with Playouts("fish", 2) as games:
        batch = games.play_from([over, fresh], each=4, seed=1)
    assert batch.actions.tolist()[:4] == [0, 0, 0, 0]
    assert (batch.actions[4:] > 0).all()
    assert batch.scores[:4].tolist() == [list(rules.scores(over))] * 4


def test_no_games_make_empty_arrays() -> None:
    with Playouts("fish", 2) as games:
        for batch in (games.play(0, seed=1), games.play_from([], each=3, seed=1)):
            assert batch.scores.shape == (0, 2)
            assert batch.actions.shape == (0,)


def test_what_cannot_be_played_is_refused_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="jobs is 0: it must be at least 1"):
        Playouts("fish", jobs=0)
    with pytest.raises(ValueError, match="players is 9: Fish has 2 to 4 with"):
        Playouts("fish", 9)
    with pytest.raises(ValueError, match=r"settings of fish: .*rowss"):
        Playouts("fish", settings={"rowss": 6})
    rules = find_research("fish").rules
    with Playouts("fish", 2) as games:
        with pytest.raises(ValueError, match="count is -1"):
            games.play(-1, seed=1)
        with pytest.raises(ValueError, match="each is 0"):
            games.play_from([], each=0, seed=1)
        with pytest.raises(ValueError, match="a state has 3 players, and these games have 2"):
            games.play_from([rules.initial(rules.Settings(), 3, Random(1))], each=1, seed=1)
