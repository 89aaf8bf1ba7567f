"""Mutants that rely on the sizes or the settings of one game in another one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, Effect, repeats
from fairplay.conformance.zoo.list_sizes import sizes_in, sizes_vary, usual_sizes
from fairplay.conformance.zoo.mutant_player import GameMemory, ReceivedCall
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.games.game import Game

Find: TypeAlias = Callable[[ReceivedCall], GameMemory | None]
"""Returns the game whose sizes a player takes for those of the game that it is asked about, or None."""

CASES = (case_ids.OTHER_SETTINGS,)
ANYWHERE = ("rules", "exceptions", "memory", "time")
"""Cases in which games under several settings are played, or in several states."""


def of_sizes(game: Game) -> Iterator[Mutant]:
    """Yield the mutants of a game: where settings do not change the lengths of lists, they show in requests."""
    name = game.name
    if not sizes_vary(name):
        sentence = "Raises an exception where a request has other settings than its first game."
        yield Mutant("keeps-the-first-settings", sentence, CASES, _other_settings, RAISES, (*ANYWHERE, name))
        return
    sentence = "Answers as in its first game where lists have other lengths than there."
    yield _of_other_sizes(name, "keeps-the-first-sizes", sentence, _first_game, repeats(_first_game))
    sentence = "Raises an exception where lists have other lengths than in the game that began last."
    yield _of_other_sizes(name, "keeps-the-last-sizes", sentence, _last_game, RAISES)


def _of_other_sizes(name: str, mutant: str, sentence: str, choose: Find, effect: Effect) -> Mutant:
    paths = set(usual_sizes(name))

    def find(call: ReceivedCall) -> GameMemory | None:
        if call.decision == 1:
            call.game.notes["sizes"] = {path: size for path, size in sizes_in(call.request) if path in paths}
        other = choose(call)
        if other is None or "sizes" not in other.notes or "sizes" not in call.game.notes:
            return None
        return other if other.notes["sizes"] != call.game.notes["sizes"] else None

    def trigger(call: ReceivedCall) -> bool:
        return call.decision > 0 and find(call) is not None

    return Mutant(mutant, sentence, CASES, trigger, effect, ANYWHERE)


def _other_settings(call: ReceivedCall) -> bool:
    settings = getattr(call.request, "settings", None)
    if settings is None:
        return False
    call.game.notes.setdefault("settings", settings.SerializeToString(deterministic=True))
    first = _first_game(call)
    return first is not None and first.notes.get("settings", call.game.notes["settings"]) != call.game.notes["settings"]


def _first_game(call: ReceivedCall) -> GameMemory | None:
    return next((each for each in call.memory.games.values() if each.number == 1), None)


def _last_game(call: ReceivedCall) -> GameMemory | None:
    return max(call.memory.games.values(), key=lambda each: each.number, default=None)
