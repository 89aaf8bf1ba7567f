"""Bazaar between rules and messages.

A bag of pebbles is five counts in messages and one packed number in the rules. Cards and tables of equations come up
again and again, so caches keep their messages and values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, cast

from fairplay.bazaar.v1 import bazaar_pb2, bazaar_player_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.rules.pieces import Bag, Card, Exchange, card_text, exchange_text, pack, unpack
from fairplay.games.bazaar.rules.results import bonus
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.messages import fill, read_settings, remember_settings
from fairplay.games.kit.wire import packed, write_field, write_number, write_numbers

_SHOWN_CHARS = 100


# Settings


@remember_settings
def settings(message: bazaar_pb2.Settings) -> rules.Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    return read_settings(message, rules.Settings, rules.settings_problem)


def settings_message(settings: rules.Settings) -> bazaar_pb2.Settings:
    """Return the message of settings, every field set."""
    return fill(bazaar_pb2.Settings(), settings)


# Pieces


@lru_cache(maxsize=10_000)
def _bag(counts: tuple[int, ...]) -> Bag:
    return pack(counts)


def bag(counts: Sequence[int]) -> Bag:
    """Return the bag of five counts. Raises ValueError if they are not five, or out of range."""
    return _bag(tuple(counts[:6]))


@lru_cache(maxsize=10_000)
def card_message(card: Card) -> bazaar_pb2.Card:
    """Return the message of a card. It is shared and must not be changed."""
    return bazaar_pb2.Card(pebbles=unpack(card.pebbles), face=card.face)


def card_of(message: bazaar_pb2.Card) -> Card:
    """Return the card of a message. Raises ValueError if its pebbles are not a bag."""
    return Card(bag(message.pebbles), message.face)


@lru_cache(maxsize=10_000)
def equation_message(exchange: Exchange) -> bazaar_pb2.Equation:
    """Return the message of an equation, or of its use from left to right. It is shared and must not be changed."""
    return bazaar_pb2.Equation(left=unpack(exchange.left), right=unpack(exchange.right))


def exchange_of(message: bazaar_pb2.Equation) -> Exchange:
    """Return the exchange from the left side to the right one. Raises ValueError if a side is not a bag."""
    return Exchange(bag(message.left), bag(message.right))


@lru_cache(maxsize=1_000)
def table_message(table: rules.EquationTable) -> bazaar_pb2.EquationTable:
    """Return the message of a table of equations. It is shared and must not be changed."""
    return bazaar_pb2.EquationTable(equations=map(equation_message, table.equations))


def table(message: bazaar_pb2.EquationTable) -> rules.EquationTable:
    """Return the table of a message. Raises ValueError if a side is not a bag."""
    return _table(message.SerializeToString())


@lru_cache(maxsize=1_000)
def _table(data: bytes) -> rules.EquationTable:
    """Return the table of a serialized message: each comes in every request of a game, and is slow to read."""
    message = bazaar_pb2.EquationTable.FromString(data)
    return rules.EquationTable(tuple(exchange_of(equation) for equation in message.equations))


# What a player is shown


_REVISION = write_number(bazaar_pb2.TurnState, "revision")
_TABLE = write_field(bazaar_pb2.TurnState, "table")
_BANK = write_field(bazaar_pb2.TurnState, "bank")
_VISIBLE = write_field(bazaar_pb2.TurnState, "visible")
_WALLET = write_field(bazaar_pb2.TurnState, "wallet")
_SCORE = write_number(bazaar_pb2.TurnState, "score")
_CARD = write_field(bazaar_pb2.TurnState, "cards")
_OTHER_SCORES = write_numbers(bazaar_pb2.TurnState, "other_scores")


def turn_state_data(state: rules.State, seat: int) -> bytes:
    """Return what the player of a seat is shown, serialised: its view, and the equations."""
    seen = rules.view(state, seat)
    return b"".join(
        (
            _REVISION(seen.revision),
            _table_data(state.table),
            _BANK(_bag_data(seen.bank)),
            *[_VISIBLE(_card_data(card)) for card in seen.visible],
            _WALLET(_bag_data(seen.wallet)),
            _SCORE(seen.score),
            *[_CARD(_card_data(card)) for card in seen.cards],
            _OTHER_SCORES(seen.scores),
        )
    )


@lru_cache(maxsize=1_000)
def _table_data(table: rules.EquationTable) -> bytes:
    return _TABLE(table_message(table).SerializeToString())


@lru_cache(maxsize=10_000)
def _bag_data(bag: Bag) -> bytes:
    return packed(unpack(bag))


@lru_cache(maxsize=10_000)
def _card_data(card: Card) -> bytes:
    data: bytes = card_message(card).SerializeToString()
    return data


def view(message: bazaar_pb2.TurnState) -> rules.TurnView:
    """Return the view that a player is given. Raises ValueError if the message holds something that is not a bag."""
    return rules.TurnView(
        bank=bag(message.bank),
        visible=tuple([card_of(card) for card in message.visible]),
        wallet=bag(message.wallet),
        score=message.score,
        cards=tuple([card_of(card) for card in message.cards]),
        scores=tuple(message.other_scores),
        revision=message.revision,
    )


# Answers


def request_message(request: rules.Request) -> bazaar_player_pb2.RequestPebbleOrExchangesResponse:
    """Return the reply that asks for a pebble or for exchanges."""
    if request is rules.PEBBLE:
        return bazaar_player_pb2.RequestPebbleOrExchangesResponse(pebble=bazaar_pb2.Pebble())
    steps = bazaar_pb2.Exchanges(steps=map(equation_message, request))
    return bazaar_player_pb2.RequestPebbleOrExchangesResponse(exchanges=steps)


def requested(reply: bazaar_player_pb2.RequestPebbleOrExchangesResponse, max_exchanges: int) -> rules.Request:
    """Return the answer to the first call of a turn. Raises MalformedReplyError if it is malformed or too long."""
    answer = reply.WhichOneof("answer")
    if answer is None:
        raise MalformedReplyError("bazaar.request.required", "neither")
    if answer == "pebble":
        return rules.PEBBLE
    steps = reply.exchanges.steps
    if len(steps) > max_exchanges:
        raise MalformedReplyError("bazaar.exchange.too-many", f"{len(steps)} of at most {max_exchanges}")
    return tuple([_exchange_of_reply(step, place) for place, step in enumerate(steps, start=1)])


def _exchange_of_reply(message: bazaar_pb2.Equation, place: int) -> Exchange:
    try:
        return exchange_of(message)
    except ValueError:
        sides = f"{counts_text(message.left)} for {counts_text(message.right)}"
        raise MalformedReplyError("bazaar.pebble.counts", f"exchange {place}, {sides}") from None


def purchase_message(purchase: rules.Purchase) -> bazaar_player_pb2.RequestCardsResponse:
    """Return the reply that buys cards."""
    return bazaar_player_pb2.RequestCardsResponse(cards=[card_message(card) for card in purchase])


def purchased(reply: bazaar_player_pb2.RequestCardsResponse, visible_count: int) -> rules.Purchase:
    """Return the answer to the second call of a turn. Raises MalformedReplyError if it is malformed.

    Of more cards than are visible one is not visible, so the rest is not read.
    """
    cards = islice(reply.cards, visible_count + 1)
    return tuple([_card_of_reply(card, place) for place, card in enumerate(cards, start=1)])


def _card_of_reply(message: bazaar_pb2.Card, place: int) -> Card:
    try:
        return card_of(message)
    except ValueError:
        raise MalformedReplyError("bazaar.pebble.counts", f"card {place}, {counts_text(message.pebbles)}") from None


def counts_text(counts: Sequence[int]) -> str:
    """Return the text of the counts of what should be a bag."""
    shown = ", ".join(map(str, counts[:5]))
    return f"[{shown}]" if len(counts) <= 5 else f"[{shown}, ...] with {len(counts)} counts"


def legal_replies(
    state: rules.State,
) -> Sequence[bazaar_player_pb2.RequestPebbleOrExchangesResponse | bazaar_player_pb2.RequestCardsResponse]:
    """Return replies that would be legal now; of the requests only the shortest, because there are too many."""
    actions = rules.legal(state)
    if state.phase is rules.Phase.CARDS:
        return [purchase_message(cast("rules.Purchase", action)) for action in actions]
    return [request_message(cast("rules.Request", action)) for action in actions]


def described(state: rules.State, action: rules.Action) -> str:
    """Return the first illegal part of an action in words. Pebbles are initials, * is a happy face."""
    if action is rules.PEBBLE:
        return "a pebble"
    parts = cast("tuple[Exchange | Card, ...]", action)
    place = bisect_left(range(1, len(parts)), True, key=lambda length: bool(rules.violation(state, action[:length])))
    part = parts[place]
    text = f"card {card_text(part)}" if isinstance(part, Card) else f"exchange {exchange_text(part)}"
    return f"{text[:_SHOWN_CHARS]}, number {place + 1} of {len(parts)}"


# States

PHASES = {
    rules.Phase.REQUEST: bazaar_pb2.PHASE_REQUEST,
    rules.Phase.CARDS: bazaar_pb2.PHASE_CARDS,
    rules.Phase.OVER: bazaar_pb2.PHASE_OVER,
}
STANDINGS = {
    rules.Standing.IN: bazaar_pb2.STANDING_PLAYING,
    rules.Standing.OUT: bazaar_pb2.STANDING_ELIMINATED,
    rules.Standing.FAILED: bazaar_pb2.STANDING_FAILED,
}


class LastAction(NamedTuple):
    """An action that was carried out, of the seat that was called, in the phase in which it was."""

    seat: int
    phase: rules.Phase
    action: rules.Action


class Shown(NamedTuple):
    """A state as it is shown, and the action that led to it, if one did."""

    state: rules.State
    last: LastAction | None = None


def public_message(state: rules.State, last: LastAction | None = None) -> bazaar_pb2.State:
    """Return what spectators may see of a state: no wallets, no hidden cards, no draw state."""
    return bazaar_pb2.State(
        revision=state.revision,
        table=table_message(state.table),
        bank=unpack(state.bank),
        visible=[card_message(card) for card in state.visible],
        players=[_player_message(state, player) for player in state.players],
        active_seat=state.active,
        phase=PHASES[state.phase],
        turn_count=state.turns,
        last_action=_last_action_message(*last) if last else None,
    )


def _last_action_message(seat: int, phase: rules.Phase, action: rules.Action) -> bazaar_pb2.LastAction:
    if phase is rules.Phase.CARDS:
        cards = purchase_message(cast("rules.Purchase", action)).cards
        return bazaar_pb2.LastAction(seat=seat, purchase=bazaar_pb2.Purchase(cards=cards))
    request = request_message(cast("rules.Request", action))
    if request.HasField("pebble"):
        return bazaar_pb2.LastAction(seat=seat, pebble=request.pebble)
    return bazaar_pb2.LastAction(seat=seat, exchanges=request.exchanges)


def _player_message(state: rules.State, player: rules.Player) -> bazaar_pb2.Player:
    over = state.phase is rules.Phase.OVER
    return bazaar_pb2.Player(
        score=player.score,
        cards=[card_message(card) for card in player.cards],
        standing=STANDINGS[player.standing],
        bonus=bonus(state.settings.bonus, player.cards) if over else 0,
    )


def state_message(state: rules.State, last: LastAction | None = None) -> bazaar_pb2.State:
    """Return all of a state, hidden things included."""
    message = public_message(state, last)
    for player, shown in zip(state.players, message.players, strict=True):
        shown.wallet.extend(unpack(player.wallet))
    message.pile.extend(card_message(card) for card in state.pile)
    message.draw_state = state.draw_state.to_bytes(8, "big")
    return message
