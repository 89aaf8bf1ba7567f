"""Questions about the rules of Eriantys, for the test data of other people.

A game, settings and actions are messages, in the JSON of protobuf with the names of fields as they stand in
[eriantys.proto](../proto/fairplay/eriantys/v1/eriantys.proto) and
[eriantys_settings.proto](../proto/fairplay/eriantys/v1/eriantys_settings.proto). A game is a `State` with all that is
hidden: `bag_students`, `hands`, and `draw_state`, which may be left out. What `start` answers shows its form.
`settings` are a `Settings` with those that differ from their defaults.

An action is a `LastAction`, whose seat may be left out in questions: `{"tower_color": "TOWER_COLOR_WHITE"}`,
`{"assistant": 4}`, `{"action": {"to_dining_room": {"color": "COLOR_RED"}}}`,
`{"action": {"play_character": {"character": 7, "given": ["COLOR_BLUE"], "taken": ["COLOR_RED"]}}}`, ...

A strategy is a text such as "greedy" or "best:width=4". An actor is `[name, strategy]`, or with more:
`[name, strategy, method]` fails in every call of that method (ask-tower-color, start-game, ask-assistant-card,
ask-action, update-game-board, show-last-round, show-end-game, show-disconnection), `[name, strategy, method, k]` hangs
from the k-th call on, `[name, strategy, "a cheat", cheat]` answers wrongly wherever it can; the cheats are the wrong
answers at the end of the list that `python -m fairplay.conformance.zoo eriantys --list` prints.
"""

from __future__ import annotations

from random import Random
from typing import Any

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.mutations import MUTATIONS
from fairplay.games.eriantys.players import Strategy, player
from fairplay.games.eriantys.players import strategy as make_strategy
from fairplay.games.eriantys.protocol import answers, codec, conversation
from fairplay.games.eriantys.rules import board
from fairplay.games.eriantys.rules.state import Action, Phase, Settings, State, view_of
from fairplay.games.game import Start
from fairplay.games.kit import testdata as kit
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.testdata import Json, question

CHEATS = {mutation.name: mutation for mutation in MUTATIONS}

# Games


@question
def start(settings: Json, player_count: Json, seed: Json = 0) -> Json:
    """Give a game as section 2 draws it, in which tower colours are chosen next; the same for the same seed."""
    count = kit.read_int(player_count, "player_count")
    return _write_state(rules.initial(_read_settings(settings), count, Random(kit.read_int(seed, "seed"))))


@question
def view(game: Json, seat: Json, settings: Json = None) -> Json:
    """Give what a player sees of a game: zeros for the others' hands, and no draw state."""
    state = _read_state(game, settings)
    return _write_state(view_of(state, _read_seat(state, seat)))


@question
def influences(game: Json, tile: Json, settings: Json = None) -> Json:
    """Give the influence of each side on the group of a tile, as things are now (section 4.1)."""
    state = _read_state(game, settings)
    number = kit.read_int(tile, "tile", 0, 11)
    return board.influences(state, next(group for group in state.groups if number in group.tiles))


@question
def result(game: Json, settings: Json = None) -> Json:
    """Give `{"winners": [seat], "ranking": [[seat]], "scores": [towers on islands], "reason": name or null}`."""
    return _result(_read_state(game, settings))


# Actions


@question
def legal(game: Json, settings: Json = None) -> Json:
    """List every legal action of the player to decide; each group of islands and each exchange comes once."""
    state = _read_state(game, settings)
    return [_write_action(state.active, action) for action in rules.legal(state)]


@question
def refusal(game: Json, action: Json, settings: Json = None) -> Json:
    """Name the rule that an action of the player to decide breaks; null: it is legal."""
    verdict = _judge(_read_state(game, settings), action)
    return verdict.rule_id if isinstance(verdict, MalformedReplyError) else None


@question
def apply(game: Json, actions: Json, settings: Json = None) -> Json:
    """Give the game after an array of actions; an error that names the rule if one of them is illegal."""
    state = _read_state(game, settings)
    for given in kit.read_list(actions, "actions"):
        verdict = _judge(state, given)
        if isinstance(verdict, MalformedReplyError):
            raise ValueError(f"{given} breaks {verdict.rule_id}: {rules.RULES[verdict.rule_id]}")
        state = rules.apply(state, verdict)
    return _write_state(state)


@question
def eliminate(game: Json, seat: Json, settings: Json = None) -> Json:
    """Give the game without a player that is eliminated."""
    state = _read_state(game, settings)
    return _write_state(rules.eliminate(state, _read_seat(state, seat)))


