"""Questions about the rules of Eriantys, for the test data of other people.

A game is an object with the fields of `State`. Students are objects from colour to count, `{"RED": 2}`; colours,
tower colours, phases, standings and reasons are upper-case names; a seat, side or colour that there is not is null.
`settings` are an object of those that differ from their defaults, by their names. What `start` answers shows all forms.

An action is an object with its kind and what belongs to it: `{"kind": "CHOOSE_TOWERS", "color": "WHITE"}`,
`{"kind": "PLAY_ASSISTANT", "value": 4}`, `{"kind": "TO_DINING_ROOM", "color": "RED"}`,
`{"kind": "TO_ISLAND", "color": "RED", "island": 3}`, `{"kind": "MOVE_MOTHER_NATURE", "steps": 2}`,
`{"kind": "TAKE_CLOUD", "cloud": 0}`, `{"kind": "END_TURN"}`, and
`{"kind": "PLAY_CHARACTER", "character": 7, "swaps": [["RED", "BLUE"]]}`, with "color" and "island" where needed.

A strategy is a text such as "greedy" or "best:width=4". An actor is `[name, strategy]`, or with more:
`[name, strategy, method]` fails in every call of that method (ask-tower-color, start-game, ask-assistant-card,
ask-action, update-game-board, show-last-round, show-end-game, show-disconnection), `[name, strategy, method, k]` hangs
from the k-th call on, `[name, strategy, "a cheat", cheat]` answers wrongly wherever it can; the cheats are the mutants
of Eriantys that the page about the zoo lists.
"""

from __future__ import annotations

from random import Random

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.players import Strategy, StrategyPlayer
from fairplay.games.eriantys.players import strategy as make_strategy
from fairplay.games.eriantys.protocol import conversation
from fairplay.games.eriantys.rules import board
from fairplay.games.eriantys.rules.state import Action, Phase, State, view_of
from fairplay.games.eriantys.testdata.cheats import CHEATS
from fairplay.games.eriantys.testdata.forms import (
    read_action,
    read_settings,
    read_state,
    write_action,
    write_state,
)
from fairplay.games.kit.testdata import (
    Actor,
    Json,
    collect_questions,
    play_game,
    question,
    read_int,
    read_list,
    read_scripts,
    read_text,
)
from fairplay.games.steps import Conversation, Outcome, Show

# Games


@question
def start(settings: Json, player_count: Json, seed: Json = 0) -> Json:
    """Give a game as section 2 draws it, in which tower colours are chosen next; the same for the same seed."""
    count = read_int(player_count, "player_count")
    return write_state(rules.initial(read_settings(settings), count, Random(read_int(seed, "seed"))))


@question
def view(game: Json, seat: Json) -> Json:
    """Give what a player sees of a game: zeros for the others' hands, and no draw state."""
    state = read_state(game)
    return write_state(view_of(state, _read_seat(state, seat)))


@question
def influences(game: Json, tile: Json) -> Json:
    """Give the influence of each side on the group of a tile, as things are now (section 4.1)."""
    state = read_state(game)
    number = read_int(tile, "tile", 0, 11)
    return board.influences(state, next(group for group in state.groups if number in group.tiles))


@question
def result(game: Json) -> Json:
    """Give `{"winners": [seat], "ranking": [[seat]], "scores": [towers on islands], "reason": name or null}`."""
    return _result(read_state(game))


# Actions


@question
def legal(game: Json) -> Json:
    """List every legal action of the player to decide; each group of islands and each exchange comes once."""
    return [write_action(action) for action in rules.legal(read_state(game))]


@question
def refusal(game: Json, action: Json) -> Json:
    """Name the rule that an action of the player to decide breaks; null: it is legal."""
    return rules.violation(read_state(game), read_action(action))


@question
def apply(game: Json, actions: Json) -> Json:
    """Give the game after an array of actions; an error that names the rule if one of them is illegal."""
    state = read_state(game)
    for given in read_list(actions, "actions"):
        action = read_action(given)
        _check(state, action)
        state = rules.apply(state, action)
    return write_state(state)


@question
def eliminate(game: Json, seat: Json) -> Json:
    """Give the game without a player that is eliminated."""
    state = read_state(game)
    return write_state(rules.eliminate(state, _read_seat(state, seat)))


