"""Wrong answers to the referee of Webset: each is caught by the cases that it names.

An unknown act eliminates its player. Everything else costs points or is refused, and is an infraction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, permutations
from random import Random
from typing import Any, TypeAlias

from fairplay.games.conformance import Mutation
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    build_mutation,
    choose,
    collect_mutations,
    mutation,
    whole_game,
    with_field,
)
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import CARDS, EMPTY, Cards, deck_of, differing, misfits, third
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import State, on_table, solutions
from fairplay.webset.v1 import webset_pb2 as pb
from fairplay.webset.v1 import webset_player_pb2 as messages
from fairplay.webset.v1.webset_player_pb2 import ActRequest, ActResponse, PickCardsRequest, PickCardsResponse

Wrong: TypeAlias = Callable[[State, Cards], Iterable[Cards]]
"""(what is visible, sound cards) -> wrong cards."""
Room: TypeAlias = Callable[[Any], bool] | None
"""Request -> whether it leaves room for the mistake; None: all do."""

REQUIRED = "webset.act.required"
SET, THREE, RANGE = "webset.take.set", "webset.take.three", "webset.take.card-range"
DISTINCT, ON_TABLE = "webset.take.distinct", "webset.take.on-table"
ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
NO_ACTION, NOTHING = messages.ACTION_UNSPECIFIED, messages.ACTION_NOTHING
CALL, MORE = messages.ACTION_CALL_SET, messages.ACTION_MORE_CARDS
SHOW, END_SHOW = messages.ACTION_SHOW_SOLUTIONS, messages.ACTION_END_SOLUTIONS
UNKNOWN_ACTION, GREATEST_ACTION = 6, 2**31 - 1
FAR_CARD = 2**32 - 1
USUAL_SLOTS = 21


def acting(action: int, *cases: str, only: Room = None) -> Callable[[Callable[[], None]], Mutation]:
    """Declare a mutation that answers Act with an action: none or an unknown one breaks a rule, others are refused."""
    rule = "" if action and action in messages.Action.values() else REQUIRED
    return lambda declared: build_mutation(
        declared, "Act", rule, cases, lambda request, reply, rng: with_field(reply, "action", action), only
    )


def naming(cards: Iterable[int], *cases: str, only: Room = None) -> Callable[[Callable[[], None]], Mutation]:
    """Declare a mutation that names the same cards whatever is on the table."""
    named = list(cards)
    return lambda declared: build_mutation(
        declared, "PickCards", "", cases, lambda request, reply, rng: with_field(reply, "cards", named), only
    )


def picking(rule: str, *cases: str, only: Room = None) -> Callable[[Wrong], Mutation]:
    """Declare a mutation that picks one of the returned triples, of those that break the rule."""

    def declare(wrong: Wrong) -> Mutation:
        def mutate(request: Any, reply: Any, rng: Random) -> PickCardsResponse | None:
            state = visible_state(request)
            choices = (
                cards for cards in wrong(state, tuple(reply.cards)) if takes.take_violation(state, cards) == rule
            )
            cards = choose(choices, rng)
            return None if cards is None else PickCardsResponse(cards=cards)

        return build_mutation(wrong, "PickCards", "", cases, mutate, only)

    return declare


def first_cards(reply: PickCardsResponse, count: int) -> PickCardsResponse | None:
    """Return a reply with only the first cards, or None if there are no more."""
    return PickCardsResponse(cards=reply.cards[:count]) if len(reply.cards) > count else None


def one_twice(state: State) -> Iterable[Cards]:
    """Return all pairs of cards on the table with the first of them named twice."""
    return [(card, card, other) for card, other in combinations(on_table(state), 2)]


def triples(state: State) -> Iterable[Cards]:
    """Return all triples of cards on the table, the first ones first."""
    return combinations(on_table(state), 3)


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


# Act: form


@acting(
    NO_ACTION,
    *ANYWHERE,
    "webset.act.not-listed",
    "webset.race.held",
    "webset.race.handicaps",
    "webset.profile.seed",
    "webset.profile.published",
)
def acts_without_action() -> None:
    """Answers Act without an action."""


@acting(NO_ACTION, "webset.seats.last-of-eight", whole_game(7, 8), only=lambda request: request.seat == 7)
def acts_without_action_as_last_of_eight() -> None:
    """Answers Act without an action, but only where there are seven others before it."""


def acting_without_action(name: str, where: str, only: Callable[[Any], bool], case: str) -> Mutation:
    """Return a mutation that answers Act without an action in some situations alone."""

    def mutate(request: Any, reply: Any, rng: Random) -> ActResponse | None:
        return with_field(reply, "action", NO_ACTION) if only(request) else None

    sentence = f"Answers Act without an action {where}."
    return Mutation(f"acts-without-action-{name}", sentence, "Act", REQUIRED, (case,), mutate)


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


AFTER_WRONG, AFTER_LATE = happened_to_others(pb.EVENT_KIND_BAD_SET), happened_to_others(pb.EVENT_KIND_CALL_EXPIRED)
WITHOUT_ACTION = [
    acting_without_action(*each)
    for each in (
        ("when-idle", "where all have done nothing before", lambda request: request.idle_count > 0, "webset.race.idle"),
        ("after-a-wrong-call", "where somebody else has picked wrong cards", AFTER_WRONG, "webset.race.wrong-calls"),
        ("after-a-late-call", "where a call of somebody else has expired", AFTER_LATE, "webset.race.late-calls"),
        (
            "after-its-own-wrong-call",
            "where it is told that it has picked wrong cards",
            told(messages.STATUS_BAD_SET),
            "webset.resume.own-wrong-call",
        ),
        (
            "after-its-own-late-call",
            "where it is told that its call has expired",
            told(messages.STATUS_CALL_EXPIRED),
            "webset.resume.own-late-call",
        ),
        (
            "after-its-own-refusal",
            "where it is told that its act is not possible now",
            told(messages.STATUS_NOT_NOW),
            "webset.resume.own-refusal",
        ),
        ("alone", "where all others are locked out", others_locked, "webset.lockout.others"),
        ("while-showing", "where solutions are shown", showing, "webset.show.running"),
        (
            "after-others",
            "after somebody else has taken a set",
            happened_to_others(pb.EVENT_KIND_GOT_SET),
            "webset.resume.others-call",
        ),
        ("below-zero", "where all have less than no points", below_zero, "webset.resume.below-zero"),
        (
            "when-late",
            "where numbers are large",
            lambda request: request.state.act_count >= 9_000,
            "webset.resume.late",
        ),
    )
]


@acting(UNKNOWN_ACTION, *ANYWHERE)
def acts_unknown() -> None:
    """Answers Act with an action that there is not."""


@acting(GREATEST_ACTION, *ANYWHERE, "webset.seats.last-of-eight")
def acts_far_off() -> None:
    """Answers Act with the greatest number there is."""


@acting(-1, *ANYWHERE)
def acts_negative() -> None:
    """Answers Act with a number below zero."""


@mutation("Act", REQUIRED, "webset.more.already-asked", "webset.lockout.own")
def leaves_out_nothing(request: Any, reply: ActResponse, rng: Random) -> ActResponse | None:
    """Leaves out the action where it wants to do nothing."""
    return ActResponse() if reply.action == NOTHING else None


# Act: refused


@acting(MORE, "webset.act.not-listed", only=dealt_by_referee)
def asks_referee_for_more() -> None:
    """Asks for more cards where the referee deals by itself."""


@acting(MORE, "webset.more.full-table", only=table_full)
def asks_full_table_for_more() -> None:
    """Asks for more cards where the table is full."""


@acting(MORE, "webset.more.empty-deck", only=lambda request: not request.state.deck_left)
def asks_empty_deck_for_more() -> None:
    """Asks for more cards where the deck is empty."""


@acting(MORE, "webset.more.already-asked", only=asked_for_more)
def asks_for_more_twice() -> None:
    """Asks for more cards again before others have."""


@acting(MORE, "webset.more.though-sets", only=listed(MORE, with_set=True))
def asks_for_more_though_sets() -> None:
    """Asks for more cards where there are sets, and again after it was refused."""


@acting(MORE, "webset.show.running", only=showing)
def asks_for_more_while_showing() -> None:
    """Asks for more cards while solutions are shown."""


@acting(SHOW, "webset.act.not-listed", only=unlisted(SHOW))
def shows_what_may_not_be_shown() -> None:
    """Has solutions shown where that is not allowed."""


@acting(SHOW, "webset.show.no-sets", only=listed(SHOW, with_set=False))
def shows_what_there_is_not() -> None:
    """Has solutions shown where there are none, and again after it was refused."""


@acting(END_SHOW, "webset.act.not-listed", only=unlisted(END_SHOW))
def ends_what_is_not_shown() -> None:
    """Ends a showing where nothing is shown."""


@acting(CALL, "webset.show.running", only=showing)
def calls_while_showing() -> None:
    """Calls a set while solutions are shown."""


@acting(CALL, "webset.lockout.own", only=lambda request: request.state.players[request.seat].locked)
def calls_while_locked() -> None:
    """Calls a set where it is locked out."""


@acting(
    CALL,
    "webset.more.if-no-set",
    "webset.more.all-agree",
    "webset.more.already-asked",
    "webset.show.no-sets",
    only=listed(CALL, with_set=False),
)
def calls_without_set() -> None:
    """Calls a set where there is none, and has nothing to pick."""


# PickCards: form


@naming(
    (),
    "webset.set.only-one",
    "webset.set.all-different",
    "webset.set.near-misses",
    only=lambda request: not request.may_skip,
)
def picks_nothing() -> None:
    """Picks no cards after its call."""


@mutation("PickCards", "", *ANYWHERE, "webset.race.handicaps")
def picks_one(request: Any, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
    """Picks one card."""
    return first_cards(reply, 1)


@mutation("PickCards", "", *ANYWHERE, "webset.resume.own-call", "webset.lockout.others")
def picks_two(request: Any, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
    """Picks two cards, from which the third one follows."""
    return first_cards(reply, 2)


@mutation("PickCards", "", "webset.rounds.earliest", only=lambda request: request.may_skip)
def picks_two_in_rounds(request: Any, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
    """Picks two cards where it could have passed."""
    return first_cards(reply, 2)


@mutation(
    "PickCards",
    "",
    "webset.set.last-of-game",
    "webset.table.empty-deck",
    WHOLE_GAME,
    only=lambda request: not request.state.deck_left,
)
def picks_two_at_the_end(request: Any, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
    """Picks two cards where the deck is empty."""
    return first_cards(reply, 2)


@picking(THREE, *ANYWHERE, "webset.profile.seed")
def picks_four(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a set and another card."""
    return [(*sound, card) for card in on_table(state) if card not in sound]


