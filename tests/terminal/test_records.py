from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from typer.testing import CliRunner, Result

from fairplay.games.game import find
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, Failure
from fairplay.games.transcript import game_rng
from fairplay.player.handlers import snake_case
from fairplay.server.records import files
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.replay import Shown, replay
from fairplay.server.records.sqlite import FILE_NAME
from fairplay.server.records.store import Store
from fairplay.terminal.commands.app import app
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason
from fairplay.v1.record_pb2 import GameHeader, Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan
from tests.interrupts import heeding_ctrl_c
from tests.server.records.nim import drive

GAME = find("fish")
STEERING = "\x1b[2J\x1b]0;owned\x07"
NOW = Timestamp(seconds=1_700_000_000)

Player = Callable[[Call], bytes | Failure]


def fairplay(*arguments: object, env: Mapping[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=env)


def records(command: str, *arguments: object, code: int = 0, env: Mapping[str, str] | None = None) -> str:
    """What a command prints; it ends with this exit code and, if that is 0, without complaint."""
    result = fairplay("records", command, *arguments, env=env)
    assert result.exit_code == code, result.output
    assert code or not result.stderr
    return result.stdout


def plain(command: str, *arguments: object, code: int = 0) -> Any:
    return json.loads(records(command, *arguments, "--json", code=code))


def complaint(command: str, *arguments: object, code: int) -> str:
    """The one sentence with which a command fails."""
    result = fairplay("records", command, *arguments)
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("fairplay: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


# --- records to look into ---


def sound(strategy: str = "first") -> Player:
    player = GAME.player(strategy)

    def answer(call: Call) -> bytes | Failure:
        reply: Message | None = getattr(player, snake_case(call.method.name))(call.request)
        return reply.SerializeToString() if reply is not None else b""

    return answer


def faulty(reply: bytes | Failure, turn: int = 2) -> Player:
    """A player that answers like this in its turn of this number, from 1."""
    player, turns = sound(), [0]

    def answer(call: Call) -> bytes | Failure:
        turns[0] += call.method.name == "TakeTurn"
        return reply if turns[0] == turn else player(call)

    return answer


def recorded(*players: Player, game_id: str = "g/1") -> Record:
    """The record of a game between these players."""
    plan = {"game": GAME.name, "players": [{"name": f"p{seat}", "link": "bot:x"} for seat in range(len(players))]}
    header = GameHeader(game_id=game_id, plan=ParseDict(plan, GamePlan()), start_time=NOW, server_version="1")
    entries = [RecordEntry(game=header).SerializeToString()]
    names = [player.name for player in header.plan.players]
    conversation = GAME.play(game_id, GAME.full_settings(GAME.settings_type()), names, game_rng(0), None)
    drive(GameMachine(conversation, names, entries.append), lambda call: players[call.seat](call), entries, names)
    return chained(entries)


def fouled(reply: bytes | Failure) -> Record:
    return recorded(sound(), faulty(reply))


def changed(record: Record, number: int, change: Callable[[RecordEntry], object]) -> Record:
    """A record whose entry of this number, from 1, was changed, and the chain made anew to hide it."""
    entries = list(parsed(record))
    change(entries[number - 1])
    return chained(entry.SerializeToString() for entry in entries)


async def keep(place: Path, record: Record, game_id: str, *, entry_count: int) -> None:
    """Puts the first entries of a record into a store, as a server does that is killed then."""
    header, *entries = [linked.entry for linked in record.entries[:entry_count]]
    store = Store.open(place)
    journal = store.begin("game", game_id, header, game=GAME.name, start_time_ns=NOW.ToNanoseconds())
    for entry in entries:
        journal.append(entry)
    await store.close()


class World(NamedTuple):
    """A store with a game, a tournament with its games, and a game that was left unfinished."""

    place: Path
    game: str
    tournament: str
    unfinished: str = "left-1"


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    place = tmp_path_factory.mktemp("store")
    common = ["-p", "bot:first", "-p", "bot:random", "--seed", 1, "--records", place]
    assert fairplay("game", "fish", *common).exit_code == 0
    assert (
        fairplay(
            "tournament", "fish", "-p", "dead=exec:false", "-p", "bot:greedy", "--order", "given", *common
        ).exit_code
        == 0
    )
    asyncio.run(keep(place, recorded(sound(), sound(), game_id="left-1"), "left-1", entry_count=9))
    with Store.read_only(place) as store:
        [tournament], _ = store.list("tournament", limit=2)
        games, _ = store.list("game", limit=10)
    return World(place, games[-1].record_id, tournament.record_id)


@pytest.fixture(scope="session")
def game_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "game.fairplay"
    files.save(recorded(sound(), sound("random")), path)
    return path


def saved(path: Path, record: Record) -> Path:
    files.save(record, path / "some.fairplay")
    return path / "some.fairplay"


# --- list ---


def test_list_shows_games_and_tournaments_newest_first(world: World) -> None:
    heading, *lines = records("list", world.place, env={"COLUMNS": "160"}).splitlines()
    assert re.split(" +", heading) == [
        "ID",
        "KIND",
        "GAME",
        "STATUS",
        "WINNERS",
        "WHEN",
        "ENTRIES",
        "PLAYERS",
    ]
    ids = [line.split()[0] for line in lines]
    assert ids[0] == world.unfinished
    assert ids[-2:] == [world.tournament, world.game]
    assert set(ids[1:-2]) == {f"{world.tournament}/r1g1"}


def test_list_as_json_has_what_there_is_to_know(world: World) -> None:
    *_, tournament, game = plain("list", world.place)
    assert (game["kind"], game["game"], game["status"]) == ("game", "fish", "finished")
    assert game["players"] == ["first", "random"]
    assert set(game["winners"]) <= {"first", "random"}
    assert game["entries"] == 28
    assert game["startTime"] <= game["endTime"]
    assert game["tournament"] is None
    assert (tournament["kind"], tournament["status"]) == ("tournament", "finished")
    assert tournament["players"] == ["dead", "greedy", "first", "random"]
    assert "dead" not in tournament["winners"]


def test_list_tells_records_that_are_written_from_those_that_were_left(world: World, tmp_path: Path) -> None:
    assert plain("list", world.place)[0]["status"] == "unfinished"
    copy = shutil.copytree(world.place, tmp_path / "copy")

    async def listed() -> Any:
        server = Store.open(copy)
        try:
            return plain("list", copy)
        finally:
            await server.close()

    assert asyncio.run(listed())[0]["status"] == "running"


@pytest.mark.parametrize("width", [150, 80, 30])
def test_list_fits_the_terminal_and_its_ids_can_be_used(world: World, width: int) -> None:
    heading, *lines = records("list", world.place, env={"COLUMNS": str(width)}).splitlines()
    assert all(len(line) <= width for line in (heading, *lines))
    assert heading.startswith("ID ")
    shown = [line.split()[0] for line in lines]
    assert len(shown) == len(set(shown)) == 4
    whole = [row["id"] for row in plain("list", world.place)]
    for short, long in zip(shown, whole, strict=True):
        assert f"{long}, a " in records("show", world.place, short)
    assert ("PLAYERS" in heading) == (width == 150)


def test_an_empty_store_has_nothing_to_show(tmp_path: Path) -> None:
    asyncio.run(empty(tmp_path))
    assert records("list", tmp_path) == f"there are no records in {tmp_path}\n"
    assert plain("list", tmp_path) == []
    for command in ("show", "export", "replay", "verify", "picture"):
        assert complaint(command, tmp_path, code=1) == f"fairplay: there are no records in {tmp_path}\n"
        assert str(tmp_path) in complaint(command, tmp_path, "g1", code=1)


async def empty(place: Path) -> None:
    await Store.open(place).close()


# --- show ---


def test_show_has_a_line_for_every_entry(game_file: Path) -> None:
    record = files.load(game_file)
    header, _, lines = records("show", game_file).partition("\n\n")
    assert "g/1, a game" in header
    assert "0 p0  bot:x" in header
    _, *entries = lines.splitlines()
    assert [int(line.split()[0]) for line in entries] == list(range(2, len(record.entries) + 1))
    assert entries[0].split() == ["2", "1", "0", "p0", "PlayAs", "250.00", "ok"]
    assert "action { source:" in entries[-2]
    assert entries[-1].split()[1] == "result"


def test_show_has_an_elimination_with_rule_and_evidence_in_full(tmp_path: Path) -> None:
    path = saved(tmp_path, fouled(b""))
    shown = records("show", path)
    [misconduct] = [entry.misconduct for entry in parsed(files.load(path)) if entry.HasField("misconduct")]
    assert re.search(r"\d+ +\d+  1 p1 +eliminated +rule violation\n", shown)
    assert f"rule: {misconduct.rule_break.rule_id}\n" in shown
    assert misconduct.rule_break.explanation in shown
    assert f"legal replies: {misconduct.rule_break.legal_reply_count}\n" in shown
    assert shown.count("\n                action {") == len(misconduct.rule_break.legal_replies)
    assert "request: /fairplay.fish.v1.FishPlayerService/TakeTurn game_id" in shown
    assert "reply: {}" in shown


def test_show_has_the_words_of_a_player_without_what_steers_a_terminal(tmp_path: Path) -> None:
    error = CallError(
        reason=CallErrorReason.CALL_ERROR_REASON_STATUS,
        status_code=2,
        message=f"oh no {STEERING}",
        output=f"first\nsecond {STEERING}",
    )
    path = saved(tmp_path, fouled(error))
    for command in (["show"], ["show", "--json"], ["show", "--call", "13"], ["replay"]):
        shown = records(command[0], path, *command[1:])
        assert "oh no" in shown or command == ["show", "--call", "13"]
        assert not set(STEERING) & {"\x1b", "\x07"} & set(shown)
    assert "              the player's output:\n                first\n                second" in records("show", path)


def test_show_of_a_tournament_has_who_came_who_failed_and_who_won(world: World) -> None:
    shown = records("show", world.place, world.tournament)
    for words in ("started", "Start", "exec:false", "eliminated", f"{world.tournament}/r1g1: ", "End", "won by"):
        assert words in shown
    assert plain("show", world.place, world.tournament)["kind"] == "tournament"


def test_a_call_is_shown_with_its_request_its_reply_and_the_board(game_file: Path) -> None:
    shown = records("show", game_file, "--call", 9)
    assert "call 9, entry 10: /fairplay.fish.v1.FishPlayerService/Setup to 0 p0, 250.00 ms" in shown
    assert "the state after entry 9" in shown
    assert '"gameId": "g/1"' in shown
    assert '"place": ' in shown
    call = plain("show", game_file, "--call", 9)
    assert (call["entry"], call["number"]) == (10, "9")
    assert set(call["reply"]) == {"place"}


def test_show_goes_as_far_as_a_record_can_be_read(tmp_path: Path) -> None:
    entries = [linked.entry for linked in recorded(sound(), sound()).entries]
    entries[5] = b"\xff"
    path = saved(tmp_path, chained(entries))
    assert "\n    5 " in records("show", path, code=1)
    assert "entry 6 of the record cannot be parsed" in complaint("show", path, code=1)


# --- which record ---


def test_what_cannot_be_meant_is_said_in_one_sentence(world: World) -> None:
    known = {"PLACE": str(world.place), "TOURNAMENT": world.tournament}
    for arguments, code, words in [
        (["show", "PLACE"], 2, ["say which record", "left-1"]),
        (["show", "PLACE", "lefd-1"], 2, ["no game, tournament or table 'lefd-1'", "it has left-1"]),
        (["show", "PLACE", "fish"], 2, ["'fish' may be any of", "give more of the id"]),
        (["show", "PLACE", "left-1", "--state-at", "99"], 2, ["no entry 99", "entries 1 to 9"]),
        (["show", "PLACE", "left-1", "--state-at", "0"], 2, ["no entry 0", "entries 1 to 9"]),
        (["show", "PLACE", "left-1", "--call", "99"], 2, ["no call 99", "calls 1 to 8"]),
        (["show", "PLACE", "left-1", "--call", "1", "--state-at", "2"], 2, ["give one of them"]),
        (["show", "PLACE", "TOURNAMENT", "--state-at", "2"], 2, ["of a tournament", "/r1g1"]),
        (["replay", "PLACE", "TOURNAMENT"], 2, ["of a tournament", "/r1g1"]),
        (["replay", "PLACE", "left-1", "--pause", "soon"], 2, ["--pause 'soon' is not a duration"]),
        (["replay", "PLACE", "left-1", "--pause", "999m"], 2, ["--pause 999m is too long"]),
        (["picture", "PLACE", "TOURNAMENT"], 2, ["of a tournament", "/r1g1"]),
        (["picture", "PLACE", "left-1", "--at", "99"], 2, ["no entry 99", "entries 1 to 9"]),
        (["picture", "PLACE", "left-1", "--at", "3", "--all", "x"], 2, ["--all draws every state"]),
        (["picture", "PLACE", "left-1", "-o", "/nowhere/x.svg"], 1, ["cannot write /nowhere/x.svg"]),
        (["export", "PLACE", "left-1", "-o", "/nowhere/x"], 1, ["cannot write /nowhere/x"]),
        (["export", "PLACE", "left-1", "--all", "x"], 2, ["--all exports every record"]),
        (["export", "PLACE", "--all", "/dev/null/x"], 1, ["cannot make the directory /dev/null/x"]),
        (["verify", "PLACE", "lefd"], 2, ["no game, tournament or table 'lefd'"]),
        (["list", "PLACE", "--tournament", "cup"], 2, ["no tournament 'cup'", "it has fish-"]),
        (["list", "/nowhere"], 2, ["there is no /nowhere"]),
        (["verify", "/dev"], 1, ["there are no records in /dev"]),
        (["verify", __file__], 1, ["is not a Fairplay record"]),
    ]:
        command, *rest = [known.get(argument, argument) for argument in arguments]
        said = complaint(command, *rest, code=code)
        for word in words:
            assert word in said


def test_a_file_that_was_cut_off_is_said_to_be(game_file: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.fairplay").write_bytes(game_file.read_bytes()[:-5])
    for command in ["list", "show", "export", "replay", "verify", "picture"]:
        assert "cut off or damaged after entry" in complaint(command, tmp_path / "cut.fairplay", code=1)


def test_a_damaged_database_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database " * 1_000)
    for command in ["list", "show", "export", "replay", "verify", "picture"]:
        assert f"cannot read the records in {tmp_path}" in complaint(command, tmp_path, code=1)


def test_a_game_that_is_not_installed_is_named(game_file: Path, tmp_path: Path) -> None:
    def other(entry: RecordEntry) -> None:
        entry.game.plan.game = "chess"

    path = saved(tmp_path, changed(files.load(game_file), 1, other))
    for command in ["show", "replay", "picture"]:
        assert "there is no game 'chess'" in complaint(command, path, code=1)
    assert "chess" in records("list", path)


# --- export ---


def test_an_id_from_a_stranger_leads_to_no_other_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, recorded(sound(), sound(), game_id=f"../../{STEERING}"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    records("export", path)
    records("picture", path)
    assert sorted(each.suffix for each in (tmp_path / "here").iterdir()) == [".fairplay", ".svg"]


# --- replay ---


def test_replay_shows_every_state_and_the_end(game_file: Path) -> None:
    shown = records("replay", game_file)
    states = [event for event in replay(files.load(game_file)) if isinstance(event, Shown)]
    assert shown.count("after entry") == len(states)
    assert "0 p0 TakeTurn → action" in shown
    last = max(index for index, line in enumerate(shown.splitlines()) if "TakeTurn → action" in line)
    assert f"after entry {states[-1].entry}" in shown.splitlines()[last + 1]
    assert "p0 " in shown.splitlines()[-1]


def test_replay_ends_where_a_record_is_not_sound(game_file: Path, tmp_path: Path) -> None:
    def other(entry: RecordEntry) -> None:
        entry.call.seat += 1

    path = saved(tmp_path, changed(files.load(game_file), 9, other))
    assert "after entry 8" in records("replay", path, code=1)
    assert "entry 9: " in complaint("replay", path, code=1)


def test_ctrl_c_ends_a_replay_with_130(game_file: Path) -> None:
    command = [sys.executable, "-m", "fairplay.terminal", "records", "replay", str(game_file), "--pause", "60s"]
    with heeding_ctrl_c():
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        while "the start" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert said == "fairplay: stopped\n"


# --- verify ---


def test_sound_records_verify(world: World) -> None:
    said = records("verify", world.place).splitlines()
    assert said[0].split() == ["unfinished", "left-1", "9", "entries,", "intact", "so", "far"]
    assert said[-1] == "4 records: 3 ok, 1 unfinished"
    assert records("verify", world.place, world.game).splitlines()[-1] == "1 record: 1 ok"


def test_a_changed_entry_is_named(game_file: Path, tmp_path: Path) -> None:
    record = files.load(game_file)
    record.entries[6].entry += b"\x00"
    path = saved(tmp_path, record)
    said = records("verify", path, code=1).splitlines()
    assert said[0].startswith("wrong       g/1  entry 7: the chain is broken")
    assert said[1] == "1 record: 1 wrong"


def test_an_entry_that_the_rules_do_not_lead_to_is_named(game_file: Path, tmp_path: Path) -> None:
    def other(entry: RecordEntry) -> None:
        entry.result.result.ranking[0].players[0].score += 1

    record = files.load(game_file)
    path = saved(tmp_path, changed(record, len(record.entries), other))
    verdict = plain("verify", path, code=1)
    assert not verdict["ok"]
    [found] = verdict["records"]
    assert (found["id"], found["status"], found["entries"]) == ("g/1", "wrong", len(record.entries))
    assert found["findings"] == [
        {"entry": len(record.entries), "problem": "the result differs from the rules in ranking"}
    ]


# --- picture ---


def test_all_states_are_drawn_in_order(game_file: Path, tmp_path: Path) -> None:
    said = records("picture", game_file, "--all", tmp_path / "all")
    states = [event for event in replay(files.load(game_file)) if isinstance(event, Shown)]
    assert said == f"{len(states)} pictures in {tmp_path / 'all'}\n"
    assert sorted(each.name for each in (tmp_path / "all").iterdir()) == [
        f"{number:04}.svg" for number in range(1, len(states) + 1)
    ]
    records("picture", game_file, "-o", tmp_path / "last.svg")
    assert (tmp_path / "last.svg").read_text() == (tmp_path / "all" / f"{len(states):04}.svg").read_text()


# --- prune ---


def test_old_records_are_removed_once_it_is_said_what_they_are(world: World, tmp_path: Path) -> None:
    copy = shutil.copytree(world.place, tmp_path / "copy")
    assert "would remove 3 records" in records("prune", copy, "--older", "0h", "--dry-run")
    assert "would remove 1 record" in records("prune", copy, "--older", "0h", "--keep", "tournaments", "--dry-run")
    assert "removed 0 records" in records("prune", copy, "--older", "1d")
    assert "removed 3 records" in records("prune", copy, "--older", "0h")
    assert [each["id"] for each in plain("list", copy)] == [world.unfinished]


def test_nothing_is_removed_for_words_that_are_not_understood(world: World, tmp_path: Path) -> None:
    for arguments, reported in [
        (["--older", "90"], "--older '90' is not an age: give e.g. 12h, 90d or 8w"),
        (["--older", "1d", "--keep", "games"], "--keep 'games' is not known: give tournaments or tables"),
        ([], "Missing option '--older'"),
    ]:
        result = fairplay("records", "prune", tmp_path, *arguments)
        assert result.exit_code == 2
        assert reported in result.stderr
