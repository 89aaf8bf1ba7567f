"""What no state of a game can be like (section 4.5): states from outside are refused by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION
from fairplay.games.webset.rules.cards import EMPTY, deck_of, is_set
from fairplay.games.webset.rules.settings import MAX_SEATS
from fairplay.games.webset.rules.state import Phase, Standing, on_table, playing, solutions

if TYPE_CHECKING:
    from fairplay.games.webset.rules.state import Player, State


def invariant(state: State) -> str | None:
    """Return one sentence about what no game can lead to, or None if a game can lead to the state."""
    for problem in _PROBLEMS:
        if sentence := problem(state):
            return sentence
    return None


def cards_problem(state: State) -> str | None:
    """Return one sentence if not every card of the deck is in one place: what else is asked of a state needs that."""
    puzzle = state.settings.rounds == "puzzle"
    won = [] if puzzle else [card for player in state.players for card in player.cards]
    everywhere = sorted([*on_table(state), *state.deck, *won, *state.discarded])
    deck = deck_of(state.settings.aspects)
    if everywhere == list(deck):
        return None
    if len(set(everywhere)) < len(everywhere):
        return "A card is in two places."
    if any(card not in deck for card in everywhere):
        return f"A card is not one of 0 to {deck[-1]}."
    missing = len(deck) - len(everywhere)
    return f"{missing} of {len(deck)} cards are neither on the table nor in the deck, won or discarded."


def _table_problem(state: State) -> str | None:
    settings = state.settings
    if len(state.table) != settings.max_table:
        return f"The table has {len(state.table)} slots: it must have {settings.max_table}."
    if settings.refill_rule == "to_12" and state.phase is not Phase.OVER:
        lying = len(on_table(state))
        if lying < settings.table and state.deck:
            return f"Only {lying} cards lie on the table although the deck has some: {settings.table} must."
        if lying >= settings.table and EMPTY in state.table[: settings.table]:
            return "A slot of the base area is empty although cards lie beyond it."
    return None


def _players_problem(state: State) -> str | None:
    if not 1 <= len(state.players) <= MAX_SEATS:
        return f"A game has 1 to {MAX_SEATS} players, not {len(state.players)}."
    for seat, player in enumerate(state.players):
        if problem := _player_problem(state, player):
            return f"Player {seat} {problem}."
    if problem := _counts_problem(state):
        return problem
    if any(state.players[seat].standing is not Standing.IN for seat in state.votes):
        return "A player that is out has asked for more cards."
    if state.votes and (state.settings.more_rule not in ("all_agree", "majority") or state.phase is Phase.OVER):
        return "Nobody's vote for more cards counts here."
    return None


def _counts_problem(state: State) -> str | None:
    if min(state.revision, state.act_count, state.call_count, state.draw_state) < 0:
        return "Revision, counts and draw state are never negative."
    if state.revision > MAX_REVISION or max(state.act_count, state.call_count) > MAX_COUNT:
        return f"The revision is at most {MAX_REVISION:,}, and counts are at most {MAX_COUNT:,}."
    return None


def _player_problem(state: State, player: Player) -> str | None:
    if len(player.cards) % 3 or not all(map(is_set, player.cards[::3], player.cards[1::3], player.cards[2::3])):
        return "has cards that are not one set after the other"
    if player.points > player.sets:
        return f"has more points than sets, {player.points} and {player.sets}"
    if not 0 <= player.expiries <= player.penalties:
        return "has more expired calls than penalties"
    if player.locked and not (state.settings.locked_until_change and player.standing is Standing.IN):
        return "is locked out, which cannot be under these settings or for a player that is out"
    if player.standing is Standing.FAILED and state.phase is not Phase.OVER:
        return "has failed at the end, but the game is not over"
    return None


def _puzzle_problem(state: State) -> str | None:
    """Check that sets of a puzzle are named on the table, each once by a player, and only at the end."""
    if state.settings.rounds != "puzzle":
        return None
    for seat, player in enumerate(state.players):
        named = [frozenset(player.cards[place : place + 3]) for place in range(0, len(player.cards), 3)]
        if named and state.phase is not Phase.OVER:
            return f"Player {seat} has named sets of a puzzle that is not over."
        if len(set(named)) < len(named) or not set(player.cards) <= set(on_table(state)):
            return f"Player {seat} has named a set twice, or one that is not on the table."
    return None


def _call_problem(state: State) -> str | None:
    """Check that there is at most one call, of somebody who plays, and none in any other phase (section 4.5)."""
    if (state.phase is Phase.CALLED) != (state.caller is not None):
        return "There is a caller if, and only if, a call is open."
    if state.caller is None:
        return None
    if state.caller not in range(len(state.players)) or state.players[state.caller].standing is not Standing.IN:
        return "The call that is open belongs to nobody who is in the game."
    if not state.call_count or state.settings.rounds != "off":
        return "A call is open although none was accepted, or in rounds."
    return None


def _picked_problem(state: State) -> str | None:
    """Check that cards are picked one by one only where that is allowed, and only cards that are there."""
    if state.picked and (state.settings.selection != "single" or state.caller is None or len(state.picked) > 2):
        return "Up to two cards are picked during a call only, and only where the selection is single."
    if len(set(state.picked)) < len(state.picked) or not set(state.picked) <= set(on_table(state)):
        return "The cards that are picked are not different ones of the table."
    return None


def _lock_problem(state: State) -> str | None:
    """Check that not all players are locked out."""
    if playing(state) and all(state.players[seat].locked for seat in playing(state)):
        return "Everybody is locked out, which ends the lockout of all."
    return None


def _showing_problem(state: State) -> str | None:
    if state.phase is not Phase.SHOWING:
        return "Something is displayed although nothing is shown." if state.displayed else None
    if not state.settings.show_enabled or state.settings.rounds != "off":
        return "Solutions are shown although the settings do not allow it."
    if not 0 <= state.displayed < len(solutions(state)):
        return f"Solution {state.displayed} is displayed, but there are {len(solutions(state))}."
    return None


def _end_problem(state: State) -> str | None:
    if state.phase is Phase.OVER:
        return None
    if all(player.standing is not Standing.IN for player in state.players):
        return "The game goes on although nobody is in it."
    if state.act_count >= state.settings.act_cap:
        return f"The game goes on after {state.settings.act_cap} acts."
    if state.phase is Phase.OPEN and not solutions(state):
        if not state.deck:
            return "The game goes on although the deck is empty and there is no set on the table."
        if state.settings.more_rule == "auto":
            return "There is no set on the table although the referee deals by itself and the deck has cards."
    return None


_PROBLEMS = (
    cards_problem,
    _table_problem,
    _players_problem,
    _puzzle_problem,
    _call_problem,
    _picked_problem,
    _lock_problem,
    _showing_problem,
    _end_problem,
)
