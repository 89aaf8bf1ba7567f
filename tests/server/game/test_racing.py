from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.wrappers_pb2 import StringValue
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.server.game.running import Running
from fairplay.server.links.link import Clock, DeadLink, Done, OpenCall, disconnected
from fairplay.server.records.errors import Diverged
from fairplay.server.records.published import begun_game
from fairplay.server.records.replay import Replayer, replay, resume
from fairplay.server.records.store import Store
from fairplay.v1.game_pb2 import Player, TimeControl
from fairplay.v1.record_pb2 import GameHeader, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan, GameStatus
from tests.server.quick import in_no_time, quick_clock, quick_store
from tests.server.snap import Rounds, Snap, everybody, first_of, window

LIMIT_S = 5.0


class Hand:
    """A player that answers when a test says so. `asked` counts the calls, `cancelled` those that nobody wants now."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.asked = 0
        self.cancelled = 0
        self.limit_s = self.bank_s = 0.0
        self.open: OpenCall | None = None

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        self.asked += 1
        self.limit_s, self.bank_s = limit_s, bank_s
        self.open = OpenCall(self._clock, limit_s, done, self._cancel)
        return self.open

    def _cancel(self, _: OpenCall) -> None:
        self.cancelled += 1

    def say(self, word: str) -> None:
        assert self.open is not None
        self.open.settle(StringValue(value=word).SerializeToString())

    async def close(self) -> None:
        """Nothing is held."""


class Table:
    """A game that goes on, with its players in the test's hands."""

    def __init__(self, rounds: Rounds, seat_count: int, store: Store, clock: Clock, seed: int = 1) -> None:
        self.snap = Snap(rounds)
        self.store = store
        self.clock = clock
        self.hands = [Hand(self.clock) for _ in range(seat_count)]
        limit = Duration(seconds=int(LIMIT_S))
        plan = GamePlan(
            game="snap",
            players=[Player(name=f"p{seat}") for seat in range(seat_count)],
            seed=seed,
            time_control=TimeControl(decision_limit=limit, first_decision_limit=limit, notification_limit=limit),
        )
        header = GameHeader(game_id="g", plan=plan, start_time=Timestamp(seconds=1))
        entry = RecordEntry(game=header)
        journal = store.begin("game", "g", entry.SerializeToString(), game="snap", start_time_ns=1)
        replayer = Replayer(entry, journal.append, self.snap.find)
        replayer.rewind()
        self.running = Running(begun_game(header), replayer, journal)
        self.running.begin(self.hands)

    def leave(self, seat: int, why: str = "left") -> None:
        """The player of a seat leaves."""
        self.running.leave(seat, DeadLink(self.clock, disconnected(why)), disconnected(why))

    def again(self, leaver: int | None = None) -> None:
        """Kill the server and start it again; a player may leave before its links are open again."""
        self.running.suspend()
        self.running.over.exception()
        journal = self.store.reopen("g")
        replayer = resume(self.store.read("g"), journal.append, self.snap.find)
        journal.append(RecordEntry(resumed={}).SerializeToString())  # type: ignore[arg-type]
        self.running = Running(begun_game(replayer.header), replayer, journal)
        if leaver is not None:
            self.leave(leaver)
        self.running.begin(self.hands)

    def replayed(self) -> list[list[tuple[int, str]]]:
        """What the conversation hears when the record is played again."""
        received = self.snap.received
        list(replay(self.store.read("g"), self.snap.find))
        again, self.snap.received = self.snap.received, received
        return again


@asynccontextmanager
async def table(rounds: Rounds, seat_count: int, seed: int = 1, simulated: Path | None = None) -> AsyncIterator[Table]:
    """Begin a game; `simulated` is the directory of its records where time is simulated."""
    store = Store.open(None) if simulated is None else quick_store(simulated)
    at = Table(rounds, seat_count, store, Clock() if simulated is None else quick_clock(), seed)
    try:
        yield at
    finally:
        at.running.stop("the test is over")
        await at.running.over
        await store.close()


async def turned(times: int = 3) -> None:
    """The event loop has turned: what was due at once is done."""
    for _ in range(times):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0)


async def test_the_first_answer_counts_and_the_others_are_cancelled_and_asked_again() -> None:
    async with table(first_of([0, 1, 2], 2, handicap_s={}), 3) as at:
        at.hands[1].say("snap")
        await until(lambda: bool(at.snap.received))
        assert at.snap.received == [[(1, "snap")]]
        assert [hand.asked for hand in at.hands] == [2, 2, 2]
        assert [hand.cancelled for hand in at.hands] == [1, 0, 1]
        at.hands[2].say("again")
        await at.running.over
        assert at.snap.received == at.replayed() == [[(1, "snap")], [(2, "again")]]


async def test_calls_that_stay_in_the_race_stay_open() -> None:
    async with table(everybody([0, 1, 2]), 3) as at:
        for seat in (2, 0, 1):
            at.hands[seat].say("here")
            await turned()
        await at.running.over
        assert [hand.asked for hand in at.hands] == [1, 1, 1]
        assert [hand.cancelled for hand in at.hands] == [0, 0, 0]
        assert at.snap.received == at.replayed() == [[(2, "here")], [(0, "here")], [(1, "here")]]


