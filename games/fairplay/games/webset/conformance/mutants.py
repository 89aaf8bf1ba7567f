"""Wrong answers to the referee of Webset, each caught by the cases that it names.

An act that is none eliminates its player. All else costs points or is refused, and only the suite minds:
see `games.webset.forgiven`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, Mutate, choose, only_if, put, whole_game
from fairplay.games.webset import rules
from fairplay.games.webset.conformance import wrong_moves as slips
from fairplay.games.webset.rules.cards import EMPTY
from fairplay.webset.v1.webset_player_pb2 import (
    ACTION_CALL_SET,
    ACTION_END_SOLUTIONS,
    ACTION_MORE_CARDS,
    ACTION_NOTHING,
    ACTION_SHOW_SOLUTIONS,
    ActRequest,
    ActResponse,
    PickCardsRequest,
    PickCardsResponse,
)

Cases: TypeAlias = tuple[str, ...]

REQUIRED = "webset.act.required"
SET, THREE, RANGE = "webset.take.set", "webset.take.three", "webset.take.card-range"
DISTINCT, ON_TABLE = "webset.take.distinct", "webset.take.on-table"
ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
UNKNOWN_ACTION, GREATEST_ACTION = 6, 2**31 - 1
FAR_CARD = 2**32 - 1


def _malformed(name: str, sentence: str, cases: Cases, action: int, only: slips.Room | None = None) -> Mutation:
    """Acts in a way that there is not; 0: says nothing at all."""
    return Mutation(name, sentence, "Act", REQUIRED, cases, only_if(only, put("action", action)))


def _refused(name: str, sentence: str, cases: Cases, action: int, only: slips.Room) -> Mutation:
    """Does something that is refused."""
    return Mutation(name, sentence, "Act", "", cases, only_if(only, put("action", action)))


def _says(name: str, sentence: str, cases: Cases, cards: Sequence[int], only: slips.Room | None = None) -> Mutation:
    """Names the same cards whatever is on the table."""
    return Mutation(name, sentence, "PickCards", "", cases, only_if(only, put("cards", list(cards))))


def _part(name: str, sentence: str, cases: Cases, count: int, only: slips.Room | None = None) -> Mutation:
    """Names so many cards of a set."""

    def spoil(request: PickCardsRequest, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
        return PickCardsResponse(cards=reply.cards[:count]) if len(reply.cards) > count else None

    return Mutation(name, sentence, "PickCards", "", cases, only_if(only, spoil))


def _picks(
    name: str, sentence: str, rule: str, cases: Cases, wrong: slips.Wrong, only: slips.Room | None = None
) -> Mutation:
    """Picks such cards, of which those count that break the rule."""
    return Mutation(name, sentence, "PickCards", "", cases, only_if(only, _spoil(rule, wrong)))


def _spoil(rule: str, wrong: slips.Wrong) -> Mutate:
    def spoil(request: PickCardsRequest, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
        state = slips.seen(request.state)
        choices = (cards for cards in wrong(state, tuple(reply.cards)) if rules.take_violation(state, cards) == rule)
        cards = choose(choices, rng)
        return None if cards is None else PickCardsResponse(cards=cards)

    return spoil


def _nothing_is_zero(request: ActRequest, reply: ActResponse, rng: Random) -> ActResponse | None:
    return ActResponse() if reply.action == ACTION_NOTHING else None


FAULTS: tuple[Mutation, ...] = (
    # Act: form
    _malformed(
        "acts-without-action",
        "Answers Act without an action.",
        (
            *ANYWHERE,
            "webset.act.not-listed",
            "webset.race.held",
            "webset.race.handicaps",
            "webset.profile.seed",
            "webset.profile.published",
        ),
        0,
    ),
    _malformed("acts-unknown", "Answers Act with an action that there is not.", ANYWHERE, UNKNOWN_ACTION),
    _malformed(
        "acts-far-off",
        "Answers Act with the greatest number there is.",
        (*ANYWHERE, "webset.seats.last-of-eight"),
        GREATEST_ACTION,
    ),
    _malformed("acts-negative", "Answers Act with a number below zero.", ANYWHERE, -1),
    Mutation(
        "leaves-out-nothing",
        "Leaves out the action where it wants to do nothing.",
        "Act",
        REQUIRED,
        ("webset.more.already-asked", "webset.lockout.own"),
        _nothing_is_zero,
    ),
    _malformed(
        "acts-without-action-as-last-of-eight",
        "Answers Act without an action, but only where there are seven others before it.",
        ("webset.seats.last-of-eight", whole_game(7, 8)),
        0,
        slips.last_of_eight,
    ),
    _malformed(
        "acts-without-action-alone",
        "Answers Act without an action where all others are locked out.",
        ("webset.lockout.others",),
        0,
        slips.others_are_locked,
    ),
    _malformed(
        "acts-without-action-while-showing",
        "Answers Act without an action where solutions are shown.",
        ("webset.show.running",),
        0,
        slips.showing,
    ),
    _malformed(
        "acts-without-action-after-others",
        "Answers Act without an action after somebody else has taken a set.",
        ("webset.resume.others-call",),
        0,
        slips.others_got_set,
    ),
    _malformed(
        "acts-without-action-when-late",
        "Answers Act without an action where numbers are large.",
        ("webset.resume.late",),
        0,
        slips.late,
    ),
    # Act: what is refused
    _refused(
        "asks-referee-for-more",
        "Asks for more cards where the referee deals by itself.",
        ("webset.act.not-listed",),
        ACTION_MORE_CARDS,
        slips.dealt_by_referee,
    ),
    _refused(
        "asks-full-table-for-more",
        "Asks for more cards where the table is full.",
        ("webset.more.full-table",),
        ACTION_MORE_CARDS,
        slips.full_table,
    ),
    _refused(
        "asks-empty-deck-for-more",
        "Asks for more cards where the deck is empty.",
        ("webset.more.empty-deck",),
        ACTION_MORE_CARDS,
        slips.deck_is_empty,
    ),
    _refused(
        "asks-for-more-twice",
        "Asks for more cards again before others have.",
        ("webset.more.already-asked",),
        ACTION_MORE_CARDS,
        slips.asked_for_more,
    ),
    _refused(
        "asks-for-more-though-sets",
        "Asks for more cards where there are sets, and again after it was refused.",
        ("webset.more.though-sets",),
        ACTION_MORE_CARDS,
        slips.more_of_sets,
    ),
    _refused(
        "asks-for-more-while-showing",
        "Asks for more cards while solutions are shown.",
        ("webset.show.running",),
        ACTION_MORE_CARDS,
        slips.showing,
    ),
    _refused(
        "shows-what-may-not-be-shown",
        "Has solutions shown where that is not allowed.",
        ("webset.act.not-listed",),
        ACTION_SHOW_SOLUTIONS,
        slips.off(ACTION_SHOW_SOLUTIONS),
    ),
    _refused(
        "shows-what-there-is-not",
        "Has solutions shown where there are none, and again after it was refused.",
        ("webset.show.no-sets",),
        ACTION_SHOW_SOLUTIONS,
        slips.show_of_no_set,
    ),
    _refused(
        "ends-what-is-not-shown",
        "Ends a showing where nothing is shown.",
        ("webset.act.not-listed",),
        ACTION_END_SOLUTIONS,
        slips.off(ACTION_END_SOLUTIONS),
    ),
    _refused(
        "calls-while-showing",
        "Calls a set while solutions are shown.",
        ("webset.show.running",),
        ACTION_CALL_SET,
        slips.showing,
    ),
    _refused(
        "calls-while-locked",
        "Calls a set where it is locked out.",
        ("webset.lockout.own",),
        ACTION_CALL_SET,
        slips.locked,
    ),
    _refused(
        "calls-without-set",
        "Calls a set where there is none, and has nothing to pick.",
        ("webset.more.if-no-set", "webset.more.all-agree", "webset.more.already-asked", "webset.show.no-sets"),
        ACTION_CALL_SET,
        slips.call_of_no_set,
    ),
    # PickCards: form
    _says(
        "picks-nothing",
        "Picks no cards after its call.",
        ("webset.set.only-one", "webset.set.all-different", "webset.set.near-misses"),
        (),
        slips.in_call,
    ),
    _part("picks-one", "Picks one card.", (*ANYWHERE, "webset.race.handicaps"), 1),
    _part(
        "picks-two",
        "Picks two cards, from which the third one follows.",
        (*ANYWHERE, "webset.resume.own-call", "webset.lockout.others"),
        2,
    ),
    _part(
        "picks-two-in-rounds",
        "Picks two cards where it could have passed.",
        ("webset.rounds.earliest",),
        2,
        slips.in_round,
    ),
    _part(
        "picks-two-at-the-end",
        "Picks two cards where the deck is empty.",
        ("webset.set.last-of-game", "webset.table.empty-deck", WHOLE_GAME),
        2,
        slips.deck_is_empty,
    ),
    _picks(
        "picks-four", "Picks a set and another card.", THREE, (*ANYWHERE, "webset.profile.seed"), slips.with_one_more
    ),
    _picks("picks-all-sets", "Picks all sets at once.", THREE, ANYWHERE, slips.all_sets),
    _picks("picks-card-twice", "Picks one of two cards twice.", DISTINCT, ANYWHERE, slips.twice),
    _picks(
        "picks-card-thrice",
        "Picks the same card three times, as its values are all alike.",
        DISTINCT,
        (*ANYWHERE, "webset.profile.published"),
        slips.thrice,
    ),
    _says("picks-empty-slots", "Picks the number that stands in empty slots.", ANYWHERE, (EMPTY,) * 3),
    _says("picks-far-card", "Picks the greatest numbers there are.", ANYWHERE, (FAR_CARD, FAR_CARD - 1, FAR_CARD - 2)),
    _picks(
        "picks-hole",
        "Takes an empty slot between cards for a card.",
        RANGE,
        ("webset.table.holes",),
        slips.with_hole,
    ),
    _picks(
        "picks-from-full-deck",
        "Picks cards with two or three symbols where there are none.",
        RANGE,
        ("webset.set.small-deck",),
        slips.of_full_deck,
        slips.small_deck,
    ),
    # PickCards: what is not there
    _picks(
        "picks-slots",
        "Picks the places of cards.",
        ON_TABLE,
        ("webset.table.large-numbers", WHOLE_GAME),
        slips.places,
    ),
    _picks("counts-from-one", "Picks numbers that are too great by one.", ON_TABLE, (WHOLE_GAME,), slips.from_one),
    _picks(
        "picks-taken-cards",
        "Picks a set again that was taken before.",
        ON_TABLE,
        (WHOLE_GAME, "webset.table.changes", "webset.resume.own-call", "webset.resume.others-call"),
        slips.taken_by_anyone,
    ),
    _picks(
        "picks-absent-card",
        "Picks the third card of a set, though it is not on the table.",
        ON_TABLE,
        (*ANYWHERE, "webset.rounds.earliest", "webset.set.last-of-game", "webset.table.empty-deck"),
        slips.absent_third,
    ),
    # PickCards: what is no set
    *(
        _picks(
            f"misjudges-{name}s",
            f"Takes no notice of {name}s: picks cards that would be a set without them.",
            SET,
            ("webset.set.near-misses",),
            slips.misjudged(aspect),
        )
        for aspect, name in enumerate(("number", "colour", "symbol", "shading"))
    ),
    _picks(
        "guesses",
        "Picks any three cards of the table that are no set.",
        SET,
        ("webset.set.only-one", "webset.set.all-different", "webset.more.full-table", "webset.more.empty-deck"),
        slips.any_three,
    ),
    _picks(
        "wants-something-alike",
        "Never picks cards that differ in all aspects, but others instead.",
        SET,
        ("webset.set.all-different",),
        slips.any_three,
        slips.only_all_different,
    ),
    _picks(
        "guesses-in-rounds",
        "Picks cards in a round without a set, in the place of passing.",
        SET,
        ("webset.rounds.no-set",),
        slips.any_three,
        slips.round_of_no_set,
    ),
)
