"""Standings of an event while it goes on."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import Event
from fairplay.standings.rating import TIE_BREAKS, Start
from fairplay.standings.results import Outcome
from fairplay.standings.scoreboard import Conduct, Scoreboard
from fairplay.v1.tournament_pb2 import Standings
from tests.standings.events import game


def board(*outcomes: Outcome, names: str = "abcd") -> Scoreboard:
    made = Scoreboard(list(names), seed=1)
    for outcome in outcomes:
        made.add(outcome)
    return made


def order(standings: Standings) -> list[tuple[int, str]]:
    return [(each.place, each.name) for each in standings.standings]


def test_a_line_holds_points_tie_breaks_counts_rating_and_failures() -> None:
    standings = board(game(0, 1, 2), game([0, 2], 1), game(0, failed=[1])).compute(Conduct(failures={1: 1}))
    first, *_, last = standings.standings
    assert (first.place, first.name, first.points, first.band) == (1, "a", 1 + 0.75 + 1, 1)
    assert (first.game_count, first.win_count, first.tie_count, first.loss_count) == (3, 2, 1, 0)
    assert [each.name for each in first.tie_breaks] == list(TIE_BREAKS)
    assert first.rating.low < first.rating.value < first.rating.high
    assert [line.failure_count for line in standings.standings if line.name == "b"] == [1]
    assert (last.name, last.game_count, last.band, last.HasField("rating")) == ("d", 0, 0, False)
    assert (standings.entrant_count, standings.game_count) == (4, 3)


def test_whoever_was_withdrawn_comes_last_and_its_games_count_or_not() -> None:
    games = [game(2, 0), game(2, 1), game(0, 1)]
    kept = board(*games).compute(Conduct(withdrawn={2}))
    assert [each.name for each in kept.standings][-1] == "c"
    assert kept.game_count == 3
    struck = board(*games).compute(Conduct(withdrawn={2}, strikes_withdrawn=True))
    assert [(each.name, each.game_count, each.withdrawn) for each in struck.standings] == [
        ("a", 1, False),
        ("b", 1, False),
        ("d", 0, False),
        ("c", 0, True),
    ]
    assert struck.game_count == 1
    unplayed = board(*games).compute(Conduct(withdrawn={2, 3}, unplayed={1, 2}))
    assert [each.name for each in unplayed.standings] == ["a", "d", "b", "c"]


def test_the_order_of_a_format_stands_before_points_and_its_groups_share_a_place() -> None:
    standings = board(game(0, 1), game(0, 2), game(3, 0)).compute(order=[[1, 2], [0]])
    assert order(standings)[:3] in ([(1, "b"), (1, "c"), (3, "a")], [(1, "c"), (1, "b"), (3, "a")])
    assert order(standings)[3] == (4, "d")


def test_live_ratings_end_where_ratings_of_the_whole_event_do() -> None:
    event = Event(8, 4, 60)
    results = event.play(event.strengths(1), np.random.default_rng(1), event.deals)
    live, whole = Scoreboard(list("abcdefgh"), seed=1), Scoreboard(list("abcdefgh"), seed=1)
    start = Start()
    for table in results.tables():
        rows = zip(
            table.entrants.tolist(), table.places.tolist(), table.scores.tolist(), table.deals.tolist(), strict=True
        )
        for number, row in enumerate(rows):
            for each in (live, whole):
                each.add(Outcome(*row))
            if number % 10 == 0:
                live.compute(start=start)
    for one, other in zip(live.compute(start=start).standings, whole.compute().standings, strict=True):
        assert (one.name, one.points, one.band) == (other.name, other.points, other.band)
        assert one.rating.value == pytest.approx(other.rating.value, abs=0.2)
        assert one.rating.high == pytest.approx(other.rating.high, abs=0.5)


def test_standings_without_games_list_everybody_without_a_rating() -> None:
    standings = board().compute()
    assert [each.name for each in standings.standings] != []
    assert {each.band for each in standings.standings} == {0}
