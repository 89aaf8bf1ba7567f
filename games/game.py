"""What a game supplies, and the steps in which its conversation speaks to whoever drives it.

A conversation is a generator. It yields steps and is sent their answers; it never awaits and knows no socket, clock
or thread. The referee, replays, simulations and the conformance suite drive the same generators.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from enum import Enum, StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from random import Random
from types import MappingProxyType
from typing import Any as Untyped
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message

from fairplay.v1.game_pb2 import GameSettings, GameState, TimeControl
from fairplay.v1.misconduct_pb2 import CallError, Overrun, RuleBreak
from fairplay.v1.tournament_pb2 import SignUpPolicy

ENTRY_POINTS = "fairplay.games"
MAX_LEGAL_REPLIES = 100


class Method(NamedTuple):
    """One method of a player's service.

    `path` is the full gRPC name with a leading slash, e.g. "/fairplay.fish.v1.FishPlayerService/TakeTurn".
    """

    path: str
    request: type[Message]
    response: type[Message]

    @property
    def name(self) -> str:
        """The last part of the path, e.g. "TakeTurn"."""
        return self.path.rpartition("/")[2]


class Clock(Enum):
    """Which limit of the time control holds for a call."""

    NOTIFICATION = "notification"
    DECISION = "decision"
    FIRST_DECISION = "first decision"


class Call(NamedTuple):
    """Ask one player. Answered with a message of `method.response`, or with a Failure."""

    seat: int
    method: Method
    request: Untyped  # a message of method.request
    clock: Clock
    limit_s: float | None = None  # set by the rules of the game, in the place of what the time control says


class CallAll(NamedTuple):
    """Ask several players at once, each at most once. Answered with a dict from seat to message or Failure."""

    calls: Sequence[Call]


class Race(NamedTuple):
    """Exactly these calls are to be open, at most one to a seat. Answered with a list of Arrival as soon as one comes.

    A call that was in the race before (the very same object) stays open; one that is missing now is cancelled, and
    nobody hears what becomes of it. Arrivals are in the order in which they count. Those that came in the same
    moment, so that nobody can say which was first, come together, in an order drawn by lot.
    """

    calls: Sequence[Call]
    hold_s: float = 0.0
    """What arrives in this time from now on counts as arrived in the same moment, at its end."""
    handicap_s: Mapping[int, float] = MappingProxyType({})
    """Seat -> how much later than it comes its arrival counts."""


class Arrival(NamedTuple):
    """A call of a race was answered or failed, `elapsed_s` seconds (whole nanoseconds) after it was made."""

    seat: int
    answer: Untyped  # a message of method.response, or a Failure
    elapsed_s: float


class Eliminate(NamedTuple):
    """A player is out, because of its reply to the last call to it or because that call failed. Answered with None."""

    seat: int
    cause: Cause


class Show(NamedTuple):
    """The state of the game is now this one. Answered with None."""

    state: Untyped  # whatever the game itself takes for one


class Outcome(NamedTuple):
    """What a conversation returns: groups of (seat, score), best first. Eliminated seats are in no group."""

    ranking: Sequence[Sequence[tuple[int, int]]]


Failure: TypeAlias = CallError | Overrun
FAILURES = (CallError, Overrun)
"""The types of Failure, for isinstance: a tuple is several times cheaper than a union that is made for each call."""
Cause: TypeAlias = RuleBreak | CallError | Overrun
Step: TypeAlias = Call | CallAll | Race | Eliminate | Show
Conversation: TypeAlias = Generator[Step, Untyped, Outcome]


class Level(StrEnum):
    """What it means for a certificate that a player does not do what a case asks."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"


class Situation(NamedTuple):
    """Where a probe begins: a game, and the seat in which the tested player sits. Reference players have the others."""

    settings: Message
    """As `Game.settings_type`."""
    player_count: int
    seat: int
    state: Message | None = None
    """As `Game.state_type`, hidden things included; None: a fresh game."""
    turn_count: int = 1
    """The game goes on until the tested player has made so many decisions; 0: until it is over."""


class Probe(NamedTuple):
    """One thing that players of a game get wrong, and the situation that shows it."""

    id: str
    """Stable, "<game>.<topic>.<what>", e.g. "fish.turn.single-legal-move"."""
    rules: tuple[str, ...]
    """The ids of the rules that it checks."""
    why: str
    """One sentence: why it matters, or what players get wrong here."""
    situation: Callable[[Random], Situation]
    level: Level = Level.MUST


