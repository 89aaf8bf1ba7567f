"""Tournaments, entrants, records and the operator's page, before a real server."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from google.protobuf.duration_pb2 import Duration

from fairplay.client.results import check_record
from fairplay.server.records import files
from fairplay.server.server import Config
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import (
    CertificatePolicy,
    ExaminationPolicy,
    Knockout,
    RoundRobin,
    SignUpPolicy,
    TournamentFormat,
    TournamentPlan,
)
from tests.web.harness import Pages, pages_of, text_of, wait_for

LEAGUE = TournamentFormat(round_robin=RoundRobin())
KNOCKOUT = TournamentFormat(knockout=Knockout())


@pytest_asyncio.fixture
async def recorded(tmp_path: Path) -> AsyncIterator[Pages]:
    async with pages_of(Config(listen="127.0.0.1:0", records=tmp_path, start_limit_s=0.5)) as pages:
        yield pages


async def test_a_league_shows_standings_with_intervals_and_a_cross_table(recorded: Pages) -> None:
    await recorded.play_tournament("league", LEAGUE, "bot:greedy", "bot:random", "bot:first")
    async with recorded.person() as browser:
        assert "A <b>cup</b>" in text_of((await browser.get("/tournaments")).text)
        answer = await browser.get("/tournaments/league")
        assert answer.status_code == 200
        assert "&lt;b&gt;cup" in answer.text
        assert "Won by" in text_of(answer.text)
        assert "Who beat whom" in answer.text
        assert 'class="interval"' in answer.text
        assert "Nobody has failed." in answer.text
        assert '<body hx-ext="sse" class="screen">' in (await browser.get("/tournaments/league?screen")).text


@pytest.mark.slow
async def test_a_sign_up_shows_who_is_examined_and_who_was_refused_and_why() -> None:
    asked = CertificatePolicy(examination=ExaminationPolicy(), profile="standard")
    policy = SignUpPolicy(waiting_period=Duration(), certificate=asked)
    config = Config(listen="127.0.0.1:0", examinations=2, start_limit_s=1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        links = {"ann": f"grpc://127.0.0.1:{silent.getsockname()[1]}", "bob": "grpc://127.0.0.1:1"}
        async with pages_of(config) as pages, pages.person() as browser:
            manager = pages.server.manager
            await manager.create("cup", TournamentPlan(game="fish", sign_up=policy))
            for name, link in links.items():
                await manager.sign_up("cup", Player(name=name, link=link), "")
            text = text_of((await browser.get("/tournaments/cup")).text)
            assert "The server runs the conformance suite on those who sign up." in text
            assert "A certificate for the profile standard is enough." in text
            assert "ann is being examined" in text
            async with asyncio.timeout(60):
                while "bob was refused" not in text:
                    await asyncio.sleep(0.1)
                    text = text_of((await browser.get("/tournaments/cup")).text)
            assert "bob was refused: contract.reachable FAIL: The player cannot be reached" in text


async def test_an_entrant_shows_its_certificate(tmp_path: Path) -> None:
    async with pages_of() as pages, pages.person() as browser:
        key = await pages.sign_up_certified("cup", tmp_path)
        text = text_of((await browser.get("/tournaments/cup/entrants/ann")).text)
        assert "It is certified by the conformance suite" in text
        assert f"signed with the key {key}" in text


async def test_a_knockout_shows_its_rounds_and_failures_with_their_evidence(recorded: Pages) -> None:
    await recorded.play_tournament("cup", KNOCKOUT, "bot:greedy", "grpc://127.0.0.1:1", "bot:first", "bot:random")
    async with recorded.person() as browser:
        text = (await browser.get("/tournaments/cup")).text
        assert "Round 1" in text
        assert "<strong>e1</strong> raised an exception" in text
        assert "Who beat whom" not in text
        assert "raised an exception" in text_of((await browser.get("/tournaments/cup/entrants/e1")).text)


async def test_a_game_shows_who_failed_and_the_evidence(recorded: Pages) -> None:
    await recorded.play_game("fish", "one", "bot:greedy", "grpc://127.0.0.1:1")
    async with recorded.person() as browser:
        text = text_of((await browser.get("/watch/one")).text)
        assert "p1 raised an exception in PlayAs" in text
        assert "The request" in text


async def test_an_entrant_has_a_page_with_its_games_and_its_time_per_call(recorded: Pages) -> None:
    await recorded.play_tournament("league", LEAGUE, "bot:greedy", "bot:random")
    async with recorded.person() as browser:
        text = text_of((await browser.get("/tournaments/league/entrants/e0")).text)
        assert "calls, half of them answered within" in text
        assert "won by" in text
        assert (await browser.get("/tournaments/league/entrants/none")).status_code == 404
        assert (await browser.get("/tournaments/none")).status_code == 404


async def test_games_that_wait_are_not_shown_as_games_that_run(recorded: Pages) -> None:
    entrants = [Player(name=name, link="bot:minimax") for name in ("ann", "bob", "cem")]
    plan = TournamentPlan(game="fish", format=LEAGUE, entrants=entrants, deal_count=20, concurrent_game_limit=1)
    await recorded.server.manager.create("league", plan)
    await recorded.server.manager.start("league")
    async with recorded.person() as browser:
        text = (await browser.get("/tournaments/league")).text
        pictures = re.findall(r'<img src="([^"]+)"', text)
        assert len(pictures) <= 1
        assert text.count("<small>runs</small>") == len(pictures)
        assert re.search(r"[0-9]+ games wait", text)
        for picture in pictures:
            assert (await browser.get(picture)).status_code == 200
        first = (await browser.get("/tournaments/league/games")).text
        [later] = re.findall(r'href="([^"]+games\?page=[^"]+)"', first)
        assert (await browser.get(later)).text.count("<td>waits</td>") == 20
    await recorded.server.manager.cancel("league", "")


@pytest.mark.slow
async def test_a_tournament_of_many_games_shows_the_latest_and_lists_all_in_pages(recorded: Pages) -> None:
    entrants = [Player(name=name, link="bot:first") for name in ("ann", "bob", "cem")]
    plan = TournamentPlan(game="fish", format=LEAGUE, entrants=entrants, deal_count=20)
    async with recorded.person() as browser:
        await recorded.server.manager.create("league", plan)
        await recorded.server.manager.start("league")
        await wait_for(browser, "/live/tournament/league", "state", "after 120 games")
        shown = (await browser.get("/tournaments/league")).text
        assert shown.count('href="/watch/') == 100
        assert "20 earlier games are left out" in text_of(shown)
        found, address = list[str](), "/tournaments/league/games"
        while address:
            listed = await browser.get(address)
            assert listed.status_code == 200
            found += re.findall(r'href="(/watch/[^"]+)"', listed.text)
            address = next(iter(re.findall(r'href="([^"]+)">Later games', listed.text)), "")
        assert len(set(found)) == len(found) == 120
        assert (await browser.get(found[-1])).status_code == 200
        assert (await browser.get("/tournaments/league/games?page=nonsense")).status_code == 400


async def test_games_that_had_not_begun_when_the_tournament_was_cancelled_have_no_link(recorded: Pages) -> None:
    entrants = [Player(name=name, link="bot:random") for name in ("ann", "bob", "cem")]
    plan = TournamentPlan(game="fish", format=LEAGUE, entrants=entrants, deal_count=50, concurrent_game_limit=1)
    await recorded.server.manager.create("league", plan)
    await recorded.server.manager.start("league")
    async with recorded.person() as browser:
        await wait_for(browser, "/live/tournament/league", "rounds", "games wait")
        await recorded.server.manager.cancel("league", "enough")
        await wait_for(browser, "/live/tournament/league", "rounds", "not played: the tournament was cancelled")
        games = set(re.findall(r'href="(/watch/[^"]+)"', (await browser.get("/tournaments/league")).text))
        assert [game for game in games if (await browser.get(game)).status_code != 200] == []


async def test_records_are_found_verified_and_downloaded(recorded: Pages, tmp_path: Path) -> None:
    await recorded.play_game("fish", "one/1", "bot:greedy", "bot:random")
    await recorded.play_game("bazaar", "two", *["bot:first"] * 2)
    async with recorded.person() as browser:
        found = (await browser.get("/records", params={"game": "fish", "player": "p0", "status": "over"})).text
        assert "one/1" in found
        assert "two" not in text_of(found.split("<table>")[1])
        assert "No game fulfils that." in (await browser.get("/records", params={"player": "nobody"})).text
        assert "Verified: the chain of its" in text_of((await browser.get("/records/one/1?verify=1")).text)
        answer = await browser.get("/download/one/1")
        assert 'filename="one' in answer.headers["content-disposition"]
        file = tmp_path / "record.fairplay"
        file.write_bytes(answer.content)
        assert check_record(files.load(file)) == []
        assert (await browser.get("/download/none")).status_code == 404


async def test_a_search_that_makes_no_sense_is_answered_with_a_sentence(recorded: Pages) -> None:
    async with recorded.person() as browser:
        answer = await browser.get("/records", params={"page_token": "nonsense"})
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text


async def test_the_operator_sees_what_runs(recorded: Pages) -> None:
    await recorded.play_game("fish", "one", "bot:greedy", "bot:random")
    async with recorded.person() as browser:
        text = text_of((await browser.get("/operator")).text)
        assert "Version of the server" in text
        assert "How late the server is" in text
        assert "Games that run 0" in text
        assert "No game runs now." in text
