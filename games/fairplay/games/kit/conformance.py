"""What the probes and mutations of the games are made with.

*probes.py* of a game is a table of situations that players get wrong: names and sentences, each with the rules that are
checked there, and what draws the situation. The state of a situation is made by the game's own rules
and codec: drawn in the game's own notation, or reached by random play with `play_randomly` and `find_state`, which take
the game's rules as they are. All randomness comes from the `rng` that a probe is given, so that the same seed gives the
same game. A probe must reach the player under test whatever the others do.

*mutations.py* of a game replaces sound replies by wrong ones. It is a table of names and sentences, each with a wrong
answer: the rule that it breaks, how it is made, and the cases that catch it, ids of probes of its game, or
`DRAWN_STATES` and `whole_game(...)`, which the suite asks of every game. `changing` and `without` change the form of a
reply; a game's own `Breaking` makes a move of those that a function finds in what the player sees: it must be quick in
large states as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from fairplay.games.conformance import Infraction, Level, Mutation, Probe, Situation
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

UNKNOWN_VALUES = "contract.unknown-enum-values"
"""The id of the suite's case of enum values and rules that a player does not know."""

KNOWN_VALUES = "contract.known-enum-values"
"""The id of the suite's case of what a player is told seldom, or with another call than usual."""

GAME_TIED = "endings.game-tied"
"""The id of the suite's case of games that end in a tie."""

State = TypeVar("State")
View = TypeVar("View")
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


# Probes


class Check(NamedTuple):
    """What a probe checks, and where, without its id and its sentence."""

    rules: Sequence[str]
    situation: MakeSituation
    level: Level = Level.MUST
    draws: int = 1


def build_probes(game: str, checks: Mapping[str, Check]) -> tuple[Probe, ...]:
    """Return the probes of a game from a table: "topic.what: Why." -> the check.

    Ids of probes and rules stand in it without the name of the game, with which they begin.
    """
    keys = [key.partition(": ") for key in checks]
    return tuple(
        [
            Probe(full_id(game, name), tuple([full_id(game, rule) for rule in rules]), why, situation, level, draws)
            for (name, _, why), (rules, situation, level, draws) in zip(keys, checks.values(), strict=True)
        ]
    )


# Situations


def begin_game(seat: int, player_count: int, settings: Message, turn_count: int = 0) -> MakeSituation:
    """Return the situation of a game from its beginning, with the player under test in a seat."""
    return lambda rng: Situation(settings, player_count, seat, None, turn_count)


def leaving(made: MakeSituation, *seats: int) -> MakeSituation:
    """Return a situation that rivals leave once the player under test has made a decision."""
    return lambda rng: made(rng)._replace(leaving=seats)


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


class Wrong(NamedTuple):
    """A wrong answer, without its name and sentence."""

    method: str
    rule: str
    """Empty: it is an infraction."""
    mutate: Mutate
    cases: Sequence[str]
    only: Callable[[Any], bool] | None = None
    """Request -> whether the mistake is made there; None: it is made everywhere."""


@dataclass(frozen=True)
class Breaking(Generic[View, Action]):
    """What returns wrong answers to a method: each makes one of the moves found for it that break the rule."""

    game: str
    method: str
    read: Callable[[Any, Any], View]
    """(request, sound reply) -> what the player sees."""
    violation: Callable[[View, Action], str | None]
    """What the player sees, and a move -> the rule that the move breaks; None: it is legal."""
    build: Callable[[Action], Message]
    """Move -> the reply."""
    infraction: bool = False
    """Whether the referee does not eliminate for it."""

    def __call__(
        self,
        rule: str,
        find: Callable[[View], Iterable[Action]],
        cases: Sequence[str],
        only: Callable[[Any], bool] | None = None,
    ) -> Wrong:
        """Return the wrong answer that is one of the moves found in what the player sees, if it breaks the rule."""

        def mutate(request: Any, reply: Any, rng: Random) -> Message | None:
            view, broken = self.read(request, reply), full_id(self.game, rule)
            chosen = choose(([move] for move in find(view) if self.violation(view, move) == broken), rng)
            return None if chosen is None else self.build(*chosen)

        return Wrong(self.method, "" if self.infraction else rule, mutate, cases, only)


def where(
    condition: Callable[[View], bool], find: Callable[[View], Iterable[Action]]
) -> Callable[[View], Iterable[Action]]:
    """Return what finds the same moves, but only where what the player sees fulfils a condition."""
    return lambda view: find(view) if condition(view) else ()


def build_mutations(game: str, wrong: Mapping[str, Wrong]) -> tuple[Mutation, ...]:
    """Return the mutations of a game from a table: "name: Sentence." -> the wrong answer.

    Ids of rules and probes stand in it without the name of the game, with which they begin.
    """
    return tuple([_build_mutation(game, key, each) for key, each in wrong.items()])


def _build_mutation(game: str, key: str, wrong: Wrong) -> Mutation:
    def confined(request: Any, reply: Any, rng: Random) -> Any:
        return wrong.mutate(request, reply, rng) if wrong.only is None or wrong.only(request) else None

    (name, _, sentence), rule = key.partition(": "), wrong.rule and full_id(game, wrong.rule)
    return Mutation(name, sentence, wrong.method, rule, tuple([full_id(game, case) for case in wrong.cases]), confined)


def pick_mutations(mutations: Iterable[Mutation], names: Mapping[str, str]) -> dict[str, Mutation]:
    """Return mutations under other names, given as other name -> name."""
    found = {each.name: each for each in mutations}
    return {other: found[name] for other, name in names.items()}


def full_id(game: str, name: str) -> str:
    """Return the id of a rule or a probe, or one of the suite's own cases as it is."""
    return name if name.startswith("rules.") else f"{game}.{name}"


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


def replying(reply: Message) -> Mutate:
    """Return what answers always the same."""
    return lambda request, sound, rng: reply


def changing(path: str, value: object) -> Mutate:
    """Return what changes the field at a path of sound replies."""
    return lambda request, sound, rng: with_field(sound, path, value)


def without(path: str) -> Mutate:
    """Return what leaves out the field at a path of sound replies, where they have it."""
    return changing(path, None)


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
