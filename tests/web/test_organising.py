"""Accounts from invitations, tournaments from the form, and players that sign up: in browsers without scripts."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest_asyncio

from fairplay.games.game import find
from fairplay.server.access.accounts import Accounts
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.place import at
from fairplay.server.server import Config
from fairplay.v1.manager_pb2 import GetTournamentRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from tests.server.access.harness import add_accounts
from tests.server.harness import dialled_in
from tests.web.harness import Pages, pages_of, text_of, wait_for

QUIET = {"HX-Request": "true"}
EVIL = '"><script>alert(1)</script>'
FORM = {"game": "fish", "format": "round-robin", "least": "2", "most": "4", "do": "make"}


@pytest_asyncio.fixture
async def open_pages() -> AsyncIterator[Pages]:
    async with pages_of() as pages:
        yield pages


@pytest_asyncio.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Pages]:
    add_accounts(tmp_path)
    async with pages_of(Config(listen="127.0.0.1:0", records=tmp_path, accounts=True)) as pages:
        yield pages


def invite(records: Path, role: str) -> str:
    database = AccountsDatabase(at(records))
    invitation = Accounts(database).invite(role, 1, 60.0)
    database.close()
    return invitation


async def test_an_invitation_becomes_an_account_that_has_entered_the_lobby(guarded: Pages, tmp_path: Path) -> None:
    invitation = invite(tmp_path, "organiser")
    async with guarded.person() as browser:
        assert "I was invited" in (await browser.get("/")).text
        assert "data-fragment" in (await browser.get("/account")).text
        for name, given, sentence in (
            ("carl", "fpi_1_nonsense", "The invitation is not valid, or was used up."),
            ("alice", invitation, "choose another one."),
            (EVIL, invitation, "is not a name"),
            ("", "", "Give a name, and the invitation"),
        ):
            answer = await browser.post("/account", data={"name": name, "invitation": given})
            assert answer.status_code in (400, 409)
            assert sentence in text_of(answer.text)
            assert "<script>alert" not in answer.text
        made = await browser.post("/account", data={"name": "carl", "invitation": invitation})
        assert made.status_code == 200
        assert "You are carl now, with the role organiser, and have entered the lobby" in text_of(made.text)
        token = re.findall(r'value="(fpt_[^"]+)"', made.text)[0]
        assert "You are carl" in text_of((await browser.get("/tournaments/new")).text)
        await browser.post("/leave")
        assert "You are carl" in text_of((await browser.post("/enter", data={"name": "carl", "token": token})).text)
        used = await browser.post("/account", data={"name": "dora", "invitation": invitation})
        assert used.status_code == 409


async def test_a_tournament_from_the_form_takes_a_program_that_dials_in_and_is_started(open_pages: Pages) -> None:
    async with open_pages.person("ora") as organiser, open_pages.person() as author:
        made = await organiser.post("/tournaments", data={**FORM, "id": "cup", "bots": "1", "strategy": "first"})
        assert made.url.path == "/tournaments/cup"
        too_few = await organiser.post("/tournaments/cup/start")
        assert too_few.status_code == 409
        assert "the tournament needs 2 entrants to start and has 1" in text_of(too_few.text)
        assert "Start now" not in (await author.get("/tournaments/cup")).text
        asked = f"fairplay signup cup dial-in:NAME --server {open_pages.server.address}"
        assert asked in text_of((await author.get("/tournaments/cup/sign-up")).text)
        assert (await author.post("/tournaments/cup/sign-up", data={"name": EVIL})).status_code == 400
        shown = (await author.post("/tournaments/cup/sign-up", data={"name": "alice"})).text
        command = html.unescape(re.findall(r'<pre class="command">(.+)</pre>', shown)[0])
        given = dict(word.split("=", 1) for word in command.split() if "=" in word)
        assert given["FAIRPLAY_CONNECT"] == open_pages.server.address
        fields = {"name": given["FAIRPLAY_NAME"], "token": given["FAIRPLAY_TOKEN"]}
        waiting = await author.post("/tournaments/cup/sign-up", data=fields, headers=QUIET)
        assert (waiting.status_code, waiting.text) == (204, "")
        assert "alice has not dialled in yet. Start it first." in text_of(
            (await author.post("/tournaments/cup/sign-up", data=fields)).text
        )
        alice = (fields["name"], find("fish").player("greedy"))
        async with dialled_in(open_pages.server, alice, token=fields["token"]):
            there = await author.post("/tournaments/cup/sign-up", data=fields, headers=QUIET)
            assert "alice is here and has signed up, as number 2." in text_of(there.text)
            taken = await author.post("/tournaments/cup/sign-up", data={"name": "house-1", "token": "x"})
            assert "The name house-1 is taken in this tournament" in text_of(taken.text)
            assert (await organiser.post("/tournaments/cup/start")).status_code == 200
            await wait_for(organiser, "/live/tournament/cup", "state", "Won by")
        closed = await author.get("/tournaments/cup/sign-up")
        assert closed.status_code == 409


async def test_the_form_of_a_tournament_previews_it_and_says_what_is_wrong(open_pages: Pages) -> None:
    async with open_pages.person("ora") as browser:
        for name in ("knockout", "gauntlet", "swiss", "ladder"):
            shown = (await browser.get(f"/tournaments/new?game=q&format={name}")).text
            assert "Empty:" in shown
            # Whoever takes long to fill a form in stays in the lobby meanwhile.
            assert (await browser.get(re.findall(r'hx-get="([^"]+)" hx-trigger="every 20s"', shown)[0])).is_success
        asked = {**FORM, "most": "60", "do": "preview", "decision": "1"}
        shown = text_of((await browser.post("/tournaments", data=asked)).text)
        assert "With 2 entrants: 1 game," in shown
        assert "With 60 entrants: 1,770 games" in shown
        for wrong, sentence in {
            "least": "The fewest entrants: give a number between 1 and 10,000",
            "limit": "is not a duration",
            "format-cycles": "Cycles: ",
            "id": "is not an id",
            "title": "title",
        }.items():
            answer = await browser.post("/tournaments", data={**FORM, wrong: "\x01 x"})
            assert answer.status_code in (400, 409), wrong
            assert 'role="alert"' in answer.text
            assert sentence in text_of(answer.text), text_of(answer.text)
        assert "There are no tournaments." in text_of((await browser.get("/tournaments")).text)
        await browser.post("/tournaments", data={**FORM, "id": "cup", "title": EVIL})
        shown = (await browser.get("/tournaments/cup")).text
        assert "<script>alert" not in shown
        assert "Cancelled: the organiser cancelled it" in text_of((await browser.post("/tournaments/cup/cancel")).text)


async def test_a_tournament_has_the_settings_of_tournaments_and_those_of_the_form(open_pages: Pages) -> None:
    async with open_pages.person("ora") as browser, grpc.aio.insecure_channel(open_pages.server.address) as channel:
        shown = (await browser.get("/tournaments/new?game=fish&format=swiss")).text
        assert re.search(r'id="set-holes"[^>]* placeholder="3"', shown)
        assert re.search(r'id="set-random_fish"[^>]* checked', shown)
        wrong = await browser.post("/tournaments", data={**FORM, "set-rows": "99", "set-holes": "2"})
        assert wrong.status_code in (400, 409)
        assert 'value="99"' in wrong.text
        for tournament_id, fields in {"usual": {}, "mine": {"set-rows": "4", "set-random_fish": "false"}}.items():
            asked = {**FORM, **fields, "id": tournament_id}
            assert "With 4 entrants" in text_of(
                (await browser.post("/tournaments", data={**asked, "do": "preview"})).text
            )
            assert (await browser.post("/tournaments", data=asked)).url.path == f"/tournaments/{tournament_id}"
        manager = ManagerServiceStub(channel)
        usual, mine = [
            (await manager.GetTournament(GetTournamentRequest(tournament_id=each))).tournament.plan.settings.fish
            for each in ("usual", "mine")
        ]
        assert (usual.rows, usual.columns, usual.holes, usual.random_fish) == (6, 5, 3, True)
        assert (mine.rows, mine.columns, mine.holes, mine.random_fish) == (4, 5, 3, False)


async def test_who_is_no_organiser_makes_and_starts_nothing(guarded: Pages, tmp_path: Path) -> None:
    invitation = invite(tmp_path, "player")
    async with guarded.person() as browser:
        assert (await browser.get("/tournaments/new")).status_code == 401
        await browser.post("/account", data={"name": "carl", "invitation": invitation})
        for address in ("/tournaments", "/tournaments/cup/start", "/tournaments/cup/cancel"):
            answer = await browser.post(address, data=FORM)
            assert answer.status_code == 403
            assert "This is for organisers" in text_of(answer.text)
        assert "Make a tournament" not in (await browser.get("/tournaments")).text
