"""What the formats promise, one after the other."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from textwrap import indent

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from fairplay.formats.format import Terms, chosen, find, full_format, registered
from fairplay.formats.stages import spread
from fairplay.games.kit.knockout import schedule as knockout_schedule
from fairplay.games.kit.tournament import Pairing, Results
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import (
    CustomFormat,
    DoubleElimination,
    Gauntlet,
    Knockout,
    Ladder,
    RoundRobin,
    Stage,
    Stages,
    Swiss,
    TournamentFormat,
)
from tests.docs.pages import ROOT, blocks
from tests.formats.harness import chance, play, result, strongest_wins

TWO = range(2, 3)


def tie(game: Pairing) -> GameResult:
    return result([range(len(game.entrants))])


# --- round robin ---


def test_a_tie_in_everything_but_the_lot_is_shared() -> None:
    assert play("round-robin", RoundRobin(), 5, decide=tie).order == ((0, 1, 2, 3, 4), ())


# --- swiss ---


def test_whoever_sits_out_has_the_points_of_a_win() -> None:
    event = play("swiss", Swiss(round_count=3), 3, sizes=TWO, decide=tie)
    assert [len(each.games) for each in event.rounds] == [1, 1, 1]
    assert event.order == ((0, 1, 2), ())  # each has sat out once


def test_a_swiss_tournament_has_two_rounds_more_than_a_knockout() -> None:
    for count, seats, rounds in [(8, 2, 5), (5, 2, 5), (4, 2, 3), (2, 2, 1), (16, 4, 4)]:
        assert len(play("swiss", Swiss(seat_count=seats), count).rounds) == rounds


def test_no_duplicate_deal_has_more_games_for_some_than_for_others() -> None:
    event = play("swiss", Swiss(seat_count=4, round_count=3), 10, deal_count=1)
    assert {len(game.entrants) for game in event.games} == {4}
    games = Counter(entrant for game in event.games for entrant in game.entrants)
    assert min(games.values()) >= 8  # of 12: nobody sits out twice


# --- matches, knockout, double elimination ---


@given(st.integers(2, 30), st.integers(0, 50))
def test_a_knockout_of_single_games_is_that_of_the_kit(count: int, seed: int) -> None:
    decide = chance(seed, ties=0.3)
    event = play("knockout", Knockout(), count, decide=decide, allowed=0)
    plan = knockout_schedule(range(count), range(2, 5))
    step = next(plan)
    for number, begun in enumerate(event.rounds, start=1):
        assert step == begun
        played = tuple(each for each in event.played if each.round_number == number)
        try:
            step = plan.send(Results(played, frozenset()))
        except StopIteration as stop:
            assert stop.value == event.order


def test_a_match_goes_to_those_with_the_most_points() -> None:
    """Entrant 1 loses the first of four games, and wins all others."""
    lost: list[int] = []

    def decide(game: Pairing) -> GameResult:
        lost.append(1)
        return strongest_wins(game) if len(lost) == 1 else result([[game.entrants.index(1)], [game.entrants.index(0)]])

    event = play("knockout", Knockout(games_per_match=3), 2, sizes=TWO, decide=decide)
    assert [game.entrants for game in event.games] == [(0, 1), (1, 0), (0, 1), (1, 0)]
    assert [game.deal for game in event.games] == [1, 1, 2, 2]
    assert event.order == ((1,), (0,))


def test_a_match_that_was_aborted_beats_nobody() -> None:
    def decide(game: Pairing) -> GameResult:
        return result([], aborted="stopped") if 0 in game.entrants else strongest_wins(game)

    event = play("knockout", Knockout(games_per_match=2), 4, sizes=TWO, decide=decide)
    assert [sorted(set(game.entrants)) for game in event.rounds[1].games][:2] == [[0, 1], [0, 1]]


def test_whoever_lost_once_can_still_win() -> None:
    beaten: list[Pairing] = []

    def decide(game: Pairing) -> GameResult:
        if 0 in game.entrants and not beaten:
            beaten.append(game)
            return result([[1 - game.entrants.index(0)], [game.entrants.index(0)]])
        return strongest_wins(game)

    assert play("double-elimination", DoubleElimination(), 8, sizes=TWO, decide=decide).order.winners == (0,)


def test_a_double_elimination_that_never_ends_is_shared() -> None:
    event = play("double-elimination", DoubleElimination(), 4, sizes=TWO, decide=tie)
    assert event.order == ((0, 1, 2, 3), ())
    assert len(event.rounds) == 3


# --- ladder ---


def test_a_ladder_ends_when_all_ratings_are_known() -> None:
    event = play("ladder", Ladder(precision=120, game_limit=400), 4, sizes=TWO, decide=chance(5))
    assert 20 < len(event.games) < 400


def test_a_ladder_ends_when_no_game_is_left() -> None:
    event = play("ladder", Ladder(precision=1, game_limit=33), 4, sizes=TWO, deal_count=1, decide=chance(1))
    assert len(event.games) == 32  # the last one of a deal would have no counterpart


def test_a_ladder_lets_those_meet_of_whom_a_game_says_most() -> None:
    event = play("ladder", Ladder(precision=1, game_limit=120), 8, sizes=TWO)
    meetings = event.meetings()
    near = sum(meetings[pair] for pair in combinations(range(8), 2) if pair[1] - pair[0] <= 2)
    assert near > 2 * (sum(meetings.values()) - near)


# --- stages ---


def stages(*formats: Message, tops: tuple[int, ...]) -> Stages:
    """Return stages of these formats, with the numbers of those who go on."""
    arms = {type(getattr(TournamentFormat(), field.name)): field.name for field in TournamentFormat.DESCRIPTOR.fields}
    return Stages(
        stages=[
            Stage(format=TournamentFormat(**{arms[type(each)]: each}), top_count=top)  # type: ignore[arg-type]
            for each, top in zip(formats, (*tops, 0), strict=True)
        ]
    )


def test_the_best_meet_late_in_a_knockout() -> None:
    assert spread([0, 1, 2, 3, 4, 5, 6, 7], TWO) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert spread([0, 1, 2, 3, 4], TWO) == [1, 4, 2, 3, 0]  # the best sits out
    assert spread(list(range(6)), range(2, 5)) == [0, 3, 4, 5, 1, 2]


# --- seats, and refusals ---


def test_what_cannot_be_played_is_refused_in_one_sentence() -> None:
    for name, message, count, sizes, complaint in [
        ("round-robin", RoundRobin(seat_count=5), 9, range(2, 5), "seat_count is 5: it must be between 2 and 4"),
        ("round-robin", RoundRobin(seat_count=4), 3, range(2, 5), "need at least 4 entrants; there are 3"),
        ("round-robin", RoundRobin(cycle_count=0), 3, range(2, 5), "cycle_count is 0: it must be between 1 and 1,000"),
        ("round-robin", RoundRobin(cycle_count=1000), 300, TWO, "44,850,000 games; a tournament has 1,000,000"),
        ("round-robin", RoundRobin(), 3, range(1, 2), "the game is for one player"),
        ("swiss", Swiss(round_count=8), 8, TWO, "after 7 rounds each of 8 entrants has met everybody; round-robin"),
        ("swiss", Swiss(seat_count=3), 8, TWO, "seat_count is 3: it must be 2"),
        ("swiss", Swiss(), 1, TWO, "need at least 2 entrants; there are 1"),
        ("gauntlet", Gauntlet(challengers=["p9"]), 8, TWO, "challengers: 'p9' is not an entrant"),
        ("gauntlet", Gauntlet(challengers=["p1", "p1"]), 8, TWO, "challengers: a name is there twice"),
        ("gauntlet", Gauntlet(challengers=["p0", "p1"]), 2, TWO, "at least 1 entrants beside the challengers"),
        ("knockout", Knockout(games_per_match=1001), 8, TWO, "games_per_match is 1001: it must be between 1 and 1,000"),
        ("double-elimination", DoubleElimination(), 1, TWO, "need at least 2 entrants"),
        ("ladder", Ladder(precision=0), 8, TWO, "precision is 0"),
        ("ladder", Ladder(game_limit=0), 8, TWO, "game_limit is 0"),
        ("ladder", Ladder(), 2_001, TWO, "ladder is for 2,000 entrants at the most; there are 2,001"),
        ("stages", Stages(), 8, TWO, "a tournament has 2 to 10 stages, not 0"),
        ("stages", stages(Swiss(), Knockout(), tops=(9,)), 8, TWO, "stage 1: top_count is 9; there are 8 entrants"),
        ("stages", stages(Swiss(), Knockout(), tops=(1,)), 8, TWO, "stage 1: top_count is 1: at least 2"),
        ("stages", stages(Swiss(), Swiss(round_count=9), tops=(4,)), 8, TWO, "stage 2 .Swiss.: round_count is 9"),
        ("stages", stages(Stages(), Swiss(), tops=(4,)), 8, TWO, "stage 1 cannot have stages of its own"),
        ("stages", stages(Swiss(), Ladder(precision=0), tops=(4,)), 8, TWO, "stage 2: precision is 0"),
        ("stages", stages(Swiss(), Gauntlet(challengers=["p0"]), tops=(4,)), 8, TWO, "stage 2 .gauntlet.: challengers"),
    ]:
        format_ = find(name)
        with pytest.raises(ValueError, match=complaint) as refused:
            terms = Terms([f"p{number}" for number in range(count)], sizes, 0, strikes_withdrawn=False)
            format_.check(format_.full_settings(message, sizes), terms)
        assert "\n" not in str(refused.value)


PARADE = """
from types import SimpleNamespace
from fairplay.games.kit.tournament import Order, Pairing, PlayRound


