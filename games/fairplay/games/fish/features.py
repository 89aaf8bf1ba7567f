"""Features of decisions in Fish: on both sides of the borders of its rules. The player is seat 0 of every state."""

from __future__ import annotations

from fairplay.games.conformance import Features
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import read_view
from fairplay.games.fish.rules import State
from fairplay.games.fish.rules.board import Move


def free_cells(state: State) -> list[int]:
    """Return the tiles without a penguin."""
    return [cell for cell in range(state.board.geometry.size) if not state.taken >> cell & 1]


def moves(state: State) -> list[Move]:
    """Return the moves of the player; none while penguins are placed."""
    return [] if rules.placing(state) else rules.moves(state, 0)


def movers(state: State) -> set[int]:
    """Return the indices of the penguins of the player that can move."""
    return {state.places[0].index(move.source) for move in moves(state)}


def stuck_rivals(state: State) -> int:
    """Return how many rivals cannot move, once all penguins are placed."""
    return 0 if rules.placing(state) else sum(not rules.moves(state, seat) for seat in range(1, len(state.places)))


def is_beyond(state: State, *, hole: bool) -> bool:
    """Return whether a free tile lies behind the first obstacle of any line, a hole or else a penguin."""
    if rules.placing(state):
        return False
    for ray in (ray for cell in state.places[0] for ray in state.board.geometry.rays[cell]):
        taken = [bool(state.taken >> move.target & 1) for move in ray]
        at = taken.index(True) if True in taken else len(taken)
        if False in taken[at:] and bool(rules.holes(state) >> ray[at].target & 1) == hole:
            return True
    return False


def walls_in(state: State) -> bool:
    """Return whether a move leaves the player without another one, and a rival's penguin stands beside its own."""
    for move in moves(state):
        after = rules.apply(state, move)
        own = set(after.places[0]) | {move.target}
        near = {ray[0].target for cell in own for ray in after.board.geometry.rays[cell] if ray}
        if not rules.moves(after, 0) and near & {cell for places in after.places[1:] for cell in places}:
            return True
    return False


def ends_now(state: State) -> bool:
    """Return whether any of a few moves ends the game."""
    found = moves(state)
    return 0 < len(found) <= 6 and all(rules.apply(state, move).over for move in found)


FEATURES = Features(
    lambda request: read_view(request.state),
    {
        "few-tiles-free: At most three tiles are free for a penguin.": lambda state: (
            rules.placing(state) and len(free_cells(state)) <= 3
        ),
        "first-cell-free: A penguin may be placed on cell 0.": lambda state: (
            rules.placing(state) and not state.taken & 1
        ),
        "first-cell-taken: A penguin is placed, and not on cell 0.": lambda state: (
            rules.placing(state) and state.taken & 1 == 1
        ),
        "last-of-all: The last penguin of all is placed.": lambda state: (
            rules.placing(state) and sum(map(len, state.places)) + 1 == len(state.places) * state.penguins
        ),
        "single-move: There is one legal move.": lambda state: len(moves(state)) == 1,
        "two-moves: There are two legal moves.": lambda state: len(moves(state)) == 2,
        "many-moves: There are more than 30 legal moves.": lambda state: len(moves(state)) > 30,
        "first-stuck: The penguin that is listed first is stuck, and another one is not.": lambda state: (
            bool(movers(state)) and 0 not in movers(state)
        ),
        "last-only: Of several penguins the one that is listed last can move alone.": lambda state: (
            len(state.places[0]) > 1 and movers(state) == {len(state.places[0]) - 1}
        ),
        "late-only: Of more than four penguins those that are listed behind the fourth can move alone.": lambda state: (
            bool(movers(state)) and min(movers(state)) > 3
        ),
        "rival-stuck: A rival is stuck, but not all of several.": lambda state: (
            0 < stuck_rivals(state) < len(state.places) - 1
        ),
        "all-rivals-stuck: All rivals are stuck.": lambda state: 0 < len(state.places) - 1 == stuck_rivals(state),
        "ends-now: Any move ends the game.": ends_now,
        "walls-in: A move leaves the player without another one, as long as a rival stands in its way.": walls_in,
        "behind-a-hole: A free tile lies behind a hole.": lambda state: is_beyond(state, hole=True),
        "behind-a-penguin: A free tile lies behind a penguin.": lambda state: is_beyond(state, hole=False),
        "to-first-cell: A penguin can move to cell 0.": lambda state: any(not move.target for move in moves(state)),
        "from-first-cell: The penguin on cell 0 can move.": lambda state: any(not move.source for move in moves(state)),
        "far-behind: A rival has 20 points, and more than twice as many as the player.": lambda state: (
            max(state.scores) >= max(20, 2 * state.scores[0] + 1)
        ),
        "tied-lead: The player shares the lead, with points.": lambda state: (
            0 < state.scores[0] == max(state.scores) and state.scores.count(state.scores[0]) > 1
        ),
        "level: All players have the same number of points, and it is not 0.": lambda state: (
            len(state.scores) > 1 and {state.scores[0]} == set(state.scores) != {0}
        ),
        "one-penguin: The player has one penguin, and all are placed.": lambda state: (
            not rules.placing(state) and len(state.places[0]) == 1
        ),
    },
)
