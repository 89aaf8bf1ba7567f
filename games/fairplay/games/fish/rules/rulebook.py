"""The rules of Fish by id, each as one sentence."""

from __future__ import annotations

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "fish.action.game-over": "Nobody may place or move a penguin once the game is over.",
    "fish.action.required": "The answer to take-turn must hold a complete action: the penguin's place and its target.",
    "fish.move.clear-path": "A penguin cannot pass over a hole or pass over or stop on another penguin.",
    "fish.move.mandatory": "A player that can move a penguin must move one: there is no voluntary skip.",
    "fish.move.not-stay": "A penguin must move at least one step: its target cannot be the place it stands on.",
    "fish.move.on-board": "A move's place and target must both be positions on the board.",
    "fish.move.own-penguin": "A move must start where one of the player's own penguins stands.",
    "fish.move.straight-line": "A penguin moves along one of the six directions, without turning.",
    "fish.move.tile": "A move must end on a tile, not on a hole.",
    "fish.place.before-moving": "All penguins are placed before the first one moves: while placing the answer is a "
    "place, afterwards it is a move.",
    "fish.place.free": "A penguin must be placed on a tile without a penguin.",
    "fish.place.on-board": "A penguin must be placed at a position on the board.",
    "fish.place.required": "The answer to setup must hold a place for the next penguin.",
    "fish.place.tile": "A penguin must be placed on a tile, not on a hole.",
}
