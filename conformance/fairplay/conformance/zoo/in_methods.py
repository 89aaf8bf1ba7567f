"""Mutants that fail in one method of a game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import (
    DIES,
    HANGS,
    IS_UNREADABLE,
    RAISES,
    SAYS_NOTHING,
    SAYS_SOMETHING_ELSE,
    SAYS_TOO_MUCH,
)
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import in_method, never, second_call
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.handlers import snake_case

Patterns: TypeAlias = tuple[str, ...]


def decides(method: Method) -> bool:
    """Return whether a method of a game asks for a decision: notifications have empty responses."""
    return bool(method.response.DESCRIPTOR.fields)


def of_methods(game: Game) -> Iterator[Mutant]:
    """Yield the mutants of every method, then those of the method in which a player decides what to do in its turn."""
    # For methods that an ordinary game does not come to.
    anywhere = ("rules", game.name, *case_ids.POSITIONS, *case_ids.ENDS_OF_GAMES)
    for method in game.methods:
        yield from _of_decision(method, anywhere) if decides(method) else _of_notification(method, anywhere)
        yield from _of_any(method, anywhere)
    yield from _of_turn(game)


def _called(method: Method) -> str:
    return snake_case(method.name).replace("_", "-")


def _of_decision(method: Method, anywhere: Patterns) -> Iterator[Mutant]:
    name, called, again = method.name, _called(method), second_call(method.name)
    sentence = f"Raises an exception in {name}."
    yield Mutant(f"raises-in-{called}", sentence, (case_ids.NO_EXCEPTION,), in_method(name), RAISES, anywhere)
    sentence = f"Never answers {name} when it is called for the second time in a game."
    yield Mutant(f"hangs-in-{called}", sentence, (case_ids.EVERY_ANSWER,), again, HANGS, anywhere)


def _of_notification(method: Method, anywhere: Patterns) -> Iterator[Mutant]:
    name, called, here = method.name, _called(method), in_method(method.name)
    yield Mutant(f"raises-in-{called}", f"Raises an exception in {name}.", (case_ids.VOID,), here, RAISES, anywhere)
    yield Mutant(f"hangs-in-{called}", f"Never returns from {name}.", (case_ids.EVERY_ANSWER,), here, HANGS, anywhere)


def _of_any(method: Method, anywhere: Patterns) -> Iterator[Mutant]:
    name, called, here = method.name, _called(method), in_method(method.name)
    yield Mutant(f"dies-in-{called}", f"Ends without a word in {name}.", (case_ids.ALIVE,), here, DIES, anywhere)
    sentence = f"Answers {name} with bytes that are no message."
    yield Mutant(f"is-unreadable-in-{called}", sentence, (case_ids.READABLE,), here, IS_UNREADABLE, anywhere)
    lacks = (snake_case(name),)
    yield Mutant(
        f"lacks-{called}", f"Has no method {name}.", (case_ids.EVERY_METHOD,), never, RAISES, anywhere, lacks=lacks
    )


def _of_turn(game: Game) -> Iterator[Mutant]:
    name, here, broken = game.turn.name, in_method(game.turn.name), ("rules", game.name, *case_ids.ENDS_OF_GAMES)
    sentence = f"Answers {name} with more than a mebibyte."
    yield Mutant("says-too-much", sentence, (case_ids.READABLE,), here, SAYS_TOO_MUCH)
    sentence, cases = f"Answers {name} with an empty message.", (case_ids.WHOLE_GAMES,)
    yield Mutant("says-nothing", sentence, cases, here, SAYS_NOTHING, broken)
    sentence = f"Answers {name} with a message of another type, which has no field of the right one."
    yield Mutant("says-something-else", sentence, cases, here, SAYS_SOMETHING_ELSE, broken)
