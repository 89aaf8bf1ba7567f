"""What the conformance suite asks about the Q game: situations that players get wrong.

A tile is written as the initial of its colour and a sign for its shape: s is a star, 8 an 8star, q a square, c a
circle, v a clover and d a diamond, so that "rs b8" are a red star and a blue 8star. Maps are drawn row by row, ".." is
a free coordinate.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

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
from fairplay.games.kit.conformance import Check, MakeSituation, begin_game, build_probes, find_state, leaving
from fairplay.games.q import rules
from fairplay.games.q.features import FEATURES
from fairplay.games.q.mutations import FAILING, MUTATIONS
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import FARTHEST, Coordinate
from fairplay.games.q.rules.state import State
from fairplay.q.v1 import q_pb2

EXTENDING = (
    "action.required",
    "coordinate.range",
    "coordinate.required",
    "extension.adjacent",
    "extension.fit",
    "extension.free",
    "extension.one-line",
    "extension.own-tiles",
    "tile.known",
    "tile.required",
)
NOTHING_FITS = ("extension.not-empty", "extension.fit", "replace.pile")
SHAPES, COLORS = "s8qcvd", "rgbyop"
FREE = ".."
DEFAULT_SETTINGS = q_pb2.Settings()


def _tiles(text: str) -> tuple[int, ...]:
    return tuple(6 * SHAPES.index(tile[1]) + COLORS.index(tile[0]) for tile in text.split())


def _cells(row: str) -> list[tuple[int, str]]:
    return [(right, cell) for right, cell in enumerate(row.split()) if cell != FREE]


def _table(
    *rows: str,
    hands: Sequence[str],
    pile: str = "",
    at: Coordinate = (0, 0),
    points: Sequence[int] = (),
    out: tuple[int, ...] = (),
    seat: int = 0,
    settings: q_pb2.Settings = DEFAULT_SETTINGS,
    turn_count: int = 1,
) -> MakeSituation:
    """Return the situation of a round that begins with the first player who is not out; the map is drawn."""
    dealt = [_tiles(hand) for hand in hands]
    cells = (((at[0] + down, at[1] + right), cell) for down, row in enumerate(rows) for right, cell in _cells(row))
    laid = {cell: _tiles(name)[0] for cell, name in cells}
    state = rules.resumed(codec.read_settings(settings), laid, dealt, points or [0] * len(hands), _tiles(pile))
    first = next(other for other in range(len(hands)) if other not in out)
    message = codec.build_state(codec.Shown(state._replace(eliminated=out, mover=first)))
    return lambda rng: Situation(settings, len(hands), seat, message, turn_count)


def _stairs(rng: Random) -> Situation:
    """Return a turn beside stairs of 600 tiles, which reach over 150 times as many cells."""
    tiles, begin = _all_tiles(), rng.randrange(36)
    snake = [tiles[at - at % 6 + (5 - at % 6 if at // 6 % 2 else at % 6)] for at in range(36)]
    path = [snake[(begin + step) % 36] for step in range(600)]
    rows = [".. " * down + " ".join(path[2 * down : 2 * down + 2]) for down in range(300)]
    return _table(*rows, hands=(" ".join(rng.sample(tiles, 6)), "rs"), pile="rs rq")(rng)


def _gap(rng: Random) -> Situation:
    """Return a turn with a gap between two runs that hold an equal tile, where the tile in hand would have most points.

    All tiles share their colour, or their shape. Which tiles they are is drawn, and whether the runs lie on a row.
    """
    drawn = [*RING]
    drawn[2] = rng.choice(["c b .. a b", "c a .. a b", "c d .. c b"])
    cells = {(down, right): name for down, row in enumerate(drawn) for right, name in _cells(row)}
    common, kinds = rng.randrange(6), rng.sample(range(6), 6)
    shares_color, lies_on_row = rng.random() < 1 / 2, rng.random() < 1 / 2
    tiles = [6 * kind + common if shares_color else 6 * common + kind for kind in kinds]
    laid = {(cell if lies_on_row else (cell[1], cell[0])): tiles["tabcde".index(name)] for cell, name in cells.items()}
    dealt = [[tiles[0]], [tiles[1]]]
    state = rules.resumed(codec.read_settings(QWIRKLE), laid, dealt, [0, 0], tiles[:3])
    return Situation(QWIRKLE, 2, 0, codec.build_state(codec.Shown(state)), 1)


def _all_tiles() -> list[str]:
    return [color + shape for shape in SHAPES for color in COLORS]


def _misfits(tile: str) -> list[str]:
    """Return the tiles that do not fit beside a tile."""
    return [other for other in _all_tiles() if {*tile}.isdisjoint(other)]


def _many_alike(rng: Random) -> Situation:
    """Return two turns with 7 to 13 equal tiles that all can be placed at once, alone or beside up to 13 misfits."""
    tile, count, rest = rng.choice(_all_tiles()), rng.randint(7, 13), rng.choice([0, 1, 1, 13])
    misfit = rng.choice(_misfits(tile))
    hands = " ".join([tile] * count + [misfit] * rest), misfit
    return _table(tile, hands=hands, pile=" ".join([tile] * count), turn_count=2)(rng)


def _many_misfits(rng: Random) -> Situation:
    """Return two turns with 7 to 20 tiles, none of which fits, and as many in the pile, which do, or a few more."""
    tile = rng.choice(_all_tiles())
    count, misfits = rng.randint(7, 20), _misfits(tile)
    hands = " ".join(rng.choices(misfits, k=count)), rng.choice(misfits)
    return _table(tile, hands=hands, pile=" ".join([tile] * (count + rng.randint(0, 2))), turn_count=2)(rng)


def _two_qs(rng: Random) -> Situation:
    """Return a turn in which the tiles of the hand complete two Qs at once."""
    return rng.choice([CROSSING_QS, QS_SIDE_BY_SIDE])(rng)


def _in_the_middle(
    seat_count: int,
    seat: int,
    wanted: Callable[[State], bool],
    settings: q_pb2.Settings = DEFAULT_SETTINGS,
    turn_count: int = 1,
) -> MakeSituation:
    """Return the situation of a game that goes on from a wanted state of random play."""

    def situation(rng: Random) -> Situation:
        chosen = codec.read_settings(settings)
        state = find_state(rules, lambda: rules.initial(chosen, seat_count, rng), rng, wanted)
        return Situation(settings, seat_count, seat, codec.build_state(codec.Shown(state)), turn_count)

    return situation


def _completed_by_a_rival(rng: Random) -> Situation:
    """Return a turn after a rival has filled the gap in a line, as that has the most neighbours."""
    settings = q_pb2.Settings(q_bonus=rng.choice([0, 10]))
    rows = "rs r8 .. rc rv rd", ".. g8 gq gc"
    made = _table(*rows, hands=("rq rq", "gs gd"), pile="yd gd yd", seat=1, settings=settings)
    return made(rng)._replace(rivals="ldasg")


def _finished_by_a_rival(points: int, settings: q_pb2.Settings) -> MakeSituation:
    """Return a turn in which the player has points and can only pass, before that in which a rival is finished."""
    made = _table("rs", hands=("bd gd", "rq"), pile="yd", points=(points, 0), settings=settings, turn_count=0)
    return _beside("dag", made)


def _beside(rivals: str, make: MakeSituation) -> MakeSituation:
    """Return a situation with rivals of a strategy."""
    return lambda rng: make(rng)._replace(rivals=rivals)


ONE_COPY = q_pb2.Settings(copies_per_kind=1)
QWIRKLE = q_pb2.Settings(fit_rule=q_pb2.FIT_RULE_QWIRKLE)
QWIRKLE_SMALL = q_pb2.Settings(fit_rule=q_pb2.FIT_RULE_QWIRKLE, copies_per_kind=2, hand_size=12)
LARGE_HANDS = q_pb2.Settings(hand_size=36, copies_per_kind=3)
ONE_TILE_EACH = q_pb2.Settings(hand_size=1)
MAP_IN_SETUP = q_pb2.Settings(setup_argument=q_pb2.SETUP_ARGUMENT_MAP, copies_per_kind=100)
NO_BONUS = q_pb2.Settings(q_bonus=0, finish_bonus=0, copies_per_kind=1)
RING = ("a b c t d", "t .. e .. a", "", "d .. d .. t", "b t a e c")
"""Tiles around a gap. Its row, which `_gap` draws, is left out: with it, t fits nowhere inside the ring but there."""
CROSSING_QS = _table(
    *(".. .. .. .. .. gd", ".. .. .. .. .. bd", ".. .. .. .. .. yd", ".. .. .. .. .. od", ".. .. .. .. pv pd"),
    "rs r8 rq rc rv ..",
    hands=("rd", "gs"),
    pile="yd",
)
QS_SIDE_BY_SIDE = _table(*("gs g8", "bs b8", "ys y8", "os o8", "ps p8"), hands=("rs r8", "gd"), pile="yd")
CROSS = ("rs .. bs", "rc bc bv")
FIELD = [" ".join(COLORS[right % 6] + SHAPES[down % 6] for right in range(50)) for down in range(50)]
"""2,500 tiles, more than a game usually has: each row has a shape, and each column a colour."""
CHECKS = {
    "turn.only-pass: No tile fits and the pile is too small for a replacement: passing is all that is left, and again "
    "when rivals have placed tiles.": Check(
        NOTHING_FITS, _beside("first", _table("rs", hands=("bq gc", "r8 rv rd"), pile="yd", turn_count=2))
    ),
    "turn.only-replace: No tile fits: what is left is to replace or to pass, not an extension without tiles.": Check(
        NOTHING_FITS, _table("rs", hands=("bq gc", "bd gv"), pile="yd yq rd gs", turn_count=2)
    ),
    "replace.one-short: "
    "The pile holds one tile less than the hand, which is large: it cannot be replaced, not even in part.": Check(
        NOTHING_FITS, _table("rs", hands=("bq gc yd ov p8 bd gv yq", "rq"), pile="yv ov bd gq yc pd bv")
    ),
    "replace.freed: The pile is empty, till a rival leaves and its tiles are put back: then they can be had.": Check(
        ["replace.pile", "extension.not-empty"],
        _beside("first", leaving(_table("rs", hands=("bq gc", "bd gv pd", "r8 yv rd"), turn_count=3), 1)),
    ),
    "replace.just-enough: The pile holds as many tiles as the hand: it can be replaced, and new tiles are told.": Check(
        ["replace.pile", "extension.not-empty"],
        _table("rs", hands=("bq gc yd", "bq gc yd"), pile="rv ov rs", seat=1, turn_count=1),
    ),
    "pile.empty: "
    "The pile is empty, but the game goes on: after an extension the player gets an empty list of new tiles.": Check(
        ["replace.pile", "extension.own-tiles"], _table("rs", hands=("rq bs gc yc", "r8 os gd pv"), turn_count=0)
    ),
    "hand.last-tile: Whoever places its last tile ends the game at once, and may have lost it: no new tiles come, the "
    "result does.": Check(
        ["extension.own-tiles", "extension.not-empty"],
        _table("rs", hands=("rq", "gs"), pile="yd", points=(0, 99), turn_count=0),
    ),
    "hand.empty: A game may begin with an empty hand: its player can replace nothing, or pass.": Check(
        ["extension.not-empty", "extension.own-tiles"], _table("rs", hands=("", "gs rq"), turn_count=1)
    ),
    "hand.one-tile: The size of a hand is a setting: with one tile every extension is the last.": Check(
        ["extension.own-tiles", "replace.pile"], begin_game(0, 2, ONE_TILE_EACH)
    ),
    "hand.largest: "
    "The size of a hand is a setting: with 36 tiles there are very many extensions, and all take time to try.": Check(
        EXTENDING, begin_game(1, 2, LARGE_HANDS, turn_count=2)
    ),
    "hand.equal-tiles: "
    "A hand can hold a tile several times: each can be placed, but none oftener than it is held.": Check(
        ["extension.own-tiles"], _table("rs", hands=("rs rs bs rs rs", "rs"), pile="gs gs", turn_count=2)
    ),
    "hand.many-alike: Seven tiles and more can be placed at once, and as many new ones are told: a turn has no largest "
    "number of tiles.": Check(["extension.own-tiles", "extension.not-empty"], _many_alike, draws=4),
    "hand.many-misfits: No tile of a large hand fits: it can be replaced, and as many new ones are told.": Check(
        NOTHING_FITS, _many_misfits, draws=3
    ),
    "fit.same-attribute: "
    "Between a red star and a blue circle nothing fits, though a red circle matches both: not in the same way.": Check(
        ["extension.fit"], _table("rs .. bc", "rv bv bv", hands=("rc bs gs", "gd"), pile="gd gd gd")
    ),
    "fit.row-and-column: "
    "Row and column are looked at separately: one may match by colour and the other by shape, but both must.": Check(
        ["extension.fit"], _table(*CROSS, hands=("bs gs bc rc ps", "yd"), pile="yd yd yd yd yd")
    ),
    "fit.ring: A free coordinate may be enclosed by four tiles, all of which must match.": Check(
        ["extension.fit", "extension.free"],
        _table("rs r8 rq", "rc .. rv", "rd rs r8", hands=("gs g8 yq", "bd"), pile="gd gd gd"),
    ),
    "fit.long-line: "
    "Lines may be longer than six, and may hold a tile more than once: only immediate neighbours count.": Check(
        ["extension.fit"],
        _table("rs r8 rq rc rv rd rs r8", hands=("rs r8 bd", "bq"), pile="gd gd gd gd gd", turn_count=2),
    ),
    "fit.qwirkle-duplicate: "
    "If the fit rule is qwirkle, no line may hold two equal tiles, however far they are apart.": Check(
        ["extension.fit"], _table("rs r8 rq rc", hands=("rs rc bd", "bq"), pile="gd gd gd", settings=QWIRKLE)
    ),
    "fit.qwirkle-line: If the fit rule is qwirkle, a whole line has one colour or one shape: "
    "matching the neighbour is not enough.": Check(
        ["extension.fit"], _table("rs r8 rq", hands=("bq bs y8", "bd"), pile="gd gd gd", settings=QWIRKLE)
    ),
    "fit.qwirkle-gap: If the fit rule is qwirkle, "
    "a tile that fits beside two runs may join them only if these hold no equal tiles.": Check(
        ["extension.fit"], _gap, draws=4
    ),
    "fit.qwirkle-own-tiles: If the fit rule is qwirkle, "
    "two tiles of an extension may join the same run, also one after the other: then they must not be equal.": Check(
        ["extension.fit"], _table("r8 rq rc", hands=("rs rs bd", "bq"), pile="gd gd gd", settings=QWIRKLE)
    ),
    "fit.qwirkle-game: A whole game under the fit rule qwirkle, in which less and less fits.": Check(
        EXTENDING, begin_game(1, 3, QWIRKLE_SMALL)
    ),
    "map.negative: Rows and columns can all be negative.": Check(
        ["extension.adjacent", "coordinate.required"],
        _table("rs .. gs", "r8 g8 gq", at=(-7, -9), hands=("ys rq gc", "b8"), pile="gd gd gd"),
    ),
    "map.last-row: The map ends in the last row and column that there are: tiles fit behind them alone, and none may "
    "lie there.": Check(
        ["coordinate.range", "extension.fit"],
        _table(".. r8", "rq rs", at=(FARTHEST - 1, FARTHEST - 1), hands=("gs bs", "gd"), pile="gd gd gd"),
    ),
    "map.first-column: "
    "The map begins in the first row and column that there are: both may have seven digits and a sign.": Check(
        ["coordinate.range", "extension.adjacent"],
        _table("rs", "r8", at=(-FARTHEST, -FARTHEST), hands=("rq bs", "gs"), pile="gd gd gd"),
    ),
    "map.large: A long game has hundreds of tiles on the map: answers must stay right, and in time.": Check(
        EXTENDING, _in_the_middle(2, 0, lambda state: len(state.board.tiles) >= 150, turn_count=2)
    ),
    "map.stairs: The map reaches far, and has few tiles for that: who looks at the whole of it does so in time.": Check(
        ["extension.fit"], _stairs
    ),
    "extension.in-order: A tile may lie beside one that was placed before it in the same extension, "
    "not beside one that comes later; the pile may have fewer new tiles than were placed.": Check(
        ["extension.adjacent", "extension.fit"],
        _table("rs", hands=("r8 rq rc yd", "gs"), pile="gd", turn_count=2),
    ),
    "extension.each-alone: "
    "Two tiles fit in places side by side, each of them alone: what was placed first counts for the other one.": Check(
        ["extension.fit"], _table("rs r8", hands=("gs b8 yq", "gd"), pile="gd gd gd")
    ),
    "extension.across-a-gap: The tiles of an extension share one row or one column; they need not touch.": Check(
        ["extension.one-line", "extension.adjacent"],
        _table("rs .. .. .. rs", "r8 rq rc rq r8", hands=("rd rd rv", "gs"), pile="gd gd gd gd gd gd"),
    ),
    "extension.two-qs: "
    "The tiles that are left complete two Qs at once: one tile two lines, or two tiles one each.": Check(
        ["extension.own-tiles", "extension.not-empty"], _two_qs, draws=4
    ),
    "round.nobody-has-placed: "
    "Nobody can place anything: the first round is the last one, it ends in a tie, and all have won.": Check(
        NOTHING_FITS, _table("rs", hands=("bq gc", "bd gv", "yd ov"), points=(7, 7, 7), seat=2, turn_count=0)
    ),
    "resume.in-a-round: A game may go on in the middle of a round, with tiles that are told of in setup alone.": Check(
        EXTENDING,
        _in_the_middle(4, 0, lambda state: state.mover == 2 and state.placed and state.delivery is not None, ONE_COPY),
    ),
    "resume.after-eliminations: "
    "Two of four players are out: seats have gaps, and there are fewer scores than seats.": Check(
        [*EXTENDING, "replace.pile"],
        _table(*CROSS, hands=("", "bs yd gd", "", "rs rv yc"), points=(9, 3, 0, 12), out=(2, 0), seat=3, turn_count=0),
    ),
    "resume.alone: One player is left and goes on alone: the list of the others is empty.": Check(
        [*EXTENDING, "replace.pile"],
        _table(*CROSS, hands=("", "rs rv yc"), pile="bs b8 gs gv", points=(9, 3), out=(0,), seat=1, turn_count=0),
    ),
    "seats.last-of-four: Every tile exists once, so that the pile is small: "
    "the fourth player sees the most changes before its turn.": Check(
        [*EXTENDING, "replace.pile"], begin_game(3, 4, ONE_COPY)
    ),
    "settings.setup-tells-the-map: "
    "Setup may tell the map alone, here one of thousands of tiles, without players and pile: take-turn has the rest.": (
        Check(
            EXTENDING,
            _table(*FIELD, at=(-25, -25), hands=("rs b8 pd", "gs yq od"), pile="rs b8 pd gs", settings=MAP_IN_SETUP),
        )
    ),
    "settings.no-bonus: The bonus points are settings, and can be none.": Check(EXTENDING, begin_game(2, 3, NO_BONUS)),
    "settings.other-bonus: A rival completes a Q, for which the settings give none of the usual points, or ten.": Check(
        EXTENDING, _completed_by_a_rival, draws=4
    ),
    "settings.bonus-decides: A rival places its last tile, and wins by what the settings give for it.": Check(
        NOTHING_FITS, _finished_by_a_rival(10, q_pb2.Settings(finish_bonus=10))
    ),
    "settings.no-bonus-decides: A rival places its last tile, and loses as the settings give nothing for it.": Check(
        NOTHING_FITS, _finished_by_a_rival(5, q_pb2.Settings(finish_bonus=0))
    ),
}

PROBES = build_probes("q", CHECKS)

RARE_TABLES = {
    "six tiles of all shapes are a Q, also in the last row": _table(
        "rs r8 rq rc rv", at=(FARTHEST, 0), hands=("rd", "gs"), pile="yd"
    ),
    "six tiles of all colours are a Q, also in the first row": _table(
        "rs gs bs ys os", at=(-FARTHEST, 0), hands=("ps", "gd"), pile="yd"
    ),
    "seven tiles with all shapes are no Q": _table("rs r8 rq rc rv rd", hands=("rs", "gs"), pile="yd"),
    "seven tiles with all colours are no Q": _table("rs gs bs ys os ps", hands=("rs", "gd"), pile="yd"),
    "a tile completes a Q along its row and one along its column": CROSSING_QS,
    "two tiles of an extension complete a Q each": QS_SIDE_BY_SIDE,
    "the bonus for the last tile makes a tie": _table("rs", hands=("rq", "gs"), pile="yd", points=(0, 6)),
}


def _played_best(make: MakeSituation, leaver: tuple[int, str, int] | None = None) -> Callable[[Random], RareGame]:
    return lambda rng: RareGame(make(rng), ["best"], leaver)


RARE_GAMES = {
    **{what: _played_best(make) for what, make in RARE_TABLES.items()},
    "who does not hear of the last tiles of the game has had the most points": _played_best(
        _table("rs", hands=("bq gc", "bd gv"), pile="yd yq rd gs", points=(3, 5)), (1, "NewTiles", 1)
    ),
}


def _is_near(state: q_pb2.State) -> bool:
    """Return whether the map lies no farther out than all the tiles of a game reach from its first one."""
    return all(abs(number) <= 36 * 30 for number in (*state.rows, *state.columns))


CONFORMANCE = Conformance(
    features=FEATURES,
    pieces=Pieces(things=(("players.hand", "pile"),), scores=("players.score",)),
    probes=PROBES,
    rare_games=RARE_GAMES,
    mutations=MUTATIONS,
    failing=FAILING,
    package="fairplay.games.q",
    settings_readers={
        "hand_size": (Circumstance.LOSS, Circumstance.END),
        "copies_per_kind": (Circumstance.LOSS, Circumstance.END),
        "q_bonus": (Circumstance.RESUMED,),
        "finish_bonus": (Circumstance.END,),
        "undelivered_tiles": ("NewTiles", Circumstance.LOSS, Circumstance.END),
        "fit_rule": (Circumstance.RESUMED,),
        "lone_survivor": (Circumstance.ALONE, Circumstance.END),
        "setup_argument": (Circumstance.LOSS, Circumstance.RESUMED),
    },
    settings_values={
        "hand_size": (1, 2, 12),  # the largest hands are a probe
        "copies_per_kind": (1, 2, 100),
        "q_bonus": (0, 1, 10),
        "finish_bonus": (0, 10),
    },
    long_games=(Situation(q_pb2.Settings(hand_size=12, copies_per_kind=100), 2, 0, None, 100),),
    leaving_settings=(q_pb2.Settings(lone_survivor=q_pb2.LONE_SURVIVOR_STOP),),
    profiles={
        STANDARD: Profile(
            STANDARD_SENTENCE,
            {"copies_per_kind": [2]},
            fits=lambda state: _is_near(state) and all(len(player.hand) <= 6 for player in state.players),
        ),
        "course-2023": Profile(
            "At most 12 tiles at a time and 30 of a kind, any bonus, the fit rule q, and setup tells the whole state; "
            "2 games at once.",
            {
                "hand_size": range(1, 13),
                "copies_per_kind": range(1, 31),
                "q_bonus": range(11),
                "finish_bonus": range(11),
                "undelivered_tiles": [q_pb2.UNDELIVERED_TILES_RETURN],
                "lone_survivor": [q_pb2.LONE_SURVIVOR_STOP],
            },
            fits=_is_near,
            games_at_once=2,
        ),
    },
    largest_score=1_000_000,
)
