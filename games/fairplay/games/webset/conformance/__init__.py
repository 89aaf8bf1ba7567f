"""What the conformance suite asks about Webset: probes, and mutations, which make players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.webset.conformance.infractions import find_infraction, list_legal_replies
from fairplay.games.webset.conformance.mutations import MUTATIONS
from fairplay.games.webset.conformance.probes import PROBES
from fairplay.games.webset.conformance.ties import tied_ending
from fairplay.games.webset.conformance.unusual import SETTINGS_VALUES

CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package=__name__,
    settings_values=SETTINGS_VALUES,
    tied_ending=tied_ending,
    find_infraction=find_infraction,
    list_legal_replies=list_legal_replies,
)
