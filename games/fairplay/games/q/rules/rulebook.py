"""The rules of the Q game by id, each as one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from fairplay.games.q.rules.board import FARTHEST

RULES: Mapping[str, str] = {
    "q.action.game-over": "Nobody has a turn once the game is over.",
    "q.action.required": "The answer to take-turn must be one of pass, replace and an extension.",
    "q.coordinate.range": f"Rows and columns must lie between {-FARTHEST} and {FARTHEST}.",
    "q.coordinate.required": "Every placement must say the coordinate on which its tile is to lie.",
    "q.extension.adjacent": "Each tile must share a side with a tile that is on the map when it is placed: with one "
    "that lay there before the turn, or with one placed earlier in the extension.",
    "q.extension.fit": "Each tile must fit when it is placed: its left and right neighbours all have its color or all "
    "have its shape, and so do the neighbours above and below (if the fit rule is qwirkle: all tiles of the line it "
    "joins, and that line holds no two equal tiles).",
    "q.extension.free": "Each tile must be placed on a coordinate that is still free.",
    "q.extension.not-empty": "An extension must place at least one tile.",
    "q.extension.one-line": "All tiles of an extension must lie in one row or in one column.",
    "q.extension.own-tiles": "A player can place only tiles from its own hand, each as often as it holds it.",
    "q.replace.pile": "A player can replace its hand only if the pile holds at least as many tiles as the hand.",
    "q.tile.known": "A tile must have one of the six known shapes and one of the six known colors.",
    "q.tile.required": "Every placement must say which tile it places.",
}
