"""What every state of Fish fulfils, so that one from outside can be refused with the reason."""

from __future__ import annotations

from fairplay.games.fish.rules.state import ROUNDS, State, tiles, with_turn
from fairplay.games.kit.settings import MAX_COUNT, MAX_REVISION


def invariant(state: State) -> str | None:
    """Return one sentence that names what no game can lead to in a state made by `state_of`; None if there is none."""
    for problem in (_penguin_problem, _tile_problem, _count_problem, _turn_problem):
        if sentence := problem(state):
            return sentence
    return None


def _penguin_problem(state: State) -> str | None:
    cells = [cell for own in state.places for cell in own]
    if len(set(cells)) < len(cells):
        return "Two penguins stand on the same tile."
    if not all(state.board.fish[cell] for cell in cells):
        return "A penguin stands on a hole."
    if any(own and not alive for own, alive in zip(state.places, state.alive, strict=True)):
        return "An eliminated player still has penguins."
    return None


def _tile_problem(state: State) -> str | None:
    if min(state.revision, *state.scores) < 0:
        return "A score or the revision is negative."
    if state.revision > MAX_REVISION or max(state.scores) > MAX_COUNT:
        return f"The revision is at most {MAX_REVISION:,}, and a score at most {MAX_COUNT:,}."
    left = sum(tiles(state))
    if sum(state.scores) < sum(state.board.fish) - left:
        return "Tiles are gone whose fish are in nobody's score."
    return None


def _count_problem(state: State) -> str | None:
    """Compare the numbers of penguins: who comes later in a round of placement has one less at most (section 3)."""
    around = ROUNDS[len(state.places)][state.seat]
    counts = [len(state.places[seat]) for seat in around if state.alive[seat]]
    if counts and max(counts) > state.penguins:
        return f"A player has {max(counts)} penguins: each owns {state.penguins}."
    if counts and (counts != sorted(counts) or counts[-1] - counts[0] > 1):
        return "Players have placed different numbers of penguins, other than by one in an unfinished round."
    return None


def _turn_problem(state: State) -> str | None:
    if with_turn(state, state.seat) != state:
        return "It is the turn of a player that cannot act, or the game is called over while somebody can."
    return None
