"""Games, tournaments, comparisons and certificates from Python."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairplay import api
from fairplay.games.game import find
from fairplay.standings.sprt import Answer


class Greedy:
    """A player object of one's own: it is called over gRPC, in threads."""

    game = "fish"

    def __init__(self) -> None:
        self._answers = find("fish").player("greedy")

    def play_as(self, request: Any) -> None:
        pass

    def play_with(self, request: Any) -> None:
        pass

    def setup(self, request: Any) -> Any:
        return self._answers.setup(request)

    def take_turn(self, request: Any) -> Any:
        return self._answers.take_turn(request)


class Raises(Greedy):
    def take_turn(self, request: Any) -> Any:
        raise KeyError("no such tile")


def test_the_same_seed_is_the_same_game_also_where_a_loop_runs() -> None:
    async def inside() -> api.GameOver:
        return api.play("fish", {"me": Greedy(), "other": "bot:random"}, seed=1)

    over = api.play("fish", {"me": Greedy(), "other": "bot:random"}, seed=1)
    assert over == asyncio.run(inside())
    assert over.winners == ["me"]
    assert [(seat.name, seat.place) for seat in over.seats] == [("me", 1), ("other", 2)]


def test_a_player_that_fails_is_named_with_what_it_raised() -> None:
    over = api.play("fish", {"me": Raises(), "other": "bot:random"}, seed=1, settings={"rows": 5}, limit="30s")
    assert over.winners == ["other"]
    [failure] = over.failures
    assert failure.player == "me"
    assert "KeyError: 'no such tile'" in failure.sentence


def test_a_tournament_has_standings_and_games() -> None:
    over = api.tournament(
        "fish", {"me": Greedy(), "a": "bot:random", "b": "bot:random:seed=2"}, format="round-robin seats=2", seed=1
    )
    assert {each.name for each in over.standings} == {"me", "a", "b"}
    assert over.winners == [each.name for each in over.standings if each.place == 1]
    assert len(over.games) == 3


def test_a_comparison_says_which_is_better() -> None:
    found = api.compare("fish", {"me": Greedy(), "old": "bot:random"}, seed=1, elo1=400)
    assert found.answer is Answer.BETTER
    assert found.wins + found.ties + found.losses == found.game_count
    assert found.elo_low > 0


def test_a_class_of_players_is_certified() -> None:
    report = api.certify("fish", Greedy, only="rules.whole-game.seat-0-of-2")
    assert (report.exit_code, report.failed()) == (0, [])
    assert api.certify("fish", Raises, only="exceptions.whole-games").exit_code == 1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: api.play("fihs", {"a": "bot:first"}), "there is no game 'fihs'"),
        (lambda: api.play("fish", {"a": "bot:fisrt", "b": "bot:first"}), "There is no strategy 'fisrt'"),
        (lambda: api.play("fish", {"a": object(), "b": "bot:first"}), "object must say which game it plays"),
        (lambda: api.play("fish", {"a b": "bot:first", "b": "bot:first"}), "'a b' is not a name for a player"),
        (lambda: api.play("fish", {"a": "bot:first", "b": "bot:first"}, seed=-1), "seed is -1"),
        (lambda: api.play("fish", {"a": "bot:first", "b": "bot:first"}, settings={"rws": 3}), "settings of fish"),
        (lambda: api.tournament("fish", {"a": "bot:first", "b": "bot:first"}, format="swis"), "did you mean swiss"),
        (lambda: api.compare("fish", {"a": "bot:first"}), "Fish is played by 2 to 4 players, not by 1"),
        (lambda: api.certify("fish", Greedy()), "give the class Greedy"),  # type: ignore[arg-type]
        (lambda: api.certify("fish", Greedy, lvel="must"), "certify has no option 'lvel'"),
    ],
)
def test_what_makes_no_sense_raises_the_sentence_of_the_command(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


INTERRUPTED = """
import sys
from fairplay import api
try:
    api.play("fish", {"me": sys.argv[1], "other": "bot:first"})
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_leaves_no_program_behind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pid")
    link = f"exec:sh -c 'echo $$ > {tmp_path / 'pid'}; exec sleep 600'"
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, link], stdout=subprocess.PIPE, text=True) as running:
        started = int((tmp_path / "pid").read_text())
        running.send_signal(signal.SIGINT)
        assert running.communicate()[0] == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(started, 0)
