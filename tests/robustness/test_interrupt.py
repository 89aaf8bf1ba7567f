"""Ctrl-C ends every command in order, whatever it does just then, and however often it is pressed."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.robustness.harness import (
    FAIRPLAY,
    Command,
    Ran,
    entry_count,
    exec_player,
    findings,
    free_address,
    listings,
    run,
    specs,
    until,
    zoo_player,
)
from tests.slow import SLOW, all_but_first_slow

PATIENT = (
    sys.executable,
    "-c",
    "from fairplay.server.links import program\n"
    "program.END_LIMIT_S = 3600.0\n"
    "from fairplay.terminal import main\n"
    "main()",
)
"""The command line, which ends no player by force: it ends only if all that it has started ends by itself."""
STOPPED = "fairplay: stopped\n"
AWAY = " WARNING fairplay.player: "
PAUSE = "25ms"
PLAYERS = specs(
    f"dials={exec_player('-s', 'greedy', '--pause', PAUSE)}",
    f"serves={exec_player('-s', 'minimax', '--pause', PAUSE, '--serve')}",
    "bot:random",
)
ABSENT = specs(f"absent=exec:{sys.executable} -c 'import time; time.sleep(600)'", "dial-in:nobody", "bot:first")
HEAVY = ["--set", "rows=12", "--set", "columns=12", "--set", "random_fish=true"]
"""A board on which a search of depth 10 takes minutes."""


def loading(command: Command) -> None:
    until(lambda: _maps(command, "cygrpc"), "gRPC is loaded")


def _maps(command: Command, name: str) -> bool:
    return any(name in each.path for each in psutil.Process(command.process.pid).memory_maps())


def announced(words: str) -> Callable[[Command], None]:
    return lambda command: command.says(words)


def called(command: Command) -> None:
    """A game is played: a player in a process of its own has been started, and serves or dials in."""
    until(lambda: len([each for each in command.left() if _threads(each) > 2]) > 1, "a player is there")


def _threads(process: psutil.Process) -> int:
    try:
        return process.num_threads()
    except psutil.Error:
        return 0


def started(command: Command) -> None:
    """The program of a player has been started, and its guard."""
    until(lambda: len(command.left()) > 2, "a player has been started")


def interrupted(command: Command) -> Ran:
    """Ctrl-C, once. Of the command nothing may be left, and it may say nothing but that, be it not in a log.

    In that a player may warn of a server that is not there: one that has not come up yet, or was stopped.
    """
    command.interrupt()
    ran = command.end()
    said = [line for line in ran.err.splitlines(True) if " INFO " not in line and AWAY not in line]
    assert (ran.code, said) == (130, [STOPPED])
    assert not command.left()
    return ran


STAGES: Mapping[str, tuple[list[str], Callable[[Command], None]]] = {
    "tournament, loading": (["tournament", "fish", *PLAYERS], loading),
    "tournament, players come up": (["tournament", "fish", *PLAYERS], announced("knockout, 3 players")),
    "tournament, players do not come": (["tournament", "fish", *ABSENT, "--start-limit", "1m"], announced("knockout")),
    "tournament, in a round": (["tournament", "fish", *PLAYERS], announced("Round 1")),
    "game, players do not come": (["game", "fish", *ABSENT, "--start-limit", "1m"], started),
    "game, played": (["game", "fish", *PLAYERS], called),
    "game, with a player that hangs": (
        ["game", "fish", *specs(zoo_player("hangs-in-play-as"), "bot:first"), "--limit", "1m", "--first-limit", "1m"],
        called,
    ),
    "demo, players come up": (["demo"], announced("knockout")),
    "demo, in a round": (["demo"], announced("Round 1")),
    "serve": (["serve", "--listen", "127.0.0.1:0"], announced("serves on")),
    "player, loading": (["player", "fish", "--listen", "127.0.0.1:0"], loading),
    "player, serving": (["player", "fish", "--listen", "127.0.0.1:0"], announced("serves on port")),
}
LIKE_OTHERS = {
    "tournament, players come up",
    "game, players do not come",
    "game, played",
    "game, with a player that hangs",
    "demo, players come up",
    "demo, in a round",
    "serve",
    "player, loading",
    "player, serving",
}
"""Stages that are almost the same as one of another command, or of a test below."""


@pytest.mark.parametrize("stage", [pytest.param(each, marks=[SLOW] if each in LIKE_OTHERS else []) for each in STAGES])
def test_ctrl_c_ends_it_with_one_sentence_and_leaves_nothing_running(stage: str, tmp_path: Path) -> None:
    arguments, when = STAGES[stage]
    if arguments == ["demo"]:
        arguments = ["demo", "--records", str(tmp_path / "records")]
    with Command(tmp_path, *arguments, program=FAIRPLAY if when is loading else PATIENT) as command:
        when(command)
        interrupted(command)
    assert not (tmp_path / "records").exists() or not list(findings(tmp_path / "records"))


@pytest.mark.parametrize("number", all_but_first_slow([signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]))
def test_whatever_ends_programs_ends_it_as_ctrl_c_does(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    arguments, _ = STAGES["game, players do not come"]
    with Command(tmp_path, *arguments, program=PATIENT) as command:
        started(command)
        command.process.send_signal(number)
        ran = command.end()
        assert (ran.code, ran.err, command.left()) == (128 + number, STOPPED, [])
    assert not list(temporary.iterdir())


@SLOW
def test_it_ends_in_order_as_the_first_process_of_a_container(tmp_path: Path) -> None:
    container = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")
    if subprocess.run([*container, "true"], check=False, capture_output=True).returncode:
        pytest.skip("namespaces are not allowed here")
    with Command(tmp_path, "serve", "--listen", "127.0.0.1:0", program=(*container, *FAIRPLAY)) as command:
        command.says("serves on")
        [first] = psutil.Process(command.process.pid).children()
        first.send_signal(signal.SIGHUP)
        assert (command.end().code, command.err) == (128 + signal.SIGHUP, STOPPED)


AGAIN = ["tournament, in a round", "tournament, players come up", "tournament, players do not come"]


@pytest.mark.parametrize("stage", all_but_first_slow([*AGAIN, "game, played", "serve", "player, serving"]))
def test_ctrl_c_again_and_again_changes_nothing(stage: str, tmp_path: Path) -> None:
    arguments, when = STAGES[stage]
    with Command(tmp_path, *arguments, program=PATIENT) as command:
        when(command)
        until(partial(_interrupted_again, command), "the end")
        ran = command.end()
        assert (ran.code, ran.err) == (130, STOPPED)
        until(lambda: not command.left(), "the end of all players")


def _interrupted_again(command: Command) -> bool:
    if not command.over:
        command.interrupt()
    return command.over


@pytest.mark.parametrize("what", all_but_first_slow(["game", "tournament", "serve"]))
def test_ctrl_c_while_the_server_starts(what: str, tmp_path: Path) -> None:
    records = tmp_path / "records"
    players = [] if what == "serve" else ["fish", *specs("bot:first", "bot:first")]
    listen = ["--listen", "127.0.0.1:0"] if what == "serve" else []
    with Command(tmp_path, what, *players, *listen, "--records", str(records)) as command:
        until((records / "lock").exists, "the records are opened")
        interrupted(command)


@SLOW
def test_a_tournament_with_records_goes_on_when_the_command_is_given_again(tmp_path: Path) -> None:
    records = tmp_path / "records"
    players = [each.replace(PAUSE, "50ms") for each in PLAYERS]  # it must not be over before it is interrupted
    arguments = ["tournament", "fish", *players, "--seed", "5", "--json", str(tmp_path / "result.json")]
    kept = ["--records", str(records)]
    for goal in (4, 12):
        with Command(tmp_path, *arguments, *kept) as command:
            until(partial(_has, records, goal), f"{goal} entries")
            interrupted(command)
        assert not list(findings(records))
    assert not (tmp_path / "result.json").exists()
    assert run(tmp_path, *arguments, *kept).code == 0
    result = _without_ids(tmp_path / "result.json")
    assert run(tmp_path, *arguments).code == 0
    assert result == _without_ids(tmp_path / "result.json")
    assert [listing.kind for listing in listings(records)] == ["tournament", "game"]
    assert all(listing.finished for listing in listings(records))


def _without_ids(result: Path) -> str:
    text = result.read_text()
    return text.replace(json.loads(text)["tournamentId"], "ID")


def _has(records: Path, count: int) -> bool:
    return entry_count(records) >= count


# Servers and those who are connected to them


def refuses(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) != 0


def test_a_server_that_is_stopped_lets_go_of_its_address_and_keeps_its_games(tmp_path: Path) -> None:
    address, records = free_address(), tmp_path / "records"
    guest = ["player", "fish", "--connect", address, "--name", "guest", "--pause", PAUSE, "--patience", "1m"]
    ask = ["game", "fish", *specs("dial-in:guest", "bot:first"), "--server", address]
    serve = ["serve", "--listen", address, "--records", str(records)]
    with Command(tmp_path, *serve) as server, Command(tmp_path, *guest) as player:
        server.says("serves on")
        with Command(tmp_path, *ask) as client:
            until(partial(_has, records, 10), "a game is played")
            interrupted(server)
            assert refuses(address)
            client.interrupt()
            ran = client.end()
            assert (ran.code, ran.err.splitlines(True)[-1]) == (130, STOPPED)
            assert all(line.startswith("fairplay: ") for line in ran.err.splitlines())
        assert not list(findings(records))
        assert not player.over
        interrupted(player)


@SLOW
@pytest.mark.parametrize("there", [True, False], ids=["connected", "nobody there"])
def test_ctrl_c_on_a_player_that_dials_in(there: bool, tmp_path: Path) -> None:
    address = free_address()
    guest = ["player", "fish", "--connect", address, "--name", "guest", "--patience", "1m"]
    with Command(tmp_path, "serve", "--listen", address) as server:
        server.says("serves on")
        if not there:
            interrupted(server)
        with Command(tmp_path, *guest) as player:
            until(lambda: _connected(player, address) if there else _threads_of(player) > 2, "it tries")
            interrupted(player)


def _connected(command: Command, address: str) -> bool:
    remote = [each.raddr for each in psutil.Process(command.process.pid).net_connections() if each.raddr]
    return any(each.port == int(address.rpartition(":")[2]) for each in remote)


def _threads_of(command: Command) -> int:
    return _threads(psutil.Process(command.process.pid))


@SLOW
def test_ctrl_c_on_a_player_that_is_thinking_and_the_game_goes_on(tmp_path: Path) -> None:
    address = free_address()
    with Command(tmp_path, "player", "fish", "-s", "minimax:depth=10", "--listen", address) as player:
        player.says("serves on port")
        limits = ["--limit", "1m", "--first-limit", "1m"]
        players = specs(f"thinker=grpc://{address}", "bot:greedy", "bot:greedy", "bot:greedy")
        with Command(tmp_path, "game", "fish", *players, *HEAVY, *limits, "--seed", "1") as game:
            until(lambda: psutil.Process(player.process.pid).cpu_times().user > 1.0, "it thinks")
            interrupted(player)
            assert game.end().code == 0
    assert "thinker in TakeTurn" in game.out


def test_a_bot_that_is_thinking_costs_its_limit_and_does_not_keep_the_command_from_ending(tmp_path: Path) -> None:
    players = specs("bot:minimax:depth=10", "bot:greedy", "bot:greedy", "bot:greedy")
    ran = run(tmp_path, "game", "fish", *players, *HEAVY, "--seed", "1", "--limit", "500ms", "--first-limit", "500ms")
    assert ran.code == 0
    assert "minimax in TakeTurn" in ran.out


def test_an_interrupt_in_code_that_is_made_from_text_ends_with_the_same_exit_code(tmp_path: Path) -> None:
    package = tmp_path / "interrupted"
    package.mkdir()
    (package / "__main__.py").write_text(
        "import fairplay.terminal as cli\n"
        "from fairplay.terminal.commands import app\n"
        "app.main = lambda: exec('raise KeyboardInterrupt')\n"
        "cli.main()\n"
    )
    command = [sys.executable, "-m", "interrupted"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (130, STOPPED)
