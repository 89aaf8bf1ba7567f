"""Who is ahead in the Q game, who has won, and in which order players are told (q.md section 6)."""

from __future__ import annotations

from fairplay.games.q.rules.state import State, remaining


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return groups of the remaining seats by score, best first.

    Once the game is over the first group holds the winners; it is empty if all of them failed in win, for then nobody
    has won.
    """
    left = remaining(state)
    values = {state.points[seat] for seat in left}
    if state.top is not None:
        values.add(state.top)
    return tuple(tuple(seat for seat in left if state.points[seat] == value) for value in sorted(values, reverse=True))


def winners(state: State) -> tuple[int, ...]:
    """Return the remaining seats that had the best score when the game ended; none while it goes on."""
    if state.mover is not None:
        return ()
    return tuple(seat for seat in remaining(state) if state.points[seat] == state.top)


def notifications(state: State) -> tuple[tuple[int, bool], ...]:
    """Return who is told the end of the game, in order: (seat, whether it has won), the winners first.

    Winners and losers are told in turn order, which starts with the player that placed its last tile, if one did.
    """
    first, won = 0 if state.finisher is None else state.finisher, winners(state)
    left = remaining(state)
    seats = [seat for seat in left if seat >= first] + [seat for seat in left if seat < first]
    return tuple((seat, seat in won) for seat in sorted(seats, key=lambda seat: seat not in won))
