"""The services of players that this server calls."""

from __future__ import annotations

from functools import cache

from fairplay.games.game import find, registered
from fairplay.games.kit.player_service import PLAYER_SERVICE
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.v1.player_pb2 import GameService


@cache
def called_services() -> tuple[GameService, ...]:
    """Return the services with the latest revision that is known. The first call loads all games, which takes time."""
    names = (PLAYER_SERVICE, *(find(name).service for name in registered()))
    return tuple(GameService(name=name, revision=PROTOCOL_REVISION) for name in names)
