"""A disk that is full while a command writes to it: the command says so in sentences, and what was saved stays."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.robustness.harness import Command, Ran, exec_player, run, specs, until
from tests.slow import all_but_first_slow

LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from fairplay.terminal import main
main()
"""


def reported(ran: Ran, words: str) -> None:
    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert ran.err.splitlines()[-1].startswith("fairplay: ")
    assert words in ran.err.splitlines()[-1]


@pytest.mark.parametrize("limit", all_but_first_slow([110_000, 60_000, 150_000]))
def test_a_full_disk_ends_a_tournament_with_sentences_and_it_goes_on_when_there_is_room(
    limit: int, tmp_path: Path
) -> None:
    records = tmp_path / "records"
    players = specs("bot:first", "bot:greedy", "bot:random", "bot:minimax", "bot:first")
    arguments = ["tournament", "fish", *players, "--seed", "1", "--set", "rows=8", "--records", str(records)]
    limited = [sys.executable, "-c", LIMITED, str(limit)]
    reported(run(tmp_path, *arguments, program=limited), f"the records in {records}: ")
    assert run(tmp_path, *arguments).code == 0
    assert run(tmp_path, "records", "verify", str(records)).code == 0


def test_records_that_are_removed_end_a_game_with_sentences(tmp_path: Path) -> None:
    records = tmp_path / "records"
    players = specs(exec_player("--pause", "30ms"), "bot:first")
    with Command(tmp_path, "tournament", "fish", *players, "--records", str(records)) as command:
        command.says("Round 1")
        shutil.rmtree(records)
        reported(command.end(), "is gone while the server writes to it")
        until(lambda: not command.left(), "the end of the players")
