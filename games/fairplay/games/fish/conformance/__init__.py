"""What the conformance suite asks about Fish: probes, and mutations, which make players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.fish.conformance import setup_mutations, turn_mutations
from fairplay.games.fish.conformance.probes import PROBES

MUTATIONS = (*setup_mutations.MUTATIONS, *turn_mutations.MUTATIONS)
CONFORMANCE = Conformance(probes=PROBES, mutations=MUTATIONS, package=__name__)
