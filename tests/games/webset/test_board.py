"""Webset as a person sees it, and a person as a player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from rich.text import Text

from fairplay.games.frontends import (
    GameView,
    IllegalChoiceError,
    TableContext,
)
from fairplay.games.webset.person import ACTIONS, FRONTEND, GUARD_S, KEYS
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.state import State
from fairplay.games.webset.views import text, words
from fairplay.games.webset.views.words import letter
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1 import webset_player_pb2 as messages
from tests.games.pointing import check_picture, pieces
from tests.games.webset.tables import CALL, MORE, done, fresh
from tests.server.quick import in_no_time

NAMES = ("ann", "bob\x1b[2J", "[red]cy[/]")
SPACE, ALL = messages.ACTION_CALL_SET, tuple(action for action, _ in ACTIONS.values())


def shown(markup: str) -> str:
    return Text.from_markup(markup, emoji=False).plain


class Sitting:
    """A person at a table whose clock stands still unless it is moved."""

    def __init__(self, limit_s: float = 60.0, names: tuple[str, ...] = NAMES) -> None:
        self.now = 0.0
        self.reported: list[str] = []
        self.names = names
        self.call_limit_s: float | None = None
        self._news = asyncio.Event()
        self.person: Any = FRONTEND.create_player(
            TableContext(
                lambda: self.names,
                limit_s,
                self._clock,
                self._news.set,
                self.reported.append,
                lambda: self.call_limit_s,
            )
        )

    def _clock(self) -> float:
        return self.now

    async def until(self, is_so: Callable[[GameView], bool]) -> None:
        async with asyncio.timeout(30):
            while not is_so(self.person.view()):
                await self._news.wait()
                self._news.clear()

    def press(self, *keys: str) -> list[bool]:
        return [self.person.press(key) for key in keys]

    @property
    def status(self) -> str:
        return shown(self.person.view().status)

    @property
    def keys(self) -> list[str]:
        return [key.name for key in self.person.view().keys]

    # --- what the referee does ---

    async def deal(self, state: State) -> None:
        request = messages.DealRequest(seat=0, state=codec.build_public(state))
        request.settings.CopyFrom(codec.build_settings(state.settings))
        await self.person.deal(request)

    def act(self, state: State, **more: Any) -> asyncio.Task[messages.ActResponse]:
        request = messages.ActRequest(seat=0, state=codec.build_public(state), actions=ALL, **more)
        return asyncio.create_task(self.person.act(request))

    def pick(self, state: State, **more: Any) -> asyncio.Task[messages.PickCardsResponse]:
        request = messages.PickCardsRequest(seat=0, state=codec.build_public(state), **more)
        return asyncio.create_task(self.person.pick_cards(request))


async def asked(sitting: Sitting, state: State, **more: Any) -> asyncio.Task[messages.ActResponse]:
    """Ask a question, and wait until the person sees it."""
    task = sitting.act(state, **more)
    await sitting.until(lambda view: bool(view.keys))
    return task


# --- the board ---


def scene(state: State, picked: tuple[int, ...] = (), seat: int = 0) -> words.Scene:
    return words.Scene(codec.build_public(state), seat, NAMES, picked)


def test_each_card_lies_at_the_place_of_its_key_and_each_key_names_its_card() -> None:
    state = codec.build_public(fresh())
    lines = shown(text.board_text(scene(fresh()))).splitlines()
    assert [line.replace("╭", "").replace("╮", "").replace("─", "").split() for line in lines[0:9:3]] == [
        list("qwer"),
        list("asdf"),
        list("zxcv"),
    ]
    assert [words.slot_at(state, key) for key in "qaz"] == [0, 1, 2]
    assert words.slot_at(state, "v") == 11
    assert words.slot_at(state, "t") is None
    assert words.slot_at(state, "1") is None


def test_a_full_table_fits_into_its_part_of_the_screen_and_has_a_key_for_every_card() -> None:
    full = done(fresh(more_rule="anyone"), *[(0, MORE)] * 3)
    lines = shown(text.board_text(scene(full))).splitlines()
    assert max(map(len, lines)) <= 56
    assert len({letter(slot) for slot in range(21)} - {""}) == 21
    assert len({letter(slot) for slot in range(27)}) == 27
    assert letter(27) == ""


# --- the person ---


@pytest.mark.parametrize("key", KEYS)
async def test_each_key_is_its_action(key: str) -> None:
    sitting = Sitting()
    task = await asked(sitting, fresh())
    assert set(sitting.keys) == set(KEYS)
    assert sitting.press(key) == [True]
    assert (await task).action == ACTIONS[KEYS[key]][0]


async def test_only_what_may_be_tried_is_shown_and_taken() -> None:
    sitting = Sitting()
    request = messages.ActRequest(state=codec.build_public(fresh()), actions=[SPACE])
    task = asyncio.create_task(sitting.person.act(request))
    await sitting.until(lambda view: bool(view.keys))
    assert sitting.keys == ["space"]
    assert sitting.press("m", "s", "r", "j", "space") == [True, True, True, False, True]
    assert (await task).action == SPACE


async def test_a_question_that_comes_to_a_new_process_is_answered_in_what_is_left_of_its_time() -> None:
    sitting = Sitting(limit_s=3_600)
    sitting.call_limit_s = 0.1
    async with asyncio.timeout(60):
        assert (await sitting.act(fresh())).action == messages.ACTION_NOTHING


def test_a_thinking_person_does_nothing_before_the_time_limit() -> None:
    async def scenario() -> float:
        sitting = Sitting(limit_s=0.1)
        assert (await sitting.act(fresh())).action == messages.ACTION_NOTHING
        return asyncio.get_running_loop().time()

    assert 0.05 <= in_no_time(scenario()) < 0.1


async def lost(task: asyncio.Task[Any]) -> None:
    """Lose the connection while a question is open."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_a_question_that_comes_again_after_a_lost_connection_has_what_is_left_of_its_time() -> None:
    sitting = Sitting(limit_s=60.0)
    await lost(await asked(sitting, fresh()))
    sitting.now += 59.6
    async with asyncio.timeout(30):
        assert (await sitting.act(fresh())).action == messages.ACTION_NOTHING


