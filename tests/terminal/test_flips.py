"""Bits flipped in the database of a recorded tournament: `records verify` reports each, or it changes no answer."""

from __future__ import annotations

import asyncio
import contextlib
import io
import shutil
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from fairplay.client.errors import FailedError, UsageError
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import at
from fairplay.server.records.sqlite import FILE_NAME
from fairplay.server.server import Config
from fairplay.terminal.commands.options import DONE
from fairplay.terminal.records.verify import verify_records
from fairplay.v1 import manager_pb2, referee_pb2
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.record_service_pb2_grpc import RecordServiceStub
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server import harness
from tests.server.manager.harness import environment, plan

FEW = 12
MANY = 1_000
GAMES = ["t/r1g1", "t/r1g2", "t/r2g1", "single"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a tournament that is over, one that takes sign-ups, and a game of its own."""
    directory = tmp_path_factory.mktemp("records")

    async def play() -> None:
        async with environment(directory) as here:
            here.stage.act("x", take_turn="raise")
            await here.play("t", plan([*"abcde", "x"]))
            await here.manager.create("u", plan([]))
            await here.manager.sign_up("u", Player(name="ann", link="bot:first"), "token")
            await here.referee.play(harness.plan("bot:first", "bot:first"), "single")

    asyncio.run(play())
    return directory


def reported(place: Path) -> bool:
    """Return whether `fairplay records verify` finds something wrong."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return verify_records(at(place), None, as_json=True) != DONE
    except (RecordsError, FailedError, UsageError):
        return True


async def answers(place: Path) -> list[object]:
    """Return what a server answers from these records, each error by its status."""
    async with (
        harness.serving(Config(records=place, resume=None)) as server,
        grpc.aio.insecure_channel(server.address) as channel,
    ):
        referee, manager = RefereeServiceStub(channel), ManagerServiceStub(channel)
        found = [await _answer(referee.GetGame(referee_pb2.GetGameRequest(game_id=each))) for each in GAMES]
        for tournament in ("t", "u"):
            found += [
                await _answer(manager.GetTournament(manager_pb2.GetTournamentRequest(tournament_id=tournament))),
                await _answer(manager.GetStandings(manager_pb2.GetStandingsRequest(tournament_id=tournament))),
                await _answer(
                    manager.ListTournamentGames(manager_pb2.ListTournamentGamesRequest(tournament_id=tournament))
                ),
            ]
        found.append(await _answer(referee.ListGames(referee_pb2.ListGamesRequest())))
        found.append(await _answer(manager.ListTournaments(manager_pb2.ListTournamentsRequest())))
        records = RecordServiceStub(channel)
        found += [await _transcript(records.GetRecord(GetRecordRequest(record_id=each))) for each in ("t", *GAMES)]
        return found


async def _answer(call: Any) -> object:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return error.code()


async def _transcript(call: Any) -> object:
    try:
        return [entry async for part in call for entry in part.entries]
    except grpc.aio.AioRpcError as error:
        return error.code()


def unnoticed(place: Path, tmp_path: Path, rng: Random, count: int) -> list[str]:
    """Return the flips that nothing reports although an answer is another one."""
    due = asyncio.run(answers(Path(shutil.copytree(place, tmp_path / "sound"))))
    sound = (place / FILE_NAME).read_bytes()
    wrong = []
    for _ in range(count):
        at, bit = rng.randrange(len(sound)), rng.randrange(8)
        data = bytearray(sound)
        data[at] ^= 1 << bit
        flipped = tmp_path / "flipped"
        shutil.rmtree(flipped, ignore_errors=True)
        flipped.mkdir()
        (flipped / FILE_NAME).write_bytes(data)
        if not reported(flipped):
            try:
                same = asyncio.run(answers(flipped)) == due
            except RecordsError:  # the server does not start, and says why
                same = True
            if not same:
                wrong.append(f"bit {bit} of byte {at}")
    return wrong


def test_a_sound_store_has_nothing_to_report(place: Path) -> None:
    assert not reported(place)


def test_a_flipped_bit_is_reported_or_changes_no_answer(place: Path, tmp_path: Path) -> None:
    assert unnoticed(place, tmp_path, Random(1), FEW) == []


@pytest.mark.slow
def test_no_flipped_bit_of_many_changes_an_answer_unnoticed(place: Path, tmp_path: Path) -> None:
    assert unnoticed(place, tmp_path, Random(2), MANY) == []
