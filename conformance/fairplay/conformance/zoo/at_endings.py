"""Mutants that fail at the beginning or the end of tournaments and games."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.conformance.methods import tells_the_end
from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import DIES, HANGS, IS_UNREADABLE, RAISES
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import in_method, second_call, second_call_ever, with_fields
from fairplay.games.game import Game

TOURNAMENT = (case_ids.TOURNAMENT,)
WIN_AND_LOSE = (case_ids.WIN_AND_LOSE,)


def of_endings(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in Start, in End, or when the game tells its players that it is over."""
    for name, lower in (("Start", "start"), ("End", "end")):
        here = in_method(name)
        yield Mutant(f"raises-in-{lower}", f"Raises an exception in {name}.", TOURNAMENT, here, RAISES)
        yield Mutant(f"hangs-in-{lower}", f"Never returns from {name}.", TOURNAMENT, here, HANGS)
        yield Mutant(f"dies-in-{lower}", f"Ends without a word in {name}.", TOURNAMENT, here, DIES)
        sentence = f"Answers {name} with bytes that are no message."
        yield Mutant(f"is-unreadable-in-{lower}", sentence, TOURNAMENT, here, IS_UNREADABLE)
    sentence, lost = "when it is told that it has not won the tournament.", with_fields("End", won=False)
    yield Mutant("raises-when-it-has-lost", f"Raises an exception {sentence}", WIN_AND_LOSE, lost, RAISES)
    yield Mutant("dies-of-shame", f"Ends without a word {sentence}", WIN_AND_LOSE, lost, DIES)
    sentence = "Raises an exception when a second tournament starts."
    yield Mutant("raises-in-second-tournament", sentence, WIN_AND_LOSE, second_call("Start"), RAISES)
    for method in game.methods:
        if tells_the_end(method):
            name, again = method.name, second_call_ever(method.name)
            sentence = f"Raises an exception in the second {name} that it hears."
            yield Mutant(f"raises-in-second-{name.lower()}", sentence, WIN_AND_LOSE, again, RAISES, ("memory",))
