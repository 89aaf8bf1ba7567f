"""What the conformance suite needs of Bazaar: probes, and mutations that make mutants of sound players."""

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1.bazaar_pb2 import Settings
from fairplay.games.bazaar.conformance.mutations import MUTATIONS
from fairplay.games.bazaar.conformance.probes import PROBES
from fairplay.games.bazaar.conformance.unusual import LONG_GAME, SETTINGS_VALUES
from fairplay.games.conformance import Conformance

CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package=__name__,
    settings_values=SETTINGS_VALUES,
    long_game=LONG_GAME,
    leaving_settings=(Settings(lone_survivor=bazaar_pb2.LONE_SURVIVOR_STOP),),
)
