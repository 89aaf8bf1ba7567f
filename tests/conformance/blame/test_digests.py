"""The same seed gives the same digests of evidence: times, outputs, ids and ports are left out."""

from __future__ import annotations

import shlex
import sys

import pytest

from fairplay.conformance.evidence import MAX_CHARS, Evidence, clipped
from fairplay.conformance.player.names import new_game_id
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
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
