"""grpc.health.v1: whether the server serves. It does not while it starts, shuts down, or cannot record."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import grpc
from grpc_health.v1.health_pb2 import (
    HealthCheckRequest,
    HealthCheckResponse,
    HealthListRequest,
    HealthListResponse,
)
from grpc_health.v1.health_pb2_grpc import HealthServicer as HealthBase

SERVING = HealthCheckResponse.SERVING
NOT_SERVING = HealthCheckResponse.NOT_SERVING
MAX_SERVICE_CHARS = 200


class HealthServicer(HealthBase):  # type: ignore[misc]  # grpc_health has no types
    """The health of the services of these names, all alike, and of the server as a whole, the empty name."""

    def __init__(self, services: Iterable[str]) -> None:
        self._services = frozenset(["", *services])
        self._status = NOT_SERVING
        self._changed = asyncio.Event()

    def set(self, *, serving: bool) -> None:
        """Change the health of all services."""
        self._status = SERVING if serving else NOT_SERVING
        self._changed.set()
        self._changed = asyncio.Event()

    async def Check(self, request: HealthCheckRequest, context: Any) -> HealthCheckResponse:  # noqa: N802
        """Return the health of a service now."""
        if request.service not in self._services:
            message = f"there is no service {request.service[:MAX_SERVICE_CHARS]!r}"
            await context.abort(grpc.StatusCode.NOT_FOUND, message)
        return HealthCheckResponse(status=self._status)

    async def List(self, request: HealthListRequest, context: Any) -> HealthListResponse:  # noqa: N802
        """Return the health of all services now."""
        return HealthListResponse(
            statuses={name: HealthCheckResponse(status=self._status) for name in sorted(self._services)}
        )

    async def Watch(self, request: HealthCheckRequest, context: Any) -> None:  # noqa: N802
        """Stream the health of a service, now and whenever it changes. Who does not read holds up nobody."""
        known = request.service in self._services
        while True:
            changed = self._changed
            status = self._status if known else HealthCheckResponse.SERVICE_UNKNOWN
            await context.write(HealthCheckResponse(status=status))
            await changed.wait()
