"""A game of Eriantys that ends in a tie, whatever the player under test does."""

from __future__ import annotations

from random import Random

from fairplay.games.conformance import Situation
from fairplay.games.eriantys.conformance.scenes import bag_emptied, scene
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules import Phase

RIVAL, TESTED = 1, 0
ISLANDS = "G! aR . bP B aRY . P bB . . G"


def tied_ending(rng: Random) -> Situation:
    """Return the last decision of a game of two that are level: the rival takes the last cloud."""
    rooms, clouds = ("GG", "RR"), ("", "GRY")
    state = bag_emptied(
        scene(rng, phase=Phase.CLOUD, active=RIVAL, islands=ISLANDS, rooms=rooms, clouds=clouds, round_number=8)
    )
    settings = codec.build_short_settings(state.settings)
    return Situation(settings, 2, TESTED, codec.build_state(state), turn_count=0)
