"""Names and words of strangers on the pages: text, and never markup, also where a server lets anything pass."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import fairplay.web.pages
from fairplay.client.lobby.mirror import Line
from fairplay.games.frontends import Offer
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.links.networks import DialNetworks
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.server import Config
from fairplay.v1.table_pb2 import Seat, Table, TableStatus, User
from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from fairplay.web.middleware import parse_networks
from fairplay.web.pages import PAGES
from fairplay.web.site import make_templates
from tests.web.harness import SERVER, Pages, pages_of, text_of

HOSTILE = "</title></svg><script>alert(1)</script><img src=x onerror=alert(2)>'\"{{ 7*7 }}"
NAME = "<b onclick=x>'\""
TEMPLATES = Path(fairplay.web.pages.__file__).parents[1] / "templates"
FIELDS = sorted(
    {name for each in TEMPLATES.rglob("*.html") for name in re.findall(r' name="([a-z_]+)"', each.read_text())}
)
"""The names of the fields of all forms."""
CHOSEN = {"game": "fish", "format": "round-robin", "least": "2", "most": "4"}


class Tags(HTMLParser):
    """Collects what of a page strangers must not be able to write."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("b", "iframe", "object") or (tag == "script" and "/static/" not in (given.get("src") or "")):
            self.found.append(tag)
        self.found += [name for name in given if name.startswith("on")]
        self.found += [name for name, value in attrs if (value or "").strip().lower().startswith("javascript:")]


def check(markup: str, *, shows: str = "") -> None:
    """Assert that a page has no tag of a stranger, and shows its words."""
    tags = Tags()
    tags.feed(markup)
    assert tags.found == []
    assert "\x1b" not in markup
    assert shows in text_of(markup)


class Failing:
    """A player of Fish whose error is a page of its own."""

    game = "fish"
    name = "failing"

    def play_as(self, request: Any) -> None:
        raise RuntimeError(f"{HOSTILE}\x1b[2J")


async def test_errors_of_players_become_no_markup(pages: Pages) -> None:
    server, port = await start_server(Handlers(Failing()), "127.0.0.1:0")
    try:
        link = f"grpc://127.0.0.1:{port}"
        await pages.play_game("fish", "one", "bot:greedy", link)
        await pages.play_tournament(
            "league", TournamentFormat(round_robin=RoundRobin()), "bot:greedy", link, title=HOSTILE
        )
    finally:
        await server.stop(0)
    async with pages.person() as browser:
        for path in ("/watch/one", "/tournaments/league", "/tournaments/league/entrants/e1"):
            check((await browser.get(path)).text, shows="<script>alert(1)")
        for path in ("/tournaments", "/tournaments/league?screen"):
            check((await browser.get(path)).text, shows="<img src=x")


def render(part: str, **values: Any) -> str:
    template = make_templates().get_template(f"parts/{part}.html")
    return template.render(root="", visitor=None, path="/table", **values)


def test_a_server_that_lets_anything_pass_writes_no_markup_into_the_lobby() -> None:
    table = Table(
        name=NAME,
        game=NAME,
        owner=NAME,
        seats=[Seat(name=NAME, bot=f"bot:{NAME}"), Seat(name="<script>", present=True)],
        watchers=[NAME],
        status=TableStatus.TABLE_STATUS_OVER,
        min_seat_count=5,
        game_id=HOSTILE,
    )
    table.result.aborted = HOSTILE
    seats = {
        "me": NAME,
        "seated": False,
        "is_ready": False,
        "running": False,
        "may_return": False,
        "strategies": [],
        "by_hand": True,
    }
    parts: dict[str, dict[str, Any]] = {
        "tables": {"tables": [table], "here": None},
        "people": {"users": [User(name=NAME, table=NAME)]},
        "seats": {"table": table, **seats},
        "talk": {"talk": [Line(NAME, HOSTILE), Line("", HOSTILE)]},
        "news": {"notice": HOSTILE, "trouble": HOSTILE},
        "offer": {"offer": Offer(HOSTILE), "running": True, "notice": HOSTILE},
        "log": {"lines": [HOSTILE]},
    }
    for part, values in parts.items():
        check(render(part, **values), shows=HOSTILE if part in ("talk", "news", "offer", "log") else NAME)


def seats(pages: Pages) -> list[str]:
    """Return who is seated at the only table, as the server knows it."""
    tables, _ = pages.server.lobby.tables("", 10, None)
    return [seat.name for seat in tables[0].seats]


