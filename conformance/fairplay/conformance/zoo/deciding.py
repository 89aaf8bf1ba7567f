"""Faults that show themselves in some of a player's decisions, whatever the game calls them."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.conformance.zoo import ids
from fairplay.conformance.zoo.deeds import DIES, HANGS, RAISES, late
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.moments import from_decision, in_decision
from fairplay.games.game import Game

ORDINALS = {1: "first", 3: "third", 6: "sixth"}
JUST_TOO_LATE = late(lambda world: world.decision_s)
TOO_LATE_AT_FIRST = late(lambda world: world.first_decision_s)


def of_decisions(game: Game) -> Iterator[Kind]:
    """Faults that show themselves when a player is asked for this or that decision of a game."""
    anywhere = ("rules", game.name, *ids.POSITIONS)
    for number, ordinal in ORDINALS.items():
        sentence = f"Raises an exception in its {ordinal} decision of a game."
        cases = (ids.NO_EXCEPTION,)
        yield Kind(f"raises-in-{ordinal}-decision", sentence, cases, in_decision(number), RAISES, anywhere)
    sentence, cases = "Never answers when it is asked for its first decision of a game.", (ids.FIRST_ANSWER,)
    yield Kind("hangs-in-first-decision", sentence, cases, in_decision(1), HANGS, anywhere)
    sentence, cases = "Never answers when it is asked for its third decision of a game.", (ids.EVERY_ANSWER,)
    yield Kind("hangs-in-third-decision", sentence, cases, in_decision(3), HANGS, (*anywhere, ids.FIRST_ANSWER))
    sentence, cases = "Ends without a word in its sixth decision of a game.", (ids.ALIVE,)
    yield Kind("dies-in-sixth-decision", sentence, cases, in_decision(6), DIES, anywhere)
    sentence, cases = "Is just too late with its first decision of a game, and no other.", (ids.FIRST_ANSWER,)
    yield Kind("is-late-at-first", sentence, cases, in_decision(1), TOO_LATE_AT_FIRST, anywhere)
    sentence, cases = "Is just too late with every decision of a game but the first.", (ids.EVERY_ANSWER,)
    related = (*anywhere, ids.FIRST_ANSWER)
    yield Kind("is-just-too-late", sentence, cases, from_decision(2), JUST_TOO_LATE, related)
