"""The neighbour of an attack, who has small games played and looks whether the server is well."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tools.fuzz.report import Report

GAME = "fish"


async def play_on(channel: grpc.aio.Channel, link: str, report: Report, over: asyncio.Event) -> None:
    """Have games played with the player behind a link, and the health checked, until the attack is over."""
    referee: Any = RefereeServiceStub(channel)
    health: Any = health_pb2_grpc.HealthStub(channel)
    players = [Player(name="ann", link=link), Player(name="bob", link="bot:first")]
    while not over.is_set() or not report.game_count:
        began = time.monotonic()
        await health.Check(health_pb2.HealthCheckRequest())
        report.slowest_check_ms = max(report.slowest_check_ms, (time.monotonic() - began) * 1e3)
        game = (await referee.PlayGame(PlayGameRequest(plan=GamePlan(game=GAME, players=players)))).game
        report.game_count += 1
        report.failed_game_count += bool(game.result.misconducts or game.result.aborted)