async def test_another_question_and_one_of_a_server_that_was_started_again_have_all_of_their_time() -> None:
    for passed_s, state in ((59.6, fresh(deck=range(80, -1, -1))), (60.0, fresh())):
        sitting = Sitting(limit_s=60.0)
        await lost(await asked(sitting, fresh()))
        sitting.now += passed_s
        task = await asked(sitting, state)
        sitting.press("space")
        assert (await task).action == SPACE


async def test_the_time_for_cards_is_not_shown_longer_than_it_is_after_a_lost_connection() -> None:
    sitting, called = Sitting(), done(fresh(), (0, CALL))
    await sitting.deal(called)
    task = sitting.pick(called)
    await sitting.until(lambda view: view.takes_letters)
    assert "3.0 s" in sitting.status
    await lost(task)
    sitting.now += 2.5
    task = sitting.pick(called)
    await sitting.until(lambda view: "SET!" in view.status)
    assert "0.5 s" in sitting.status
    assert list((await task).cards) == []


async def test_news_of_a_cancelled_question_is_reported_once() -> None:
    sitting, state = Sitting(), fresh()
    await sitting.deal(state)
    expired = webset_pb2.Event(revision=3, kind=webset_pb2.EVENT_KIND_CALL_EXPIRED, seat=0)
    called = webset_pb2.Event(revision=4, kind=webset_pb2.EVENT_KIND_CALLED, seat=1)
    more: Any = {"status": messages.STATUS_NOT_NOW}
    await lost(await asked(sitting, state, events=[expired], **more))
    await sitting.person.report(
        messages.ReportRequest(state=codec.build_public(state), events=[expired, called], **more)
    )
    not_now = words.STATUSES[messages.STATUS_NOT_NOW]
    assert sitting.reported == ["ann CallExpired: no cards in time.", not_now, "bob[2J calls ---S-E-T---."]
    await sitting.person.report(messages.ReportRequest(state=codec.build_public(state), **more))
    assert sitting.reported[3:] == [not_now]


async def test_three_cards_are_picked_by_their_keys_and_put_back_by_them() -> None:
    sitting, called = Sitting(), done(fresh(), (0, CALL))
    await sitting.deal(called)
    task = sitting.pick(called)
    await sitting.until(lambda view: view.takes_letters)
    assert sitting.press("q", "w", "w", "9", "a") == [True, True, True, False, True]
    assert not task.done()
    assert "SET! Three cards" in sitting.status
    sitting.press("z")
    cards = codec.build_public(called).slots
    assert list((await task).cards) == list(cards[:3])
    assert not sitting.person.view().takes_letters


async def test_the_game_is_played_by_pointing_as_by_keys() -> None:
    sitting, state = Sitting(), fresh()
    task = await asked(sitting, state)
    check_picture(sitting.person)
    assert pieces(sitting.person.svg()).keys() == {*ACTIONS, *(f"slot-{slot}" for slot in range(12))}
    with pytest.raises(IllegalChoiceError, match=r"Call SET! first"):
        sitting.person.choose("slot-3")
    sitting.person.choose("call-set")
    assert (await task).action == SPACE
    called = done(state, (0, CALL))
    taking = sitting.pick(called)
    await sitting.until(lambda view: view.takes_letters)
    for part in ("slot-3", "slot-1", "slot-3", "slot-5"):
        sitting.person.choose(part)
        check_picture(sitting.person)
    assert sitting.person.offer().chosen == {"slot-1", "slot-5"}
    sitting.person.undo()
    with pytest.raises(IllegalChoiceError, match="All three cards lie on the table"):
        sitting.person.choose("slot-12")
    assert sitting.person.offer().prompt == "SET! Three cards:"
    assert sitting.person.offer().left_s == 3.0
    for part in ("slot-0", "slot-2"):
        sitting.person.choose(part)
    slots = codec.build_public(called).slots
    assert list((await taking).cards) == [slots[1], slots[0], slots[2]]