@question
def disconnect(game: Json, seat: Json) -> Json:
    """Give the game after the loss of a player, as the setting `on_disconnect` says."""
    state = read_state(game)
    return write_state(rules.disconnect(state, _read_seat(state, seat)))


# Strategies


@question
def step(strategy: Json, game: Json) -> Json:
    """Give the action of a strategy in the place of the player to decide, from what that player sees."""
    state = _unfinished(game)
    return write_action(_decide(_read_strategy(strategy), state))


@question
def plan(strategy: Json, game: Json) -> Json:
    """List all actions of a strategy in the rest of the turn of the player to decide; of planning, with one."""
    state, decide = _unfinished(game), _read_strategy(strategy)
    seat, begun, actions = state.active, state.round, list[Action]()
    while not actions or _is_in_turn(state, seat, begun):
        actions.append(_decide(decide, state))
        state = rules.apply(state, actions[-1])
    return [write_action(action) for action in actions]


def _is_in_turn(state: State, seat: int, begun: int) -> bool:
    """Return whether the turn of a seat in the action phase of a round goes on."""
    return state.active == seat and state.round == begun and state.phase not in (Phase.TOWERS, Phase.ASSISTANT)


# Whole games


@question
def actions(game: Json, strategies: Json) -> Json:
    """List all actions of a game between strategies, one for each seat."""
    state = read_state(game)
    given = read_list(strategies, "strategies", count=len(state.sides))
    brains, found = [_read_strategy(each) for each in given], list[Action]()
    while (seat := rules.turn(state)) is not None:
        found.append(_decide(brains[seat], state))
        state = rules.apply(state, found[-1])
    return [write_action(action) for action in found]


@question
def game(game: Json, actors: Json) -> Json:
    """Play a game between actors, one for each seat: its result as `result` has it, and its "changes".

    Changes say who has left or returned and when: `{"seat": 1, "round": 3, "standing": "AWAY"}`, in their order.
    """
    state, methods = read_state(game), tuple(conversation.METHODS.values())
    scripts = read_scripts(actors, "actors", methods, CHEATS, count=len(state.sides))
    cast = [Actor(script, StrategyPlayer(script.strategy), CHEATS) for script in scripts]
    changes: list[Json] = []
    talk = conversation.play("test", state, [script.name for script in scripts])
    end: State = play_game(_noting_changes(talk, state, changes), cast).state.state
    return _result(end) | {"changes": changes}


def _noting_changes(talk: Conversation, state: State, changes: list[Json]) -> Conversation:
    """Yield the steps of a conversation, and note in `changes` the standings that have changed."""
    sent = None
    while True:
        try:
            step = talk.send(sent)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome
        if isinstance(step, Show):
            changes += _changes(state, step.state.state)
            state = step.state.state
        sent = yield step


def _changes(before: State, after: State) -> list[Json]:
    return [
        {"seat": seat, "round": after.round, "standing": now.name}
        for seat, (was, now) in enumerate(zip(before.standings, after.standings, strict=True))
        if was is not now
    ]


# Parts


def _result(state: State) -> dict[str, Json]:
    return {
        "winners": list(rules.winners(state)),
        "ranking": [list(group) for group in rules.ranking(state)],
        "scores": list(rules.scores(state)),
        "reason": state.reason.name if state.reason else None,
    }


def _check(state: State, action: Action) -> None:
    if rule := rules.violation(state, action):
        raise ValueError(f"{write_action(action)} breaks {rule}: {rules.RULES[rule]}")


def _decide(decide: Strategy, state: State) -> Action:
    """Return the action of a strategy. Raises ValueError if it is illegal."""
    action = decide(view_of(state, state.active))
    _check(state, action)
    return action


def _unfinished(game: Json) -> State:
    state = read_state(game)
    if state.phase is Phase.OVER:
        raise ValueError("The game is over: nobody is to decide.")
    return state


def _read_seat(state: State, seat: Json) -> int:
    return read_int(seat, "seat", 0, len(state.sides) - 1)


def _read_strategy(strategy: Json) -> Strategy:
    return make_strategy(read_text(strategy, "strategy"))


TESTDATA = collect_questions(globals())
