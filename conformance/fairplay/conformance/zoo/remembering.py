"""Faults that show themselves only after other games, or beside them."""

from __future__ import annotations

from fairplay.conformance.zoo import ids
from fairplay.conformance.zoo.deciding import TOO_LATE_AT_FIRST
from fairplay.conformance.zoo.deeds import DIES, HANGS, RAISES, REPEATS_THE_LAST_GAME, REPEATS_THE_OTHER_GAME
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.moments import (
    after_early_end,
    after_repetition,
    after_unfinished,
    between_games,
    in_game,
    in_later_games,
)

BACK_TO_BACK = (ids.BACK_TO_BACK,)
ONE_AFTER_ANOTHER = (*ids.POSITIONS, ids.UNUSUAL_SETTINGS)
"""Cases that play many games, too."""

KINDS = (
    Kind(
        "raises-in-second-game",
        "Raises an exception in its second game.",
        BACK_TO_BACK,
        in_game(2),
        RAISES,
        ONE_AFTER_ANOTHER,
    ),
    Kind(
        "hangs-in-second-game", "Never answers in its second game.", BACK_TO_BACK, in_game(2), HANGS, ONE_AFTER_ANOTHER
    ),
    Kind(
        "dies-in-second-game",
        "Ends without a word in its second game.",
        BACK_TO_BACK,
        in_game(2),
        DIES,
        ONE_AFTER_ANOTHER,
    ),
    Kind(
        "remembers-the-last-game",
        "In all games but the first, gives the longest answer again that it gave in the one before.",
        BACK_TO_BACK,
        in_later_games,
        REPEATS_THE_LAST_GAME,
        ("memory", ids.UNDER_LOAD, *ONE_AFTER_ANOTHER),
    ),
    Kind(
        "mixes-up-games",
        "Where it is in two games at once, gives in one of them the longest answer that it has given in the other.",
        (ids.AT_ONCE,),
        between_games(1),
        REPEATS_THE_OTHER_GAME,
        (ids.UNDER_LOAD,),
    ),
    Kind(
        "raises-in-two-games",
        "Raises an exception where it is asked about another game in between.",
        (ids.AT_ONCE,),
        between_games(1),
        RAISES,
    ),
    Kind(
        "is-slow-under-load",
        "Is too late where it is asked about four other games in between.",
        (ids.UNDER_LOAD,),
        between_games(4),
        TOO_LATE_AT_FIRST,
    ),
    Kind(
        "raises-after-early-end",
        "Raises an exception in a game where the one before was over after two decisions, or fewer.",
        (ids.EARLY_END,),
        after_early_end(2),
        RAISES,
        (ids.NEVER_ENDED, ids.AT_ONCE, ids.UNDER_LOAD, *ONE_AFTER_ANOTHER),
    ),
    Kind(
        "fills-up-with-games",
        "Raises an exception in every game after ten others were left with one decision, or none.",
        (ids.NEVER_ENDED,),
        after_unfinished(10),
        RAISES,
        ONE_AFTER_ANOTHER,
    ),
    Kind(
        "raises-when-asked-again",
        "Raises an exception in all decisions after one for which it was asked twice.",
        (ids.CANCELLED,),
        after_repetition,
        RAISES,
    ),
)
