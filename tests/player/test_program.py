"""Programs of authors: what they say, in one sentence, when their player cannot be reached."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from fairplay.server.server import Config, Server

PROGRAM = Path(__file__).parents[2] / "examples" / "python" / "my_player.py"


async def said(**environment: str) -> tuple[int | None, str]:
    """Start the example; return its exit code and what it has said."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FAIRPLAY_")}
    program = await asyncio.create_subprocess_exec(
        sys.executable, PROGRAM, env={**kept, **environment}, stderr=asyncio.subprocess.PIPE
    )
    _, err = await program.communicate()
    return program.returncode, err.decode()


async def test_a_server_that_refuses_a_player_is_one_sentence_and_no_traceback() -> None:
    server = await Server.start(Config(listen="127.0.0.1:0"))
    try:
        code, err = await said(FAIRPLAY_CONNECT=server.address, FAIRPLAY_NAME="no name")
    finally:
        await server.stop()
    assert (code, err.count("\n")) == (1, 1), err
    assert err.startswith(f"{server.address} refuses: ")


async def test_a_program_that_nothing_tells_how_it_is_reached_says_what_to_set() -> None:
    code, err = await said()
    assert (code, err.count("\n")) == (2, 1), err
    assert "FAIRPLAY_CONNECT" in err
