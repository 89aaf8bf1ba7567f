"""Players that are reached over the network: they serve, or dial in, and misbehave in ways that objects cannot."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import grpc
import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.v1.connection_pb2 import Call, DialInRequest, Hello, HostedPlayer, Reply
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from tests.conformance.harness import SOUND_LIMIT_S


@contextmanager
def in_a_thread(work: Callable[[threading.Event], Any]) -> Iterator[None]:
    """Run `work` in an event loop of its own; the event is set at the end."""
    over = threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(work(over)), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(30)


async def until(over: threading.Event) -> None:
    while not over.is_set():
        await asyncio.sleep(0.01)


@contextmanager
def served(made: object, secret: str = "") -> Iterator[str]:
    """Serve a player, and yield its link."""
    ports: list[int] = []
    ready = threading.Event()

    async def work(over: threading.Event) -> None:
        server, port = await start_server(Handlers(made), "127.0.0.1:0", secret=secret)
        ports.append(port)
        ready.set()
        await until(over)
        await server.stop(0)

    with in_a_thread(work):
        assert ready.wait(30)
        yield f"grpc://127.0.0.1:{ports[0]}"


def free_address() -> str:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def until_a_connection_ends(port: int) -> Iterator[str]:
    """Pass connections on to a port until one has ended, and yield the link of this relay, which is gone then."""
    ports: list[int] = []
    ready = threading.Event()

    async def work(over: threading.Event) -> None:
        ended, relays = asyncio.Event(), set[asyncio.Task[Any]]()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            relays.add(cast("asyncio.Task[Any]", asyncio.current_task()))
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
            both = [asyncio.ensure_future(pump(reader, far_writer)), asyncio.ensure_future(pump(far_reader, writer))]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            ended.set()
            for end in (writer, far_writer):
                end.close()
            await asyncio.gather(*both, writer.wait_closed(), far_writer.wait_closed(), return_exceptions=True)

        server = await asyncio.start_server(accept, "127.0.0.1")
        ports.append(server.sockets[0].getsockname()[1])
        ready.set()
        await ended.wait()
        server.close()
        await until(over)
        await asyncio.gather(*relays)

    with in_a_thread(work):
        assert ready.wait(30)
        yield f"grpc://127.0.0.1:{ports[0]}"


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)


@pytest.mark.slow
def test_a_player_that_serves_one_connection_cannot_be_reached_again() -> None:
    with served(find("fish").player("random")) as link:
        port = int(link.rpartition(":")[2])
        with until_a_connection_ends(port) as once:
            report = run(Options("fish", once, only="identity", start_limit_s=2.0))
    assert report.failed() == ["identity.reached-again"]


def test_a_player_that_does_not_want_its_secret_is_refused() -> None:
    for secret, verdict in (("Sesame-1", Verdict.PASS), ("", Verdict.FAIL)):
        with served(find("fish").player("random"), secret) as link:
            report = run(Options("fish", link, only="contract.secret", secret="Sesame-1"))
        assert [each.verdict for each in report.judged] == [verdict]
    assert report.judged[0].sentence.startswith("A call of Start without its secret was answered")
    assert "Sesame" not in str(report.judged[0])


def test_only_a_player_whose_secret_is_known_is_asked_without_it() -> None:
    with served(find("fish").player("random")) as link:
        report = run(Options("fish", link, only="contract.secret"))
    assert report.judged[0].verdict is Verdict.NOT_APPLICABLE


def by_hand(answer: Callable[[Call], Sequence[Reply]], only: str, then: Sequence[DialInRequest] = ()) -> Any:
    """Return the report on a program that dials in, and answers by a function and with frames after it."""
    address = free_address()

    async def play() -> None:
        async with grpc.aio.insecure_channel(address) as channel:
            stream: Any = ConnectionServiceStub(channel).DialIn(wait_for_ready=True)
            await stream.write(DialInRequest(hello=Hello(players=[HostedPlayer(name="me")])))
            while (frame := await stream.read()) is not grpc.aio.EOF:
                for call in frame.calls:
                    for written in (DialInRequest(replies=answer(call)), *then):
                        await stream.write(written)

    async def work(over: threading.Event) -> None:
        playing = asyncio.create_task(play())
        await until(over)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

    with in_a_thread(work):
        options = Options(
            "fish",
            "dial-in:me",
            listen=address,
            only=only,
            limit_s=SOUND_LIMIT_S,
            first_limit_s=SOUND_LIMIT_S,
            start_limit_s=SOUND_LIMIT_S,
        )
        return run(options)


def test_frames_without_replies_are_no_second_replies() -> None:
    handlers = Handlers(find("fish").player("first"))

    def once(call: Call) -> Sequence[Reply]:
        return [Reply(id=call.id, response=handlers.call_now(call.method_name, call.request))]

    report = by_hand(once, "contract.one-reply-per-call", [DialInRequest()])
    assert [each.verdict for each in report.judged] == [Verdict.PASS]


def test_garbage_is_a_verdict() -> None:
    report = by_hand(lambda call: [Reply(id=call.id, response=b"\xff\xff")], "contract")
    assert set(report.failed()) == {"contract.describes-itself", "contract.replies-readable"}
    assert report.counts[Verdict.SUITE_ERROR] == 0
