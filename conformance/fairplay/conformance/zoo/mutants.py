"""The declaration of a mutant: where its defect shows, and what it does then in place of a sound answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass
from enum import Enum, StrEnum
from random import Random
from typing import Any, NamedTuple

import grpc

from fairplay.conformance.zoo.player import Act, Environment, GameMemory, MutantPlayer, ReceivedCall, Trigger
from fairplay.games.conformance import Mutation
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.dialing import refuses as refuses_for_good
from fairplay.player.handlers import describe
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import MAX_REPLY_BYTES
from fairplay.v1.connection_pb2 import Call, DialInResponse
from fairplay.v1.player_pb2 import DescribeResponse, PlayerDescription

SOMETHING_ELSE = b"\xfa\x01\x05hello"
"""A message with nothing but a text in field 31."""
BALLAST_BYTES = 5 * 1024 * 1024 // 2
BALLAST_COUNT = 300
TOO_LATE = 1.25
"""A late answer takes this many times its limit."""


class Symptom(StrEnum):
    """What a referee finds where a mutation shows."""

    RULE = "breaks a rule"
    STATUS = "fails"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    GONE = "disconnected"
    TIMEOUT = "too late"
    NOTHING = "nothing"
    """The game goes on: the mutation does not concern the referee, or was lucky."""


class Effect(NamedTuple):
    """What a mutant does, and what a referee may find."""

    act: Act
    symptoms: frozenset[Symptom]


def _effect(act: Act, *symptoms: Symptom) -> Effect:
    return Effect(act, frozenset(symptoms))


class BrokenPlayerError(Exception):
    """Raised by mutants whose effect is an exception."""


def _raise(_: MutantPlayer, call: ReceivedCall) -> Any:
    raise BrokenPlayerError(f"this player is broken: it raises in call {call.number} of {call.method.name}")


def _hang(player: MutantPlayer, call: ReceivedCall) -> Any:
    player.wait()
    return call.method.response()


def _die(player: MutantPlayer, call: ReceivedCall) -> Any:
    player.environment.die()


def _longest(game: GameMemory | None, method: Method) -> Any:
    """Return the longest answer to a method in a game, or None if there is none."""
    answers = [] if game is None else [answer for (name, _), answer in game.answers.items() if name == method.name]
    return max(answers, key=lambda answer: answer.ByteSize(), default=None)


def adds(make: Callable[[], object], at_most: float = math.inf) -> Effect:
    """Return the effect of a sound answer after which the player keeps something more, but not more than so many."""

    def act(_: MutantPlayer, call: ReceivedCall) -> None:
        if len(call.memory.ballast) < at_most:
            call.memory.ballast.append(make())

    return _effect(act, Symptom.NOTHING)


RAISES = _effect(_raise, Symptom.STATUS)
HANGS = _effect(_hang, Symptom.TIMEOUT)
DIES = _effect(_die, Symptom.GONE)
SAYS_NOTHING = _effect(lambda _, call: call.method.response(), Symptom.RULE)
SAYS_SOMETHING_ELSE = _effect(lambda _, call: call.method.response.FromString(SOMETHING_ELSE), Symptom.RULE)
IS_UNREADABLE = _effect(lambda *_: b"\xff\xff", Symptom.UNREADABLE)
SAYS_TOO_MUCH = _effect(lambda *_: bytes(MAX_REPLY_BYTES + 1), Symptom.TOO_LARGE)
GROWS = adds(lambda: b"x" * BALLAST_BYTES, BALLAST_COUNT)


def repeats(find: Callable[[ReceivedCall], GameMemory | None]) -> Effect:
    """Return the effect of the longest answer that was given in another game."""
    return _effect(lambda _, call: _longest(find(call), call.method), Symptom.RULE, Symptom.NOTHING)


def adds_to_answer(data: bytes) -> Effect:
    """Return the effect of a sound answer with more behind it."""
    return _effect(lambda _, call: call.sound().SerializeToString() + data, Symptom.NOTHING)


REPEATS_THE_LAST_GAME = repeats(lambda call: call.previous_game)
REPEATS_THE_OTHER_GAME = repeats(lambda call: call.other_game)


def late(limit_s: Callable[[Environment], float], share: float = TOO_LATE) -> Effect:
    """Return the effect of a sound answer after a share of a limit, which may be shorter than the limit of the call."""

    def act(player: MutantPlayer, call: ReceivedCall) -> Any:
        answer = call.sound()
        player.wait(share * limit_s(player.environment))
        return answer

    return _effect(act, Symptom.TIMEOUT, Symptom.NOTHING)


def waits(seconds: Callable[[ReceivedCall], float], *symptoms: Symptom) -> Effect:
    """Return the effect of a sound answer after so many seconds."""

    def act(player: MutantPlayer, call: ReceivedCall) -> None:
        player.wait(seconds(call))

    return _effect(act, *symptoms, Symptom.NOTHING)


def waits_meanwhile(meanwhile_s: float, seconds: Callable[[ReceivedCall], float]) -> Effect:
    """Return the effect of a sound answer after some seconds, and as many more as follow from what has come by then."""

    def act(player: MutantPlayer, call: ReceivedCall) -> None:
        player.wait(meanwhile_s)
        player.wait(seconds(call))

    return _effect(act, Symptom.NOTHING)


def raises_if_one_begins(meanwhile_s: float) -> Effect:
    """Return the effect of an answer after some seconds, or an exception if another game has begun meanwhile."""

    def act(player: MutantPlayer, call: ReceivedCall) -> None:
        before = len(call.memory.games)
        player.wait(meanwhile_s)
        if len(call.memory.games) > before:
            raise BrokenPlayerError("this player is broken: its games are others than they were")

    return _effect(act, Symptom.STATUS, Symptom.NOTHING)


def describes(change: Callable[[PlayerDescription], object]) -> Effect:
    """Return the effect of a changed description of the player."""

    def act(player: MutantPlayer, call: ReceivedCall) -> Any:
        description = describe(player)
        change(description)
        return DescribeResponse(description=description)

    return _effect(act, Symptom.NOTHING)


def mutates(mutation: Mutation) -> Effect:
    """Return the effect of a game's mutation: wrong answers wherever there is room for it."""

    def act(player: MutantPlayer, call: ReceivedCall) -> Any:
        return mutation.mutate(call.request, call.sound(), player.rng)

    return _effect(act, Symptom.RULE if mutation.rule else Symptom.NOTHING)


