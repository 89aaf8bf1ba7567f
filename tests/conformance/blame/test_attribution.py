"""A defect fails the case that names it, and no MUST about something else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.player.objects import Gone
from fairplay.games.game import find
from tests.conformance.harness import LIMIT_S, SOUND_LIMIT_S, Method, Wrong, judged, player, raises
from tests.slow import SLOW

DRAWN_STATES = "rules.drawn-states,exceptions.drawn-states,time.drawn-states"


def hangs(sound: Method, request: Any) -> Any:
    time.sleep(60)


def late(sound: Method, request: Any) -> Any:
    time.sleep(1.8 * LIMIT_S)
    return sound(request)


def garbage(sound: Method, request: Any) -> Any:
    return b"\xff\xff\xff"


def dies(sound: Method, request: Any) -> Any:
    raise Gone


def huge(sound: Method, request: Any) -> Any:
    return bytes(2 * 1024 * 1024)


def ends_the_program(sound: Method, request: Any) -> Any:
    raise SystemExit("goodbye")


def loses(sound: Method, request: Any) -> Any:
    if not request.won:
        raise RuntimeError("impossible")


NOTIFIED, DECIDED, FIRST, EVERY, ALIVE, READABLE, TOLD, CUP = (
    "contract.void-methods-return",
    "exceptions.whole-games",
    "time.first-answer",
    "time.every-answer",
    "exceptions.stays-alive",
    "contract.replies-readable",
    "contract.describes-itself",
    "endings.tournament",
)

DEFECTS: list[tuple[str, Wrong, str]] = [
    ("play_as", raises, NOTIFIED),
    ("setup", raises, DECIDED),
    ("take_turn", raises, DECIDED),
    ("take_turn", ends_the_program, DECIDED),
    ("take_turn", hangs, FIRST),
    ("take_turn", garbage, READABLE),
    ("take_turn", huge, READABLE),
    ("take_turn", dies, ALIVE),
    ("describe", garbage, TOLD),
    ("start", raises, CUP),
    ("end", loses, "endings.win-and-lose"),
]

MORE_DEFECTS: list[tuple[str, Wrong, str]] = [
    ("play_with", hangs, EVERY),
    ("setup", late, FIRST),
    ("describe", hangs, TOLD),
    ("describe", raises, TOLD),
    ("start", garbage, CUP),
    ("end", dies, CUP),
    ("end", late, CUP),
]


@pytest.mark.parametrize(
    ("method", "wrong", "named"),
    [*DEFECTS, *(pytest.param(*each, marks=SLOW) for each in MORE_DEFECTS)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_defect_fails_the_case_that_names_it_and_nothing_else(method: str, wrong: Wrong, named: str) -> None:
    limit_s = LIMIT_S if wrong in (hangs, late) else SOUND_LIMIT_S
    report = judged(lambda: player(**{method: wrong}), limit_s=limit_s, first_limit_s=limit_s)
    assert report.failed() == [named]
    assert report.counts[Verdict.SUITE_ERROR] == 0
    assert report.exit_code == 1


def test_a_method_that_is_missing_is_named() -> None:
    class Short:
        game = "fish"

        def play_as(self, request: Any) -> None:
            """Do nothing: it is the only method."""

    report = judged(Short)
    assert set(report.failed()) == {"contract.every-method", "memory.fresh-process"}


def test_a_method_that_is_missing_is_found_though_no_game_comes_to_it() -> None:
    def make() -> Any:
        made: Any = find("eriantys").player("random")
        made.show_disconnection = None
        return made

    assert "contract.every-method" in judged(make, "contract", "eriantys").failed()


def test_a_broken_rule_fails_the_games_that_meet_it() -> None:
    report = judged(lambda: player(take_turn=lambda sound, request: type(sound(request))()))
    assert set(report.failed()) >= {"rules.whole-game.seat-0-of-2", "rules.resumed-game.of-2", "rules.drawn-states"}
    assert all(case_id.startswith(("rules.", "fish.")) for case_id in report.failed())
    [evidence] = [each.evidence for each in report.judged if each.id == "rules.whole-game.seat-0-of-2"]
    assert evidence is not None
    assert list(evidence.rules) == ["fish.action.required"]
    titles = [title for title, _ in evidence.sections]
    assert titles[:3] == ["Game", "Call", "Request"]
    assert {"Reply", "Cause", "Legal answers", "Time"} <= set(titles)
    assert evidence.picture.startswith("<svg")
    assert evidence.board


@pytest.mark.parametrize("method", ["setup", "take_turn"])
def test_drawn_states_are_not_tested_for_a_player_that_raises_in_all_of_them(method: str) -> None:
    report = judged(lambda: player(**{method: raises}), f"{DRAWN_STATES},exceptions.whole-games", level="must")
    drawn = {each.id: each for each in report.judged if "drawn" in each.id}
    for case_id in ("rules.drawn-states", "time.drawn-states"):
        assert drawn[case_id].verdict is Verdict.NOT_TESTED
        assert drawn[case_id].see == "exceptions.whole-games"
    assert "exceptions.whole-games" in report.failed()
    assert drawn["exceptions.drawn-states"].verdict in (Verdict.FAIL, Verdict.NOT_TESTED)


def test_drawn_states_are_not_tested_for_other_failures_where_all_answers_break_a_rule() -> None:
    report = judged(lambda: player(take_turn=lambda sound, request: type(sound(request))()), DRAWN_STATES)
    assert report.failed() == ["rules.drawn-states"]
    others = [each for each in report.judged if each.id != "rules.drawn-states"]
    assert [(each.verdict, each.see) for each in others] == [(Verdict.NOT_TESTED, "rules.drawn-states")] * 2


# --- what depends on the circumstances ---


def only(condition: Callable[[Any], bool]) -> Wrong:
    """Return a method that raises if a condition holds for its request."""

    def wrong(sound: Method, request: Any) -> Any:
        return raises(sound, request) if condition(request) else sound(request)

    return wrong


def test_what_happens_only_in_a_seat_fails_the_games_in_that_seat() -> None:
    def third(request: Any) -> bool:
        return len(request.state.players) == 3 and request.state.players[0].color == 3

    report = judged(lambda: player(take_turn=only(third)), "rules.whole-game,exceptions.whole-games,memory,time")
    assert set(report.failed()) == {"rules.whole-game.seat-2-of-3", "exceptions.whole-games"}


def test_a_player_that_fails_only_in_its_second_game_fails_the_case_about_that() -> None:
    def make() -> Any:
        games: list[str] = []

        def wrong(sound: Method, request: Any) -> Any:
            if request.game_id not in games:
                games.append(request.game_id)
            return raises(sound, request) if games.index(request.game_id) == 1 else sound(request)

        return player(take_turn=wrong)

    assert set(judged(make).failed()) == {"memory.back-to-back", "memory.same-seat"}


def test_a_player_that_mixes_up_two_games_fails_the_case_about_that() -> None:
    def make() -> Any:
        last: list[Any] = []

        def play_as(sound: Method, request: Any) -> None:
            last[:] = [request.game_id]

        def take_turn(sound: Method, request: Any) -> Any:
            return sound(request) if request.game_id == last[0] else type(sound(request))()

        return player(play_as=play_as, take_turn=take_turn)

    # It needs PlayAs, too, which nobody repeats to a player that was started anew.
    assert set(judged(make).failed()) == {"memory.two-games-at-once", "memory.fresh-process"}


@pytest.mark.slow
def test_a_player_that_is_slow_only_under_load_fails_the_case_about_that() -> None:
    def make() -> Any:
        at_work: list[Any] = []

        def take_turn(sound: Method, request: Any) -> Any:
            at_work.append(request)
            time.sleep(0.02)
            crowded = len(at_work) >= 4
            at_work.remove(request)
            return late(sound, request) if crowded else sound(request)

        return player(take_turn=take_turn)

    only = "time,memory.two-games-at-once,memory.back-to-back"
    assert judged(make, only, limit_s=LIMIT_S, first_limit_s=LIMIT_S).failed() == ["time.under-load"]


def test_a_player_that_stumbles_over_unknown_fields_fails_the_case_about_that() -> None:
    def make() -> Any:
        def strict(sound: Method, request: Any) -> Any:
            known = type(request)()
            known.CopyFrom(request)
            known.DiscardUnknownFields()
            return sound(request) if known.ByteSize() == request.ByteSize() else raises(sound, request)

        return player(setup=strict)

    assert judged(make, "contract,rules.whole-game,memory").failed() == ["contract.unknown-fields-ignored"]


def test_a_player_that_raises_only_under_other_settings_fails_the_case_about_that() -> None:
    columns = only(lambda request: request.state.columns != 5)
    report = judged(lambda: player(setup=columns), "contract,rules,exceptions,memory,time,endings")
    assert report.failed() == ["exceptions.unusual-settings"]


def test_a_player_that_raises_at_odd_ids_fails_the_case_about_that() -> None:
    wrong = only(lambda request: len(request.game_id) > 64)
    report = judged(lambda: player(setup=wrong), "contract,rules,exceptions,memory,endings")
    assert set(report.failed()) == {"exceptions.unusual-ids", "memory.similar-ids"}


# --- a failure that comes and goes is not excused ---


def test_a_player_that_fails_now_and_then_is_not_certified() -> None:
    calls = 0

    def wrong(sound: Method, request: Any) -> Any:
        nonlocal calls
        calls += 1
        return raises(sound, request) if calls % 7 == 0 else sound(request)

    assert judged(lambda: player(take_turn=wrong)).exit_code == 1
