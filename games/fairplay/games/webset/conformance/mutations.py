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
from fairplay.games.webset.conformance import situations
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import EMPTY, Cards, deck_of, misfits, third
from fairplay.games.webset.rules.state import State, on_table, solutions
from fairplay.webset.v1.webset_player_pb2 import (
    ACTION_CALL_SET,
    ACTION_END_SOLUTIONS,
    ACTION_MORE_CARDS,
    ACTION_NOTHING,
    ACTION_SHOW_SOLUTIONS,
    ACTION_UNSPECIFIED,
    STATUS_BAD_SET,
    STATUS_CALL_EXPIRED,
    STATUS_NOT_NOW,
    ActResponse,
    PickCardsResponse,
)

Wrong: TypeAlias = Callable[[State, Cards], Iterable[Cards]]
"""(what is visible, sound cards) -> wrong cards."""
Room: TypeAlias = situations.Room | None

REQUIRED = "webset.act.required"
SET, THREE, RANGE = "webset.take.set", "webset.take.three", "webset.take.card-range"
DISTINCT, ON_TABLE = "webset.take.distinct", "webset.take.on-table"
ANYWHERE = (WHOLE_GAME, DRAWN_STATES)
UNKNOWN_ACTION, GREATEST_ACTION = 6, 2**31 - 1
FAR_CARD = 2**32 - 1


def acting(action: int, rule: str, *cases: str, only: Room = None) -> Callable[[Callable[[], None]], Mutation]:
    """Declare a mutation that answers Act with an action, known or not. Without a rule the action is refused."""
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
            state = situations.visible_state(request.state)
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


# Act: form


@acting(
    ACTION_UNSPECIFIED,
    REQUIRED,
    *ANYWHERE,
    "webset.act.not-listed",
    "webset.race.held",
    "webset.race.handicaps",
    "webset.profile.seed",
    "webset.profile.published",
)
def acts_without_action() -> None:
    """Answers Act without an action."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.race.idle", only=situations.idle)
def acts_without_action_when_idle() -> None:
    """Answers Act without an action where all have done nothing before."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.race.wrong-calls", only=situations.others_were_wrong)
def acts_without_action_after_a_wrong_call() -> None:
    """Answers Act without an action where somebody else has picked wrong cards."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.race.late-calls", only=situations.others_were_late)
def acts_without_action_after_a_late_call() -> None:
    """Answers Act without an action where a call of somebody else has expired."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.resume.own-wrong-call", only=situations.with_status(STATUS_BAD_SET))
def acts_without_action_after_its_own_wrong_call() -> None:
    """Answers Act without an action where it is told that it has picked wrong cards."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.resume.own-late-call", only=situations.with_status(STATUS_CALL_EXPIRED))
def acts_without_action_after_its_own_late_call() -> None:
    """Answers Act without an action where it is told that its call has expired."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.resume.own-refusal", only=situations.with_status(STATUS_NOT_NOW))
def acts_without_action_after_its_own_refusal() -> None:
    """Answers Act without an action where it is told that its act is not possible now."""


@acting(UNKNOWN_ACTION, REQUIRED, *ANYWHERE)
def acts_unknown() -> None:
    """Answers Act with an action that there is not."""


@acting(GREATEST_ACTION, REQUIRED, *ANYWHERE, "webset.seats.last-of-eight")
def acts_far_off() -> None:
    """Answers Act with the greatest number there is."""


@acting(-1, REQUIRED, *ANYWHERE)
def acts_negative() -> None:
    """Answers Act with a number below zero."""


@mutation("Act", REQUIRED, "webset.more.already-asked", "webset.lockout.own")
def leaves_out_nothing(request: Any, reply: ActResponse, rng: Random) -> ActResponse | None:
    """Leaves out the action where it wants to do nothing."""
    return ActResponse() if reply.action == ACTION_NOTHING else None


@acting(
    ACTION_UNSPECIFIED,
    REQUIRED,
    "webset.seats.last-of-eight",
    whole_game(7, 8),
    only=situations.last_of_eight,
)
def acts_without_action_as_last_of_eight() -> None:
    """Answers Act without an action, but only where there are seven others before it."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.lockout.others", only=situations.others_locked)
def acts_without_action_alone() -> None:
    """Answers Act without an action where all others are locked out."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.show.running", only=situations.showing)
def acts_without_action_while_showing() -> None:
    """Answers Act without an action where solutions are shown."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.resume.others-call", only=situations.others_got_set)
def acts_without_action_after_others() -> None:
    """Answers Act without an action after somebody else has taken a set."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.resume.below-zero", only=situations.below_zero)
def acts_without_action_below_zero() -> None:
    """Answers Act without an action where all have less than no points."""


@acting(ACTION_UNSPECIFIED, REQUIRED, "webset.resume.late", only=situations.late)
def acts_without_action_when_late() -> None:
    """Answers Act without an action where numbers are large."""


# Act: refused


@acting(ACTION_MORE_CARDS, "", "webset.act.not-listed", only=situations.dealt_by_referee)
def asks_referee_for_more() -> None:
    """Asks for more cards where the referee deals by itself."""


@acting(ACTION_MORE_CARDS, "", "webset.more.full-table", only=situations.table_full)
def asks_full_table_for_more() -> None:
    """Asks for more cards where the table is full."""