class Start(Enum):
    """How a program starts."""

    WELL = "serves or dials in"
    EXITS = "ends at once"
    SLEEPS = "neither serves nor dials in"
    ALONE = "neither serves nor dials in while another process of it runs"
    IN_TURN = "loads something while no other process of it does, and then serves or dials in"
    FIRST = "ends at once while another process of it loads something"
    NOT_IPV6 = "ends where the address of the server is one of IPv6"
    NO_NAMES = "ends where the address of the server has a name"
    ONE_HOST = "serves on one host, whatever it is told"


class Others(Enum):
    """What comes of a connection to a program while there is another one."""

    SERVED = "it is served as well"
    WAIT = "it waits until the other one has ended"
    CLOSED = "it is closed at once"
    COUNTED = "it is served as well, up to a number of connections that were ever made"


class InvalidRequests(Enum):
    """How a program reacts to unreadable requests and to unknown methods."""

    REFUSES = "answers with an error"
    ANSWERS = "answers as if all were well"
    DIES = "ends"


def says_the_same(said: PlayerDescription) -> None:
    """Change nothing in what a hello says."""


def refuses_none(call: Call, open_count: int) -> bool:
    """Refuse no call of a stream."""
    return False


def stands_all(frame: DialInResponse, answered: Set[int]) -> bool:
    """End because of no frame of a stream."""
    return False


def drops_none(open_calls: Sequence[int]) -> Sequence[int]:
    """Answer all calls."""
    return ()


def nothing() -> None:
    """Do nothing."""


def knows_all(agent: str) -> bool:
    """Answer whatever has written the caller."""
    return True


def shows_it(method: str, shown: str, secret: str) -> bool:
    """Answer calls that show the secret of the program."""
    return shown == secret


def never_returns(methods: Collection[str]) -> bool:
    """End when another program has taken the name over."""
    return False


def read_limit(call: Call) -> float:
    """Return the limit of a call, in seconds."""
    return seconds(call.time_limit) or math.inf


