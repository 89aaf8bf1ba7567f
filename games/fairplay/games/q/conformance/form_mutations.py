"""Answers of a wrong form in the Q game, and wrong ones without tiles: each breaks one rule."""

from __future__ import annotations

from collections.abc import Iterable

from fairplay.games.kit.conformance import DRAWN_STATES, collect_mutations, with_field, without_field
from fairplay.games.q import rules
from fairplay.games.q.conformance import situations
from fairplay.games.q.conformance.declaring import ANYWHERE, answering, extending, misspelling, reply_of
from fairplay.games.q.conformance.extensions import Placed
from fairplay.games.q.rules import Extension, Placement, View
from fairplay.games.q.rules.board import FARTHEST, sides
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnResponse

WHERE_TILES_FIT = (DRAWN_STATES, "q.extension.in-order", "q.extension.across-a-gap")
FIRST = "action.extension.placements.0"


# What is left out


@answering("q.action.required", *ANYWHERE, "q.turn.only-pass", "q.settings.setup-tells-the-map", "q.resume.in-a-round")
def answers_nothing() -> TakeTurnResponse:
    """Answers take-turn with an empty message."""
    return TakeTurnResponse()


@answering("q.action.required", *ANYWHERE, "q.hand.one-tile", "q.settings.no-bonus")
def acts_without_choice() -> TakeTurnResponse:
    """Answers with an action that is none of pass, replace and extension."""
    return TakeTurnResponse(action=q_pb2.Action())


@answering("q.action.required", "q.turn.only-pass", "q.replace.one-short", only=situations.can_only_pass)
def answers_nothing_for_pass() -> TakeTurnResponse:
    """Answers with an empty message where it can only pass."""
    return TakeTurnResponse()


@misspelling("q.coordinate.required", *WHERE_TILES_FIT)
def places_without_row(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the row of a placement."""
    return without_field(reply, f"{FIRST}.row")


@misspelling("q.coordinate.required", *WHERE_TILES_FIT)
def places_without_column(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the column of a placement."""
    return without_field(reply, f"{FIRST}.column")


@misspelling("q.coordinate.required", "q.hand.last-tile", "q.fit.long-line", in_row_zero=True)
def leaves_out_zero(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the row of a placement where it is 0."""
    return without_field(reply, f"{FIRST}.row")


@misspelling("q.tile.required", DRAWN_STATES, "q.hand.equal-tiles")
def places_without_tile(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Leaves out the tile of a placement."""
    return without_field(reply, f"{FIRST}.tile")


# What is out of range


@misspelling("q.tile.known", *WHERE_TILES_FIT)
def places_unknown_tile(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Names a tile one behind the last."""
    return with_field(reply, f"{FIRST}.tile", rules.KINDS + 1)


@misspelling("q.tile.known", *WHERE_TILES_FIT)
def places_negative_tile(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Gives a tile a negative number."""
    return with_field(reply, f"{FIRST}.tile", -1)


@misspelling("q.coordinate.range", *WHERE_TILES_FIT)
def places_beyond_last_row(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Places a tile behind the last row that there is."""
    return with_field(reply, f"{FIRST}.row", FARTHEST + 1)


@misspelling("q.coordinate.range", *WHERE_TILES_FIT)
def places_beyond_first_column(reply: TakeTurnResponse) -> TakeTurnResponse | None:
    """Places a tile far before the first column that there is."""
    return with_field(reply, f"{FIRST}.column", -(2**31))


@extending("q.coordinate.range", "q.map.last-row", "q.map.first-column")
def steps_over_the_edge(view: View) -> Iterable[Placed]:
    """Goes on placing tiles where the map has come to its edge."""
    cells = (side for cell in view.board.tiles if FARTHEST in map(abs, cell) for side in sides(*cell))
    outside = (cell for cell in cells if max(map(abs, cell)) > FARTHEST)
    return ((Placement(*cell, tile),) for cell in outside for tile in sorted(set(view.hand)))


# Pass and replace


@answering("q.replace.pile", "q.turn.only-pass", "q.replace.one-short", "q.pile.empty", only=situations.pile_too_small)
def replaces_from_small_pile() -> TakeTurnResponse:
    """Replaces its hand though the pile holds fewer tiles."""
    return reply_of(rules.REPLACE)


@answering("q.replace.pile", "q.replace.one-short", "q.turn.only-pass", only=situations.pile_one_short)
def replaces_one_short() -> TakeTurnResponse:
    """Replaces its hand where the pile holds one tile less."""
    return reply_of(rules.REPLACE)


@answering("q.replace.pile", "q.replace.one-short", only=situations.pile_of_six_too_small)
def replaces_by_six() -> TakeTurnResponse:
    """Replaces its hand wherever the pile holds six tiles, though the hand is larger."""
    return reply_of(rules.REPLACE)


@answering(
    "q.replace.pile",
    "q.pile.empty",
    "q.resume.after-eliminations",
    "q.round.nobody-has-placed",
    only=situations.pile_empty,
)
def replaces_from_empty_pile() -> TakeTurnResponse:
    """Replaces its hand where the pile is empty."""
    return reply_of(rules.REPLACE)


@answering("q.extension.not-empty", *ANYWHERE, "q.replace.just-enough")
def extends_by_nothing() -> TakeTurnResponse:
    """Answers with an extension without tiles."""
    return reply_of(Extension(()))


@answering(
    "q.extension.not-empty",
    "q.turn.only-pass",
    "q.turn.only-replace",
    "q.replace.just-enough",
    "q.round.nobody-has-placed",
    only=situations.nothing_fits,
)
def extends_by_nothing_for_pass() -> TakeTurnResponse:
    """Answers with an extension without tiles where no tile fits."""
    return reply_of(Extension(()))


@answering("q.extension.not-empty", "q.hand.empty", only=situations.no_hand)
def extends_by_empty_hand() -> TakeTurnResponse:
    """Places its whole hand where that is empty."""
    return reply_of(Extension(()))


MUTATIONS = collect_mutations(globals())
