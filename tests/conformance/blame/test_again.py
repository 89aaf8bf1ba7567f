"""What evidence names under "Again" shows a failure again, also where it has a history and the player only serves."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import pytest

from fairplay.conformance.run.findings import find_findings
from fairplay.conformance.run.report import Report
from tests.conformance.harness import judged, player
from tests.conformance.player.test_links import served
from tests.slow import all_but_first_slow

Trigger = Callable[[list[str], int], bool]
"""Returns whether a call goes wrong, by the ids of the games so far and the number of the call."""


def wrong_when(goes_wrong: Trigger) -> Any:
    """Return a new player of Fish that raises in decisions when its process has seen so much."""
    games: list[str] = []
    calls: list[object] = []

    def answer(sound: Any, request: Any) -> Any:
        calls.append(request)
        if request.game_id not in games:
            games.append(request.game_id)
        if goes_wrong(games, len(calls)):
            raise RuntimeError("this player is broken")
        return sound(request)

    return player(setup=answer, take_turn=answer)


def again(report: Report) -> list[str]:
    """Return what stands under "Again", of all findings."""
    evidence = [each.example.evidence for each in find_findings(report.judged)]
    return [dict(each.sections)["Again"] for each in evidence if each is not None]


def exit_code(command: str, link: str) -> int:
    """Run a command on a player at another address and return its exit code."""
    words = shlex.split(command)
    options = dict(zip(words[4::2], words[5::2], strict=True))
    named = {name: options[f"--{name}"] for name in ("only", "history") if f"--{name}" in options}
    return judged(link, seed=int(options["--seed"]), **named).exit_code


@pytest.mark.parametrize(
    "goes_wrong",
    all_but_first_slow([lambda games, calls: len(games) >= 3, lambda games, calls: calls >= 60]),
    ids=["from the third game on", "after 60 calls"],
)
def test_a_fault_with_a_history_of_a_player_that_serves_is_shown_again_by_a_new_process(goes_wrong: Trigger) -> None:
    with served(wrong_when(goes_wrong)) as link:
        report = judged(link, "contract,rules.whole-game,memory", level="must")
    assert report.exit_code == 1
    command = again(report)[0].splitlines()[-1]
    with served(wrong_when(goes_wrong)) as link:
        assert exit_code(command, link) == 1, command


def in_the_second_game(games: list[str], calls: int) -> bool:
    return len(games) == 2


@pytest.mark.slow
def test_evidence_says_when_only_a_new_process_shows_a_fault_and_such_a_one_does() -> None:
    with served(wrong_when(in_the_second_game)) as link:
        report = judged(link, level="must")
    [text] = again(report)
    first, command = text.splitlines()
    assert first == "Only a new process of the player shows it: start the player anew, then play it these games."
    assert "--only memory.back-to-back --seed 1" in command
    assert "--history seat-0-of-2," in command
    with served(wrong_when(in_the_second_game)) as link:
        assert exit_code(command, link) == 1