@acting(ACTION_MORE_CARDS, "", "webset.more.empty-deck", only=situations.deck_empty)
def asks_empty_deck_for_more() -> None:
    """Asks for more cards where the deck is empty."""


@acting(ACTION_MORE_CARDS, "", "webset.more.already-asked", only=situations.asked_for_more)
def asks_for_more_twice() -> None:
    """Asks for more cards again before others have."""


@acting(ACTION_MORE_CARDS, "", "webset.more.though-sets", only=situations.may_ask_for_more_with_set)
def asks_for_more_though_sets() -> None:
    """Asks for more cards where there are sets, and again after it was refused."""


@acting(ACTION_MORE_CARDS, "", "webset.show.running", only=situations.showing)
def asks_for_more_while_showing() -> None:
    """Asks for more cards while solutions are shown."""


@acting(ACTION_SHOW_SOLUTIONS, "", "webset.act.not-listed", only=situations.unlisted(ACTION_SHOW_SOLUTIONS))
def shows_what_may_not_be_shown() -> None:
    """Has solutions shown where that is not allowed."""


@acting(ACTION_SHOW_SOLUTIONS, "", "webset.show.no-sets", only=situations.may_show_without_set)
def shows_what_there_is_not() -> None:
    """Has solutions shown where there are none, and again after it was refused."""


@acting(ACTION_END_SOLUTIONS, "", "webset.act.not-listed", only=situations.unlisted(ACTION_END_SOLUTIONS))
def ends_what_is_not_shown() -> None:
    """Ends a showing where nothing is shown."""


@acting(ACTION_CALL_SET, "", "webset.show.running", only=situations.showing)
def calls_while_showing() -> None:
    """Calls a set while solutions are shown."""


@acting(ACTION_CALL_SET, "", "webset.lockout.own", only=situations.locked)
def calls_while_locked() -> None:
    """Calls a set where it is locked out."""


@acting(
    ACTION_CALL_SET,
    "",
    "webset.more.if-no-set",
    "webset.more.all-agree",
    "webset.more.already-asked",
    "webset.show.no-sets",
    only=situations.may_call_without_set,
)
def calls_without_set() -> None:
    """Calls a set where there is none, and has nothing to pick."""


# PickCards: form


@naming((), "webset.set.only-one", "webset.set.all-different", "webset.set.near-misses", only=situations.in_call)
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


@mutation("PickCards", "", "webset.rounds.earliest", only=situations.in_round)
def picks_two_in_rounds(request: Any, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
    """Picks two cards where it could have passed."""
    return first_cards(reply, 2)


@mutation("PickCards", "", "webset.set.last-of-game", "webset.table.empty-deck", WHOLE_GAME, only=situations.deck_empty)
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


@picking(RANGE, "webset.set.small-deck", only=situations.small_deck)
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


@picking(RANGE, UNUSUAL_SETTINGS, only=situations.small_deck_in_a_crowd)
def believes_in_81_cards(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card that is not in the game where four players or more play with 27 cards."""
    return [(*sound[:2], 80)] if len(sound) > 2 else []


@picking(DISTINCT, UNUSUAL_SETTINGS, only=situations.round_in_a_crowd)
def picks_card_twice_in_rounds(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where four players or more play in rounds."""
    return one_twice(state)


# PickCards: in a puzzle


def naming_in_puzzle(wrong: Callable[[Cards], Cards]) -> Mutation:
    """Declare a mutation that names other cards than sound ones, where all sets may be named and there are some."""

    def mutate(request: Any, reply: Any, rng: Random) -> PickCardsResponse | None:
        return PickCardsResponse(cards=wrong(tuple(reply.cards))) if reply.cards else None

    return build_mutation(wrong, "PickCards", "", ("webset.rounds.puzzle",), mutate, situations.in_puzzle)


@naming_in_puzzle
def names_sets_twice(sound: Cards) -> Cards:
    """Names each set of a puzzle twice, with its cards in another order."""
    return (*sound, *reversed(sound))


@naming_in_puzzle
def names_pairs(sound: Cards) -> Cards:
    """Leaves out the last card of a puzzle, as it follows from the others."""
    return sound[:-1]


@picking(DISTINCT, "webset.rounds.idle", only=situations.idle)
def picks_card_twice_when_idle(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where all have passed before."""
    return one_twice(state)


@picking(DISTINCT, "webset.rounds.idle", only=situations.long_idle)
def picks_card_twice_when_idle_for_long(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where all have passed more than five times."""
    return one_twice(state)


@picking(DISTINCT, "webset.table.widest", only=situations.wide)
def picks_card_twice_of_many(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks a card twice where there are more than seven columns of cards."""
    return one_twice(state)


@picking(DISTINCT, "webset.race.one-by-one", only=situations.one_by_one)
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


@picking(SET, "webset.set.all-different", only=situations.sets_differ_in_all)
def wants_something_alike(state: State, sound: Cards) -> Iterable[Cards]:
    """Never picks cards that differ in all aspects, but others instead."""
    return triples(state)


@picking(SET, "webset.rounds.no-set", only=situations.in_round_without_set)
def guesses_in_rounds(state: State, sound: Cards) -> Iterable[Cards]:
    """Picks cards in a round without a set, in the place of passing."""
    return triples(state)


MUTATIONS = collect_mutations(globals())
