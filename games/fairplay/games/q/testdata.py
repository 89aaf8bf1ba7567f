"""Other people's test data for the Q game, in the JSON forms of q.md section 8, run against these rules.

Every function takes and returns plain values as ``json.loads`` makes them: JTile, JCoordinate, 1Placement, JMap, JPub,
JState, and the actor specs of section 9. A value that is not of its form is a ValueError. Nothing depends on time
or chance: a player that never answers is one whose call fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from fairplay.games.q import rules
from fairplay.games.q.players.strategies import Strategy, strategy
from fairplay.games.q.rules import PASS, REPLACE, Action, Extension, Settings, State, View
from fairplay.games.q.rules.board import COLORS, FARTHEST, KINDS, SHAPES, Board, Coordinate, Placement, tile_of

Json: TypeAlias = Any

DEFAULTS = Settings()
METHODS = ("setup", "take-turn", "new-tiles", "win")
_MOST_CALLS = 7


# The questions of test data


def legal_placements(jmap: Json, jtile: Json, fit_rule: rules.FitRule = "q") -> list[Json]:
    """[JCoordinate, ...]: all free spots at which the tile may be placed, in row-column order."""
    spots = rules.placements(parse_map(jmap, fit_rule), parse_tile(jtile))
    return [{"row": row, "column": column} for row, column in spots]


def broken_rule(jpub: Json, request: Json, fit_rule: rules.FitRule = "q") -> str | None:
    """The id of the rule that a request of the first player breaks: "pass", "replace" or [1Placement, ...].

    None: the request is legal.
    """
    seen = parse_public(jpub, fit_rule)
    return rules.breach(seen.board, seen.hand, seen.pile_count, parse_request(request))


def extended(jpub: Json, request: Json, fit_rule: rules.FitRule = "q") -> Json:
    """The JMap after a request of the first player, or False where it is not legal."""
    if broken_rule(jpub, request, fit_rule) is not None:
        return False
    action = parse_request(request)
    board = parse_public(jpub, fit_rule).board
    return jmap_of(board.put(action.placements) if isinstance(action, Extension) else board)


def score(jmap: Json, jplacements: Json, q_bonus: int = DEFAULTS.q_bonus) -> int:
    """What placements score on the map that holds them already, without the finish bonus (section 4)."""
    board, placed = parse_map(jmap), [parse_placement(jplacement) for jplacement in jplacements]
    if any(board.tiles.get((row, column)) != tile for row, column, tile in placed):
        raise ValueError("The map must hold the placements that are to be scored.")
    return rules.score(board, placed, q_bonus=q_bonus)


def answer(spec: str, jpub: Json, fit_rule: rules.FitRule = "q") -> Json:
    """What a strategy answers to take-turn: "pass", "replace" or [1Placement, ...]."""
    return request_of(strategy(spec)(parse_public(jpub, fit_rule)))


def game(jstate: Json, jactors: Json, settings: Settings = DEFAULTS) -> list[list[str]]:
    """[names of the winners, sorted by code point; names of the drop-outs in order] of a game from this state on.

    The actors are named players, in the order of the state's players; the result has their names.
    """
    actors = [parse_actor(jactor) for jactor in jactors]
    state = play(parse_state(jstate, settings), actors)
    won = sorted(actors[seat].name for seat in rules.winners(state))
    return [won, [actors[seat].name for seat in state.eliminated]]


# A whole game


class Actor(NamedTuple):
    """A player of test data: which of its calls fail, if any, and how it cheats, if it does."""

    name: str
    strategy: Strategy
    fails_in: str | None = None  # one of METHODS
    fails_from: int = 1  # the first call of that method that fails
    cheat: str | None = None  # one of CHEATS


def play(state: State, actors: Sequence[Actor]) -> State:
    """The state at the end of a game between actors, from the beginning of a round on; everybody has been told."""
    if len(actors) != len(state.hands):
        raise ValueError(f"The state has {len(state.hands)} players, but {len(actors)} actors are named.")
    calls: Counter[tuple[int, str]] = Counter()

    def succeeds(seat: int, method: str) -> bool:
        calls[seat, method] += 1
        return actors[seat].fails_in != method or calls[seat, method] < actors[seat].fails_from

    for seat in range(len(actors)):
        if not succeeds(seat, "setup"):
            state = rules.eliminate(state, seat)
    while (mover := rules.turn(state)) is not None:
        state = _after_turn(state, mover, actors[mover], succeeds)
    for seat, _ in rules.notifications(state):
        if not succeeds(seat, "win"):
            state = rules.eliminate(state, seat)
    return state


def _after_turn(state: State, seat: int, actor: Actor, succeeds: Callable[[int, str], bool]) -> State:
    if not succeeds(seat, "take-turn"):
        return rules.eliminate(state, seat)
    action = decide(actor, rules.view(state, seat))
    if rules.violation(state, action) is not None:
        return rules.eliminate(state, seat)
    state = rules.apply(state, action)
    if state.delivery is None:
        return state
    return rules.delivered(state) if succeeds(seat, "new-tiles") else rules.eliminate(state, seat)


def decide(actor: Actor, view: View) -> Action:
    """What an actor answers: its cheat if it has one that is possible, else what its strategy says."""
    if actor.cheat is not None and (illegal := CHEATS[actor.cheat](view)) is not None:
        return illegal
    return actor.strategy(view)


# Cheats (section 9): an illegal action, or None where that cheat is impossible


def _non_adjacent_coordinate(view: View) -> Action | None:
    rows = [row for row, _ in view.board.tiles]
    row = max(rows) + 2 if max(rows) + 2 <= FARTHEST else min(rows) - 2
    return Extension((Placement(row, 0, view.hand[0] if view.hand else 0),))


def _tile_not_owned(view: View) -> Action | None:
    for tile in range(KINDS):
        if tile not in view.hand:
            spot = min((spot for spot in view.board.spots if view.board.fits(*spot, tile)), default=None)
            return Extension((Placement(*(spot or min(view.board.spots)), tile),))
    return None


def _not_a_line(view: View) -> Action | None:
    placed = _crooked(view.board, view.hand, ())
    return Extension(placed) if placed else None


def _crooked(board: Board, hand: tuple[int, ...], placed: tuple[Placement, ...]) -> tuple[Placement, ...] | None:
    """Placements one after the other that are adjacent and fit, and are neither in one row nor in one column."""
    longer = [(*placed, Placement(*spot, tile)) for tile in sorted(set(hand)) for spot in rules.placements(board, tile)]
    for sequence in longer:
        if not rules.one_line(sequence):
            return sequence
    for sequence in longer:
        at = hand.index(sequence[-1].tile)
        if found := _crooked(board.put(sequence[-1:]), hand[:at] + hand[at + 1 :], sequence):
            return found
    return None


def _bad_ask_for_tiles(view: View) -> Action | None:
    return REPLACE if len(view.hand) > view.pile_count else None


def _no_fit(view: View) -> Action | None:
    for tile in sorted(set(view.hand)):
        for spot in sorted(view.board.spots):
            if not view.board.fits(*spot, tile):
                return Extension((Placement(*spot, tile),))
    return None


CHEATS: Mapping[str, Callable[[View], Action | None]] = {
    "non-adjacent-coordinate": _non_adjacent_coordinate,
    "tile-not-owned": _tile_not_owned,
    "not-a-line": _not_a_line,
    "bad-ask-for-tiles": _bad_ask_for_tiles,
    "no-fit": _no_fit,
}


# JSON forms (section 8)


def parse_tile(jtile: Json) -> int:
    """A JTile; ValueError: it is none."""
    shape, color = _fields(jtile, "JTile", "shape", "color")
    if shape not in SHAPES or color not in COLORS:
        raise ValueError(f"There is no tile of the shape {shape!r} and the color {color!r}.")
    return tile_of(shape, color)


def parse_placement(jplacement: Json) -> Placement:
    """A 1Placement; its coordinate may be out of range. ValueError: it is none."""
    jcoordinate, jtile = _fields(jplacement, "1Placement", "coordinate", "1tile")
    row, column = _fields(jcoordinate, "JCoordinate", "row", "column")
    return Placement(_integer(row, None), _integer(column, None), parse_tile(jtile))


def parse_request(request: Json) -> Action:
    """An answer to take-turn; an extension may be empty. ValueError: it is none."""
    if isinstance(request, list):
        return Extension(tuple(parse_placement(jplacement) for jplacement in request))
    words = {word.value: word for word in (PASS, REPLACE)}
    if not isinstance(request, str) or request not in words:
        raise ValueError(f"{request!r} is not one of pass, replace and a list of placements.")
    return words[request]


def parse_map(jmap: Json, fit_rule: rules.FitRule = "q") -> Board:
    """A JMap: rows not empty and without gaps, each column once in a row. ValueError: it is none."""
    tiles: dict[Coordinate, int] = {}
    rows = set()
    for jrow in _list(jmap, "JMap"):
        row, *jcells = _list(jrow, "row of a JMap")
        cells = [_cell(_integer(row, -FARTHEST), jcell) for jcell in jcells]
        tiles.update(cells)
        rows.add(row)
        if not cells or sum(at[0] == row for at in tiles) != len(cells):
            raise ValueError(f"Row {row} of a map must hold tiles, each column once.")
    if rows and max(rows) - min(rows) >= len(rows):
        raise ValueError("The rows of a map must follow each other without a gap.")
    return Board(tiles, fit_rule == "qwirkle")


def _cell(row: int, jcell: Json) -> tuple[Coordinate, int]:
    if not isinstance(jcell, list) or len(jcell) != 2:
        raise ValueError(f"{jcell!r} is not a column and a JTile.")
    return (row, _integer(jcell[0], -FARTHEST)), parse_tile(jcell[1])


def parse_public(jpub: Json, fit_rule: rules.FitRule = "q") -> View:
    """A JPub: what the first of its players sees. ValueError: it is none."""
    jmap, pile_count, jplayers = _fields(jpub, "JPub", "map", "tile*", "players")
    me, *others = _list(jplayers, "list of players")
    hand, points = _hand_and_score(me)
    scores = tuple(_integer(other, 0) for other in others)
    return View(parse_map(jmap, fit_rule), hand, points, scores, _integer(pile_count, 0))


def parse_state(jstate: Json, settings: Settings = DEFAULTS) -> State:
    """A JState, at the beginning of a round; the names in it are left aside. ValueError: it is none."""
    jmap, jtiles, jplayers = _fields(jstate, "JState", "map", "tile*", "players")
    players = [_hand_and_score(jplayer) for jplayer in _list(jplayers, "list of players")]
    pile = [parse_tile(jtile) for jtile in _list(jtiles, "list of tiles")]
    tiles = parse_map(jmap).tiles
    return rules.resumed(settings, tiles, [hand for hand, _ in players], [points for _, points in players], pile)


def parse_actor(jactor: Json) -> Actor:
    """An actor: [name, strategy], and then what it fails in, from which call on, or "a cheat" and which (section 9).

    ValueError: it is none.
    """
    match jactor:
        case [str(name), str(spec)]:
            return Actor(name, strategy(spec))
        case [str(name), str(spec), "a cheat", str(cheat)] if cheat in CHEATS:
            return Actor(name, strategy(spec), cheat=cheat)
        case [str(name), str(spec), str(method)] if method in METHODS:
            return Actor(name, strategy(spec), method)
        case [str(name), str(spec), str(method), int(count)] if method in METHODS and 1 <= count <= _MOST_CALLS:
            return Actor(name, strategy(spec), method, count)
    raise ValueError(f"{jactor!r} is not an actor.")


def jtile_of(tile: int) -> Json:
    """A tile as JTile."""
    return {"color": COLORS[tile % 6], "shape": SHAPES[tile // 6]}


def jmap_of(board: Board) -> Json:
    """A map as JMap, rows and columns in order."""
    rows: dict[int, Json] = {}
    for (row, column), tile in sorted(board.tiles.items()):
        rows.setdefault(row, [row]).append([column, jtile_of(tile)])
    return list(rows.values())


def request_of(action: Action) -> Json:
    """An answer to take-turn as JSON."""
    if not isinstance(action, Extension):
        return action.value
    return [
        {"coordinate": {"row": row, "column": column}, "1tile": jtile_of(tile)}
        for row, column, tile in action.placements
    ]


def _hand_and_score(jplayer: Json) -> tuple[tuple[int, ...], int]:
    jtiles, points = _fields(jplayer, "JPlayer", "tile*", "score")
    return tuple(parse_tile(jtile) for jtile in _list(jtiles, "list of tiles")), _integer(points, 0)


def _fields(value: Json, form: str, *names: str) -> list[Json]:
    if not isinstance(value, dict) or any(name not in value for name in names):
        raise ValueError(f"{value!r} is not a {form}: it must be an object with {', '.join(names)}.")
    return [value[name] for name in names]


def _list(value: Json, form: str) -> list[Json]:
    if not isinstance(value, list) or (not value and form != "list of tiles"):
        raise ValueError(f"{value!r} is not a {form}.")
    return value


def _integer(value: Json, smallest: int | None) -> int:
    """A whole number; if `smallest` is given, one between it and the greatest that is allowed."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number.")
    if smallest is not None and not smallest <= value <= FARTHEST:
        raise ValueError(f"{value} must be between {smallest} and {FARTHEST}.")
    return value
