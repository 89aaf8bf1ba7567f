"""Mutants whose mutation shows only after other games, or beside them."""

from __future__ import annotations

from dataclasses import replace

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import DIES, HANGS, RAISES, REPEATS_THE_LAST_GAME, REPEATS_THE_OTHER_GAME
from fairplay.conformance.zoo.in_decisions import TOO_LATE_AT_FIRST
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import (
    after_early_end,
    after_repetition,
    after_silence,
    after_unfinished,
    asked_again,
    asked_in_another_game,
    between_games,
    in_game,
    in_later_games,
)
from fairplay.games.game import Game

BACK_TO_BACK = (case_ids.BACK_TO_BACK,)
ONE_AFTER_ANOTHER = (*case_ids.POSITIONS, *case_ids.UNUSUAL_GAMES, case_ids.BACK_TO_BACK, case_ids.ENDS_BESIDE)
"""Cases that play many games, too, as the probes of each game do."""
BY_CHANCE = (case_ids.NO_EXCEPTION, case_ids.ALIVE, case_ids.EVERY_ANSWER)
"""Cases that fail, too, where a game does not come again as it was, so that nobody can say what a failure is due to."""


def of_past_games(game: Game) -> list[Mutant]:
    """Return the mutants that fail after other games, or beside one."""
    related = (*ONE_AFTER_ANOTHER, *BY_CHANCE, game.name)
    return [*(replace(each, related=(*each.related, *related)) for each in AFTER_OTHERS), *BESIDE_ANOTHER]


AFTER_OTHERS = (
    Mutant(
        "raises-in-second-game",
        "Raises an exception in its second game.",
        BACK_TO_BACK,
        in_game(2),
        RAISES,
    ),
    Mutant(
        "raises-in-third-game",
        "Raises an exception in its third game.",
        BACK_TO_BACK,
        in_game(3),
        RAISES,
        ("memory", "endings", case_ids.UNDER_LOAD),
    ),
    Mutant("hangs-in-second-game", "Never answers in its second game.", BACK_TO_BACK, in_game(2), HANGS),
    Mutant(
        "dies-in-second-game",
        "Ends without a word in its second game.",
        BACK_TO_BACK,
        in_game(2),
        DIES,
    ),
    Mutant(
        "remembers-the-last-game",
        "In all games but the first, gives the longest answer again that it gave in the one before.",
        BACK_TO_BACK,
        in_later_games,
        REPEATS_THE_LAST_GAME,
        ("memory", case_ids.UNDER_LOAD),
    ),
    Mutant(
        "raises-in-a-known-state",
        "Raises an exception where it is asked about a state that it was asked about in another game.",
        BACK_TO_BACK,
        asked_in_another_game,
        RAISES,
        ("memory", "endings", "identity", case_ids.UNUSUAL_IDS, case_ids.UNDER_LOAD),
    ),
    Mutant(
        "raises-after-early-end",
        "Raises an exception in a game where the one before was over after two decisions, or fewer.",
        (case_ids.EARLY_END,),
        after_early_end(2),
        RAISES,
        ("memory", case_ids.UNDER_LOAD),
    ),
    Mutant(
        "fills-up-with-games",
        "Raises an exception in every game after ten others were left with one decision, or none.",
        (case_ids.NEVER_ENDED,),
        after_unfinished(10),
        RAISES,
        (case_ids.CANCELLED, case_ids.SAME_SEAT),
    ),
)
BESIDE_ANOTHER = (
    Mutant(
        "mixes-up-games",
        "Where it is in two games at once, gives in one of them the longest answer that it has given in the other.",
        (case_ids.AT_ONCE,),
        between_games(1),
        REPEATS_THE_OTHER_GAME,
        ("memory", case_ids.UNDER_LOAD),
    ),
    Mutant(
        "raises-in-two-games",
        "Raises an exception where it is asked about another game in between.",
        (case_ids.AT_ONCE,),
        between_games(1),
        RAISES,
    ),
    Mutant(
        "is-slow-under-load",
        "Is too late where it is asked about four other games in between.",
        (case_ids.UNDER_LOAD,),
        between_games(4),
        TOO_LATE_AT_FIRST,
    ),
    Mutant(
        "forgets-after-a-while",
        "Raises an exception in a game after it has heard nothing of it for some time.",
        (case_ids.SLOW_RIVALS,),
        after_silence(0.8),
        RAISES,
        ("*",),
    ),
    Mutant(
        "raises-when-asked-again",
        "Raises an exception in all decisions after one for which it was asked twice.",
        (case_ids.CANCELLED,),
        after_repetition,
        RAISES,
        (case_ids.FRESH_PROCESS,),
    ),
    Mutant(
        "answers-each-question-once",
        "Raises an exception where it is asked for the same decision again.",
        (case_ids.FRESH_PROCESS,),
        asked_again,
        RAISES,
    ),
)
