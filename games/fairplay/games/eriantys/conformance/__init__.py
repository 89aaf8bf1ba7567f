"""What the conformance suite asks about Eriantys: probes, and mutants, which are players with one defect each."""

from fairplay.games.conformance import Conformance
from fairplay.games.eriantys.conformance.infractions import find_infraction
from fairplay.games.eriantys.conformance.mutants import FAULTS
from fairplay.games.eriantys.conformance.probes import PROBES

CONFORMANCE = Conformance(probes=PROBES, mutations=FAULTS, package=__name__, find_infraction=find_infraction)
