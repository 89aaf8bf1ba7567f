"""Whole games and tournaments of test data: the conversation of Fish, with actors in place of players."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fairplay.games.fish import rules
from fairplay.games.fish.conformance import turn_mutations
from fairplay.games.fish.players.player import StrategyPlayer
from fairplay.games.fish.protocol import codec, conversation
from fairplay.games.fish.rules import Settings, State
from fairplay.games.fish.testdata.forms import Table
from fairplay.games.kit.player_service import END, START
from fairplay.games.kit.testdata import Actor, Json, PlayedGame, play_game, read_scripts

METHODS = tuple(conversation.METHODS.values())


CHEATS = {
    "off-board": turn_mutations.moves_one_too_far_off,
    "stay": turn_mutations.stays,
    "skip": turn_mutations.skips,
}


def read_actors(value: Json, count: int | None = None, *, tournament: bool = False) -> list[Actor]:
    """Return the actors in a JSON array, `count` of them if that is given. Raises ValueError if an item is no actor."""
    methods = (START, *METHODS, END) if tournament else METHODS
    scripts = read_scripts(value, "actors", methods, CHEATS, count=count)
    return [Actor(script, StrategyPlayer(script.strategy), CHEATS) for script in scripts]


def play_on(table: Table, actors: Sequence[Actor]) -> PlayedGame:
    """Play a game from a state to its end."""
    colors = [codec.color_of(color) for color in table.colors]
    return play_game(conversation.play("test", Settings(), codec.Shown(table.state, colors), fresh=False), actors)


def play_fresh(settings: Settings, actors: Sequence[Actor], rng: Random) -> PlayedGame:
    """Play a game from its beginning. Raises ValueError if the settings do not fit the number of actors."""
    start = codec.Shown(rules.initial(settings, len(actors), rng), codec.colors(len(actors)))
    return play_game(conversation.play("test", settings, start, fresh=True), actors)


def final_state(played: PlayedGame) -> State:
    """Return the state in which a game ended."""
    shown: codec.Shown = played.state
    return shown.state
