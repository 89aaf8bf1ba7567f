"""What no state of a game of Bazaar can be like (bazaar.md section 10, "State validity")."""

from __future__ import annotations

from fairplay.games.bazaar.rules.equations import equations_problem
from fairplay.games.bazaar.rules.pieces import CARD_PEBBLES, UNITS, is_bag, size
from fairplay.games.bazaar.rules.results import is_over
from fairplay.games.bazaar.rules.settings import MAX_SEATS
from fairplay.games.bazaar.rules.state import Phase, Player, Standing, State
from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION


def invariant(state: State) -> str | None:
    """Return one sentence that says why no game can have led to a state, or None if nothing speaks against it."""
    for find in (_pieces_problem, _row_problem, _seats_problem, _turn_problem, _end_problem):
        if problem := find(state):
            return problem
    return None


def _pieces_problem(state: State) -> str | None:
    settings, wallets = state.settings, [player.wallet for player in state.players]
    if not all(is_bag(bag) for bag in (state.bank, *wallets)):
        return "A bag of pebbles is five counts of 0 to 400."
    most = len(UNITS) * settings.pebbles_per_color
    if (pebbles := sum(map(size, (state.bank, *wallets)))) > most:
        return f"Bank and wallets have at most {most} pebbles together, not {pebbles}."
    bought = [card for player in state.players for card in player.cards]
    for card in (*state.visible, *state.pile, *bought):
        if not is_bag(card.pebbles) or size(card.pebbles) != CARD_PEBBLES:
            return f"A card shows {CARD_PEBBLES} pebbles."
    return equations_problem(state.table, settings.equations, settings.side_min, settings.side_max)


def _row_problem(state: State) -> str | None:
    row, most = len(state.visible), state.settings.visible
    if row > most:
        return f"At most {most} cards are visible, not {row}."
    if row < most and state.pile:
        return f"Fewer than {most} cards are visible only when no hidden card is left."
    if row + len(state.pile) > state.settings.cards_total:
        return f"At most {state.settings.cards_total} cards are visible or hidden."
    return None


def _seats_problem(state: State) -> str | None:
    if len(state.players) > MAX_SEATS:
        return f"A game has at most {MAX_SEATS} players, not {len(state.players)}."
    if any(player.score < 0 for player in state.players):
        return "A score is never negative."
    if min(state.turns, state.draw_state, state.revision) < 0:
        return "Turns, draw state and revision are never negative."
    if state.revision > MAX_REVISION or max(state.turns, *(player.score for player in state.players), 0) > MAX_COUNT:
        return f"The revision is at most {MAX_REVISION:,}, and turns and scores are at most {MAX_COUNT:,}."
    if any(player.standing is Standing.OUT and player[:3] != Player()[:3] for player in state.players):
        return "A player that was eliminated has no pebbles, points or cards."
    return None


def _turn_problem(state: State) -> str | None:
    if state.phase is Phase.OVER:
        return None
    if any(player.standing is Standing.FAILED for player in state.players):
        return "A player can fail to be told the result only when the game is over."
    if state.active not in range(len(state.players)) or state.players[state.active].standing is not Standing.IN:
        return "The active seat belongs to a player who is still in the game."
    return None


def _end_problem(state: State) -> str | None:
    if state.phase is Phase.OVER:
        return None if is_over(_before_the_result(state)) else "The game is over, although nothing has ended it."
    checked = state.phase is Phase.REQUEST or state.settings.check_end_mid_turn
    return "A call is due, although the game is over." if checked and is_over(state) else None


def _before_the_result(state: State) -> State:
    """Return a state whose game is over as it was before anybody was told, as if another turn could begin."""
    players = [
        player._replace(standing=Standing.IN) if player.standing is Standing.FAILED else player
        for player in state.players
    ]
    return state._replace(players=tuple(players), phase=Phase.REQUEST)
