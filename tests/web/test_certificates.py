"""Certify mine: asking for a certification, watching it, and who sees it, before a real server."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

from fairplay.games.game import find
from fairplay.player.channels import Credentials
from fairplay.server.access.accounts import Accounts
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.place import at
from fairplay.server.server import Config
from tests.server.harness import dialled_in
from tests.web.harness import Pages, pages_of, text_of


async def test_an_author_is_told_what_to_dial_in_with_and_may_cancel(pages: Pages) -> None:
    async with pages.person() as browser:
        assert "There are no reports that you may see." in (await browser.get("/certificates")).text
        answer = await browser.post("/certificates", data={"game": "fish", "name": "ann"})
        assert answer.status_code == 200
        token = re.search(r"\?token=([\w-]{20,})$", str(answer.url))
        assert token is not None
        assert f"FAIRPLAY_NAME=ann FAIRPLAY_TOKEN={token[1]} " in answer.text
        assert f"<code>{pages.server.address}</code>" in answer.text
        assert "waits for the player to dial in" in text_of(answer.text)
        refused = await browser.post("/certificates", data={"game": "fish", "name": "ann"})
        assert refused.status_code == 409
        assert "Ann is being certified already" in text_of(refused.text)
        page = str(answer.url).partition("?")[0]
        assert "cancelled" in text_of((await browser.post(f"{page}/cancel")).text)
        assert (await browser.get(f"{page}/report.html")).status_code == 409
        assert (await browser.get(f"{page}/other")).status_code == 404
        assert "cancelled" in text_of((await browser.get("/certificates")).text)
        assert (await browser.get("/certificates/nothing")).status_code == 404


async def test_programs_dial_in_where_the_operator_says() -> None:
    elsewhere = "grpcs://games.example.org:50050"
    change = partial(replace, dial_in_at=elsewhere)
    async with pages_of(change=change) as pages, pages.person("ann") as browser:
        answer = await browser.post("/certificates", data={"game": "fish", "name": "ann"})
        assert f"FAIRPLAY_CONNECT={elsewhere} " in answer.text


async def test_why_there_is_no_report_is_said_and_names_stay_text(pages: Pages) -> None:
    player = find("fish").player("first")
    async with pages.person() as browser, dialled_in(pages.server, ("ann", player), ("bob", player)):
        answer = await browser.post("/certificates", data={"game": "fish", "name": "ann"})
        live = str(answer.url).partition("?")[0].replace("/certificates/", "/live/certificate/")
        told = await browser.get(live)  # ends with the certification
        assert "shares its stream with other players" in text_of(told.text)
        async with dialled_in(pages.server, ("eve", find("q").player("first")), token="secret"):
            answer = await browser.post("/certificates", data={"game": "fish", "name": "eve"})
            told = await browser.get(str(answer.url).partition("?")[0].replace("/certificates/", "/live/certificate/"))
            assert "eve does not play Fish: it plays Q. Start another player" in text_of(told.text)
        refused = await browser.post("/certificates", data={"game": "fish", "name": "<b>x"})
        assert refused.status_code == 409
        assert "<b>x" not in refused.text


async def test_visitors_see_what_their_account_may_see(tmp_path: Path) -> None:
    database = AccountsDatabase(at(tmp_path))
    accounts = Accounts(database)
    for name, role in (("alice", "player"), ("pages", "operator")):
        accounts.add(name, role)
    token, _ = accounts.new_token("alice", 3_600.0)
    own, _ = accounts.new_token("pages", 3_600.0)
    database.close()
    config = Config(listen="127.0.0.1:0", records=tmp_path, accounts=True)
    change = partial(replace, credentials=Credentials(token=own))
    async with pages_of(config, change=change) as pages, pages.person() as stranger, pages.person() as alice:
        assert "with the token of your account first" in text_of((await stranger.get("/certificates")).text)
        assert (await stranger.post("/certificates", data={"game": "fish", "name": "ann"})).status_code == 409
        await alice.post("/enter", data={"name": "alice", "token": token})
        mine = await alice.post("/certificates", data={"game": "fish", "name": "alice-2"})
        assert "the one of your account" in text_of(mine.text)
        assert token not in mine.text
        assert (await stranger.get(str(mine.url))).status_code == 404
        assert "There are no reports that you may see." in (await stranger.get("/certificates")).text
