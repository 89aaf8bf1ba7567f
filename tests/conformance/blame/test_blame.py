"""Whoever is not certified is told why: at least one MUST fails, with a call that really was wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fairplay.certificate import MET, Verdict
from fairplay.conformance.games.rivals import Departure
from fairplay.conformance.games.scenarios import OrdinaryGames, read_games, write_games
from fairplay.conformance.games.trial import Entry, Scenario
from fairplay.conformance.player.objects import Gone
from fairplay.conformance.run.report import Report
from fairplay.conformance.zoo.player import in_this_process
from fairplay.conformance.zoo.registry import find_mutant
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.player.handlers import snake_case
from tests.conformance.harness import judged
from tests.slow import all_but_first_slow

LIMIT_S = 5.0
EXAMPLES = 6


class Defect(NamedTuple):
    """When a player goes wrong, and how."""

    trigger: str
    number: int
    effect: str
    method: str = ""
    """The only method that goes wrong; empty: all of the game."""
    keeps: bool = False
    """Whether new players go on where the last one was, as those do that keep files."""


class Memory:
    """What a player of a defect has seen so far."""

    def __init__(self, defect: Defect) -> None:
        self.defect = defect
        self.rng = Random(defect.number)
        self.began = time.monotonic()
        self.calls = 0
        self.games: list[str] = []

    def goes_wrong(self, method: str, request: Any) -> bool:
        """Return whether a call goes wrong."""
        defect = self.defect
        self.calls += 1
        if request.game_id not in self.games:
            self.games.append(request.game_id)
        if defect.method not in ("", method):
            return False
        number = defect.number
        shows: dict[str, bool] = {
            "call": self.calls == number,
            "from call": self.calls >= number,
            "each call": self.calls % number == 0,
            "game": len(self.games) == number,
            "from game": len(self.games) >= number,
            "id": sum(request.game_id.encode()) % number == 0,
            "chance": self.rng.random() * number < 1,
            "time": time.monotonic() - self.began > number / 100,
        }
        return shows[defect.trigger]


EFFECTS: dict[str, Callable[[Any], Any]] = {
    "raises": lambda _: (_ for _ in ()).throw(RuntimeError("this player is broken")),
    "dies": lambda _: (_ for _ in ()).throw(Gone()),
    "says nothing": lambda _: b"",
    "is unreadable": lambda _: b"\xff\xff\xff",
}
METHODS = [method.name for method in find("fish").methods]


class Players:
    """Makes the players of a defect, and notes the methods in which they went wrong."""

    def __init__(self, defect: Defect) -> None:
        self.wrong: set[str] = set()
        self._defect = defect
        self._kept = Memory(defect)

    def __call__(self) -> object:
        memory = self._kept if self._defect.keeps else Memory(self._defect)
        made: Any = find("fish").player("random")
        made.quick = False
        for name in METHODS:
            setattr(made, snake_case(name), self._method(memory, name, getattr(made, snake_case(name))))
        return made

    def _method(self, memory: Memory, name: str, sound: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(request: Any) -> Any:
            if not memory.goes_wrong(name, request):
                return sound(request)
            self.wrong.add(name)
            return EFFECTS[self._defect.effect](request)

        return answer


def check(defect: Defect) -> Report:
    """Certify a player of a defect; raise AssertionError if it is refused and nobody says rightly why."""
    players = Players(defect)
    report = judged(players, level="must", limit_s=LIMIT_S, first_limit_s=LIMIT_S, examples=EXAMPLES)
    unmet = {each.id: each.sentence for each in report.judged if each.level is Level.MUST and each.verdict not in MET}
    failed = [each for each in report.judged if each.verdict is Verdict.FAIL]
    assert report.counts[Verdict.SUITE_ERROR] == 0, unmet
    assert bool(failed) == bool(unmet), unmet
    assert bool(failed) <= bool(players.wrong), "a sound player is refused"
    for each in failed:
        assert each.evidence is not None
        called = dict(each.evidence.sections).get("Call", "").partition(",")[0].rpartition("/")[2]
        assert called in players.wrong or defect.effect == "dies", each  # who is gone fails in any method
    return report


def defects() -> st.SearchStrategy[Defect]:
    triggers = ["call", "from call", "each call", "game", "from game", "id", "chance", "time"]
    return st.builds(
        Defect,
        st.sampled_from(triggers),
        st.integers(2, 60),
        st.sampled_from(list(EFFECTS)),
        st.sampled_from(["", *METHODS]),
        st.booleans(),
    )


# --- what shows only after other games ---


def back_to_back(defect: Defect, **more: Any) -> Any:
    report = judged(Players(defect), limit_s=LIMIT_S, first_limit_s=LIMIT_S, examples=EXAMPLES, level="must", **more)
    [found] = [each for each in report.judged if each.id == "memory.back-to-back"]
    assert found.verdict is Verdict.FAIL
    return found.evidence


@pytest.mark.parametrize("number", all_but_first_slow([3, 2, 6]), ids="game {}".format)
def test_a_fault_in_a_later_game_is_shown_with_the_shortest_history_and_can_be_repeated(number: int) -> None:
    defect = Defect("game", number, "raises", "TakeTurn")
    evidence = back_to_back(defect)
    history = evidence.history.split(",")
    assert len(history) == number
    assert all(each.endswith(":1") for each in history[:-1])
    assert len(dict(evidence.sections)["Games before"].splitlines()) == number
    again = back_to_back(defect, only="memory.back-to-back", history=evidence.history)
    assert again.sentence == evidence.sentence


def test_a_fault_after_a_game_of_other_settings_is_shown_with_that_game_and_can_be_repeated() -> None:
    mutant, game = find_mutant(find("fish"), "raises-after-other-settings"), find("fish")
    make = partial(mutant.make, game, "random", in_this_process(LIMIT_S))
    report = judged(make, only="memory.other-settings")
    [found] = report.judged
    assert found.verdict is Verdict.FAIL
    assert found.evidence is not None
    assert len(found.evidence.history.split(",")) == 2
    assert "1. the game mixture-settings" in dict(found.evidence.sections)["Games before"]
    [again] = judged(make, only="memory.back-to-back", history=found.evidence.history).judged
    assert (again.verdict, again.sentence) == (Verdict.FAIL, found.sentence)
    last = found.evidence.history.split(",")[-1]
    assert judged(make, only="memory.back-to-back", history=last).exit_code == 0


def test_a_history_is_only_for_the_case_of_games_back_to_back() -> None:
    with pytest.raises(ValueError, match="give --only memory"):
        judged(Players(Defect("game", 2, "raises")), history="seat-0-of-2")
    for wrong in ("seat-2-of-2", "seat-0-of-9", "nonsense", "data:AAAA"):
        with pytest.raises(ValueError, match="--history"):
            judged(Players(Defect("game", 2, "raises")), only="memory.back-to-back", history=wrong)


def test_games_are_written_and_read_again() -> None:
    game = find("fish")
    ordinary = OrdinaryGames(game, 1)
    plain = ordinary.scenario(1, 3, 5)
    special = plain._replace(name="x", departures=(Departure(0, 2),), level=Level.SHOULD)
    text = write_games(ordinary, [entry(plain), entry(plain, special)])
    assert text.startswith("seat-1-of-3:5,seat-1-of-3:5+data:")
    assert read_games(ordinary, text) == [[plain], [plain, special]]
    assert write_games(ordinary, [entry(plain), entry()]) == ""


def entry(*scenarios: Scenario) -> Entry:
    return Entry(lambda _: (), "games", scenarios)


# --- what comes by chance ---


@pytest.mark.slow
def test_a_player_that_fails_by_chance_is_charged_for_what_it_does_and_for_no_circumstance() -> None:
    report = check(Defect("chance", 12, "raises", "TakeTurn", keeps=True))
    failed = [each.id for each in report.judged if each.verdict is Verdict.FAIL]
    assert "exceptions.whole-games" in failed
    assert "contract.unknown-fields-ignored" not in failed


@settings(
    max_examples=6, deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(defects())
@pytest.mark.slow
def test_a_defect_is_named_or_does_not_show(defect: Defect) -> None:
    check(defect)