async def test_visitors_have_the_server_start_and_call_nothing(tmp_path: Path) -> None:
    async with pages_of(replace(SERVER, allow_exec=True)) as pages, pages.person("ann") as ann:
        await ann.post("/tables", data={"game": "fish", "name": "blue"})
        proof = tmp_path / "ran"
        refused = {
            f"exec:touch {proof}": "have no programs started",
            "grpc://127.0.0.1:22": "calls no players for visitors",
            "grpcs://metadata.example:443": "calls no players for visitors",
        }
        for link, words in refused.items():
            notice = text_of((await ann.post("/table/join", data={"link": link})).text)
            assert words in notice
        assert seats(pages) == []
        await ann.post("/table/join", data={"link": "bot:first"})
        assert seats(pages) == ["ann"]
        assert not proof.exists()


async def test_an_operator_may_say_where_players_of_visitors_are_called() -> None:
    config = replace(SERVER, dial_networks=DialNetworks.parse("127.0.0.0/8"))
    async with pages_of(config) as pages, pages.person("ann") as ann:
        await ann.post("/tables", data={"game": "fish", "name": "blue"})
        await ann.post("/table/join", data={"link": "grpc://192.0.2.1:9"})
        assert seats(pages) == []
        await ann.post("/table/join", data={"link": "grpc://127.0.0.1:9"})
        assert seats(pages) == ["ann"]


@pytest.mark.slow
async def test_a_visitor_who_asks_too_often_shuts_nobody_else_out() -> None:
    config = Config(listen="127.0.0.1:0", lobby=LobbyLimits(requests_per_second=1, enter_burst=3))
    networks = parse_networks("127.0.0.1")
    async with pages_of(config, change=lambda options: replace(options, trusted_proxies=networks)) as pages:
        greedy, modest = {"X-Forwarded-For": "203.0.113.1"}, {"X-Forwarded-For": "192.0.2.9, 203.0.113.2"}
        said = []
        for number in range(8):
            async with pages.person() as browser:
                answer = await browser.post("/enter", data={"name": f"g{number}"}, headers=greedy)
                said.append("more often than" in text_of(answer.text))
        assert True in said
        async with pages.person() as browser:
            assert "You are" in (await browser.post("/enter", data={"name": "ann"}, headers=modest)).text


@pytest.mark.parametrize(
    ("hosts", "host", "served"),
    [
        ((), "evil.example", False),
        ((), "[oops", False),
        ((), "[::1]:8080", True),
        (("games.example",), "GAMES.example:443", True),
        (("[2001:db8::1]",), "[2001:db8::1]:443", True),
        (("games.example",), "evil.example", False),
    ],
)
async def test_pages_are_served_under_their_own_hosts(hosts: tuple[str, ...], host: str, served: bool) -> None:
    async with pages_of(change=lambda options: replace(options, hosts=hosts)) as pages, pages.person() as browser:
        assert ((await browser.get("/games", headers={"Host": host})).status_code == 200) is served


async def test_over_https_browsers_are_told_to_stay_there() -> None:
    networks = parse_networks("127.0.0.1")
    proxied = pages_of(change=lambda options: replace(options, trusted_proxies=networks))
    async with proxied as pages, pages.person() as browser:
        assert "strict-transport-security" not in (await browser.get("/healthz")).headers
        secure = await browser.get("/healthz", headers={"X-Forwarded-Proto": "https"})
        assert secure.headers["strict-transport-security"] == "max-age=31536000"


async def test_what_is_typed_into_any_form_comes_back_as_text(pages: Pages) -> None:
    routes = [route for route in PAGES if "POST" in (route.methods or ())]
    async with pages.person() as nobody, pages.person("ann") as ann:
        await ann.post("/tournaments", data={**CHOSEN, "id": "cup", "do": "make"})
        await ann.post("/tables", data={"game": "fish", "name": "blue"})
        for browser, chosen, there in product((nobody, ann), ({}, CHOSEN), ("cup", HOSTILE)):
            fields = {**dict.fromkeys(FIELDS, HOSTILE), **chosen}
            for route in sorted(routes, key=lambda each: each.path == "/leave"):
                answer = await browser.post(route.path.replace("{id}", quote(there, safe="")), data=fields)
                assert answer.status_code < 500, route.path
                check(answer.text)
            await browser.post("/enter", data={"name": "ann" if browser is ann else "eve"})
        for address in ("/records", "/tables/new", "/tournaments/new", "/"):
            check((await ann.get(address, params=dict.fromkeys(FIELDS, HOSTILE))).text)
        check((await ann.get(f"/watch/{'<script>'}")).text)
