"""What a run is to do follows from its options; what makes no sense is refused before anything is started."""

from __future__ import annotations

import asyncio
import hashlib
import math
import shlex
import shutil
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairplay.conformance.run.options import Options, repeat_command
from fairplay.conformance.run.plan import make_plan, read_known_failures, transport_of
from fairplay.conformance.run.report import ProgramFile, program_files
from fairplay.games.game import find
from fairplay.sandbox.bubblewrap import SandboxMissingError

PLAIN = Options("fish", "exec:./me --fast")
EVERYTHING = Options(
    "fish",
    "exec:./me",
    level="must",
    only="memory",
    seed=7,
    nonce="a word",
    limit_s=0.5,
    first_limit_s=120.0,
    budget_s=60.0,
    start_limit_s=90.0,
    listen="127.0.0.1:50",
    tls_cert="cert.pem",
    tls_key="key.pem",
    insecure=True,
    ca="ca.pem",
    sandbox="off",
    program_limits="memory=1GiB",
    program_folders="/a:/b",
    jobs=4,
    fail_fast=True,
    known_failures="known.txt",
    secret="a secret",
    examples=3,
)


def test_what_is_as_usual_need_not_be_typed_again() -> None:
    wanted = ["fairplay", "certify", "fish", "exec:./me --fast", "--only", "memory.early-end", "--seed", "1"]
    assert shlex.split(repeat_command(PLAIN, "memory.early-end")) == wanted


def test_a_repeat_command_has_all_that_a_verdict_depends_on_and_nothing_else() -> None:
    assert repeat_command(EVERYTHING, "a.b") == (
        "fairplay certify fish exec:./me --only a.b --seed 7 --nonce 'a word' --limit 0.5s --first-limit 2m"
        " --start-limit 90s --listen 127.0.0.1:50 --tls-cert cert.pem --tls-key key.pem --insecure --ca ca.pem"
        " --sandbox off --program-limits memory=1GiB --program-folders /a:/b"
    )


def test_a_repeat_command_names_the_games_to_judge() -> None:
    assert repeat_command(PLAIN, "a.b", "seat-0-of-2").endswith(" --only a.b --seed 1 --history seat-0-of-2")
    with_history = replace(PLAIN, history="seat-1-of-2")
    assert repeat_command(with_history, "a.b").endswith(" --history seat-1-of-2")
    assert repeat_command(with_history, "a.b", "seat-0-of-2").endswith(" --history seat-0-of-2")


def test_what_is_drawn_follows_from_the_seed_and_the_nonce() -> None:
    assert PLAIN.drawn_seed == 1
    # Whoever checks a certificate draws the same with any later version: the first 64 bits of sha256 of "7/a word".
    assert EVERYTHING.drawn_seed == 5_937_353_204_684_761_170


def test_a_list_has_ids_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text("# mine\n\nmemory.early-end  # see issue 3\n  time.under-load\n")
    assert read_known_failures(file, ["memory.early-end", "time.under-load", "x"]) == {
        "memory.early-end",
        "time.under-load",
    }


def test_an_unknown_id_is_answered_with_a_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text("memory.earlyend\n")
    with pytest.raises(ValueError, match=r"no such case: take it off the list; did you mean memory\.early-end\?"):
        read_known_failures(file, ["memory.early-end"])


def test_a_list_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_known_failures(tmp_path / "none", [])
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(ValueError, match="cannot be read"):
        read_known_failures(tmp_path / "bytes", [])


def test_the_executable_is_looked_up_and_arguments_that_are_files_are_named(tmp_path: Path) -> None:
    script = tmp_path / "play.sh"
    script.write_text("exit 0\n")
    shell = Path(shutil.which("sh") or "")
    assert program_files(f"exec:sh {script} --fast {tmp_path} nothing") == (
        ProgramFile("sh", hashlib.sha256(shell.read_bytes()).hexdigest()),
        ProgramFile(str(script), hashlib.sha256(b"exit 0\n").hexdigest()),
    )


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
