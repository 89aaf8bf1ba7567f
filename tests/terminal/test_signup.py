"""`fairplay tournament --sign-up` and `fairplay signup`: a tournament for which players sign up by themselves."""

from __future__ import annotations

import asyncio
import os
import pty
import sys

import pytest

from fairplay.games.game import find
from tests.robustness.harness import free_address
from tests.server.harness import dialled_in, serving
from tests.slow import SLOW
from tests.terminal.running import Run

FAIRPLAY = (sys.executable, "-m", "fairplay.terminal")
LIMIT_S = 60.0


async def start(*arguments: str, stdin: int = asyncio.subprocess.DEVNULL) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *FAIRPLAY, *arguments, stdin=stdin, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    async with asyncio.timeout(LIMIT_S):
        printed, _ = await process.communicate()
    return process.returncode, printed.decode()


async def printed(process: asyncio.subprocess.Process, words: str) -> None:
    """Wait until a command has printed a line that holds some words."""
    assert process.stdout is not None
    async with asyncio.timeout(LIMIT_S):
        while words not in (line := (await process.stdout.readline()).decode()):
            assert line, f"the command ended before it printed {words!r}"


async def test_players_sign_up_and_whoever_has_made_the_tournament_starts_it_with_enter() -> None:
    ours, theirs = pty.openpty()
    async with serving() as server:
        there = ("--server", server.address)
        options = ("--sign-up", "cup", "--entrants", "2-8", "--format", "round-robin", "-p", "house=bot:first")
        organiser = await start("tournament", "fish", *options, *there, stdin=theirs)
        await printed(organiser, "Enter starts it")
        os.write(ours, b"\n")
        await printed(organiser, "It cannot be done now: the tournament needs 2 entrants")
        early = await start("signup", "cup", "dial-in:alice", *there, "--token", "token")
        assert early.stdout is not None
        await printed(early, "Waiting for alice to dial in")
        async with dialled_in(server, ("alice", find("fish").player("greedy"))):
            code, said = await ended(early)
            assert (code, said) == (0, "alice is in cup, which has 2 entrants; it starts with 2 at the least\n")
            await printed(organiser, "alice is in")
            os.write(ours, b"\n")
            code, said = await ended(organiser)
            assert code == 0
            assert "Standings" in said
            assert "alice" in said
    os.close(ours)
    os.close(theirs)


@SLOW  # many commands
async def test_who_may_not_enter_is_told_why_and_who_has_left_is_out() -> None:
    async with serving() as server:
        there = ("--server", server.address)
        organiser = await start("tournament", "fish", "--sign-up", "cup", *there)
        await printed(organiser, "fairplay signup cup dial-in:NAME")
        code, said = await ended(await start("signup", "cup", "x=bot:first", *there, "--token", "mine"))
        assert code == 0, said
        asked = {
            ("cup", "dial-in:nobody", "--patience", "10ms"): (1, "nobody has not dialled in"),
            ("cup", "x=bot:random"): (1, "the name x is taken in this tournament"),
            ("cup", f"y=grpc://{free_address()}"): (0, "start y before its games begin"),
            ("cup", "nonsense"): (2, "'nonsense' is not a way to reach a player"),
            ("none", "x=bot:first"): (1, "there is no tournament 'none'"),
            ("cup", "x", "--withdraw", "--token", "wrong"): (1, "the token is not the one with which x signed up"),
            ("cup", "x", "--withdraw", "--token", "mine"): (0, "x is not in cup any more; 1 are"),
        }
        for arguments, (wanted, sentence) in asked.items():
            code, said = await ended(await start("signup", *arguments, *there))
            assert code == wanted, said
            assert sentence in said
        organiser.terminate()
        code, said = await ended(organiser)
        assert code == 143
        assert "The tournament stays on the server: give the same command again" in said
        assert "cup" in server.manager.open_ids


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--sign-up cup", "--sign-up needs --server HOST:PORT"),
        ("--sign-up cup --server 127.0.0.1:1 --entrants some", "--entrants 'some' is no number of players"),
        ("--closes-after 1m -p bot:first -p bot:random", "are for tournaments that wait for players: give --sign-up"),
    ],
)
def test_options_of_a_sign_up_that_make_no_sense_are_refused(fairplay: Run, options: str, sentence: str) -> None:
    ran = fairplay("tournament", "fish", *options.split())
    assert (ran.code, ran.out) == (2, "")
    assert sentence in ran.err
