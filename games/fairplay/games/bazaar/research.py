"""Bazaar in numbers, for programs that learn. Both calls of a turn are taken in steps that end with "done".

Every legal answer can be taken. Of equal cards only the first can be bought, which means the same.
"""

from __future__ import annotations

from typing import NamedTuple

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1.bazaar_player_pb2 import RequestCardsRequest, RequestPebbleOrExchangesRequest
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.protocol.conversation import REQUEST_CARDS, REQUEST_PEBBLE_OR_EXCHANGES
from fairplay.games.bazaar.rules.pieces import COLOURS, MAX_COUNT, Bag, Card, Exchange, holds, unpack
from fairplay.games.bazaar.rules.state import PEBBLE, Action, Phase, Player, Standing, State
from fairplay.games.research import (
    Encoding,
    Kind,
    Part,
    Position,
    Question,
    Research,
    by_player,
    first_numbers,
    turn_part,
)

_COLOR_COUNT = len(COLOURS)
_MOST_POINTS, _MOST_BONUS = 8, 50


class _Draft(NamedTuple):
    """What the steps of an answer that is not complete come to."""

    wallet: Bag
    bank: Bag
    exchanges: tuple[Exchange, ...]
    visible: tuple[Card | None, ...]
    """By place in the row; None: bought."""


class BazaarEncoding(Encoding):
    """Bazaar with a certain number of equations and visible cards."""

    def __init__(self, settings: bazaar_pb2.Settings, seat_count: int) -> None:
        chosen = codec.read_settings(settings)
        super().__init__(rules, chosen, seat_count)
        ways = 2 * chosen.equations
        self.kinds = (
            Kind("pebble", 1, "Ask for a pebble."),
            Kind("done", 1, "Make no more exchanges, or buy no more cards."),
            Kind("exchange", ways, "Make this exchange, by its place in the part `exchanges`."),
            Kind("buy", chosen.visible, "Buy the visible card in this place."),
        )
        self._pebble, self._done, self._exchange, self._buy, _ = first_numbers(self.kinds)
        most = _MOST_POINTS * chosen.cards_total + _MOST_BONUS
        colors = "red, white, blue, green, yellow"
        self.parts = (
            Part(
                "exchanges",
                (ways, 2, _COLOR_COUNT),
                chosen.side_max,
                f"What is given, and what is got for it: {colors}.",
            ),
            Part("bank", (_COLOR_COUNT,), MAX_COUNT, f"Pebbles in the bank: {colors}."),
            Part("wallet", (_COLOR_COUNT,), MAX_COUNT, f"The observer's pebbles: {colors}."),
            Part(
                "cards",
                (chosen.visible, _COLOR_COUNT + 1),
                5,
                f"By place: the pebbles of a visible card, {colors}; 1 if it has a face. All 0: no card.",
            ),
            by_player("scores", seat_count, most, "its points."),
            Part(
                "own_cards",
                (_COLOR_COUNT,),
                chosen.cards_total,
                "By colour: on how many of the observer's cards it is.",
            ),
            Part("phase", (1,), len(Phase) - 1, "0: pebble or exchanges are due, 1: cards, 2: the game is over."),
            Part("step_count", (1,), max(chosen.max_exchanges, chosen.visible), "Steps of the observer's answer."),
            turn_part(seat_count),
        )

    def legal(self, position: Position) -> list[int]:
        """Return the legal actions; being done is always one of them."""
        state: State = position.state
        if state.phase is Phase.OVER:
            return []
        wallet, bank, exchanges, visible = self._draft(position)
        found = [self._done]
        if state.phase is Phase.CARDS:
            for place, card in enumerate(visible):
                if card and card not in visible[:place] and holds(wallet, card.pebbles):
                    found.append(self._buy + place)
            return found
        if bank and not exchanges:
            found.append(self._pebble)
        if len(exchanges) < state.settings.max_exchanges:
            usable = set(state.table.usable(wallet, bank))
            found += [self._exchange + at for at, way in enumerate(state.table.exchanges) if way in usable]
        return found

    def _draft(self, position: Position) -> _Draft:
        state: State = position.state
        wallet, bank, steps = state.players[state.active].wallet, state.bank, position.steps
        visible: list[Card | None] = list(state.visible)
        if state.phase is Phase.CARDS:
            for card in self._cards(position):
                wallet -= card.pebbles
            for step in steps:
                visible[step - self._buy] = None
            return _Draft(wallet, bank, (), tuple(visible))
        exchanges = tuple(state.table.exchanges[step - self._exchange] for step in steps)
        gain = sum(way.right - way.left for way in exchanges)
        return _Draft(wallet + gain, bank - gain, exchanges, tuple(visible))

    def _cards(self, position: Position) -> tuple[Card, ...]:
        return tuple(position.state.visible[step - self._buy] for step in position.steps)

    def complete(self, position: Position, action: int) -> Action | None:
        """Return the answer that is complete with an action; None: it goes on."""
        if action == self._pebble:
            return PEBBLE
        if action != self._done:
            return None
        return self._cards(position) if position.state.phase is Phase.CARDS else self._draft(position).exchanges

    def read(self, request: RequestPebbleOrExchangesRequest | RequestCardsRequest) -> Position:
        """Return the position that a request shows."""
        phase = Phase.CARDS if isinstance(request, RequestCardsRequest) else Phase.REQUEST
        shown = request.turn_state
        seen = codec.read_view(shown)
        players = [Player(seen.wallet, seen.score, seen.cards), *(Player(score=score) for score in seen.scores)]
        out = self.seat_count - len(players)
        return Position(
            State(
                settings=self.settings,
                table=codec.read_table(shown.table),
                bank=seen.bank,
                visible=seen.visible,
                pile=(),
                players=(*players, *[Player(standing=Standing.OUT)] * out),
                active=0,
                phase=phase,
                turns=0,
                draw_state=0,
                revision=seen.revision,
            )
        )

    def observe(self, position: Position, seat: int) -> list[int]:
        """Return what a seat sees: an answer that is not complete is seen by its player only."""
        state: State = position.state
        seen = rules.view(state, seat)
        acts = seat == rules.turn(state)
        draft = self._draft(position) if acts else _Draft(seen.wallet, state.bank, (), state.visible)
        cards: list[int] = []
        for card in draft.visible:
            cards += [0] * (_COLOR_COUNT + 1) if card is None else [*unpack(card.pebbles), int(card.face)]
        missing = self.settings.visible - len(draft.visible)
        scores = rules.scores(state)
        return [
            *(count for way in state.table.exchanges for side in way for count in unpack(side)),
            *unpack(draft.bank),
            *unpack(draft.wallet),
            *cards,
            *[0] * (missing * (_COLOR_COUNT + 1)),
            *(scores[other] for other in self.seats_from(seat)),
            *(sum(unpack(card.pebbles)[color] > 0 for card in seen.cards) for color in range(_COLOR_COUNT)),
            int(state.phase),
            len(position.steps) if acts else 0,
            self.turns_until(position, seat),
        ]

    def shown(self, position: Position) -> codec.Shown:
        """Return the state as the game shows it."""
        return codec.Shown(position.state)


RESEARCH = Research(
    rules,
    codec.read_settings,
    BazaarEncoding,
    {
        REQUEST_PEBBLE_OR_EXCHANGES: Question(BazaarEncoding.read, codec.build_request),
        REQUEST_CARDS: Question(BazaarEncoding.read, codec.build_purchase),
    },
)
