"""What the conformance suite needs of Eriantys: probes, mutations that make mutants of sound players, infractions."""

from fairplay.eriantys.v1 import eriantys_settings_pb2 as pb
from fairplay.eriantys.v1.eriantys_settings_pb2 import Settings
from fairplay.games.conformance import Conformance
from fairplay.games.eriantys.conformance.infractions import find_infraction, list_legal_replies
from fairplay.games.eriantys.conformance.mutations import MUTATIONS
from fairplay.games.eriantys.conformance.probes import PROBES
from fairplay.games.eriantys.conformance.ties import tied_ending
from fairplay.games.eriantys.conformance.unusual import SETTINGS_VALUES

CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package=__name__,
    settings_values=SETTINGS_VALUES,
    tied_ending=tied_ending,
    leaving_settings=(
        Settings(on_disconnect=pb.ON_DISCONNECT_ELIMINATE),
        Settings(on_disconnect=pb.ON_DISCONNECT_SKIP_TURNS),
        Settings(on_disconnect=pb.ON_DISCONNECT_SKIP_TURNS, interrupted_turn=pb.INTERRUPTED_TURN_LEAVE),
    ),
    find_infraction=find_infraction,
    list_legal_replies=list_legal_replies,
)
