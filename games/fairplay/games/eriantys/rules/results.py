"""Eriantys: how a game ends, and who has won (eriantys.md section 4.5)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.state import COLOR_COUNT, NOBODY, Phase, Reason, Standing, State, members, size_of

FEWEST_GROUPS = 3


def over(state: State, reason: Reason) -> State:
    """Return the state in which the game has ended."""
    return state._replace(
        phase=Phase.OVER,
        active=NOBODY,
        queue=(),
        to_move=0,
        played=0,
        ignored=NOBODY,
        borrowed=(NOBODY,) * COLOR_COUNT,
        reason=reason,
    )


def scores(state: State) -> tuple[int, ...]:
    """Return by seat the towers that its side has on islands, without those that it lacked for a last group."""
    built = [size_of(len(state.sides)).towers - left for left in state.towers]
    return tuple([built[side] for side in state.sides])


def professor_counts(state: State) -> tuple[int, ...]:
    """Return by side how many professors it owns."""
    owners = [state.sides[owner] for owner in state.professors if owner != NOBODY]
    return tuple([owners.count(side) for side in range(len(state.towers))])


def live_sides(state: State) -> list[int]:
    """Return the sides of which not everybody was eliminated while the game went on."""
    return sorted(
        {side for side, standing in zip(state.sides, state.standings, strict=True) if standing != Standing.OUT}
    )


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the seats that are still in the game in groups, best first: by towers on islands, then by professors.

    A side that has placed its last tower is first by that alone. Partners are in one group, level sides too.
    """
    groups = (tuple(seat for side in tied for seat in _ranked(state, side)) for tied in _by_merit(state))
    return tuple(tuple(sorted(group)) for group in groups if group)


def winners(state: State) -> tuple[int, ...]:
    """Return the seats that have won; none while the game goes on.

    Nobody has won where the best sides are level (unless `draw_result` is "tied"), and where the settings end the
    game because a player was lost. Nobody moves up for a winner that is eliminated when the game is over.
    """
    if state.phase is not Phase.OVER or state.reason is Reason.DISCONNECTED or not (order := _by_merit(state)):
        return ()
    if len(order[0]) > 1 and state.settings.draw_result == "none":
        return ()
    return tuple(sorted(seat for side in order[0] for seat in _ranked(state, side)))


def _by_merit(state: State) -> list[list[int]]:
    """Return the live sides in groups of those that are level, best first."""
    professors = professor_counts(state)
    merit = {side: (-state.towers[side], professors[side]) for side in live_sides(state)}
    return [[side for side in merit if merit[side] == value] for value in sorted(set(merit.values()), reverse=True)]


def _ranked(state: State, side: int) -> list[int]:
    return [seat for seat in members(state, side) if state.standings[seat] in (Standing.IN, Standing.AWAY)]
