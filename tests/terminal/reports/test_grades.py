"""Grades: templates, what they give, and the file for spreadsheets."""

from __future__ import annotations

import csv
import io
import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.terminal.reports.event import Person
from fairplay.terminal.reports.grades import check_template, grade, grades_csv, parse_template
from tests.terminal.reports.sample import sample


def test_each_part_gives_what_the_template_says() -> None:
    event = sample(9, 4)
    first, last = event.standings[0], event.standings[-1]
    last.failure_count, last.withdrawn = 3, True
    template = parse_template("certificate=40, place=60,band=10,failure=-5,withdrawn=-7")
    event = replace(event, certified={first.name: True})
    assert grade(template, event, first) == {
        "certificate": 40,
        "place": 60,
        "band": 10,
        "failure": 0,
        "withdrawn": 0,
        "grade": 110,
    }
    assert grade(template, event, last)["grade"] == -22


def test_a_grade_stays_within_its_bounds() -> None:
    event = sample(9, 4)
    assert grade(parse_template("place=100,most=80"), event, event.standings[0])["grade"] == 80
    assert grade(parse_template("place=100,least=20"), event, event.standings[-1])["grade"] == 20


def test_who_has_not_played_gets_the_least_whatever_it_is_graded_by() -> None:
    event = sample(9, 4)
    gone = event.standings[-1]
    gone.ClearField("rating")
    gone.band, gone.failure_count, gone.unplayed = 0, 4, True
    event = replace(event, certified={gone.name: True})
    graded = "certificate=50,band=50,place=10,points=10,failure=-2"
    assert grade(parse_template(graded), event, gone)["grade"] == -8
    assert grade(parse_template(f"{graded},least=5"), event, gone)["grade"] == 5
    rows = [*csv.DictReader(io.StringIO(grades_csv(parse_template(graded), event)))]
    assert rows[-1]["remark"].startswith("has not played")


@given(st.integers(2, 30))
def test_places_share_their_points_in_equal_steps(entrant_count: int) -> None:
    event = sample(entrant_count, 1)
    found = [grade(parse_template("place=60"), event, line)["grade"] for line in event.standings]
    assert found[0] == 60
    assert found[-1] == 0
    steps = [one - other for one, other in itertools.pairwise(found)]
    assert all(abs(step - 60 / (entrant_count - 1)) < 1e-9 for step in steps)


def test_a_template_that_is_none_is_refused_in_a_sentence() -> None:
    for text, sentence in [
        ("", "'' grades nothing: give KEY=POINTS with certificate, place"),
        ("place", "'place' grades nothing"),
        ("plaec=3", "'plaec=3' grades nothing"),
        ("place=x", "'place=x': 'x' is not a number of points"),
        ("place=1e9", "'place=1e9': '1e9' is not a number"),
        ("place=1,place=2", "place is there twice"),
        ("least=0", "it gives points for nothing"),
        ("place=1,least=5,most=2", "least is greater than most"),
    ]:
        with pytest.raises(ValueError) as found:
            parse_template(text)
        assert str(found.value).startswith(sentence)


def test_a_template_asks_only_for_what_is_known() -> None:
    with pytest.raises(ValueError, match="--certificates"):
        check_template(parse_template("certificate=1"), has_certificates=False, has_bands=True)
    with pytest.raises(ValueError, match="use place"):
        check_template(parse_template("band=1"), has_certificates=False, has_bands=False)
    check_template(parse_template("band=1,certificate=1"), has_certificates=True, has_bands=True)


def test_the_file_has_a_line_for_each_entrant_and_no_formulas() -> None:
    event = sample(4, 2)
    evil = event.standings[1].name
    event = replace(event, people={evil: Person('=HYPERLINK("http://x"),"', "@x")}, certified={evil: False})
    rows = list(csv.DictReader(io.StringIO(grades_csv(parse_template("place=100"), event))))
    assert [row["name"] for row in rows] == [line.name for line in event.standings]
    assert [row["grade"] for row in rows] == ["100", "66.67", "33.33", "0"]
    assert rows[1]["who"] == '\'=HYPERLINK("http://x"),"'
    assert rows[1]["language"] == "'@x"
    assert (rows[0]["certified"], rows[1]["certified"]) == ("", "no")
