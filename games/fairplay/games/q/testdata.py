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

from collections.abc import Iterator, Mapping
from random import Random

from fairplay.games.conformance import Mutation
from fairplay.games.game import Start
from fairplay.games.kit import testdata as kit
from fairplay.games.kit.conformance import build_mutations, pick_mutations
from fairplay.games.kit.testdata import Json, question
from fairplay.games.q import forms, rules
from fairplay.games.q.mutations import MUTATIONS, Placed, anything, build_extension, extend, turn
from fairplay.games.q.players import STEPS, one_step, player, strategy
from fairplay.games.q.protocol import codec, conversation
from fairplay.games.q.rules.board import FARTHEST, KINDS, Board, Placement, placements, points
from fairplay.games.q.rules.state import MAX_BONUS, Extension, Settings, View
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

MAX_SEED = 2**64 - 1
DEFAULTS = Settings()
NO_SETTINGS: Json = {}
MOST_CALLS = 7
"""The last call from which on an actor may fail."""


# Cheats: wrong answers, wherever they are possible


def _places_far_away(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse:
    view = codec.read_view(request.state)
    rows = [row for row, _ in view.board.tiles]
    row = max(rows) + 2 if max(rows) + 2 <= FARTHEST else min(rows) - 2
    return build_extension((Placement(row, 0, view.hand[0] if view.hand else 0),))


def _strange(view: View) -> Iterator[Placed]:
    strange = (tile for tile in range(KINDS) if tile not in view.hand)
    return ((Placement(*spot, tile),) for tile in strange for spot in view.board.spots)


def _crooked(board: Board, hand: tuple[int, ...], placed: Placed) -> Iterator[Placed]:
    longer = [(*placed, Placement(*spot, tile)) for tile in sorted(set(hand)) for spot in placements(board, tile)]
    yield from (sequence for sequence in longer if not rules.one_line(sequence))
    for sequence in longer:
        at = hand.index(sequence[-1].tile)
        yield from _crooked(board.put(sequence[-1:]), hand[:at] + hand[at + 1 :], sequence)


_OWN = {
    "non-adjacent-coordinate: Places a tile two rows beyond the map, also from an empty hand.": turn(
        "", _places_far_away, ()
    ),
    "tile-not-owned: Places a tile that is not in the hand, whether it fits or not.": extend(
        "extension.own-tiles", _strange, ()
    ),
    "not-a-line: Places tiles one after the other that are adjacent and fit, and share neither row nor column.": extend(
        "extension.one-line", lambda view: _crooked(view.board, view.hand, ()), ()
    ),
    "no-fit: Places a tile beside the map where it does not fit.": extend(
        "extension.fit", lambda view: anything(view, view.board.spots), ()
    ),
}
CHEATS: Mapping[str, Mutation] = {each.name: each for each in build_mutations("q", _OWN)} | pick_mutations(
    MUTATIONS, {"bad-ask-for-tiles": "replaces-from-small-pile"}
)


# Rules


@question
def legal(jmap: Json, jtile: Json, fit_rule: Json = "q") -> Json:
    """List the free spots of a map at which a tile may be placed, in row-column order: [JCoordinate, ...]."""
    spots = placements(forms.read_map(jmap, fit_rule), forms.read_tile(jtile))
    return [{"row": row, "column": column} for row, column in spots]


@question
def refusal(jpub: Json, request: Json, fit_rule: Json = "q") -> str | None:
    """Name the rule that a request of the first player breaks; null if it is legal."""
    seen = forms.read_public(jpub, fit_rule)
    return rules.breach(seen.board, seen.hand, seen.pile_left, forms.read_request(request))


@question
def apply(jpub: Json, request: Json, fit_rule: Json = "q") -> Json:
    """Give the JMap after a request of the first player; false if it is illegal."""
    if refusal(jpub, request, fit_rule) is not None:
        return False
    action, board = forms.read_request(request), forms.read_public(jpub, fit_rule).board
    return forms.write_map(board.put(action.placements) if isinstance(action, Extension) else board)


@question
def score(jmap: Json, jplacements: Json, q_bonus: Json = DEFAULTS.q_bonus) -> int:
    """Give what placements score on the map that holds them already, without the finish bonus (section 4)."""
    board, placed = forms.read_map(jmap), list(map(forms.read_placement, kit.read_list(jplacements, "placements")))
    if any(board.tiles.get((row, column)) != tile for row, column, tile in placed):
        raise ValueError("The map must hold the placements that are to be scored.")
    return points(board.tiles, placed, kit.read_int(q_bonus, "q_bonus", 0, MAX_BONUS))


# Strategies (section 9)


@question
def step(spec: Json, jpub: Json, fit_rule: Json = "q") -> Json:
    """Give the first step of dag or ldasg: a 1Placement, "replace" or "pass"."""
    action = one_step(kit.read_text(spec, "strategy", list(STEPS)), forms.read_public(jpub, fit_rule))
    return forms.write_placement(action.placements[0]) if isinstance(action, Extension) else forms.write_request(action)


@question
def plan(spec: Json, jpub: Json, fit_rule: Json = "q") -> Json:
    """Give the whole answer of a strategy to take-turn: a request."""
    return forms.write_request(strategy(kit.read_text(spec, "strategy"))(forms.read_public(jpub, fit_rule)))


# Games


@question
def start(settings: Json, names: Json, seed: Json = 0) -> Json:
    """Give the JState in which a fresh game begins between players with these names."""
    players = [kit.read_text(name, "name") for name in kit.read_list(names, "names")]
    return forms.write_state(
        rules.initial(forms.read_chosen(settings), len(players), Random(kit.read_int(seed, "seed", 0, MAX_SEED))),
        players,
    )


@question
def game(state: Json, actors: Json, settings: Json = NO_SETTINGS) -> Json:
    """Play a game from a state on, and give the names of the winners and of the drop-outs: [[name, ...], [name, ...]].

    There is an actor for each of the state's players, in their order. The winners are sorted by code point, the
    drop-outs by the order of their elimination.
    """
    played, names = _played(state, actors, settings)
    won = sorted(names[seat] for seat in rules.winners(played.state.state))
    return [won, [names[seat] for seat in played.eliminated]]


@question
def scores(state: Json, actors: Json, settings: Json = NO_SETTINGS) -> Json:
    """Play the same game, and give the points of each actor by its name, those of the drop-outs too."""
    played, names = _played(state, actors, settings)
    return dict(zip(names, rules.scores(played.state.state), strict=True))


def _played(state: Json, actors: Json, settings: Json) -> tuple[kit.PlayedGame, list[str]]:
    first = forms.read_state(state, forms.read_chosen(settings))
    count, methods = len(first.hands), tuple(conversation.METHODS.values())
    scripts = kit.read_scripts(actors, "actors", methods, CHEATS, count=count, most_calls=MOST_CALLS)
    cast = [kit.Actor(script, player(script.strategy), CHEATS) for script in scripts]
    return kit.play_game(conversation.play(Start("test", first.settings, (), codec.Shown(first), fresh=False)), cast), [
        script.name for script in scripts
    ]


TESTDATA = kit.collect_questions(globals())