@picking(THREE, *ANYWHERE)
def picks_all_sets(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks all sets at once."""
    found = solutions(state)
    return [tuple([card for triple in found for card in triple])] if len(found) > 1 else []


@picking(DISTINCT, *ANYWHERE)
def picks_card_twice(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks one of two cards twice."""
    return [(one, one, other) for one, other in permutations(on_table(state), 2)]


@picking(DISTINCT, *ANYWHERE, "webset.profile.published")
def picks_card_thrice(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks the same card three times, as its values are all alike."""
    return [(card,) * 3 for card in on_table(state)]


@naming((EMPTY,) * 3, *ANYWHERE)
def picks_empty_slots() -> None:
    """Picks the number that stands in empty slots."""


@naming((FAR_CARD, FAR_CARD - 1, FAR_CARD - 2), *ANYWHERE)
def picks_far_card() -> None:
    """Picks the greatest numbers there are."""


@picking(RANGE, "webset.table.holes")
def picks_hole(state: State, sound: Cards) -> Iterable[Cards]:
    """Takes an empty slot between cards for a card."""
    slots = [slot for slot, card in enumerate(state.table) if card != EMPTY]
    return [(*sound[:2], EMPTY)] if state.deck and EMPTY in state.table[: max(slots)] else []


@picking(RANGE, "webset.set.small-deck", only=small_deck)
def picks_from_full_deck(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks cards with two or three symbols where there are none."""
    small = len(deck_of(state.settings.aspects))
    return [tuple([card + small for card in sound]), tuple([card + 2 * small for card in sound])]


# PickCards: not on the table


@picking(ON_TABLE, "webset.table.large-numbers", WHOLE_GAME)
def picks_slots(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks the places of cards."""
    return [tuple([state.table.index(card) for card in sound])] if set(sound) <= set(state.table) else []


@picking(ON_TABLE, WHOLE_GAME)
def counts_from_one(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks numbers that are too great by one."""
    return [tuple([card + 1 for card in sound])]


@picking(ON_TABLE, WHOLE_GAME, "webset.table.changes", "webset.resume.own-call", "webset.resume.others-call")
def picks_taken_cards(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a set again that was taken before."""
    return [player.cards[-3:] for player in state.players if player.cards]


@picking(ON_TABLE, *ANYWHERE, "webset.rounds.earliest", "webset.set.last-of-game", "webset.table.empty-deck")
def picks_absent_card(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks the third card of a set, though it is not on the table."""
    return ((one, other, third(one, other)) for one, other in combinations(on_table(state), 2))


@picking(RANGE, UNUSUAL_SETTINGS, only=lambda request: len(request.state.players) > 3 and small_deck(request))
def believes_in_81_cards(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card that is not in the game where four players or more play with 27 cards."""
    return [(*sound[:2], 80)] if len(sound) > 2 else []


@picking(DISTINCT, UNUSUAL_SETTINGS, only=lambda request: len(request.state.players) > 3 and request.may_skip)
def picks_card_twice_in_rounds(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where four players or more play in rounds."""
    return one_twice(state)


# PickCards: in a puzzle


def naming_in_puzzle(wrong: Callable[[Cards], Cards]) -> Mutation:
    """Declare a mutation that names other cards than sound ones, where all sets may be named and there are some."""

    def mutate(request: Any, reply: Any, rng: Random) -> PickCardsResponse | None:
        return PickCardsResponse(cards=wrong(tuple(reply.cards))) if reply.cards else None

    return build_mutation(wrong, "PickCards", "", ("webset.rounds.puzzle",), mutate, lambda request: request.all_sets)


@naming_in_puzzle
def names_sets_twice(sound: Cards) -> Cards:
    """Names each set of a puzzle twice, with its cards in another order."""
    return (*sound, *reversed(sound))


@naming_in_puzzle
def names_pairs(sound: Cards) -> Cards:
    """Leaves out the last card of a puzzle, as it follows from the others."""
    return sound[:-1]


@picking(DISTINCT, "webset.rounds.idle", only=lambda request: request.idle_count > 0)
def picks_card_twice_when_idle(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where all have passed before."""
    return one_twice(state)


@picking(DISTINCT, "webset.rounds.idle", only=lambda request: request.idle_count > 5)
def picks_card_twice_when_idle_for_long(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where all have passed more than five times."""
    return one_twice(state)


@picking(DISTINCT, "webset.table.widest", only=lambda request: len(request.state.slots) > USUAL_SLOTS)
def picks_card_twice_of_many(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where there are more than seven columns of cards."""
    return one_twice(state)


@picking(DISTINCT, "webset.race.one-by-one", only=lambda request: request.one_by_one)
def picks_card_twice_where_singly(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where it may pick cards one by one."""
    return one_twice(state)


# PickCards: no set


def misjudging(aspect: int, name: str) -> Mutation:
    """Return a mutation that takes no notice of one aspect."""

    def misjudges(state: State, sound: Cards) -> Iterable[Cards]:
        return (triple for triple in triples(state) if misfits(triple) == (aspect,))

    misjudges.__name__ = f"misjudges_{name}s"
    misjudges.__doc__ = f"Takes no notice of {name}s: picks cards that would be a set without them."
    return picking(SET, "webset.set.near-misses")(misjudges)


misjudges_numbers, misjudges_colours, misjudges_symbols, misjudges_shadings = (
    misjudging(aspect, name) for aspect, name in enumerate(("number", "colour", "symbol", "shading"))
)


@picking(SET, "webset.set.only-one", "webset.set.all-different", "webset.more.full-table", "webset.more.empty-deck")
def guesses(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks any three cards of the table that are no set."""
    return triples(state)


@picking(
    SET,
    "webset.set.all-different",
    only=lambda request: all(len(differing(triple)) == 4 for triple in solutions(visible_state(request))),
)
def wants_something_alike(state: State, sound: Cards) -> Iterable[Cards]:
    """Never picks cards that differ in all aspects, but others instead."""
    return triples(state)


@picking(SET, "webset.rounds.no-set", only=lambda request: request.may_skip and without_set(request))
def guesses_in_rounds(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks cards in a round without a set, in the place of passing."""
    return triples(state)


MUTATIONS = (*collect_mutations(globals()), *WITHOUT_ACTION)
