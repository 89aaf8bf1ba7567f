"""The rules: every cell of the table of section 6, every row of section 5 that concerns a game, and the vectors."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from fairplay.games.webset import rules, testdata
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import EMPTY
from fairplay.games.webset.rules.settings import Settings, settings_of, settings_problem
from fairplay.games.webset.rules.state import (
    Act,
    Phase,
    Player,
    Standing,
    State,
    Status,
    Take,
    Word,
    on_table,
    solutions,
)
from fairplay.games.webset.rules.takes import Round, Verdict
from tests.games.webset.tables import (
    CALL,
    END_SHOW,
    MORE,
    PROFILES,
    SHOW,
    WORDS,
    act,
    columns,
    deck_with,
    done,
    format_cards,
    fresh,
    parse_cards,
    refused,
    taken,
    without_sets,
)

X0 = "0000 0001 0002"
NO_SET = without_sets(12)
NO_SET_18 = without_sets(18)


# The vectors of section 7


def test_s3_the_unshuffled_deck_is_dealt_column_by_column() -> None:
    state = fresh()
    assert columns(state)[:5] == [X0, "0010 0011 0012", "0020 0021 0022", "0100 0101 0102", ""]
    assert len(state.deck) == 69
    found = [format_cards(triple) for triple in solutions(state)]
    assert len(found) == 13
    assert [triple for triple in found if not triple.startswith("00")] == ["0100 0101 0102"]


@pytest.fixture
def s5(request: pytest.FixtureRequest) -> State:
    return done(fresh(more_rule="anyone", refill_rule=request.param), (0, MORE))


@pytest.mark.parametrize("s5", ["to_12", "seed_base"], indirect=True)
def test_s5_more_cards_go_into_the_fifth_column(s5: State) -> None:
    assert columns(s5)[4] == "0110 0111 0112"
    assert (len(s5.deck), len(solutions(s5))) == (66, 14)


@pytest.mark.parametrize("s5", ["seed_base"], indirect=True)
def test_s5_the_seed_refills_fifteen_to_fifteen(s5: State) -> None:
    state = taken(s5, X0)
    assert columns(state)[0] == "0120 0121 0122"
    assert (len(on_table(state)), len(state.deck)) == (15, 63)


@pytest.mark.parametrize("s5", ["to_12"], indirect=True)
def test_s5_published_rules_go_back_to_twelve(s5: State) -> None:
    state = taken(s5, X0)
    assert (len(on_table(state)), len(state.deck)) == (12, 66)
    assert columns(state)[0] == "0110 0111 0112"
    assert columns(state)[4] == ""


@pytest.mark.parametrize("s5", ["to_12", "seed_base"], indirect=True)
def test_s5_a_set_of_the_extension_is_not_refilled_and_more_fills_it_again(s5: State) -> None:
    state = taken(s5, "0110 0111 0112")
    assert (len(on_table(state)), len(state.deck)) == (12, 66)
    assert columns(done(state, (1, MORE)))[4] == "0120 0121 0122"


def test_s10_the_unshuffled_deck_played_greedily() -> None:
    published = testdata.greedy(None)
    assert (len(published["sets"]), published["left"]) == (27, [])
    seed = testdata.greedy(None, {"profile": "PROFILE_SEED"})
    assert len(seed["sets"]) == 24
    assert seed["left"] == [f"22{a}{b}" for a in range(3) for b in range(3)]
    assert len(testdata.sets(seed["left"])) == 12


# The table of section 6


def in_phase(phase: Phase, **given: Any) -> State:
    """Return a game of three players in a phase; in CALLED player 0 has called."""
    state = fresh(3, **{"profile": "seed", **given})
    if phase is Phase.CALLED:
        return done(state, (0, CALL))
    if phase is Phase.SHOWING:
        return done(state, (0, SHOW))
    return rules.stop(state) if phase is Phase.OVER else state


REFUSED = [
    (Phase.CALLED, 1, CALL, Status.ALREADY_CALLED, "webset.call.first"),
    (Phase.SHOWING, 1, CALL, Status.NOT_NOW, "webset.call.open"),
    (Phase.OVER, 1, CALL, Status.NOT_NOW, "webset.act.game-over"),
    (Phase.OPEN, 1, X0, Status.NO_CALL, "webset.take.caller"),
    (Phase.SHOWING, 1, X0, Status.NO_CALL, "webset.take.caller"),
    (Phase.CALLED, 0, MORE, Status.NOT_NOW, "webset.more.open"),
    (Phase.CALLED, 0, SHOW, Status.NOT_NOW, "webset.show.open"),
    (Phase.OPEN, 0, END_SHOW, Status.NOT_NOW, "webset.end.showing"),
    (Phase.OVER, 0, END_SHOW, Status.NOT_NOW, "webset.act.game-over"),
]


@pytest.mark.parametrize(("phase", "seat", "action", "status", "rule"), REFUSED)
def test_what_is_refused_changes_nothing_and_names_its_rule(
    phase: Phase, seat: int, action: Word | str, status: Status, rule: str
) -> None:
    assert refused(in_phase(phase), seat, action) == (status, rule)
    assert rules.violation(in_phase(phase), act(seat, action)) == rule


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        ((0, 1), "webset.take.three"),
        ((0, 1, EMPTY), "webset.take.card-range"),
        ((0, 1, -1), "webset.take.card-range"),
        ((0, 1, 1), "webset.take.distinct"),
    ],
)
def test_a_malformed_repeated_absent_or_wrong_take_is_a_bad_set(cards: tuple[int, ...], rule: str) -> None:
    state = done(fresh(), (1, CALL))
    after, status, broken = rules.carry_out(state, Act(1, Take(cards)))
    assert (status, broken) == (Status.BAD_SET, rule)
    assert after.players[1] == Player(points=-1, penalties=1)
    assert (after.phase, after.caller, after.table, after.deck) == (Phase.OPEN, None, state.table, state.deck)


def test_cards_of_the_large_deck_are_out_of_range_in_the_small_one() -> None:
    state = done(fresh(2, range(27), aspects=3), (0, CALL))
    assert rules.carry_out(state, Act(0, Take((0, 1, 27)))).rule == "webset.take.card-range"


def test_solutions_are_displayed_in_rotation() -> None:
    state = done(fresh(profile="seed"), (0, SHOW))
    assert (state.phase, state.displayed) == (Phase.SHOWING, 0)
    seen = []
    for _ in range(13):
        state = done(state, (1, SHOW))
        seen.append(state.displayed)
    assert seen == [*range(1, 13), 0]
    assert done(state, (0, SHOW), (1, END_SHOW)).displayed == 0


def test_solutions_can_be_shown_only_where_there_are_any_and_the_settings_say_so() -> None:
    assert refused(fresh(), 0, SHOW) == (Status.NO_SETS, "webset.show.enabled")
    state = fresh(deck=deck_with(NO_SET), profile="seed")
    assert refused(state, 0, SHOW) == (Status.NO_SETS, "webset.show.sets")


@pytest.mark.parametrize("end_rule", ["play_on", "seed_immediate"])
def test_the_end_of_a_showing_may_end_the_game_and_does_so_once(end_rule: str) -> None:
    state = fresh(profile="seed", end_rule=end_rule)
    while state.deck:
        state = taken(state, format_cards(solutions(state)[0]))
    shown = done(state, (0, SHOW))
    over = done(shown, (0, END_SHOW))
    assert over.phase is Phase.OVER
    gone = {"play_on": 12, "seed_immediate": 3}[end_rule]
    assert len(over.discarded) == gone


def test_players_that_are_out_or_not_there_can_do_nothing() -> None:
    state = rules.eliminate(fresh(3), 1)
    for seat in (1, 3, -1):
        assert refused(state, seat, CALL) == (Status.NOT_NOW, "webset.act.playing")
        assert refused(state, seat, X0) == (Status.NO_CALL, "webset.act.playing")


# More cards (section 5, rows 2 to 4)


def test_the_referee_deals_by_itself_until_there_is_a_set() -> None:
    state = fresh(deck=deck_with(NO_SET_18))
    assert len(on_table(state)) == 21
    assert solutions(state)
    assert refused(state, 0, MORE) == (Status.NO_MORE_CARDS, "webset.more.cards")
    assert refused(fresh(), 0, MORE) == (Status.NOT_NOW, "webset.more.auto")


@pytest.mark.parametrize("more_rule", ["if_no_set", "anyone"])
def test_elsewhere_it_waits_until_it_is_asked(more_rule: str) -> None:
    state = fresh(deck=deck_with(NO_SET), more_rule=more_rule)
    assert len(on_table(state)) == 12
    assert state.phase is Phase.OPEN


def test_with_a_set_on_the_table_it_depends_on_the_rule() -> None:
    assert refused(fresh(more_rule="if_no_set"), 0, MORE) == (Status.NOT_NOW, "webset.more.no-set")
    assert len(on_table(done(fresh(more_rule="anyone"), (0, MORE)))) == 15
    assert len(on_table(done(fresh(deck=deck_with(NO_SET), more_rule="if_no_set"), (1, MORE)))) == 15


@pytest.mark.parametrize(("more_rule", "needed"), [("all_agree", 4), ("majority", 3)])
def test_votes_are_counted_until_the_table_changes(more_rule: str, needed: int) -> None:
    state = fresh(4, more_rule=more_rule)
    for seat in range(needed - 1):
        state = done(state, (seat, MORE))
        assert state.votes == tuple(range(seat + 1))
        assert refused(state, seat, MORE) == (Status.NOT_NOW, "webset.more.once")
    assert len(on_table(state)) == 12
    dealt = done(state, (needed - 1, MORE))
    assert (len(on_table(dealt)), dealt.votes) == (15, ())
    assert taken(state, X0, seat=3).votes == ()
    wrong = rules.apply(done(state, (3, CALL)), act(3, "0000 0001 0010"))
    assert wrong.votes == state.votes


def test_a_player_that_leaves_may_make_the_others_agree() -> None:
    state = done(fresh(3, more_rule="all_agree"), (0, MORE), (2, MORE))
    after = rules.eliminate(state, 1)
    assert (len(on_table(after)), after.votes) == (15, ())
    assert rules.eliminate(state, 2).votes == (0,)
    called = done(state, (2, CALL))
    assert rules.eliminate(called, 1) == called._replace(
        players=(*called.players[:1], Player(standing=Standing.OUT), called.players[2]), revision=called.revision + 1
    )
    drawn = state._replace(deck=(), discarded=state.deck)
    assert (rules.eliminate(drawn, 1).votes, on_table(rules.eliminate(drawn, 1))) == (
        (0, 2),
        on_table(state),
    )


def test_the_referee_deals_nothing_while_a_call_is_open() -> None:
    waiting = done(fresh(3, deck=deck_with(NO_SET), more_rule="anyone"), (0, CALL))
    state = waiting._replace(settings=settings_of())
    after = rules.eliminate(state, 1)
    assert (after.phase, after.table, after.deck) == (Phase.CALLED, state.table, state.deck)


def test_an_empty_deck_cannot_be_asked_for_more() -> None:
    state = fresh(profile="seed", end_rule="play_on")
    while state.deck:
        state = taken(state, format_cards(solutions(state)[0]))
    assert refused(state, 0, MORE) == (Status.NO_MORE_CARDS, "webset.more.cards")


# Refilling (section 5, row 4)


def test_to_12_moves_cards_from_beyond_into_holes_in_slot_order() -> None:
    state = done(fresh(more_rule="anyone"), (0, MORE), (0, MORE))
    assert len(on_table(state)) == 18
    state = taken(state, "0010 0011 0012")
    assert columns(state)[1] == "0110 0111 0112"
    assert columns(state)[4:6] == ["0120 0121 0122", ""]
    assert len(state.deck) == 63


def test_a_set_that_leaves_enough_cards_is_not_refilled_which_ends_no_game() -> None:
    state = done(fresh(more_rule="anyone", end_rule="seed_immediate"), (0, MORE), (0, MORE))
    after = taken(state, X0)
    assert (after.phase, len(on_table(after)), len(after.table)) == (Phase.OPEN, 15, 21)
    assert after.deck == state.deck


def test_the_seed_leaves_holes_beyond_the_base_area() -> None:
    first = parse_cards("0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 0002 2222 2221")
    state = taken(done(fresh(deck=deck_with(first), profile="seed"), (0, MORE)), X0)
    assert state.table[12] == EMPTY
    assert (len(on_table(state)), len(state.deck)) == (14, 64)
    filled = done(state, (0, MORE))
    assert filled.table[12] != EMPTY
    assert len(on_table(filled)) == 17


# Penalties and lockouts (section 5, row 5)


def penalised(**given: Any) -> State:
    return rules.apply(done(fresh(3, **given), (0, CALL)), act(0, "0000 0001 0010"))


def test_penalties_are_as_the_settings_say() -> None:
    assert penalised().players[0].points == -1
    assert penalised(penalty_bad=3).players[0].points == -3
    assert penalised(penalty_bad=3, score_floor=-2).players[0].points == -2
    assert penalised(penalty_bad=3, score_floor=0).players[0].points == 0
    assert penalised(profile="seed").players[0] == Player(penalties=1)
    late = rules.expired(done(fresh(penalty_expired=5, penalty_bad=2), (0, CALL)), 1).state
    assert late.players[0].points == -5


def test_a_player_may_be_locked_out_until_the_table_changes() -> None:
    state = penalised(locked_until_change=True)
    assert state.players[0].locked
    assert refused(state, 0, CALL) == (Status.NOT_NOW, "webset.call.lockout")
    assert 0 not in rules.due(state)
    assert not taken(state, X0, seat=1).players[0].locked
    assert not penalised().players[0].locked


def test_a_player_that_is_locked_out_can_still_ask_for_more_cards() -> None:
    state = penalised(locked_until_change=True, more_rule="all_agree")
    assert rules.possible(state, 0) == (MORE,)
    assert rules.possible(state, 1) == (CALL, MORE)


def test_a_lockout_ends_when_everybody_is_locked_out() -> None:
    state = penalised(locked_until_change=True)
    state = rules.expired(done(state, (1, CALL)), 2).state
    assert [player.locked for player in state.players] == [True, True, False]
    state = rules.expired(done(state, (2, CALL)), 3).state
    assert [player.locked for player in state.players] == [False, False, False]
    two_locked = penalised(locked_until_change=True)
    assert not any(player.locked for player in rules.eliminate(rules.eliminate(two_locked, 1), 2).players)


# The end (section 5, row 1)


def test_play_on_ends_when_the_deck_is_empty_and_no_set_is_left() -> None:
    state = fresh()
    while rules.turn(state) is not None:
        state = taken(state, format_cards(solutions(state)[0]))
    assert (state.phase, state.deck, solutions(state)) == (Phase.OVER, (), ())
    assert state.players[0].points == 27


# Ranking (section 5, row 13)


def ranked(*players: tuple[int, int, int]) -> State:
    """Return a finished game with these points, sets and penalties of each player."""
    return fresh(len(players))._replace(
        phase=Phase.OVER,
        players=tuple(Player(points, (0,) * 3 * sets, penalties) for points, sets, penalties in players),
    )


def test_points_count_then_sets_then_fewer_penalties() -> None:
    state = ranked((2, 3, 1), (3, 3, 0), (2, 2, 0), (2, 3, 0), (-1, 0, 1))
    assert rules.ranking(state) == ((1,), (3,), (0,), (2,), (4,))


@pytest.mark.parametrize(
    ("given", "ranking"),
    [
        ({"penalty_bad": 1, "penalty_expired": 1}, ((2,), (0, 1))),
        ({"penalty_bad": 0, "penalty_expired": 1}, ((0, 2), (1,))),
        ({"penalty_bad": 1, "penalty_expired": 0}, ((1, 2), (0,))),
        ({"profile": "seed"}, ((0, 1, 2),)),
    ],
)
def test_wrong_and_expired_calls_break_a_tie_only_where_they_have_a_price(given: Any, ranking: Any) -> None:
    wrong, late, clean = Player(penalties=2), Player(penalties=2, expiries=2), Player()
    state = fresh(3, **given)._replace(phase=Phase.OVER, players=(wrong, late, clean))
    assert rules.ranking(state) == ranking


# Who may act


def test_what_may_be_tried_does_not_say_whether_there_is_a_set() -> None:
    chosen: list[dict[str, Any]] = [{"profile": "seed"}, {"more_rule": "if_no_set"}, {"profile": "published"}]
    for given in chosen:
        with_set, without = fresh(**given), fresh(deck=deck_with(NO_SET), **given)
        assert solutions(with_set)
        assert not solutions(without)
        assert rules.possible(with_set, 0) == rules.possible(without, 0)


# Rounds


ROUND: dict[str, Any] = {"rounds": "earliest"}


def round_of(state: State, *answers: tuple[int, str]) -> Round:
    return takes.play_round(state, [(seat, parse_cards(cards)) for seat, cards in answers])


def test_the_lot_is_drawn_from_the_state_and_takes_everybody_in_time() -> None:
    winners, state = set(), fresh(3, rounds="lot")
    for _ in range(12):
        triple = format_cards(solutions(state)[0])
        answers = [(seat, triple) for seat in (0, 1, 2)]
        after = round_of(state, *answers).state
        assert round_of(state, *answers).state == after
        winners |= {seat for seat in range(3) if after.players[seat].points > state.players[seat].points}
        state = after
    assert winners == {0, 1, 2}


def test_a_round_counts_as_one_act_and_a_lone_set_needs_no_lot() -> None:
    state = fresh(3, rounds="lot")
    for answers in ([(0, X0), (1, "")], [(0, X0), (2, X0)], [(1, "0000 0001 0010")]):
        after = round_of(state, *answers).state
        assert (after.act_count, after.revision) == (state.act_count + 1, state.revision + 1)
        assert (after.draw_state == state.draw_state) == (answers != [(0, X0), (2, X0)])


def test_in_a_round_nothing_of_who_is_out_or_comes_after_the_end_counts() -> None:
    state = rules.eliminate(fresh(3, **ROUND), 1)
    assert round_of(state, (1, X0)).verdicts == {}
    assert round_of(state, (1, X0), (0, X0)).verdicts == {0: Verdict(Status.GOT_SET)}
    over = rules.stop(state)
    assert round_of(over, (0, X0)) == Round(over, {})


def test_a_round_in_which_everybody_passes_asks_for_more_cards() -> None:
    passes = [(0, ""), (1, "")]
    for more_rule, count in (("anyone", 15), ("all_agree", 15), ("majority", 15), ("if_no_set", 12), ("auto", 12)):
        after = round_of(fresh(more_rule=more_rule, **ROUND), *passes)
        assert len(on_table(after.state)) == count
        assert after.verdicts == {}
    state = fresh(deck=deck_with(NO_SET), more_rule="if_no_set", **ROUND)
    assert len(on_table(round_of(state, *passes).state)) == 15


def test_in_rounds_nobody_acts_and_a_take_alone_is_a_round_of_its_own() -> None:
    state = fresh(show_enabled=True, more_rule="anyone", **ROUND)
    for word in WORDS:
        assert refused(state, 0, word) == (Status.NOT_NOW, "webset.act.rounds")
    assert done(state, (1, X0)).players[1].points == 1
    assert rules.due(state) == (0, 1)
    assert len(rules.legal(state)) == 2 * 13


def test_who_is_locked_out_is_not_in_the_round() -> None:
    state = fresh(3, locked_until_change=True, **ROUND)
    after = round_of(state, (0, "0000 0001 0010"), (1, "")).state
    assert rules.due(after) == (1, 2)
    assert round_of(after, (0, X0)).verdicts == {}


# Fresh games and settings


def test_the_shuffle_is_fair_as_far_as_ten_thousand_decks_of_three_show() -> None:
    rng, counts = Random(3), dict[tuple[int, ...], int]()
    for _ in range(10_000):
        order = rules.shuffled((0, 1, 2), rng)
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(1500 < count < 1850 for count in counts.values())


def test_each_profile_is_as_section_6_has_it() -> None:
    seed, published, contest = (settings_of(profile=profile) for profile in ("seed", "published", "contest"))
    assert contest == Settings()
    assert replace(published, profile="contest", more_rule="auto") == contest
    assert (seed.penalty_bad, seed.penalty_expired, seed.more_rule) == (0, 0, "anyone")
    assert (seed.refill_rule, seed.end_rule, seed.show_enabled) == ("seed_base", "seed_immediate", True)
    assert (seed.min_players, seed.late_join) == (1, True)
    assert settings_of(profile="seed", penalty_bad=2).penalty_bad == 2
    assert all(settings_problem(settings_of(profile=profile)) is None for profile in PROFILES)


@pytest.mark.parametrize(
    ("given", "field", "word"),
    [
        ({"table": 13}, "table", "multiple of 3"),
        ({"table": 24}, "table", "up to max_table, 21"),
        ({"max_table": 18}, "max_table", "from 21 to 27"),
        ({"aspects": 3, "max_table": 9}, "max_table", "from 12 to 27"),
        ({"score_floor": 1}, "score_floor", "between -1000 and 0"),
        ({"handicaps_ms": (0, -1)}, "handicaps_ms", r"handicaps_ms\[1\] is -1"),
        ({"handicaps_ms": (60_001,)}, "handicaps_ms", "between 0 and 60000"),
        ({"score_floor": -1001}, "score_floor", "between -1000 and 0"),
        ({"max_table": 22}, "max_table", "multiple of 3"),
        ({"handicaps_ms": (0,) * 9}, "handicaps_ms", "9 entries"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(given: dict[str, Any], field: str, word: str) -> None:
    problem = settings_problem(settings_of(**given))
    assert problem is not None
    assert problem[0] == field
    with pytest.raises(ValueError, match=word):
        rules.initial(settings_of(**given), 2, Random(0))
