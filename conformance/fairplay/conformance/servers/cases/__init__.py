"""The cases for servers, in the order in which they are judged."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.case import Case
from fairplay.conformance.servers.cases import (
    blame,
    connection,
    cups,
    formats,
    games,
    limits,
    lists,
    lobby,
    lost_streams,
    programs,
    races,
    records,
    refusals,
    results,
    rules,
    services,
    signups,
    tables,
    tournaments,
    unsound,
    walks,
    watching,
)

MODULES = (
    results,
    races,
    blame,
    refusals,
    unsound,
    limits,
    watching,
    connection,
    lost_streams,
    programs,
    lobby,
    tables,
    walks,
    tournaments,
    signups,
    formats,
    lists,
    cups,
    records,
    services,
    rules,
    games,
)

CASES: Sequence[Case] = [case for module in MODULES for case in module.CASES]
