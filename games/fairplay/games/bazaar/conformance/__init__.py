"""What the conformance suite needs of Bazaar: probes, and mutations that make mutants of sound players."""

from fairplay.games.bazaar.conformance.mutations import MUTATIONS
from fairplay.games.bazaar.conformance.probes import PROBES
from fairplay.games.conformance import Conformance

CONFORMANCE = Conformance(probes=PROBES, mutations=MUTATIONS, package=__name__)