async def test_an_action_that_may_not_be_tried_is_refused_and_no_action_is_drawn_in_the_call_of_another() -> None:
    sitting = Sitting()
    request = messages.ActRequest(state=codec.build_public(fresh()), actions=[SPACE])
    task = asyncio.create_task(sitting.person.act(request))
    await sitting.until(lambda view: bool(view.keys))
    with pytest.raises(IllegalChoiceError, match="referee deals more cards by itself"):
        sitting.person.choose("more-cards")
    sitting.person.choose("call-set")
    await task
    await sitting.person.report(messages.ReportRequest(state=codec.build_public(done(fresh(), (1, CALL)))))
    assert "call-set" not in pieces(sitting.person.svg())
    assert sitting.person.offer().prompt == "bob[2J calls ---S-E-T---"
    assert sitting.person.offer().left_s == 3.0


async def test_the_time_for_cards_is_counted_down_and_ends_with_none() -> None:
    sitting, called = Sitting(), done(fresh(window_ms=100), (0, CALL))
    await sitting.deal(called)
    task = sitting.pick(called)
    await sitting.until(lambda view: view.takes_letters)
    sitting.now += 0.06
    assert "████████░" in sitting.status
    assert "0.0 s" in sitting.status
    sitting.press("q")
    assert list((await task).cards) == []


async def test_keys_right_after_the_time_for_cards_do_nothing() -> None:
    sitting, called = Sitting(), done(fresh(window_ms=100), (0, CALL))
    await sitting.deal(called)
    await sitting.pick(called)
    task = sitting.act(fresh())
    await asyncio.sleep(0)
    assert sitting.person.view().takes_letters
    assert sitting.press("s", "q", "m") == [True] * 3
    assert sitting.status == "Too late."
    sitting.now += GUARD_S
    assert not sitting.person.view().takes_letters
    assert sitting.press("q", "m") == [False, True]
    assert (await task).action == messages.ACTION_MORE_CARDS


async def test_somebody_elses_call_is_shown_with_its_time() -> None:
    sitting, called = Sitting(), done(fresh(), (1, CALL))
    await sitting.deal(fresh())
    event = webset_pb2.Event(revision=1, kind=webset_pb2.EVENT_KIND_CALLED, seat=1)
    await sitting.person.report(messages.ReportRequest(state=codec.build_public(called), events=[event]))
    sitting.now += 1.0
    assert sitting.status == "bob[2J calls ---S-E-T---  ██████████████░░░░░░ 2.0 s"
    assert sitting.person.view().ticking
    assert sitting.reported == ["bob[2J calls ---S-E-T---."]


async def test_what_happens_and_what_becomes_of_own_acts_is_told_with_the_names_of_the_statuses() -> None:
    sitting = Sitting(limit_s=0.01)
    events = [
        webset_pb2.Event(revision=1, kind=webset_pb2.EVENT_KIND_GOT_SET, seat=0, cards=[0, 1, 2]),
        webset_pb2.Event(revision=2, kind=webset_pb2.EVENT_KIND_BAD_SET, seat=1),
        webset_pb2.Event(revision=3, kind=webset_pb2.EVENT_KIND_CALL_EXPIRED, seat=7),
        webset_pb2.Event(revision=4, kind=webset_pb2.EVENT_KIND_CARDS_DEALT),
        webset_pb2.Event(revision=5, kind=webset_pb2.EVENT_KIND_PLAYER_LEFT, seat=1),
    ]
    await sitting.act(fresh(), events=events, status=messages.STATUS_NO_MORE_CARDS)
    assert sitting.reported == [
        "ann GotSet: one red solid oval, one red open oval, one red striped oval.",
        "bob[2J BadSet: those were no set.",
        "player 8 CallExpired: no cards in time.",
        "Three more cards are dealt.",
        "NoMoreCards: the deck is empty or the table is full",
    ]


async def test_the_end_of_the_game_is_shown_and_keys_mean_nothing_then() -> None:
    sitting = Sitting()
    over = codec.build_public(fresh())
    over.phase = webset_pb2.PHASE_OVER
    await sitting.deal(fresh())
    await sitting.person.game_over(messages.GameOverRequest(state=over, ranks=[1, 2], won=True))
    assert sitting.status == "GameOver: you have won!"
    assert sitting.press("space", "m") == [False, False]
