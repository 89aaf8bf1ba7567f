"""Mutants that fail at the beginning or the end of tournaments and games."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.conformance.games.endings import Ending, tells_the_end
from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import DIES, HANGS, IS_UNREADABLE, RAISES
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import (
    after_end,
    at_ending,
    at_repeated_ending,
    in_method,
    second_call,
    with_fields,
)
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

TOURNAMENT = (case_ids.TOURNAMENT,)
WIN_AND_LOSE = (case_ids.WIN_AND_LOSE,)
BACK_TO_BACK = (case_ids.BACK_TO_BACK,)


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
    if any(map(tells_the_end, game.methods)):
        yield from _of_game_ends(game)


def _of_game_ends(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail when they hear how a game has ended, or after it."""
    related = ("contract", "rules", "exceptions", "endings", "memory", "time", "identity", game.name)
    for effect, verb, sentence, owner in (
        (RAISES, "raises", "Raises an exception", case_ids.VOID),
        (HANGS, "hangs", "Never returns", case_ids.EVERY_ANSWER),
        (DIES, "dies", "Ends without a word", case_ids.ALIVE),
    ):
        lost, description = at_ending(Ending.LOST), f"{sentence} when it is told that it has lost a game."
        yield Mutant(f"{verb}-when-it-loses-a-game", description, (case_ids.GAME_LOST,), lost, effect, related, owner)
    sentence, won = "Raises an exception when it is told that it has won a game.", at_ending(Ending.WON)
    yield Mutant("raises-when-it-wins-a-game", sentence, (case_ids.GAME_WON,), won, RAISES, related, case_ids.VOID)
    again, sentence = at_repeated_ending(Ending.LOST), "Raises an exception when it is told again that it has lost."
    yield Mutant("raises-when-it-loses-again", sentence, BACK_TO_BACK, again, RAISES, related)
    sentence, after = "Raises an exception in every game after one that it has lost.", after_end(Ending.LOST)
    yield Mutant("raises-after-a-lost-game", sentence, BACK_TO_BACK, after, RAISES, related)
    if find_conformance(game.name).tied_ending is not None:
        sentence, tied = "Raises an exception when a game ends in a tie.", at_ending(Ending.TIED)
        yield Mutant("raises-at-a-tie", sentence, (case_ids.GAME_TIED,), tied, RAISES, related, case_ids.VOID)
