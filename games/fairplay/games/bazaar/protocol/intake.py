"""Full states of Bazaar from outside: a game goes on from them, or they are refused with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from random import Random

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import MAX_COUNT, Bag, Card, Exchange
from fairplay.games.kit.messages import read_draw_state

_PHASE_OF = {number: phase for phase, number in codec.PHASES.items()}
_STANDING_OF = {bazaar_pb2.STANDING_UNSPECIFIED: rules.Standing.IN, **{n: one for one, n in codec.STANDINGS.items()}}


def initial_state(message: bazaar_pb2.State, settings: rules.Settings, rng: Random) -> rules.State:
    """Return the state that a game goes on from. Raises ValueError, with one sentence, if no game can lead to it."""
    _check_numbers(message)
    state = rules.resume(
        settings,
        rules.EquationTable(tuple(map(_equation_in, count(), message.table.equations))),
        bank=_bag_in("bank", message.bank),
        visible=_cards_in("visible", message.visible),
        pile=_cards_in("pile", message.pile),
        players=tuple(map(_player_in, count(), message.players)),
        draw_state=read_draw_state(message.draw_state, rng),
        active=message.active_seat,
        turns=message.turn_count,
        revision=message.revision,
    )
    if message.phase:
        state = state._replace(phase=_PHASE_OF[message.phase])
    if problem := rules.invariant(state):
        raise ValueError(problem)
    return state


def _check_numbers(message: bazaar_pb2.State) -> None:
    if message.phase and message.phase not in _PHASE_OF:
        raise ValueError(f"phase has the unknown value {message.phase}.")
    if message.active_seat >= max(1, len(message.players)):
        raise ValueError(f"active_seat is {message.active_seat}; it must be the seat of one of the players.")


def _equation_in(place: int, message: bazaar_pb2.Equation) -> Exchange:
    where = f"table.equations[{place}]"
    return Exchange(_bag_in(f"{where}.left", message.left), _bag_in(f"{where}.right", message.right))


def _player_in(seat: int, message: bazaar_pb2.Player) -> rules.Player:
    where = f"players[{seat}]"
    if message.standing not in _STANDING_OF:
        raise ValueError(f"{where}.standing has the unknown value {message.standing}.")
    wallet, cards = _bag_in(f"{where}.wallet", message.wallet), _cards_in(f"{where}.cards", message.cards)
    return rules.Player(wallet, message.score, cards, _STANDING_OF[message.standing])


def _cards_in(where: str, messages: Iterable[bazaar_pb2.Card]) -> rules.Purchase:
    return tuple(
        Card(_bag_in(f"{where}[{place}].pebbles", message.pebbles), message.face)
        for place, message in enumerate(messages)
    )


def _bag_in(where: str, counts: Sequence[int]) -> Bag:
    try:
        return codec.bag(counts)
    except ValueError:
        raise ValueError(f"{where} must be five counts of 0 to {MAX_COUNT}, not {codec.counts_text(counts)}.") from None
