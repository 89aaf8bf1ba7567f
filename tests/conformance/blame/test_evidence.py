"""Evidence shows what was found, and has the same digest where the same was found."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import pytest

from fairplay.conformance.evidence import MAX_CHARS, Evidence, clipped, packed, readable, sent
from fairplay.conformance.player.names import new_game_id
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


def test_what_is_not_the_same_in_every_run_is_not_in_the_digest() -> None:
    def evidence(game_id: str, port: int, time: str) -> Evidence:
        cause = f"failed to connect to ipv4:127.0.0.1:{port}, object at 0x7f{port}aa00"
        return Evidence(cause, sections=[("Request", f'game_id: "{game_id}"'), ("Time", time), ("Again", str(port))])

    one, other = evidence(new_game_id("fish"), 41_234, "0.1 s of 1 s"), evidence(new_game_id("fish"), 15_001, "0.2 s")
    assert one.digest == other.digest
    assert one.digest != Evidence(one.sentence, sections=[("Request", "another one")]).digest


def test_long_requests_are_cut_at_the_same_place() -> None:
    texts = [f'game_id: "{new_game_id("fish")}" {"x" * 5 * MAX_CHARS}' for _ in range(8)]
    assert len({Evidence(clipped(text)).digest for text in texts}) == 1


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


BASE = Evidence("It raised.", ("a.rule",), [("Call", "Setup")], "board", "<svg/>", "seat-0-of-2")


def test_a_digest_depends_on_what_was_found() -> None:
    others = [
        Evidence("It hung.", ("a.rule",), [("Call", "Setup")], "board"),
        Evidence("It raised.", ("b.rule",), [("Call", "Setup")], "board"),
        Evidence("It raised.", ("a.rule",), [("Call", "TakeTurn")], "board"),
        Evidence("It raised.", ("a.rule",), [("Call", "Setup")], "another board"),
    ]
    assert len({each.digest for each in (BASE, *others)}) == 5
    # Certificates have digests: those of the same evidence stay the same in later versions.
    assert BASE.canonical() == (
        b'{"board":"board","rules":["a.rule"],"sections":[["Call","Setup"]],"sentence":"It raised."}'
    )
    assert Evidence("Fürchterlich \ud800").canonical().startswith(b'{"board":"","rules":[],"sections":[],')
    assert "Fürchterlich".encode() in Evidence("Fürchterlich").canonical()


def test_a_digest_does_not_depend_on_how_a_run_went() -> None:
    for title in ["Time", "Output of the player", "Games before", "Played again", "Memory", "Again"]:
        assert BASE.with_sections((title, "something")).digest == BASE.digest
        assert BASE.with_sections(("Call", "something")).digest != BASE.digest
        assert BASE.with_history("seat-1-of-2").digest == BASE.digest
        assert BASE.with_history("seat-1-of-2").history == "seat-1-of-2"
