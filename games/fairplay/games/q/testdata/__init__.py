"""Test data for the Q game: questions about its rules, strategies and games, with plain JSON values.

The values have these forms, the capital ones those of q.md section 8:

    JTile      {"color": color, "shape": shape}
    JCoordinate  {"row": number, "column": number}
    1Placement {"coordinate": JCoordinate, "1tile": JTile}
    JMap       [[row, [column, JTile], ...], ...]    rows without gaps, each with a tile or more
    JPlayer    {"score": number, "name": text, "tile*": [JTile, ...]}
    JPub       {"map": JMap, "tile*": number of tiles in the pile, "players": [JPlayer, score, ...]}
    JState     {"map": JMap, "tile*": [JTile, ...] (the next one first), "players": [JPlayer, ...]}
    request    "pass", "replace" or [1Placement, ...]
    fit_rule   "q" or "qwirkle"; may be left out at the end of the input
    strategy   e.g. "ldasg" or "best:width=4"
    settings   an object with the settings that differ from the defaults, e.g. {"q_bonus": 6}
    actor      [name, strategy], and in what it fails: see `fairplay.games.kit.testdata.Script`. Its methods are setup,
               take-turn, new-tiles and win; it fails from its first to seventh call on; its cheats are those of q.md
               section 9

A value of another form raises a ValueError. Nothing depends on time or chance.
"""

from __future__ import annotations

from random import Random

from fairplay.games.kit.testdata import Json, PlayedGame, collect_questions, question, read_int, read_list, read_text
from fairplay.games.q import rules
from fairplay.games.q.players.strategies import STEPS, one_step, strategy
from fairplay.games.q.rules import Extension, Settings
from fairplay.games.q.rules.settings import MAX_BONUS
from fairplay.games.q.testdata.forms import (
    read_chosen,
    read_map,
    read_placement,
    read_public,
    read_request,
    read_state,
    read_tile,
    write_map,
    write_placement,
    write_request,
    write_state,
)
from fairplay.games.q.testdata.games import final_state, play_on, read_actors

MAX_SEED = 2**64 - 1
DEFAULTS = Settings()
NO_SETTINGS: Json = {}


# Rules


@question
def legal(jmap: Json, jtile: Json, fit_rule: Json = "q") -> Json:
    """List the free spots of a map at which a tile may be placed, in row-column order: [JCoordinate, ...]."""
    spots = rules.placements(read_map(jmap, fit_rule), read_tile(jtile))
    return [{"row": row, "column": column} for row, column in spots]


@question
def refusal(jpub: Json, request: Json, fit_rule: Json = "q") -> str | None:
    """Name the rule that a request of the first player breaks; null if it is legal."""
    seen = read_public(jpub, fit_rule)
    return rules.breach(seen.board, seen.hand, seen.pile_left, read_request(request))


@question
def apply(jpub: Json, request: Json, fit_rule: Json = "q") -> Json:
    """Give the JMap after a request of the first player; false if it is illegal."""
    if refusal(jpub, request, fit_rule) is not None:
        return False
    action, board = read_request(request), read_public(jpub, fit_rule).board
    return write_map(board.put(action.placements) if isinstance(action, Extension) else board)


@question
def score(jmap: Json, jplacements: Json, q_bonus: Json = DEFAULTS.q_bonus) -> int:
    """Give what placements score on the map that holds them already, without the finish bonus (section 4)."""
    board, placed = read_map(jmap), list(map(read_placement, read_list(jplacements, "placements")))
    if any(board.tiles.get((row, column)) != tile for row, column, tile in placed):
        raise ValueError("The map must hold the placements that are to be scored.")
    return rules.score(board, placed, q_bonus=read_int(q_bonus, "q_bonus", 0, MAX_BONUS))


# Strategies (section 9)


@question
def step(spec: Json, jpub: Json, fit_rule: Json = "q") -> Json:
    """Give the first step of dag or ldasg: a 1Placement, "replace" or "pass"."""
    action = one_step(read_text(spec, "strategy", list(STEPS)), read_public(jpub, fit_rule))
    return write_placement(action.placements[0]) if isinstance(action, Extension) else write_request(action)


@question
def plan(spec: Json, jpub: Json, fit_rule: Json = "q") -> Json:
    """Give the whole answer of a strategy to take-turn: a request."""
    return write_request(strategy(read_text(spec, "strategy"))(read_public(jpub, fit_rule)))


# Games


@question
def start(settings: Json, names: Json, seed: Json = 0) -> Json:
    """Give the JState in which a fresh game begins between players with these names."""
    players = [read_text(name, "name") for name in read_list(names, "names")]
    return write_state(
        rules.initial(read_chosen(settings), len(players), Random(read_int(seed, "seed", 0, MAX_SEED))), players
    )


@question
def game(state: Json, actors: Json, settings: Json = NO_SETTINGS) -> Json:
    """Play a game from a state on, and give the names of the winners and of the drop-outs: [[name, ...], [name, ...]].

    There is an actor for each of the state's players, in their order. The winners are sorted by code point, the
    drop-outs by the order of their elimination.
    """
    played, names = _played(state, actors, settings)
    won = sorted(names[seat] for seat in rules.winners(final_state(played)))
    return [won, [names[seat] for seat in played.eliminated]]


@question
def scores(state: Json, actors: Json, settings: Json = NO_SETTINGS) -> Json:
    """Play the same game, and give the points of each actor by its name, those of the drop-outs too."""
    played, names = _played(state, actors, settings)
    return dict(zip(names, rules.scores(final_state(played)), strict=True))


def _played(state: Json, actors: Json, settings: Json) -> tuple[PlayedGame, list[str]]:
    start_state = read_state(state, read_chosen(settings))
    cast = read_actors(actors, len(start_state.hands))
    return play_on(start_state, cast), [actor.script.name for actor in cast]


TESTDATA = collect_questions(globals())
