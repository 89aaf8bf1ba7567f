"""

A bag of pebbles is five counts in messages and one packed number in the rules. Cards and tables of equations come up
again and again, so caches keep their messages and values.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count, islice
from random import Random
from typing import Any, NamedTuple, cast

from fairplay.bazaar.v1 import bazaar_pb2, bazaar_player_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.rules import bonus
from fairplay.games.bazaar.rules.pieces import (
    MAX_COUNT,
    Bag,
    Card,
    EquationTable,
    Exchange,
    card_text,
    exchange_text,
    pack,
    unpack,
)
from fairplay.games.bazaar.rules.state import (
    PEBBLE,
    Action,
    Phase,
    Player,
    Purchase,
    Request,
    Settings,
    Standing,
    State,
    TurnView,
    invariant,
    settings_problem,
)
from fairplay.games.kit import messages
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.wire import packed, write_field, write_number, write_numbers

_SHOWN_CHARS = 100


# Settings


@messages.remember_settings
def read_settings(message: bazaar_pb2.Settings) -> Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    return messages.read_settings(message, Settings, settings_problem)


def build_settings(settings: Settings) -> bazaar_pb2.Settings:
    """Return the message of settings, every field set."""
    return messages.fill(bazaar_pb2.Settings(), settings)


# Pieces


@lru_cache(maxsize=10_000)
def _bag(counts: tuple[int, ...]) -> Bag:
    return pack(counts)


def read_bag(counts: Sequence[int]) -> Bag:
    """Return the bag of five counts. Raises ValueError if they are not five, or out of range."""
    return _bag(tuple(counts[:6]))


@lru_cache(maxsize=10_000)
def build_card(card: Card) -> bazaar_pb2.Card:
    """Return the message of a card. It is shared and must not be changed."""
    return bazaar_pb2.Card(pebbles=unpack(card.pebbles), face=card.face)


def read_card(message: bazaar_pb2.Card) -> Card:
    """Return the card of a message. Raises ValueError if its pebbles are not a bag."""
    return Card(read_bag(message.pebbles), message.face)


@lru_cache(maxsize=10_000)
def build_equation(exchange: Exchange) -> bazaar_pb2.Equation:
    """Return the message of an equation, or of its use from left to right. It is shared and must not be changed."""
    return bazaar_pb2.Equation(left=unpack(exchange.left), right=unpack(exchange.right))


def read_exchange(message: bazaar_pb2.Equation) -> Exchange:
    """Return the exchange from the left side to the right one. Raises ValueError if a side is not a bag."""
    return Exchange(read_bag(message.left), read_bag(message.right))


@lru_cache(maxsize=1_000)
def build_table(table: EquationTable) -> bazaar_pb2.EquationTable:
    """Return the message of a table of equations. It is shared and must not be changed."""
    return bazaar_pb2.EquationTable(equations=map(build_equation, table.equations))


def read_table(message: bazaar_pb2.EquationTable) -> EquationTable:
    """Return the table of a message. Raises ValueError if a side is not a bag."""
    return _table(message.SerializeToString())


@lru_cache(maxsize=1_000)
def _table(data: bytes) -> EquationTable:
    """Return the table of a serialized message: each comes in every request of a game, and is slow to read."""
    message = bazaar_pb2.EquationTable.FromString(data)
    return EquationTable(tuple(read_exchange(equation) for equation in message.equations))


# What a player is shown


_REVISION = write_number(bazaar_pb2.TurnState, "revision")
_TABLE = write_field(bazaar_pb2.TurnState, "table")
_BANK = write_field(bazaar_pb2.TurnState, "bank")
_VISIBLE = write_field(bazaar_pb2.TurnState, "visible")
_WALLET = write_field(bazaar_pb2.TurnState, "wallet")
_SCORE = write_number(bazaar_pb2.TurnState, "score")
_CARD = write_field(bazaar_pb2.TurnState, "cards")
_OTHER_SCORES = write_numbers(bazaar_pb2.TurnState, "other_scores")


def turn_state_data(state: State, seat: int) -> bytes:
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
def _table_data(table: EquationTable) -> bytes:
    return _TABLE(build_table(table).SerializeToString())


@lru_cache(maxsize=10_000)
def _bag_data(bag: Bag) -> bytes:
    return packed(unpack(bag))


@lru_cache(maxsize=10_000)
def _card_data(card: Card) -> bytes:
    data: bytes = build_card(card).SerializeToString()
    return data


def read_view(message: bazaar_pb2.TurnState) -> TurnView:
    """Return the view that a player is given. Raises ValueError if the message holds something that is not a bag."""
    return TurnView(
        bank=read_bag(message.bank),
        visible=tuple([read_card(card) for card in message.visible]),
        wallet=read_bag(message.wallet),
        score=message.score,
        cards=tuple([read_card(card) for card in message.cards]),
        scores=tuple(message.other_scores),
        revision=message.revision,
    )


# Answers


def build_request(request: Request) -> bazaar_player_pb2.RequestPebbleOrExchangesResponse:
    """Return the reply that asks for a pebble or for exchanges."""
    if request is PEBBLE:
        return bazaar_player_pb2.RequestPebbleOrExchangesResponse(pebble=bazaar_pb2.Pebble())
    steps = bazaar_pb2.Exchanges(steps=map(build_equation, request))
    return bazaar_player_pb2.RequestPebbleOrExchangesResponse(exchanges=steps)


def read_request(reply: bazaar_player_pb2.RequestPebbleOrExchangesResponse, max_exchanges: int) -> Request:
    """Return the answer to the first call of a turn. Raises MalformedReplyError if it is malformed or too long."""
    answer = reply.WhichOneof("answer")
    if answer is None:
        raise MalformedReplyError("bazaar.request.required", "neither")
    if answer == "pebble":
        return PEBBLE
    steps = reply.exchanges.steps
    if len(steps) > max_exchanges:
        raise MalformedReplyError("bazaar.exchange.too-many", f"{len(steps)} of at most {max_exchanges}")
    exchanges = []
    for place, step in enumerate(steps, start=1):
        try:
            exchanges.append(read_exchange(step))
        except ValueError:
            sides = f"{counts_text(step.left)} for {counts_text(step.right)}"
            raise MalformedReplyError("bazaar.pebble.counts", f"exchange {place}, {sides}") from None
    return tuple(exchanges)


def build_purchase(purchase: Purchase) -> bazaar_player_pb2.RequestCardsResponse:
    """Return the reply that buys cards."""
    return bazaar_player_pb2.RequestCardsResponse(cards=[build_card(card) for card in purchase])


def read_purchase(reply: bazaar_player_pb2.RequestCardsResponse, visible_count: int) -> Purchase:
    """Return the answer to the second call of a turn. Raises MalformedReplyError if it is malformed.

    Of more cards than are visible one is not visible, so the rest is not read.
    """
    cards = []
    for place, card in enumerate(islice(reply.cards, visible_count + 1), start=1):
        try:
            cards.append(read_card(card))
        except ValueError:
            raise MalformedReplyError("bazaar.pebble.counts", f"card {place}, {counts_text(card.pebbles)}") from None
    return tuple(cards)


def read_answer(state: State, reply: Any) -> Action:
    """Return the answer to the call that is due. Raises MalformedReplyError if it is malformed."""
    if state.phase is Phase.REQUEST:
        return read_request(reply, state.settings.max_exchanges)
    return read_purchase(reply, len(state.visible))


def counts_text(counts: Sequence[int]) -> str:
    """Return the text of the counts of what should be a bag."""
    shown = ", ".join(map(str, counts[:5]))
    return f"[{shown}]" if len(counts) <= 5 else f"[{shown}, ...] with {len(counts)} counts"


def legal_replies(
    state: State,
) -> Sequence[bazaar_player_pb2.RequestPebbleOrExchangesResponse | bazaar_player_pb2.RequestCardsResponse]:
    """Return replies that would be legal now; of the requests only the shortest, because there are too many."""
    actions = rules.legal(state)
    if state.phase is Phase.CARDS:
        return [build_purchase(cast("Purchase", action)) for action in actions]
    return [build_request(cast("Request", action)) for action in actions]


def describe_action(state: State, action: Action) -> str:
    """Return the first illegal part of an action in words. Pebbles are initials, * is a happy face."""
    if action is PEBBLE:
        return "a pebble"
    parts = cast("tuple[Exchange | Card, ...]", action)
    place = bisect_left(range(1, len(parts)), True, key=lambda length: bool(rules.violation(state, action[:length])))
    part = parts[place]
    text = f"card {card_text(part)}" if isinstance(part, Card) else f"exchange {exchange_text(part)}"
    return f"{text[:_SHOWN_CHARS]}, number {place + 1} of {len(parts)}"


# States

PHASES = {
    Phase.REQUEST: bazaar_pb2.PHASE_REQUEST,
    Phase.CARDS: bazaar_pb2.PHASE_CARDS,
    Phase.OVER: bazaar_pb2.PHASE_OVER,
}
STANDINGS = {
    Standing.IN: bazaar_pb2.STANDING_PLAYING,
    Standing.OUT: bazaar_pb2.STANDING_ELIMINATED,
    Standing.FAILED: bazaar_pb2.STANDING_FAILED,
}


class LastAction(NamedTuple):
    """An action that was carried out, of the seat that was called, in the phase in which it was."""

    seat: int
    phase: Phase
    action: Action


class Shown(NamedTuple):
    """A state as it is shown, and the action that led to it, if one did."""

    state: State
    last: LastAction | None = None


def build_public(state: State, last: LastAction | None = None) -> bazaar_pb2.State:
    """Return what spectators may see of a state: no wallets, no hidden cards, no draw state."""
    return bazaar_pb2.State(
        revision=state.revision,
        table=build_table(state.table),
        bank=unpack(state.bank),
        visible=[build_card(card) for card in state.visible],
        players=[_player_message(state, player) for player in state.players],
        active_seat=state.active,
        phase=PHASES[state.phase],
        turn_count=state.turns,
        last_action=_last_action_message(*last) if last else None,
    )


def _last_action_message(seat: int, phase: Phase, action: Action) -> bazaar_pb2.LastAction:
    if phase is Phase.CARDS:
        cards = build_purchase(cast("Purchase", action)).cards
        return bazaar_pb2.LastAction(seat=seat, purchase=bazaar_pb2.Purchase(cards=cards))
    request = build_request(cast("Request", action))
    if request.HasField("pebble"):
        return bazaar_pb2.LastAction(seat=seat, pebble=request.pebble)
    return bazaar_pb2.LastAction(seat=seat, exchanges=request.exchanges)


def _player_message(state: State, player: Player) -> bazaar_pb2.Player:
    over = state.phase is Phase.OVER
    return bazaar_pb2.Player(
        score=player.score,
        cards=[build_card(card) for card in player.cards],
        standing=STANDINGS[player.standing],
        bonus=bonus(state.settings.bonus, player.cards) if over else 0,
    )


def build_state(state: State, last: LastAction | None = None) -> bazaar_pb2.State:
    """Return all of a state, hidden things included."""
    message = build_public(state, last)
    for player, shown in zip(state.players, message.players, strict=True):
        shown.wallet.extend(unpack(player.wallet))
    message.pile.extend(build_card(card) for card in state.pile)
    message.draw_state = state.draw_state.to_bytes(8, "big")
    return message


_PHASE_OF = {number: phase for phase, number in PHASES.items()}
_STANDING_OF = {bazaar_pb2.STANDING_UNSPECIFIED: Standing.IN, **{n: one for one, n in STANDINGS.items()}}


def resume(message: bazaar_pb2.State, settings: Settings, rng: Random) -> State:
    """Return the state that a game goes on from. Raises ValueError, with one sentence, if no game can lead to it."""
    if message.phase and message.phase not in _PHASE_OF:
        raise ValueError(f"phase has the unknown value {message.phase}.")
    if message.active_seat >= max(1, len(message.players)):
        raise ValueError(f"active_seat is {message.active_seat}; it must be the seat of one of the players.")
    state = rules.resume(
        settings,
        EquationTable(tuple(map(_equation_in, count(), message.table.equations))),
        bank=_bag_in("bank", message.bank),
        visible=_cards_in("visible", message.visible),
        pile=_cards_in("pile", message.pile),
        players=tuple(map(_player_in, count(), message.players)),
        draw_state=messages.read_draw_state(message.draw_state, rng),
        active=message.active_seat,
        turns=message.turn_count,
        revision=message.revision,
    )
    if message.phase:
        state = state._replace(phase=_PHASE_OF[message.phase])
    if problem := invariant(state):
        raise ValueError(problem)
    return state


def _equation_in(place: int, message: bazaar_pb2.Equation) -> Exchange:
    where = f"table.equations[{place}]"
    return Exchange(_bag_in(f"{where}.left", message.left), _bag_in(f"{where}.right", message.right))


def _player_in(seat: int, message: bazaar_pb2.Player) -> Player:
    where = f"players[{seat}]"
    if message.standing not in _STANDING_OF:
        raise ValueError(f"{where}.standing has the unknown value {message.standing}.")
    wallet, cards = _bag_in(f"{where}.wallet", message.wallet), _cards_in(f"{where}.cards", message.cards)
    return Player(wallet, message.score, cards, _STANDING_OF[message.standing])


def _cards_in(where: str, messages: Iterable[bazaar_pb2.Card]) -> Purchase:
    return tuple(
        Card(_bag_in(f"{where}[{place}].pebbles", message.pebbles), message.face)
        for place, message in enumerate(messages)
    )


def _bag_in(where: str, counts: Sequence[int]) -> Bag:
    try:
        return read_bag(counts)
    except ValueError:
        raise ValueError(f"{where} must be five counts of 0 to {MAX_COUNT}, not {counts_text(counts)}.") from None
