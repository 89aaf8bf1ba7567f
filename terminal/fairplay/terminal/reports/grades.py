"""Grades from a template of points, as CSV for spreadsheets, and as a preview for people."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from fairplay.client.wording import counted, harmless
from fairplay.terminal.reports.event import Event, Person
from fairplay.v1.tournament_pb2 import Standing

KEYS = {
    "certificate": "for a player that is certified",
    "place": "for the first place, and in equal steps less down to 0 for the last",
    "band": "the same by bands: entrants that cannot be told apart get the same",
    "points": "for whoever won all points of its games, and that share of it for others",
    "failure": "for each failure; usually negative",
    "withdrawn": "for who was withdrawn; usually negative",
    "least": "the least grade, and that of who has not played",
    "most": "the greatest grade",
}
"""What a template may name, and what its number is for."""
MERITS = ("certificate", "place", "band", "points")
DEFAULT = "place=100,failure=-2,least=0"
NUMBER = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,3})?")
WIDTHS = (1, 2, 5, 10, 20, 50, 100, 1_000, 10_000, 1_000_000)
MAX_STEPS, MAX_BAR = 12, 40
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Template:
    """How many points there are for what."""

    points: Mapping[str, float]

    @property
    def graded(self) -> list[str]:
        """Return what points are given for, in the order of KEYS."""
        return [key for key in KEYS if key in self.points and key not in ("least", "most")]


def parse_template(text: str) -> Template:
    """Return the template in a text such as "certificate=40,band=60,failure=-5,least=0".

    Raises ValueError, with one sentence, if the text is invalid.
    """
    points: dict[str, float] = {}
    for part in text.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in KEYS or not equals:
            raise ValueError(f"{part.strip()!r} grades nothing: give KEY=POINTS with {', '.join(KEYS)}")
        if key in points:
            raise ValueError(f"{key} is there twice")
        if not NUMBER.fullmatch(value):
            raise ValueError(f"{part.strip()!r}: {value!r} is not a number of points")
        points[key] = float(value)
    if points.get("least", 0.0) > points.get("most", 1e9):
        raise ValueError("least is greater than most")
    template = Template(points)
    if not template.graded:
        raise ValueError("it gives points for nothing: add e.g. place=100")
    return template


def check_template(template: Template, *, has_certificates: bool, has_bands: bool) -> None:
    """Raise ValueError if a template asks for what is not known."""
    if "certificate" in template.points and not has_certificates:
        raise ValueError("it gives points for certificates: say with --certificates DIR where they are")
    if "band" in template.points and not has_bands:
        raise ValueError("it gives points by bands, which this format has not: use place")


def grade(template: Template, event: Event, line: Standing) -> dict[str, float]:
    """Return what an entrant gets for each part of a template, and as "grade" the sum, within its bounds.

    Who has not played gets nothing for its merits, and the least grade.
    """
    last_place = max(each.place for each in event.standings)
    last_band = max(each.band for each in event.standings)
    shares = {
        "certificate": 1.0 if event.certified.get(line.name) else 0.0,
        "place": _share(line.place, last_place),
        # Who has no band, since no game of it counts, is not known to be worse than anybody.
        "band": _share(line.band, last_band) if line.band else float(not line.withdrawn),
        "points": line.points / line.game_count if line.game_count else 0.0,
        "failure": float(line.failure_count),
        "withdrawn": float(line.withdrawn),
    }
    if line.unplayed:
        shares |= dict.fromkeys(MERITS, 0.0)
    parts = {key: template.points[key] * shares[key] for key in template.graded}
    if line.unplayed and "least" in template.points:
        return {**parts, "grade": template.points["least"]}
    total = max(sum(parts.values()), template.points.get("least", float("-inf")))
    return {**parts, "grade": min(total, template.points.get("most", float("inf")))}


def _share(rank: int, last: int) -> float:
    """Return 1 for the first rank and 0 for the last; 1 where all share it."""
    return (last - rank) / (last - 1) if last > 1 else 1.0


def preview(template: Template, event: Event) -> Iterator[RenderableType]:
    """Yield what a person looks at before grades are handed out: who gets how much for what, and how they spread."""
    grades = {line.name: grade(template, event, line) for line in event.standings}
    table = Table(title="Grades", title_justify="left")
    table.add_column("Player", overflow="fold")
    for key in template.graded:
        table.add_column(key.capitalize(), overflow="fold")
    table.add_column("Grade", justify="right")
    for line in event.standings:
        found = grades[line.name]
        parts = [f"{_number(found[key])} for {_why(key, event, line)}" for key in template.graded]
        total = sum(found[key] for key in template.graded)
        bound = (
            ""
            if total == found["grade"]
            else f", {'raised' if total < found['grade'] else 'cut'} from {_number(total)}"
        )
        who = event.people.get(line.name, Person()).who
        name = f"{line.name} ({who})" if who else line.name
        table.add_row(*(harmless(escape(each)) for each in (name, *parts, f"{_number(found['grade'])}{bound}")))
    yield table
    values = [found["grade"] for found in grades.values()]
    yield from _spread(values)
    yield (
        f"{counted(len(values), 'grade')} from {_number(min(values))} to {_number(max(values))}, "
        f"on average {_number(mean(values))}, half of them {_number(median(values))} or more."
    )


def _why(key: str, event: Event, line: Standing) -> str:
    if line.unplayed and key in MERITS:
        return "not playing"
    certified = {True: "being certified", False: "not being certified", None: "no known certificate"}
    return {
        "certificate": certified[event.certified.get(line.name)],
        "place": f"place {line.place} of {max(each.place for each in event.standings)}",
        "band": f"band {line.band} of {max(each.band for each in event.standings)}" if line.band else "no band",
        "points": f"{_number(line.points)} of {counted(line.game_count, 'point')}",
        "failure": counted(line.failure_count, "failure"),
        "withdrawn": "being withdrawn" if line.withdrawn else "staying to the end",
    }[key]


def _spread(values: Sequence[float]) -> Iterator[str]:
    """Yield a line for each step between the least and the greatest grade, with a bar for how many are in it."""
    low, high = min(values), max(values)
    width = next(each for each in WIDTHS if (high - low) / each < MAX_STEPS)
    first = math.floor(low / width)
    counts = Counter(math.floor(value / width) for value in values)
    for step in range(first, max(counts) + 1):
        bar = "█" * math.ceil(counts[step] * MAX_BAR / max(counts.values()))
        yield f"{_number(step * width):>9} and more, below {_number((step + 1) * width):>6} {counts[step]:>5} {bar}"


def grades_csv(template: Template, event: Event) -> str:
    """Return a line for each entrant, best first: who it is, how it did, what it gets for that, and its grade."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    parts = [f"for {key}" for key in template.graded]
    writer.writerow([*_HEAD, *parts, "grade", "remark"])
    for line in event.standings:
        graded = grade(template, event, line)
        person = event.people.get(line.name, Person())
        rating, rated = line.rating, line.HasField("rating")
        writer.writerow(
            [
                *(_cell(text) for text in (line.name, person.who, person.language)),
                {True: "yes", False: "no", None: ""}[event.certified.get(line.name)],
                line.place,
                line.band or "",
                *([f"{each:.0f}" for each in (rating.value, rating.low, rating.high)] if rated else ["", "", ""]),
                _number(line.points),
                line.game_count,
                line.failure_count,
                "yes" if line.withdrawn else "no",
                *(_number(each) for each in graded.values()),
                _remark(line, event),
            ]
        )
    return written.getvalue()


def _remark(line: Standing, event: Event) -> str:
    """Return what whoever relies on the grade of an entrant has to know, in a sentence; "" for nothing."""
    if line.unplayed:
        return "has not played: it has failed, and has finished no game"
    return event.warning if line.band else ""


_HEAD = (
    "name",
    "who",
    "language",
    "certified",
    "place",
    "band",
    "rating",
    "rating low",
    "rating high",
    "points",
    "games",
    "failures",
    "withdrawn",
)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
