"""The learner of examples/research: it learns, is better than chance, and plays what it has learned."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.games.machine import drive
from fairplay.games.steps import Call
from fairplay.player.handlers import snake_case
from tests.docs.pages import ROOT
from tests.slow import SLOW

EXAMPLE = ROOT / "examples" / "research"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function that imports a module of the example."""
    monkeypatch.syspath_prepend(EXAMPLE)
    yield import_module
    for name in ("learner", "player"):
        sys.modules.pop(name, None)


def test_it_learns_from_a_few_games_and_its_player_breaks_no_rule(example: Any, tmp_path: Path) -> None:
    file = tmp_path / "fish.json"
    policy = example("learner").learn(10)
    policy.save(file)
    assert policy.weights.any()
    again = example("learner").Policy.load(file)
    assert again.weights.tolist() == policy.weights.tolist()
    fish = find("fish")
    players = [example("player").LearnedPlayer(again), fish.player("random"), fish.player("greedy")]

    def answer(call: Call) -> Any:
        reply = getattr(players[call.seat], snake_case(call.method.name))(call.request)
        return call.method.response() if reply is None else reply

    settings = fish.full_settings(fish.tournament_settings)
    outcome = drive(fish.play("g", settings, ["learned", "random", "greedy"], Random(1), None), answer)
    assert sum(map(len, outcome.ranking)) == 3, "somebody was eliminated"


@SLOW
def test_what_it_learns_in_seconds_beats_random_players(tmp_path: Path) -> None:
    file = tmp_path / "fish.json"
    command = [sys.executable, str(EXAMPLE / "learner.py"), str(file)]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=True)
    won = int(found.stdout.split(" random players ")[1].split()[0])
    assert won >= 170, found.stdout
    assert file.exists()
