"""The process of some players, which dial in and serve, each on a port of its own, as well.

    python -m benchmarks.players ADDRESS GAME (together | apart) NAME...

They dial in over one stream together, or over one for each. It says the ports before it dials in, and ends when the
server says goodbye or goes away.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from benchmarks.figures import STRATEGY
from fairplay.games.game import find
from fairplay.player.dialing import Hosted, dial_in_async
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server

PATIENCE_S = 5.0


async def run(address: str, game: str, streams: str, names: Sequence[str]) -> None:
    """Serve and dial in with a player for each name."""
    players = [find(game).player(STRATEGY) for _ in names]
    served = [await start_server(Handlers(player), "127.0.0.1:0") for player in players]
    print(*(port for _, port in served), flush=True)
    hosted = [Hosted(player, name, "benchmark") for player, name in zip(players, names, strict=True)]
    groups = [hosted] if streams == "together" else [[one] for one in hosted]
    await asyncio.gather(*(dial_in_async(group, address, patience_s=PATIENCE_S) for group in groups))
    for server, _ in served:
        await server.stop(0)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
