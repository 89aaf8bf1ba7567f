"""A backup of the records, taken as docs/operate.md says while the server writes, and restored as it says."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from fairplay.games.game import find
from fairplay.server.records.accounts import AccountRow, AccountsDatabase
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.server import Config
from tests.postgresql import Cluster, programs
from tests.server.harness import ByHand, dialled_in, plan, serving, sound

OPERATE = Path(__file__).parents[3] / "docs" / "operate.md"
URL, RESTORED = "postgresql://fairplay@db/fairplay", "postgresql://fairplay@db/restored"


class Trial(NamedTuple):
    """A place, where its backup is restored, the commands of the page for that, and what is named otherwise there."""

    place: Place
    restored: Place
    backup: list[str]
    restore: list[str]
    names: Mapping[str, str]


@pytest.fixture(params=["directory", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def trial(request: pytest.FixtureRequest, tmp_path: Path) -> Trial:
    if request.param == "directory":
        made, copied, verified = documented("mkdir --mode=700 copy", ".backup(", "verify copy")
        return Trial(at(tmp_path / "records"), at(tmp_path / "copy"), [made, copied], [verified], {})
    cluster: Cluster = request.getfixturevalue("cluster")
    url = cluster.new_database()
    name = re.sub(r".*/(test\d+)\?.*", r"restored_\1", url)
    restored = re.sub(r"/test\d+\?", f"/{name}?", url)
    dump, *restore = documented("pg_dump ", "CREATE DATABASE", "pg_restore ", f"verify {RESTORED}")
    names = {URL: shlex.quote(url), RESTORED: shlex.quote(restored), "DATABASE restored": f"DATABASE {name}"}
    return Trial(parse_place(url), parse_place(restored), [dump], restore, names)


def documented(*parts: str) -> list[str]:
    """Return the command of the page with each of these parts."""
    commands = re.findall(r"^\$ (.+(?:\n .+)*)$", OPERATE.read_text("utf-8"), re.MULTILINE)
    found = [[command for command in commands if part in command] for part in parts]
    assert [len(each) for each in found] == [1 for _ in parts]
    return [command for [command] in found]


def run(folder: Path, names: Mapping[str, str], *commands: str) -> None:
    """Run commands of the page in a folder, with what they name called otherwise, and this environment's programs."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    if names:
        path = os.pathsep.join([str(programs()), path])
    for command in commands:
        for name, called in names.items():
            command = command.replace(name, called)  # noqa: PLW2901 - one after the other
        subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, check=True)


async def test_a_backup_of_a_server_that_runs_is_gone_on_with(trial: Trial, tmp_path: Path) -> None:
    going_on = plan("dial-in:x", "bot:first", limit_s=30.0)
    with closing(AccountsDatabase(trial.place)) as accounts:
        accounts.add_account(AccountRow("ann", "Ann", "operator"))
    async with serving(Config(records=trial.place)) as server, ByHand(server, "x") as by_hand:
        over = await server.referee.play(plan("bot:greedy", "bot:first"), "over")
        await by_hand.say_hello()
        playing = asyncio.create_task(server.referee.play(going_on, "open"))
        answer = sound()
        for _ in range(4):
            await by_hand.reply(answer(await by_hand.next_call()))
        await by_hand.next_call()
        await asyncio.to_thread(run, tmp_path, trial.names, *trial.backup)
    await asyncio.gather(playing, return_exceptions=True)
    await asyncio.to_thread(run, tmp_path, trial.names, *trial.restore)
    with closing(AccountsDatabase(trial.restored)) as accounts:
        assert [row.name for row in accounts.accounts()] == ["Ann"]
    async with (
        serving(Config(records=trial.restored)) as server,
        dialled_in(server, ("x", find("fish").player("first"))),
    ):
        assert server.referee.get("over").result == over.result
        async with asyncio.timeout(60):
            game = await server.referee.play(going_on, "open")
        assert not game.result.misconducts
        assert len(game.result.ranking) > 0