class Slip(NamedTuple):
    """What is wrong with an answer that its player is forgiven: it costs points, or the player is asked again."""

    rule: str
    """The id of the rule that it breaks."""
    given: str
    """What was answered, for people."""
    level: Level
    """What it means for a certificate."""

    def counts(self, level: Level) -> bool:
        """Whether it matters where slips of this level, and graver ones, do."""
        order = list(Level)
        return order.index(self.level) <= order.index(level)


class Fault(NamedTuple):
    """One way of answering wrongly, for players that test the suite and the referee."""

    name: str
    """e.g. "moves-over-hole"."""
    sentence: str
    """What such a player does, in the third person."""
    method: str
    """The method with the wrong reply, e.g. "TakeTurn"."""
    rule: str
    """The id of the rule that the referee names when it refuses the reply. Empty: it costs points and no more."""
    cases: tuple[str, ...]
    """The ids of the conformance cases that name this fault: each of them fails."""
    spoil: Callable[[Untyped, Untyped, Random], Untyped]
    """(request, sound reply, luck) -> the wrong reply, or None where this request leaves no room for the fault."""


class Broken(Exception):  # noqa: N818 - a verdict on a player's reply, not an error of ours
    """A reply breaks a rule. Raised by codecs for malformed replies, caught by conversations."""

    def __init__(self, rule_id: str, given: str) -> None:
        super().__init__(rule_id, given)
        self.rule_id = rule_id
        self.given = given


class Game(Protocol):
    """What a game supplies. Built-in games and others register an instance under the entry point "fairplay.games"."""

    name: str
    """The name in commands and requests, e.g. "fish"."""
    title: str
    """The name for people, e.g. "Fish"."""
    service: str
    """The full name of the player's service."""
    methods: Sequence[Method]
    """The methods of that service, in the order of a game."""
    turn: Method
    """The one of them in which a player decides what to do in its turn; an empty reply to it is malformed."""
    seats: range
    """How many players a game may have."""
    rules: Mapping[str, str]
    """Rule id -> one sentence."""
    strategies: Mapping[str, str]
    """Name of each reference strategy -> one sentence."""
    settings_type: type[Message]
    state_type: type[Message]
    time_control: TimeControl
    """The limits where nobody names others."""
    sign_up: SignUpPolicy
    """The sign-up policy where nobody names another."""
    showcase: Message
    """Settings under which a game is short and worth watching, for demonstrations."""

    def full_settings(self, settings: Message) -> Message:
        """The same settings with every default filled in. ValueError: a value is not allowed; one sentence."""

    def check_state(self, settings: Message, state: Message) -> int:
        """The number of players of a full state. ValueError: the invariant that it breaks; one sentence."""

    def play(
        self, game_id: str, settings: Message, players: Sequence[str], rng: Random, state: Message | None
    ) -> Conversation:
        """A conversation between `players` (in turn order). ValueError: the settings do not fit the players."""

    def full_state(self, state: object) -> Message:
        """All of a shown state, hidden things included, as `state_type`; `play` goes on from it."""

    def public_state(self, state: object) -> Message:
        """What a spectator may see of a shown state, as `state_type`."""

    def player(self, strategy: str) -> object:
        """A reference player with one method for each of `methods`. ValueError: no such strategy."""

    def svg(self, state: Message, players: Sequence[str]) -> str:
        """A picture of a state, full or public, as one SVG document."""

    def text(self, state: Message, players: Sequence[str]) -> str:
        """A picture of a state for a terminal, in rich's console markup."""

    def probes(self) -> Sequence[Probe]:
        """What the conformance suite asks about this game, beside what it asks about every game."""

    def faults(self) -> Sequence[Fault]:
        """Wrong answers to each method that breaks a rule of this game."""


@runtime_checkable
class Forgiving(Protocol):
    """What a game supplies, too, if wrong answers need not be misconduct in it: the conformance suite minds them."""

    def slip(self, settings: Message, call: Call, answer: Untyped) -> Slip | None:
        """What is wrong with the answer to a call, for which nobody is eliminated; None: nothing is."""


