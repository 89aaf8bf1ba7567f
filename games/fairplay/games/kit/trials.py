"""What the probes and faults of the games are made with, and how one of them is tried in this process.

A game has two rooms for the conformance suite. Both are plain tuples of declarations, and read like lists.

*probes.py* names situations that players get wrong. A situation's state is made by the game's own rules and codec:
drawn by hand in the game's own notation, or reached by random play with `played` and `sought`, which take the game's
module of rules as it is. Whatever is random comes from the `rng` that a probe is given, so that the same seed gives the
same game. A probe must reach the tested seat whatever the others do.

*faults.py* spoils sound replies. A fault of a message's form is one line with `put` or `without`; a fault of play makes
wrong actions from what the request shows, keeps those that break the very rule it names, and lets `any_of` choose one.
What makes these actions stands in *slips.py*, beside the special situations. It must be quick, in large states as well.
`only_if` confines either to special situations. Each fault names the cases that catch it: ids of probes of its game, or
`DRAWN_STATES` and `whole_game(...)`, which it asks of every game.

`tried` plays a situation to where the suite would leave it, and `spoiled` is a player with a fault: with these two a
game's tests show that every probe is passed by sound players, and that every fault is caught by the cases it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from random import Random
from typing import Any as Untyped
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

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

DRAWN_STATES = "rules.drawn-states"
"""The suite's own case of states drawn at random."""

State = TypeVar("State")
Action = TypeVar("Action")
Thing = TypeVar("Thing")
Spoil: TypeAlias = Callable[[Untyped, Untyped, Random], Untyped]
Answer: TypeAlias = Callable[[Call], Untyped]
"""A player: the reply to a call, or a Failure."""

_MOST_GAMES = 10_000
_MOST_CHOICES = 60


# The suite's own cases


def whole_game(seat: int, player_count: int) -> str:
    """The id of the suite's case of a whole game from a seat, counted from 0."""
    return f"rules.whole-game.seat-{seat}-of-{player_count}"


WHOLE_GAME = whole_game(0, 2)
"""The plainest one."""


# States


class Rules(Protocol[State, Action]):
    """A game's module of rules, as far as random play needs it."""

    def turn(self, state: State, /) -> int | None:
        """The seat to decide next; None: the game is over."""

    def legal(self, state: State, /) -> Sequence[Action]:
        """What it may do, at least one thing."""

    def apply(self, state: State, action: Action, /) -> State:
        """The state after that."""


def played(rules: Rules[State, Action], state: State, rng: Random, count: int) -> State:
    """The state after so many random actions, or fewer if the game is over before."""
    for _ in range(count):
        if rules.turn(state) is None:
            break
        state = rules.apply(state, rng.choice(rules.legal(state)))
    return state


def sought(
    rules: Rules[State, Action], start: Callable[[], State], rng: Random, wanted: Callable[[State], bool]
) -> State:
    """The first state of random games, each from a new `start()`, that is as wanted. LookupError: none came up."""
    for _ in range(_MOST_GAMES):
        state = start()
        while rules.turn(state) is not None:
            if wanted(state):
                return state
            state = played(rules, state, rng, 1)
    raise LookupError(f"no such state in {_MOST_GAMES} random games")


# Wrong replies


def any_of(wrong: Iterable[Thing], luck: Random) -> Thing | None:
    """One of these, or None where there are none: what a fault of play answers. Of very many, one of the first."""
    choices = list(islice(wrong, _MOST_CHOICES))
    return luck.choice(choices) if choices else None


def put(path: str, value: object) -> Spoil:
    """Replies with one part changed, e.g. put("action.target", 25) or put("cards.0.pebbles", [5]).

    A number in a path is the place in a list. There is no room where a part on the way is missing.
    """
    return lambda request, reply, luck: _changed(reply, path, value)


def without(path: str) -> Spoil:
    """Replies with one part left out. There is no room where it is missing anyway."""
    return lambda request, reply, luck: _changed(reply, path, None)


