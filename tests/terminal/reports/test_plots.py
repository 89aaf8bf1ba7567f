"""Plots: every mark is where its value is, and on the paper."""

from __future__ import annotations

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from fairplay.client.results import PlayedGame, Seat, meetings
from fairplay.terminal.reports.event import Interval
from fairplay.terminal.reports.plots import TOP_LINES, linear_bars, lines, logarithmic_bars, show_seconds, squares

VALUES = st.floats(-5_000, 5_000)
SECONDS = st.floats(0, 4_000)


@st.composite
def intervals(draw: st.DrawFn, values: st.SearchStrategy[float]) -> dict[str, Interval]:
    found = {}
    for number in range(draw(st.integers(1, 30))):
        low, value, high = sorted(draw(st.tuples(values, values, values)))
        found[f"name-{number}"] = Interval(value, low, high)
    return found


@given(intervals(VALUES))
def test_bars_are_in_order_and_on_the_paper(values: dict[str, Interval]) -> None:
    plot = linear_bars("Ratings", values)
    for bar in plot.bars:
        assert plot.left - 0.01 <= bar.low <= bar.at + 0.01
        assert bar.at - 0.01 <= bar.high <= plot.right + 0.01
        assert 0 < bar.y < plot.bottom < plot.height
    assert [bar.label for bar in plot.bars] == list(values)
    assert 2 <= len(plot.ticks) <= 12
    ats = {name: bar.at for name, bar in zip(values, plot.bars, strict=True)}
    best = max(values, key=lambda name: values[name].value)
    assert ats[best] == max(ats.values())


@given(intervals(SECONDS))
def test_times_are_on_the_paper_whatever_they_are(values: dict[str, Interval]) -> None:
    plot = logarithmic_bars("Times", values)
    for bar in plot.bars:
        assert plot.left - 0.01 <= bar.low <= bar.at + 0.01
        assert bar.high <= plot.right + 0.01
    assert len(plot.ticks) <= 12


@given(st.lists(st.lists(VALUES, min_size=1, max_size=9), min_size=1, max_size=20))
@example([[0.0, 2.225073858507e-311]])
def test_lines_are_on_the_paper_and_their_names_do_not_overlap(series: list[list[float]]) -> None:
    named = {f"name-{number}": list(enumerate(values, start=1)) for number, values in enumerate(series)}
    plot = lines("Ratings", named)
    assert len(plot.paths) == len(series)
    for path in plot.paths:
        for point in path.points.split():
            x, y = map(float, point.split(","))
            assert plot.left - 0.1 <= x <= plot.right + 0.1
            assert plot.top - 0.1 <= y <= plot.bottom + 0.1
    heights = sorted(path.label_y for path in plot.paths if path.label)
    assert len(heights) == min(TOP_LINES, len(series))
    assert all(other - one > 13.9 for one, other in itertools.pairwise(heights))
    assert all(0 < height < plot.height for height in heights)


def test_times_are_shown_with_their_unit() -> None:
    assert [show_seconds(each) for each in (0.00034, 0.012, 1.5, 61)] == ["340 µs", "12 ms", "1.5 s", "61 s"]


def game(*places: int | None, aborted: str = "") -> PlayedGame:
    return PlayedGame(
        "cup/r1g1", 1, 0, [Seat(name, place, 0) for name, place in zip("abc", places, strict=False)], aborted
    )


def test_meetings_count_who_won_from_whom() -> None:
    found = meetings([game(1, 2), game(1, 1), game(None, 1), game(1, 2, aborted="stopped"), game(1, None, None)])
    assert (found["a", "b"].won, found["a", "b"].count) == (2.5, 4)
    assert (found["b", "a"].won, found["b", "a"].count) == (1.5, 4)
    assert found["b", "c"].share == found["c", "b"].share == 0  # both failed


def test_a_map_has_a_square_for_each_pair_that_has_met() -> None:
    found = squares("abc", meetings([game(1, 2), game(1, 1, 1)]), 10)
    assert sum(square.path.count("M") for square in found) == 6
    assert {(square.won, round(square.opacity, 2)) for square in found} == {(True, 0.49), (False, 0.49), (True, 0.08)}
