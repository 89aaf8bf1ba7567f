"""Cheats of actors in test games of Eriantys: the mutations of the conformance suite, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from fairplay.games.conformance import Mutation
from fairplay.games.eriantys.mutations import MUTATIONS
from fairplay.games.eriantys.protocol.conversation import METHODS
from fairplay.games.kit.testdata import Cheat


def _cheat(mutation: Mutation) -> Cheat:
    def answer(request: Any) -> Any:
        return mutation.mutate(request, None, Random(0))

    return Cheat(METHODS[mutation.method], answer)


CHEATS: Mapping[str, Cheat] = MappingProxyType({mutation.name: _cheat(mutation) for mutation in MUTATIONS})
