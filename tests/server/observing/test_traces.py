"""Traces of a real server's games, as a collector of OpenTelemetry receives them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from fairplay.server.observing.tracer import Tracer
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import Call, Reply
from tests.server.harness import ByHand, plan, sound
from tests.slow import all_but_first_slow

FISH = "/fairplay.fish.v1.FishPlayerService"
LIMIT_S = 60.0


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """A collector that keeps what it is sent."""

    def __init__(self) -> None:
        self.spans: list[Any] = []

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802
        self.spans += [span for each in request.resource_spans for scope in each.scope_spans for span in scope.spans]
        return trace_service_pb2.ExportTraceServiceResponse()


class Serving:
    """A collector at an address of its own."""

    def __init__(self, server: grpc.Server) -> None:
        self.collector = Collector()
        add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
        add(self.collector, server)
        self.url = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"


@pytest.fixture
def serving() -> Iterator[Serving]:
    server = grpc.server(ThreadPoolExecutor(2))
    made = Serving(server)
    server.start()
    yield made
    server.stop(0).wait()


def attributes(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


async def play(tracer: Tracer) -> None:
    """Play a game to its end, one with a player that is not there, and one that the server leaves."""
    server = await Server.start(Config(tracer=tracer, start_limit_s=0.3))
    await server.referee.play(plan("bot:first", "bot:greedy"), "whole")
    await server.referee.play(plan("bot:first", "dial-in:nobody"), "alone")
    await server.stop()
    tracer.close()


async def test_a_game_is_a_span_and_each_call_one_within_it(serving: Serving) -> None:
    await play(Tracer(serving.url))
    games = {attributes(span)["fairplay.game_id"]: span for span in serving.collector.spans if not span.parent_span_id}
    assert games.keys() == {"whole", "alone"}
    assert {span.name for span in games.values()} == {"game of fish"}
    calls = [span for span in serving.collector.spans if span.parent_span_id == games["whole"].span_id]
    assert {f"{FISH}/PlayAs", f"{FISH}/TakeTurn"} <= {span.name for span in calls}
    assert {attributes(span)["fairplay.outcome"] for span in calls} == {"answered"}
    assert {span.trace_id for span in calls} == {games["whole"].trace_id}
    for span in calls:
        assert span.start_time_unix_nano <= span.end_time_unix_nano <= games["whole"].end_time_unix_nano
    failed = [
        span for span in serving.collector.spans if span.parent_span_id == games["alone"].span_id and span.status.code
    ]
    assert {span.status.message for span in failed} == {"disconnected"}
    assert [event.name for event in games["alone"].events] == ["elimination"]


async def test_a_player_is_told_the_span_of_its_game(serving: Serving) -> None:
    tracer, answer = Tracer(serving.url), sound()
    told: set[str] = set()

    def reply(call: Call) -> list[Reply]:
        told.add(call.metadata["traceparent"])
        return [answer(call)]

    server = await Server.start(Config(tracer=tracer))
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        async with by_hand.answering(reply):
            await server.referee.play(plan("dial-in:x", "bot:first"), "g")
    await server.stop()
    tracer.close()
    [game] = [span for span in serving.collector.spans if not span.parent_span_id]
    assert {each.rpartition("-")[0] for each in told} == {f"00-{game.trace_id.hex()}-{game.span_id.hex()}"}


async def test_a_share_of_none_sends_nothing(serving: Serving) -> None:
    await play(Tracer(serving.url, share=0.0))
    assert serving.collector.spans == []


async def test_a_collector_that_is_away_costs_no_game_and_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")  # it tries in a thread of its own, beside other tests
    await play(Tracer("http://127.0.0.1:1"))


@pytest.mark.slow
def test_a_server_sends_what_is_left_when_it_is_stopped(serving: Serving) -> None:
    command = [sys.executable, "-m", "fairplay.terminal"]
    with subprocess.Popen(
        [*command, "serve", "--listen", "127.0.0.1:0", "--traces", serving.url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        found = re.search(r"serves on (\S+?),", process.stdout.readline())
        assert found is not None
        played = [*command, "game", "fish", "--player", "bot:first", "--player", "bot:first", "--server", found[1]]
        subprocess.run(played, check=True, capture_output=True, timeout=LIMIT_S)
        process.terminate()
        assert process.wait(LIMIT_S) == 0
    assert [span.name for span in serving.collector.spans if not span.parent_span_id] == ["game of fish"]


@pytest.mark.parametrize("url", all_but_first_slow(["127.0.0.1:4317", "http://127.0.0.1:x"]))
def test_a_url_that_is_none_is_refused_in_a_sentence(url: str) -> None:
    command = [sys.executable, "-m", "fairplay.terminal", "serve", "--traces", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 2
    assert "--traces" in done.stderr
