"""Calls that are cancelled, games whose rivals take long, and games whose calls come in turn; in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from fairplay.conformance import silence
from fairplay.conformance.breaker import Breaker
from fairplay.conformance.budget import Budget
from fairplay.conformance.cancelling import cancel_received, cancel_unread
from fairplay.conformance.connection import Connection
from fairplay.conformance.interleaving import TO_THE_END, Rotation, play_in_turn
from fairplay.conformance.objects import Gone
from fairplay.conformance.trial import Exchange
from fairplay.games.game import find
from fairplay.games.steps import CallKind, Failure
from fairplay.server.links.link import Done, OpenCall, disconnected
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, context_of
from tests.conformance.test_ahead import run
from tests.server.quick import quick_clock

FISH = find("fish")
METHODS = {method.name: method for method in FISH.methods}


def dies(sound: Any, request: Any) -> Any:
    raise Gone


Answers: TypeAlias = Callable[[str, int], tuple[float, bytes | Failure] | None]
"""By a method and the number of its call, from 1: after how many seconds it is answered, and how; None: never."""


class Slow:
    """A link whose calls are answered when a test says so, even if they were cancelled."""

    def __init__(self, answers: Answers) -> None:
        self.calls: list[str] = []
        self.games: list[str] = []
        self.late = 0
        self.cancelled: list[str] = []
        self._answers = answers
        self._clock = quick_clock()

    def call(self, method: str, request: bytes, limit_s: float, done: Done, bank_s: float = 0.0) -> OpenCall:
        name = method.rpartition("/")[2]
        self.calls.append(name)
        if name in METHODS:
            asked: Any = METHODS[name].request.FromString(request)
            self.games.append(asked.game_id)
        cancelled: list[bool] = []
        settled: list[bool] = []

        def drop(_: OpenCall) -> None:
            if not settled:
                cancelled.append(True)
                self.drop(name)

        open_call = OpenCall(self._clock, limit_s, done, drop)
        answer = self._answers(name, self.calls.count(name))

        def settle() -> None:
            if cancelled:
                self.late += 1
                return
            settled.append(True)
            assert answer is not None
            open_call.settle(answer[1])

        if answer is not None:
            asyncio.get_running_loop().call_later(answer[0], settle)
        return open_call

    def drop(self, name: str) -> None:
        """Note that a call was cancelled."""
        self.cancelled.append(name)

    async def close(self) -> None:
        """Nothing is held."""


def connected(link: Slow) -> Connection:
    return Connection(link, Breaker(), Budget(1e9, lambda: 0.0), "me")


def opening(first_s: float) -> list[Exchange]:
    """Return the beginning of a game whose first decision took some seconds."""
    return [
        Exchange(METHODS[name], METHODS[name].request(game_id="first").SerializeToString(), kind, 7.0, elapsed_s, b"")  # type: ignore[arg-type]
        for name, kind, elapsed_s in (
            ("PlayAs", CallKind.NOTIFICATION, 0.0),
            ("Setup", CallKind.DECISION, first_s),
        )
    ]


async def cancelled(link: Slow, first_s: float) -> int:
    ids = iter(f"game-{number}" for number in range(1_000))
    return await cancel_received(connected(link), opening(first_s), lambda: next(ids), lambda: link.late)


def answering(after_s: float, describe_s: float = 0.0) -> Answers:
    after = {"Setup": after_s, "Describe": describe_s}
    return lambda name, number: (after.get(name, 0.0), b"")


@pytest.mark.parametrize(("first_s", "burst"), [(0.049, 16), (0.05, 4)])
def test_a_quick_player_is_asked_for_more_decisions_at_the_same_moment(first_s: float, burst: int) -> None:
    async def test() -> None:
        link = Slow(answering(0.0))
        await cancelled(link, first_s)
        assert link.calls[:burst] == ["PlayAs"] * burst
        assert link.calls[burst : 2 * burst] == ["Setup"] * burst
        assert link.calls[2 * burst] == "Describe"
        assert len({*link.games[:burst]}) == burst
        assert "first" not in link.games

    run(test())


def test_decisions_that_take_long_are_cancelled_halfway_until_three_were_received() -> None:
    async def test() -> None:
        link = Slow(answering(2.0))
        began = asyncio.get_running_loop().time()
        assert await cancelled(link, 2.0) == 4
        assert link.cancelled == ["Setup"] * 4
        assert asyncio.get_running_loop().time() - began == pytest.approx(1.0)
        assert link.calls.count("Describe") == 1

    run(test())


def test_a_player_that_answers_at_once_is_tried_six_times() -> None:
    async def test() -> None:
        link = Slow(answering(0.0))
        assert await cancelled(link, 0.0) == 0
        assert link.calls.count("Describe") == 6
        assert link.calls.count("Setup") == 6 * 16

        patient = Slow(lambda name, number: (0.3, b"") if name == "Setup" and number % 16 else (0.0, b""))
        assert await cancelled(patient, 0.0) == 15
        assert patient.calls.count("Describe") == 1

    run(test())


def test_every_other_time_a_quick_player_has_a_little_longer_until_all_is_cancelled() -> None:
    async def test() -> None:
        turn, asked, dropped = 0, dict[int, int](), dict[int, int]()

        async def count() -> None:
            nonlocal turn
            while True:
                turn += 1
                await asyncio.sleep(0)

        def answers(name: str, number: int) -> tuple[float, bytes | Failure] | None:
            attempt = (number - 1) // 16
            if name == "Setup":
                asked.setdefault(attempt, turn)
            return None if name == "Setup" and attempt % 2 else (0.0, b"")

        class Counting(Slow):
            def drop(self, name: str) -> None:
                super().drop(name)
                dropped.setdefault((self.calls.count(name) - 1) // 16, turn)

        counting = asyncio.ensure_future(count())
        link = Counting(answers)
        assert await cancelled(link, 0.0) == 0
        counting.cancel()
        assert len(link.cancelled) == 3 * 16
        assert {attempt: dropped[attempt] - asked[attempt] for attempt in dropped} == {1: 3, 3: 5, 5: 7}

    run(test())


def test_answers_that_come_after_their_calls_were_cancelled_show_that_they_were_received() -> None:
    async def test() -> None:
        # One of each sixteen is answered at once, and three of the others too late.
        def answers(name: str, number: int) -> tuple[float, bytes | Failure] | None:
            if name != "Setup":
                return (1.0, b"") if name == "Describe" else (0.0, b"")
            return (0.0, b"") if number % 16 == 1 else (0.5, b"") if number % 16 == 2 else None

        link = Slow(answers)
        link.late = 5
        assert await cancelled(link, 0.0) == 15 + 1
        assert link.calls.count("Describe") == 1

    run(test())


def test_nothing_is_cancelled_of_a_player_that_does_not_begin_a_game_or_is_gone() -> None:
    async def test() -> None:
        link = Slow(lambda name, number: (0.0, disconnected("it is gone")))
        assert await cancelled(link, 2.0) == 0
        assert link.calls == ["PlayAs"]
        stuck = Slow(lambda name, number: (0.0, b"") if name == "PlayAs" else None)
        began = asyncio.get_running_loop().time()
        assert await cancelled(stuck, 2.0) == 4
        assert stuck.calls.count("Describe") == 1
        # Half of the first decision, and then the limits of all that it was asked, and of one more.
        assert asyncio.get_running_loop().time() - began == pytest.approx(1.0 + 7.0 * 5)

    run(test())


@pytest.mark.parametrize(
    ("answered", "late", "received", "rounds"), [(1, 0, 3, 1), (2, 0, 4, 3), (2, 1, 3, 1), (3, 1, 4, 3)]
)
def test_three_calls_that_were_received_will_do_and_two_will_not(
    answered: int, late: int, received: int, rounds: int
) -> None:
    async def test() -> None:
        def answers(name: str, number: int) -> tuple[float, bytes | Failure] | None:
            place, is_even = (number - 1) % 4, (number - 1) // 4 % 2 == 0
            if name != "Setup" or (is_even and place < answered):
                return (1.0, b"") if name == "Describe" else (0.0, b"")
            return (0.5, b"") if is_even and place < answered + late else None

        link = Slow(answers)
        link.late = 5
        assert await cancelled(link, 0.6) == received
        assert link.calls.count("Setup") == 4 * rounds

    run(test())


def test_a_game_is_begun_with_all_calls_before_its_first_decision_whose_limit_and_time_count() -> None:
    async def test() -> None:
        begin, decision = opening(2.0)
        reported = begin._replace(method=METHODS["PlayWith"], limit_s=3.0)
        link = Slow(lambda name, number: (0.0, b"") if name.startswith("Play") else None)
        began, ids = asyncio.get_running_loop().time(), iter(map(str, range(9)))
        beginning = [begin._replace(limit_s=2.0), reported, decision]
        assert await cancel_received(connected(link), beginning, lambda: next(ids), lambda: link.late) == 4
        assert link.calls == [*["PlayAs", "PlayWith"] * 4, *["Setup"] * 4, "Describe"]
        assert asyncio.get_running_loop().time() - began == pytest.approx(1.0 + 7.0 * 5)

    run(test())


def test_all_is_cancelled_before_the_player_is_asked_whether_it_has_done_with_it() -> None:
    async def test() -> None:
        cancelled_by_then: list[list[str]] = []

        def answers(name: str, number: int) -> tuple[float, bytes | Failure] | None:
            if name == "Describe":
                cancelled_by_then.append([*link.cancelled])
            return None if name == "Setup" else (0.0, b"")

        link = Slow(answers)
        assert await cancelled(link, 2.0) == 4
        assert cancelled_by_then == [["Setup"] * 4]

    run(test())


def test_a_player_that_is_stuck_after_few_calls_were_cancelled_is_asked_no_more() -> None:
    async def test() -> None:
        def answers(name: str, number: int) -> tuple[float, bytes | Failure] | None:
            return (0.0, b"") if name == "PlayAs" or (name == "Setup" and number < 4) else None

        link = Slow(answers)
        assert await cancelled(link, 0.6) == 1
        assert link.calls.count("Describe") == 1

    run(test())


def test_calls_are_cancelled_before_and_after_they_may_have_been_sent() -> None:
    async def test() -> None:
        link = Slow(lambda name, number: None)
        await cancel_unread(connected(link), opening(1.0)[-1])
        assert link.calls == ["Setup"] * 2, "the first one was cancelled before it was made"
        assert link.cancelled == ["Setup"] * 2
        assert set(link.games) == {"first"}

    run(test())


def test_a_connection_cancels_what_is_open_when_it_is_closed() -> None:
    async def test() -> None:
        link = Slow(lambda name, number: None)
        connection = connected(link)
        request = METHODS["Setup"].request().SerializeToString()
        asking = asyncio.ensure_future(connection.ask(METHODS["Setup"], request, 60.0))
        await asyncio.sleep(1.0)
        await connection.close()
        assert link.cancelled == ["Setup"]
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        assert connection.call_count == 1

    run(test())


def test_an_answer_that_comes_just_when_its_call_is_cancelled_is_forgotten() -> None:
    async def test() -> None:
        opened: list[OpenCall] = []

        class Keeping(Slow):
            def call(self, *arguments: Any, **more: Any) -> OpenCall:
                opened.append(super().call(*arguments, **more))
                return opened[-1]

        connection = connected(Keeping(lambda name, number: None))
        asking = asyncio.ensure_future(connection.ask(METHODS["Setup"], b"", 60.0))
        await asyncio.sleep(1.0)
        asking.cancel()
        opened[0].settle(b"")
        await asyncio.gather(asking, return_exceptions=True)
        assert asking.cancelled()
        assert not connection.lost

    run(test())


def test_a_call_has_its_outcome_and_the_time_that_it_took() -> None:
    async def test() -> None:
        connection = connected(Slow(lambda name, number: (1.5, b"x")))
        assert await connection.ask(METHODS["Setup"], b"", 60.0) == (b"x", 1.5)
        assert (connection.call_count, connection.described, connection.lost) == (1, 0, False)

    run(test())


# Silence


def test_between_two_calls_the_player_hears_nothing_for_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "SILENCE_S", 0.05)
    with context_of(Opened(player).as_objects()) as context:
        found = silence.play(context)
        assert context.trials == [found]
        assert found.decision_count == 6
        assert found.misconduct is None
        assert found.entry is not None
        assert found.entry.text == "a game in which the player hears nothing for 0.05 s"
        [again] = context.replay([found.entry])
        assert again.scenario == found.scenario
        beginning = silence.begin(context)
        beside = silence.finish(context, beginning)
        assert beside is not None
        assert context.trials == [found, beside]
        assert beside.scenario == found.scenario
        assert beside.entry is not None


def test_a_silence_is_before_the_fourth_call() -> None:
    slept: list[int] = []

    async def test() -> None:
        link = Slow(lambda name, number: (0.0, b"" if name.startswith("Play") else b"\x08\x00"))
        times: list[float] = []
        call = link.call

        def timed(*arguments: Any, **more: Any) -> OpenCall:
            times.append(asyncio.get_running_loop().time())
            return call(*arguments, **more)

        link.call = timed  # type: ignore[method-assign]
        with context_of(Opened(player).as_objects()) as context:
            await silence.play_silently(context, connected(link))
        assert [round(time) for time in times[:4]] == [0, 0, 0, 1]
        slept.append(len(times))

    run(test())
    assert slept


@pytest.mark.parametrize(("method", "wrong"), [("play_as", raises), ("setup", dies)])
def test_a_game_with_a_silence_shows_misconduct_and_its_connection_is_closed(method: str, wrong: Any) -> None:
    opened = Opened(lambda: player(**{method: wrong}))
    with context_of(opened.as_served()) as context:
        context.player.begin()
        found = silence.finish(context, silence.begin(context))
        assert found is not None
        assert found.misconduct is not None
        assert context.trials == [found]
        assert opened.open_count == 1, "the shared one"


def test_a_player_that_was_not_there_for_the_game_has_no_trial() -> None:
    opened = Opened(player, lambda number: "it sleeps" if number == 2 else None)
    with context_of(opened.as_served()) as context:
        context.player.begin()
        assert silence.finish(context, silence.begin(context)) is None
        assert context.trials == []


# Turns


def test_games_in_turn_have_ids_of_their_own_or_those_that_are_given() -> None:
    for ids in ((), ("one", "two")):
        asked: list[str] = []

        def note(sound: Any, request: Any, asked: list[str] = asked) -> Any:
            asked.append(request.game_id)
            return sound(request)

        made = player(play_as=note, play_with=note, setup=note, take_turn=note)
        with context_of(Opened(lambda made=made: made).as_objects()) as context:  # type: ignore[misc]
            with context.player.fresh() as connection:
                trials = play_in_turn(context, context.beginnings(2, 3), connection, ids=ids)
            assert context.trials == trials
            [entry] = {id(each.entry): each.entry for each in trials}.values()
            assert entry is not None
            assert entry.text.count(", by turns ") == 1
            assert not entry.scenarios
        first, second = dict.fromkeys(asked)
        assert asked[:6] == [first, second] * 3
        if ids:
            assert (first, second) == ids
        else:
            assert first.endswith("/r1g1")
            assert second.endswith("/r1g2")
            assert first.partition("/")[0] != second.partition("/")[0]


def test_shares_say_how_many_calls_a_game_makes_in_its_turn() -> None:
    asked: list[str] = []

    def note(sound: Any, request: Any) -> Any:
        asked.append(request.game_id)
        return sound(request)

    made = player(play_as=note, play_with=note, setup=note, take_turn=note)
    with context_of(Opened(lambda: made).as_objects()) as context, context.player.fresh() as connection:
        play_in_turn(context, context.beginnings(2, 3), connection, (2, TO_THE_END), ("a", "b"))
    text = "".join(asked)
    assert text.startswith("aabbb")
    assert text.strip("a").strip("b") == ""


async def test_a_game_that_leaves_out_of_its_turn_holds_nobody_up() -> None:
    rotation, calls = Rotation((2, 1, 1)), list[int]()

    async def call(number: int) -> None:
        async with rotation.turn(number):
            calls.append(number)

    rotation.leave(1)
    await call(0)
    await call(0)
    await call(2)
    await call(0)
    rotation.leave(0)
    await call(2)
    await call(2)
    rotation.leave(2)
    assert calls == [0, 0, 2, 0, 2, 2]
