"""A table of people before a real server, by plain forms; and games that are watched and replayed."""

from __future__ import annotations

import asyncio
import html
import re
from contextlib import aclosing

import httpx
import pytest

from fairplay.games.game import registered
from tests.server.lobby.harness import guests
from tests.server.lobby.test_returning import hesitating_first
from tests.web.harness import LIMIT_S, Pages, events_of, text_of, wait_for

CHOICE = re.compile(r'name="part" value="([^"]+)"')


async def make_table(person: httpx.AsyncClient, game: str, **fields: str) -> None:
    made = {"game": game, "name": "blue", "limit": "2m", **fields}
    answer = await person.post("/tables", data=made)
    assert answer.url.path == "/table", text_of(answer.text)


async def test_a_person_and_a_bot_play_a_game_by_plain_forms(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        await make_table(ann, "fish", seats="2", **{"set-rows": "3", "set-columns": "3"})
        await ann.post("/table/join")
        await ann.post("/table/bots", data={"count": "1", "strategy": "greedy"})
        async with asyncio.timeout(LIMIT_S), aclosing(events_of(ann, "/live/table")) as events:
            async for name, part in events:
                if name == "offer":
                    await answer_offer(ann, part)
                if name == "seats" and "The last game was" in text_of(part):
                    assert re.search("was won by .* Play again .* 2 of 2 seats. ", text_of(part))
                    break
        talk = text_of((await ann.get("/table")).text)
        assert "The game is over" in talk
        assert "bot-1" in talk
        await ann.post("/table/start")
        await wait_for(ann, "/live/table", "offer", "Place")


@pytest.mark.parametrize("game", registered())
async def test_each_game_explains_itself_at_its_table_and_on_its_page(pages: Pages, game: str) -> None:
    async with pages.person("ann") as ann:
        table = await ann.post("/play", data={"game": game})
        own = await ann.get(f"/games/{game}")
        for text in (table.text, own.text):
            for part in ("Goal.", "A turn.", "What counts."):
                assert part in text_of(text)
        figures = re.findall(r'src="(/games/\w+/figures/\d+\.svg)"', own.text)
        assert figures
        for address in figures:
            assert (await ann.get(address)).text.startswith("<svg")
        assert (await ann.get(f"/games/{game}/figures/9.svg")).status_code == 404


async def answer_offer(person: httpx.AsyncClient, part: str) -> None:
    """Choose the first of what may be chosen, or send what is complete."""
    if ">Send<" in part:
        await person.post("/table/send")
    elif found := CHOICE.search(part):
        await person.post("/table/choose", data={"part": html.unescape(found[1])})


async def test_a_choice_is_marked_and_can_be_undone_and_an_illegal_one_is_refused(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        await make_table(ann, "fish", seats="2", **{"set-rows": "3", "set-columns": "3"})
        await ann.post("/table/join")
        await ann.post("/table/bots", data={"count": "1", "strategy": "greedy"})
        offer = await wait_for(ann, "/live/table", "offer", "Place")
        part = CHOICE.search(offer)
        assert part is not None
        chosen = (await ann.post("/table/choose", data={"part": part[1]})).text
        assert ">Send<" in chosen
        assert ">Undo<" in chosen
        undone = (await ann.post("/table/undo")).text
        assert ">Send<" not in undone
        refused = (await ann.post("/table/choose", data={"part": "cell-999"})).text
        assert 'class="refusal"' in refused
        assert "Place" in text_of((await ann.get("/table")).text)


async def test_the_others_see_which_cards_a_caller_picks_and_puts_back(pages: Pages) -> None:
    settings = {"set-selection": "single", "set-window": "60s", "set-table": "21"}
    async with pages.person("ann") as ann, pages.person("bob") as bob, pages.person("cy") as cy:
        await make_table(ann, "webset", seats="2", **settings)
        for person in (bob, cy):
            await wait_for(person, "/live/lobby", "tables", "blue")
            await person.post("/table/watch", data={"table": "blue"})
        for person in (ann, bob):
            await person.post("/table/join")
        await wait_for(ann, "/live/table", "offer", "SET!")
        await ann.post("/table/choose", data={"part": "call-set"})
        await wait_for(ann, "/live/table", "offer", "Three cards")
        await ann.post("/table/choose", data={"part": "slot-4"})
        for person in (bob, cy):
            board = await wait_for(person, "/live/table", "board", ", picked")
        cards = dict(re.findall(r'data-part="(slot-\d+)"[^>]*><title>([^<,]+)', board))
        await ann.post("/table/choose", data={"part": "slot-4"})
        await ann.post("/table/choose", data={"part": "slot-5"})
        for person in (bob, cy):
            board = await wait_for(person, "/live/table", "board", f"{cards['slot-5']}, picked")
            assert f"{cards['slot-4']}, picked" not in text_of(board)


async def test_bots_fill_all_empty_seats_in_one_step_and_the_game_starts(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        await make_table(ann, "fish", seats="4")
        await ann.post("/table/join")
        offered = re.search(r'name="count" type="number" [^>]*value="(\d+)"', (await ann.get("/table")).text)
        assert offered is not None
        await ann.post("/table/bots", data={"count": offered[1], "strategy": "greedy"})
        await wait_for(ann, "/live/table", "offer", "Place a penguin")
        assert "bot-3" in text_of((await ann.get("/table")).text)


async def test_a_person_joins_a_race_that_goes_on_by_forms(pages: Pages) -> None:
    settings = {"set-min_players": "1", "set-aspects": "3", "set-more_rule": "auto", "set-late_join": "true"}
    async with pages.person("ann") as ann, pages.person("bob") as bob:
        await make_table(ann, "webset", **settings)
        await ann.post("/table/join")
        await ann.post("/table/start")
        await wait_for(bob, "/live/lobby", "tables", "blue")
        await bob.post("/table/watch", data={"table": "blue"})
        await wait_for(bob, "/live/table", "seats", "Join the game")
        await bob.post("/table/join")
        await wait_for(bob, "/live/table", "offer", "SET!")
        assert "Join the game" not in text_of((await bob.get("/table")).text)
        await wait_for(ann, "/live/table", "talk", "bob joins the game.")


async def test_a_person_solves_a_puzzle_by_forms(pages: Pages) -> None:
    async with pages.person("ann") as ann:
        await make_table(ann, "webset", **{"set-min_players": "1", "set-more_rule": "auto", "set-rounds": "puzzle"})
        await ann.post("/table/join")
        await ann.post("/table/start")
        for slot in range(3):
            await wait_for(ann, "/live/table", "offer", "0 named")
            await ann.post("/table/choose", data={"part": f"slot-{slot}"})
        await wait_for(ann, "/live/table", "offer", "1 named")
        await ann.post("/table/undo")
        await wait_for(ann, "/live/table", "offer", "0 named")
        await ann.post("/table/choose", data={"part": "pass"})
        assert "won by ann 0" in text_of(await wait_for(ann, "/live/table", "seats", "The last game was"))


async def test_chat_reaches_the_others_and_never_becomes_markup(pages: Pages) -> None:
    async with pages.person("ann") as ann, pages.person("bob") as bob:
        await make_table(ann, "webset")
        await wait_for(bob, "/live/lobby", "tables", "blue")
        assert (await bob.post("/table/watch", data={"table": "blue"})).url.path == "/table"
        await ann.post("/table/say", data={"text": "<script>alert(1)</script> hello"})
        talk = await wait_for(bob, "/live/table", "talk", "hello")
        assert "<script>" not in talk
        assert "&lt;script&gt;" in talk


async def test_who_has_left_a_running_game_returns_to_it(pages: Pages) -> None:
    async with (
        pages.person("ann") as ann,
        guests(pages.server, "bob") as [bob],
        hesitating_first(pages.server, bob) as (waiting, player),
    ):
        await wait_for(ann, "/live/lobby", "tables", "blue")
        await ann.post("/table/watch", data={"table": "blue"})
        await ann.post("/table/join")
        await waiting.until_asked()
        assert "Return to the game" not in (await ann.get("/table")).text
        await ann.post("/table/leave")
        await ann.post("/table/watch", data={"table": "blue"})
        await wait_for(ann, "/live/table", "seats", "Return to the game")
        await ann.post("/table/join")
        await player.reply(*waiting.let_go())
        await wait_for(ann, "/live/table", "offer", "Place a penguin, 4 to go:")
        assert "out of the game" not in (await ann.get("/table")).text


async def test_every_game_has_a_page_with_its_rules_and_settings(pages: Pages) -> None:
    for game in registered():
        async with pages.person() as browser:
            text = (await browser.get(f"/games/{game}")).text
            assert f"<code>{game}." in text
            assert "Write a player" in text


async def test_a_game_that_is_over_is_replayed_moment_by_moment(pages: Pages) -> None:
    await pages.play_game("fish", "one/1", "bot:greedy", "bot:random")
    async with pages.person() as browser:
        last = (await browser.get("/watch/one/1")).text
        assert "Won by" in text_of(last)
        first = (await browser.get("/watch/one/1", params={"at": "0"})).text
        assert 'rel="next"' in first
        assert 'rel="prev"' not in first
        pictures = {(await browser.get("/picture/one/1", params={"at": str(at)})).text for at in (0, 3, 6)}
        assert len(pictures) == 3
        part = (await browser.get("/moment/one/1", params={"at": "2"})).text
        assert 'value="2"' in part
        assert "<html" not in part


async def test_a_game_that_nobody_knows_is_not_found(pages: Pages) -> None:
    async with pages.person() as browser:
        answer = await browser.get("/watch/none")
        assert answer.status_code == 404
        assert "This is not here" in answer.text
