"""What the probes and mutations of the games are made with, and how one of them is tried in this process.

*probes.py* of a game names situations that players get wrong. The state of a situation is made by the game's own rules
and codec: drawn in the game's own notation, or reached by random play with `play_randomly` and `find_state`, which take
the game's rules as they are. All randomness comes from the `rng` that a probe is given, so that the same seed gives the
same game. A probe must reach the player under test whatever the others do.

*mutations.py* of a game replaces sound replies by wrong ones. Each mutation is a decorated function: its name is the id
and its docstring the sentence. `with_field` and `without_field` change the form of a reply. A wrong move is made from
what the request shows; `choose` takes one of many. It must be quick in large states as well. A mutation names the cases
that catch it: ids of probes of its game, or `DRAWN_STATES` and `whole_game(...)`, which the suite asks of every game.

`play_situation` plays a situation to where the suite would leave it, and `mutate_answers` makes a mutant. With both,
the tests of a game show that sound players pass every probe, and that the cases of a mutation catch it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from google.protobuf.message import Message

from fairplay.games.conformance import Infraction, Level, Mutation, Situation, find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.judging import build_rule_break
from fairplay.games.steps import (
    FAILURES,
    Call,
    CallKind,
    Cause,
    Conversation,
    Eliminate,
    Outcome,
    Race,
    Step,
    drive,
)
from fairplay.v1.misconduct_pb2 import Overrun

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


# Trying them


class SituationResult(NamedTuple):
    """How a situation ended for the player under test."""

    decisions: int
    """How many decisions it was asked for."""
    notifications: int
    """How many other calls it got."""
    cause: Cause | None
    """Why it was eliminated; None: it was not."""


def play_situation(
    game: Game, situation: Situation, player: Answer, others: Answer, rng: Random, level: Level = Level.MUST
) -> SituationResult:
    """Play a situation as the suite does: until the player under test has decided, is out, or the game is over.

    Infractions of the `level` and graver ones count as misconduct. Raises ValueError if the game does not accept the
    situation.
    """
    names = [f"player{seat}" for seat in range(situation.player_count)]
    watch = _Watch(situation.seat, situation.turn_count, situation.first_call)
    find_infraction = find_conformance(game.name).find_infraction

    def answer(call: Call) -> Any:
        if call.seat != situation.seat or not watch.has_begun(call):
            return Overrun() if call.method.name == situation.rivals_late_in else others(call)
        watch.count(call)
        reply = player(call)
        infraction = find_infraction(situation.settings, call, reply)
        if infraction is not None and infraction.counts(level):
            watch.cause = watch.cause or cause_of(game, infraction, reply)
        return reply

    drive(watch.watched(game.play("trial", situation.settings, names, rng, situation.state)), answer)
    return SituationResult(watch.decisions, watch.notifications, watch.cause)


def cause_of(game: Game, infraction: Infraction, answer: Any) -> Cause:
    """Return the cause of the misconduct that an infraction would be if it eliminated its player."""
    if isinstance(answer, FAILURES):
        return answer
    return build_rule_break(game.rules, infraction.rule, infraction.given)


def mutate_answers(answer: Answer, mutation: Mutation, rng: Random) -> Answer:
    """Return a mutant: it answers wrongly wherever there is room for the mutation."""

    def wrong(call: Call) -> Any:
        reply = answer(call)
        if call.method.name != mutation.method:
            return reply
        worse = mutation.mutate(call.request, reply, rng)
        return reply if worse is None else worse

    return wrong


class _Watch:
    """Watch one seat of a conversation, and end the conversation when there is nothing more to see."""

    def __init__(self, seat: int, turn_count: int, first_call: tuple[str, int] | None) -> None:
        self._seat = seat
        self._turn_count = turn_count
        self._method, self._calls_left = first_call or ("", 0)
        self.decisions = 0
        self.notifications = 0
        self.cause: Cause | None = None

    def has_begun(self, call: Call) -> bool:
        """Return whether the player under test gets this call to its seat, and not somebody in its place."""
        self._calls_left -= call.method.name == self._method
        return self._calls_left <= 0

    def count(self, call: Call) -> None:
        """Count a call to the seat."""
        if call.kind is CallKind.NOTIFICATION:
            self.notifications += 1
        else:
            self.decisions += 1

    def watched(self, conversation: Conversation) -> Conversation:
        """Return the conversation, cut off where there is nothing more to see."""
        step = _next_step(conversation, None)
        while step is not None and not self._done(step):
            step = _next_step(conversation, (yield self._with_seat_first(step)))
        return Outcome(())

    def _with_seat_first(self, step: Step) -> Step:
        """Return a step in which the player under test comes first in a race."""
        if not isinstance(step, Race):
            return step
        return step._replace(calls=sorted(step.calls, key=lambda call: call.seat != self._seat))

    def _done(self, step: Step) -> bool:
        """Return whether there is nothing more to see: the step after the last decision shows if that was accepted."""
        if self.cause is not None:
            return True
        if isinstance(step, Eliminate) and step.seat == self._seat:
            self.cause = step.cause
            return True
        return 0 < self._turn_count <= self.decisions


def _next_step(conversation: Conversation, sent: Any) -> Step | None:
    try:
        return conversation.send(sent)
    except StopIteration:
        return None
