"""Whole games of test data: the conversation of the Q game, with actors that fail or cheat (q.md section 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from fairplay.games.conformance import Mutation
from fairplay.games.kit.testdata import Actor, Json, PlayedGame, play_game, read_scripts
from fairplay.games.q import rules
from fairplay.games.q.players.player import StrategyPlayer
from fairplay.games.q.protocol import codec, conversation
from fairplay.games.q.rules import REPLACE, Action, Extension, State, View
from fairplay.games.q.rules.board import FARTHEST, KINDS, Board, Placement
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

MOST_CALLS = 7
"""The last call from which on an actor may fail."""


def read_actors(value: Json, count: int) -> list[Actor]:
    """Return the actors in a JSON array of so many. Raises ValueError if an item is no actor."""
    scripts = read_scripts(
        value, "actors", tuple(conversation.METHODS.values()), CHEATS, count=count, most_calls=MOST_CALLS
    )
    return [Actor(script, StrategyPlayer(script.strategy), CHEATS) for script in scripts]


def play_on(state: State, actors: list[Actor]) -> PlayedGame:
    """Play a game from a state to its end."""
    return play_game(conversation.play("test", codec.Shown(state)), actors)


def final_state(played: PlayedGame) -> State:
    """Return the state in which a game ended, once everybody has been told."""
    shown: codec.Shown = played.state
    return shown.state


# Cheats: an illegal action, or None if the cheat is impossible


def _non_adjacent_coordinate(view: View) -> Action | None:
    rows = [row for row, _ in view.board.tiles]
    row = max(rows) + 2 if max(rows) + 2 <= FARTHEST else min(rows) - 2
    return Extension((Placement(row, 0, view.hand[0] if view.hand else 0),))


def _tile_not_owned(view: View) -> Action | None:
    for tile in range(KINDS):
        if tile not in view.hand:
            spot = min((spot for spot in view.board.spots if view.board.fits(*spot, tile)), default=None)
            return Extension((Placement(*(spot or min(view.board.spots)), tile),))
    return None


def _not_a_line(view: View) -> Action | None:
    placed = _find_crooked(view.board, view.hand, ())
    return Extension(placed) if placed else None


def _find_crooked(board: Board, hand: tuple[int, ...], placed: tuple[Placement, ...]) -> tuple[Placement, ...] | None:
    """Return placements one after the other that are adjacent and fit, and share neither row nor column."""
    longer = [(*placed, Placement(*spot, tile)) for tile in sorted(set(hand)) for spot in rules.placements(board, tile)]
    for sequence in longer:
        if not rules.one_line(sequence):
            return sequence
    for sequence in longer:
        at = hand.index(sequence[-1].tile)
        if found := _find_crooked(board.put(sequence[-1:]), hand[:at] + hand[at + 1 :], sequence):
            return found
    return None


def _bad_ask_for_tiles(view: View) -> Action | None:
    return REPLACE if len(view.hand) > view.pile_left else None


def _no_fit(view: View) -> Action | None:
    for tile in sorted(set(view.hand)):
        for spot in sorted(view.board.spots):
            if not view.board.fits(*spot, tile):
                return Extension((Placement(*spot, tile),))
    return None


ILLEGAL_ACTIONS: Mapping[str, Callable[[View], Action | None]] = {
    "non-adjacent-coordinate": _non_adjacent_coordinate,
    "tile-not-owned": _tile_not_owned,
    "not-a-line": _not_a_line,
    "bad-ask-for-tiles": _bad_ask_for_tiles,
    "no-fit": _no_fit,
}


def _cheat(name: str, illegal: Callable[[View], Action | None]) -> Mutation:
    def answer(request: TakeTurnRequest, reply: TakeTurnResponse, rng: Random) -> TakeTurnResponse | None:
        action = illegal(codec.view(request.state))
        return None if action is None else TakeTurnResponse(action=codec.action_message(action))

    return Mutation(name, "", "TakeTurn", "", (), answer)


CHEATS = {name: _cheat(name, illegal) for name, illegal in ILLEGAL_ACTIONS.items()}
