"""Bad input: one clear sentence that says what is wrong and what to do, and nothing else."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairplay.games.game import find
from fairplay.server.records.store import Store
from fairplay.terminal import main
from tests.robustness.harness import LIMIT_S, Command, Ran, free_address, run, specs
from tests.server.harness import dialled_in, serving

TWO = specs("bot:first", "bot:first")
GAME = ["game", "fish", *TWO]
CUP = ["tournament", "fish", *TWO]
LINKS = "grpc://HOST:PORT, grpcs://HOST:PORT, dial-in:NAME, exec:COMMAND or bot:STRATEGY"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the tests' directory, with files that cannot be used."""
    (tmp_path / "broken.json").write_text('{"rows": 6')
    (tmp_path / "unknown.json").write_text('{"bows": 6}')
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "binary.json").write_bytes(b"\x80\x81")
    (tmp_path / "empty.json").write_text("{}")
    (tmp_path / "corrupt").mkdir()
    (tmp_path / "corrupt" / "records.sqlite").write_bytes(b"this is not a database" * 100)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    """Run a command in this process, which is quicker than in one of its own."""
    monkeypatch.setattr(sys, "argv", ["fairplay", *arguments])
    with pytest.raises(SystemExit) as ending:
        main()
    assert isinstance(ending.value.code, int)
    out, err = capsys.readouterr()
    return Ran(ending.value.code, out, err, 0.0)


def check(ran: Ran, code: int, words: str) -> None:
    """Check that a command ended with this code, and printed one sentence with these words."""
    assert "Traceback" not in ran.err
    assert (ran.code, ran.out) == (code, ""), ran.err
    said = ran.err.splitlines()
    if said[0].startswith("Usage: "):  # what the command line itself finds wrong
        assert [line.partition(" ")[0] for line in said] == ["Usage:", "Try", "", "Error:"]
    else:
        assert len(said) == 1
        assert said[0].startswith("fairplay: ")
    assert words in said[-1]


