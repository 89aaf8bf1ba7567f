"""Games that are simulated on Ray are those that this process simulates, and the example of the page runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fairplay.server.cluster.cluster import Cluster
from fairplay.server.cluster.jobs import ClusterOptions, JobError
from fairplay.server.cluster.simulations import GAMES_A_JOB, simulate_games
from fairplay.server.game.rules import simulate_game
from fairplay.v1.rules_pb2 import SimulateGameRequest
from tests.docs.pages import blocks

pytestmark = pytest.mark.slow
pytest.importorskip("ray", reason="the extra cluster is not installed")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


async def test_a_cluster_simulates_the_same_games_in_the_same_order() -> None:
    count = 2 * GAMES_A_JOB + 1
    requests = [SimulateGameRequest(game="fish", seed=seed, strategies=["greedy", "random"]) for seed in range(count)]
    wrong = [*requests, SimulateGameRequest(game="fish", strategies=["first", "nobody"])]
    async with Cluster(ClusterOptions(jobs=2)) as cluster:
        assert await simulate_games(cluster, requests) == [simulate_game(each) for each in requests]
        assert await simulate_games(cluster, []) == []
        with pytest.raises(JobError, match="nobody"):
            await simulate_games(cluster, wrong)


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    [program] = [block.text for block in blocks(PAGE.read_text()) if block.language == "python"]
    (tmp_path / "many.py").write_text(program.replace("range(100)", "range(20)"))
    said = subprocess.run([sys.executable, "many.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.endswith(" of 20 games\n")
