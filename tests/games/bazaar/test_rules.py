from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.rules import random_table
from fairplay.games.bazaar.rules.pieces import (
    EMPTY,
    Card,
    EquationTable,
    Exchange,
    bag_text,
    card_text,
    equations_problem,
    mirrored,
    pack,
    parse_bag,
    parse_card,
    parse_exchange,
    points,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.state import (
    PEBBLE,
    SEATS,
    Action,
    Bonus,
    Phase,
    Player,
    Settings,
    Standing,
    State,
    invariant,
    settings_problem,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


ORDERED = Settings(draw="ordered")

seeded = st.integers(0, 2**32).map(Random)


def row(text: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, text.split()))


def way(*texts: str) -> tuple[Exchange, ...]:
    return tuple(map(parse_exchange, texts))


def parse_table(text: str) -> EquationTable:
    return EquationTable(way(*text.split()))


def player(text: str) -> Player:
    """Return a player by wallet, score and cards: "rrb", "rrb 12", "- 12 rrbgy* ..."."""
    wallet, score, *cards = text.split() if " " in text else (text, "0")
    return Player(parse_bag(wallet.strip("-")), int(score), tuple(map(parse_card, cards)))


def game(
    *players: str,
    equations: str = "",
    bank: str = "rwbgy",
    visible: str = "rrrrr rrrrr rrrrr rrrrr",
    pile: str = "wwwww wwwww",
    settings: Settings = ORDERED,
) -> State:
    return rules.resume(
        settings,
        parse_table(equations),
        bank=parse_bag(bank),
        visible=row(visible),
        pile=row(pile),
        players=tuple(map(player, players or ("-", "-"))),
    )


def chosen_settings(**chosen: Any) -> Settings:
    return Settings(draw="ordered", **chosen)


def after(state: State, *actions: Action) -> State:
    """Return the state after legal answers."""
    for action in actions:
        assert rules.violation(state, action) is None
        state = rules.apply(state, action)
        assert invariant(state) is None
    return state


def wallet(state: State, seat: int = 0) -> str:
    return "".join(sorted(bag_text(state.players[seat].wallet)))


def texts(cards: Iterable[Card]) -> str:
    return " ".join(map(card_text, cards))


# --- settings and the start


def test_sides_and_equations_must_fit_each_other() -> None:
    crossed = settings_problem(Settings(side_min=4, side_max=3))
    assert crossed is not None and crossed[0] == "side_min"


@given(st.integers(0, 10**6), st.sampled_from(SEATS))
def test_a_fresh_game_has_the_pieces_of_section_2(seed: int, seats: int) -> None:
    state = rules.initial(Settings(), seats, Random(seed))
    assert invariant(state) is None
    assert state == rules.initial(Settings(), seats, Random(seed))
    assert state.players == (Player(),) * seats
    assert unpack(state.bank) == (20,) * 5
    assert (len(state.visible), len(state.pile)) == (4, 16)
    assert len(state.table.equations) == 10
    assert equations_problem(state.table, 10, 1, 4) is None
    assert (rules.turn(state), state.phase, state.revision, state.turns) == (0, Phase.REQUEST, 0, 0)


def test_all_equations_of_one_pebble_a_side_can_be_drawn() -> None:
    assert len(random_table(Random(1), 10, 1, 1).exchanges) == 20


# --- section 4 and 5: the worked examples


@pytest.mark.parametrize(("left", "plain", "face"), [(7, 1, 2), (3, 1, 2), (2, 2, 3), (1, 3, 5), (0, 5, 8)])
def test_v1_a_purchase_scores_by_what_is_left(left: int, plain: int, face: int) -> None:
    assert (points(left, False), points(left, True)) == (plain, face)


@pytest.mark.parametrize(
    ("wallet_text", "order", "total"),
    [
        ("rrrrrbbbbb", "rrrrr bbbbb*", 9),
        ("rrrrrbbbbb", "bbbbb* rrrrr", 7),
        ("rrrrrbbbbbg", "rrrrr bbbbb*", 6),
        ("rrrrrbbbbbg", "bbbbb* rrrrr", 5),
    ],
)
def test_v2_the_order_of_a_purchase_matters(wallet_text: str, order: str, total: int) -> None:
    state = game(wallet_text, "-", visible="rrrrr bbbbb* yyyyy yyyyy", bank="y")
    bought = after(state, (), row(order))
    assert bought.players[0].score == total
    assert bought.players[0].cards == row(order)


# --- section 3: the turn


@pytest.mark.parametrize(
    ("chosen", "request_ways", "pile", "visible"),
    [
        ({}, [], "w b", 4),
        ({}, ["r->b", "b->r", "r->b"], "w b", 4),
        ({"price_takes_from": "top"}, ["r->b"], "b g", 4),
        ({"exchange_price": "per_equation"}, ["r->b", "b->r"], "w", 4),
        ({"exchange_price": "per_equation"}, ["r->b", "b->r"] * 2, "", 0),
        ({"exchange_price": "per_equation", "empty_request_charged": False}, [], "w b g", 4),
        ({"exchange_price": "none"}, ["r->b"], "w b g", 4),
    ],
)
def test_an_exchange_request_costs_cards(
    chosen: dict[str, Any], request_ways: list[str], pile: str, visible: int
) -> None:
    state = game("r", "-", equations="r=b", pile="wwwww bbbbb ggggg", settings=chosen_settings(**chosen))
    state = after(state, way(*request_ways))
    assert " ".join(card[:1] for card in texts(state.pile).split()) == pile
    assert len(state.visible) == visible
    assert (state.phase is Phase.OVER) == (not visible)


def test_an_exchange_request_with_an_empty_pile_ends_the_game() -> None:
    state = after(game("rrrrr 3", "- 7", pile=""), ())
    assert rules.turn(state) is None
    assert rules.winners(state) == (1,)


def test_the_end_between_the_calls_can_be_left_unchecked() -> None:
    settings = chosen_settings(check_end_mid_turn=False)
    state = after(game("rrrrr", "-", pile="", settings=settings), ())
    assert (rules.turn(state), state.phase) == (0, Phase.CARDS)
    assert rules.legal(state) == ((),)
    assert rules.turn(after(state, ())) is None


def test_random_draws_are_weighted_by_the_pebbles_of_the_bank() -> None:
    state = game("-", "-", bank="r" * 9 + "y", settings=Settings())
    drawn = [wallet(rules.apply(state._replace(draw_state=seed), PEBBLE)) for seed in range(400)]
    assert 330 < drawn.count("r") < 390
    assert drawn.count("r") + drawn.count("y") == 400


def test_ordered_draws_take_the_first_colour_the_bank_has() -> None:
    state = game("-", "-", bank="ygbb")
    taken = []
    for _ in range(4):
        taken.append(wallet(after(state, PEBBLE), state.active))
        state = after(state, PEBBLE, ()) if size(state.bank) > 1 else state
    assert taken[:3] == ["b", "b", "bg"]


# --- violations


junk = st.integers(-(2**70), 2**70)


@given(
    st.lists(st.builds(Exchange, junk, junk), max_size=3), st.lists(st.builds(Card, junk, st.booleans()), max_size=3)
)
def test_any_numbers_are_judged_without_an_error(exchanges: list[Exchange], cards: list[Card]) -> None:
    state = game("rrrrrbb", "-", equations="r=bb")
    for due in (state, after(state, ())):
        for action in (tuple(exchanges), tuple(cards)):
            broken = rules.violation(due, action)
            assert broken in rules.RULES if action else broken is None


# --- section 6: elimination


@pytest.mark.parametrize(("returns", "bank"), [(False, "rwbgy"), (True, "rrwbbgy")])
def test_the_pebbles_of_an_eliminated_player_vanish_or_return(returns: bool, bank: str) -> None:
    state = game("rb", "-", settings=chosen_settings(kick_returns_pebbles=returns))
    assert bag_text(rules.eliminate(state, 0).bank) == bank


def test_one_survivor_can_be_made_the_winner_at_once() -> None:
    state = rules.eliminate(game("-", "-", "-", settings=chosen_settings(lone_survivor="stop")), 0)
    assert rules.turn(state) == 1
    state = rules.eliminate(state, 1)
    assert rules.turn(state) is None
    assert rules.ranking(state) == ((2,),)


def test_a_failure_at_set_up_leaves_a_resumed_turn_of_another_player_where_it_was() -> None:
    state = after(game("-", "-", "-"), PEBBLE)
    assert rules.turn(rules.eliminate_at_setup(state, 1)) == 0
    assert rules.eliminate_at_setup(state, 1).phase is Phase.CARDS
    own = rules.eliminate_at_setup(state, 0)
    assert (rules.turn(own), own.phase) == (1, Phase.REQUEST)


def test_a_state_that_was_over_is_asked_anew_after_a_failure_at_set_up() -> None:
    state = game("-", "- 25", "-")
    assert rules.turn(state) is None
    assert rules.turn(rules.eliminate_at_setup(state, 0)) is None
    assert rules.turn(rules.eliminate_at_setup(state, 1)) == 0
    state = rules.eliminate(game("- 25", "- 25", "-"), 0)._replace(active=1)
    assert rules.turn(rules.eliminate_at_setup(state, 1)) is None


def test_a_state_in_which_a_winner_has_failed_is_still_one_that_is_over() -> None:
    state = rules.eliminate(game("- 20", "- 3"), 0)
    assert rules.turn(state) is None
    assert invariant(state) is None
    assert rules.ranking(state) == ((), (1,))


# --- section 7: the end


def test_with_equal_turns_the_round_is_finished() -> None:
    settings = chosen_settings(equal_turns=True)
    state = game("rrrrr 15", "rrrrr 19", "-", bank="y" * 9, pile="wwwww " * 6, settings=settings)
    state = after(state, (), row("rrrrr"))
    assert rules.turn(state) == 1
    state = after(state, (), row("rrrrr"))
    assert rules.turn(state) == 2
    state = after(state, PEBBLE, ())
    assert rules.turn(state) is None
    assert rules.ranking(state) == ((1,), (0,), (2,))


def test_equal_turns_end_with_the_last_survivor_of_the_round() -> None:
    state = game("-", "rrrrr 15", "-", bank="y" * 9, settings=chosen_settings(equal_turns=True))
    state = rules.eliminate(state, 0)
    state = after(state, (), row("rrrrr"))
    assert rules.turn(state) == 2
    assert rules.turn(rules.eliminate(state, 2)) is None


def test_an_empty_bank_ends_the_game_only_if_nobody_can_buy() -> None:
    assert rules.turn(game("rrrr", "bbbbb", bank="")) is None
    assert rules.turn(game("rrrr", "rrrrr", bank="")) == 0
    assert rules.turn(game("rrrr", "wwwww", bank="")) == 0, "a hidden card counts"
    assert rules.turn(game("rrrr", "bbbbb", bank="y")) == 0


def test_taking_the_last_pebble_can_end_the_game_in_mid_turn() -> None:
    state = after(game("bbbb", "-", bank="y"), PEBBLE)
    assert (rules.turn(state), state.turns) == (None, 0)


def test_eliminating_the_only_one_who_could_buy_ends_the_game() -> None:
    assert rules.turn(rules.eliminate(game("rrrr", "rrrrr", bank=""), 1)) is None


def test_a_game_ends_at_the_turn_cap() -> None:
    state = game("-", "-", settings=chosen_settings(empty_request_charged=False, turn_cap=7))
    while rules.turn(state) is not None:
        state = after(state, (), ())
    assert state.turns == 7


@pytest.mark.parametrize(
    ("kind", "cards", "extra"),
    [
        ("rwb", "rwbbb", 10),
        ("rwb", "rrrrr wwwww bbbbb", 10),
        ("rwb", "rrrww rrggy", 0),
        ("sey", "rwwww bbbbb ggggy", 50),
        ("sey", "rwwww bbbbb ggggg", 0),
        ("rwb_distinct", "rwbbb rwbbb rwbbb", 10),
        ("rwb_distinct", "rwwww rwwww ggggg bbbbb", 10),
        ("rwb_distinct", "rrrrr bbbbb ggggg", 0),
    ],
)
def test_the_bonus_looks_at_the_cards_of_the_whole_game(kind: Bonus, cards: str, extra: int) -> None:
    state = game(f"- 3 {cards}", "-", pile="", settings=chosen_settings(bonus=kind))
    assert rules.scores(state) == (3, 0)
    assert rules.scores(after(state, ())) == (3 + extra, 0)


# --- what a player sees, and which states can be


def test_bought_cards_can_be_hidden() -> None:
    state = game("rr 3 rrrrr", "-", settings=chosen_settings(turn_active_has_cards=False))
    assert rules.view(state, 0).cards == ()


# --- random play


@st.composite
def settings_of_any_kind(draw: st.DrawFn) -> Settings:
    return Settings(
        pebbles_per_color=draw(st.integers(1, 8)),
        cards_total=draw(st.integers(1, 12)),
        visible=draw(st.integers(1, 5)),
        equations=draw(st.integers(0, 10)),
        winning_score=draw(st.sampled_from([5, 20])),
        exchange_price=draw(st.sampled_from(["per_request", "per_equation", "none"])),
        empty_request_charged=draw(st.booleans()),
        price_takes_from=draw(st.sampled_from(["bottom", "top"])),
        draw=draw(st.sampled_from(["random", "ordered"])),
        kick_returns_pebbles=draw(st.booleans()),
        lone_survivor=draw(st.sampled_from(["play_on", "stop"])),
        check_end_mid_turn=draw(st.booleans()),
        equal_turns=draw(st.booleans()),
        bonus=draw(st.sampled_from(["none", "rwb", "sey", "rwb_distinct"])),
        turn_cap=40,
    )


def pebbles(state: State) -> list[int]:
    """Return all pebbles by colour."""
    return [sum(counts) for counts in zip(*map(unpack, (state.bank, *(p.wallet for p in state.players))), strict=True)]


def cards(state: State) -> Counter[Card]:
    return Counter([*state.visible, *state.pile, *(card for p in state.players for card in p.cards)])


@given(settings_of_any_kind(), st.sampled_from(SEATS), seeded)
def test_random_play_loses_no_piece_and_comes_to_an_end(settings: Settings, seats: int, rng: Random) -> None:
    state = rules.initial(settings, seats, rng)
    while (seat := rules.turn(state)) is not None:
        before = state
        listed = rules.legal(state)
        assert all(rules.violation(state, action) is None for action in listed)
        if rng.random() < 0.05:
            state = rules.eliminate(state, seat)
            kept = before.players[seat].wallet if not settings.kick_returns_pebbles else EMPTY
            assert pebbles(before) == [now + lost for now, lost in zip(pebbles(state), unpack(kept), strict=True)]
        else:
            action = rng.choice(listed)
            state = rules.apply(state, action)
            assert pebbles(state) == pebbles(before)
            assert cards(state) <= cards(before)
            if action is PEBBLE or before.phase is Phase.CARDS:
                assert cards(state) == cards(before)
        assert invariant(state) is None
        assert state.revision == before.revision + 1
    assert state.turns <= 40
    check_ranking(state)


def check_ranking(state: State) -> None:
    """Check that the ranking has all survivors once, by falling scores, ties in one group."""
    groups = rules.ranking(state)
    ranked = [seat for group in groups for seat in group]
    assert sorted(ranked) == [seat for seat, one in enumerate(state.players) if one.standing is Standing.IN]
    totals = [{rules.scores(state)[seat] for seat in group} for group in groups]
    assert all(len(group) == 1 for group in totals)
    best = [min(group) for group in totals]
    assert best == sorted(set(best), reverse=True)


def naive_request(state: State, request: tuple[Exchange, ...]) -> bool:
    """Judge a request as section 4 does, with multisets."""
    mine = Counter(wallet(state, state.active))
    bank = Counter(bag_text(state.bank))
    both = {way for equation in state.table.equations for way in (equation, mirrored(equation))}
    for exchange in request:
        left, right = Counter(bag_text(exchange.left)), Counter(bag_text(exchange.right))
        if exchange not in both or not (left <= mine and right <= bank):
            return False
        mine, bank = mine - left + right, bank - right + left
    return True


def naive_purchase(state: State, cards: tuple[Card, ...]) -> bool:
    """Judge a purchase as section 5 does, with multisets."""
    price = Counter(letter for card in cards for letter in bag_text(card.pebbles))
    return Counter(cards) <= Counter(state.visible) and price <= Counter(wallet(state, state.active))


@given(seeded, st.integers(0, 12), st.integers(0, 4))
def test_an_answer_is_refused_exactly_when_it_breaks_a_rule(rng: Random, filling: int, length: int) -> None:
    state = rules.initial(Settings(pebbles_per_color=6), 2, rng)
    stock = Counter(rng.choices(range(5), k=filling))
    mine = pack(min(stock[colour], 6) for colour in range(5))
    state = state._replace(bank=state.bank - mine, players=(Player(mine), Player()))
    request = tuple(rng.choices(state.table.exchanges, k=length))
    broken = rules.violation(state, request)
    assert (broken is None) == naive_request(state, request)
    assert broken is None or broken in rules.RULES
    buying = state._replace(phase=Phase.CARDS)
    wanted = tuple(rng.choices([*state.visible, state.pile[0]], k=min(length, 2)))
    broken = rules.violation(buying, wanted)
    assert (broken is None) == naive_purchase(buying, wanted)
    assert broken is None or broken in rules.RULES


@given(seeded)
def test_every_legal_purchase_is_listed_once(rng: Random) -> None:
    letters = "rb"
    visible = [Card(parse_bag("".join(rng.choices(letters, k=5))), rng.random() < 0.5) for _ in range(3)]
    state = game("".join(rng.choices(letters, k=14)), "-")._replace(visible=tuple(visible), phase=Phase.CARDS)
    listed = rules.legal(state)
    every = {(), *((a,) for a in visible), *((a, b) for a in visible for b in visible)}
    assert len(set(listed)) == len(listed)
    assert {some for some in every if naive_purchase(state, some)} == set(listed)
