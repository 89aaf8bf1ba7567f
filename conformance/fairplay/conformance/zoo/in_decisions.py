"""Mutants whose mutation shows in some decisions of a game, whatever its methods are called."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import DIES, HANGS, RAISES, late
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import from_decision, in_decision
from fairplay.games.game import Game

ORDINALS = {1: "first", 3: "third", 6: "sixth"}
JUST_TOO_LATE = late(lambda environment: environment.decision_s)
TOO_LATE_AT_FIRST = late(lambda environment: environment.first_decision_s)


def of_decisions(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in one decision of a game, or in several."""
    anywhere = ("rules", game.name, *case_ids.POSITIONS, *case_ids.ENDS_OF_GAMES)
    for number, ordinal in ORDINALS.items():
        sentence = f"Raises an exception in its {ordinal} decision of a game."
        cases = (case_ids.NO_EXCEPTION,)
        yield Mutant(f"raises-in-{ordinal}-decision", sentence, cases, in_decision(number), RAISES, anywhere)
    sentence, cases = "Never answers when it is asked for its first decision of a game.", (case_ids.FIRST_ANSWER,)
    yield Mutant("hangs-in-first-decision", sentence, cases, in_decision(1), HANGS, anywhere)
    sentence, cases = "Never answers when it is asked for its third decision of a game.", (case_ids.EVERY_ANSWER,)
    yield Mutant("hangs-in-third-decision", sentence, cases, in_decision(3), HANGS, (*anywhere, case_ids.FIRST_ANSWER))
    sentence, cases = "Ends without a word in its sixth decision of a game.", (case_ids.ALIVE,)
    yield Mutant("dies-in-sixth-decision", sentence, cases, in_decision(6), DIES, anywhere)
    sentence, cases = "Is just too late with its first decision of a game, and no other.", (case_ids.FIRST_ANSWER,)
    yield Mutant("is-late-at-first", sentence, cases, in_decision(1), TOO_LATE_AT_FIRST, anywhere)
    sentence, cases = "Is just too late with every decision of a game but the first.", (case_ids.EVERY_ANSWER,)
    related = (*anywhere, case_ids.FIRST_ANSWER)
    yield Mutant("is-just-too-late", sentence, cases, from_decision(2), JUST_TOO_LATE, related)
