"""What the conformance suite asks about Fish: situations that players get wrong.

Boards are drawn: a digit is a tile with so many fish, a dot a hole, and a letter a penguin on a tile with two fish, "a"
for the player in seat 0, "b" for seat 1 and so on. Odd rows lie half a tile further to the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fairplay.fish.v1 import fish_pb2
from fairplay.games.conformance import Conformance, Probe, Situation
from fairplay.games.fish import rules
from fairplay.games.fish.mutations import MUTATIONS
from fairplay.games.fish.protocol import Shown, build_state, read_settings
from fairplay.games.fish.protocol import colors as fresh_colors
from fairplay.games.fish.rules.board import board_of, board_of_rows
from fairplay.games.kit.conformance import MakeSituation, begin_game, find_state, play_randomly

PLACING = tuple(rule for rule in rules.RULES if rule.startswith("fish.place.") and rule != "fish.place.before-moving")
MOVING = ("fish.action.required", *(rule for rule in rules.RULES if rule.startswith("fish.move.")))
LETTERS = "abcd"
FISH_BELOW = "2"
DEFAULT_SETTINGS = fish_pb2.Settings()


def _drawn(
    *rows: str,
    seat: int = 0,
    penguins: int | None = None,
    scores: Sequence[int] = (),
    colors: Sequence[fish_pb2.Color.ValueType] = (),
    revision: int = 0,
    settings: fish_pb2.Settings = DEFAULT_SETTINGS,
    turn_count: int = 1,
) -> MakeSituation:
    """Return the situation of a game that goes on from a drawing, with the turn of seat 0, if it can act.

    `penguins` is how many each player places in all; without it all are placed.
    """
    cells = "".join(rows)
    fish = [int(cell.translate(_TILES)) for cell in cells]
    count = 1 + max(map(LETTERS.find, cells))
    places = [[at for at, cell in enumerate(cells) if cell == letter] for letter in LETTERS[:count]]
    state = rules.state_of(
        board_of(len(rows[0]), fish),
        places,
        penguins=len(places[0]) if penguins is None else penguins,
        scores=scores or [0] * count,
        revision=revision,
    )
    message = build_state(Shown(state, colors or fresh_colors(count)))
    return lambda rng: Situation(settings, count, seat, message, turn_count)


_TILES = str.maketrans({".": "0", **dict.fromkeys(LETTERS, FISH_BELOW)})


def _board(*rows: str) -> fish_pb2.Settings:
    """Return settings with a drawn board; short rows end in holes."""
    board = board_of_rows([[int(cell.translate(_TILES)) for cell in row] for row in rows])
    return fish_pb2.Settings(board=fish_pb2.Board(columns=board.columns, fish=board.fish))


def _in_the_middle(seat_count: int, seat: int, settings: fish_pb2.Settings, moves: int) -> MakeSituation:
    """Return the situation of a game after its placement and so many random moves; seat 0 is the one to move."""

    def situation(rng: Random) -> Situation:
        state = rules.initial(read_settings(settings), seat_count, rng)
        state = play_randomly(rules, state, rng, seat_count * state.penguins + moves)
        message = build_state(Shown(state, fresh_colors(seat_count)))
        return Situation(settings, seat_count, seat, message, 0)

    return situation


def _passed_over(rng: Random) -> Situation:
    """Return a situation in which somebody is stuck and passed over again and again; seat 0 to move is told so."""
    settings = fish_pb2.Settings(action_list=fish_pb2.ACTION_LIST_MOVES_AND_SKIPS)
    state = find_state(rules, lambda: rules.initial(read_settings(settings), 4, rng), rng, _somebody_is_stuck)
    return Situation(settings, 4, 0, build_state(Shown(state, fresh_colors(4))), 0)


def _somebody_is_stuck(state: rules.State) -> bool:
    """Return whether a seat is stuck, while the one to move has moves for some turns to come."""
    stuck = any(not rules.moves(state, seat) for seat in range(len(state.places)))
    return not rules.placing(state) and stuck and len(rules.moves(state, state.seat)) > 8


BLACK_AND_BROWN = (fish_pb2.COLOR_BLACK, fish_pb2.COLOR_BROWN)
ONE_BY_ONE = fish_pb2.Settings(announce_order=fish_pb2.ANNOUNCE_ORDER_PER_PLAYER)
WITH_MOVES = fish_pb2.Settings(rows=6, columns=6, action_list=fish_pb2.ACTION_LIST_MOVES)
MANY_HOLES = fish_pb2.Settings(rows=6, columns=6, holes=18, random_fish=True)

PROBES: tuple[Probe, ...] = (
    Probe(
        "fish.place.last-free-tile",
        PLACING,
        "The last penguin has one tile left: a player that takes the first cell, or any, breaks a rule.",
        begin_game(3, 4, fish_pb2.Settings(rows=2, columns=2, penguin_base=5)),
    ),
    Probe(
        "fish.place.zero",
        ("fish.place.required", "fish.place.free"),
        "Only cell 0 is free: a reply that leaves out a zero has no place at all.",
        _drawn("2b.", "b.a", "ab.", penguins=3),
    ),
    Probe(
        "fish.place.between-holes",
        ("fish.place.tile", "fish.place.free"),
        "Most cells are holes, the first ones too: a penguin needs a tile.",
        _drawn("....", ".a..", "..2.", "b..2", penguins=2),
    ),
    Probe(
        "fish.place.short-rows",
        ("fish.place.tile", "fish.place.on-board"),
        "The rows of a board may end, or begin, in holes.",
        begin_game(1, 2, _board("22222", "22", "..222", ".2222", "2")),
    ),
    Probe(
        "fish.place.one-row",
        PLACING,
        "Tiles of one row never touch: after the placement the game is over, and nobody is asked to move.",
        begin_game(0, 2, fish_pb2.Settings(rows=1, columns=9)),
    ),
    Probe(
        "fish.place.most-penguins",
        PLACING,
        "The number of penguins is a setting: here two players have eight each, and fill the board.",
        begin_game(1, 2, fish_pb2.Settings(rows=4, columns=4, penguin_base=10)),
    ),
    Probe(
        "fish.place.resumed",
        PLACING,
        "A game may go on in the middle of the placement, where the players have placed different numbers.",
        _drawn("b2222", "2a222", "22b2c", "222c2", penguins=3, seat=2, revision=5, turn_count=2),
    ),
    Probe(
        "fish.turn.single-legal-move",
        ("fish.move.mandatory", "fish.move.clear-path", "fish.move.tile"),
        "One penguin can make one move, the others are stuck: it must be found, and made.",
        _drawn("a.a.b", ".....", "..2.b"),
    ),
    Probe(
        "fish.turn.last-penguin-only",
        ("fish.move.clear-path", "fish.move.tile"),
        "Only the penguin listed last is free: a player that always moves the first one is out.",
        _drawn("ab.22", "ab.2a", "...22", "b..22"),
    ),
    Probe(
        "fish.turn.others-stuck",
        ("fish.move.mandatory", "fish.move.tile"),
        "The others cannot move any more: one player goes on alone, asked again and again, till it is stuck as well.",
        _drawn("b..2222", "...2a22", "b..2222", "...a222", turn_count=0),
    ),
    Probe(
        "fish.turn.last-of-the-game",
        ("fish.move.mandatory", "fish.move.tile"),
        "Whatever move is made, it is the last one of a game that ends in a tie.",
        _drawn("a..b", "....", "2...", scores=(6, 8), revision=40, turn_count=0),
    ),
    Probe(
        "fish.turn.zero",
        ("fish.action.required", "fish.move.mandatory"),
        "The only move goes to cell 0: a reply that leaves out a zero has no target.",
        _drawn("2..", "...", "a.b"),
    ),
    Probe(
        "fish.move.over-holes",
        ("fish.move.clear-path", "fish.move.tile"),
        "There are tiles behind holes, on every line: a penguin stops before the first hole.",
        _drawn("22222", "2222.", "2.2.2", "2..22", "22a22", "2..22", "2.2.2", "222b.", "22222"),
    ),
    Probe(
        "fish.move.over-penguins",
        ("fish.move.clear-path",),
        "Penguins, own and others', stand on every line with free tiles behind them: nobody jumps.",
        _drawn("22222", "22222", "22a22", "2b222", "22a22", "2ba22", "22222", "2222b", "22222"),
    ),
    Probe(
        "fish.move.edges-and-corners",
        ("fish.move.on-board", "fish.move.straight-line"),
        "The penguins stand in the corners: lines end at the edge, and do not go on at the other side.",
        _drawn("a2222a", "222222", "222b22", "22b2b2", "2b2222", "a2222a", turn_count=4),
    ),
    Probe(
        "fish.move.even-rows",
        ("fish.move.straight-line",),
        "From an even row the lower neighbours are in the same column and in the one to the left.",
        _drawn("b2222", "22222", "22a22", "22222", "22a22", "22222", "b2222"),
    ),
    Probe(
        "fish.move.odd-rows",
        ("fish.move.straight-line",),
        "From an odd row the lower neighbours are in the same column and in the one to the right.",
        _drawn("b2222", "22222", "22222", "22a22", "22222", "22a22", "b2222"),
    ),
    Probe(
        "fish.board.one-column",
        MOVING,
        "With one column there is still a zigzag of neighbours, and moves to the second row next.",
        begin_game(1, 2, fish_pb2.Settings(rows=25, columns=1)),
    ),
    Probe(
        "fish.board.tall",
        ("fish.move.own-penguin", "fish.move.straight-line", "fish.place.on-board"),
        "Cells are numbered row by row: a player that mixes up rows and columns answers with other cells.",
        begin_game(0, 2, fish_pb2.Settings(rows=25, columns=2), turn_count=12),
    ),
    Probe(
        "fish.board.wide",
        ("fish.move.own-penguin", "fish.move.straight-line", "fish.place.on-board"),
        "Two rows, many columns: every line is short, and cells have numbers beyond the number of rows squared.",
        begin_game(1, 2, fish_pb2.Settings(rows=2, columns=25), turn_count=12),
    ),
    Probe(
        "fish.board.largest",
        ("fish.move.on-board", "fish.place.on-board"),
        "A board of 25 rows and 25 columns, with all numbers of fish.",
        begin_game(1, 2, fish_pb2.Settings(rows=25, columns=25, random_fish=True), turn_count=8),
    ),
    Probe(
        "fish.board.many-holes",
        (*PLACING, *MOVING),
        "Half of the board is missing from the beginning.",
        begin_game(1, 2, MANY_HOLES),
    ),
    Probe(
        "fish.history.moves",
        MOVING,
        "Take-turn tells what the others did; nothing is told on the first turn, whatever was before.",
        begin_game(3, 4, WITH_MOVES),
    ),
    Probe(
        "fish.history.skips",
        MOVING,
        "The list of actions also names players that were passed over: a skip has neither source nor target.",
        _passed_over,
    ),
    Probe(
        "fish.history.resumed",
        MOVING,
        "The game goes on in its middle: nothing is told of what was before.",
        _in_the_middle(3, 1, WITH_MOVES, 6),
    ),
    Probe(
        "fish.resume.late-and-rich",
        MOVING,
        "Revision and scores can be large numbers, in a game that has gone on for long.",
        _drawn("a2b22", "22222", "2a2b2", scores=(1_000_000, 999_999), revision=1 << 52),
    ),
    Probe(
        "fish.resume.two-left",
        ("fish.move.own-penguin", "fish.move.mandatory"),
        "Two of four players are left, black and brown: neither the colours nor the penguins tell how many there are.",
        _drawn("a2b22", "22222", "2a2b2", scores=(7, 0), colors=BLACK_AND_BROWN, seat=1, turn_count=0),
    ),
    Probe(
        "fish.seats.last-of-four",
        (*PLACING, *MOVING),
        "The fourth player is black and the last one to act: nobody has less to choose from.",
        begin_game(3, 4, fish_pb2.Settings(rows=4, columns=4)),
    ),
    Probe(
        "fish.seats.announced-one-by-one",
        PLACING,
        "The announcements may come player by player: a player may hear of colours before all have got theirs.",
        begin_game(1, 3, ONE_BY_ONE, turn_count=2),
    ),
)

# Settings that the suite tries away from their defaults; the largest boards are probes, as they take long

RAGGED = fish_pb2.Board(columns=4, fish=[0, 1, 5, 0, 2, 0, 3, 3, 0, 0, 0, 1, 4, 4, 0, 5, 5, 1, 2, 3, 0, 1, 1, 0])

SETTINGS_VALUES = {
    "rows": (1, 2, 13),
    "columns": (1, 2, 12),
    "fish": (1, 5),
    "holes": (1, 3, 20),
    "board": (RAGGED,),
    "max_fish": (1, 3),
    "penguin_base": (5, 7, 10),
}
CONFORMANCE = Conformance(
    probes=PROBES,
    mutations=MUTATIONS,
    package="fairplay.games.fish",
    settings_values=SETTINGS_VALUES,
    long_game=Situation(fish_pb2.Settings(rows=17, columns=17, random_fish=True, penguin_base=6), 2, 0, None, 100),
    leaving_settings=(
        fish_pb2.Settings(
            penguin_count_basis=fish_pb2.PENGUIN_COUNT_BASIS_SURVIVORS,
            announce_order=fish_pb2.ANNOUNCE_ORDER_PER_PLAYER,
        ),
        fish_pb2.Settings(lone_survivor=fish_pb2.LONE_SURVIVOR_STOP),
    ),
)