@dataclass(frozen=True, slots=True)
class ProgramBehaviour:
    """How a program behaves. The defaults are those of a sound one."""

    start: Start = Start.WELL
    invalid_requests: InvalidRequests = InvalidRequests.REFUSES
    only_served: bool = False
    """Whether the mutation shows only when the program serves, and not when it dials in."""
    waits_for_headers: bool = False
    """Whether the program says hello only when the server has sent headers, which comes after the hello."""
    replies_with_hello: bool = False
    """Whether the frame of the hello has a reply, too."""
    reply_count: int = 1
    """How often the program sends each reply on its stream."""
    comes_back: bool = True
    """Whether the program dials in again after a server that shuts down has said goodbye."""
    expects_restarts: bool = False
    """Whether the program takes each goodbye for that of a server that shuts down once one of them was."""
    misses_goodbyes: bool = False
    """Whether the program reads no goodbye in a frame in which something else is, too."""
    stays: bool = False
    """Whether the program goes on after a goodbye for good, and does nothing."""
    stays_after_errors: bool = False
    """Whether it does so if a stream of it has ended with an error."""
    returns_when_replaced: Callable[[Collection[str]], bool] = never_returns
    """Names of methods called on its stream -> whether it dials in again after another program has taken its name over.
    """
    limit_s: Callable[[Call], float] = read_limit
    """Call -> the limit that the program reads in it, in seconds."""
    forgets_its_token: bool = False
    """Whether the program shows its token only when it dials in for the first time."""
    keeps_replies: bool = False
    """Whether the program sends replies for which its stream was lost too early in the frame of its next hello."""
    repeats_hello: bool = False
    """Whether the program sends its hello twice on each stream but the first."""
    ends_at: Callable[[grpc.aio.AioRpcError], bool] = refuses_for_good
    """Whether the program takes the end of its stream for a refusal for good."""
    insists_at_first: bool = False
    """Whether the program sends its hello again until it is admitted for the first time, whatever it is refused with.
    """
    insists: int = 0
    """How often the program sends a hello again that was refused for good."""
    hello_version: str = ""
    """The version that the program says when it dials in; empty: the one that it answers to Describe."""
    changes_hello: Callable[[PlayerDescription], object] = says_the_same
    """What the program changes in what it says about itself when it dials in again."""
    dies_when_cancelled: bool = False
    """Whether the program ends when one of its calls is cancelled."""
    refuses: Callable[[Call, int], bool] = refuses_none
    """(call, number of calls that are open beside it) -> whether the program treats it as one that it cannot read."""
    one_call_a_frame: bool = False
    """Whether the program answers only the first call of each frame."""
    dies_when_cancelled_in: str = ""
    """The program ends when a call of this method is cancelled that it has received; empty: of none."""
    patience_s: float = math.inf
    """The program ends when no call has come for so many seconds."""
    silence_s: float = math.inf
    """The program ends its stream when no call has come for so many seconds, and dials in anew."""
    calls_a_stream: float = math.inf
    """The program ends its stream when it has answered so many calls, and dials in anew."""
    dies_of: Callable[[DialInResponse, Set[int]], bool] = stands_all
    """(frame, ids of answered calls) -> whether the program ends when it gets the frame."""
    token_chars: int | None = None
    """How many characters of its token the program reads; None: all."""
    secret: str = ""
    """The program serves with this secret, and is not started by who tries it; empty: it is."""
    admits: Callable[[str, str, str], bool] = shows_it
    """(full name of a method, secret that a call shows, that of the program) -> whether the call is answered.

    Where a call shows several secrets, they come in one text, with commas between them.
    """
    knows_library: Callable[[str], bool] = knows_all
    """(user-agent of a caller, empty if it has none) -> whether the program does not raise an exception, if it serves.
    """
    refuses_strangers_with: grpc.StatusCode = grpc.StatusCode.UNAUTHENTICATED
    """The status of calls that are not admitted."""
    others: Others = Others.SERVED
    """What comes of a connection to the program while there is another one."""
    alone_s: float = math.inf
    """The program ends when it has been connected to, and has not been for so many seconds."""
    returns_when_finished: bool = False
    """Whether the program dials in again after it was told that it is not needed any more."""
    keeps_answers: bool = False
    """Whether the program gives a call the answer that it has given to an earlier one of the same id."""
    answers_once: bool = False
    """Whether the program does not answer a call that comes again on another stream."""
    drops: Callable[[Sequence[int]], Sequence[int]] = drops_none
    """(ids of the calls that are open when some are cancelled, the oldest first) -> those that it never answers."""
    when_cancelled: Callable[[], object] = nothing
    """What the program does for each call that is cancelled before it has answered it."""
    stuck_when_cancelled: bool = False
    """Whether the program never answers again once a call is cancelled that it has received."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A player of a game with exactly one defect."""

    name: str
    sentence: str
    """What such a player does, in the third person."""
    cases: tuple[str, ...]
    """The ids of the cases that name the mutant: each of them fails."""
    trigger: Trigger
    effect: Effect
    related: tuple[str, ...] = ()
    """Patterns of cases that may fail too, because the mutation shows in them."""
    instead: str = ""
    """The id of the case that fails in place of those where the most ordinary game shows the mutation; empty: none."""
    rule: str = ""
    """The id of the rule that is broken. Empty: none, or it depends on the situation."""
    lacks: tuple[str, ...] = ()
    """Python names of the methods that the player lacks."""
    program: ProgramBehaviour | None = None
    """How the player behaves as a program, for defects that only a program can have."""

    def make(self, game: Game, strategy: str, environment: Environment, after: int = 0) -> MutantPlayer:
        """Return a player of a strategy that spares the first `after` calls. Raises ValueError if it is unknown."""
        sound: Any = game.player(strategy)
        rng = Random(self.name)
        player = MutantPlayer(game, sound, environment, self.trigger, self.effect.act, rng, after)
        return player.without(*self.lacks)

    @property
    def behaviour(self) -> ProgramBehaviour:
        """Return how the player behaves as a program."""
        return self.program or ProgramBehaviour()

    @property
    def symptoms(self) -> frozenset[Symptom]:
        """Return what a referee may find where the mutation shows in a game."""
        return self.effect.symptoms
