"""Questions in threads: few at once, each for a limited time."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from fairplay.server.net.errors import Refusal
from fairplay.server.servicers.rules import LIMIT_S, MAX_QUESTIONS, Questions, TookTooLongError
from tests.server.quick import in_no_time

OPERATE = (Path(__file__).resolve().parents[3] / "docs" / "operate.md").read_text(encoding="utf-8")


def spin() -> None:
    while True:
        pass


async def test_a_question_that_takes_too_long_is_interrupted_and_frees_its_place() -> None:
    questions = Questions(most=1, limit_s=0.05)
    with pytest.raises(Refusal, match="takes longer than"):
        await questions.ask(spin)
    async with asyncio.timeout(30):
        while True:
            try:
                assert await questions.ask(lambda: "answered") == "answered"
                return
            except Refusal:  # until the thread has noticed that it is interrupted
                await asyncio.sleep(0)


async def test_too_many_questions_at_once_are_refused_and_the_loop_goes_on() -> None:
    questions = Questions(most=2, limit_s=60)
    spinning = [asyncio.create_task(questions.ask(spin)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Refusal) as refusal:
        await questions.ask(lambda: "answered")
    assert (refusal.value.reason, refusal.value.retry_s) == ("TOO_MANY_REQUESTS", 1.0)
    for task in spinning:
        task.cancel()
    await asyncio.gather(*spinning, return_exceptions=True)


def test_two_are_answered_at_once_for_5_seconds_each() -> None:
    assert f"| questions to `RulesService` | {MAX_QUESTIONS} at once, {LIMIT_S:g} s and" in OPERATE
    begun, over = threading.Semaphore(0), threading.Event()

    def hold_on() -> None:
        # It looks up now and then: until a thread takes notice of its interruption, Python 3.11 can trace no other one.
        try:
            begun.release()
            while not over.wait(0.01):
                pass
        except TookTooLongError:
            over.wait(30)  # as one that takes long to end

    async def ask() -> list[str]:
        loop, questions = asyncio.get_running_loop(), Questions()
        asked = [asyncio.create_task(questions.ask(hold_on)) for _ in range(2)]
        await asyncio.sleep(0)
        for _ in asked:  # the simulated time of who is not there yet is over at once
            assert begun.acquire(timeout=30)
        with pytest.raises(Refusal, match="the server answers 2 such questions at once: ask again") as refusal:
            await questions.ask(lambda: "too many")
        assert (refusal.value.reason, refusal.value.retry_s) == ("TOO_MANY_REQUESTS", 1.0)
        begun_s = loop.time()
        refusals = await asyncio.gather(*asked, return_exceptions=True)
        assert loop.time() - begun_s == pytest.approx(5.0)
        assert all(isinstance(each, Refusal) and each.retry_s == 1.0 for each in refusals)
        with pytest.raises(Refusal, match="the server answers 2 such questions"):  # until their threads have ended
            await questions.ask(lambda: "too many")
        return [str(each) for each in refusals]

    try:
        assert in_no_time(ask()) == ["the answer takes longer than 5 s: ask for less"] * 2
    finally:
        over.set()


async def test_an_answer_and_an_error_reach_who_asked() -> None:
    def fails() -> None:
        raise ValueError("no such thing")

    questions = Questions(most=1)
    assert await questions.ask(lambda: 42) == 42
    with pytest.raises(ValueError, match="no such thing"):
        await questions.ask(fails)
    assert await questions.ask(lambda: 43) == 43


def answer(name: str, begun: threading.Event) -> str:
    begun.set()
    while True:
        time.sleep(0)
    return name


async def test_a_question_that_nobody_waits_for_any_more_is_interrupted_and_counts_until_it_has_ended() -> None:
    questions, begun = Questions(most=1), threading.Event()
    asked = asyncio.create_task(questions.ask(lambda: answer("nobody", begun)))
    assert await asyncio.to_thread(begun.wait, 30)
    (thread,) = [each for each in threading.enumerate() if each.name == "fairplay-question"]
    assert thread.daemon
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await asyncio.to_thread(thread.join, 30)
    assert not thread.is_alive()
    assert await questions.ask(lambda: "free") == "free"


@pytest.mark.parametrize("fails", [False, True])
async def test_an_answer_that_comes_too_late_is_dropped(fails: bool) -> None:
    late, reported = threading.Event(), []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))

    def work() -> None:
        try:
            late.wait(30)
        finally:
            if fails:
                raise ValueError("too late")

    asked = asyncio.create_task(Questions().ask(work))
    await asyncio.sleep(0)
    (thread,) = [each for each in threading.enumerate() if each.name == "fairplay-question"]
    asked.cancel()
    late.set()
    await asyncio.to_thread(thread.join, 30)
    await asyncio.gather(asked, return_exceptions=True)
    await asyncio.sleep(0)
    assert reported == []


async def test_a_question_whose_event_loop_has_ended_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    late = threading.Event()
    unhandled: list[object] = []
    monkeypatch.setattr(threading, "excepthook", unhandled.append)

    async def ask_and_leave() -> tuple[asyncio.Task[bool], threading.Thread]:
        asking = asyncio.ensure_future(Questions().ask(lambda: late.wait(30)))
        await asyncio.sleep(0)
        return asking, next(each for each in threading.enumerate() if each.name == "fairplay-question")

    def in_a_loop_that_ends() -> threading.Thread:
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)  # a task was pending
        _, thread = loop.run_until_complete(ask_and_leave())
        loop.close()
        return thread

    thread = await asyncio.to_thread(in_a_loop_that_ends)
    late.set()
    await asyncio.to_thread(thread.join, 30)
    assert unhandled == []
