"""Mutants that confuse games which are played at the same time, or under different settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from fairplay.conformance.methods import tells_the_end
from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, repeats
from fairplay.conformance.zoo.list_sizes import sizes_in, sizes_vary, usual_sizes
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
OTHER_SIZES = (case_ids.OTHER_SETTINGS,)
ANY_SETTINGS = ("rules", "exceptions", "memory", "time")
LEAST_DECISIONS = 4
"""A player that is asked for so many decisions is in the middle of a game."""


def of_games_at_once(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that confuse games, or forget them."""
    yield from _of_ids()
    sentence = "Raises an exception in a game if it was asked about ten others in between."
    yield Mutant("keeps-ten-games", sentence, (case_ids.MANY_AT_ONCE,), between_games(10), RAISES)
    sentence, cases = "Raises an exception in the middle of a game if another one has begun.", (case_ids.ENDS_BESIDE,)
    related = (case_ids.OTHER_SETTINGS, case_ids.UNDER_LOAD)
    yield Mutant("forgets-games-when-one-begins", sentence, cases, after_a_beginning, RAISES, related)
    ends = {method.name for method in game.methods if tells_the_end(method)}
    if ends:
        sentence, over = "Raises an exception in a game if it was told that another one is over.", after_an_end(ends)
        related = (case_ids.MANY_AT_ONCE, case_ids.UNDER_LOAD, case_ids.AT_ONCE, case_ids.OTHER_SETTINGS)
        yield Mutant("forgets-games-when-one-ends", sentence, cases, over, RAISES, related)
    if sizes_vary(game.name):
        yield from _of_sizes(game.name)


def _of_ids() -> Iterator[Mutant]:
    names: dict[str, tuple[str, Key]] = {
        "ignores-the-case-of-ids": ("differ in nothing but case", str.lower),
        "reads-sixteen-characters-of-ids": ("begin with the same 16 characters", lambda text: text[:16]),
        "reads-the-end-of-ids": ("end with the same 16 characters", lambda text: text[-16:]),
        "reads-ids-from-the-last-slash": ("are the same from the last / on", lambda text: text.rpartition("/")[2]),
        "reads-ids-up-to-the-dot": ("are the same up to the first dot", lambda text: text.partition(".")[0]),
        "reads-the-numbers-in-ids": ("have the same numbers", lambda text: [*map(int, re.findall("[0-9]+", text))]),
        "reads-letters-and-digits-of-ids": ("have the same letters and digits", lambda text: re.sub(r"\W|_", "", text)),
    }
    for name, (words, key) in names.items():
        sentence = f"Answers in a game as in another one at the same time if their ids {words}."
        find = with_like_id(key)
        yield Mutant(name, sentence, (case_ids.SIMILAR_IDS,), _finds(find), repeats(find), AT_ONCE)


def with_like_id(key: Key) -> Find:
    """Return a function that returns the game of the same key that was called since the last call in a game."""

    def find(call: ReceivedCall) -> GameMemory | None:
        games = call.memory.games
        own = next(game_id for game_id, each in games.items() if each is call.game)
        alike = (each for game_id, each in games.items() if each is not call.game and key(game_id) == key(own))
        last = max(alike, key=lambda each: each.last_tick, default=None)
        return last if last is not None and last.last_tick > call.game.first_tick else None

    return find


def _finds(find: Find) -> Trigger:
    """Trigger in decisions in which a player takes another game for the one that it is asked about."""
    return lambda call: call.decision > 1 and find(call) is not None


def after_a_beginning(call: ReceivedCall) -> bool:
    """Trigger in the middle of a game if another one has begun since its decision before."""
    if call.decision == LEAST_DECISIONS:
        call.game.notes["middle"] = call.memory.tick
    newest = max(each.first_tick for each in call.memory.games.values())
    return call.decision > LEAST_DECISIONS and newest > call.game.notes["middle"]


def after_an_end(ends: set[str]) -> Trigger:
    """Trigger in decisions of a game if another one was said to be over since the game began."""

    def trigger(call: ReceivedCall) -> bool:
        if call.method.name in ends:
            call.game.notes["over"] = call.memory.tick
        over = max((each.notes.get("over", 0) for each in call.memory.games.values()), default=0)
        return call.decision > 1 and over > call.game.first_tick

    return trigger


def _of_sizes(name: str) -> Iterator[Mutant]:
    sentence = "Answers as in its first game where lists have other lengths than there."
    yield _of_other_sizes(name, "keeps-the-first-sizes", sentence, _first_game)
    sentence = "Answers as in the game that began last where lists have other lengths than there."
    yield _of_other_sizes(name, "keeps-the-last-sizes", sentence, _last_game)


def _of_other_sizes(name: str, mutant: str, sentence: str, choose: Find) -> Mutant:
    paths = set(usual_sizes(name))

    def find(call: ReceivedCall) -> GameMemory | None:
        if call.decision == 1:
            call.game.notes["sizes"] = {path: size for path, size in sizes_in(call.request) if path in paths}
        other = choose(call)
        known = other is not None and "sizes" in other.notes
        return other if known and other.notes["sizes"] != call.game.notes.get("sizes") else None

    def trigger(call: ReceivedCall) -> bool:
        return call.decision > 0 and find(call) is not None

    return Mutant(mutant, sentence, OTHER_SIZES, trigger, repeats(choose), ANY_SETTINGS)


def _first_game(call: ReceivedCall) -> GameMemory | None:
    return next((each for each in call.memory.games.values() if each.number == 1), None)


def _last_game(call: ReceivedCall) -> GameMemory | None:
    return max(call.memory.games.values(), key=lambda each: each.number, default=None)
