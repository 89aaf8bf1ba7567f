"""Test data of games in turn order: states, settings and actions are their messages in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from fairplay.games.game import Game, Start
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.strategies import make_strategy
from fairplay.games.kit.testdata import (
    Actor,
    Json,
    Question,
    collect_questions,
    play_game,
    question,
    read_int,
    read_message,
    read_scripts,
    read_text,
    write_message,
)
from fairplay.games.kit.turns import Turns


def build_questions(described: Game, turns: Turns) -> Mapping[str, Question]:
    """Return the questions about the rules of a game in turn order, by kind."""
    rules = turns.rules

    def read_state(value: Json) -> Any:
        return turns.resume(read_message(value, turns.state_type, "state"), None, Random(0))

    def read_action(value: Json) -> Any:
        return turns.read_action(read_message(value, turns.ask.response, "action"))

    def find_violation(state: Any, action: Json) -> str | None:
        try:
            broken: str | None = rules.violation(state, read_action(action))
        except MalformedReplyError as malformed:
            return malformed.rule_id
        return broken

    @question
    def start(settings: Json, player_count: Json, seed: Json = 0) -> Json:
        """Give the state in which a fresh game begins."""
        chosen = turns.read_settings(read_message(settings, turns.settings_type, "settings"))
        count = read_int(player_count, "player_count", described.seats.start, described.seats.stop - 1)
        return write_message(turns.build_state(rules.initial(chosen, count, Random(read_int(seed, "seed")))))

    @question
    def legal(state: Json) -> Json:
        """List the legal actions of the player whose turn it is."""
        return [write_message(turns.build_reply(action)) for action in rules.legal(read_state(state))]

    @question
    def refusal(state: Json, action: Json) -> Json:
        """Name the rule that an action breaks; null if it is legal."""
        return find_violation(read_state(state), action)

    @question
    def apply(state: Json, action: Json) -> Json:
        """Give the state after an action; false if it is illegal."""
        before = read_state(state)
        if find_violation(before, action) is not None:
            return False
        return write_message(turns.build_state(rules.apply(before, read_action(action))))

    @question
    def step(state: Json, strategy: Json) -> Json:
        """Give the action of a strategy."""
        now, decide = (
            read_state(state),
            make_strategy(read_text(strategy, "strategy"), described.strategies, described.title),
        )
        if rules.turn(now) is None:
            raise ValueError("The game is over: nobody is to decide.")
        return write_message(turns.build_reply(decide(now)))

    @question
    def game(state: Json, actors: Json) -> Json:
        """Play a game between actors, by seat: groups of names, best first."""
        first = read_state(state)
        scripts = read_scripts(actors, "actors", described.methods, count=described.count_seats(first))
        cast = [Actor(script, described.player(script.strategy)) for script in scripts]
        names = [script.name for script in scripts]
        played = play_game(turns.converse(Start("test", None, names, first, False)), cast)
        return [[names[seat] for seat, _ in group] for group in played.outcome.ranking]

    return collect_questions(locals())
