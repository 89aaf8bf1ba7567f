"""RecordService: the records of games and tournaments that are over."""

from __future__ import annotations

import asyncio
from typing import Any

from fairplay.server.net.errors import Refusal
from fairplay.server.records.published import parts, published
from fairplay.server.records.store import Store
from fairplay.v1 import record_service_pb2 as pb
from fairplay.v1.record_service_pb2_grpc import RecordServiceServicer

KINDS = ("game", "tournament")


class RecordServicer(RecordServiceServicer):
    """The service that hands out records."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def GetRecord(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: pb.GetRecordRequest, context: Any
    ) -> None:
        """Stream a record."""
        record_id = request.record_id
        listing = self._store.find(record_id)
        if listing is None or listing.kind not in KINDS:
            message = f"there is no record of a game or tournament {record_id!r}"
            raise Refusal("RECORD_NOT_FOUND", message, "record_id")
        if not listing.finished:
            message = f"the {listing.kind} {record_id} is not over: its record can be had when it is"
            raise Refusal("RECORD_OPEN", message, "record_id")
        if self._store.has_open(listing.parent):
            message = f"the tournament {listing.parent} is not over: the records of its games can be had when it is"
            raise Refusal("RECORD_OPEN", message, "record_id")
        record = await asyncio.to_thread(lambda: published(self._store.read(record_id)))
        for part in parts(record):
            await context.write(pb.GetRecordResponse(entries=part))
