"""How much a server has to do, for those who run it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fairplay.server.links.link import duration
from fairplay.v1.server_pb2 import ServerLoad

if TYPE_CHECKING:
    from fairplay.server.server import Server

STATM = Path("/proc/self/statm")
BEAT_S = 0.02
"""How long it waits to see how much later than that it is called."""


class LoadGauge:
    """Says how much a server has to do."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._started_s = time.monotonic()

    async def read(self) -> ServerLoad:
        """Return the load at this moment."""
        server = self._server
        return ServerLoad(
            uptime=duration(time.monotonic() - self._started_s),
            cpu_time=duration(time.process_time()),
            memory_bytes=_memory_bytes(),
            lag=duration(await _lag_s()),
            running_game_count=len(server.referee.running_ids),
            open_tournament_count=len(server.manager.open_ids),
            connected_player_count=server.hub.connected_count,
            lobby_user_count=server.lobby.user_count,
            lobby_table_count=server.lobby.table_count,
            unsaved_entry_count=server.store.unsaved_count,
            records_failed=server.store.failure is not None,
        )


async def _lag_s() -> float:
    due_s = time.monotonic() + BEAT_S
    await asyncio.sleep(BEAT_S)
    return max(0.0, time.monotonic() - due_s)


def _memory_bytes() -> int:
    """Return how much memory this process has; 0 where the system does not say so."""
    try:
        return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
