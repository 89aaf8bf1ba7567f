"""Evidence shows what was found, and has the same digest where the same was found."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import pytest

from fairplay.conformance.evidence import clipped, packed, readable, sent
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse
from fairplay.v1.misconduct_pb2 import Misconduct
from tests.conformance.harness import player, raises
from tests.conformance.player.test_links import served
from tests.slow import all_but_first_slow

MUTANT = "raises-in-third-decision"
COMMAND = [sys.executable, "-m", "fairplay.conformance.zoo", "fish", MUTANT]
ONLY = "contract.void-methods-return,exceptions.whole-games,rules.whole-game,endings.tournament"
LIMIT_S = 30.0


def digests(link: str) -> dict[str, str]:
    options = Options("fish", link, only=ONLY, limit_s=LIMIT_S, first_limit_s=LIMIT_S, start_limit_s=20.0, examples=5)
    judged = run(options).judged
    return {each.id: each.evidence.digest for each in judged if each.evidence is not None}


@pytest.mark.parametrize("way", all_but_first_slow(["grpc", "exec"]))
def test_two_runs_with_the_same_seed_have_the_same_digests(way: str) -> None:
    def once() -> dict[str, str]:
        if way == "exec":
            return digests(f"exec:{shlex.join(COMMAND)}")
        with served(player(end=raises, take_turn=lambda sound, request: type(sound(request))())) as link:
            return digests(link)

    first = once()
    assert first
    assert once() == first


def any_of(message: Any) -> Any:
    found = Misconduct().reply
    found.Pack(message)
    return found


# How much of a text is shown


def test_a_text_of_4000_characters_is_shown_whole_and_a_longer_one_is_cut() -> None:
    whole = "a" * 3_999 + "b"
    assert clipped(whole) == whole
    assert clipped(whole + "c") == f"{whole}\n… (1 more characters)"
    assert clipped("c" + whole, from_end=True) == f"… (1 more characters)\n{whole}"
    assert clipped(whole + "c" * 1_234).endswith("\n… (1,234 more characters)")


# How messages are shown


def test_messages_are_shown_with_the_fields_that_nobody_knows() -> None:
    data = SetupResponse(place=7).SerializeToString() + b"\xa0\x06\x2a"
    assert sent(SetupResponse, data) == "place: 7\n100: 42"
    assert sent(SetupResponse, b"\xff") == "ff\n(1 bytes)"
    assert readable(SetupResponse()) == "(empty)"


def test_packed_messages_are_shown_by_their_type_or_as_bytes() -> None:
    message = SetupRequest(game_id="a")
    message.state.fish.extend([1, 2])
    assert packed(any_of(message)) == 'game_id: "a"\nstate {\n  fish: [1, 2]\n}'
    assert packed(any_of(message), one_line=True) == 'game_id: "a" state { fish: [1, 2] }'
    unknown, unreadable = any_of(message), any_of(message)
    unknown.type_url = "type.googleapis.com/nobody.knows.This"
    unreadable.value = b"\xff"
    assert packed(unknown).endswith(f"({len(unknown.value)} bytes)")
    assert packed(unreadable) == "ff\n(1 bytes)"


# Digests
