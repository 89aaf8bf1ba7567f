"""Webset in numbers, for programs that learn: in rounds, as numbers know no time.

All players choose cards of the same table, one after the other, unseen by each other; then one of the right takes
counts, drawn by lot (`rounds` is "lot", also if it is not set), or in a puzzle all of them. Three cards are three
actions. What cannot be taken: cards that are not on the table, and in a puzzle the same three again.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import comb
from random import Random
from typing import NamedTuple

from fairplay.games.research import Encoding, Kind, Part, Question, Research, by_player, first_numbers
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import CARDS, EMPTY, Cards, digits
from fairplay.games.webset.rules.settings import Settings
from fairplay.games.webset.rules.state import Phase, State, on_table
from fairplay.games.webset.rules.takes import MOST_NAMED
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_player_pb2 import PickCardsRequest, PickCardsResponse

_ASPECTS = 4


class RoundPosition(NamedTuple):
    """Where a game stands: what the players of this round have chosen so far, in the order in which they are asked."""

    state: State
    answers: tuple[Cards, ...] = ()
    """The complete ones, by place in `round_seats`."""
    cards: Cards = ()
    """What the player to act has chosen so far."""
    idle_count: int = 0
    """How many rounds in a row nobody has done anything."""


class WebsetEncoding(Encoding):
    """Webset in rounds, or its puzzle."""

    def __init__(self, settings: webset_pb2.Settings, seat_count: int) -> None:
        chosen = read_settings(settings)
        super().__init__(rules, chosen, seat_count)
        self._is_puzzle = chosen.rounds == "puzzle"
        slots = chosen.max_table
        self.kinds = (
            Kind("done", 1, "Take nothing in this round; in a puzzle, name no more sets."),
            Kind("pick", slots, "Pick the card in this slot; three make a take."),
        )
        self._done, self._pick, _ = first_numbers(self.kinds)
        most = max(chosen.act_cap, MOST_NAMED)
        self.parts = (
            Part(
                "table",
                (slots, _ASPECTS),
                3,
                "By slot: 1 + number, color, symbol and shading of its card, each 0 to 2; all 0: no card.",
            ),
            Part("picked", (slots,), 1, "1 for each card that the observer has picked for its next take."),
            Part("named_count", (1,), MOST_NAMED, "In a puzzle: how many takes the observer has named."),
            by_player("scores", seat_count, most, "its points.", -most * max(chosen.penalty_bad, 1)),
            by_player("locked", seat_count, 1, "1 if it cannot act before the table changes."),
            Part("deck", (1,), CARDS, "How many cards are hidden."),
            Part("idle_count", (1,), chosen.idle_rounds, "How many rounds in a row nobody has taken cards."),
            Part("turn", (1,), seat_count, "How many players after the observer the one to act sits; all: nobody."),
        )

    def initial(self, rng: Random) -> RoundPosition:
        """Return the position in which a fresh game begins."""
        return RoundPosition(rules.initial(self.settings, self.seat_count, rng))

    def turn(self, position: RoundPosition) -> int | None:
        """Return the seat to act: the players of a round act in the order of their seats."""
        if position.state.phase is Phase.OVER:
            return None
        return takes.round_seats(position.state)[len(position.answers)]

    def legal(self, position: RoundPosition) -> list[int]:
        """Return the legal actions: also cards that make no set, which costs points."""
        state, _, chosen, _ = position
        if state.phase is Phase.OVER:
            return []
        begun = len(chosen) % 3
        picked = frozenset(chosen[len(chosen) - begun :])
        named = [frozenset(chosen[at : at + 3]) for at in range(0, len(chosen) - begun, 3)]
        cards = on_table(state)
        free = {card for card in cards if card not in picked and _is_open({*picked, card}, named, len(cards))}
        slots = [self._pick + slot for slot, card in enumerate(state.table) if card in free]
        return slots if begun else [self._done, *slots]

    def apply(self, position: RoundPosition, action: int) -> RoundPosition:
        """Return the position after an action."""
        cards = self.complete(position, action)
        if cards is None:
            return position._replace(cards=(*position.cards, position.state.table[action - self._pick]))
        state, answers = position.state, (*position.answers, cards)
        seats = takes.round_seats(state)
        if len(answers) < len(seats):
            return position._replace(answers=answers, cards=())
        return self._end_round(state, list(zip(seats, answers, strict=True)), position.idle_count)

    def complete(self, position: RoundPosition, action: int) -> Cards | None:
        """Return the cards of the player to act, which are complete with an action; None: more may follow."""
        if action == self._done:
            return position.cards
        cards = (*position.cards, position.state.table[action - self._pick])
        return None if self._is_puzzle or len(cards) < 3 else cards

    def read(self, request: PickCardsRequest) -> RoundPosition:
        """Return the position that a request shows: those who are asked before this player have chosen nothing."""
        state = codec.read_view(request.state, self.settings)
        before = takes.round_seats(state).index(request.seat)
        return RoundPosition(state, ((),) * before, idle_count=request.idle_count)

    def _end_round(self, state: State, answers: Sequence[tuple[int, Cards]], idle_count: int) -> RoundPosition:
        if self._is_puzzle:
            return RoundPosition(takes.solve(state, answers))
        after = takes.play_round(state, answers).state
        if after is not state:
            return RoundPosition(after, idle_count=idle_count if after.table == state.table else 0)
        is_last = idle_count + 1 >= self.settings.idle_rounds
        return RoundPosition(rules.stop(state) if is_last else state, idle_count=idle_count + 1)

    def observe(self, position: RoundPosition, seat: int) -> list[int]:
        """Return what a seat sees: what is chosen is seen by its player only."""
        state, turn = position.state, self.turn(position)
        chosen = position.cards if seat == turn else ()
        picked = chosen[len(chosen) - len(chosen) % 3 :]
        table: list[int] = []
        for card in state.table:
            table += [0] * _ASPECTS if card == EMPTY else [1 + digit for digit in digits(card)]
        order = self.seats_from(seat)
        return [
            *table,
            *(int(card in picked) for card in state.table),
            len(chosen) // 3,
            *(state.players[other].points for other in order),
            *(int(state.players[other].locked) for other in order),
            len(state.deck),
            position.idle_count,
            self.turns_until(position, seat),
        ]

    def shown(self, position: RoundPosition) -> codec.Shown:
        """Return the state as the game shows it."""
        return codec.Shown(position.state)


def _is_open(picked: set[int], named: Sequence[Set[int]], card_count: int) -> bool:
    """Return whether there is a take with these cards that has not been named."""
    return sum(picked <= triple for triple in named) < comb(card_count - len(picked), 3 - len(picked))


def read_settings(message: webset_pb2.Settings) -> Settings:
    """Return settings with rounds. Raises ValueError if they ask for a game in which it counts who is earlier."""
    chosen = webset_pb2.Settings()
    chosen.CopyFrom(message)
    if not chosen.rounds:
        chosen.rounds = webset_pb2.ROUNDS_LOT
    found = codec.read_settings(chosen)
    if found.rounds not in ("lot", "puzzle"):
        raise ValueError(f"rounds is {found.rounds!r}: it must be lot or puzzle where nobody can be earlier.")
    return found


RESEARCH = Research(
    rules,
    codec.read_settings,
    WebsetEncoding,
    {codec.PICK_CARDS: Question(WebsetEncoding.read, lambda cards: PickCardsResponse(cards=cards))},
)
