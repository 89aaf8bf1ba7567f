"""How a game is played in the protocol of a university's course: JSON calls and answers on a TCP connection a player.

The player's program dials, and sends its name. Then it is called: `[METHOD, [ARGUMENT, ...]]`, one call at a time, each
answered by one JSON value; where there is nothing to say by the text "void". A game says in its module `course` how its
requests and responses are written so, and how they are read, as a `Face` under the entry point "fairplay.course", by
its name. Without one, it has no course.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from fairplay.games.kit.names import describe_names
from fairplay.games.kit.testdata import Json
from fairplay.games.steps import Method

ENTRY_POINTS = "fairplay.course"
VOID = "void"
SHOWN_CHARS = 200
"""How much of what came is shown in an error."""


class Request(NamedTuple):
    """A call of a player's service: the method, and a message of type `method.request`."""

    method: Method
    message: Any


class Memory(Protocol):
    """What a player's side of one connection remembers, so that each request says all that the contract wants."""

    def request(self, name: str, arguments: Sequence[Json]) -> Request:
        """Return the request that a call stands for. Raises ValueError, with one sentence, if it has another form."""


class Config(NamedTuple):
    """What the input of the course's server says."""

    settings: Message
    """The settings of the game."""
    state: Message | None = None
    """The state in which it begins, with all that is hidden; None: a fresh one is drawn."""
    limit_s: float | None = None
    """How long a call may take; None: as long as the game says. So with what follows."""
    name_limit_s: float | None = None
    """How long a program that has connected may take to send its name."""
    wait_s: float | None = None
    """How long a period of the sign-up lasts."""
    periods: int | None = None
    """How many such periods there are at the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """How the methods of a game are called in its course, in both directions. No function keeps anything."""

    names: Mapping[str, str]
    """Method -> what the course calls it, e.g. "TakeTurn" -> "take-turn". A method without a name is not called."""
    last: str
    """The method after which the connection ends."""
    is_tournament: bool = False
    """Whether a connection lasts for a tournament, one game behind the other, and not for one game."""
    arguments: Callable[[Method, Any, str], list[Json]]
    """(method, request, name of the player) -> the arguments of the call. Raises ValueError, with one sentence, if the
    course has no words for the request."""
    reply: Callable[[Method, Any, Json], Message]
    """(method, request, answer) -> the response, for methods whose response has fields. Raises ValueError, with one
    sentence, if the answer has another form."""
    greeting: Sequence[Request] = ()
    """What a new connection is told before anything else."""
    before: Callable[[Method, Any], Sequence[Request] | None]
    """(method, request) -> what a connection that is new in the game has to be told before; None: such a call says
    nothing to it."""
    remember: Callable[[str], Memory]
    """Id, of a game or a tournament -> the memory of a new connection."""
    answer: Callable[[Method, Any, Any], Json]
    """(method, request, response) -> the answer, for methods whose response has fields. Raises ValueError, with one
    sentence, if the response lacks something."""
    config: Callable[[Sequence[Json]], Config]
    """The values in the input of the course's server -> what they say. Raises ValueError, with one sentence."""
    clients: Callable[[Sequence[Json]], Sequence[tuple[str, str]]] = lambda values: read_clients(*values)
    """The values in the input of the course's clients -> the names and strategies of the players that it starts.
    Raises ValueError, with one sentence."""
    result: Callable[[Sequence[str], Sequence[str]], Json] = lambda winners, failed: [sorted(winners), list(failed)]
    """(names of the winners, of those that were eliminated) -> what the course's server prints."""

    def write_call(self, request: Request, name: str) -> Json:
        """Return the call of a player with this name. Raises ValueError if the course has no words for it."""
        return [self.names[request.method.name], self.arguments(*request, name)]

    def read_answer(self, request: Request, value: Json) -> Message:
        """Return the response in the answer to a call. Raises ValueError if the answer has another form."""
        try:
            if request.method.asks:
                return self.reply(*request, value)
            if value != VOID:
                raise ValueError(f'the answer to {self.names[request.method.name]} is "{VOID}"')
        except ValueError as problem:
            raise ValueError(f"{str(problem).rstrip('.')}{_explain_number(value)}") from None
        return request.method.response()

    def write_answer(self, request: Request, response: Any) -> Json:
        """Return the answer in a response. Raises ValueError if the response lacks something."""
        return self.answer(*request, response) if request.method.asks else VOID


@cache
def find_face(game: str) -> Face | None:
    """Return the face of a game, or None if it has none."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return None
    face: Face = next(iter(found)).load()
    return face


def shown(text: str) -> str:
    """Return what came as errors show it."""
    return text if len(text) <= SHOWN_CHARS else f"{text[: SHOWN_CHARS - 3]}..."


def _explain_number(value: Json) -> str:
    """Return what is probably wrong where a number came in place of another value, as the end of a sentence."""
    return "; values are sent without their length" if type(value) is int else ""


def read_name(value: Json, pattern: str) -> str:
    """Return the name with which a program signs up. Raises ValueError if it does not match the regular expression."""
    if not isinstance(value, str):
        raise ValueError(f"{shown(json.dumps(value))} is no name: it must be a string{_explain_number(value)}")
    if not re.fullmatch(pattern, value):
        raise ValueError(f"{shown(json.dumps(value))} is no name here: give {describe_names(pattern)}")
    return value


def read_clients(value: Json = None, *more: Json) -> list[tuple[str, str]]:
    """Return the name and the strategy of each player in a list of actors. Raises ValueError if one is not sound."""
    if more or not isinstance(value, list):
        raise ValueError("the input of the clients is one list of players, [name, strategy] each")
    for each in value:
        match each:
            case [str(), str()]:
                continue
            case [str(name), str(), *_]:
                raise ValueError(f"the player {name} is to fail or to cheat: those that join are sound")
        raise ValueError(f"{shown(json.dumps(each))} is no player: it must be [name, strategy]")
    return [(name, strategy) for name, strategy in value]


def read_call(value: Json) -> tuple[str, list[Json]]:
    """Return the name and the arguments of a call. Raises ValueError if the value is none."""
    match value:
        case [str(name), list(arguments)]:
            return name, arguments
        case [str(name), *flat]:
            raise ValueError(f"the arguments of {name} are not nested: {len(flat)} behind the name must be in an array")
    raise ValueError(f"{shown(json.dumps(value))} is no call: it must be a name and an array of arguments")


def read_arguments(name: str, arguments: Sequence[Json], *forms: str) -> Sequence[Json]:
    """Return the arguments of a call if they are as many as their forms. Raises ValueError otherwise.

    A form that begins with "[" is that of an array.
    """
    wanted = f'["{name}", [{", ".join(forms)}]]'
    count = len(arguments)
    is_array = [form.startswith("[") for form in forms]
    if count != len(forms) or any(
        expected and not isinstance(each, list) for expected, each in zip(is_array, arguments, strict=True)
    ):
        if len(forms) == 1 and is_array[0]:
            raise ValueError(f"the arguments of {name} are not nested: the call is {wanted}")
        raise ValueError(f"{name} has {count} {'argument' if count == 1 else 'arguments'}: the call is {wanted}")
    return arguments
