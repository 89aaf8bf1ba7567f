"""What the conformance suite asks about Fish: probes, and mutants, which are players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.fish.conformance.mutants import FAULTS
from fairplay.games.fish.conformance.probes import PROBES

CONFORMANCE = Conformance(probes=PROBES, mutations=FAULTS, package=__name__)
