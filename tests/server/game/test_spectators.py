"""What a spectator of a running game is told, and when, in simulated time."""

from __future__ import annotations

import asyncio

from fairplay.games.steps import Conversation, Eliminate, Outcome, Race, Show
from fairplay.server.game.spectators import SETTLE_S, live
from fairplay.server.links.link import disconnected
from fairplay.v1.referee_pb2 import WatchGameResponse
from tests.server.played import Played, playing, turned
from tests.server.snap import Rounds, Snap, ask, everybody

CAUSE = disconnected("gone")


class Spectator:
    """Somebody who watches a game, and reads all that comes at once."""

    def __init__(self, at: Played, after: int = 0, *, single: bool = True) -> None:
        self.events: list[WatchGameResponse] = []
        self._stream = live(at.snap.game, at.running, after, single=single)
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self._stream:
            self.events.append(event)

    def reported(self) -> list[tuple[int, str | None]]:
        """Return number and kind of each event, and forget them."""
        reported: list[tuple[int, str | None]] = [(each.sequence, each.WhichOneof("event")) for each in self.events]
        self.events.clear()
        return reported


def two_races(_: Snap) -> Conversation:
    yield Show(None)
    yield Race(ask(0, 1))
    yield Race(ask(1))
    return Outcome([[(0, 0)]])


@playing(two_races, 2)
async def test_whom_a_game_waits_for_is_said_anew_when_others_are_asked(at: Played) -> None:
    spectator = Spectator(at)
    await asyncio.sleep(1.0)
    spectator.reported()
    at.hands[0].say("x")
    await asyncio.sleep(0.01)
    assert spectator.reported() == []
    await asyncio.sleep(1.0)
    assert [each.seat for each in spectator.events[0].asked.players] == [1]
    assert spectator.reported() == [(1, "asked")]
    at.hands[1].say("x")
    await asyncio.sleep(1.0)
    assert spectator.reported() == [(2, "finished")]
    assert spectator.reading.done()
    assert at.running.watchers == [at.received]


def held(_: Snap) -> Conversation:
    """Have answers count in the moment in which it is told that the game waits for them."""
    for _count in range(4):
        yield Show(None)
        yield Race(ask(0, 1), hold_s=SETTLE_S)
    return Outcome([[(0, 0)]])


@playing(held, 2)
async def test_whom_a_game_waits_for_has_the_number_of_the_event_before_it(at: Played) -> None:
    spectator = Spectator(at)
    for _ in range(4):
        at.hands[0].say("x")
        await asyncio.sleep(SETTLE_S)
        await turned(6)
    await asyncio.sleep(1.0)
    last = 0
    for sequence, kind in spectator.reported():
        assert sequence == last if kind == "asked" else sequence > last
        last = sequence


@playing(everybody([0]), 1)
async def test_who_begins_to_watch_in_the_moment_of_the_end_is_told_the_end(at: Played) -> None:
    at.hands[0].say("x")
    await at.running.over
    spectator = Spectator(at)
    await turned(3)
    assert spectator.reported() == [(2, "state"), (3, "finished")]
    assert spectator.reading.done()


@playing(everybody([0]), 1)
async def test_a_deadline_is_as_far_away_as_the_call_has_time(at: Played) -> None:
    await asyncio.sleep(20.0)
    for left_ns in (39_980_000_000, 480_000_000):
        spectator = Spectator(at)
        await asyncio.sleep(39.5)
        asked = next(event for event in spectator.events if event.HasField("asked"))
        found_ns = asked.asked.players[0].deadline.ToNanoseconds() - asked.time.ToNanoseconds()
        assert abs(found_ns - left_ns) < 10


def shown_and_out(_: Snap) -> Conversation:
    """Eliminate seat 1 between two states when the players have answered, and seat 0 at the end."""
    yield Show(None)
    yield Race(ask(0))
    yield Show(None)
    yield Race(ask(1))
    yield Eliminate(1, CAUSE)
    yield Show(None)
    yield Race(ask(0))
    yield Eliminate(0, CAUSE)
    return Outcome([])


@playing(shown_and_out, 2)
async def test_whom_the_rules_eliminate_is_shown_with_its_evidence_to_nobody_while_the_game_runs(at: Played) -> None:
    public, whole = Spectator(at, single=False), Spectator(at, single=True)
    for seat in (0, 1, 0):
        await turned(6)
        at.hands[seat].say("x")
    await turned(9)
    for spectator, evidence in ((public, False), (whole, True)):
        out = [event for event in spectator.events if event.HasField("eliminated")]
        assert [(event.eliminated.seat, event.eliminated.HasField("request")) for event in out] == [
            (1, False),
            (0, False),
        ]
        end = spectator.events[-1]
        assert [each.HasField("request") for each in end.finished.misconducts] == [evidence] * 2
        assert end.time == at.running.message.end_time
    times = [event.time.ToNanoseconds() for event in whole.events]
    assert times == sorted(times)
    assert times[1] > times[0] > 0


def many(count: int) -> Rounds:
    """Show a state after each answer, and eliminate seat 1 in the middle."""

    def conversation(_: Snap) -> Conversation:
        yield Show(None)
        yield Race(ask(1))
        for number in range(count):
            yield Race(ask(0))
            yield Show(None)
            if number == count // 2:
                yield Eliminate(1, CAUSE)
        return Outcome([[(0, 0)]])

    return conversation


@playing(many(200), 2)
async def test_who_does_not_keep_up_misses_states_and_neither_eliminations_nor_the_end(at: Played) -> None:
    stream = live(at.snap.game, at.running, 0, single=True)
    events = [await anext(stream)]
    at.hands[1].say("x")
    for count in (180, 20):
        for _ in range(count):
            await turned(6)
            at.hands[0].say("x")
        await turned(9)
        async for event in stream:
            if event.HasField("asked"):
                assert events[-1].sequence == event.sequence == at.running.machine.event_count
                break
            events.append(event)
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds.count("state") < 100
    assert kinds.count("eliminated") == 1
    sequences = [event.sequence for event in events]
    assert sequences == sorted(set(sequences))
    assert kinds[-2:] == ["state", "finished"]  # the last state is not missed
    assert sequences[-2:] == [202, 203]


@playing(many(4), 2)
async def test_what_happens_while_a_spectator_reads_what_it_has_missed_is_told_after_that(at: Played) -> None:
    at.hands[1].say("x")
    await turned(6)
    at.hands[0].say("x")
    await turned(6)
    stream = live(at.snap.game, at.running, 1, [WatchGameResponse(sequence=2)], single=True)
    events = [await anext(stream)]
    for _ in range(3):
        at.hands[0].say("x")
        await turned(6)
    events += [event async for event in stream]
    assert [event.sequence for event in events] == [2, 3, 4, 5, 6, 7]
    assert [event.WhichOneof("event") for event in events[3:]] == ["eliminated", "state", "finished"]


def shows_nothing(_: Snap) -> Conversation:
    yield Race(ask(0))
    yield Eliminate(0, CAUSE)
    yield Race(ask(1))
    return Outcome([])


@playing(shows_nothing, 2)
async def test_a_game_that_has_shown_no_state_yet_can_be_watched(at: Played) -> None:
    at.hands[0].say("x")
    await turned(6)
    spectator = Spectator(at)
    await asyncio.sleep(1.0)
    assert spectator.reported() == [(1, "asked")]
    at.hands[1].say("x")
    await turned(6)
    assert spectator.reported() == [(2, "finished")]
