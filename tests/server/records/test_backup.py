"""A backup of the records, taken as docs/operate.md says while the server writes, and restored as it says."""

from __future__ import annotations

import asyncio
import re
import shlex
import subprocess
import sys
from pathlib import Path

from fairplay.games.game import find
from fairplay.server.server import Config
from tests.server.harness import ByHand, dialled_in, plan, serving, sound

OPERATE = Path(__file__).parents[3] / "docs" / "operate.md"


def documented_backup() -> list[str]:
    """Return the command of the page, with this interpreter."""
    found = re.search(r"^\$ python (-c .*\.backup\(.*)$", OPERATE.read_text("utf-8"), re.MULTILINE)
    assert found is not None
    return [sys.executable, *shlex.split(found[1])]


async def test_a_snapshot_of_a_server_that_runs_is_gone_on_with(tmp_path: Path) -> None:
    going_on = plan("dial-in:x", "bot:first", limit_s=30.0)
    async with serving(Config(records=tmp_path / "records")) as server, ByHand(server, "x") as by_hand:
        over = await server.referee.play(plan("bot:greedy", "bot:first"), "over")
        await by_hand.say_hello()
        playing = asyncio.create_task(server.referee.play(going_on, "open"))
        answer = sound()
        for _ in range(4):
            await by_hand.reply(answer(await by_hand.next_call()))
        await by_hand.next_call()
        await asyncio.to_thread(subprocess.run, documented_backup(), cwd=tmp_path, check=True)
    await asyncio.gather(playing, return_exceptions=True)
    (tmp_path / "restored").mkdir()
    (tmp_path / "copy.sqlite").rename(tmp_path / "restored" / "records.sqlite")
    async with (
        serving(Config(records=tmp_path / "restored")) as server,
        dialled_in(server, ("x", find("fish").player("first"))),
    ):
        assert server.referee.get("over").result == over.result
        async with asyncio.timeout(60):
            game = await server.referee.play(going_on, "open")
        assert not game.result.misconducts
        assert len(game.result.ranking) > 0
