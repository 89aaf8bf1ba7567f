"""Faults of each method of a game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from fairplay.conformance.zoo import ids
from fairplay.conformance.zoo.deeds import (
    DIES,
    HANGS,
    IS_UNREADABLE,
    RAISES,
    SAYS_NOTHING,
    SAYS_SOMETHING_ELSE,
    SAYS_TOO_MUCH,
)
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.moments import in_method, never, second_call
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.handlers import snake_case

Patterns: TypeAlias = tuple[str, ...]


def decides(method: Method) -> bool:
    """Whether a method of a game asks for an answer, rather than telling something."""
    return bool(method.response.DESCRIPTOR.fields)


def of_methods(game: Game) -> Iterator[Kind]:
    """Those of every method, then those of the one in which a player decides what to do in its turn."""
    anywhere = ("rules", game.name, *ids.POSITIONS)  # for methods that an ordinary game does not come to
    for method in game.methods:
        yield from _of_decision(method, anywhere) if decides(method) else _of_notification(method, anywhere)
        yield from _of_any(method, anywhere)
    yield from _of_turn(game)


def _called(method: Method) -> str:
    return snake_case(method.name).replace("_", "-")


def _of_decision(method: Method, anywhere: Patterns) -> Iterator[Kind]:
    name, called, again = method.name, _called(method), second_call(method.name)
    sentence = f"Raises an exception in {name}."
    yield Kind(f"raises-in-{called}", sentence, (ids.NO_EXCEPTION,), in_method(name), RAISES, anywhere)
    sentence = f"Never answers {name} when it is called for the second time in a game."
    yield Kind(f"hangs-in-{called}", sentence, (ids.EVERY_ANSWER,), again, HANGS, anywhere)


def _of_notification(method: Method, anywhere: Patterns) -> Iterator[Kind]:
    name, called, here = method.name, _called(method), in_method(method.name)
    yield Kind(f"raises-in-{called}", f"Raises an exception in {name}.", (ids.VOID,), here, RAISES, anywhere)
    yield Kind(f"hangs-in-{called}", f"Never returns from {name}.", (ids.EVERY_ANSWER,), here, HANGS, anywhere)


def _of_any(method: Method, anywhere: Patterns) -> Iterator[Kind]:
    name, called, here = method.name, _called(method), in_method(method.name)
    yield Kind(f"dies-in-{called}", f"Ends without a word in {name}.", (ids.ALIVE,), here, DIES, anywhere)
    sentence = f"Answers {name} with bytes that are no message."
    yield Kind(f"is-unreadable-in-{called}", sentence, (ids.READABLE,), here, IS_UNREADABLE, anywhere)
    lacks = (snake_case(name),)
    yield Kind(f"lacks-{called}", f"Has no method {name}.", (ids.EVERY_METHOD,), never, RAISES, anywhere, lacks=lacks)


def _of_turn(game: Game) -> Iterator[Kind]:
    name, here, broken = game.turn.name, in_method(game.turn.name), ("rules", game.name)
    sentence = f"Answers {name} with more than a mebibyte."
    yield Kind("says-too-much", sentence, (ids.READABLE,), here, SAYS_TOO_MUCH)
    sentence, cases = f"Answers {name} with an empty message.", (ids.WHOLE_GAMES,)
    yield Kind("says-nothing", sentence, cases, here, SAYS_NOTHING, broken)
    sentence = f"Answers {name} with a message of another type, which has no field of the right one."
    yield Kind("says-something-else", sentence, cases, here, SAYS_SOMETHING_ELSE, broken)
