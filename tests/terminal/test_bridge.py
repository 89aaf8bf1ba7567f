"""Tests of the command `fairplay bridge`: what cannot be meant, and what a program does wrong, is one sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.terminal.running import Run, done


def test_what_cannot_be_meant_is_one_sentence(fairplay: Run) -> None:
    for arguments, sentence in [
        (["fish"], "give one of -- COMMAND..., --listen HOST:PORT, --serve PORT and --join HOST:PORT"),
        (["webset", "--", "./x", "{port}"], "webset has no course whose protocol could be spoken: give --lines"),
        (["q", "--", "./x", "{port}"], "a server starts the bridge, as exec:COMMAND; else give --connect HOST:PORT"),
        (["q", "--lines", "--", "./x"], "a server starts the bridge, as exec:COMMAND; else give --connect HOST:PORT"),
        (["q", "--connect", "127.0.0.1:1", "--name", "a", "--", "./x"], "COMMAND must say where its port stands"),
        (["q", "--listen", "127.0.0.1:0"], "--listen needs --connect HOST:PORT"),
        (["q", "--join", "127.0.0.1:1"], "--join needs --player [NAME=]LINK"),
        (["q", "--listen", "127.0.0.1:0", "--name", "a"], "--name does not go with --listen: it goes with COMMAND or"),
        (["q", "--listen", "127.0.0.1:0", "--seed", "0"], "--seed does not go with --listen: it goes with --serve"),
        (["q", "--join", "127.0.0.1:1", "--records", "r"], "--records does not go with --join: it goes with --serve"),
        (["q", "--serve", "0", "--player", "bot:dag"], "--player does not go with --serve: it goes with --join"),
        (["q", "--serve", "0", "--connections", "1"], "--connections does not go with --serve: it goes with COMMAND"),
        (["q", "--lines", "--any-name", "--", "./x"], "--any-name does not go with --lines: it goes with COMMAND or"),
        (["q", "--limit", "1s", "--", "./x", "{port}"], "--limit does not go with COMMAND: it goes with --join"),
        (["q", "--connect", "127.0.0.1:1", "--stdin", "--", "./x", "{port}"], "--stdin needs a FILE with COMMAND"),
        (["q", "--serve", "abc"], "--serve '127.0.0.1:abc' is not an address"),
        (["q", "--serve", "0", "--stdin", "nowhere"], "--stdin: nowhere cannot be read: No such file or directory"),
    ]:
        ran = fairplay("bridge", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: {sentence}")
        assert len(ran.err.splitlines()) == 1


def test_a_game_shows_what_a_program_wrote_and_once_why_it_failed(fairplay: Run) -> None:
    done(fairplay("new", "fish", "--lines", "--language", "python", "mine"))
    program = Path("mine/player.py")
    program.write_text(
        program.read_text()
        .replace("answer = {}\n", "answer = {}\n    print('thinking', file=sys.stderr)\n")
        .replace('["state"])[0]}', '["stat"])[0]}')
    )
    bridge = f"exec:'{sys.executable}' -m fairplay.terminal bridge fish --lines -- '{sys.executable}' mine/player.py"
    players = ["-p", f"me={bridge}", "-p", "bot:random", "--seed", "1"]
    ran = fairplay("game", "fish", *players, "--start-limit", "60s", "--json", "result.json")
    sentence = "The program ended with exit code 1 when it was asked. It wrote: KeyError: 'stat'"
    assert f"me in Setup (call 5): raised an exception: {sentence}" in ran.out
    assert ran.out.count("Traceback") == 1
    assert Path("result.json").read_text().count("thinking") == len(["Describe", "PlayAs", "PlayWith", "Setup"])


@pytest.mark.parametrize("command", ["game", "tournament"])
def test_where_a_program_is_late_what_shows_its_output_is_said(fairplay: Run, command: str) -> None:
    Path("late.py").write_text(
        "for line in open(0):\n    if '\"Describe\"' in line: print('{\"response\": {}}', flush=True)\n"
    )
    link = f"exec:{sys.executable} -m fairplay.terminal bridge fish --lines -- {sys.executable} late.py"
    players = ["-p", f"me={link}", "-p", "bot:random", "--seed", "1"]
    ran = fairplay(command, "fish", *players, "--start-limit", "60s")
    # On a busy machine the bridge may notice the end of the limit before the server does, and says itself what came.
    said = (
        f"To see what it wrote while it was late: fairplay certify fish '{link}'",
        "The program had not answered in time",
    )
    assert any(sentence in ran.out for sentence in said)
