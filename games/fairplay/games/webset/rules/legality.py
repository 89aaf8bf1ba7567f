"""Which acts are possible, and whose are awaited (section 6). Nobody's turn comes: all may act at the same time."""

from __future__ import annotations

from fairplay.games.webset.rules.acts import carry_out
from fairplay.games.webset.rules.dealing import can_deal
from fairplay.games.webset.rules.state import Act, Phase, Standing, State, Take, Word, on_table, playing, solutions


def turn(state: State) -> int | None:
    """Return the first seat whose act is awaited, or that of the caller; None if the game is over. See `due`."""
    if state.phase is Phase.OVER:
        return None
    return playing(state)[0] if state.caller is None else state.caller


def due(state: State) -> tuple[int, ...]:
    """Return the seats whose acts are awaited: the caller, or all that can do anything; none if the game is over."""
    if state.phase is Phase.OVER:
        return ()
    if state.caller is not None:
        return (state.caller,)
    if state.settings.rounds != "off":
        return tuple(round_seats(state))
    return tuple([seat for seat in playing(state) if possible(state, seat)])


def violation(state: State, action: Act) -> str | None:
    """Return the rule because of which an act is refused, or is a wrong take; None if it succeeds."""
    return carry_out(state, action).rule


def apply(state: State, action: Act) -> State:
    """Return the state after an act. A refused act changes nothing, a wrong take costs its player points."""
    return carry_out(state, action).state


def possible(state: State, seat: int) -> tuple[Word, ...]:
    """Return what a player may try in this phase under these settings, whether or not there is a set."""
    settings, player = state.settings, state.players[seat]
    if player.standing is not Standing.IN or settings.rounds != "off":
        return ()
    if state.phase is Phase.SHOWING:
        return (Word.SHOW, Word.END_SHOW)
    if state.phase is not Phase.OPEN:
        return ()
    more = settings.more_rule != "auto" and can_deal(state) and seat not in state.votes
    found = ((Word.CALL, not player.locked), (Word.MORE, more), (Word.SHOW, settings.show_enabled))
    return tuple([word for word, there in found if there])


def legal(state: State) -> list[Act]:
    """Return all acts that would be carried out, of the takes all sets; in CALLED at least one take, wrong or not.

    In a puzzle these are all sets at once, and each alone.
    """
    if state.phase is Phase.OVER:
        return []
    if state.phase is Phase.CALLED:
        assert state.caller is not None
        return _takes(state, [state.caller])
    if state.settings.rounds != "off":
        return _takes(state, round_seats(state))
    from_all = [(seat, word) for seat in playing(state) for word in possible(state, seat)]
    return [act for act in (Act(*each) for each in from_all) if carry_out(state, act).status is None]


def _takes(state: State, seats: list[int]) -> list[Act]:
    if state.settings.rounds == "puzzle":
        answers = (tuple([card for triple in solutions(state) for card in triple]), *solutions(state))
        return [Act(seat, Take(cards)) for seat in seats for cards in answers]
    found = solutions(state) or (on_table(state)[:3],)
    return [Act(seat, Take(triple)) for seat in seats for triple in found]


def round_seats(state: State) -> list[int]:
    """Return the seats that are asked in a round: in the game, and not locked out."""
    return [seat for seat in playing(state) if not state.players[seat].locked]
