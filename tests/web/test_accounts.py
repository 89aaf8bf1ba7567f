"""The pages before a server with accounts: what is public, what is not, and who is who."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from fairplay.player.channels import Credentials
from fairplay.server.server import Config
from fairplay.v1.tournament_pb2 import RoundRobin, TournamentFormat
from tests.server.access.harness import add_accounts
from tests.web.harness import Pages, pages_of, text_of

ENTER_FIRST, OPERATORS_ONLY = "Enter it first.", "This page is for operators of the server"


@pytest_asyncio.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[tuple[Pages, dict[str, str]]]:
    """Yield pages that read with the token of an operator, and the tokens of all accounts."""
    tokens = add_accounts(tmp_path)
    config = Config(listen="127.0.0.1:0", records=tmp_path, accounts=True)
    credentials = Credentials(token=tokens["root"])
    async with pages_of(config, change=lambda options: replace(options, credentials=credentials)) as pages:
        yield pages, tokens


@pytest.mark.parametrize("token", ["root", ""])
async def test_who_has_no_account_sees_what_is_public_and_reads_why_not_the_rest(tmp_path: Path, token: str) -> None:
    tokens = {**add_accounts(tmp_path), "": ""}
    config = Config(listen="127.0.0.1:0", records=tmp_path, accounts=True)
    reader = Credentials(token=tokens[token])
    async with pages_of(config, change=lambda options: replace(options, credentials=reader)) as pages:
        organiser = pages.with_token(tokens["root"])
        await organiser.play_tournament("league", TournamentFormat(round_robin=RoundRobin()), "bot:greedy", "bot:first")
        async with pages.person() as browser:
            text = (await browser.get("/tournaments/league")).text
            game_id = text.partition('href="/watch/')[2].partition('"')[0]
            public = ["/", "/games", "/games/fish", "/tournaments", "/tournaments/league/entrants/e0", "/records"]
            for address in (*public, f"/watch/{game_id}", f"/records/{game_id}", f"/download/{game_id}"):
                assert (await browser.get(address)).status_code == 200, address
            closed = {"/table": ENTER_FIRST, "/tables/new?game=fish": ENTER_FIRST, "/operator": OPERATORS_ONLY}
            for address, sentence in closed.items():
                answer = await browser.get(address)
                assert answer.status_code in (401, 403)
                assert sentence in text_of(answer.text), address
        await organiser.close()


async def test_nobody_enters_with_the_token_of_the_pages(guarded: tuple[Pages, dict[str, str]]) -> None:
    pages, _ = guarded
    async with pages.person() as browser:
        front = text_of((await browser.get("/")).text)
        assert "The token of your account" in front
        assert "You need none to watch" in front
        answer = await browser.post("/enter", data={"name": "eve"})
        assert answer.status_code == 403
        asked = await browser.post("/play", data={"game": "fish"})
        assert asked.status_code == 403
        assert "Enter and play Fish" in text_of(asked.text)
        assert "Without one you can watch" in text_of(answer.text)
        assert (await browser.get("/operator")).status_code == 403


async def test_a_wrong_token_is_refused_with_a_sentence(guarded: tuple[Pages, dict[str, str]]) -> None:
    pages, _ = guarded
    async with pages.person() as browser:
        answer = await browser.post("/enter", data={"name": "eve", "token": "nonsense"})
        assert answer.status_code == 409
        assert "The token is not valid here" in text_of(answer.text)


@pytest.mark.parametrize(("account", "status"), [("alice", 403), ("ora", 403), ("root", 200)])
async def test_only_operators_see_the_page_of_operators(
    guarded: tuple[Pages, dict[str, str]], account: str, status: int
) -> None:
    pages, tokens = guarded
    async with pages.person() as browser:
        assert (await browser.post("/enter", data={"name": "eve", "token": tokens[account]})).status_code == 200
        assert "You are eve" in text_of((await browser.get("/")).text)
        assert (await browser.get("/operator")).status_code == status


async def test_who_enters_in_a_second_browser_is_the_same_visitor_there(
    guarded: tuple[Pages, dict[str, str]],
) -> None:
    pages, tokens = guarded
    async with pages.person() as phone, pages.person() as laptop, pages.person() as stranger:
        for browser in (*(phone for _ in range(10)), laptop):
            browser.cookies.clear()
            await browser.post("/enter", data={"name": "eve", "token": tokens["ora"]})
        for browser in (phone, laptop):
            assert "You are eve" in text_of((await browser.get("/tournaments/new")).text)
        refused = await stranger.post("/enter", data={"name": "eve", "token": tokens["alice"]})
        assert (refused.status_code, "belongs to another account" in text_of(refused.text)) == (409, True)
        await laptop.post("/leave")
        assert (await phone.get("/tournaments/new")).status_code == 401