def only_if(room: Callable[[Untyped], bool] | None, spoil: Spoil) -> Spoil:
    """The same fault, but only where the request is so: for mistakes that show in special situations alone."""
    if room is None:
        return spoil
    return lambda request, reply, luck: spoil(request, reply, luck) if room(request) else None


def _changed(reply: Message, path: str, value: object) -> Message | None:
    """A copy with another value at the path, or none there at all (None); None: there is no such path."""
    changed = type(reply)()
    changed.CopyFrom(reply)
    *way, name = path.split(".")
    part: Untyped = changed
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


def _part(whole: Untyped, step: str) -> Untyped:
    if step.isdecimal():
        return whole[int(step)] if int(step) < len(whole) else None
    return getattr(whole, step) if _present(whole, step) else None


def _present(message: Message, name: str) -> bool:
    return any(field.name == name for field, _ in message.ListFields())


# Trying them


class Trial(NamedTuple):
    """How it went for the tested player of a situation."""

    decisions: int
    """How many it was asked for."""
    notifications: int
    """How often it was called beside that."""
    cause: Cause | None
    """What it was blamed for; None: for nothing."""


def tried(
    game: Game, situation: Situation, tested: Answer, others: Answer, rng: Random, level: Level = Level.MUST
) -> Trial:
    """Plays a situation as the suite does: until the tested player has made its decisions, is out, or the game is over.

    Slips of the `level` and graver ones count as misconduct. ValueError: the game does not accept the situation.
    """
    names = [f"player{seat}" for seat in range(situation.player_count)]
    watch = _Watch(situation.seat, situation.turn_count)

    def answer(call: Call) -> Untyped:
        if call.seat != situation.seat:
            return others(call)
        watch.count(call)
        reply = tested(call)
        infraction = find_conformance(game.name).find_infraction(situation.settings, call, reply)
        if infraction is not None and infraction.counts(level):
            watch.cause = watch.cause or cause_of(game, infraction, reply)
        return reply

    drive(watch.watched(game.play("trial", situation.settings, names, rng, situation.state)), answer)
    return Trial(watch.decisions, watch.notifications, watch.cause)


def cause_of(game: Game, infraction: Infraction, answer: Untyped) -> Cause:
    """Return the cause of a misconduct that an infraction would be if it eliminated its player."""
    if isinstance(answer, FAILURES):
        return answer
    return build_rule_break(game.rules, infraction.rule, infraction.given)


def spoiled(answer: Answer, fault: Mutation, luck: Random) -> Answer:
    """The player with a fault: it answers wrongly wherever there is room for it."""

    def wrong(call: Call) -> Untyped:
        reply = answer(call)
        if call.method.name != fault.method:
            return reply
        worse = fault.mutate(call.request, reply, luck)
        return reply if worse is None else worse

    return wrong


class _Watch:
    """Watches one seat of a conversation, and ends it when there is nothing more to see."""

    def __init__(self, seat: int, turn_count: int) -> None:
        self._seat = seat
        self._turn_count = turn_count
        self.decisions = 0
        self.notifications = 0
        self.cause: Cause | None = None

    def count(self, call: Call) -> None:
        """A call to the seat."""
        if call.kind is CallKind.NOTIFICATION:
            self.notifications += 1
        else:
            self.decisions += 1

    def watched(self, conversation: Conversation) -> Conversation:
        """The conversation, as long as it goes on and there is something to see."""
        step = _next_step(conversation, None)
        while step is not None and not self._done(step):
            step = _next_step(conversation, (yield self._tested_first(step)))
        return Outcome(())

    def _tested_first(self, step: Step) -> Step:
        """In races the others let the tested player go first."""
        if not isinstance(step, Race):
            return step
        return step._replace(calls=sorted(step.calls, key=lambda call: call.seat != self._seat))

    def _done(self, step: Step) -> bool:
        """Also of the last decision the next step shows whether it was accepted."""
        if self.cause is not None:
            return True
        if isinstance(step, Eliminate) and step.seat == self._seat:
            self.cause = step.cause
            return True
        return 0 < self._turn_count <= self.decisions


def _next_step(conversation: Conversation, sent: Untyped) -> Step | None:
    try:
        return conversation.send(sent)
    except StopIteration:
        return None
