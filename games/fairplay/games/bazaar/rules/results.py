"""When a game of Bazaar is over, and who has won it (bazaar.md sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, permutations

from fairplay.games.bazaar.rules.pieces import UNITS, holds, unpack
from fairplay.games.bazaar.rules.state import Phase, Player, Purchase, Standing, State


def settled(state: State) -> State:
    """Return the state, marked as over if it is: asked before each turn and between its calls."""
    return state._replace(phase=Phase.OVER) if is_over(state) else state


def is_over(state: State) -> bool:
    """Return whether a state meets an end condition of section 7, whatever its phase says."""
    settings = state.settings
    survivors = [player for player in state.players if player.standing is Standing.IN]
    # Without a visible card there is no hidden one: the row is refilled as long as there is.
    if not survivors or not state.visible or state.turns >= settings.turn_cap:
        return True
    if len(survivors) == 1 and settings.lone_survivor == "stop":
        return True
    if max([player.score for player in survivors]) >= settings.winning_score and _score_counts(state):
        return True
    return not state.bank and not _somebody_can_buy(state, survivors)


def _score_counts(state: State) -> bool:
    """Return whether a winning score ends the game now: with equal turns only when a new round would begin."""
    if not state.settings.equal_turns:
        return True
    first = next(seat for seat, player in enumerate(state.players) if player.standing is Standing.IN)
    return state.phase is Phase.REQUEST and state.active == first


def _somebody_can_buy(state: State, survivors: Iterable[Player]) -> bool:
    """Return whether a wallet can pay for any card, visible or hidden."""
    cards = state.visible + state.pile
    return any(holds(player.wallet, card.pebbles) for player in survivors for card in cards)


def scores(state: State) -> tuple[int, ...]:
    """Return the scores by seat, 0 for an eliminated one; the bonus counts once the game is over (section 8)."""
    if state.phase is not Phase.OVER:
        return tuple(player.score for player in state.players)
    return tuple(player.score + bonus(state.settings.bonus, player.cards) for player in state.players)


def bonus(kind: str, cards: Purchase) -> int:
    """Return the bonus that the cards of one player earn it at the end (section 8)."""
    shown = [[unpack(card.pebbles)[at] > 0 for card in cards] for at in range(len(UNITS))]
    red, white, blue = shown[:3]
    if kind == "rwb":
        return 10 * all(map(any, (red, white, blue)))
    if kind == "sey":
        return 50 * all(map(any, shown))
    if kind == "rwb_distinct":
        return 10 * any(red[a] and white[b] and blue[c] for a, b, c in permutations(range(len(cards)), 3))
    return 0


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the surviving seats, best first, ties in one group.

    The first group are the winners. It is empty, and stays first, when all of them failed to be told that they have
    won: the result is not computed again (section 7).
    """
    totals = scores(state)
    stood = [seat for seat, player in enumerate(state.players) if player.standing is not Standing.OUT]
    stood.sort(key=lambda seat: -totals[seat])
    groups = [tuple(group) for _, group in groupby(stood, key=lambda seat: totals[seat])]
    left = [tuple(seat for seat in group if state.players[seat].standing is Standing.IN) for group in groups]
    return tuple(group for place, group in enumerate(left) if group or place == 0)


def winners(state: State) -> tuple[int, ...]:
    """Return the seats with the most points; none if all were eliminated or no winner could be told."""
    return next(iter(ranking(state)), ())


def notifications(state: State) -> tuple[tuple[int, bool], ...]:
    """Return who is to be told the result, in this order, and whether it has won: winners first (section 7)."""
    first, *others = ranking(state) or ((),)
    losers = sorted(seat for group in others for seat in group)
    return (*((seat, True) for seat in first), *((seat, False) for seat in losers))
