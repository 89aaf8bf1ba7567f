"""What others on the machine see of commands: no token and no secret in process lists, none of others in programs."""

from __future__ import annotations

import contextlib
from pathlib import Path

import psutil
import pytest

from fairplay.server.links.program import GUARD
from tests.robustness.harness import Command, exec_player, free_address, run, specs, until

OWN = ("FAIRPLAY_TOKEN", "FAIRPLAY_SECRET")
"""What the server gives to each program that it starts."""
SECRET = "correct-horse-battery"


def words(process: psutil.Process) -> list[str]:
    """Return the command line of a process; nothing of one that has just ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def command_lines(processes: list[psutil.Process]) -> str:
    return "\n".join(" ".join(words(process)) for process in processes)


def environments(command: Command) -> list[dict[str, str]]:
    """Return the variables of the players that a command has started, without those of the guards that watch them."""
    found = []
    for process in psutil.Process(command.process.pid).children(recursive=True):
        line = words(process)
        if "player" in line and GUARD not in line:
            with contextlib.suppress(psutil.Error):
                found.append(process.environ())
    return found


@pytest.mark.slow
@pytest.mark.skipif(not psutil.LINUX, reason="reads /proc")
def test_tokens_and_secrets_are_in_no_process_list_and_in_no_program_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRPLAY_SANDBOX", "off")
    records, address, listen = str(tmp_path / "records"), free_address(), free_address()
    token = run(tmp_path, "accounts", "add", "ann", "--role", "operator", "--records", records).out.strip()
    monkeypatch.setenv("FAIRPLAY_TOKEN", token)
    monkeypatch.setenv("FAIRPLAY_SECRET", SECRET)
    entrants = specs(exec_player("--pause", "1s"), exec_player("--pause", "1s", "--serve"), "dial-in:ann")
    with (
        Command(tmp_path, "serve", "--listen", address, "--records", records, "--accounts", "--allow-exec") as server,
        Command(tmp_path, "player", "fish", "--listen", listen) as served,
        Command(tmp_path, "player", "fish", "--connect", address, "--name", "ann") as dialled,
    ):
        server.says("serves on")
        served.says("serves on")
        asked = ("tournament", "fish", *entrants, *specs(f"guarded=grpc://{listen}"), "--server", address)
        with Command(tmp_path, *asked) as tournament:
            found: list[dict[str, str]] = []

            def both_play() -> bool:
                found[:] = environments(server)
                return len(found) == 2

            until(lambda: both_play() or tournament.over, "two programs that play")
            assert len(found) == 2, (tournament.out, tournament.err)
            seen = command_lines([each for command in (server, served, dialled, tournament) for each in command.left()])
            seen += command_lines(psutil.Process(server.process.pid).children(recursive=True))
    given = [environment[name] for environment in found for name in OWN]
    assert len({*given}) == 4
    assert seen.count("fairplay.terminal") >= 6
    assert [each for each in (token, SECRET, *given) if each in seen] == []
    for environment in found:
        others = {token, SECRET, *given} - {environment[name] for name in OWN}
        assert not others & {*environment.values()}
