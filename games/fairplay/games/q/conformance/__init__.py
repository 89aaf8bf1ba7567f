"""What the conformance suite asks about the Q game: probes, and mutations, which make players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.q.conformance import extension_mutations, form_mutations
from fairplay.games.q.conformance.probes import PROBES

MUTATIONS = (*form_mutations.MUTATIONS, *extension_mutations.MUTATIONS)
CONFORMANCE = Conformance(probes=PROBES, mutations=MUTATIONS, package=__name__)
