"""What the conformance suite asks about the Q game: probes, and mutations, which make players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.q.conformance import extension_mutations, form_mutations
from fairplay.games.q.conformance.probes import PROBES
from fairplay.games.q.conformance.unusual import LONG_GAME, SETTINGS_VALUES
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_pb2 import Settings

MUTATIONS = (*form_mutations.MUTATIONS, *extension_mutations.MUTATIONS)
CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package=__name__,
    settings_values=SETTINGS_VALUES,
    long_game=LONG_GAME,
    leaving_settings=(Settings(lone_survivor=q_pb2.LONE_SURVIVOR_STOP),),
)
