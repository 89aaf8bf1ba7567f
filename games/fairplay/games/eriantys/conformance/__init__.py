"""What the conformance suite needs of Eriantys: probes, mutations that make mutants of sound players, infractions."""

from fairplay.games.conformance import Conformance
from fairplay.games.eriantys.conformance.infractions import find_infraction, list_legal_replies
from fairplay.games.eriantys.conformance.mutations import MUTATIONS
from fairplay.games.eriantys.conformance.probes import PROBES

CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package=__name__,
    find_infraction=find_infraction,
    list_legal_replies=list_legal_replies,
)
