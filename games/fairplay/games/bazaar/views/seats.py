"""What both kinds of picture of Bazaar show: the players of a state, and the initials of pebbles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar.rules.pieces import INITIALS
from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import seat_name

PEBBLE_PART, NO_EXCHANGE_PART = "pebble", "no-exchange"
"""The ids of two replies in pictures: the bank, and a button."""
SIDE_LIMIT = 6  # pebbles on a side of an equation
_STATUS = {bazaar_pb2.PHASE_REQUEST: "to request", bazaar_pb2.PHASE_CARDS: "to buy"}
_GONE = {bazaar_pb2.STANDING_ELIMINATED: "eliminated", bazaar_pb2.STANDING_FAILED: "failed at the end"}
NAME_LIMIT = 20  # cells of a terminal; longer names are cut


class Seat(NamedTuple):
    """A player; `status` is empty or what there is to say of it, `wallet` is empty if it is hidden.

    `done` is what it did last, in words; empty if another player or nobody acted last.
    """

    name: str
    score: str
    status: str
    done: str
    turn: bool
    wallet: Sequence[int]
    cards: Sequence[bazaar_pb2.Card]


class Own(NamedTuple):
    """What a person sees of its own beside the table."""

    wallet: Sequence[int] = ()
    """Counts of pebbles, as its choices would leave them; empty as long as it is not known."""
    choices: Sequence[Choice] = ()
    """What can be chosen."""
    words: Sequence[Choice] = ()
    """What can be chosen or is chosen beside bank, equations and cards."""


NOTHING_OWN = Own()


def card_part(place: int) -> str:
    """Return the id of a visible card in pictures."""
    return f"card-{place}"


def exchange_part(number: int, side: str) -> str:
    """Return the id of an exchange in pictures: the number of its equation, and the side that is given."""
    return f"equation-{number}-{side}"


def list_seats(state: bazaar_pb2.State, players: Sequence[str]) -> list[Seat]:
    """Return the players of a state in turn order."""
    over = state.phase == bazaar_pb2.PHASE_OVER
    best = max(
        (each.score + each.bonus for each in state.players if each.standing != bazaar_pb2.STANDING_ELIMINATED),
        default=0,
    )
    return [
        Seat(
            seat_name(seat, players, NAME_LIMIT),
            f"{player.score} + {player.bonus}" if player.bonus else str(player.score),
            status := _GONE.get(player.standing, "")
            or ("winner" if over and player.score + player.bonus == best else "")
            or ("" if over or seat != state.active_seat else _STATUS.get(state.phase, "to move")),
            _describe(state.last_action) if state.HasField("last_action") and seat == state.last_action.seat else "",
            status in (*_STATUS.values(), "to move"),
            player.wallet,
            player.cards,
        )
        for seat, player in enumerate(state.players)
    ]


def news_line(state: bazaar_pb2.State, players: Sequence[str]) -> str:
    """Return who did what in the step that led to a state, as one line of plain text; empty if the state names none."""
    doer = next((seat for seat in list_seats(state, players) if seat.done), None)
    return f"{doer.name} {doer.done}." if doer is not None else ""


def _describe(action: bazaar_pb2.LastAction) -> str:
    match action.WhichOneof("action"):
        case "pebble":
            return "got a pebble"
        case "exchanges":
            count = len(action.exchanges.steps)
            return f"exchanged {'once' if count == 1 else f'{count:,} times'}" if count else "exchanged nothing"
        case "purchase":
            count = len(action.purchase.cards)
            return f"bought {'a card' if count == 1 else f'{count} cards'}" if count else "bought nothing"
    return ""


def pebbles(counts: Iterable[int], most: int) -> str:
    """Return the initials of the pebbles of a bag, at most `most` of them."""
    bag = chain.from_iterable(initial * min(count, most) for initial, count in zip(INITIALS, counts, strict=False))
    return "".join(bag)[:most]


def words(card: bazaar_pb2.Card) -> str:
    """Return a card in words."""
    return f"{pebbles(card.pebbles, 5)}{', happy face' if card.face else ''}"
