"""Health, as those who run servers ask for it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fairplay.server.records.errors import RecordsError
from fairplay.server.server import SERVICES, Config, Server
from tests.server.harness import plan, serving

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def test_all_services_are_listed_and_others_are_unknown() -> None:
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        listed = (await health.List(health_pb2.HealthListRequest())).statuses
        assert {name: each.status for name, each in listed.items()} == dict.fromkeys(["", *SERVICES], SERVING)
        first = await health.Watch(health_pb2.HealthCheckRequest(service="x")).read()
        assert first.status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


async def test_a_server_that_cannot_record_any_more_does_not_serve(tmp_path: Path) -> None:
    server = await Server.start(Config(records=tmp_path / "records"))
    async with grpc.aio.insecure_channel(server.address) as channel, asyncio.timeout(30):
        health: Any = health_pb2_grpc.HealthStub(channel)
        watching = health.Watch(health_pb2.HealthCheckRequest())
        assert (await watching.read()).status == SERVING
        shutil.rmtree(tmp_path / "records")
        server.referee.create(plan("bot:first", "bot:first"), "g")
        assert (await watching.read()).status == NOT_SERVING
        assert (await health.Check(health_pb2.HealthCheckRequest())).status == NOT_SERVING
        watching.cancel()
    with pytest.raises(RecordsError, match="is gone while the server writes to it"):
        await server.stop()