USAGE = {
    "unknown command": (["frobnicate"], "No such command 'frobnicate'"),
    "unknown option": ([*GAME, "--frob"], "No such option: --frob"),
    "no game": (["game"], "Missing argument 'GAME'"),
    "no players": (["game", "fish"], "Missing option '--player'"),
    "unknown game": (["game", "chess", *TWO], "there is no game 'chess'"),
    "unknown game of a tournament": (["tournament", "chess", *TWO], "there is no game 'chess'"),
    "unknown game to show": (["games", "chess"], "there is no game 'chess'"),
    "unknown game of a demo": (["demo", "--game", "chess"], "there is no game 'chess'"),
    "unknown game of a player": (["player", "chess", "--listen", "127.0.0.1:0"], "there is no game 'chess'"),
    "unknown strategy": (["game", "fish", *specs("bot:worst", "bot:first")], "first, random, greedy, minimax, best"),
    "unknown strategy of a player": (
        ["player", "fish", "-s", "worst", "--listen", "127.0.0.1:0"],
        "no strategy 'worst'",
    ),
    "unknown setting of a strategy": (
        ["game", "fish", *specs("bot:minimax:deep=2", "bot:first")],
        "its keys are depth",
    ),
    "wrong setting of a strategy": (["game", "fish", *specs("bot:minimax:depth=x", "bot:first")], "a whole number"),
    "setting of a strategy out of range": (
        ["game", "fish", *specs("bot:minimax:depth=99", "bot:first")],
        "between 1 and 10",
    ),
    "unknown kind of link": (["game", "fish", *specs("robot:first", "bot:first")], LINKS),
    "no kind of link": (["game", "fish", *specs("first", "bot:first")], LINKS),
    "empty SPEC": (["game", "fish", *specs("", "bot:first")], LINKS),
    "name that is none": (["game", "fish", *specs("a b=bot:first", "bot:first")], "'a b' is not a name for a player"),
    "address without port": (["game", "fish", *specs("grpc://host", "bot:first")], "give grpc://HOST:PORT"),
    "address with a port too large": (["game", "fish", *specs("grpc://host:99999", "bot:first")], "HOST:PORT"),
    "name to dial in with": (["game", "fish", *specs("dial-in:a b", "bot:first")], "1 to 64 letters"),
    "no command": (["game", "fish", *specs("exec:", "bot:first")], LINKS),
    "blank command": (["game", "fish", *specs("exec: ", "bot:first")], "give exec:COMMAND"),
    "command with an open quote": (["game", "fish", *specs("exec:'run", "bot:first")], "quotation"),
    "two of one name": (["game", "fish", *specs("a=bot:first", "a=bot:first")], "two players are called a"),
    "too few players": (["game", "fish", *specs("bot:first")], "2 to 4 players, not by 1"),
    "too many players": (["game", "fish", *specs(*["bot:first"] * 5)], "2 to 4 players, not by 5"),
    "too few for a tournament": (["tournament", "fish", *specs("bot:first")], "at least 2"),
    "unknown format": ([*CUP, "--format", "chess"], "there is no format 'chess'"),
    "unknown setting": ([*GAME, "--set", "bows=1"], "it has rows, columns"),
    "setting without a value": ([*GAME, "--set", "rows"], "give KEY=VALUE"),
    "setting with an empty value": ([*GAME, "--set", "rows="], "rows is a whole number"),
    "setting that is no number": ([*GAME, "--set", "rows=six"], "rows is a whole number"),
    "setting that is no whole number": ([*GAME, "--set", "rows=2.5"], "rows is a whole number"),
    "setting that is more than one": ([*GAME, "--set", 'rows=6, "columns": 3'], "rows is a whole number"),
    "setting that is neither true nor false": ([*GAME, "--set", "random_fish=perhaps"], "true or false"),
    "setting out of range": ([*GAME, "--set", "rows=1000"], "between 1 and 25"),
    "negative setting": ([*GAME, "--set", "rows=-1"], "rows is a whole number"),
    "unknown choice": ([*GAME, "--set", "lone_survivor=maybe"], "one of play-on, stop"),
    "settings that do not fit": ([*GAME, "--set", "rows=1", "--set", "columns=1"], "need 8"),
    "settings that do not fit a tournament": ([*CUP, "--plain", "--set", "rows=1", "--set", "columns=1"], "need 8"),
    "unknown order": ([*CUP, "--order", "age"], "the order is dealt or given"),
    "no settings file": ([*GAME, "--settings", "none.json"], "none.json cannot be read: No such file"),
    "directory of settings": ([*GAME, "--settings", "."], "cannot be read: Is a directory"),
    "broken settings": ([*GAME, "--settings", "broken.json"], "broken.json is not fairplay.fish.v1.Settings"),
    "settings that are a list": ([*GAME, "--settings", "list.json"], "list.json is not fairplay.fish.v1.Settings"),
    "settings that are no text": ([*GAME, "--settings", "binary.json"], "binary.json cannot be read"),
    "unknown key in settings": ([*GAME, "--settings", "unknown.json"], 'no field named "bows"'),
    "no state": ([*GAME, "--state", "none.json"], "none.json cannot be read: No such file"),
    "broken state": ([*GAME, "--state", "broken.json"], "broken.json is not fairplay.fish.v1.State"),
    "state of nothing": ([*GAME, "--state", "empty.json"], "no board"),
    "negative seed": ([*GAME, "--seed", "-1"], "--seed"),
    "seed that is no number": ([*GAME, "--seed", "x"], "--seed"),
    "seed that is too large": ([*GAME, "--seed", str(2**64)], "--seed"),
    "duration without a unit that is known": ([*GAME, "--limit", "1h"], "give e.g. 500ms"),
    "duration of nothing": ([*GAME, "--limit", "0s"], "it must be 0.001 s"),
    "duration that is too long": ([*GAME, "--limit", f"{10**20}s"], "too long"),
    "limit that is too long": ([*GAME, "--limit", "120m"], "3,600 s"),
    "first limit": ([*GAME, "--first-limit", "soon"], "--first-limit 'soon' is not a duration"),
    "bank": ([*GAME, "--bank", "-1s"], "--bank '-1s' is not a duration"),
    "start limit": ([*GAME, "--start-limit", "x"], "--start-limit 'x' is not a duration"),
    "records of another server": ([*GAME, "--records", "x", "--server", "127.0.0.1:1"], "--records is for"),
    "unknown sandbox": ([*GAME, "--sandbox", "on"], "there is no sandbox 'on': give auto, require or off"),
    "unknown limit of programs": ([*GAME, "--program-limits", "ram=1"], "'ram=1' is not a limit: give NAME=NUMBER"),
    "no folder of programs": ([*GAME, "--program-folders", "/no/x"], "/no/x is not a folder that programs could read"),
    "address of no server": ([*GAME, "--server", "nonsense"], "give HOST:PORT"),
    "player that is nowhere": (["player", "fish"], "--listen HOST:PORT"),
    "player in two places": (["player", "fish", *["--listen", "127.0.0.1:0", "--connect", "h:1"]], "not both"),
    "player without a name": (["player", "fish", "--connect", "127.0.0.1:1"], "needs --name"),
    "patience": (["player", "fish", *["--connect", "127.0.0.1:1", "--name", "x", "--patience", "x"]], "--patience 'x'"),
    "server that listens nowhere": (["serve", "--listen", "nonsense"], "give HOST:PORT"),
    "server with a port too large": (["serve", "--listen", "127.0.0.1:99999"], "give HOST:PORT"),
    "player with a port too large": (["player", "fish", "--listen", "127.0.0.1:99999"], "give HOST:PORT"),
}

