"""Which cases a mutant is tried on if not on all: those that name it, those that own misconduct, a part of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from zlib import crc32

from fairplay.certificate.terms import matches
from fairplay.conformance import case_ids
from fairplay.conformance.case_ids import EVERY_WHOLE_GAME, WHOLE_GAMES
from fairplay.conformance.cases import cases
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.games.game import Game

PARTS = 24
"""Of the rest each mutant is tried on one case in so many, others for each mutant and for each seed."""
OWNERS = (case_ids.BACK_TO_BACK, case_ids.AT_ONCE, case_ids.TOURNAMENT)
"""Cases that nearly all that goes wrong elsewhere could be held against, besides those of whole games."""
SEATINGS = 3
"""The whole games that most other cases compare with are those of so many seats."""


def choose(game: Game, mutant: Mutant, seed: int) -> str:
    """Return the pattern of the cases to try a mutant on."""
    always = list(dict.fromkeys(_always(game, mutant)))
    rest = (case.id for case in cases(game) if not matches(case.id, ",".join(always)))
    return ",".join([*always, *(each for each in rest if _is_drawn(game, mutant, seed, each))])


def _always(game: Game, mutant: Mutant) -> Iterator[str]:
    yield from (EVERY_WHOLE_GAME if each == WHOLE_GAMES else each for each in mutant.cases)
    yield from (case_ids.REACHABLE, case_ids.DESCRIBES)
    if mutant.program is None:  # what a program can do differently has little to do with games
        yield from OWNERS
        seatings = [(seat, count) for count in game.seats for seat in range(count)]
        yield from (case_ids.whole_game(*each) for each in seatings[:SEATINGS])


def _is_drawn(game: Game, mutant: Mutant, seed: int, case_id: str) -> bool:
    """Return whether a case is drawn: with those of other groups that look at the same games, and see each other."""
    _, _, games = case_id.partition(".")
    return crc32(f"{seed}/{game.name}/{mutant.name}/{games}".encode()) % PARTS == 0
