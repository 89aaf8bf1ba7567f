"""The page of a tournament: what stands on it, and that nothing of a stranger's text becomes markup."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from fairplay.terminal.reports.event import Failure, Person
from fairplay.terminal.reports.page import MAX_GAMES, lead, tournament_page
from fairplay.v1.tournament_pb2 import Standing
from tests.terminal.reports.sample import HOSTILE, sample

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "dl", "dt", "dd", "div", "table"),
    *("thead", "tbody", "tr", "th", "td", "a", "br", "small", "svg", "rect", "line", "text", "circle", "polyline"),
    *("path", "details", "summary", "span", "pre", "code", "img"),
}


class Reader(HTMLParser):
    """Collects the tags and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_page_shows_standings_plots_failures_and_entrants() -> None:
    event = sample(8, 5)
    page = read(tournament_page(event))
    for line in event.standings:
        assert line.name in page.text
    for title in ("Standings", "Ratings with 95 % intervals", "Points after each round", "Who won from whom"):
        assert title in page.text
    assert f"Won by {event.standings[0].name}." in page.text
    assert "took longer than 1 s" in page.text
    assert "1717 ± 60" in page.text or "± 60" in page.text
    assert page.tags <= ALLOWED


def test_nothing_that_strangers_wrote_becomes_markup_or_steers_the_display() -> None:
    for entrant_count in [5, 60]:
        event = sample(entrant_count, 3)
        failure = Failure(event.standings[0].name, "cup/r1g1", HOSTILE, HOSTILE, 1, HOSTILE, [HOSTILE])
        hostile = replace(
            event,
            title=HOSTILE,
            status="cancelled",
            reason=HOSTILE,
            facts=[(HOSTILE, HOSTILE)],
            failures=[failure],
            games=[replace(event.games[0], aborted=HOSTILE), *event.games[1:]],
            people={line.name: Person(HOSTILE, HOSTILE, HOSTILE) for line in event.standings},
            progress_title=HOSTILE,
        )
        text = tournament_page(hostile)
        page = read(text)
        assert page.tags <= ALLOWED
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        assert all(
            (value or "").startswith(("#", "data:image/svg+xml;base64,"))
            for name, value in page.attributes
            if name in ("src", "href")
        )
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "49" not in page.text.partition("Standings")[0]  # {{ 7*7 }} was not computed


def test_the_page_loads_and_runs_nothing() -> None:
    text = tournament_page(sample(4, 2))
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in text
    assert "http" not in text.replace('http-equiv="Content', "")
    assert "<script" not in text


def test_long_lists_are_cut_and_say_so() -> None:
    event = sample(4, 2 * MAX_GAMES)
    text = tournament_page(event)
    assert f"And {MAX_GAMES} more: the JSON has all." in text
    assert "<h2>Rounds</h2>" not in text


def test_many_entrants_have_a_map_in_place_of_a_cross_table() -> None:
    text = tournament_page(sample(60, 3))
    assert 'class="map"' in text
    assert 'class="cross"' not in text


def test_the_first_sentence_says_how_it_stands() -> None:
    for status, reason, winners, sentence in [
        ("finished", "", ["ann", "bob"], "Won by ann, bob."),
        ("finished", "", [], "Nobody won."),
        ("cancelled", "somebody cancelled it", [], "Cancelled: somebody cancelled it. First: {first}."),
        ("running", "", [], "As it stands: it is not over. First: {first}."),
    ]:
        event = replace(sample(4, 2), status=status, reason=reason, winners=winners)
        assert lead(event) == sentence.format(first=event.standings[0].name)


def test_an_event_without_games_has_a_page() -> None:
    event = sample(3, 1)
    bare = [Standing(name=line.name, place=line.place) for line in event.standings]
    empty = replace(event, standings=bare, games=[], failures=[], times={}, progress={}, winners=[], status="running")
    page = read(tournament_page(empty))
    assert "Standings" in page.text
    assert "svg" not in page.tags