async def test_what_comes_in_one_turn_of_the_loop_comes_together_and_the_lot_orders_it() -> None:
    orders = set()
    for seed in range(20):
        async with table(everybody([0, 1, 2]), 3, seed) as at:
            for hand in at.hands:
                hand.say("snap")
            await at.running.over
            assert len(at.snap.received) == 1
            assert at.snap.received == at.replayed()
            orders.add(tuple(seat for seat, _ in at.snap.received[0]))
    assert len(orders) > 3


def test_answers_that_are_held_count_together_at_the_end_of_the_time(tmp_path: Path) -> None:
    found = set()
    for seed in range(8):
        directory = tmp_path / str(seed)
        directory.mkdir()
        found.add(in_no_time(first_of_two_held(seed, directory)))
    assert found == {0, 1}


async def first_of_two_held(seed: int, directory: Path) -> int:
    """Return which of two seats counts as first, whose answers come while answers are held."""
    async with table(first_of([0, 1], 1, hold_s=4.0, handicap_s={}), 2, seed, directory) as at:
        at.hands[0].say("first")
        await turned()
        assert at.snap.received == []
        at.hands[1].say("second")
        await at.running.over
        assert [len(received) for received in at.snap.received] == [2]
        assert at.snap.received == at.replayed()
        first, _ = at.snap.received[0][0]
        return first


async def test_a_handicap_lets_somebody_else_be_first() -> None:
    async with table(first_of([0, 1], 1, handicap_s={0: 30.0}), 2) as at:
        at.hands[0].say("early")
        await turned()
        at.hands[1].say("late")
        await at.running.over
        assert at.snap.received == at.replayed() == [[(1, "late")]]


async def test_a_handicap_only_delays_who_is_alone() -> None:
    async with table(first_of([0, 1], 1, handicap_s={0: 0.01}), 2) as at:
        at.hands[0].say("alone")
        await at.running.over
        assert at.snap.received == [[(0, "alone")]]


async def test_the_rules_may_set_the_limit_of_a_call() -> None:
    async with table(window(1, 0.02), 2) as at:
        at.hands[1].say("snap")
        await at.running.over
        assert at.hands[1].limit_s == 0.02
        assert at.snap.received == at.replayed() == [[(1, "snap")], [(1, "Overrun")]]
        assert at.running.machine.transcript.misconducts == []


async def test_a_race_goes_on_after_a_restart_of_the_server() -> None:
    async with table(everybody([0, 1, 2]), 3) as at:
        at.hands[0].say("here")
        await until(lambda: bool(at.snap.received))
        at.again()
        assert [hand.asked for hand in at.hands] == [1, 2, 2]
        assert at.snap.received == [[(0, "here")]]
        at.hands[2].say("there")
        await turned()
        at.hands[1].say("too")
        await at.running.over
        assert at.snap.received == at.replayed() == [[(0, "here")], [(2, "there")], [(1, "too")]]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("012rt"), max_size=12), st.integers(0, 3))
def test_a_record_replays_to_the_same_game_however_answers_restarts_and_turns_mix(moves: list[str], seed: int) -> None:
    async def play() -> None:
        async with table(everybody([0, 1, 2]), 3, seed) as at:
            for move in [*moves, "0", "1", "2", "t"]:
                if at.running.message.status != GameStatus.GAME_STATUS_RUNNING:
                    break
                if move == "r":
                    at.again()
                elif move == "t":
                    await turned()
                else:
                    at.hands[int(move)].say(move)
            await until(at.running.over.done)
            assert sorted(seat for received in at.snap.received for seat, _ in received) == [0, 1, 2]
            assert at.snap.received == at.replayed()

    asyncio.run(play())


async def test_an_answer_with_a_handicap_counts_after_one_without_although_both_came_at_once() -> None:
    async with table(everybody([0, 1], handicap_s={1: 0.02}), 2) as at:
        for hand in at.hands:
            hand.say("here")
        async with asyncio.timeout(30):
            await at.running.over
        assert at.snap.received == [[(0, "here")], [(1, "here")]]


async def test_a_player_that_leaves_fails_in_its_open_call_and_in_all_later_ones() -> None:
    async with table(first_of([0, 1], 3, handicap_s={}), 2) as at:
        at.leave(1)
        await at.running.over
        assert at.snap.received == [[(1, "CallError")]] * 3
        assert [(hand.asked, hand.cancelled) for hand in at.hands] == [(3, 3), (1, 1)]


async def test_a_player_that_leaves_before_its_link_is_open_fails_in_its_first_call() -> None:
    async with table(everybody([0, 1]), 2) as at:
        at.again(leaver=1)
        await until(lambda: bool(at.snap.received))
        assert at.snap.received == [[(1, "CallError")]]
        assert [hand.asked for hand in at.hands] == [2, 1]
        at.hands[0].say("alone")
        await at.running.over


async def test_a_record_that_says_more_came_when_nothing_could_is_refused() -> None:
    async with table(first_of([0], 1, handicap_s={}), 1) as at:
        at.hands[0].say("alone")
        await at.running.over
        record = at.store.read("g")
        entry = RecordEntry.FromString(record.entries[1].entry)
        entry.call.more_follow = True
        replayer = Replayer(RecordEntry.FromString(record.entries[0].entry), lambda _: None, at.snap.find)
        with pytest.raises(Diverged, match="same moment"):
            replayer.feed(entry)
