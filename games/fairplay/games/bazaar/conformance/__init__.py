"""What the conformance suite asks about Bazaar: probes, and mutants, which are players with one defect each."""

from fairplay.games.bazaar.conformance.mutants import FAULTS
from fairplay.games.bazaar.conformance.probes import PROBES
from fairplay.games.conformance import Conformance

CONFORMANCE = Conformance(probes=PROBES, mutations=FAULTS, package=__name__)
