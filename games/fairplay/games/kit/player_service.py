"""The service that players of every game offer beside that of their game."""

from __future__ import annotations

from fairplay.games.steps import build_methods
from fairplay.v1 import player_pb2

PLAYER_SERVICE = "fairplay.v1.PlayerService"
PLAYER_METHODS = build_methods(
    PLAYER_SERVICE,
    {
        "Describe": (player_pb2.DescribeRequest, player_pb2.DescribeResponse),
        "Start": (player_pb2.StartRequest, player_pb2.StartResponse),
        "End": (player_pb2.EndRequest, player_pb2.EndResponse),
    },
)
DESCRIBE, START, END = PLAYER_METHODS.values()
