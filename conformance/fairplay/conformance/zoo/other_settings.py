"""Mutants that rely on the sizes or settings of one game in another one, under other settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, repeats
from fairplay.conformance.zoo.in_situations import names_settings
from fairplay.conformance.zoo.list_sizes import sizes_in, sizes_vary, usual_sizes, with_unusual_size
from fairplay.conformance.zoo.mutant_player import GameMemory, ReceivedCall, Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import parts, with_other_settings
from fairplay.games.game import Game

Find: TypeAlias = Callable[[ReceivedCall], GameMemory | None]
"""Returns the game whose sizes a player takes for those of the game that it is asked about, or None."""
Read: TypeAlias = Callable[[ReceivedCall], object]
"""Returns what a player keeps of a game, as far as a call says it; None: nothing."""

CASES = (case_ids.OTHER_SETTINGS,)
ANYWHERE = ("rules", "exceptions", "memory", "time")
"""Cases in which games under several settings are played, or in several states."""


def of_other_settings(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that rely on lengths of lists which settings change, or on settings that requests name."""
    if sizes_vary(game.name):
        sizes = partial(_sizes, set(usual_sizes(game.name)))
        sentence = "Answers as in its first game where lists have other lengths than there."
        yield _mutant(game, "keeps-the-first-sizes", sentence, sizes, _first_game)
        sentence = "Answers as in the game that began last where lists have other lengths than there."
        yield _mutant(game, "keeps-the-last-sizes", sentence, sizes, _last_game)
    if names_settings(game):
        settings = partial(_settings, game)
        sentence = "Answers as in its first game where it was told of other settings than there."
        yield _mutant(game, "keeps-the-first-settings", sentence, settings, _first_game)
        sentence = "Answers as in the game that began last where it was told of other settings than there."
        yield _mutant(game, "keeps-the-last-settings", sentence, settings, _last_game)
    unusual = with_unusual_size(game.name) if sizes_vary(game.name) else with_other_settings(game)
    sentence, after = "Raises an exception under the usual settings after a game under others.", _after_one_of(unusual)
    yield Mutant("raises-after-other-settings", sentence, CASES, after, RAISES, (*ANYWHERE, "endings", game.name))


def _after_one_of(unusual: Trigger) -> Trigger:
    """Trigger in the first decision of a game in which another trigger does not, if it did in a game before."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["unusual"] = call.game.notes.get("unusual") or unusual(call)
        if call.decision != 1 or call.game.notes["unusual"]:
            return False
        return any(each.notes.get("unusual") for each in call.memory.games.values() if each is not call.game)

    return trigger


def _sizes(paths: set[str], call: ReceivedCall) -> object:
    """Return the lengths of lists in the first decision of a game; None in other calls."""
    return {path: size for path, size in sizes_in(call.request) if path in paths} if call.decision == 1 else None


def _settings(game: Game, call: ReceivedCall) -> object:
    """Return the settings that a request names, if it does."""
    return next(
        (game.full_settings(each) for each in parts(call.request) if isinstance(each, game.settings_type)), None
    )


def _mutant(game: Game, name: str, sentence: str, read: Read, choose: Find) -> Mutant:
    """Return the mutant that answers as in another game if that game is not like this one in what was read."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["read"] = call.game.notes.get("read") or read(call)
        other = choose(call)
        known = None if other is None else other.notes.get("read")
        return call.decision > 0 and known is not None and known != call.game.notes["read"]

    return Mutant(name, sentence, CASES, trigger, repeats(choose), (*ANYWHERE, game.name), case_ids.MANY_AT_ONCE)


def _first_game(call: ReceivedCall) -> GameMemory | None:
    return next((each for each in call.memory.games.values() if each.number == 1), None)


def _last_game(call: ReceivedCall) -> GameMemory | None:
    return max(call.memory.games.values(), key=lambda each: each.number, default=None)