def slipped(game: Game, settings: Message, call: Call, answer: Untyped) -> Slip | None:
    """What is wrong with an answer that its player is forgiven; None: nothing is, or the game forgives nothing."""
    return game.slip(settings, call, answer) if isinstance(game, Forgiving) else None


def blame(game: Game, slip: Slip, answer: Untyped) -> Cause:
    """What a slip is where nothing is forgiven."""
    return answer if isinstance(answer, FAILURES) else broken(game.rules, slip.rule, slip.given)


def broken(rules: Mapping[str, str], rule_id: str, given: str, legal: Iterable[Message] = ()) -> RuleBreak:
    """The evidence that a reply breaks a rule: its sentence, what was given, and the replies that would have done."""
    replies = list(legal)
    packed = [pack(reply) for reply in replies[:MAX_LEGAL_REPLIES]]
    return RuleBreak(
        rule_id=rule_id,
        explanation=f"{rules[rule_id]} Given: {given}.",
        legal_replies=packed,
        legal_reply_count=len(replies),
    )


def pack(message: Message) -> Any:
    """The message as google.protobuf.Any."""
    packed = Any()
    packed.Pack(message, deterministic=True)
    return packed


def methods(service: str, pairs: Mapping[str, tuple[type[Message], type[Message]]]) -> dict[str, Method]:
    """Method name -> Method, from the service's full name and the types of each method's request and response."""
    return {name: Method(f"/{service}/{name}", *types) for name, types in pairs.items()}


def first_sentences(documented: Mapping[str, object]) -> dict[str, str]:
    """Name -> first line of the docstring, for lists that people read."""
    return {name: (thing.__doc__ or "").partition("\n")[0] for name, thing in documented.items()}


@cache
def registered() -> Mapping[str, EntryPoint]:
    """The installed games by name, not loaded yet."""
    return {entry.name: entry for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name)}


@cache
def find(name: str) -> Game:
    """The game of this name. ValueError: there is none; the sentence lists those there are."""
    if name not in registered():
        raise ValueError(f"there is no game {name!r}; the games are {', '.join(registered())}")
    game: Game = registered()[name].load()
    return game


def wrap(envelope: type[GameSettings] | type[GameState], game: Game, message: Message) -> Untyped:
    """A game's settings or state in the message that holds those of any game."""
    if game.name in envelope.DESCRIPTOR.fields_by_name:
        return envelope(**{game.name: message})  # type: ignore[arg-type]  # the arm is known by name only
    return envelope(other=pack(message))


def unwrap(envelope: GameSettings | GameState, game: Game, kind: type[Message]) -> Message | None:
    """The message of `kind` in the envelope, or None where it is empty. ValueError: it is another game's."""
    arm = envelope.WhichOneof("game")
    if arm is None:
        return None
    held = getattr(envelope, arm)
    if arm == "other":
        message = kind()
        if not held.Unpack(message):
            raise ValueError(f"expected {kind.DESCRIPTOR.full_name}, got {held.TypeName()}")
        return message
    if not isinstance(held, kind):
        raise ValueError(f"expected {kind.DESCRIPTOR.full_name} of the game {game.name}, got that of {arm}")
    return held


def calls_of(step: Step) -> Sequence[Call]:
    """The calls that a step asks for; none where it only tells."""
    if isinstance(step, Call):
        return (step,)
    return step.calls if isinstance(step, CallAll | Race) else ()


def answered(step: Step, answer: Callable[[Call], Untyped]) -> Untyped:
    """What a conversation is sent for a step, with `answer` in the place of the players: all answer at once."""
    if isinstance(step, Call):
        return answer(step)
    if isinstance(step, CallAll):
        return {call.seat: answer(call) for call in step.calls}
    if isinstance(step, Race):
        return [Arrival(call.seat, answer(call), 0.0) for call in step.calls]
    return None


def drive(conversation: Conversation, answer: Callable[[Call], Untyped]) -> Outcome:
    """Drives a conversation to its end in this thread, with `answer` in the place of the players.

    For simulations, tests and anyone who wants a whole game without a server.
    """
    sent: Untyped = None
    while True:
        try:
            step = conversation.send(sent)
        except StopIteration as stop:
            outcome: Outcome = stop.value
            return outcome
        sent = answered(step, answer)
