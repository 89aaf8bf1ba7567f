"""The first sentence of a finding names the fault: what grew, whose limit it is, and which way of being reached."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import grpc
import pytest

from fairplay.conformance.run.findings import find_findings
from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from tests.conformance.harness import judged

PROGRAM = f"exec:{sys.executable} -m tests.conformance.program"


def first_sentence(link: str, only: str, **more: Any) -> str:
    first, *_ = find_findings(judged(link, only, start_limit_s=30.0, **more).judged)
    return first.sentence


@contextmanager
def served_small(max_bytes: int) -> Iterator[str]:
    """Serve a player of Fish whose gRPC library refuses larger requests, and yield its link."""
    handlers = Handlers(find("fish").player("first"))

    def answer(path: str, request: bytes, _: Any) -> bytes:
        return handlers.call_now(path, request)

    server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.max_receive_message_length", max_bytes)])
    for path in handlers.paths:
        _, service, name = path.split("/")
        method = grpc.unary_unary_rpc_method_handler(partial(answer, path))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: method}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


@pytest.mark.slow
def test_a_player_that_refuses_large_requests_is_told_how_large_and_whose_limit_that_is() -> None:
    with served_small(64) as link:
        sentence = first_sentence(link, "rules.whole-game,exceptions.whole-games")
    assert "bytes as too large. The limit is its own, or its gRPC library's for messages that it receives" in sentence
    assert "must be 4 MiB or more [STREAM-3]" in sentence


@pytest.mark.slow
def test_a_player_that_becomes_slower_with_each_game_until_it_is_late_is_told_so() -> None:
    sentence = first_sentence(f"{PROGRAM} slows", "growth", limit_s=0.5, first_limit_s=0.5, sandbox="off")
    assert sentence.startswith("The player keeps something of each game: after ")
    assert "ms for a decision instead of" in sentence


@pytest.mark.slow
def test_what_fails_through_the_stream_only_says_so_first() -> None:
    sentence = first_sentence(f"{PROGRAM} raises-through-streams", "exceptions.whole-games", sandbox="off")
    assert sentence.startswith(
        "Only through the stream that the player opens, and not where it serves: TakeTurn failed"
    )


REPLIES_OFTEN = """
import dataclasses, os
from fairplay.conformance.zoo.mutants import ProgramBehaviour
from fairplay.conformance.zoo.program import run_program
from fairplay.conformance.zoo.registry import find_mutant
from fairplay.games.game import find

twice = find_mutant(find("fish"), "answers-twice")
often = dataclasses.replace(twice, program=ProgramBehaviour(reply_count=40))
run_program(often, find("fish"), "first", os.environ)
"""


@pytest.mark.slow
def test_several_replies_to_a_call_are_one_cause_also_where_the_stream_is_ended_for_them() -> None:
    link = f"exec:{shlex.join([sys.executable, '-c', REPLIES_OFTEN])}"
    report = judged(link, "contract.one-reply-per-call,*.drawn-states", start_limit_s=30.0)
    (finding,) = find_findings(report.judged)
    assert finding.sentence.startswith("More than one reply came to a call: ")
    assert {"contract.one-reply-per-call", "exceptions.drawn-states"} <= {each.id for each in finding.cases}
