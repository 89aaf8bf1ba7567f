"""The messages and calls of Nim. Settings, states and actions have the same fields there as in the rules."""

from __future__ import annotations

from fairplay.games.kit.turns import Turns
from fairplay.games.steps import methods_of
from fairplay_nim import rules
from fairplay_nim.v1 import nim_pb2 as pb

PLAY_AS, TAKE = methods_of(pb.DESCRIPTOR.services_by_name["NimPlayerService"]).values()
TURNS = Turns(
    rules=rules,
    settings_type=pb.Settings,
    state_type=pb.State,
    tell=PLAY_AS,
    ask=TAKE,
    action=rules.Take,
    malformed="nim.take.required",
    describe=lambda take: f"{take.match_count} from heap {take.heap}",
)
