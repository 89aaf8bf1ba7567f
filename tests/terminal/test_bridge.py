"""Tests of the command `fairplay bridge`: what cannot be meant is one sentence."""

from __future__ import annotations

from tests.terminal.running import Run


def test_what_cannot_be_meant_is_one_sentence(fairplay: Run) -> None:
    for arguments, sentence in [
        (["fish"], "give one of -- COMMAND..., --listen HOST:PORT, --serve PORT and --join HOST:PORT"),
        (["webset", "--", "./x", "{port}"], "webset has no course whose protocol could be spoken: give --lines"),
        (["q", "--", "./x", "{port}"], "a server starts the bridge, as exec:COMMAND; else give --connect HOST:PORT"),
        (["q", "--lines", "--", "./x"], "a server starts the bridge, as exec:COMMAND; else give --connect HOST:PORT"),
        (["q", "--connect", "127.0.0.1:1", "--name", "a", "--", "./x"], "COMMAND must say where its port stands"),
        (["q", "--listen", "127.0.0.1:0"], "--listen needs --connect HOST:PORT"),
        (["q", "--join", "127.0.0.1:1"], "--join needs --player [NAME=]LINK"),
        (["q", "--serve", "abc"], "--serve '127.0.0.1:abc' is not an address"),
        (["q", "--serve", "0", "--stdin", "nowhere"], "--stdin: nowhere cannot be read: No such file or directory"),
    ]:
        ran = fairplay("bridge", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: {sentence}")
        assert len(ran.err.splitlines()) == 1
