"""Bazaar for people: what can be chosen in each half of a turn, and the table with the choices below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsRequest,
    RequestCardsResponse,
    RequestPebbleOrExchangesRequest,
    SetupRequest,
    WinRequest,
)
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.guide import GUIDE
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import (
    Bag,
    Card,
    EquationTable,
    Exchange,
    bag_words,
    holds,
    points,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.state import PEBBLE, TurnView
from fairplay.games.bazaar.views import svg, text
from fairplay.games.bazaar.views.seats import (
    NO_EXCHANGE_PART,
    NOTHING_OWN,
    PEBBLE_PART,
    Own,
    card_part,
    exchange_part,
    news_line,
)
from fairplay.games.frontends import Choice, Frontend, IllegalChoiceError, TableContext
from fairplay.games.kit.person import NO_MARKS, Draft, Marks, Person, check_choice, watching

_RULES = {
    **rules.RULES,
    "bazaar.exchange.wallet": "You do not have all the pebbles of this side, which you would give.",
    "bazaar.exchange.bank": "The bank does not have all the pebbles that you would get.",
    "bazaar.purchase.wallet": "You cannot pay for this card: it costs the five pebbles that it shows.",
}
"""What rules ask, as they concern the person who is about to break them."""
_ONE_KIND = "A turn asks for a pebble or for exchanges, not for both: take the last choice back first."


class Answer(NamedTuple):
    """A reply as a draft, and what the person sees as its choices leave it."""

    prompt: str
    choose: Callable[[str], Answer]
    choices: Sequence[Choice]
    chosen: frozenset[str]
    reply: Any
    own: Own
    bank: Bag


def requesting(
    table: EquationTable, view: TurnView, parts: tuple[str, ...] = (), exchanges: tuple[Exchange, ...] = ()
) -> Answer:
    """Return the draft of a reply to RequestPebbleOrExchanges; `view` is the turn as it is after the exchanges."""
    wallet, bank = view.wallet, view.bank

    def choose(part: str) -> Answer:
        if parts and (part in (PEBBLE_PART, NO_EXCHANGE_PART) or not exchanges):
            raise IllegalChoiceError(_ONE_KIND)
        if part in (PEBBLE_PART, NO_EXCHANGE_PART):
            check_choice("bazaar.pebble.bank-empty" if part == PEBBLE_PART and not bank else None, rules.RULES)
            return requesting(table, view, (part,))
        way = next((way for way in table.exchanges if _part(table, way) == part), None)
        if way is None:
            raise IllegalChoiceError(rules.RULES["bazaar.exchange.in-table"])
        check_choice(rules.request_violation(table, wallet, bank, (way,)), _RULES)
        gain = way.right - way.left
        after = view._replace(wallet=wallet + gain, bank=bank - gain)
        return requesting(table, after, (*parts, part), (*exchanges, way))

    words = (
        []
        if exchanges
        else [Choice(NO_EXCHANGE_PART, "no exchange (costs a card of the pile)", 0.0, 2.0 * len(table.equations) + 1)]
    )
    choices: Sequence[Choice] = ()
    reply = codec.build_request(PEBBLE if parts == (PEBBLE_PART,) else exchanges) if parts else None
    if parts == (PEBBLE_PART,):
        prompt = "Take a pebble of the bank?"
    elif parts == (NO_EXCHANGE_PART,):
        prompt = "Exchange nothing, which costs a card?"
    else:
        first = [(PEBBLE_PART, "a pebble of the bank")] if bank and not parts else []
        usable = table.usable(wallet, bank)
        ways = [(_part(table, way), f"give {bag_words(way.left)}; get {bag_words(way.right)}") for way in usable]
        choices = [Choice(*each, 0.0, float(line)) for line, each in enumerate([*first, *ways])]
        choices = choices if parts else [*choices, *words]
        prompt = "Exchange more, or send:" if parts else "Ask for a pebble, or exchange:"
    own = Own(unpack(wallet), choices, words)
    return Answer(prompt, choose, choices, frozenset(parts), reply, own, bank)


def _part(table: EquationTable, way: Exchange) -> str:
    """Return the id of an exchange in pictures."""
    for number, equation in enumerate(table.equations):
        if way == equation:
            return exchange_part(number, "left")
        if (way.right, way.left) == equation:
            return exchange_part(number, "right")
    raise ValueError(f"no equation of the table allows {way}")


def buying(view: TurnView, places: tuple[int, ...] = ()) -> Answer:
    """Return the draft of a reply to RequestCards; `places` says which visible cards are bought, in order."""
    bought = tuple(view.visible[place] for place in places)
    wallet = view.wallet - sum(card.pebbles for card in bought)

    def choose(part: str) -> Answer:
        place = next((place for place in range(len(view.visible)) if part == card_part(place)), None)
        if place is None or place in places:
            raise IllegalChoiceError(rules.RULES["bazaar.purchase.visible"])
        check_choice(rules.purchase_violation(view.wallet, view.visible, (*bought, view.visible[place])), _RULES)
        return buying(view, (*places, place))

    choices = [
        Choice(card_part(place), _card_words(card, wallet), float(place), 0.0)
        for place, card in enumerate(view.visible)
        if place not in places and holds(wallet, card.pebbles)
    ]
    if places:
        prompt = "Buy another card, or send:" if choices else "Buy what is marked?"
    else:
        prompt = "Buy a card, or send to buy none:" if choices else "You cannot pay for any card. Go on?"
    own, chosen = Own(unpack(wallet), choices), frozenset(map(card_part, places))
    return Answer(prompt, choose, choices, chosen, codec.build_purchase(bought), own, view.bank)


def _card_words(card: Card, wallet: Bag) -> str:
    """Return a card in words, with what it brings who pays for it of a wallet."""
    worth = points(size(wallet) - size(card.pebbles), card.face)
    return f"{bag_words(card.pebbles)}{', happy face' if card.face else ''}: {worth} point{'s' if worth > 1 else ''}"


class BazaarPerson(Person[bazaar_pb2.State]):
    """A person at a table of Bazaar. Spectators see no wallets: the person's own is kept from its turns."""

    game = "bazaar"
    state_type = bazaar_pb2.State

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._seat = 0
        self._wallet: Bag = 0

    async def setup(self, request: SetupRequest) -> None:
        """Begin a game."""
        self.begin()
        self._seat, self._wallet = request.seat, 0

    async def request_pebble_or_exchanges(self, request: RequestPebbleOrExchangesRequest) -> Message:
        """Return the pebble or the exchanges that the person asks for."""
        draft = requesting(codec.read_table(request.turn_state.table), codec.read_view(request.turn_state))
        return await self._turn(request, request.turn_state, draft, bazaar_pb2.PHASE_REQUEST)

    async def request_cards(self, request: RequestCardsRequest) -> Message:
        """Return the cards that the person buys."""
        draft = buying(codec.read_view(request.turn_state))
        reply = await self._turn(request, request.turn_state, draft, bazaar_pb2.PHASE_CARDS)
        assert isinstance(reply, RequestCardsResponse)
        self._wallet -= sum(codec.read_card(card).pebbles for card in reply.cards)
        return reply

    async def win(self, request: WinRequest) -> None:
        """Tell the result."""
        self.table.report("You have won." if request.won else "You have not won.")

    async def _turn(
        self,
        request: RequestPebbleOrExchangesRequest | RequestCardsRequest,
        turn: bazaar_pb2.TurnState,
        draft: Draft,
        phase: bazaar_pb2.Phase.ValueType,
    ) -> Message:
        self._seat, self._wallet = request.seat, codec.read_bag(turn.wallet)
        return await self.answer(request, self._seen_in_turn(turn, phase), draft)

    def _seen_in_turn(self, turn: bazaar_pb2.TurnState, phase: bazaar_pb2.Phase.ValueType) -> bazaar_pb2.State:
        """Return what spectators see, where this has come, with what the turn says more and later."""
        state = bazaar_pb2.State(players=[bazaar_pb2.Player()] * max(len(self.table.names()), self._seat + 1))
        if self.state is not None:
            state.CopyFrom(self.state)
        for field in ("bank", "visible", *(("last_action",) if state.revision != turn.revision else ())):
            state.ClearField(field)
        state.MergeFrom(bazaar_pb2.State(table=turn.table if not state.HasField("table") else None))
        state.MergeFrom(bazaar_pb2.State(bank=turn.bank, visible=turn.visible))
        state.revision, state.phase, state.active_seat = turn.revision, phase, self._seat
        state.players[self._seat].score = turn.score
        return state

    def draw(self, state: bazaar_pb2.State, marks: Marks) -> str:
        """Return the table, the person's wallet as its choices would leave it, and what can be chosen."""
        return text.board_text(self._as_chosen(state), self._own, marks)

    def draw_svg(self, state: bazaar_pb2.State, marks: Marks) -> str:
        """Return the same and the players as one SVG document."""
        return svg.svg(self._as_chosen(state), self.table.names(), self._own, marks)

    def _as_chosen(self, state: bazaar_pb2.State) -> bazaar_pb2.State:
        """Return the state with the bank as the chosen exchanges would leave it."""
        if not isinstance(self.draft, Answer):
            return state
        after = bazaar_pb2.State()
        after.CopyFrom(state)
        after.bank[:] = unpack(self.draft.bank)
        return after

    @property
    def _own(self) -> Own:
        return self.draft.own if isinstance(self.draft, Answer) else Own(unpack(self._wallet))

    def describe(self, state: bazaar_pb2.State) -> str:
        """Return the players with their points."""
        return text.side_text(state, self.table.names())

    def is_over(self, state: bazaar_pb2.State) -> bool:
        """Return whether a state is the end of its game."""
        return state.phase == bazaar_pb2.PHASE_OVER

    def news(self, state: bazaar_pb2.State) -> str:
        """Return what a player has done in the step that led to a state."""
        return news_line(state, self.table.names())


FRONTEND = Frontend(
    main_settings={
        "winning_score": "Points that end the game",
        "equations": "Equations for exchanges",
        "visible": "Cards to choose from",
        "exchange_price": "What exchanges cost",
    },
    limit="2m",
    bot="points",
    help="Arrow keys go to what can be chosen, Enter chooses it, Backspace takes a choice back, s sends.",
    guide=GUIDE,
    view_of=watching(lambda state: text.board_text(state, NOTHING_OWN, NO_MARKS), text.side_text),
    create_player=BazaarPerson,
)
