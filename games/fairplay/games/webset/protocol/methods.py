"""The service of players of Webset."""

from __future__ import annotations

from fairplay.games.steps import build_methods
from fairplay.webset.v1 import webset_player_pb2

SERVICE = "fairplay.webset.v1.WebsetPlayerService"
METHODS = build_methods(
    SERVICE,
    {
        "Deal": (webset_player_pb2.DealRequest, webset_player_pb2.DealResponse),
        "Act": (webset_player_pb2.ActRequest, webset_player_pb2.ActResponse),
        "PickCards": (webset_player_pb2.PickCardsRequest, webset_player_pb2.PickCardsResponse),
        "Report": (webset_player_pb2.ReportRequest, webset_player_pb2.ReportResponse),
        "GameOver": (webset_player_pb2.GameOverRequest, webset_player_pb2.GameOverResponse),
    },
)
DEAL, ACT, PICK_CARDS, REPORT, GAME_OVER = METHODS.values()
