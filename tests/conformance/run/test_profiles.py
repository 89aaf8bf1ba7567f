"""Profiles: a player that stands only a part of a game is certified for that part, and for nothing else."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairplay.certificate import Verdict, check, sealed
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.variations import vary
from fairplay.conformance.run.report import Report, certificate
from fairplay.conformance.writers.files import junit
from fairplay.conformance.writers.page import page
from fairplay.games.conformance import find_profiles
from fairplay.games.game import Game, find, registered
from fairplay.games.kit.course import Request, find_face, read_call
from fairplay.games.steps import Method
from fairplay.player.handlers import snake_case
from fairplay.terminal.certify.verify import verify_certificate
from fairplay.terminal.commands.certify import Demands
from tests.conformance.harness import certify, judged, player
from tests.slow import all_but_first_slow

PROFILE = "course-2020"


def on_small_boards() -> Any:
    """Return a sound player that stands boards of at most nine rows and columns, and scores of 20 bits."""

    def check_size(sound: Any, request: Any) -> Any:
        state = request.state
        sizes = state.columns, len(state.fish) // state.columns
        if max(sizes) > 9 or any(each.score > 2**20 for each in state.players):
            raise ValueError("this is no board of the course")
        return sound(request)

    return player(setup=check_size, take_turn=check_size)


@pytest.fixture(scope="module")
def report() -> Report:
    return judged(on_small_boards, level="must", profile=PROFILE)


@pytest.mark.slow
def test_a_player_is_certified_for_a_profile_that_it_stands_and_not_without(report: Report) -> None:
    assert report.exit_code == 0
    assert check(certificate(report)).certified
    assert report.verdict("fish.board.largest") is Verdict.NOT_APPLICABLE
    assert report.verdict("fish.turn.single-legal-move") is Verdict.PASS
    assert report.verdict("rules.unusual-settings") is Verdict.PASS
    assert judged(on_small_boards, "fish.board.largest").exit_code == 1
    assert judged(on_small_boards, "exceptions.unusual-settings").exit_code == 1


def test_every_output_names_the_profile(report: Report, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = f"{PROFILE}: Boards of 2 to 5 rows and columns"
    assert check(certificate(report)).profile == PROFILE
    assert said in page(report)
    assert f"NOT APPLICABLE: outside profile {PROFILE}" in junit(report).decode()
    file = tmp_path / "certificate.json"
    file.write_bytes(sealed_again({**json.loads(certificate(report)), "limits_ms": {}}))
    assert verify_certificate(file, Demands()) == 1
    assert f"--profile {PROFILE} accepts that" in " ".join(capsys.readouterr().out.split())
    assert verify_certificate(file, Demands(profile="standard")) == 1
    assert verify_certificate(file, Demands(profile=PROFILE)) == 0
    assert said in " ".join(capsys.readouterr().out.split())


def sealed_again(content: dict[str, Any]) -> bytes:
    return sealed({key: value for key, value in content.items() if key != "digest"})


def test_a_certificate_without_the_name_of_its_profile_is_refused(report: Report) -> None:
    content = json.loads(certificate(report))
    del content["profile"]
    with pytest.raises(ValueError, match="is NOT APPLICABLE"):
        check(sealed_again(content))
    with pytest.raises(ValueError, match="the profile 'course-1999' of 'fish' is not known here"):
        check(sealed_again({**content, "profile": "course-1999"}))


def test_a_case_that_every_profile_has_is_never_outside(report: Report) -> None:
    content = json.loads(certificate(report))
    whole = next(case for case in content["cases"] if case["id"] == "rules.whole-game.seat-0-of-2")
    whole["verdict"] = str(Verdict.NOT_APPLICABLE)
    with pytest.raises(ValueError, match=r"rules\.whole-game\.seat-0-of-2 is NOT APPLICABLE"):
        check(sealed_again(content))


@pytest.mark.parametrize("more", all_but_first_slow([["bot:first"], ["--list"]]))
def test_an_unknown_profile_is_refused_with_the_names_of_those_there_are(more: list[str]) -> None:
    done = certify("q", *more, "--profile", "course-2024")
    assert done.returncode == 2
    assert "Q has no profile 'course-2024': it has course-2023, standard" in " ".join(done.stderr.split())


WHICH = [(name, profile) for name in registered() for profile in find_profiles(find(name))]


@pytest.mark.parametrize("which", all_but_first_slow(WHICH))
def test_cases_that_need_no_game_outside_a_profile_are_judged_in_it(which: tuple[str, str]) -> None:
    name, profile = which
    link = f"exec:{sys.executable} -m fairplay.terminal player {name}"
    report = judged(link, "growth,rules.long-game,robustness.slows-down", name, profile=profile)
    assert report.exit_code == 0
    assert report.verdict("growth.output") is Verdict.PASS


@pytest.mark.parametrize("name", list(registered()))
def test_what_is_tried_of_a_game_is_in_its_profile(name: str) -> None:
    game = find(name)
    for profile in find_profiles(game):
        scope = Scope(game, profile)
        assert scope.allows(game.settings_type())
        found = vary(game, Random(1), scope)
        assert found
        assert all(scope.allows(each.settings) for each in found)
    assert scope.allows(game.tournament_settings) or profile != "standard"


@pytest.mark.slow
def test_no_more_games_at_once_are_asked_of_a_player_than_its_profile_says() -> None:
    open_count, most, lock = 0, 0, threading.Lock()

    def counted(method: Any) -> Any:
        def answer(request: Any) -> Any:
            nonlocal open_count, most
            with lock:
                open_count += 1
                most = max(most, open_count)
            time.sleep(0.001)
            try:
                return method(request)
            finally:
                with lock:
                    open_count -= 1

        return answer

    made: Any = find("q").player("first")
    made.quick = False
    for method in find("q").methods:
        name = snake_case(method.name)
        setattr(made, name, counted(getattr(made, name)))
    cases = "memory.*-at-once,memory.similar-ids,memory.never-ended,time.under-load,time.calls-at-once"
    report = judged(lambda: made, cases, "q", profile="course-2023")
    assert report.failed() == []
    assert most == 2
    assert report.verdict("time.calls-at-once") is Verdict.NOT_APPLICABLE


def through_course(game: Game) -> Any:
    """Return a reference player that is told of each call what a new connection of its course would be told."""
    face = find_face(game.name)
    assert face is not None
    inner = game.player(next(iter(game.strategies)))

    def asked(method: Method) -> Any:
        def answer(request: Any) -> Any:
            told = face.before(method, request)
            if told is None:
                return method.response()
            memory = face.remember("a-connection")
            for each in (*face.greeting, *told, Request(method, request)):
                name, arguments = read_call(json.loads(json.dumps(face.write_call(each, "ann"))))
                read = memory.request(name, arguments)
                reply = getattr(inner, snake_case(read.method.name), lambda _: None)(read.message)
            value = json.loads(json.dumps(face.write_answer(read, reply)))
            return face.read_answer(Request(method, request), value)

        return answer

    made: Any = game.player(next(iter(game.strategies)))
    for method in game.methods:
        setattr(made, snake_case(method.name), asked(method))
    return made


@pytest.mark.parametrize(
    ("name", "profile"), [("fish", "course-2020"), ("q", "course-2023"), ("bazaar", "course-2024")]
)
def test_what_a_course_has_no_words_for_is_outside_its_profile(name: str, profile: str) -> None:
    game = find(name)
    report = judged(
        lambda: through_course(game), f"{name},rules.unusual-settings,rules.long-game", name, profile=profile
    )
    assert report.failed() == []
    assert report.exit_code == 0
