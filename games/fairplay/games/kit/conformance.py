"""What the probes and mutations of the games are made with.

*probes.py* of a game names situations that players get wrong. The state of a situation is made by the game's own rules
and codec: drawn in the game's own notation, or reached by random play with `play_randomly` and `find_state`, which take
the game's rules as they are. All randomness comes from the `rng` that a probe is given, so that the same seed gives the
same game. A probe must reach the player under test whatever the others do.

*mutations.py* of a game replaces sound replies by wrong ones. Each mutation is a decorated function: its name is the id
and its docstring the sentence. `with_field` and `without_field` change the form of a reply. A wrong move is made from
what the request shows; `choose` takes one of many. It must be quick in large states as well. A mutation names the cases
that catch it: ids of probes of its game, or `DRAWN_STATES` and `whole_game(...)`, which the suite asks of every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from fairplay.games.conformance import Infraction, Mutation, Situation
from fairplay.games.game import Game
from fairplay.games.kit.judging import build_rule_break
from fairplay.games.steps import (
    FAILURES,
    Call,
    Cause,
)

DRAWN_STATES = "rules.drawn-states"
"""The id of the suite's case of states drawn at random."""

UNUSUAL_SETTINGS = "rules.unusual-settings"
"""The id of the suite's case of games under unusual settings."""

State = TypeVar("State")
Action = TypeVar("Action")
Thing = TypeVar("Thing")
Reply = TypeVar("Reply", bound=Message)
Mutate: TypeAlias = Callable[[Any, Any, Random], Any]
"""(request, sound reply, rng) -> the wrong reply, or None if this request leaves no room for it."""
MakeSituation: TypeAlias = Callable[[Random], Situation]
"""What a probe has for a situation: rng -> the situation; the same seed gives the same one."""
Answer: TypeAlias = Callable[[Call], Any]
"""A player: call -> the reply, or a Failure."""

_MOST_GAMES = 10_000
_MOST_CHOICES = 60


# The suite's own cases


def whole_game(seat: int, player_count: int) -> str:
    """Return the id of the suite's case of a whole game from a seat, counted from 0."""
    return f"rules.whole-game.seat-{seat}-of-{player_count}"


WHOLE_GAME = whole_game(0, 2)
"""The id of the plainest one."""


# Situations


def begin_game(seat: int, player_count: int, settings: Message, turn_count: int = 0) -> MakeSituation:
    """Return the situation of a game from its beginning, with the player under test in a seat."""
    return lambda rng: Situation(settings, player_count, seat, None, turn_count)


class Rules(Protocol[State, Action]):
    """The rules of a game, as far as random play needs them."""

    def turn(self, state: State, /) -> int | None:
        """Return the seat to decide next; None: the game is over."""

    def legal(self, state: State, /) -> Sequence[Action]:
        """Return the legal actions of that seat, at least one."""

    def apply(self, state: State, action: Action, /) -> State:
        """Return the state after an action."""


def play_randomly(rules: Rules[State, Action], state: State, rng: Random, count: int) -> State:
    """Return the state after `count` random actions, or fewer if the game is over before."""
    for _ in range(count):
        if rules.turn(state) is None:
            break
        state = rules.apply(state, rng.choice(rules.legal(state)))
    return state


def find_state(
    rules: Rules[State, Action], start: Callable[[], State], rng: Random, wanted: Callable[[State], bool]
) -> State:
    """Return the first wanted state of random games, each from a new `start()`. Raises LookupError if none came up."""
    for _ in range(_MOST_GAMES):
        state = start()
        while rules.turn(state) is not None:
            if wanted(state):
                return state
            state = play_randomly(rules, state, rng, 1)
    raise LookupError(f"no such state in {_MOST_GAMES} random games")


# Mutations


def mutation(
    method: str, rule: str, *cases: str, only: Callable[[Any], bool] | None = None
) -> Callable[[Mutate], Mutation]:
    """Declare a mutation of the replies to a method: the decorated function returns the wrong reply, or None.

    Its name is the name of the mutation, its docstring the sentence. With `only` it shows itself only where the request
    is so: some mistakes are made in special situations alone.
    """

    def declare(mutate: Mutate) -> Mutation:
        return build_mutation(mutate, method, rule, cases, mutate, only)

    return declare


def build_mutation(
    declared: Callable[..., Any],
    method: str,
    rule: str,
    cases: Sequence[str],
    mutate: Mutate,
    only: Callable[[Any], bool] | None = None,
) -> Mutation:
    """Return a mutation with the name and docstring of a function, for decorators of a game's own."""

    def confined(request: Any, reply: Any, rng: Random) -> Any:
        return mutate(request, reply, rng) if only is None or only(request) else None

    name = declared.__name__.strip("_").replace("_", "-")
    return Mutation(name, (declared.__doc__ or "").partition("\n")[0], method, rule, tuple(cases), confined)


def collect_mutations(names: Mapping[str, Any]) -> tuple[Mutation, ...]:
    """Return the mutations among the names of a module, given as its `globals()`, in the order of definition."""
    return tuple(each for each in names.values() if isinstance(each, Mutation))


def choose(wrong: Iterable[Thing], rng: Random) -> Thing | None:
    """Return one of these, of very many one of the first; None if there are none."""
    choices = list(islice(wrong, _MOST_CHOICES))
    return rng.choice(choices) if choices else None


def with_field(reply: Reply, path: str, value: object) -> Reply | None:
    """Return a copy with another value at a path, e.g. "action.target" or "cards.0.pebbles"; None: no such path.

    A number in a path is an index into a list.
    """
    changed = type(reply)()
    changed.CopyFrom(reply)
    *way, name = path.split(".")
    part: Any = changed
    for step in way:
        part = _part(part, step)
        if part is None:
            return None
    if value is None and not _present(part, name):
        return None
    part.ClearField(name)
    if isinstance(value, list):
        getattr(part, name).extend(value)
    elif value is not None:
        setattr(part, name, value)
    return changed


def without_field(reply: Reply, path: str) -> Reply | None:
    """Return a copy without the field at a path; None if it is missing anyway."""
    return with_field(reply, path, None)


def _part(whole: Any, step: str) -> Any:
    if step.isdecimal():
        return whole[int(step)] if int(step) < len(whole) else None
    return getattr(whole, step) if _present(whole, step) else None


def _present(message: Message, name: str) -> bool:
    return any(field.name == name for field, _ in message.ListFields())


# Infractions


def cause_of(game: Game, infraction: Infraction, answer: Any) -> Cause:
    """Return the cause of the misconduct that an infraction would be if it eliminated its player."""
    if isinstance(answer, FAILURES):
        return answer
    return build_rule_break(game.rules, infraction.rule, infraction.given)