FAILED = {
    "records in a file": ([*GAME, "--records", "empty.json"], "empty.json: it is a file, not a directory"),
    "records below a file": ([*CUP, "--records", "empty.json/x"], "Not a directory"),
    "corrupt records": ([*GAME, "--records", "corrupt"], "cannot use the records in corrupt"),
    "corrupt records to look at": (["records", "list", "corrupt"], "cannot read the records in corrupt"),
    "no records to verify": (["records", "verify", "."], "there are no records in ."),
    "file that is no record": (["records", "verify", "list.json"], "list.json is not a Fairplay record"),
    "JSON in no directory": ([*GAME, "--json", "none/x.json"], "cannot write none/x.json"),
    "JSON of a tournament in no directory": ([*CUP, "--json", "none/x.json"], "cannot write none/x.json"),
    "JSON of a demo in no directory": (["demo", "--json", "none/x.json"], "cannot write none/x.json"),
    "JSON in a directory": ([*GAME, "--json", "."], "cannot write .: Is a directory"),
}


def test_wrong_usage_is_told_in_one_sentence(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, words in USAGE.values():
        check(here(monkeypatch, capsys, *arguments), 2, words)


def test_what_cannot_be_done_is_told_in_one_sentence(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, words in FAILED.values():
        check(here(monkeypatch, capsys, *arguments), 1, words)


# What shows itself only in a process of its own


def test_a_process_says_nothing_else_when_it_ends(tmp_path: Path) -> None:
    arguments, words = USAGE["unknown game"]
    check(run(tmp_path, *arguments), 2, words)


@pytest.fixture
def taken() -> Iterator[str]:
    """Listen on an address without ever answering."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield f"127.0.0.1:{holder.getsockname()[1]}"


def test_an_address_in_use_is_told(
    taken: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for what in ["serve", "player fish"]:
        ran = here(monkeypatch, capsys, *what.split(), "--listen", taken)
        check(ran, 1, f"cannot listen on {taken}: it is in use")


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_told_soon(taken: str, tmp_path: Path) -> None:
    nobody = free_address()
    with (
        Command(tmp_path, *GAME, "--server", nobody) as one,
        Command(tmp_path, *CUP, "--server", taken) as other,
        Command(tmp_path, *f"player fish --name x --patience 100ms --connect {nobody}".split()) as player,
    ):
        for command, address in ((one, nobody), (other, taken), (player, nobody)):
            ran = command.end()
            check(ran, 1, address)
            assert ran.took_s < LIMIT_S / 2


async def test_records_in_use_are_told(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "records")
    kept = ["--records", str(tmp_path / "records")]
    for command in ([*GAME, *kept], ["serve", "--listen", "127.0.0.1:0", *kept]):
        ran = run(tmp_path, *command)
        assert (ran.code, len(ran.err.splitlines())) == (1, 1)
        assert "are in use by another server" in ran.err
    await store.close()


async def test_a_name_that_is_taken_on_the_server_is_told(tmp_path: Path) -> None:
    async with serving() as server, dialled_in(server, ("ann", find("fish").player("first"))):
        dial_in = ["player", "fish", "--connect", server.address, "--name", "ann", "--token", "of somebody else"]
        check(await asyncio.to_thread(run, tmp_path, *dial_in), 1, "the name ann is taken on this server")
