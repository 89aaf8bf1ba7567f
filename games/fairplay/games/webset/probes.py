"""The probes of Webset: situations that players get wrong.

Tables are found in random games, or laid out card by card. A MUST probe judges unknown acts, and cards that never can
be a set of the table; a SHOULD probe also the lighter infractions (see `infractions`).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any, TypeAlias

from google.protobuf.duration_pb2 import Duration

from fairplay.games.conformance import (
    Circumstance,
    Conformance,
    FirstCall,
    Level,
    Outcomes,
    Pieces,
    RareGame,
    Situation,
)
from fairplay.games.kit.conformance import Check, MakeSituation, begin_game, build_probes, find_state, leaving
from fairplay.games.webset import rules
from fairplay.games.webset.features import FEATURES
from fairplay.games.webset.infractions import find_infraction, list_legal_replies
from fairplay.games.webset.mutations import FAILING, MUTATIONS
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import CARDS, EMPTY, Cards, differing, misfits, sets_among, third
from fairplay.games.webset.rules.settings import Settings
from fairplay.games.webset.rules.state import Phase, Player, Standing, State, on_table, solutions
from fairplay.webset.v1 import webset_pb2, webset_player_pb2

Found: TypeAlias = Callable[[Settings, Random], State]
"""(settings, rng) -> a state."""

SHOULD = Level.SHOULD
ACTING = ("act.required",)
PICKING = ("take.card-range", "take.distinct", "take.on-table", "take.three")
FINDING = (*PICKING, "take.set")
ANY_SETTINGS = webset_pb2.Settings()
BLIND, WRONG, ONE_BY_ONE = "solver:misses=1", "solver:error=1", "solver:singly=1"
WRONG_AT_TIMES = "solver:error=0.5,misses=0.1,singly=0.5,shows=0.1"
WAVERING = f"{ONE_BY_ONE},wavers=1"
HARDLY_WAVERING, LATE_PICK = "solver:singly=0.9,wavers=1,error=0.5,seed=1029", 10
"""A player of four calls, of which the first two end in a set and a wrong one, and the third if this pick is late."""
TO_THE_END = 0
CALL_AND_PICK = 2


def _from(
    found: Found,
    seat: int = 0,
    settings: webset_pb2.Settings = ANY_SETTINGS,
    turn_count: int = CALL_AND_PICK,
    rivals: str = "",
    first_call: FirstCall | None = None,
    rivals_late_in: str = "",
) -> MakeSituation:
    """Return the situation of a game that goes on from a state."""

    def situation(rng: Random) -> Situation:
        state = found(codec.read_settings(settings), rng)
        shown = codec.build_state(state)
        count = len(state.players)
        return Situation(settings, count, seat, shown, turn_count, rivals, first_call, rivals_late_in)

    return situation


def _played(wanted: Callable[[State], bool], seat_count: int = 2) -> Found:
    """Find the first state of random games in which the table is open, and as wanted."""

    def found(settings: Settings, rng: Random) -> State:
        def start() -> State:
            return rules.initial(settings, seat_count, rng)

        return find_state(rules, start, rng, lambda state: state.phase is Phase.OPEN and wanted(state))

    return found


def _laid(count: int, seat_count: int, votes: tuple[int, ...] = ()) -> Found:
    """Lay an open table of 3 to 16 cards without a set."""

    def found(settings: Settings, rng: Random) -> State:
        table = _without_sets(count, rng)
        deck = [card for card in range(CARDS) if card not in table]
        rng.shuffle(deck)
        slots = (*table, *[EMPTY] * (settings.max_table - count))
        fresh = rules.initial(settings, seat_count, rng)
        return fresh._replace(table=slots, deck=tuple(deck), votes=votes)

    return found


def _without_sets(count: int, rng: Random) -> Cards:
    """Return cards without a set, taken one after the other unless they make one; there always are sixteen."""
    table: list[int] = []
    for card in rng.sample(range(CARDS), CARDS):
        if not any(third(one, other) == card for one, other in combinations(table, 2)):
            table.append(card)
    return tuple(table[:count])


def _changed(found: Found, change: Callable[[State], State]) -> Found:
    """Return a state as found, with a change."""
    return lambda settings, rng: change(found(settings, rng))


def _each_player(change: Callable[[int, Player], Player]) -> Callable[[State], State]:
    """Change each player, given its seat."""
    return lambda state: state._replace(players=tuple([change(*each) for each in enumerate(state.players)]))


def _locked(*seats: int) -> Callable[[State], State]:
    """Lock these players out, as after wrong calls."""
    return _each_player(
        lambda seat, player: player._replace(points=-1, penalties=1, locked=True) if seat in seats else player
    )


def _left_by(*seats: int) -> Callable[[State], State]:
    """Have these players be out."""
    return _each_player(lambda seat, player: player._replace(standing=Standing.OUT) if seat in seats else player)


def _called(seat: int) -> Callable[[State], State]:
    """Open the call of a player, after many others."""
    return lambda state: state._replace(phase=Phase.CALLED, caller=seat, call_count=17)


def _picked(state: State) -> State:
    """Have the caller pick two cards of a set."""
    return state._replace(picked=solutions(state)[0][:2])


def _picked_in_vain(state: State) -> State:
    """Have the caller pick two cards that no set has both of."""
    lying = on_table(state)
    pairs = (pair for pair in combinations(lying, 2) if third(*pair) not in lying)
    return state._replace(picked=next(pairs))


BELOW_ZERO = _each_player(lambda seat, player: player._replace(points=player.points - 100, penalties=100))
"""Gives all players so many wrong calls that their points are below zero, and stay there."""


def _late(state: State) -> State:
    """Make the game a long one: two of five are out, points are below zero, and numbers are large."""
    first, second, third, fourth, fifth = state.players
    players = (
        first._replace(standing=Standing.OUT),
        second._replace(points=second.points - 40, penalties=40, expiries=40),
        third._replace(standing=Standing.OUT),
        fourth._replace(points=-1_000, penalties=2_000),
        fifth._replace(points=fifth.points - 7, penalties=7, expiries=3),
    )
    return state._replace(players=players, revision=1 << 52, act_count=9_000, call_count=1 << 31)


# Tables


def _any(state: State) -> bool:
    return bool(solutions(state))


def _one_set(state: State) -> bool:
    return len(solutions(state)) == 1


def _one_set_and_near_misses(state: State) -> bool:
    """Return whether there is one set, and for each aspect a triple that is one but for that aspect."""
    triples = combinations(on_table(state), 3)
    return _one_set(state) and {found for triple in triples if len(found := misfits(triple)) == 1} == _EACH_ASPECT


_EACH_ASPECT = {(0,), (1,), (2,), (3,)}


def _last_set(state: State) -> bool:
    """Return whether any set that is taken is the last one."""
    left = [set(on_table(state)).difference(triple) for triple in solutions(state)]
    return not state.deck and not any(sets_among(tuple(cards)) for cards in left)


def _empty_deck(state: State) -> bool:
    return not state.deck and len(solutions(state)) > 1


def _holes(state: State) -> bool:
    """Return whether empty slots lie between cards beyond the base area, and there is a set."""
    base, last = state.settings.table, max(slot for slot, card in enumerate(state.table) if card != EMPTY)
    return EMPTY in state.table[base:last] and bool(state.deck) and _any(state)


def _won_cards(state: State) -> bool:
    return _any(state) and all(player.cards for player in state.players)


def _ms(count: int) -> Duration:
    return Duration(nanos=count * 1_000_000)


SMALL_DECK = webset_pb2.Settings(aspects=3)
SEED = webset_pb2.Settings(profile=webset_pb2.PROFILE_SEED)
PUBLISHED = webset_pb2.Settings(profile=webset_pb2.PROFILE_PUBLISHED)
IF_NO_SET = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_IF_NO_SET)
IF_NO_SET_LOCKS = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_IF_NO_SET, locked_until_change=True)
IF_NO_SET_LATER = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_IF_NO_SET, lockout=_ms(40))
MAJORITY = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_MAJORITY)
ANYONE = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_ANYONE)
ANYONE_LOCKS = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_ANYONE, locked_until_change=True)
AGREED_SHOW = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_ALL_AGREE, show_enabled=True)
SHOW = webset_pb2.Settings(show_enabled=True)
WIDE = webset_pb2.Settings(table=27, max_table=27)
WIDE_AND_SMALL = webset_pb2.Settings(aspects=3, table=27, max_table=27)
SINGLE = webset_pb2.Settings(selection=webset_pb2.SELECTION_SINGLE)
LOCKS = webset_pb2.Settings(locked_until_change=True, lockout=_ms(40), score_floor=-3)
HELD = webset_pb2.Settings(min_reaction=_ms(40))
SHORT_WINDOW = webset_pb2.Settings(window=Duration(seconds=1, nanos=500_000_000))
HANDICAPS = webset_pb2.Settings(handicaps=[_ms(40), _ms(40)])
EARLIEST = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_EARLIEST)
PUZZLE = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_PUZZLE)
WHOLE_DECK = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_PUZZLE, aspects=3, table=27, max_table=27)
LOT_IF_NO_SET = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_LOT, more_rule=webset_pb2.MORE_RULE_IF_NO_SET)

CHECKS = {
    # Which cards are a set
    "set.only-one: There is exactly one set on the table.": Check(FINDING, _from(_played(_one_set)), SHOULD),
    "set.all-different: "
    "The only set differs in all four aspects: players that look for something alike do not find it.": Check(
        FINDING, _from(_played(lambda state: _one_set(state) and len(differing(solutions(state)[0])) == 4)), SHOULD
    ),
    "set.near-misses: "
    "There is one set, and for each aspect three cards that would be one if it were not for that aspect.": Check(
        FINDING, _from(_played(_one_set_and_near_misses)), SHOULD
    ),
    "set.small-deck: With three aspects there are 27 cards, and nine of them on the table.": Check(
        [*ACTING, *PICKING], begin_game(1, 2, SMALL_DECK, TO_THE_END)
    ),
    "set.last-of-game: "
    "The deck is empty and the set that is taken now the last one: after it comes the end, and no question.": Check(
        [*ACTING, *PICKING], _from(_played(_last_set), turn_count=TO_THE_END)
    ),
    # What lies on the table
    "table.changes: The cards of a set that was taken are gone, "
    "and others lie in their places: each request says the table anew.": Check(
        PICKING, begin_game(0, 2, ANY_SETTINGS, 8)
    ),
    "table.large-numbers: "
    "No card on the table has the number of a slot: cards are named, and not the places where they lie.": Check(
        PICKING, _from(_played(lambda state: min(on_table(state)) >= len(state.table)))
    ),
    "table.widest: "
    "There are 27 cards on the table, in nine columns, where the usual settings have no more than seven.": Check(
        [*ACTING, *PICKING], begin_game(0, 2, WIDE, 4)
    ),
    "table.whole-deck: "
    "All 27 cards of the small deck lie on the table, with 117 sets, and the others wait as long as they may.": Check(
        [*ACTING, *PICKING], _from(_played(_any), 0, WIDE_AND_SMALL, CALL_AND_PICK, BLIND)
    ),
    "table.holes: "
    "Beyond the base area there are empty slots between the cards: 81 stands there, which is no card.": Check(
        PICKING, _from(_played(_holes), settings=SEED, turn_count=4)
    ),
    "table.empty-deck: "
    "The deck is empty: the table gets smaller with every set, and its slots are not filled any more.": Check(
        PICKING, _from(_played(_empty_deck, 3), 1, turn_count=TO_THE_END)
    ),
    # What can be done, and what cannot
    "act.not-listed: "
    "The list of actions says what may be tried: the referee deals by itself, and solutions are not shown.": Check(
        [*ACTING, "more.auto", "show.enabled", "end.showing"], begin_game(0, 2, ANY_SETTINGS, 1), SHOULD
    ),
    "more.if-no-set: There is no set on the table, and the referee deals only when it is asked to: "
    "who calls has nothing to pick.": Check(FINDING, _from(_laid(12, 2), settings=IF_NO_SET, turn_count=3), SHOULD),
    "more.though-sets: Where there is a set more cards are refused: who asks for them again is refused again.": Check(
        ["more.no-set"], _from(_changed(_played(_any), _locked(1)), settings=IF_NO_SET_LOCKS), SHOULD
    ),
    "more.all-agree: "
    "Fifteen cards have no set, and all must ask for more: asked once, a player is told what else it can do.": Check(
        FINDING, _from(_laid(15, 3), 2, PUBLISHED, turn_count=3), SHOULD
    ),
    "more.already-asked: "
    "The player has asked for more cards before the game was resumed: there is nothing to do but wait.": Check(
        [*ACTING, "more.once", "take.set"], _from(_laid(12, 4, votes=(3,)), 3, MAJORITY), SHOULD
    ),
    "more.freed: All but one have asked for more cards and wait, till that one leaves: then they are dealt.": Check(
        [*ACTING, *PICKING],
        leaving(_from(_laid(12, 3, votes=(1, 2)), 2, PUBLISHED, turn_count=2), 0),
    ),
    "more.full-table: There are 21 cards on the table: it is full, and there always is a set.": Check(
        ["more.cards", "take.set"],
        _from(_played(lambda state: EMPTY not in state.table and bool(state.deck)), settings=ANYONE),
        SHOULD,
    ),
    "more.empty-deck: Anyone may ask for more cards, but the deck is empty.": Check(
        ["more.cards", "take.set"], _from(_played(_empty_deck), 1, ANYONE), SHOULD
    ),
    "show.no-sets: Solutions may be shown, but there are none; everybody else has asked for more cards.": Check(
        ["show.sets", "take.set"], _from(_laid(12, 3, votes=(0, 2)), 1, AGREED_SHOW), SHOULD
    ),
    "show.running: Solutions are shown, the last one just now: nobody can call until somebody ends that.": Check(
        [*ACTING, "call.open", "more.open"],
        _from(
            _changed(
                _played(_any), lambda state: state._replace(phase=Phase.SHOWING, displayed=len(solutions(state)) - 1)
            ),
            settings=SHOW,
        ),
        SHOULD,
    ),
    "lockout.own: "
    "After a wrong call the player cannot call until the table changes, though there are sets, and others do.": Check(
        [*ACTING, "call.lockout"], _from(_changed(_played(_any, 3), _locked(2)), 2, ANYONE_LOCKS, turn_count=3), SHOULD
    ),
    "lockout.alone: All others have left, and the player's call is open where there is no set: "
    "it loses points, and its next act counts later.": Check(
        [*ACTING, *PICKING], _from(_changed(_changed(_laid(12, 3), _called(1)), _left_by(0, 2)), 1, IF_NO_SET_LATER)
    ),
    "lockout.others: All others are locked out: who does nothing is asked again about an idle table.": Check(
        [*ACTING, *PICKING], _from(_changed(_played(_any, 3), _locked(0, 2)), 1, LOCKS, turn_count=4)
    ),
    # Rounds, and races in which others are first
    "rounds.earliest: In rounds nobody acts: all pick cards for the same table, and may pass.": Check(
        PICKING, begin_game(2, 3, EARLIEST, 4)
    ),
    "rounds.no-set: In a round without a set no cards are a pass and cost nothing; wrong cards cost points.": Check(
        FINDING, _from(_laid(12, 2), 1, LOT_IF_NO_SET), SHOULD
    ),
    "rounds.puzzle: "
    "In a puzzle all are asked once, for all sets of a table: the answer has the cards of any number of sets.": Check(
        [*PICKING, "take.once"], _from(_played(lambda state: len(solutions(state)) > 1, 3), 1, PUZZLE)
    ),
    "rounds.puzzle-in-vain: "
    "Nobody else names a set of a puzzle that has one: of them it is told that they have solved it with no cards.": (
        Check([*PICKING, "take.once"], _from(_played(_one_set, 3), 1, PUZZLE, TO_THE_END, BLIND))
    ),
    "rounds.puzzle-of-many-sets: "
    "All 27 cards of the small deck lie in a puzzle: they have 117 sets, too many to try all combinations.": Check(
        [*PICKING, "take.once"], begin_game(1, 3, WHOLE_DECK)
    ),
    "rounds.idle: "
    "All pass in round after round though there is a set, and the player takes over from one of them.": Check(
        PICKING, _from(_played(_any, 3), 1, EARLIEST, 1, BLIND, FirstCall("PickCards", 8))
    ),
    "race.idle: "
    "The player is locked out and all others do nothing, again and again: the game ends as it stands.": Check(
        ACTING, _from(_changed(_played(_any, 3), _locked(1)), 1, IF_NO_SET_LOCKS, 8, BLIND)
    ),
    "race.wrong-calls: The others call and pick wrong cards: they lose points, and everybody is told so.": Check(
        [*ACTING, *PICKING], _from(_changed(_played(_any, 3), _locked(1)), 1, IF_NO_SET_LOCKS, 8, WRONG)
    ),
    "race.late-calls: The others call and pick no cards in time: they lose points, and everybody is told so.": Check(
        [*ACTING, *PICKING],
        _from(_changed(_played(_any, 3), _locked(1)), 1, IF_NO_SET_LOCKS, 8, rivals_late_in="PickCards"),
    ),
    "race.one-by-one: "
    "Cards may be picked one by one: everybody is told of each, and three that are picked together are a take.": Check(
        [*ACTING, *PICKING], _from(_played(_any, 3), 1, SINGLE, 12, ONE_BY_ONE)
    ),
    "race.put-back: "
    "Somebody else picks cards one by one and puts them back, twenty times in a call: it has picked no cards then.": (
        Check(
            [*ACTING, *PICKING],
            _from(_changed(_changed(_played(_won_cards, 3), _called(0)), _picked_in_vain), 1, SINGLE, 4, WAVERING),
        )
    ),
    "race.held: Acts are held and ordered by lot: somebody else may be first, "
    "and a report comes in the place of a question.": Check(ACTING, begin_game(2, 3, HELD, 4)),
    "race.handicaps: The acts of both players count later than they come.": Check(
        [*ACTING, *PICKING], begin_game(1, 2, HANDICAPS, 4)
    ),
    # Games that go on
    "resume.own-call: "
    "The game goes on in an open call of the player, whose window is half of the usual one: it is asked for cards "
    "before it has acted at all.": Check(
        [*PICKING, "take.window"], _from(_changed(_played(_won_cards, 3), _called(2)), 2, SHORT_WINDOW, 1)
    ),
    "resume.own-picks: "
    "The game goes on in an open call of the player, and with cards that it has picked before, one by one.": Check(
        [*PICKING, "take.window"], _from(_changed(_changed(_played(_won_cards, 3), _called(2)), _picked), 2, SINGLE, 1)
    ),
    "resume.within-own-call: "
    "The player was started anew in its own call: the first question shows a card that it has picked before.": Check(
        [*PICKING, "take.window"], _from(_played(_any, 2), 1, SINGLE, 1, ONE_BY_ONE, FirstCall("PickCards", 2))
    ),
    "resume.others-call: "
    "The game goes on in an open call of somebody else: the first question tells what became of it.": Check(
        [*ACTING, *PICKING], _from(_changed(_played(_won_cards, 3), _called(0)), 1)
    ),
    "resume.own-wrong-call: "
    "The player was started anew after a wrong call of its own: the first question tells it what was wrong.": Check(
        ACTING, _from(_changed(_played(_any, 3), _locked(0, 2)), 1, IF_NO_SET_LOCKS, 1, WRONG, FirstCall("Act", 2))
    ),
    "resume.own-late-call: "
    "The player was started anew after a call of its own that has expired: the first question tells it so.": Check(
        ACTING,
        _from(_changed(_played(_any, 3), _locked(0, 2)), 1, IF_NO_SET_LOCKS, 1, "", FirstCall("Act", 2), "PickCards"),
    ),
    "resume.own-refusal: "
    "The player was started anew after an act of its own that was refused: the first question tells it why.": Check(
        ACTING, _from(_played(_any, 3), 1, IF_NO_SET, 1, BLIND, FirstCall("Act", 2))
    ),
    "resume.below-zero: The last set is taken, and everybody has less than no points: so has whoever has won.": Check(
        [*ACTING, *PICKING], _from(_changed(_played(_last_set), BELOW_ZERO), turn_count=TO_THE_END)
    ),
    "resume.late: "
    "Points can be below zero, players can be out and numbers large, in a game that has gone on for long.": Check(
        [*ACTING, *PICKING], _from(_changed(_played(_won_cards, 5), _late), 4, turn_count=3)
    ),
    # Settings and seats
    "profile.seed: "
    "Anyone asks for more cards, solutions are shown, and wrong calls are free, as in the original.": Check(
        [*ACTING, *PICKING], begin_game(0, 2, SEED, 8)
    ),
    "profile.published: More cards are dealt when all agree, as in the published rules.": Check(
        [*ACTING, *PICKING], begin_game(1, 3, PUBLISHED, 8)
    ),
    "seats.last-of-eight: Eight players are at the table, and the player is the last of them.": Check(
        [*ACTING, *PICKING], begin_game(7, 8, ANY_SETTINGS, 4)
    ),
}

PROBES = build_probes("webset", CHECKS)

# A game that ends in a tie, whatever the player under test does

RIVAL, TESTED = 0, 1


def tied_ending(rng: Random) -> Situation:
    """Return a game of two in which the rival has called the last set, and is level with the player when it has it."""
    settings = webset_pb2.Settings()

    def start() -> State:
        return rules.initial(codec.read_settings(settings), 2, rng)

    found = find_state(rules, start, rng, _is_before_last_set)
    called = found._replace(phase=Phase.CALLED, caller=RIVAL, call_count=found.act_count + 1, players=_dealt_out(found))
    return Situation(settings, 2, TESTED, codec.build_state(called), turn_count=0)


def _is_before_last_set(state: State) -> bool:
    """Return whether the set that is taken next is the last one, and makes the number of all sets even."""
    if state.deck or state.phase is not Phase.OPEN or not sum(player.sets for player in state.players) % 2:
        return False
    table = set(on_table(state))
    left = [tuple(table.difference(triple)) for triple in solutions(state)]
    return bool(left) and not any(map(sets_among, left))


def _dealt_out(state: State) -> tuple[Player, ...]:
    """Return the players with the sets of all dealt out again: the player under test has one more."""
    cards = tuple([card for player in state.players for card in player.cards])
    place = len(cards) // 3 // 2 * 3
    return tuple([Player(points=len(own) // 3, cards=own) for own in (cards[:place], cards[place:])])


# Rare games

LESS_THAN_A_SECOND = _ms(900)
WRONG_ARE_FREE = webset_pb2.Settings(penalty_bad=0, penalty_expired=7, act_cap=10)
SOON_EXPIRED = webset_pb2.Settings(penalty_bad=0, penalty_expired=7, window=_ms(100), act_cap=10)
EXPIRED_ARE_FREE = webset_pb2.Settings(penalty_bad=7, penalty_expired=0, window=_ms(100), act_cap=10)
AUTO_ROUNDS = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_EARLIEST, idle_rounds=1)
IF_NO_SET_ROUNDS = webset_pb2.Settings(
    rounds=webset_pb2.ROUNDS_EARLIEST, more_rule=webset_pb2.MORE_RULE_IF_NO_SET, idle_rounds=1
)
ANYONE_ROUNDS = webset_pb2.Settings(
    rounds=webset_pb2.ROUNDS_EARLIEST, more_rule=webset_pb2.MORE_RULE_ANYONE, idle_rounds=1
)
SHORT_ROUNDS = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_EARLIEST, window=_ms(100), act_cap=10)

SOME_SETS = _played(_any)
HALF = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_MAJORITY, act_cap=10)
TO_THE_FLOOR = webset_pb2.Settings(penalty_bad=3, score_floor=-2, act_cap=10)
PUZZLE_AT_0 = webset_pb2.Settings(rounds=webset_pb2.ROUNDS_PUZZLE, penalty_bad=3, score_floor=0)
FLOOR_AT_0 = webset_pb2.Settings(penalty_bad=3, penalty_expired=2, score_floor=0, act_cap=10)
SOON_AT_0 = webset_pb2.Settings(penalty_bad=3, penalty_expired=2, score_floor=0, window=_ms(100), act_cap=10)
LOCKED_IF_LATE = webset_pb2.Settings(locked_until_change=True, window=_ms(100), idle_rounds=1)
SHOW_ON = webset_pb2.Settings(show_enabled=True, act_cap=10)
SHOWING_SOME = "solver:shows=0.6"
SHOWN_TO_THE_LOCKED = webset_pb2.Settings(show_enabled=True, locked_until_change=True, act_cap=20)
SHOWN_AND_GONE = webset_pb2.Settings(
    show_enabled=True, more_rule=webset_pb2.MORE_RULE_ANYONE, refill_rule=webset_pb2.REFILL_RULE_SEED_BASE, act_cap=20
)
PUT_BACK = webset_pb2.Settings(selection=webset_pb2.SELECTION_SINGLE, act_cap=40)
LAST_PICK = webset_pb2.Settings(
    selection=webset_pb2.SELECTION_SINGLE, window=LESS_THAN_A_SECOND, min_players=1, act_cap=10
)
PATIENT = webset_pb2.Settings(idle_rounds=11)
REFUSED_THRICE = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_IF_NO_SET, idle_rounds=3)
MANY_ACTS = webset_pb2.Settings(act_cap=10_002)
LAST_SETS = webset_pb2.Settings(more_rule=webset_pb2.MORE_RULE_ANYONE, act_cap=10)
FOUR_ACTS_LEFT = _changed(_played(_any, 1), lambda state: state._replace(act_count=6))
MANY_ACTS_BEFORE = _changed(SOME_SETS, lambda state: state._replace(act_count=10_000))
MANY_CARDS = _changed(
    _played(lambda state: len(on_table(state)) >= 18 and _any(state)), lambda state: state._replace(act_count=6)
)


def _rare(
    settings: webset_pb2.Settings,
    *strategies: str,
    found: Found = SOME_SETS,
    late_in: str = "",
    late: tuple[int, str, int] | None = None,
) -> Callable[[Random], RareGame]:
    make = _from(found, settings=settings, rivals_late_in=late_in)
    return lambda rng: RareGame(make(rng), strategies, late=late)


RARE_GAMES = {
    "calls that expire cost more than wrong ones": _rare(SOON_EXPIRED, "first", BLIND, late_in="PickCards"),
    "calls that expire are free, and part no tie": _rare(EXPIRED_ARE_FREE, "first", BLIND, late_in="PickCards"),
    "wrong calls are free, and part no tie": _rare(WRONG_ARE_FREE, WRONG, BLIND),
    "nothing is dealt though all pass, as the referee deals by itself": _rare(AUTO_ROUNDS, BLIND),
    "half of the players are no majority": _rare(HALF, "first", found=_laid(12, 4)),
    "a wrong call costs what is left above the floor": _rare(TO_THE_FLOOR, WRONG, BLIND),
    "a wrong call costs nothing who is at the floor 0": _rare(FLOOR_AT_0, WRONG, BLIND),
    "wrong sets of a puzzle take nobody below the floor": _rare(PUZZLE_AT_0, WRONG, "first"),
    "a call that expires costs nothing who is at the floor 0": _rare(SOON_AT_0, "first", BLIND, late_in="PickCards"),
    "who picks no cards in time cannot call until the table changes": _rare(
        LOCKED_IF_LATE, "first", BLIND, late_in="PickCards"
    ),
    "solutions are shown again, the first one after the last": _rare(
        SHOW_ON, "solver:shows=1", found=_played(lambda state: 1 < len(solutions(state)) < 4)
    ),
    "who is locked out has solutions shown, and may call again when that ends": _rare(
        SHOWN_TO_THE_LOCKED, SHOWING_SOME, BLIND, found=_changed(_played(_any), _locked(0))
    ),
    "the last set is shown, and nobody has it": _rare(
        SHOWN_TO_THE_LOCKED, SHOWING_SOME, BLIND, found=_changed(_played(_last_set), _locked(0))
    ),
    "solutions go from a table of more cards than the base area": _rare(
        SHOWN_AND_GONE, SHOWING_SOME, BLIND, found=_played(lambda state: len(on_table(state)) >= 18 and _any(state))
    ),
    "cards that were picked one by one are put back": _rare(PUT_BACK, "solver:singly=1,error=0.5", BLIND),
    "cards are picked and put back twenty times, and then are a wrong take, after calls that ended in each way": (
        _rare(LAST_PICK, HARDLY_WAVERING, found=FOUR_ACTS_LEFT, late=(0, "PickCards", LATE_PICK))
    ),
    "who does nothing after a refusal is refused again, as often as is allowed in all": _rare(REFUSED_THRICE, BLIND),
    "players do nothing more often than usual": _rare(PATIENT, BLIND),
    "more acts are carried out than in usual games, and two are left": _rare(
        MANY_ACTS, "first", found=MANY_ACTS_BEFORE
    ),
    "who picks no cards in time passes a round": _rare(SHORT_ROUNDS, "first", late_in="PickCards"),
    "nothing is dealt though all pass, as there is a set": _rare(IF_NO_SET_ROUNDS, BLIND),
    "cards are dealt as all pass, though there is a set": _rare(ANYONE_ROUNDS, BLIND),
    "cards beyond the base area are more than move into it": _rare(LAST_SETS, "first", found=MANY_CARDS),
}


# What else the suite needs

SHORT = Duration(nanos=20_000_000)
NO_TIME = Duration()

SETTINGS_VALUES = {
    "aspects": (3,),
    "table": (3, 9, 15),
    "max_table": (12, 24, 27),
    "window": (LESS_THAN_A_SECOND, Duration(seconds=60)),
    "penalty_bad": (0, 100),
    "penalty_expired": (0, 100),
    "score_floor": (-1000, -2, 0),
    "lockout": (SHORT,),
    "min_players": (1, 8),
    "min_reaction": (SHORT,),
    "handicaps": ((SHORT, NO_TIME, SHORT),),
    "idle_rounds": (1, 3, 1000),
    "act_cap": (10, 1_000_000),
}
"""The values that the suite tries away from their defaults. What takes time is kept short."""

OF_ANY_ACT = [value for value in webset_player_pb2.Status.values() if value != webset_player_pb2.STATUS_GAME_OVER]
"""What may have become of the last act or take: all but what GameOver alone tells."""
OF_BROKEN_RULES = (webset_player_pb2.STATUS_BAD_SET, webset_player_pb2.STATUS_NOT_NOW)


def _retell(cancelled: webset_player_pb2.ReportRequest, following: Any) -> None:
    """Have the next call tell the events of a report that was cancelled, and its status if it has none of its own."""
    events = [*cancelled.events, *following.events]
    del following.events[:]
    following.events.extend(events)
    if not following.status:
        following.status, following.rule_id = cancelled.status, cancelled.rule_id


CONFORMANCE = Conformance(
    features=FEATURES,
    erring=(WRONG_AT_TIMES,),
    late_in="PickCards",
    pieces=Pieces(
        things=(("slots", "deck", "players.cards"),),
        scores=("players.points", "players.penalty_count", "players.expiry_count"),
    ),
    probes=PROBES,
    rare_games=RARE_GAMES,
    mutations=MUTATIONS,
    failing=FAILING,
    package="fairplay.games.webset",
    needless_enums=("EventKind",),
    outcomes=(
        Outcomes("Act", ["status"], OF_ANY_ACT, OF_BROKEN_RULES),
        Outcomes("PickCards", ["status"], (), OF_BROKEN_RULES),
        Outcomes("Report", ["status"], OF_ANY_ACT, OF_BROKEN_RULES),
        Outcomes("GameOver", ["status"], [*OF_ANY_ACT, webset_player_pb2.STATUS_GAME_OVER], OF_BROKEN_RULES),
    ),
    retold={"Report": _retell},
    widest=Situation(webset_pb2.Settings(table=27, max_table=27), 2, 0, None, TO_THE_END),
    settings_readers={
        "score_floor": (Circumstance.LOSS, Circumstance.END),
        "locked_until_change": (Circumstance.LOSS, Circumstance.RESUMED),
        "more_rule": (Circumstance.LOSS, Circumstance.ALONE, Circumstance.JOIN),
        "end_rule": (Circumstance.END,),
        "show_enabled": (Circumstance.LOSS, Circumstance.JOIN),
        "min_players": (Circumstance.LOSS, Circumstance.ALONE),
        "handicaps": (Circumstance.LOSS, Circumstance.JOIN),
        "rounds": (Circumstance.LOSS, Circumstance.ALONE, Circumstance.END),
        "idle_rounds": (Circumstance.LOSS, Circumstance.JOIN),
        "selection": (Circumstance.LOSS, Circumstance.JOIN),
        "late_join": (Circumstance.LOSS, Circumstance.JOIN, Circumstance.END),
    },
    settings_values=SETTINGS_VALUES,
    tied_endings=(tied_ending,),
    find_infraction=find_infraction,
    list_legal_replies=list_legal_replies,
)
