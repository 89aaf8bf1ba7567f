"""What the conformance suite asks about the Q Game: probes, and mutants, which are players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.q.conformance.mutants import FAULTS
from fairplay.games.q.conformance.probes import PROBES

CONFORMANCE = Conformance(probes=PROBES, mutations=FAULTS, package=__name__)