class Parade:
    name, title, summary = "parade", "parade", "The first plays all others, one after the other."
    settings, failures_allowed, strikes_withdrawn, ranks = (), 3, False, True

    def full_settings(self, settings, sizes):
        return settings

    def check(self, settings, terms):
        if len(terms.names) < 2:
            raise ValueError("a parade needs two entrants")

PLAN

FORMAT = Parade()
"""


def test_a_format_of_another_package_is_found_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "formats.md").read_text()
    [shown] = [block.text for block in blocks(page) if block.language == "python"]
    info = tmp_path / "parade-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parade\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fairplay.formats]\nparade = parade_format:FORMAT\n")
    (tmp_path / "parade_format.py").write_text(PARADE.replace("PLAN\n", indent(shown, "    ")))
    monkeypatch.syspath_prepend(tmp_path)
    registered.cache_clear()
    try:
        message = TournamentFormat(custom=CustomFormat(name="parade"))
        assert chosen(message).format.title == "parade"
        event = play("parade", full_format(message, TWO).custom, 4)
        assert [game.entrants for game in event.games] == [(0, 1), (0, 2), (0, 3)]
        staged = stages(message.custom, Knockout(), tops=(2,))
        assert [each.stage for each in play("stages", staged, 4).rounds] == [1, 1, 1, 2]
    finally:
        registered.cache_clear()
    with pytest.raises(ValueError, match="there is no format 'parade'; the formats are double-elimination"):
        monkeypatch.undo()
        find("parade")
