"""What no state of a game can be like (section 4.5): states from outside are refused by it."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION
from fairplay.games.webset.rules.cards import EMPTY, deck_of, is_set
from fairplay.games.webset.rules.settings import MAX_SEATS
from fairplay.games.webset.rules.state import Phase, Player, Standing, State, on_table, playing, solutions


def invariant(state: State) -> str | None:
    """Return one sentence about what no game can lead to, or None if a game can lead to the state."""
    return cards_problem(state) or next(_problems(state), None)


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


def _problems(state: State) -> Iterator[str]:
    """Yield what is wrong with a state. Each problem but the first is asked for only where there is none before it."""
    yield from _table_problems(state)
    yield from _player_problems(state)
    yield from _puzzle_problems(state)
    yield from _call_problems(state)
    if playing(state) and all(state.players[seat].locked for seat in playing(state)):
        yield "Everybody is locked out, which ends the lockout of all."
    yield from _showing_problems(state)
    if state.phase is not Phase.OVER:
        yield from _end_problems(state)


def _table_problems(state: State) -> Iterator[str]:
    settings, lying = state.settings, len(on_table(state))
    if len(state.table) != settings.max_table:
        yield f"The table has {len(state.table)} slots: it must have {settings.max_table}."
    if settings.refill_rule == "to_12" and state.phase is not Phase.OVER:
        if lying < settings.table and state.deck:
            yield f"Only {lying} cards lie on the table although the deck has some: {settings.table} must."
        if lying >= settings.table and EMPTY in state.table[: settings.table]:
            yield "A slot of the base area is empty although cards lie beyond it."


def _player_problems(state: State) -> Iterator[str]:
    if not 1 <= len(state.players) <= MAX_SEATS:
        yield f"A game has 1 to {MAX_SEATS} players, not {len(state.players)}."
    for seat, player in enumerate(state.players):
        if problem := _player_problem(state, player):
            yield f"Player {seat} {problem}."
    if min(state.revision, state.act_count, state.call_count, state.draw_state) < 0:
        yield "Revision, counts and draw state are never negative."
    if state.revision > MAX_REVISION or max(state.act_count, state.call_count) > MAX_COUNT:
        yield f"The revision is at most {MAX_REVISION:,}, and counts are at most {MAX_COUNT:,}."
    if any(state.players[seat].standing is not Standing.IN for seat in state.votes):
        yield "A player that is out has asked for more cards."
    if state.votes and (state.settings.more_rule not in ("all_agree", "majority") or state.phase is Phase.OVER):
        yield "Nobody's vote for more cards counts here."


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


def _puzzle_problems(state: State) -> Iterator[str]:
    """Yield what is wrong with the sets that are named in a puzzle: on its table, each once by a player, at the end."""
    for seat, player in enumerate(state.players if state.settings.rounds == "puzzle" else ()):
        named = [frozenset(player.cards[place : place + 3]) for place in range(0, len(player.cards), 3)]
        if named and state.phase is not Phase.OVER:
            yield f"Player {seat} has named sets of a puzzle that is not over."
        if len(set(named)) < len(named) or not set(player.cards) <= set(on_table(state)):
            yield f"Player {seat} has named a set twice, or one that is not on the table."


def _call_problems(state: State) -> Iterator[str]:
    """Yield what is wrong with the call that is open, and with the cards that its caller has picked one by one."""
    if (state.phase is Phase.CALLED) != (state.caller is not None):
        yield "There is a caller if, and only if, a call is open."
    if state.caller is not None:
        if state.caller not in playing(state):
            yield "The call that is open belongs to nobody who is in the game."
        if not state.call_count or state.settings.rounds != "off":
            yield "A call is open although none was accepted, or in rounds."
    if state.picked and (state.settings.selection != "single" or state.caller is None or len(state.picked) > 2):
        yield "Up to two cards are picked during a call only, and only where the selection is single."
    if len(set(state.picked)) < len(state.picked) or not set(state.picked) <= set(on_table(state)):
        yield "The cards that are picked are not different ones of the table."


def _showing_problems(state: State) -> Iterator[str]:
    if state.phase is not Phase.SHOWING:
        if state.displayed:
            yield "Something is displayed although nothing is shown."
    elif not state.settings.show_enabled or state.settings.rounds != "off":
        yield "Solutions are shown although the settings do not allow it."
    elif not 0 <= state.displayed < len(solutions(state)):
        yield f"Solution {state.displayed} is displayed, but there are {len(solutions(state))}."


def _end_problems(state: State) -> Iterator[str]:
    """Yield why a game should be over that goes on."""
    if not playing(state):
        yield "The game goes on although nobody is in it."
    if state.act_count >= state.settings.act_cap:
        yield f"The game goes on after {state.settings.act_cap} acts."
    if state.phase is Phase.OPEN and not solutions(state):
        if not state.deck:
            yield "The game goes on although the deck is empty and there is no set on the table."
        if state.settings.more_rule == "auto":
            yield "There is no set on the table although the referee deals by itself and the deck has cards."
