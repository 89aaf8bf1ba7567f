"""Cheats of actors in test games of Eriantys: the mutations of the conformance suite, by their names."""

from __future__ import annotations

from fairplay.games.eriantys.mutations import MUTATIONS

CHEATS = {mutation.name: mutation for mutation in MUTATIONS}
