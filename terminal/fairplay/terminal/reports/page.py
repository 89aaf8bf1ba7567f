"""The page of a tournament: one HTML file that loads nothing."""

from __future__ import annotations

import base64
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fairplay.client.results import Meeting, PlayedGame, Seat, meetings
from fairplay.client.wording import counted
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.reports import plots
from fairplay.terminal.reports.event import CallTimes, Event, Failure, Interval, Person
from fairplay.v1.tournament_pb2 import Standing

TEMPLATES = Path(__file__).with_name("templates")
MAX_GAMES = 60
"""So many games of an entrant are shown, the latest ones; and so many of the tournament as a list of rounds."""
MAX_FAILURES = 200
MAX_SHOWN_FAILURES = 3
"""Of so many failures of an entrant the evidence is shown."""
MAP_EXTENT = 640.0


def render(template: str, **values: object) -> str:
    """Return a page: a template of this package with values in it."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["time"] = plots.show_seconds
    return made


def _harmless(value: object) -> object:
    """Return what is shown in place of a value: a text without control characters, and nothing for None."""
    if value is None:
        return ""
    return value.translate(UNPRINTABLE) if isinstance(value, str) and not isinstance(value, Markup) else value


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A line of the standings, with what the page has to know about it."""

    line: Standing
    person: Person
    rating: Interval | None
    tie_breaks: Mapping[str, float]
    starts_band: bool
    certified: bool


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in the list of an entrant."""

    round: int
    id: str
    place: str
    score: str
    against: str


@dataclass(frozen=True, slots=True)
class EntrantDetails:
    """What is shown of one entrant below the tables."""

    line: Standing
    summary: str
    failures: Sequence[Failure]
    times: Sequence[CallTimes]
    games: Sequence[GameRow]
    more_games: int


def tournament_page(event: Event) -> str:
    """Return the page."""
    names = [line.name for line in event.standings]
    met = meetings(event.games)
    ratings = {line.name: rating for line in event.standings if (rating := _rating(line)) is not None}
    return render(
        "tournament.html",
        title=event.title or f"{event.game_title}, {event.format_title}",
        lead=lead(event),
        facts=event.facts,
        standings=_rows(event),
        tie_breaks=[each.name for line in event.standings[:1] for each in line.tie_breaks],
        rated=bool(ratings),
        banded=any(line.band for line in event.standings),
        certified=bool(event.certified),
        warning=event.warning,
        ratings=plots.linear_bars("Ratings", ratings) if ratings else None,
        progress=_progress(event),
        rounds=event.games if len(event.games) <= MAX_GAMES else [],
        cross=_cross_table(names, met) if met and len(names) <= plots.MAX_TABLE else None,
        squares=plots.squares(names, met, MAP_EXTENT / len(names)) if met and len(names) > plots.MAX_TABLE else None,
        extent=MAP_EXTENT,
        times=_times_plot(event),
        timed=counted(event.timed_game_count, "game"),
        failures=event.failures[:MAX_FAILURES],
        more_failures=len(event.failures) - MAX_FAILURES if len(event.failures) > MAX_FAILURES else 0,
        entrants=_details(event),
    )


def lead(event: Event) -> str:
    """Return who is first, in a sentence."""
    first = ", ".join(event.winners) or ", ".join(line.name for line in event.standings if line.place == 1)
    if event.status == "finished":
        return f"Won by {first}." if event.winners else "Nobody won."
    said = f"Cancelled: {event.reason}." if event.reason else "As it stands: it is not over."
    return f"{said} First: {first}." if first and event.games else said


def _rows(event: Event) -> list[StandingRow]:
    rows = []
    for number, line in enumerate(event.standings):
        starts_band = number > 0 and line.band != event.standings[number - 1].band
        person, certified = event.people.get(line.name, Person()), event.certified.get(line.name, False)
        tie_breaks = {each.name: each.value for each in line.tie_breaks}
        rows.append(StandingRow(line, person, _rating(line), tie_breaks, starts_band, certified))
    return rows


def _rating(line: Standing) -> Interval | None:
    rating = line.rating
    return Interval(rating.value, rating.low, rating.high) if line.HasField("rating") else None


def _progress(event: Event) -> plots.LinePlot | None:
    series = {line.name: event.progress[line.name] for line in event.standings if event.progress.get(line.name)}
    if not series or max(len(points) for points in series.values()) < 2:
        return None
    return plots.lines(event.progress_title, series)


def _cross_table(names: Sequence[str], met: Mapping[tuple[str, str], Meeting]) -> dict[str, Any]:
    rows = [
        {"name": one, "cells": ["self" if one == other else met.get((one, other)) for other in names]} for one in names
    ]
    return {"names": names, "rows": rows}


def _times_plot(event: Event) -> plots.BarPlot | None:
    """Return the times of the method that took the most time of all, by entrant."""
    totals: Counter[str] = Counter()
    for times in event.times.values():
        totals.update({each.method: each.total_s for each in times})
    if not totals:
        return None
    [(method, _)] = totals.most_common(1)
    shown = {}
    for line in event.standings:
        for each in event.times.get(line.name, ()):
            if each.method == method:
                shown[line.name] = Interval(each.median_s, each.median_s, max(each.median_s, each.p99_s))
    return plots.logarithmic_bars(f"Time for {method}", shown)


# --- entrants ---


def _details(event: Event) -> list[EntrantDetails]:
    games: defaultdict[str, list[PlayedGame]] = defaultdict(list)
    for game in event.games:
        for seat in game.seats:
            games[seat.name].append(game)
    failures: defaultdict[str, list[Failure]] = defaultdict(list)
    for failure in event.failures:
        failures[failure.name].append(failure)
    return [
        EntrantDetails(
            line,
            _summary(line),
            [_encoded(failure) for failure in failures[line.name][:MAX_SHOWN_FAILURES]],
            event.times.get(line.name, ()),
            [_game_row(line.name, game) for game in games[line.name][-MAX_GAMES:]],
            max(0, len(games[line.name]) - MAX_GAMES),
        )
        for line in event.standings
    ]


def _summary(line: Standing) -> str:
    found = _rating(line)
    rating = f", {found.value:.0f} ± {found.margin:.0f}" if found is not None else ""
    failed = f", {counted(line.failure_count, 'failure')}" if line.failure_count else ""
    return f"place {line.place}{rating}, {counted(line.game_count, 'game')}{failed}"


def _encoded(failure: Failure) -> Failure:
    return replace(failure, picture=base64.b64encode(failure.picture.encode()).decode())


def _game_row(name: str, game: PlayedGame) -> GameRow:
    [own] = [seat for seat in game.seats if seat.name == name]
    against = ", ".join(f"{seat.name} ({_place(seat)})" for seat in game.seats if seat.name != name)
    score = "" if own.score is None else str(own.score)
    return GameRow(game.round, game.short_id, "aborted" if game.aborted else _place(own), score, against)


def _place(seat: Seat) -> str:
    return "failed" if seat.place is None else str(seat.place)
