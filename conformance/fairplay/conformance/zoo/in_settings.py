"""Mutants that fail where a game is not as most games are: other settings, long games, large numbers, rare states."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from fairplay.conformance.games.positions import allows_large_scores
from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, SAYS_NOTHING, late
from fairplay.conformance.zoo.list_sizes import sizes_vary, with_unusual_size
from fairplay.conformance.zoo.mutant_player import ReceivedCall, Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import having, in_decision, with_other_settings
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

MANY_DECISIONS = 60
LATER = 7
RARE = 100
MOST_IN_8_BITS = 2**8 - 1
MOST_IN_32_BITS = 2**32 - 1
TOO_LATE = late(lambda environment: environment.first_decision_s)


def of_settings(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in unusual games of a game, and in some of all states."""
    anywhere = ("rules", "exceptions", game.name, *case_ids.POSITIONS)
    unusual = with_unusual_size(game.name) if sizes_vary(game.name) else with_other_settings(game)
    sentence, cases = (
        "Is too late with its seventh decision of a game under settings that it does not know.",
        (case_ids.LATE,),
    )
    yield Mutant(
        "is-late-under-unusual-settings", sentence, cases, in_seventh_after(unusual), TOO_LATE, ("time", *anywhere)
    )
    if find_conformance(game.name).long_game is not None:
        sentence, cases = "Raises an exception in its sixtieth decision of a game.", (case_ids.LONG_GAME,)
        yield Mutant("raises-in-sixtieth-decision", sentence, cases, in_decision(MANY_DECISIONS), RAISES, anywhere)
    if "revision" in game.state_type.DESCRIPTOR.fields_by_name:
        sentence, cases = "Raises an exception where a revision needs more than 32 bits.", (case_ids.LARGE_NUMBERS,)
        yield Mutant(
            "keeps-revisions-in-32-bits", sentence, cases, in_large("revision", MOST_IN_32_BITS), RAISES, anywhere
        )
    if allows_large_scores(game.name):
        sentence, cases = "Raises an exception where a score needs more than 8 bits.", (case_ids.LARGE_NUMBERS,)
        trigger = in_large("score", MOST_IN_8_BITS)
        yield Mutant("keeps-scores-in-8-bits", sentence, cases, trigger, RAISES, anywhere)
    sentence, cases = "Answers with an empty message in one state of a hundred.", (case_ids.DRAWN_STATES,)
    yield Mutant("fails-in-rare-states", sentence, cases, rarely, SAYS_NOTHING, ("*",))


def in_seventh_after(trigger: Trigger) -> Trigger:
    """Trigger in the seventh decision of a game if another trigger does in the first one, or before."""

    def notes(call: ReceivedCall) -> bool:
        if call.decision <= 1 and trigger(call):
            call.game.notes["unusual"] = True
        return call.decision == LATER and "unusual" in call.game.notes

    return notes


def in_large(name: str, most: int) -> Trigger:
    """Trigger in decisions whose request has a larger number in a field of this name."""
    return lambda call: call.decision > 0 and any(getattr(part, name) > most for part in having(call.request, name))


def rarely(call: ReceivedCall) -> bool:
    """Trigger in decisions in one state of a hundred, the same ones in every game."""
    if not call.decision:
        return False
    request = type(call.request)()
    request.CopyFrom(call.request)
    request.ClearField("game_id")
    digest = hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
    return int.from_bytes(digest[:4]) % RARE == 0
