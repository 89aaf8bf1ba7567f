"""The games of a referee by their ids: whom they count for, who may see what of them, what a restart makes of them."""

from __future__ import annotations

import asyncio
import logging
import time
from pathlib import Path

import pytest

from fairplay.games.game import find
from fairplay.server.access.quotas import QuotaLimits
from fairplay.server.game.running import Running
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import Link
from fairplay.server.links.ways import START_LIMIT_S
from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store
from fairplay.server.server import Config
from fairplay.v1 import referee_pb2 as pb
from fairplay.v1.game_pb2 import Player
from tests.server.access.test_game_quota import ANN, called_by
from tests.server.harness import ByHand, plan, serving
from tests.server.links.test_secrets import open_plan
from tests.server.records.nim import header, players, recorded


def waiting(name: str = "x") -> pb.GamePlan:
    """Return the plan of a game whose first player never dials in, or does not answer."""
    return plan(f"dial-in:{name}", "bot:first", limit_s=60)


async def test_games_that_an_account_begins_count_until_they_are_over() -> None:
    async with serving(Config(quotas=QuotaLimits(game_count=1))) as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        referee, bots = server.referee, plan("bot:first", "bot:first")
        with called_by(ANN):
            over = await referee.play(bots, "over")
            referee.create(waiting(), "running")
            assert referee.create(bots, "over") == over
            assert isinstance(referee.create(waiting(), "running"), Running)
            with pytest.raises(Refusal, match="1 of your games are running"):
                referee.create(bots, "another")
            links: list[Link] = [BotLink(server.clock, find("fish").player("first")) for _ in range(2)]
            await referee.play(bots, "t/r1g1", "t", links)  # its tournament counts it
            await referee.stop("running", "enough")
            assert (await referee.play(bots, "another")).status == pb.GameStatus.GAME_STATUS_FINISHED


async def test_a_game_that_is_stopped_waits_no_longer_for_who_never_came() -> None:
    async with serving(Config()) as server:
        server.referee.create(waiting(), "g")
        await server.referee.stop("g", "enough")
        async with asyncio.timeout(START_LIMIT_S / 2):
            game = await server.referee.play(waiting(), "g")
    assert game.result.aborted == "enough"


async def test_who_plays_a_game_waits_until_its_players_are_let_go_of() -> None:
    before_ns = time.time_ns()
    async with serving(Config()) as server:
        running = server.referee.create(plan("bot:first", "bot:first"), "g")
        assert isinstance(running, Running)
        game = await server.referee.play(plan("bot:first", "bot:first"), "g")
        assert running.released.is_set()
        assert before_ns <= game.start_time.ToNanoseconds() <= game.end_time.ToNanoseconds() <= time.time_ns()
        assert not [*server.referee.running_ids]


async def test_who_suspends_games_waits_until_their_players_are_let_go_of() -> None:
    async with serving(Config()) as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        running = server.referee.create(waiting(), "g")
        assert isinstance(running, Running)
        await by_hand.next_call()
        await server.referee.suspend_all()
        assert running.released.is_set()
        with pytest.raises(Refusal, match="shuts down"):
            await running.over


async def test_a_game_that_is_unknown_or_over_has_no_seats_to_leave_or_to_come_back_to() -> None:
    async with serving(Config()) as server:
        referee = server.referee
        await referee.play(plan("bot:first", "bot:first"), "over")
        for game_id in ("nobody", "over"):
            referee.leave(game_id, 0, "gone")
            assert referee.come_back(game_id, 0) is False
            assert referee.seat_count(game_id) is None
        running = referee.create(waiting(), "g")
        assert isinstance(running, Running)
        assert (referee.seat_count("g"), [*referee.running_ids]) == (2, ["g"])
        assert referee.come_back("g", 0) is True
        await asyncio.sleep(0)
        running.stop("enough")
        await running.over
        assert (referee.seat_count("g"), [*referee.running_ids]) == (None, [])


async def test_the_secret_of_a_player_that_joins_is_kept_with_the_game_until_that_is_over() -> None:
    async with serving(Config(start_limit_s=0.2)) as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        running = server.referee.create(waiting(), "g")
        assert isinstance(running, Running)
        server.referee.join("g", Player(name="late", link="grpc://127.0.0.1:9", secret="s3cret"))
        server.referee.join("g", Player(name="later", link="bot:first"))
        assert server.links.secrets.of("g", "late") == "s3cret"
        assert server.referee.seat_count("g") == 4
        await server.referee.stop("g", "enough")
        await running.released.wait()
        assert server.links.secrets.of("g", "late") == ""


# --- who may see what ---


async def test_a_tournament_is_no_game() -> None:
    async with serving(Config()) as server:
        await server.manager.create("t", open_plan())
        with pytest.raises(Refusal) as refusal:
            server.referee.get("t")
        assert refusal.value.reason == "GAME_NOT_FOUND"


async def test_a_game_of_a_package_that_is_not_installed_any_more_is_known_without_its_evidence() -> None:
    async with serving(Config()) as server:
        await server.store.take(recorded(header(3), players({100: "exception"}))).saved()
        (misconduct,) = server.referee.get("g1").result.misconducts
        assert (misconduct.player, misconduct.HasField("request")) == ("ann", False)


# --- after a restart ---


async def test_only_what_cannot_go_on_is_lost_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(tmp_path)
    for game_id, parent in (("lost", ""), ("t/r1g1", "t")):  # those of a tournament go on with it alone
        entry = header(game_id=game_id).SerializeToString()
        store.begin("game", game_id, entry, game="nim", parent=parent, start_time_ns=1)
    await store.close()
    async with serving(Config(records=tmp_path)) as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        await server.manager.create("t", open_plan())
        begun = server.referee.create(waiting(), "g")
        assert isinstance(begun, Running)
        await server.stop()
        with pytest.raises(Refusal, match="shuts down"):
            await begun.over
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(said) == 1
    assert said[0].startswith("game lost cannot go on: ")
    caplog.clear()
    before_ns = time.time_ns()
    async with serving(Config(records=tmp_path)) as server, ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        assert [*server.referee.running_ids] == ["g"]
        resumed = [entry.resumed for entry in parsed(server.store.read("g")) if entry.HasField("resumed")]
        assert [before_ns <= each.time.ToNanoseconds() <= time.time_ns() for each in resumed] == [True]
        assert [record.getMessage()[:24] for record in caplog.records if record.levelno >= logging.ERROR] == [
            "game lost cannot go on: "
        ]
        await server.referee.stop("g", "enough")
