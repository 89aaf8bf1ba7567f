"""All mutants of any game."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from fairplay.conformance.case_ids import ENDS_OF_GAMES, FROM_THE_MIDDLE, UNUSUAL_CALLS
from fairplay.conformance.zoo.calls import OF_CALLS, of_enums, of_forms, of_names, of_outcomes, of_times
from fairplay.conformance.zoo.departures import of_departures, of_phases
from fairplay.conformance.zoo.features import of_features
from fairplay.conformance.zoo.memory import of_games_at_once, of_introductions, of_past_games
from fairplay.conformance.zoo.methods import OF_DESCRIBE, of_decisions, of_endings, of_methods
from fairplay.conformance.zoo.mutants import HANGS, RAISES, Mutant, mutates
from fairplay.conformance.zoo.player import MutantPlayer, in_this_process
from fairplay.conformance.zoo.programs import PROGRAMS, of_hurry, of_identity, of_long_games, of_races
from fairplay.conformance.zoo.settings import of_other_settings, of_settings, of_situations
from fairplay.conformance.zoo.triggers import at_request, in_method
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

_PROGRAMS = {mutant.name: mutant for mutant in (*PROGRAMS, *OF_CALLS)}


def find_mutants(game: Game) -> Mapping[str, Mutant]:
    """Return the mutants of a game by name: the common ones, then its own. Raises ValueError if two have one name."""
    found: dict[str, Mutant] = {}
    for mutant in (*common_mutants(game), *own_mutants(game)):
        if mutant.name in found:
            raise ValueError(f"there are two mutants called {mutant.name}")
        found[mutant.name] = mutant
    return found


def common_mutants(game: Game) -> list[Mutant]:
    """Return the mutants that every game has, made for one of them."""
    in_turns = (*of_methods(game), *of_decisions(game))
    in_play = (*in_turns, *of_situations(game), *of_settings(game), *of_departures(game), *of_phases(game))
    across = (*of_past_games(game), *of_introductions(game), *of_games_at_once(game), *of_other_settings(game))
    of_objects = (*OF_DESCRIBE, *in_play, *across, *of_endings(game), *of_identity(game), *of_enums(game))
    of_values = (*of_names(game), *of_outcomes(game), *of_forms(game), *of_times(game))
    of_programs = (*of_long_games(game), *of_hurry(game), *of_races(game))
    return [*of_objects, *of_values, *of_programs, *of_features(game), *_PROGRAMS.values()]


def own_mutants(game: Game) -> list[Mutant]:
    """Return the mutants of the mutations that a game declares, and of the requests at which players fail."""
    declared = find_conformance(game.name)
    related = ("rules", game.name, *ENDS_OF_GAMES, *UNUSUAL_CALLS, *FROM_THE_MIDDLE)
    answering = [
        Mutant(each.name, each.sentence, each.cases, in_method(each.method), mutates(each), related, rule=each.rule)
        for each in declared.mutations
    ]
    failing = [
        Mutant(each.name, each.sentence, each.cases, at_request(each.at), HANGS if each.is_silent else RAISES, ("*",))
        for each in declared.failing
    ]
    return [*answering, *failing]


def make_player(game: Game, name: str, strategy: str = "", limit_s: float = 1.0, after: int = 0) -> MutantPlayer:
    """Return a mutant for this process: see `Mutant.make`. Raises ValueError if the mutant or strategy is unknown."""
    chosen = strategy or next(iter(game.strategies))
    return find_mutant(game, name).make(game, chosen, in_this_process(limit_s), after)


def find_mutant(game: Game, name: str) -> Mutant:
    """Return the mutant of this name. Raises ValueError, with a suggestion, if there is none."""
    if name in _PROGRAMS:  # found without making the other mutants, for which games are played
        return _PROGRAMS[name]
    found = find_mutants(game)
    if name not in found:
        close = get_close_matches(name, list(found), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"there is no mutant {name!r} of {game.title}{hint}")
    return found[name]
