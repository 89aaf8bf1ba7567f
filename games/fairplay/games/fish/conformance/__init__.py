"""What the conformance suite asks about Fish: probes, and mutations, which make players with one defect each."""

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_pb2 import Settings
from fairplay.games.conformance import Conformance
from fairplay.games.fish.conformance import setup_mutations, turn_mutations
from fairplay.games.fish.conformance.probes import PROBES
from fairplay.games.fish.conformance.unusual import LONG_GAME, SETTINGS_VALUES

MUTATIONS = (*setup_mutations.MUTATIONS, *turn_mutations.MUTATIONS)
CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package=__name__,
    settings_values=SETTINGS_VALUES,
    long_game=LONG_GAME,
    leaving_settings=(
        Settings(
            penguin_count_basis=fish_pb2.PENGUIN_COUNT_BASIS_SURVIVORS,
            announce_order=fish_pb2.ANNOUNCE_ORDER_PER_PLAYER,
        ),
        Settings(lone_survivor=fish_pb2.LONE_SURVIVOR_STOP),
    ),
)
