"""The front page, the lobby and the form of a new table, before a real server and without scripts."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fairplay.client.lobby.tokens import TokenStore
from fairplay.games.game import find, registered
from fairplay.player.channels import NO_CREDENTIALS
from fairplay.web.middleware import POLICY
from fairplay.web.site import COOKIE
from fairplay.web.visitors import Visitor
from fairplay.webset.v1 import webset_pb2
from tests.client.lobby.fake import fake_lobby
from tests.server.lobby.harness import guests
from tests.slow import SLOW
from tests.web.harness import Pages, pages_of, text_of, wait_for


async def test_who_enters_sees_itself_and_the_others(pages: Pages) -> None:
    async with pages.person("ann") as ann, pages.person("bob"):
        assert "ann bob" in text_of(await wait_for(ann, "/live/lobby", "people", "bob"))
        assert "You are ann" in text_of((await ann.get("/")).text)


async def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(pages: Pages) -> None:
    async with pages.person() as browser:
        answer = await browser.post("/enter", data={"name": "ann"}, follow_redirects=False)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie


@pytest.mark.parametrize(("name", "words"), [("", "Give a name."), ("<b>", "name")])
async def test_a_name_that_cannot_be_is_refused_with_a_sentence(pages: Pages, name: str, words: str) -> None:
    async with pages.person() as browser:
        answer = await browser.post("/enter", data={"name": name})
        assert answer.status_code in (400, 409)
        assert 'role="alert"' in answer.text
        assert words in text_of(answer.text)
        assert "<b>" not in answer.text


async def test_who_enters_on_the_way_to_a_page_comes_there_and_nowhere_else(pages: Pages) -> None:
    async with pages.person() as browser:
        refused = await browser.get("/tables/new?game=fish")
        assert refused.status_code == 401
        [link] = re.findall(r'href="(/\?to=[^"]+)"', refused.text)
        [to] = re.findall(r'name="to" value="([^"]+)"', (await browser.get(link)).text)
        for elsewhere in ("//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example"):
            answer = await browser.post("/enter", data={"name": "", "to": elsewhere})
            assert 'value="//' not in answer.text
            assert 'value="https:' not in answer.text
        answer = await browser.post("/enter", data={"name": "ann", "to": to})
        assert (answer.url.path, answer.url.query) == ("/tables/new", b"game=fish")
        answer = await browser.post("/enter", data={"name": "ann", "to": "//elsewhere.example"}, follow_redirects=False)
        assert answer.headers["location"] == "/"


@SLOW
async def test_who_was_let_in_stays_where_the_lobby_takes_its_time_to_show_itself() -> None:
    async with fake_lobby() as (lobby, address):
        lobby.speaks.clear()
        visitor = Visitor(address, NO_CREDENTIALS, TokenStore(None))
        assert await visitor.enter("ann") == ""
        assert not visitor.client.lobby.users
        lobby.speaks.set()
        await visitor.until(lambda: "ann" in visitor.client.lobby.users)
        assert "ann" in visitor.client.lobby.users
        await visitor.leave()


async def test_a_visitor_changes_its_name_and_a_taken_one_is_refused(pages: Pages) -> None:
    async with pages.person("ann") as ann, pages.person("bob") as bob:
        refused = await ann.post("/name", data={"name": "Bob"})
        assert refused.status_code == 409
        assert "Bob is in the lobby already: choose another name" in text_of(refused.text)
        assert 'value="Bob"' in refused.text
        answer = await ann.post("/name", data={"name": " eve "})
        assert answer.url.path == "/"
        assert "You are eve" in text_of(answer.text)
        assert "bob eve" in text_of(await wait_for(bob, "/live/lobby", "people", "eve"))


async def test_a_table_is_made_with_settings_that_are_explained(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        form = await ann.get("/tables/new", params={"game": "fish"})
        assert "Allowed:" in form.text
        assert 'value="ann"' in form.text
        boxes = re.findall(r'name="(set-\w+)" type="checkbox" value="true"( checked)?', form.text)
        assert ("set-random_fish", " checked") in boxes
        assert '<option value="per_player">per player</option>' in form.text
        made = {"game": "fish", "name": "blue", "set-rows": "4", "set-columns": "4", "limit": "2m", "seats": "2"}
        answer = await ann.post("/tables", data=made)
        assert answer.url.path == "/table"
        assert "blue: Fish" in text_of(answer.text)
        assert "starts by itself" in text_of(answer.text)


async def test_what_is_left_as_usual_is_left_to_the_profile_of_the_game(pages: Pages) -> None:
    async with pages.person("ann") as ann, guests(pages.server, "eve") as [eve]:
        usual = {"set-show_enabled": "false", "set-more_rule": "auto", "set-table": "12"}
        made = {"game": "webset", "name": "blue", "set-profile": "seed", **usual}
        assert (await ann.post("/tables", data=made)).url.path == "/table"
        await eve.sees(lambda lobby: "blue" in lobby.tables)
        settings = find("webset").full_settings(eve.mirror.table("blue").settings.webset)
        assert isinstance(settings, webset_pb2.Settings)
        assert (settings.show_enabled, settings.more_rule) == (True, webset_pb2.MORE_RULE_ANYONE)


@pytest.mark.parametrize("game", registered())
async def test_one_click_begins_a_game_against_a_bot(pages: Pages, game: str) -> None:
    async with pages.person() as browser:
        answer = await browser.post("/play", data={"game": game})
        assert answer.url.path == "/table"
        assert "running" in text_of(answer.text)
        assert "guest-" in text_of(answer.text)


@pytest.mark.parametrize("wrong", [{"set-rows": "many"}, {"name": "<b>"}])
async def test_a_wrong_setting_is_refused_and_the_form_keeps_what_was_typed(
    pages: Pages, wrong: dict[str, str]
) -> None:
    async with pages.person("ann") as ann:
        answer = await ann.post("/tables", data={"game": "fish", "name": "blue", "set-columns": "7", **wrong})
        assert answer.status_code in (400, 409)
        assert 'role="alert"' in answer.text
        assert 'value="7"' in answer.text


async def test_every_answer_forbids_what_is_not_from_here(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        for address in ("/", "/games", "/static/style.css", "/nothing"):
            headers = (await ann.get(address)).headers
            assert headers["content-security-policy"] == POLICY
            assert headers["x-content-type-options"] == "nosniff"
        assert "unsafe" not in POLICY


async def test_no_page_has_scripts_or_styles_of_its_own(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        for address in ("/", "/games", "/games/fish", "/tables/new?game=q"):
            text = (await ann.get(address)).text
            assert "<style" not in text
            assert " style=" not in text
            assert "<script>" not in text


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://elsewhere.example"}])
async def test_forms_of_other_sites_are_refused(pages: Pages, headers: dict[str, str]) -> None:
    async with pages.person("ann") as ann:
        answer = await ann.post("/leave", headers=headers)
        assert answer.status_code == 403
        assert "another site" in answer.text
        assert "You are ann" in text_of((await ann.get("/")).text)


async def test_forms_that_are_too_large_or_no_text_are_refused(pages: Pages) -> None:
    async with pages.person() as browser:
        assert (await browser.post("/enter", content=b"name=" + b"a" * 100_000)).status_code == 413
        assert (await browser.post("/enter", content=b"name=%ff")).status_code == 400


async def test_the_pages_of_a_visitor_are_closed_to_others(pages: Pages) -> None:
    async with pages.person() as browser:
        answer = await browser.get("/table")
        assert answer.status_code == 401
        assert "Enter it first" in answer.text
        browser.cookies.set(COOKIE, "that of somebody who is gone")
        assert "enter it again" in (await browser.get("/table")).text


async def test_pages_stand_under_the_path_of_a_proxy() -> None:
    async with pages_of(root_path="/fair/play") as pages, pages.person() as browser:
        answer = await browser.post("/enter", data={"name": "ann"})
        assert answer.url.path == "/fair/play/"
        assert 'href="/fair/play/games"' in answer.text
        assert (await browser.get("/static/style.css")).status_code == 200
        stripped = pages.url.removesuffix("/fair/play")
        assert 'href="/fair/play/games"' in (await browser.get(f"{stripped}/games")).text
        lost = await browser.get("/static/nothing.css")
        assert (lost.status_code, 'href="/fair/play/static/style.css"' in lost.text) == (404, True)


async def test_a_server_that_is_away_is_said_and_the_page_tries_again() -> None:
    away = pages_of(change=lambda options: replace(options, server="127.0.0.1:1"))
    async with away as pages, pages.person() as browser:
        answer = await browser.get("/")
        assert answer.status_code == 503
        assert "The server is away" in answer.text
        assert 'http-equiv="refresh"' in answer.text
        assert (await browser.get("/healthz")).text == "ok\n"


async def test_who_stays_away_longer_than_the_grace_time_leaves_the_lobby() -> None:
    async with (
        pages_of(change=lambda options: replace(options, grace_s=0.0)) as pages,
        guests(pages.server, "eve") as [eve],
        pages.person("ann"),
    ):
        await eve.until(lambda event: event.user_gone.name == "ann")


async def test_no_more_people_enter_than_the_operator_allows() -> None:
    async with (
        pages_of(change=lambda options: replace(options, max_visitors=1)) as pages,
        pages.person("ann"),
        pages.person() as other,
    ):
        answer = await other.post("/enter", data={"name": "bob"})
        assert answer.status_code == 409
        assert "So many people" in text_of(answer.text)
