"""Mutants that confuse games which are played at the same time, or forget one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from typing import TypeAlias

from fairplay.conformance.games.endings import tells_the_end
from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, repeats
from fairplay.conformance.zoo.mutant_player import GameMemory, ReceivedCall, Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import between_games
from fairplay.games.game import Game

Key: TypeAlias = Callable[[str], object]
"""Returns under what a player keeps a game, by the id of the game."""
Find: TypeAlias = Callable[[ReceivedCall], GameMemory | None]
"""Returns the other game that a player takes for the one that it is asked about, or None."""

AT_ONCE = (case_ids.AT_ONCE, case_ids.UNDER_LOAD, case_ids.MANY_AT_ONCE, case_ids.ENDS_BESIDE)
"""Cases in which ids may be alike in such a way by chance."""
BESIDE_IN_TURN = (case_ids.SIMILAR_IDS, case_ids.OTHER_SETTINGS)
"""Cases in which the player may have the same seat in games at the same time."""
MIDDLE = 2
"""A player that has been asked for so many decisions is in the middle of a game."""


def of_games_at_once(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that confuse games, or forget them."""
    yield from _of_ids()
    if "seat" in game.turn.request.DESCRIPTOR.fields_by_name:
        sentence = "Answers in a game as in another one at the same time in which it has the same seat."
        trigger, effect = _finds(_in_same_seat), repeats(_in_same_seat)
        yield Mutant("mixes-up-seats", sentence, (case_ids.SAME_SEAT,), trigger, effect, (*AT_ONCE, *BESIDE_IN_TURN))
    sentence = "Raises an exception in a game if it was asked about ten others in between."
    yield Mutant("keeps-ten-games", sentence, (case_ids.MANY_AT_ONCE,), between_games(10), RAISES)
    sentence = "Raises an exception in a game if it was asked about thirty others in between."
    yield Mutant("keeps-thirty-games", sentence, (case_ids.MANY_AT_ONCE,), between_games(30), RAISES)
    sentence, cases = "Raises an exception in the middle of a game if another one has begun.", (case_ids.ENDS_BESIDE,)
    related = (case_ids.OTHER_SETTINGS, case_ids.UNDER_LOAD)
    yield Mutant("forgets-games-when-one-begins", sentence, cases, after_a_beginning, RAISES, related)
    ends = {method.name for method in game.methods if tells_the_end(method)}
    if ends:
        sentence = "Raises an exception in the middle of a game if one that has begun since is over."
        yield Mutant("forgets-games-when-one-ends", sentence, cases, after_an_end(ends), RAISES, related)


def _of_ids() -> Iterator[Mutant]:
    names: dict[str, tuple[str, Key]] = {
        "ignores-the-case-of-ids": ("differ in nothing but case", str.lower),
        "reads-sixteen-characters-of-ids": ("begin with the same 16 characters", lambda text: text[:16]),
        "reads-the-end-of-ids": ("end with the same 16 characters", lambda text: text[-16:]),
        "reads-ids-from-the-last-slash": ("are the same from the last / on", lambda text: text.rpartition("/")[2]),
        "reads-ids-up-to-the-dot": ("are the same up to the first dot", lambda text: text.partition(".")[0]),
        "reads-the-numbers-in-ids": ("have the same numbers", lambda text: [*map(int, re.findall("[0-9]+", text))]),
        "reads-letters-and-digits-of-ids": ("have the same letters and digits", lambda text: re.sub(r"\W|_", "", text)),
        "keeps-hashes-of-ids": ("have the same 32-bit hash, as in Java", java_hash),
    }
    for name, (words, key) in names.items():
        sentence = f"Answers in a game as in another one at the same time if their ids {words}."
        find = with_like_id(key)
        yield Mutant(name, sentence, (case_ids.SIMILAR_IDS,), _finds(find), repeats(find), AT_ONCE)


def java_hash(text: str) -> int:
    """Return the hash of a text in Java."""
    return reduce(lambda total, letter: (31 * total + ord(letter)) % 2**32, text, 0)


def with_like_id(key: Key) -> Find:
    """Return a function that returns the game of the same key that was called since the last call in a game."""

    def find(call: ReceivedCall) -> GameMemory | None:
        games = call.memory.games
        own = next(game_id for game_id, each in games.items() if each is call.game)
        alike = (each for game_id, each in games.items() if each is not call.game and key(game_id) == key(own))
        last = max(alike, key=lambda each: each.last_tick, default=None)
        return last if last is not None and last.last_tick > call.game.first_tick else None

    return find


def _in_same_seat(call: ReceivedCall) -> GameMemory | None:
    """Return the game with the same seat that was called since the last call in this one."""
    seat = call.game.notes["seat"] = getattr(call.request, "seat", call.game.notes.get("seat"))
    others = (each for each in call.memory.games.values() if each is not call.game and each.number)
    alike = (each for each in others if each.notes.get("seat") == seat)
    last = max(alike, key=lambda each: each.last_tick, default=None)
    return last if last is not None and call.other_game_count and last.last_tick > call.game.first_tick else None


def _finds(find: Find) -> Trigger:
    """Trigger in decisions in which a player takes another game for the one that it is asked about."""
    return lambda call: call.decision > 1 and find(call) is not None


def after_a_beginning(call: ReceivedCall) -> bool:
    """Trigger in the middle of a game if another one has begun since."""
    return call.decision > 0 and any(True for _ in _begun_since(call))


def after_an_end(ends: set[str]) -> Trigger:
    """Trigger in the middle of a game if another one has begun since, and was said to be over."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["over"] = call.method.name in ends
        return call.decision > 0 and any(each.notes.get("over") for each in _begun_since(call))

    return trigger


def _begun_since(call: ReceivedCall) -> Iterator[GameMemory]:
    """Yield the games that have begun since the middle of this one; none before."""
    if call.decision == MIDDLE:
        call.game.notes["middle"] = call.memory.tick
    middle = call.game.notes.get("middle", call.memory.tick)
    return (each for each in call.memory.games.values() if each.number and each.first_tick > middle)
