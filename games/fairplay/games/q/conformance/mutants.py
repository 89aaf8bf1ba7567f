"""Wrong answers to the referee of the Q game: each breaks one rule, and is caught by the cases that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import TypeAlias

from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, Mutate, choose, only_if, put, whole_game, without
from fairplay.games.q import rules
from fairplay.games.q.conformance import wrong_moves as slips
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules import Extension, Placement, View
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

Extensions: TypeAlias = Callable[[View], Iterable[slips.Placed]]
Cases: TypeAlias = tuple[str, ...]

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
WHERE_TILES_FIT = (DRAWN_STATES, "q.extension.in-order", "q.extension.across-a-gap")
FAR = rules.FARTHEST
FIRST = "action.extension.placements.0"


def _extension(
    name: str,
    sentence: str,
    rule: str,
    cases: Cases,
    wrong: Extensions,
    only: Callable[[TakeTurnRequest], bool] | None = None,
) -> Mutation:
    """Makes one of these extensions, of which those count that break the rule."""

    def spoil(request: TakeTurnRequest, reply: TakeTurnResponse, luck: Random) -> TakeTurnResponse | None:
        view = codec.view(request.state)
        placed = choose((placed for placed in wrong(view) if slips.breach(view, placed) == rule), luck)
        return None if placed is None else _reply(Extension(placed))

    return Mutation(name, sentence, "TakeTurn", rule, cases, only_if(only, spoil))


def _placement(name: str, sentence: str, rule: str, cases: Cases, spoil: Mutate, in_row_zero: bool = False) -> Mutation:
    """Spoils the form of a sound placement, which it makes wherever something fits."""

    def spoil_placement(request: TakeTurnRequest, reply: TakeTurnResponse, luck: Random) -> TakeTurnResponse | None:
        sound = slips.singles(codec.view(request.state))
        single = choose((placed for placed in sound if not (in_row_zero and placed.row)), luck)
        return None if single is None else spoil(request, _reply(Extension((single,))), luck)

    return Mutation(name, sentence, "TakeTurn", rule, cases, spoil_placement)


def _answer(
    name: str,
    sentence: str,
    rule: str,
    cases: Cases,
    answer: TakeTurnResponse,
    only: Callable[[TakeTurnRequest], bool] | None = None,
) -> Mutation:
    """Always answers the same."""
    return Mutation(name, sentence, "TakeTurn", rule, cases, only_if(only, lambda *_: answer))


def _reply(action: rules.Action) -> TakeTurnResponse:
    return TakeTurnResponse(action=codec.action_message(action))


FAULTS: tuple[Mutation, ...] = (
    # Form
    Mutation(
        "answers-nothing",
        "Answers take-turn with an empty message.",
        "TakeTurn",
        "q.action.required",
        (*ANYWHERE, "q.turn.only-pass", "q.settings.setup-tells-the-map", "q.resume.in-a-round"),
        without("action"),
    ),
    _answer(
        "acts-without-choice",
        "Answers with an action that is none of pass, replace and extension.",
        "q.action.required",
        (*ANYWHERE, "q.hand.one-tile", "q.settings.no-bonus"),
        TakeTurnResponse(action=q_pb2.Action()),
    ),
    _answer(
        "answers-nothing-for-pass",
        "Answers with an empty message where it can only pass.",
        "q.action.required",
        ("q.turn.only-pass", "q.replace.one-short"),
        TakeTurnResponse(),
        only=slips.can_only_pass,
    ),
    _placement(
        "places-without-row",
        "Leaves out the row of a placement.",
        "q.coordinate.required",
        WHERE_TILES_FIT,
        without(f"{FIRST}.row"),
    ),
    _placement(
        "places-without-column",
        "Leaves out the column of a placement.",
        "q.coordinate.required",
        WHERE_TILES_FIT,
        without(f"{FIRST}.column"),
    ),
    _placement(
        "leaves-out-zero",
        "Leaves out the row of a placement where it is 0.",
        "q.coordinate.required",
        ("q.hand.last-tile", "q.fit.long-line"),
        without(f"{FIRST}.row"),
        in_row_zero=True,
    ),
    _placement(
        "places-without-tile",
        "Leaves out the tile of a placement.",
        "q.tile.required",
        (DRAWN_STATES, "q.hand.equal-tiles"),
        without(f"{FIRST}.tile"),
    ),
    _placement(
        "places-unknown-tile",
        "Names a tile one behind the last.",
        "q.tile.known",
        WHERE_TILES_FIT,
        put(f"{FIRST}.tile", rules.KINDS + 1),
    ),
    _placement(
        "places-negative-tile",
        "Gives a tile a negative number.",
        "q.tile.known",
        WHERE_TILES_FIT,
        put(f"{FIRST}.tile", -1),
    ),
    _placement(
        "places-beyond-last-row",
        "Places a tile behind the last row that there is.",
        "q.coordinate.range",
        WHERE_TILES_FIT,
        put(f"{FIRST}.row", FAR + 1),
    ),
    _placement(
        "places-beyond-first-column",
        "Places a tile far before the first column that there is.",
        "q.coordinate.range",
        WHERE_TILES_FIT,
        put(f"{FIRST}.column", -(2**31)),
    ),
    _extension(
        "steps-over-the-edge",
        "Goes on placing tiles where the map has come to its edge.",
        "q.coordinate.range",
        ("q.map.last-row", "q.map.first-column"),
        slips.over_the_edge,
    ),
    # Pass and replace
    _answer(
        "replaces-from-small-pile",
        "Replaces its hand though the pile holds fewer tiles.",
        "q.replace.pile",
        ("q.turn.only-pass", "q.replace.one-short", "q.pile.empty"),
        _reply(rules.REPLACE),
        only=slips.pile_too_small,
    ),
    _answer(
        "replaces-one-short",
        "Replaces its hand where the pile holds one tile less.",
        "q.replace.pile",
        ("q.replace.one-short", "q.turn.only-pass"),
        _reply(rules.REPLACE),
        only=slips.pile_one_short,
    ),
    _answer(
        "replaces-from-empty-pile",
        "Replaces its hand where the pile is empty.",
        "q.replace.pile",
        ("q.pile.empty", "q.resume.after-eliminations", "q.round.nobody-has-placed"),
        _reply(rules.REPLACE),
        only=slips.pile_empty,
    ),
    _answer(
        "extends-by-nothing",
        "Answers with an extension without tiles.",
        "q.extension.not-empty",
        (*ANYWHERE, "q.replace.just-enough"),
        _reply(Extension(())),
    ),
    _answer(
        "extends-by-nothing-for-pass",
        "Answers with an extension without tiles where no tile fits.",
        "q.extension.not-empty",
        ("q.turn.only-pass", "q.turn.only-replace", "q.replace.just-enough", "q.round.nobody-has-placed"),
        _reply(Extension(())),
        only=slips.nothing_fits,
    ),
    _answer(
        "extends-by-empty-hand",
        "Places its whole hand where that is empty.",
        "q.extension.not-empty",
        ("q.hand.empty",),
        _reply(Extension(())),
        only=slips.no_hand,
    ),
    # Whose tiles
    _extension(
        "places-strange-tile",
        "Places a tile that fits, but is not in its hand.",
        "q.extension.own-tiles",
        (DRAWN_STATES, "q.hand.empty", "q.map.large"),
        slips.not_owned,
    ),
    _extension(
        "places-tile-once-too-often",
        "Places a tile more often than it holds it.",
        "q.extension.own-tiles",
        (DRAWN_STATES, "q.hand.equal-tiles", "q.hand.last-tile"),
        slips.once_more,
    ),
    _extension(
        "places-last-tile-twice",
        "Places its tile twice where it has only one left.",
        "q.extension.own-tiles",
        ("q.hand.last-tile",),
        slips.once_more,
        only=slips.one_tile,
    ),
    _extension(
        "forgets-what-it-holds-of-many",
        "Places a tile that it does not hold, but only from a hand of more than six.",
        "q.extension.own-tiles",
        ("q.hand.largest",),
        slips.once_more,
        only=slips.more_than_six,
    ),
    _extension(
        "places-strange-tile-from-empty-pile",
        "Believes to have drawn tiles though the pile was empty.",
        "q.extension.own-tiles",
        ("q.pile.empty",),
        slips.not_owned,
        only=slips.pile_empty,
    ),
    _extension(
        "places-strange-tile-as-fourth",
        "Places a tile that is not in its hand, but only as the fourth player.",
        "q.extension.own-tiles",
        ("q.seats.last-of-four", "q.resume.after-eliminations", whole_game(3, 4)),
        slips.not_owned,
        only=slips.fourth,
    ),
    _extension(
        "places-strange-tile-after-eliminations",
        "Takes a seat for a place in the list, and so another hand for its own.",
        "q.extension.own-tiles",
        ("q.resume.after-eliminations",),
        slips.not_owned,
        only=slips.seats_have_gaps,
    ),
    # Where to
    _extension(
        "places-in-two-lines",
        "Places tiles that share neither row nor column.",
        "q.extension.one-line",
        (DRAWN_STATES, "q.extension.across-a-gap"),
        slips.apart,
    ),
    _extension(
        "places-around-a-corner",
        "Places tiles along a row and then down a column.",
        "q.extension.one-line",
        (DRAWN_STATES, "q.extension.in-order"),
        slips.corners,
    ),
    _extension(
        "covers-a-tile",
        "Places a tile on one that lies there already.",
        "q.extension.free",
        (DRAWN_STATES, "q.fit.ring"),
        lambda view: slips.anything(view, view.board.tiles),
    ),
    _extension(
        "covers-its-own-tile",
        "Places two tiles of an extension on the same coordinate.",
        "q.extension.free",
        (DRAWN_STATES, "q.fit.ring"),
        slips.on_each_other,
    ),
    _extension(
        "leaves-a-gap",
        "Places a tile two steps away from the map.",
        "q.extension.adjacent",
        (DRAWN_STATES, "q.extension.across-a-gap"),
        lambda view: slips.anything(view, slips.offset(view, [(0, 2), (2, 0)])),
    ),
    _extension(
        "places-diagonally",
        "Places a tile that touches the map with a corner.",
        "q.extension.adjacent",
        (DRAWN_STATES, "q.hand.last-tile"),
        lambda view: slips.anything(view, slips.offset(view, [(1, 1), (-1, 1)])),
    ),
    _extension(
        "places-out-of-order",
        "Places a tile beside one that comes later in the same extension.",
        "q.extension.adjacent",
        (DRAWN_STATES, "q.extension.in-order"),
        slips.backwards,
    ),
    _extension(
        "loses-the-sign",
        "Takes negative rows and columns for positive ones.",
        "q.extension.adjacent",
        ("q.map.negative",),
        slips.without_sign,
    ),
    _extension(
        "mixes-up-rows-and-columns",
        "Takes rows for columns and columns for rows.",
        "q.extension.adjacent",
        ("q.map.last-row", "q.fit.long-line"),
        lambda view: [(Placement(column, row, tile),) for row, column, tile in slips.singles(view)],
    ),
    # What fits
    _extension(
        "matches-nothing",
        "Places a tile that matches none of its neighbours.",
        "q.extension.fit",
        (DRAWN_STATES, "q.turn.only-pass", "q.turn.only-replace"),
        lambda view: slips.misfits(view, slips.like_none),
    ),
    _extension(
        "matches-one-of-two",
        "Places a tile between two others on a line, of which it matches one.",
        "q.extension.fit",
        ("q.fit.same-attribute", "q.fit.row-and-column", "q.fit.ring"),
        lambda view: slips.misfits(view, slips.like_one_of_a_line),
    ),
    _extension(
        "matches-by-turns",
        "Places a tile between two others on a line, with the colour of the one and the shape of the other.",
        "q.extension.fit",
        ("q.fit.same-attribute",),
        lambda view: slips.misfits(view, slips.like_both_by_turns),
    ),
    _extension(
        "matches-one-line",
        "Places a tile that fits in its row but not in its column, or the other way round.",
        "q.extension.fit",
        ("q.fit.row-and-column",),
        lambda view: slips.misfits(view, slips.like_one_line),
    ),
    _extension(
        "matches-the-map-only",
        "Does not look at the tiles that it has placed in the same turn.",
        "q.extension.fit",
        (DRAWN_STATES, "q.hand.largest"),
        slips.chains,
    ),
    _extension(
        "matches-nothing-when-alone",
        "Places whatever it likes when it is the last player.",
        "q.extension.fit",
        ("q.resume.alone",),
        lambda view: slips.misfits(view, slips.like_none),
        only=slips.alone,
    ),
    _extension(
        "matches-neighbours-only",
        "Looks at the immediate neighbours where the fit rule is qwirkle.",
        "q.extension.fit",
        ("q.fit.qwirkle-duplicate", "q.fit.qwirkle-line", "q.fit.qwirkle-game"),
        lambda view: slips.misfits(view, slips.like_neighbours_only),
        only=slips.qwirkle,
    ),
)
