"""What the answers of a turn do (bazaar.md sections 3 to 5)."""

from __future__ import annotations

from typing import cast

from fairplay.games.bazaar.rules.pieces import UNITS, Bag, points, size, unpack
from fairplay.games.bazaar.rules.results import settled
from fairplay.games.bazaar.rules.settings import Settings
from fairplay.games.bazaar.rules.state import (
    PEBBLE,
    Action,
    Exchanges,
    Phase,
    Player,
    Purchase,
    State,
    next_seat,
    with_player,
)
from fairplay.games.kit.draws import draw_below


def apply(state: State, action: Action) -> State:
    """Return the state after a legal answer to the call that is due; after a purchase the next turn begins."""
    if state.phase is Phase.CARDS:
        return _bought(state, cast("Purchase", action))
    if action is PEBBLE:
        return _drawn(state)
    return _exchanged(state, cast("Exchanges", action))


def _drawn(state: State) -> State:
    draw_state, place = state.draw_state, 0
    if state.settings.draw == "random":
        draw_state, place = draw_below(draw_state, size(state.bank))
    return _requested(state, _pebble_at(state.bank, place), state.visible, state.pile, draw_state)


def _pebble_at(bank: Bag, place: int) -> Bag:
    """Return one pebble of the bank, whose colours lie in canonical order."""
    for unit, count in zip(UNITS, unpack(bank), strict=True):
        place -= count
        if place < 0:
            return unit
    raise ValueError("the bank has fewer pebbles")


def _exchanged(state: State, exchanges: Exchanges) -> State:
    gain = sum([right - left for left, right in exchanges])
    visible, pile = state.visible, state.pile
    for _ in range(_price(state.settings, len(exchanges))):
        if pile:
            pile = pile[:-1] if state.settings.price_takes_from == "bottom" else pile[1:]
        else:
            visible = ()
    return _requested(state, gain, visible, pile, state.draw_state)


def _price(settings: Settings, exchange_count: int) -> int:
    """Return how many cards a request with so many exchanges costs (section 3)."""
    if settings.exchange_price == "none":
        return 0
    if not exchange_count:
        return int(settings.empty_request_charged)
    return exchange_count if settings.exchange_price == "per_equation" else 1


def _requested(state: State, gain: Bag, visible: Purchase, pile: Purchase, draw_state: int) -> State:
    settings, table, bank, _, _, players, seat, _, turns, _, revision = state
    wallet, score, cards, standing = players[seat]
    players = with_player(players, seat, Player(wallet + gain, score, cards, standing))
    bank, revision = bank - gain, revision + 1
    after = State(settings, table, bank, visible, pile, players, seat, Phase.CARDS, turns, draw_state, revision)
    return settled(after) if settings.check_end_mid_turn else after


def _bought(state: State, purchase: Purchase) -> State:
    settings, table, bank, visible, pile, players, seat, _, turns, draw_state, revision = state
    if purchase:
        wallet, score, cards, standing = players[seat]
        row = list(visible)
        for card in purchase:
            row.remove(card)
            wallet -= card.pebbles
            bank += card.pebbles
            score += points(size(wallet), card.face)
        visible = (*row, *pile[: len(purchase)])
        pile = pile[len(purchase) :]
        players = with_player(players, seat, Player(wallet, score, cards + purchase, standing))
    seat, turns, revision, phase = next_seat(players, seat), turns + 1, revision + 1, Phase.REQUEST
    return settled(State(settings, table, bank, visible, pile, players, seat, phase, turns, draw_state, revision))