@question
def disconnect(game: Json, seat: Json, settings: Json = None) -> Json:
    """Give the game after the loss of a player, as the setting `on_disconnect` says."""
    state = _read_state(game, settings)
    return _write_state(rules.disconnect(state, _read_seat(state, seat)))


# Strategies


@question
def step(strategy: Json, game: Json, settings: Json = None) -> Json:
    """Give the action of a strategy in the place of the player to decide, from what that player sees."""
    state = _read_unfinished(game, settings)
    return _write_action(state.active, _read_strategy(strategy)(view_of(state, state.active)))


@question
def plan(strategy: Json, game: Json, settings: Json = None) -> Json:
    """List all actions of a strategy in the rest of the turn of the player to decide; of planning, with one."""
    state, decide = _read_unfinished(game, settings), _read_strategy(strategy)
    seat, begun, found = state.active, state.round, list[Json]()
    while not found or (
        state.active == seat and state.round == begun and state.phase not in (Phase.TOWERS, Phase.ASSISTANT)
    ):
        action = decide(view_of(state, seat))
        found.append(_write_action(seat, action))
        state = rules.apply(state, action)
    return found


# Whole games


@question
def actions(game: Json, strategies: Json, settings: Json = None) -> Json:
    """List all actions of a game between strategies, one for each seat."""
    state = _read_state(game, settings)
    given = kit.read_list(strategies, "strategies", count=len(state.sides))
    brains, found = [_read_strategy(each) for each in given], list[Json]()
    while (seat := rules.turn(state)) is not None:
        action = brains[seat](view_of(state, seat))
        found.append(_write_action(seat, action))
        state = rules.apply(state, action)
    return found


@question
def game(game: Json, actors: Json, settings: Json = None) -> Json:
    """Play a game between actors, one for each seat: its result as `result` has it, and its "changes".

    Changes say who has left or returned and when: `{"seat": 1, "round": 3, "standing": "AWAY"}`, in their order.
    """
    state, methods = _read_state(game, settings), tuple(conversation.METHODS.values())
    scripts = kit.read_scripts(actors, "actors", methods, CHEATS, count=len(state.sides))
    cast = [kit.Actor(script, player(script.strategy), CHEATS) for script in scripts]
    changes: list[Json] = []
    talk = conversation.play(Start("test", state.settings, [script.name for script in scripts], state, fresh=False))
    before = state

    def see(shown: Any) -> None:
        nonlocal before
        after: State = shown.state
        for seat, (was, now) in enumerate(zip(before.standings, after.standings, strict=True)):
            if was is not now:
                changes.append({"seat": seat, "round": after.round, "standing": now.name})
        before = after

    kit.play_game(talk, cast, see)
    return _result(before) | {"changes": changes}


# Forms


def _read_settings(value: Json) -> Settings:
    return codec.read_settings(kit.read_message(value or {}, eriantys_settings_pb2.Settings, "settings"))


def _read_state(value: Json, settings: Json) -> State:
    """Return a full game. Raises ValueError if it has another form, or if no game can lead to it."""
    return codec.resume(kit.read_message(value, eriantys_pb2.State, "game"), _read_settings(settings), Random(0))


def _read_unfinished(value: Json, settings: Json) -> State:
    state = _read_state(value, settings)
    if state.phase is Phase.OVER:
        raise ValueError("The game is over: nobody is to decide.")
    return state


def _write_state(state: State) -> Json:
    return kit.write_message(codec.build_state(state))


def _judge(state: State, value: Json) -> Action | MalformedReplyError:
    """Return a legal action of the player to decide, or what is wrong with it."""
    try:
        action = answers.read_last_action(kit.read_message(value, eriantys_pb2.LastAction, "action"))
    except MalformedReplyError as malformed:
        return malformed
    rule_id = rules.violation(state, action)
    return MalformedReplyError(rule_id, answers.describe_action(action)) if rule_id else action


def _write_action(seat: int, action: Action) -> Json:
    message = eriantys_pb2.LastAction()
    answers.put_last_action(message, seat, action)
    return kit.write_message(message)


def _read_seat(state: State, seat: Json) -> int:
    return kit.read_int(seat, "seat", 0, len(state.sides) - 1)


def _read_strategy(strategy: Json) -> Strategy:
    return make_strategy(kit.read_text(strategy, "strategy"))


def _result(state: State) -> dict[str, Json]:
    return {
        "winners": list(rules.winners(state)),
        "ranking": [list(group) for group in rules.ranking(state)],
        "scores": list(rules.scores(state)),
        "reason": state.reason.name if state.reason else None,
    }


TESTDATA = kit.collect_questions(globals())
