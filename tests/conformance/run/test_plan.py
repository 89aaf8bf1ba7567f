"""What a run is to do follows from its options; what makes no sense is refused before anything is started."""

from __future__ import annotations

import asyncio
import math
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from fairplay.conformance.run.options import Options
from fairplay.conformance.run.plan import make_plan, transport_of
from fairplay.games.game import find
from fairplay.sandbox.bubblewrap import SandboxMissingError


def plan(player: Any = "bot:first", **more: Any) -> Any:
    return make_plan(Options("fish", player, **more))


SENSELESS: list[tuple[Any, dict[str, Any], str]] = [
    ("dial-in:me", {"jobs": 2}, "one that dials in is one player"),
    (list, {"jobs": 2}, "give a link instead of an object"),
    ("exec:me", {"jobs": 2, "listen": "127.0.0.1:50"}, "give --listen an address with port 0"),
    ("bot:first", {"budget_s": 0.0}, "--budget is a time longer than 0"),
    ("bot:first", {"budget_s": -1.0}, "--budget is a time longer than 0"),
    ("bot:first", {"budget_s": math.nan}, "--budget is a time longer than 0"),
    ("bot:first", {"nonce": "n" * 129}, "--nonce is at most 128 characters that can be printed"),
    ("bot:first", {"nonce": "a\tb"}, "--nonce is at most 128 characters that can be printed"),
    ("bot:first", {"limit_s": 0.0}, "limit"),
    ("bot:first", {"first_limit_s": -1.0}, "limit"),
    ("bot:first", {"tls_cert": "c.pem"}, "--tls-cert and --tls-key belong together"),
    ("bot:first", {"tls_key": "k.pem"}, "--tls-cert and --tls-key belong together"),
    ("dial-in:me", {"listen": "0.0.0.0:50"}, "--tls-cert and --tls-key"),
    ("exec:me", {"listen": "0.0.0.0:0"}, "--tls-cert and --tls-key"),
    ("exec:me", {"program_limits": "nothing=1"}, "nothing"),
    ("exec:me", {"sandbox": "perhaps"}, "perhaps"),
    ("bot:first", {"level": "high"}, "there is no level 'high'"),
    ("bot:first", {"history": "seat-0-of-2"}, "give --only memory.back-to-back"),
    ("bot:first", {"history": "x", "only": "memory.back-to-back"}, "--history: 'x' is no game"),
    ("bot:first", {"known_failures": "/no/such/file"}, "cannot be read"),
]


def test_options_that_make_no_sense_are_refused() -> None:
    for player, options, complaint in SENSELESS:
        with pytest.raises(ValueError, match=complaint):
            plan(player, **options)


@pytest.mark.parametrize(
    ("player", "sandbox", "is_missed"),
    [
        ("exec:me", "auto", True),
        ("exec:me", "off", False),
        ("bot:first", "auto", False),
        ("grpc://127.0.0.1:50", "auto", False),
        (list, "auto", False),
        ("bot:first", "require", True),
    ],
)
def test_a_sandbox_is_looked_for_where_a_program_is_started_or_one_is_asked_for(
    player: Any, sandbox: str, is_missed: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAIRPLAY_SANDBOX", "require")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxMissingError, match="bubblewrap is not installed") if is_missed else nullcontext():
        plan(player, sandbox=sandbox)


@pytest.mark.parametrize(("option", "named"), [("mine.pem", "mine"), ("", "theirs")])
async def test_who_vouches_for_a_player_is_said_by_the_options_or_by_the_environment(
    option: str, named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRPLAY_CA", "theirs.pem")
    link = await transport_of(find("fish"), Options("fish", "grpcs://127.0.0.1:9", ca=option)).open()
    asked = asyncio.get_running_loop().create_future()
    link.call("/fairplay.v1.PlayerService/Describe", b"", 30.0, lambda outcome, _: asked.set_result(outcome))
    assert f"{named}.pem cannot be read" in (await asked).message
    await link.close()
