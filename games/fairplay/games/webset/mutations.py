"""Wrong answers to the referee of Webset: each is caught by the cases that it names.

An unknown act eliminates its player. Everything else costs points or is refused, and is an infraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple

from fairplay.games.conformance import Failing
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    KNOWN_VALUES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Breaking,
    Mutate,
    Wrong,
    build_mutations,
    changing,
    whole_game,
)
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import CARDS, EMPTY, Cards, deck_of, differing, misfits, third
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import State, on_table, solutions
from fairplay.webset.v1 import webset_pb2 as pb
from fairplay.webset.v1 import webset_player_pb2 as messages
from fairplay.webset.v1.webset_player_pb2 import (
    ActRequest,
    ActResponse,
    PickCardsRequest,
    PickCardsResponse,
)

ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
NO_ACTION = messages.ACTION_UNSPECIFIED
CALL, MORE = messages.ACTION_CALL_SET, messages.ACTION_MORE_CARDS
SHOW, END_SHOW = messages.ACTION_SHOW_SOLUTIONS, messages.ACTION_END_SOLUTIONS
UNKNOWN_ACTION, GREATEST_ACTION = 6, 2**31 - 1
FAR_CARD = 2**32 - 1
USUAL_SLOTS = 21


class Seen(NamedTuple):
    """What is visible, and sound cards."""

    state: State
    sound: Cards


def act(action: int, cases: Iterable[str], only: Callable[[Any], bool] | None = None) -> Wrong:
    """Return the wrong answer to Act with an action: none or an unknown one breaks a rule, others are refused."""
    rule = "" if action and action in messages.Action.values() else "act.required"
    return Wrong("Act", rule, changing("action", action), [*cases], only)


def picking(make: Callable[[Cards], Cards | None]) -> Mutate:
    """Return what picks cards that are made of the sound ones, if there are any."""

    def mutate(request: Any, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
        cards = make(tuple(reply.cards)) if reply.cards else None
        return None if cards is None else PickCardsResponse(cards=cards)

    return mutate


def first(count: int) -> Mutate:
    """Return what picks only the first of sound cards, where there are more."""
    return picking(lambda sound: sound[:count] if len(sound) > count else None)


cards_reply = partial(Wrong, "PickCards", "")
pick: Breaking[Seen, Cards] = Breaking(
    "webset",
    "PickCards",
    lambda request, reply: Seen(visible_state(request), tuple(reply.cards)),
    lambda seen, cards: takes.take_violation(seen.state, cards),
    lambda cards: PickCardsResponse(cards=cards),
    infraction=True,
)


# Cards


def one_twice(seen: Seen) -> Iterable[Cards]:
    """Return all pairs of cards on the table with the first of them named twice."""
    return [(card, card, other) for card, other in combinations(on_table(seen.state), 2)]


def triples(seen: Seen) -> Iterable[Cards]:
    """Return all triples of cards on the table, the first ones first."""
    return combinations(on_table(seen.state), 3)


def all_sets(seen: Seen) -> Iterable[Cards]:
    """Return the cards of all sets in one, where there are several sets."""
    found = solutions(seen.state)
    return [tuple([card for triple in found for card in triple])] if len(found) > 1 else []


def with_hole(seen: Seen) -> Iterable[Cards]:
    """Return two sound cards and an empty slot, where one lies between cards."""
    state = seen.state
    slots = [slot for slot, card in enumerate(state.table) if card != EMPTY]
    return [(*seen.sound[:2], EMPTY)] if state.deck and EMPTY in state.table[: max(slots)] else []


def of_full_deck(seen: Seen) -> Iterable[Cards]:
    """Return sound cards with two or three symbols more."""
    small = len(deck_of(seen.state.settings.aspects))
    return [tuple([card + step * small for card in seen.sound]) for step in (1, 2)]


def slots_of(seen: Seen) -> Iterable[Cards]:
    """Return the slots of sound cards in their place."""
    table = seen.state.table
    return [tuple([table.index(card) for card in seen.sound])] if set(seen.sound) <= set(table) else []


def misjudging(aspect: int) -> Callable[[Seen], Iterable[Cards]]:
    """Return what finds the cards that would be a set without an aspect."""
    return lambda seen: (triple for triple in triples(seen) if misfits(triple) == (aspect,))


# What a request shows


def visible_state(request: ActRequest | PickCardsRequest) -> State:
    """Return what a player is shown. The number of aspects is not part of that, but follows from that of the cards."""
    return codec.read_view(request.state, settings_of(aspects=3 if small_deck(request) else 4, table=9, max_table=27))


def small_deck(request: ActRequest | PickCardsRequest) -> bool:
    """Return whether the game has 27 cards."""
    state = request.state
    lying = sum(slot != EMPTY for slot in state.slots)
    return lying + sum(len(player.cards) for player in state.players) + state.deck_left + len(state.discarded) < CARDS


def without_set(request: ActRequest | PickCardsRequest) -> bool:
    """Return whether there is no set on the table."""
    return not solutions(visible_state(request))


def listed(action: int, *, with_set: bool) -> Callable[[ActRequest], bool]:
    """Return the situation in which an action may be tried, and there is a set or none."""
    return lambda request: action in request.actions and without_set(request) != with_set


def unlisted(action: int) -> Callable[[ActRequest], bool]:
    """Return the situation in which an action may not be tried."""
    return lambda request: action not in request.actions


def showing(request: ActRequest) -> bool:
    """Return whether solutions are shown."""
    return request.state.phase == pb.PHASE_SHOWING


def deck_empty(request: ActRequest | PickCardsRequest) -> bool:
    """Return whether the deck is empty."""
    return not request.state.deck_left


def asked_for_more(request: ActRequest) -> bool:
    """Return whether the player has asked for more cards."""
    return request.state.players[request.seat].voted


def table_full(request: ActRequest) -> bool:
    """Return whether there is a card in each slot, of which there are 21 or more."""
    return len(request.state.slots) >= USUAL_SLOTS and EMPTY not in request.state.slots


def dealt_by_referee(request: ActRequest) -> bool:
    """Return whether the player may not ask for more cards although there is room, and has not asked before."""
    room = request.state.phase == pb.PHASE_OPEN and request.state.deck_left and not table_full(request)
    return bool(room) and MORE not in request.actions and not asked_for_more(request)


def happened_to_others(kind: int) -> Callable[[ActRequest], bool]:
    """Return the situation in which the player is told of such an event of somebody else."""
    return lambda request: any(event.kind == kind and event.seat != request.seat for event in request.events)


def told(status: int) -> Callable[[ActRequest], bool]:
    """Return the situation in which the player is told this outcome of its own act."""
    return lambda request: request.status == status


def below_zero(request: ActRequest) -> bool:
    """Return whether all players have less than no points."""
    return all(player.points < 0 for player in request.state.players)


def others_locked(request: ActRequest) -> bool:
    """Return whether all others are locked out."""
    return all(player.locked for seat, player in enumerate(request.state.players) if seat != request.seat)


def alone(request: ActRequest | PickCardsRequest) -> bool:
    """Return whether nobody else plays."""
    return len(request.state.players) == 1


def four_or_more(request: PickCardsRequest) -> bool:
    """Return whether four players or more play."""
    return len(request.state.players) > 3


SILENT = {
    ("when-idle", "where all have done nothing before"): ("race.idle", lambda request: request.idle_count > 0),
    ("after-a-wrong-call", "where somebody else has picked wrong cards"): (
        "race.wrong-calls",
        happened_to_others(pb.EVENT_KIND_BAD_SET),
    ),
    ("after-a-late-call", "where a call of somebody else has expired"): (
        "race.late-calls",
        happened_to_others(pb.EVENT_KIND_CALL_EXPIRED),
    ),
    ("after-its-own-wrong-call", "where it is told that it has picked wrong cards"): (
        "resume.own-wrong-call",
        told(messages.STATUS_BAD_SET),
    ),
    ("after-its-own-late-call", "where it is told that its call has expired"): (
        "resume.own-late-call",
        told(messages.STATUS_CALL_EXPIRED),
    ),
    ("after-its-own-refusal", "where it is told that its act is not possible now"): (
        "resume.own-refusal",
        told(messages.STATUS_NOT_NOW),
    ),
    ("alone", "where all others are locked out"): ("lockout.others", others_locked),
    ("while-showing", "where solutions are shown"): ("show.running", showing),
    ("after-others", "after somebody else has taken a set"): (
        "resume.others-call",
        happened_to_others(pb.EVENT_KIND_GOT_SET),
    ),
    ("below-zero", "where all have less than no points"): ("resume.below-zero", below_zero),
    ("when-late", "where numbers are large"): ("resume.late", lambda request: request.state.act_count >= 9_000),
}
"""Situations in which alone some players have no action, and the cases of them."""

WRONG_ANSWERS = {
    # Act: form
    "acts-without-action: Answers Act without an action.": act(
        NO_ACTION,
        [
            *ANYWHERE,
            *("act.not-listed", "more.freed", "lockout.alone", "race.held", "race.handicaps"),
            *("profile.seed", "profile.published"),
        ],
    ),
    "acts-without-action-as-last-of-eight: Answers Act without an action, but only where there are seven others before "
    "it.": act(NO_ACTION, ["seats.last-of-eight", whole_game(7, 8)], lambda request: request.seat == 7),
    "acts-without-action-as-the-only-player: Answers Act without an action, but only where nobody else plays.": act(
        NO_ACTION, ["rules.unusual-settings"], alone
    ),
    "acts-unknown: Answers Act with an action that there is not.": act(UNKNOWN_ACTION, ANYWHERE),
    "acts-far-off: Answers Act with the greatest number there is.": act(
        GREATEST_ACTION, [*ANYWHERE, "seats.last-of-eight"]
    ),
    "acts-negative: Answers Act with a number below zero.": act(-1, ANYWHERE),
    "leaves-out-nothing: Leaves out the action where it wants to do nothing.": Wrong(
        "Act",
        "act.required",
        lambda request, reply, rng: ActResponse() if reply.action == messages.ACTION_NOTHING else None,
        ["more.already-asked", "lockout.own"],
    ),
    # Act: refused
    "asks-referee-for-more: Asks for more cards where the referee deals by itself.": act(
        MORE, ["act.not-listed"], dealt_by_referee
    ),
    "asks-full-table-for-more: Asks for more cards where the table is full.": act(
        MORE, ["more.full-table"], table_full
    ),
    "asks-empty-deck-for-more: Asks for more cards where the deck is empty.": act(
        MORE, ["more.empty-deck"], deck_empty
    ),
    "asks-for-more-twice: Asks for more cards again before others have.": act(
        MORE, ["more.already-asked"], asked_for_more
    ),
    "asks-for-more-though-sets: Asks for more cards where there are sets, and again after it was refused.": act(
        MORE, ["more.though-sets"], listed(MORE, with_set=True)
    ),
    "asks-for-more-while-showing: Asks for more cards while solutions are shown.": act(MORE, ["show.running"], showing),
    "shows-what-may-not-be-shown: Has solutions shown where that is not allowed.": act(
        SHOW, ["act.not-listed"], unlisted(SHOW)
    ),
    "shows-what-there-is-not: Has solutions shown where there are none, and again after it was refused.": act(
        SHOW, ["show.no-sets"], listed(SHOW, with_set=False)
    ),
    "ends-what-is-not-shown: Ends a showing where nothing is shown.": act(
        END_SHOW, ["act.not-listed"], unlisted(END_SHOW)
    ),
    "calls-while-showing: Calls a set while solutions are shown.": act(CALL, ["show.running"], showing),
    "calls-while-locked: Calls a set where it is locked out.": act(
        CALL, ["lockout.own"], lambda request: request.state.players[request.seat].locked
    ),
    "calls-without-set: Calls a set where there is none, and has nothing to pick.": act(
        CALL, ["more.if-no-set", "more.all-agree", "more.already-asked", "show.no-sets"], listed(CALL, with_set=False)
    ),
    # PickCards: form
    "picks-nothing: Picks no cards after its call.": cards_reply(
        changing("cards", []),
        ["set.only-one", "set.all-different", "set.near-misses"],
        lambda request: not request.may_skip,
    ),
    "picks-one: Picks one card.": cards_reply(first(1), [*ANYWHERE, "race.handicaps"]),
    "picks-one-alone: Picks one card, but only where nobody else plays.": cards_reply(
        first(1), ["rules.unusual-settings"], alone
    ),
    "picks-two: Picks two cards, from which the third one follows.": cards_reply(
        first(2), [*ANYWHERE, "resume.own-call", "lockout.others"]
    ),
    "picks-two-in-rounds: Picks two cards where it could have passed.": cards_reply(
        first(2), ["rounds.earliest"], lambda request: request.may_skip
    ),
    "picks-two-at-the-end: Picks two cards where the deck is empty.": cards_reply(
        first(2), ["set.last-of-game", "table.empty-deck", WHOLE_GAME], deck_empty
    ),
    "picks-four: Picks a set and another card.": pick(
        "take.three",
        lambda seen: [(*seen.sound, card) for card in on_table(seen.state) if card not in seen.sound],
        [*ANYWHERE, "profile.seed", "resume.own-picks", "resume.within-own-call"],
    ),
    "picks-all-sets: Picks all sets at once.": pick("take.three", all_sets, ANYWHERE),
    "picks-card-twice: Picks one of two cards twice.": pick(
        "take.distinct",
        lambda seen: [(one, one, other) for one, other in permutations(on_table(seen.state), 2)],
        ANYWHERE,
    ),
    "picks-card-thrice: Picks the same card three times, as its values are all alike.": pick(
        "take.distinct", lambda seen: [(card,) * 3 for card in on_table(seen.state)], [*ANYWHERE, "profile.published"]
    ),
    "picks-empty-slots: Picks the number that stands in empty slots.": cards_reply(
        changing("cards", [EMPTY] * 3), ANYWHERE
    ),
    "picks-far-card: Picks the greatest numbers there are.": cards_reply(
        changing("cards", [FAR_CARD, FAR_CARD - 1, FAR_CARD - 2]), ANYWHERE
    ),
    "picks-hole: Takes an empty slot between cards for a card.": pick("take.card-range", with_hole, ["table.holes"]),
    "picks-from-full-deck: Picks cards with two or three symbols where there are none.": pick(
        "take.card-range", of_full_deck, ["set.small-deck"], small_deck
    ),
    # PickCards: not on the table
    "picks-slots: Picks the places of cards.": pick("take.on-table", slots_of, ["table.large-numbers", WHOLE_GAME]),
    "counts-from-one: Picks numbers that are too great by one.": pick(
        "take.on-table", lambda seen: [tuple([card + 1 for card in seen.sound])], [WHOLE_GAME]
    ),
    "picks-taken-cards: Picks a set again that was taken before.": pick(
        "take.on-table",
        lambda seen: [player.cards[-3:] for player in seen.state.players if player.cards],
        [WHOLE_GAME, "table.changes", "resume.own-call", "resume.others-call"],
    ),
    "picks-absent-card: Picks the third card of a set, though it is not on the table.": pick(
        "take.on-table",
        lambda seen: ((one, other, third(one, other)) for one, other in combinations(on_table(seen.state), 2)),
        [*ANYWHERE, "rounds.earliest", "set.last-of-game", "table.empty-deck"],
    ),
    "believes-in-81-cards: Picks a card that is not in the game where four players or more play with 27 cards.": pick(
        "take.card-range",
        lambda seen: [(*seen.sound[:2], 80)] if len(seen.sound) > 2 else [],
        [UNUSUAL_SETTINGS],
        lambda request: four_or_more(request) and small_deck(request),
    ),
    "picks-card-twice-in-rounds: Picks a card twice where four players or more play in rounds.": pick(
        "take.distinct", one_twice, [UNUSUAL_SETTINGS], lambda request: four_or_more(request) and request.may_skip
    ),
    # PickCards: in a puzzle
    "names-sets-twice: Names each set of a puzzle twice, with its cards in another order.": cards_reply(
        picking(lambda sound: (*sound, *reversed(sound))), ["rounds.puzzle"], lambda request: request.all_sets
    ),
    "names-pairs: Leaves out the last card of a puzzle, as it follows from the others.": cards_reply(
        picking(lambda sound: sound[:-1]),
        ["rounds.puzzle", "rounds.puzzle-of-many-sets"],
        lambda request: request.all_sets,
    ),
    "picks-card-twice-when-idle: Picks a card twice where all have passed before.": pick(
        "take.distinct", one_twice, ["rounds.idle"], lambda request: request.idle_count > 0
    ),
    "picks-card-twice-when-idle-for-long: Picks a card twice where all have passed more than five times.": pick(
        "take.distinct", one_twice, ["rounds.idle"], lambda request: request.idle_count > 5
    ),
    "picks-card-twice-of-many: Picks a card twice where there are more than seven columns of cards.": pick(
        "take.distinct", one_twice, ["table.widest"], lambda request: len(request.state.slots) > USUAL_SLOTS
    ),
    "picks-card-twice-where-singly: Picks a card twice where it may pick cards one by one.": pick(
        "take.distinct", one_twice, ["race.one-by-one"], lambda request: request.one_by_one
    ),
    # PickCards: one by one
    "repeats-what-it-has-picked: Names the cards again that it has picked so far, where it picks them one by one.": (
        cards_reply(
            lambda request, reply, rng: PickCardsResponse(cards=request.state.picked) if request.state.picked else None,
            ["resume.own-picks", "resume.within-own-call"],
            lambda request: request.one_by_one,
        )
    ),
    "picks-what-is-not-there: Begins with a card that is not on the table, where it picks them one by one.": pick(
        "take.three",
        lambda seen: [(card,) for card in range(CARDS) if card not in seen.state.table],
        ["race.one-by-one", "resume.own-picks"],
        lambda request: request.one_by_one,
    ),
    # PickCards: no set
    **{
        f"misjudges-{name}s: Takes no notice of {name}s: picks cards that would be a set without them.": pick(
            "take.set", misjudging(aspect), ["set.near-misses"]
        )
        for aspect, name in enumerate(("number", "colour", "symbol", "shading"))
    },
    "guesses: Picks any three cards of the table that are no set.": pick(
        "take.set", triples, ["set.only-one", "set.all-different", "more.full-table", "more.empty-deck"]
    ),
    "wants-something-alike: Never picks cards that differ in all aspects, but others instead.": pick(
        "take.set",
        triples,
        ["set.all-different"],
        lambda request: all(len(differing(triple)) == 4 for triple in solutions(visible_state(request))),
    ),
    "guesses-in-rounds: Picks cards in a round without a set, in the place of passing.": pick(
        "take.set", triples, ["rounds.no-set"], lambda request: request.may_skip and without_set(request)
    ),
    # Act without an action, in some situations alone
    **{
        f"acts-without-action-{name}: Answers Act without an action {words}.": act(NO_ACTION, [case], only)
        for (name, words), (case, only) in SILENT.items()
    },
}

MUTATIONS = build_mutations("webset", WRONG_ANSWERS)


def without_cards(kind: int) -> Callable[[Any], bool]:
    """Return whether a request tells of such an event, in which there are no cards."""
    return lambda request: any(event.kind == kind and not event.cards for event in getattr(request, "events", ()))


def of_rival(kind: int) -> Callable[[Any], bool]:
    """Return whether a question what to do tells of such an event that has happened to another player."""
    return lambda request: (
        isinstance(request, ActRequest)
        and any(event.kind == kind and event.seat != request.seat for event in request.events)
    )


def picked_meanwhile(request: Any) -> bool:
    """Return whether a question what to do tells of cards that were picked one by one."""
    events = request.events if isinstance(request, ActRequest) else ()
    return any(event.kind == pb.EVENT_KIND_PICKED for event in events)


FAILING = (
    Failing(
        "fails-as-cards-are-put-back",
        "Raises an exception where it is told of picked cards, and there are none any more.",
        ("webset.race.put-back",),
        without_cards(pb.EVENT_KIND_PICKED),
    ),
    Failing(
        "fails-as-nothing-is-solved",
        "Raises an exception where it is told of a solved puzzle of which somebody has named no set.",
        ("webset.rounds.puzzle-in-vain",),
        without_cards(pb.EVENT_KIND_SOLVED),
    ),
    Failing(
        "fails-as-picks-are-told-with-a-question",
        "Raises an exception where it is asked to act and told of picked cards, as no report has told of them.",
        (KNOWN_VALUES,),
        picked_meanwhile,
    ),
    Failing(
        "fails-as-others-pick-no-set",
        "Raises an exception where it is asked to act and told that another one has picked wrong cards.",
        ("webset.race.wrong-calls",),
        of_rival(pb.EVENT_KIND_BAD_SET),
    ),
    Failing(
        "fails-as-others-are-late",
        "Raises an exception where it is asked to act and told that the call of another one has expired.",
        ("webset.race.late-calls",),
        of_rival(pb.EVENT_KIND_CALL_EXPIRED),
    ),
    Failing(
        "is-silent-at-very-many-sets",
        "Never answers where it is asked to act on all cards of the small deck, which have 117 sets.",
        ("webset.table.whole-deck",),
        lambda request: isinstance(request, ActRequest) and {*range(27)}.issubset(request.state.slots),
        is_silent=True,
    ),
    Failing(
        "is-silent-in-rounds-without-a-set",
        "Never answers in a round without a set, as no answer is a pass.",
        ("webset.rounds.no-set",),
        lambda request: getattr(request, "may_skip", False) and without_set(request),
        is_silent=True,
    ),
)
