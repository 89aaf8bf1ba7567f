"""Examinations of real programs: the suite as a child of a real server.

They are slow ones: the suite takes a second or two to start.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys

import grpc
import psutil
import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.examining.suite import NOT_RUN, Finding, Suite
from fairplay.server.links.program import ProgramOptions
from fairplay.server.manager.plan import full_tournament_plan
from fairplay.server.server import Config
from fairplay.v1 import manager_pb2 as pb
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import (
    CertificatePolicy,
    ExaminationPolicy,
    ExaminationStatus,
    SignUpPolicy,
    TournamentPlan,
)
from tests.server.harness import serving
from tests.slow import SLOW

SOUND = "exec:" + shlex.join([sys.executable, "-m", "fairplay.terminal", "player", "fish"])
CASES = "contract.reachable,contract.describes-itself"


def examining(cases: str = CASES, profile: str = "") -> TournamentPlan:
    asked = CertificatePolicy(examination=ExaminationPolicy(cases=cases), profile=profile)
    policy = SignUpPolicy(waiting_period=Duration(), certificate=asked)
    return full_tournament_plan(TournamentPlan(game="fish", sign_up=policy), lambda *_: None)


async def examine(
    link: str, secret: str = "", cases: str = CASES, start_limit_s: float = 60.0, profile: str = ""
) -> Finding:
    suite = Suite(ProgramOptions(), start_limit_s=start_limit_s)
    return await suite.examine(Player(name="ann", link=link), examining(cases, profile), secret)


@SLOW
async def test_a_sound_program_passes() -> None:
    finding = await examine(SOUND)
    assert (finding.case_id, finding.reason, finding.description.display_name) == ("", "", "first")


@SLOW
async def test_a_program_is_examined_for_the_profile_of_the_tournament() -> None:
    other_sizes = shlex.join([sys.executable, "-m", "fairplay.conformance.zoo", "fish", "raises-at-unusual-sizes"])
    in_all = await examine(f"exec:{other_sizes}", cases="fish.board")
    assert in_all.case_id.startswith("fish.board.")
    finding = await examine(f"exec:{other_sizes}", cases="fish.board", profile="course-2020")
    assert (finding.case_id, finding.reason) == ("", "")


@SLOW
async def test_of_a_program_that_fails_the_first_failing_case_is_told() -> None:
    finding = await examine("exec:false")
    assert finding.case_id == "contract.reachable"
    assert finding.reason.startswith("FAIL: The player cannot be reached: the player's process ended with exit code 1")


@SLOW
async def test_a_program_that_hangs_is_told_and_ended() -> None:
    marker = "7654321"
    finding = await examine(f"exec:sleep {marker}", start_limit_s=1.0)
    assert finding.case_id == "contract.reachable"
    assert "neither served nor dialled in" in finding.reason
    assert not [each for each in psutil.process_iter(["cmdline"]) if marker in (each.info["cmdline"] or ())]


@SLOW
async def test_a_cancelled_examination_leaves_nothing_running() -> None:
    marker = "8765432"

    def running() -> bool:
        return any(each.info["cmdline"] == ["sleep", marker] for each in psutil.process_iter(["cmdline"]))

    task = asyncio.create_task(examine(f"exec:sleep {marker}"))
    async with asyncio.timeout(120):
        while not running():
            await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not running()


@SLOW
@pytest.mark.parametrize("secret", ["right-secret-of-the-player", ""])
async def test_a_player_that_serves_is_shown_its_secret(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRPLAY_SECRET", "that-of-the-server-itself")
    player = Handlers(find("fish").player("first"))
    server, port = await start_server(player, "127.0.0.1:0", secret="right-secret-of-the-player")
    try:
        finding = await examine(f"grpc://127.0.0.1:{port}", secret)
    finally:
        await server.stop(None)
    assert (finding.case_id == "") is bool(secret)


async def test_a_suite_that_cannot_be_run_is_no_fault_of_the_player(caplog: pytest.LogCaptureFixture) -> None:
    suite = Suite(ProgramOptions())
    plan = examining()
    plan.game = "chess"
    finding = await suite.examine(Player(name="ann", link="exec:false"), plan, "")
    assert finding.reason == NOT_RUN
    assert "chess" in caplog.text


@SLOW
async def test_players_that_sign_up_are_examined_beside_each_other() -> None:
    config = Config(allow_exec=True, start_limit_s=60.0, examinations=2)
    async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
        manager = ManagerServiceStub(channel)
        await manager.CreateTournament(pb.CreateTournamentRequest(tournament_id="t", plan=examining()))
        for name, link in (("slow", "exec:sleep 1000"), ("false", "exec:false"), ("sound", SOUND)):
            player = Player(name=name, link=link)
            reply = await manager.SignUp(pb.SignUpRequest(tournament_id="t", player=player))
            assert reply.examination.status == ExaminationStatus.EXAMINATION_STATUS_EXAMINING
        async for event in manager.WatchTournament(pb.WatchTournamentRequest(tournament_id="t"), timeout=240):
            if event.signed_up.name == "sound":
                break
        got = (await manager.GetTournament(pb.GetTournamentRequest(tournament_id="t"))).tournament
        assert [player.name for player in got.entrants] == ["sound"]
        assert got.entrants[0].description.display_name == "first"
        [slow, false] = got.examinations
        assert (slow.status, slow.player.link) == (ExaminationStatus.EXAMINATION_STATUS_EXAMINING, "")
        assert (false.status, false.case_id) == (
            ExaminationStatus.EXAMINATION_STATUS_REFUSED,
            "contract.reachable",
        )


@SLOW
@pytest.mark.parametrize("fault", ["", "places-on-opponent"])
async def test_a_player_that_dials_in_is_examined_and_comes_back(fault: str) -> None:
    program = ["fairplay.conformance.zoo", "fish", fault] if fault else ["fairplay.terminal", "player", "fish"]
    async with serving(Config()) as server, grpc.aio.insecure_channel(server.address) as channel:
        manager = ManagerServiceStub(channel)
        asked = examining("contract.describes-itself,rules.whole-game.seat-0-of-2,robustness.reconnect")
        await manager.CreateTournament(pb.CreateTournamentRequest(tournament_id="t", plan=asked))
        dial = {"FAIRPLAY_CONNECT": server.address, "FAIRPLAY_NAME": "ann", "FAIRPLAY_TOKEN": "secret"}
        words = [] if fault else ["--connect", server.address, "--name", "ann", "--token", "secret"]
        command = [sys.executable, "-m", *program, *words]
        process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **dial})
        try:
            async with asyncio.timeout(60):
                await server.hub.arrived("ann")
            player = Player(name="ann", link="dial-in:ann")
            await manager.SignUp(pb.SignUpRequest(tournament_id="t", player=player, token="secret"))
            async for event in manager.WatchTournament(pb.WatchTournamentRequest(tournament_id="t"), timeout=240):
                if event.HasField("signed_up") or event.examination.case_id:
                    break
            assert bool(event.examination.case_id) is bool(fault)
            async with asyncio.timeout(30):
                await server.hub.arrived("ann")
        finally:
            process.terminate()
            await process.wait()
