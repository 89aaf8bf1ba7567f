"""The service that players of every game offer beside that of their game."""

from __future__ import annotations

from fairplay.games.steps import methods_of
from fairplay.v1 import player_pb2

PLAYER_SERVICE = "fairplay.v1.PlayerService"
PLAYER_METHODS = methods_of(player_pb2.DESCRIPTOR.services_by_name["PlayerService"])
DESCRIBE, START, END = PLAYER_METHODS.values()
