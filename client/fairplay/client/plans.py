"""What plans of games and tournaments say where nothing else is asked for, for commands and for programs."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from random import Random

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import Game
from fairplay.server.game.plans import MAX_SEED
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import SignUpPolicy


def drawn_seed(seed: int | None) -> int:
    """Return a seed that was given, or else one that is drawn."""
    return secrets.randbelow(MAX_SEED) if seed is None else seed


def dealt(players: Sequence[Player], seed: int) -> list[Player]:
    """Return the players in an order that is drawn by the seed of their tournament."""
    return Random(f"order of entrants {seed}").sample(players, len(players))


def closed_sign_up(game: Game, count: int) -> SignUpPolicy:
    """Return the policy of a tournament that nobody enters but so many players, who are named."""
    few = game.seats.start
    return SignUpPolicy(min_entrant_count=few, max_entrant_count=count, waiting_period=Duration())
