"""All kinds of players with a fault, of any game."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from fairplay.conformance.zoo import deeds, describing, programs, remembering
from fairplay.conformance.zoo.deciding import of_decisions
from fairplay.conformance.zoo.ending import of_ends
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.methods import of_methods
from fairplay.conformance.zoo.moments import in_method
from fairplay.conformance.zoo.situations import of_situations
from fairplay.conformance.zoo.specimen import Specimen, in_this_process
from fairplay.games.conformance import Mutation, find_conformance
from fairplay.games.game import Game


def kinds(game: Game) -> Mapping[str, Kind]:
    """All kinds of a game by name: those of any game, then its own. ValueError: two have the same name."""
    found: dict[str, Kind] = {}
    for kind in (*common(game), *own(game)):
        if kind.name in found:
            raise ValueError(f"there are two kinds of players called {kind.name}")
        found[kind.name] = kind
    return found


def common(game: Game) -> list[Kind]:
    """The faults that players of any game can have, as they are in this one."""
    in_turn = (*of_methods(game), *of_decisions(game), *of_situations(game))
    return [*describing.KINDS, *in_turn, *remembering.KINDS, *of_ends(game), *programs.KINDS]


def own(game: Game) -> list[Kind]:
    """The wrong answers by the rules of this game."""
    return [_from_fault(game, fault) for fault in find_conformance(game.name).mutations]


def _from_fault(game: Game, fault: Mutation) -> Kind:
    here, broken = in_method(fault.method), ("rules", game.name)
    return Kind(fault.name, fault.sentence, fault.cases, here, deeds.spoils(fault), broken, fault.rule)


def player(game: Game, name: str, strategy: str = "", limit_s: float = 1.0, after: int = 0) -> Specimen:
    """A player with a fault, for this process: see `Kind.make`. ValueError: there is no such fault or strategy."""
    return kind(game, name).make(game, strategy or next(iter(game.strategies)), in_this_process(limit_s), after)


def kind(game: Game, name: str) -> Kind:
    """The kind of this name. ValueError: there is none; one sentence."""
    found = kinds(game)
    if name not in found:
        close = get_close_matches(name, list(found), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"there is no fault {name!r} in the zoo of {game.title}{hint}")
    return found[name]
