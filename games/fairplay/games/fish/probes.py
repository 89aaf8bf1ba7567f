"""What the conformance suite asks about Fish: situations that players get wrong.

Boards are drawn: a digit is a tile with so many fish, a dot a hole, and a letter a penguin on a tile with two fish, "a"
for the player in seat 0, "b" for seat 1 and so on. Odd rows lie half a tile further to the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fairplay.fish.v1 import fish_pb2
from fairplay.games.conformance import (
    STANDARD,
    STANDARD_SENTENCE,
    Circumstance,
    Conformance,
    Pieces,
    Profile,
    RareGame,
    Situation,
)
from fairplay.games.fish import rules
from fairplay.games.fish.features import FEATURES
from fairplay.games.fish.mutations import FAILING, MUTATIONS
from fairplay.games.fish.protocol import Shown, build_state, read_settings
from fairplay.games.fish.protocol import colors as fresh_colors
from fairplay.games.fish.rules.board import board_of, board_of_rows
from fairplay.games.kit.conformance import (
    Check,
    MakeSituation,
    begin_game,
    build_probes,
    find_state,
    leaving,
    play_randomly,
)

RULES = [rule.removeprefix("fish.") for rule in rules.RULES]
PLACING = [rule for rule in RULES if rule.startswith("place.") and rule != "place.before-moving"]
MOVING = ["action.required", *(rule for rule in RULES if rule.startswith("move."))]
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


def _passed_over_together(rng: Random) -> Situation:
    """Return a situation in which two or three of three rivals are stuck; seat 0 is told so in each turn but the first.

    Mostly the penguin of the third one, if it is free, can move for long.
    """
    stuck = rng.choice(["bcd", "bcd", "bc", "bd", "cd"])
    [free] = {*"bcd"} - {*stuck} or {FISH_BELOW}
    rows = ".".join(stuck).ljust(5, "."), ".....", ".....", "a2222", "22222", f"2222{free}", "22222"
    settings = fish_pb2.Settings(action_list=fish_pb2.ACTION_LIST_MOVES_AND_SKIPS)
    return _drawn(*rows, settings=settings, turn_count=3)(rng)


def _somebody_is_stuck(state: rules.State) -> bool:
    """Return whether a seat is stuck, while the one to move has moves for some turns to come."""
    stuck = any(not rules.moves(state, seat) for seat in range(len(state.places)))
    return not rules.placing(state) and stuck and len(rules.moves(state, state.seat)) > 8


BLACK_AND_BROWN = (fish_pb2.COLOR_BLACK, fish_pb2.COLOR_BROWN)
MIXED = (fish_pb2.COLOR_BROWN, fish_pb2.COLOR_RED, fish_pb2.COLOR_BLACK)
ONE_BY_ONE = fish_pb2.Settings(announce_order=fish_pb2.ANNOUNCE_ORDER_PER_PLAYER)
SHORT_ROWS = _board("22222", "22", "..222", ".2222", "2")
WITH_MOVES = fish_pb2.Settings(rows=6, columns=6, action_list=fish_pb2.ACTION_LIST_MOVES)
MANY_HOLES = fish_pb2.Settings(rows=6, columns=6, holes=18, random_fish=True)

CHECKS = {
    "place.last-free-tile: "
    "The last penguin has one tile left: a player that takes the first cell, or any, breaks a rule.": Check(
        PLACING, begin_game(3, 4, fish_pb2.Settings(rows=2, columns=2, penguin_base=5))
    ),
    "place.zero: Only cell 0 is free: a reply that leaves out a zero has no place at all.": Check(
        ["place.required", "place.free"], _drawn("2b.", "b.a", "ab.", penguins=3)
    ),
    "place.between-holes: Most cells are holes, the first ones too: a penguin needs a tile.": Check(
        ["place.tile", "place.free"], _drawn("....", ".a..", "..2.", "b..2", penguins=2)
    ),
    "place.short-rows: The rows of a board may end, or begin, in holes.": Check(
        ["place.tile", "place.on-board"], begin_game(1, 2, SHORT_ROWS)
    ),
    "place.one-row: "
    "Tiles of one row never touch: after the placement the game is over, and nobody is asked to move.": Check(
        PLACING, begin_game(0, 2, fish_pb2.Settings(rows=1, columns=9))
    ),
    "place.most-penguins: "
    "The number of penguins is a setting: here two players fill the sixteen tiles of a wide board, eight each.": Check(
        PLACING, begin_game(1, 2, fish_pb2.Settings(rows=25, columns=25, holes=609, penguin_base=10))
    ),
    "place.resumed: A game may go on in the middle of the placement, "
    "where the players have placed different numbers, and have colours in any order.": Check(
        PLACING, _drawn("b2222", "2a222", "22b2c", "222c2", penguins=3, colors=MIXED, seat=2, revision=5, turn_count=2)
    ),
    "turn.single-legal-move: One penguin can make one move, the others are stuck: it must be found, and made.": Check(
        ["move.mandatory", "move.clear-path", "move.tile"], _drawn("a.a.b", ".....", "..2.b")
    ),
    "turn.last-penguin-only: "
    "Only the penguin listed last is free: a player that always moves the first one is out.": Check(
        ["move.clear-path", "move.tile"], _drawn("ab.22", "ab.2a", "...22", "b..22")
    ),
    "turn.others-stuck: The others cannot move any more: one player goes on alone, "
    "asked again and again, till it is stuck as well.": Check(
        ["move.mandatory", "move.tile"], _drawn("b..2222", "...2a22", "b..2222", "...a222", turn_count=0)
    ),
    "turn.last-of-the-game: Whatever move is made, it is the last one of a game that ends in a tie.": Check(
        ["move.mandatory", "move.tile"], _drawn("a..b", "....", "2...", scores=(6, 8), revision=40, turn_count=0)
    ),
    "turn.freed: The only move leaves the player stuck between its rivals, till one of them leaves, "
    "and takes its penguin along: it is asked again.": Check(
        ["move.mandatory", "move.tile"],
        leaving(_drawn("a", "2", "b", ".", "2", "2", "2", ".", "c", "2", "2", turn_count=2), 1),
    ),
    "turn.zero: The only move goes to cell 0: a reply that leaves out a zero has no target.": Check(
        ["action.required", "move.mandatory"], _drawn("2..", "...", "a.b")
    ),
    "move.over-holes: There are tiles behind holes, on every line: a penguin stops before the first hole.": Check(
        ["move.clear-path", "move.tile"],
        _drawn("22222", "2222.", "2.2.2", "2..22", "22a22", "2..22", "2.2.2", "222b.", "22222"),
    ),
    "move.over-penguins: "
    "Penguins, own and others', stand on every line with free tiles behind them: nobody jumps.": Check(
        ["move.clear-path"], _drawn("22222", "22222", "22a22", "2b222", "22a22", "2ba22", "22222", "2222b", "22222")
    ),
    "move.edges-and-corners: "
    "The penguins stand in the corners: lines end at the edge, and do not go on at the other side.": Check(
        ["move.on-board", "move.straight-line"],
        _drawn("a2222a", "222222", "222b22", "22b2b2", "2b2222", "a2222a", turn_count=4),
    ),
    "move.even-rows: From an even row the lower neighbours are in the same column and in the one to the left.": Check(
        ["move.straight-line"], _drawn("b2222", "22222", "22a22", "22222", "22a22", "22222", "b2222")
    ),
    "move.odd-rows: From an odd row the lower neighbours are in the same column and in the one to the right.": Check(
        ["move.straight-line"], _drawn("b2222", "22222", "22222", "22a22", "22222", "22a22", "b2222")
    ),
    "board.one-column: With one column there is still a zigzag of neighbours, and moves to the second row next.": Check(
        MOVING, begin_game(1, 2, fish_pb2.Settings(rows=25, columns=1))
    ),
    "board.tall: "
    "Cells are numbered row by row: a player that mixes up rows and columns answers with other cells.": Check(
        ["move.own-penguin", "move.straight-line", "place.on-board"],
        begin_game(0, 2, fish_pb2.Settings(rows=25, columns=2), turn_count=12),
    ),
    "board.wide: "
    "Two rows, many columns: every line is short, and cells have numbers beyond the number of rows squared.": Check(
        ["move.own-penguin", "move.straight-line", "place.on-board"],
        begin_game(1, 2, fish_pb2.Settings(rows=2, columns=25), turn_count=12),
    ),
    "board.largest: A board of 25 rows and 25 columns, with all numbers of fish.": Check(
        ["move.on-board", "place.on-board"],
        begin_game(1, 2, fish_pb2.Settings(rows=25, columns=25, random_fish=True), turn_count=8),
    ),
    "board.many-holes: Half of the board is missing from the beginning.": Check(
        [*PLACING, *MOVING], begin_game(1, 2, MANY_HOLES)
    ),
    "history.moves: "
    "Take-turn tells what the others did; nothing is told on the first turn, whatever was before.": Check(
        MOVING, begin_game(3, 4, WITH_MOVES)
    ),
    "history.skips: "
    "The list of actions also names players that were passed over: a skip has neither source nor target.": Check(
        MOVING, _passed_over
    ),
    "history.several-skips: "
    "Two rivals or all three are passed over in each round: the list has a skip for each.": Check(
        MOVING, _passed_over_together, draws=4
    ),
    "history.resumed: The game goes on in its middle: nothing is told of what was before.": Check(
        MOVING, _in_the_middle(3, 1, WITH_MOVES, 6)
    ),
    "resume.late-and-rich: Revision and scores can be large numbers, in a game that has gone on for long.": Check(
        MOVING, _drawn("a2b22", "22222", "2a2b2", scores=(1_000_000, 999_999), revision=1 << 52)
    ),
    "resume.two-left: Two of four players are left, black and brown: "
    "neither the colours nor the penguins tell how many there are.": Check(
        ["move.own-penguin", "move.mandatory"],
        _drawn("a2b22", "22222", "2a2b2", scores=(7, 0), colors=BLACK_AND_BROWN, seat=1, turn_count=0),
    ),
    "seats.last-of-four: The fourth player is black and the last one to act: nobody has less to choose from.": Check(
        [*PLACING, *MOVING], begin_game(3, 4, fish_pb2.Settings(rows=4, columns=4))
    ),
    "seats.announced-one-by-one: "
    "The announcements may come player by player: a player may hear of colours before all have got theirs.": Check(
        PLACING, begin_game(1, 3, ONE_BY_ONE, turn_count=2)
    ),
}

PROBES = build_probes("fish", CHECKS)

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


def _has_few_penguins(state: fish_pb2.State) -> bool:
    return all(len(player.places) <= 4 for player in state.players)


EIGHT_TILES = fish_pb2.Settings(rows=2, columns=4, penguin_count_basis=fish_pb2.PENGUIN_COUNT_BASIS_SURVIVORS)

RARE_GAMES = {
    "those who are left own more penguins than there are tiles": lambda _: RareGame(
        Situation(EIGHT_TILES, 4, 0), ["first"], (1, "PlayWith", 1)
    ),
}

CONFORMANCE = Conformance(
    features=FEATURES,
    rare_games=RARE_GAMES,
    pieces=Pieces(things=(("players.places",),), counts=(("fish",),), scores=("players.score",)),
    probes=PROBES,
    mutations=MUTATIONS,
    failing=FAILING,
    package="fairplay.games.fish",
    needless_enums=("Color",),
    settings_readers={
        "board": (Circumstance.WAITING, Circumstance.RESUMED),
        "penguin_base": (Circumstance.LOSS, Circumstance.RESUMED),
        "penguin_count_basis": ("PlayAs", "PlayWith", Circumstance.LOSS, Circumstance.ALONE),
        "announce_order": ("PlayAs", "PlayWith", Circumstance.LOSS),
        "lone_survivor": (Circumstance.ALONE, Circumstance.END),
        "action_list": (Circumstance.LOSS, Circumstance.WAITING, Circumstance.RESUMED),
    },
    settings_values=SETTINGS_VALUES,
    long_games=(
        Situation(fish_pb2.Settings(rows=17, columns=17, random_fish=True, penguin_base=6), 2, 0, None, 100),
        Situation(
            fish_pb2.Settings(rows=25, columns=25, random_fish=True, penguin_base=10), 3, 2, None, 0, leaving=(0,)
        ),
    ),
    leaving_settings=(
        fish_pb2.Settings(
            rows=6,
            columns=6,
            penguin_base=10,
            penguin_count_basis=fish_pb2.PENGUIN_COUNT_BASIS_SURVIVORS,
            announce_order=fish_pb2.ANNOUNCE_ORDER_PER_PLAYER,
        ),
        fish_pb2.Settings(lone_survivor=fish_pb2.LONE_SURVIVOR_STOP),
    ),
    profiles={
        STANDARD: Profile(
            STANDARD_SENTENCE,
            {"rows": [6], "columns": [5], "random_fish": [True], "holes": [3]},
            fits=lambda state: state.columns == 5 and len(state.fish) in (25, 30) and _has_few_penguins(state),
        ),
        "course-2020": Profile(
            "Boards of 2 to 5 rows and columns, in resumed games of up to 9, with holes and 1 to 5 fish on a tile; "
            "each of N players has 6 - N penguins; 2 games at once.",
            {
                "rows": range(2, 6),
                "columns": range(2, 6),
                "fish": range(1, 6),
                "random_fish": [True],
                "holes": range(13),
                "board": [SHORT_ROWS.board],
                "max_fish": range(1, 6),
                "lone_survivor": [fish_pb2.LONE_SURVIVOR_STOP],
                "action_list": [fish_pb2.ACTION_LIST_MOVES, fish_pb2.ACTION_LIST_MOVES_AND_SKIPS],
            },
            fits=lambda state: state.columns <= 9 and len(state.fish) <= 9 * state.columns and _has_few_penguins(state),
            games_at_once=2,
        ),
    },
)
