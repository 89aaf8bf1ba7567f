"""The cases for servers, in the order in which they are judged."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.case import Case
from fairplay.conformance.servers.cases import (
    blame,
    connection,
    formats,
    ids,
    order,
    records,
    refusals,
    results,
    timing,
    tournaments,
    watching,
)

MODULES = (order, results, blame, timing, refusals, ids, watching, connection, tournaments, formats, records)

CASES: Sequence[Case] = [case for module in MODULES for case in module.CASES]
