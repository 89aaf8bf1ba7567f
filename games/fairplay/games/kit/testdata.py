"""Test data of other people: folders of questions in JSON, and how their values are read.

A game answers questions about its rules with plain JSON values: what goes in and comes out is what `json.loads` gives.
Its module `testdata` has public functions, one for each kind of question, marked with `question`. The first line of the
docstring says what is answered; the parameters are the values that the input file holds, one behind the other.
`fairplay check GAME KIND FOLDER` runs a folder of them.

The kinds have the same names in every game that has them: "legal" lists what may be done, "refusal" names the rule
that an action breaks or is null, "apply" gives the state after an action, "score" or "scores" what it is worth,
"ranking" who is ahead, "step" the next action of a strategy and "plan" its whole decision, "start" a fresh state from
settings and a seed, "game" a whole game between actors and "tournament" a whole tournament. `Script` describes actors.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib.metadata import entry_points
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from google.protobuf import json_format
from google.protobuf.message import Message

from fairplay.games.conformance import Mutation
from fairplay.games.kit import tournament
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, Conversation, Eliminate, Method, Outcome, Show, answer_step
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Misconduct, Overrun
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup

ENTRY_POINTS = "fairplay.testdata"

Json: TypeAlias = Any
"""null, a truth value, a number, a text, an array of Json or an object of Json."""
Function = TypeVar("Function", bound=Callable[..., Json])
Settings = TypeVar("Settings")
Kind = TypeVar("Kind", bound=Message)


class Question(NamedTuple):
    """A kind of question about the rules of a game."""

    name: str
    """E.g. "legal-moves"."""
    sentence: str
    """What is answered."""
    parameters: Sequence[inspect.Parameter]
    """The values in the input, in their order."""
    answer: Callable[..., Json]
    """Raises ValueError, with one sentence, if a value has not the form that the game documents."""


def question(function: Function) -> Function:
    """Mark a function as one that answers a kind of question: its name is the kind, with hyphens."""
    function.__dict__["is_question"] = True
    return function


def collect_questions(names: Mapping[str, Any]) -> dict[str, Question]:
    """Return the questions among the names of a module, given as its `globals()`, in the order of definition."""
    marked = [each for each in names.values() if getattr(each, "is_question", False)]
    return {asked.name: asked for asked in map(_question, marked)}


def _question(function: Callable[..., Json]) -> Question:
    sentence = (function.__doc__ or "").partition("\n")[0]
    parameters = list(inspect.signature(function).parameters.values())
    return Question(function.__name__.replace("_", "-"), sentence, parameters, function)


@cache
def find_questions(game: str) -> Mapping[str, Question]:
    """Return the kinds of questions that a game answers, by name; empty if it has no test data."""
    found = entry_points(group=ENTRY_POINTS, name=game)
    if not found:
        return {}
    questions: Mapping[str, Question] = next(iter(found)).load()
    return questions


def read_list(value: Json, where: str, *, count: int | None = None) -> list[Json]:
    """Return a JSON array, of `count` values if that is given. Raises ValueError for any other value."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {value!r}: it must be an array.")
    if count is not None and len(value) != count:
        raise ValueError(f"{where} has {len(value)} values: it must have {count}.")
    return value


def read_object(value: Json, where: str, names: Sequence[str]) -> dict[str, Json]:
    """Return a JSON object with exactly these names. Raises ValueError for any other value."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {value!r}: it must be an object.")
    if set(value) != set(names):
        raise ValueError(f"{where} has the names {', '.join(value) or 'of nothing'}: it must have {', '.join(names)}.")
    return value


def read_int(value: Json, where: str, low: int | None = None, high: int | None = None) -> int:
    """Return a whole number within the given bounds. Raises ValueError for any other value."""
    if not isinstance(value, int) or isinstance(value, bool):
        more = ", without a point or an exponent" if isinstance(value, float) and value.is_integer() else ""
        raise ValueError(f"{where} is {value!r}: it must be a whole number{more}.")
    if (low is not None and value < low) or (high is not None and value > high):
        bounds = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        raise ValueError(f"{where} is {value}: it must be {bounds}.")
    return value


def read_text(value: Json, where: str, allowed: Sequence[str] = ()) -> str:
    """Return a text, one of those allowed if some are given. Raises ValueError for any other value."""
    if not isinstance(value, str):
        raise ValueError(f"{where} is {value!r}: it must be a text.")
    if allowed and value not in allowed:
        raise ValueError(f"{where} is {value!r}: it must be one of {', '.join(allowed)}.")
    return value


def read_flag(value: Json, where: str) -> bool:
    """Return a truth value. Raises ValueError for any other value."""
    if not isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}: it must be true or false.")
    return value


def read_settings(
    value: Json,
    settings: type[Settings],
    find_problem: Callable[[Settings], tuple[str, str] | None],
    **readers: Callable[[Json, str], Any],
) -> Settings:
    """Return the settings of a game from a JSON object with those that differ from the defaults.

    Each name is one of the fields of the dataclass `settings`. Fields that are no number, truth value or choice are
    read by the reader of the same name. Raises ValueError if a name or value is not allowed.
    """
    known = {each.name: each.default for each in fields(cast("Any", settings))}
    if not isinstance(value, dict) or not value.keys() <= known.keys():
        raise ValueError(f"settings are {value!r}: they must be an object with some of {', '.join(known)}.")
    given = {name: readers.get(name, _reader_of(known[name]))(each, name) for name, each in value.items()}
    found = settings(**given)
    if problem := find_problem(found):
        raise ValueError(problem[1])
    return found


def read_message(value: Json, message_type: type[Kind], where: str) -> Kind:
    """Return the message that a JSON object in protobuf's words stands for. Raises ValueError for any other value."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {value!r}: it must be an object.")
    try:
        return json_format.ParseDict(value, message_type())
    except json_format.ParseError as error:
        raise ValueError(f"{where}: {' '.join(str(error).split())}") from None


def write_message(message: Message) -> Json:
    """Return a message as JSON, with the names of its fields and everything that is zero."""
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def _reader_of(default: Any) -> Callable[[Json, str], Any]:
    if isinstance(default, bool):
        return read_flag
    return read_int if isinstance(default, int) else read_text


# Actors: reference players that fail or cheat by a script


class Script(NamedTuple):
    """How an actor plays in a test game. In JSON an array:

    [name, strategy]                        plays soundly
    [name, strategy, method]                raises an error in every call of this method, e.g. "take-turn"
    [name, strategy, method, count]         never answers the count-th call of this method, nor a later one
    [name, strategy, "a cheat", cheat]      answers wrongly wherever this cheat is possible
    """

    name: str
    strategy: str
    method: str = ""
    """The method in which it fails; empty: in none."""
    from_call: int = 1
    """The first call of that method that fails."""
    hangs: bool = False
    """Whether it never answers a call that fails, in place of raising an error."""
    cheat: str = ""
    """The name of its cheat; empty: none."""


def read_scripts(
    value: Json,
    where: str,
    methods: Sequence[Method],
    cheats: Iterable[str] = (),
    *,
    count: int | None = None,
    most_calls: int | None = None,
) -> list[Script]:
    """Return the scripts in a JSON array, `count` of them if that is given.

    With `most_calls` no actor begins to fail later than in that call. Raises ValueError if one of them has not the form
    of a `Script`, names an unknown method or cheat, or has the name of another one. Whether its strategy exists is
    known to whoever makes its player.
    """
    names, known = [kebab_case(method.name) for method in methods], list(cheats)
    scripts = [
        _read_script(each, f"{where}[{number}]", names, known, most_calls)
        for number, each in enumerate(read_list(value, where, count=count))
    ]
    if len({script.name for script in scripts}) < len(scripts):
        raise ValueError(f"{where} has two actors with the same name.")
    return scripts


def _read_script(
    value: Json, where: str, methods: Sequence[str], cheats: Sequence[str], most_calls: int | None
) -> Script:
    match value:
        case [str(name), str(strategy), *rest]:
            script = Script(name, strategy)
        case _:
            raise ValueError(f"{where} is {value!r}: it must begin with a name and a strategy.")
    match rest:
        case []:
            return script
        case ["a cheat", cheat]:
            return script._replace(cheat=read_text(cheat, f"{where}[3]", cheats))
        case [method]:
            return script._replace(method=read_text(method, f"{where}[2]", methods))
        case [method, count]:
            method, count = read_text(method, f"{where}[2]", methods), read_int(count, f"{where}[3]", 1, most_calls)
            return script._replace(method=method, from_call=count, hangs=True)
    raise ValueError(f"{where} has {len(value)} values: it must have 2 to 4.")


def kebab_case(name: str) -> str:
    """Return the name of a method as test data spells it: "TakeTurn" -> "take-turn"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


class Actor:
    """Answers calls as a reference player does, but fails or cheats where its script says so."""

    def __init__(self, script: Script, player: object, cheats: Mapping[str, Mutation] = MappingProxyType({})) -> None:
        self.script = script
        self._player = player
        self._cheat = cheats.get(script.cheat)
        self._counts = Counter[str]()

    def answer(self, call: Call) -> Any:
        """Return the reply to a call, or the Failure of it. A player that raises ValueError has failed, too."""
        method = kebab_case(call.method.name)
        self._counts[method] += 1
        if method == self.script.method and self._counts[method] >= self.script.from_call:
            return Overrun() if self.script.hangs else CallError(reason=CallErrorReason.CALL_ERROR_REASON_STATUS)
        try:
            reply, wrong = self._sound(method, call), None
            if self._cheat is not None and self._cheat.method == call.method.name:
                wrong = self._cheat.mutate(call.request, reply, Random(0))
            return reply if wrong is None else wrong
        except ValueError as problem:
            return CallError(reason=CallErrorReason.CALL_ERROR_REASON_STATUS, message=str(problem))

    def _sound(self, method: str, call: Call) -> Message:
        function = getattr(self._player, method.replace("-", "_"), None)  # Start and End it may leave out
        reply: Message | None = function and function(call.request)
        return call.method.response() if reply is None else reply


class PlayedGame(NamedTuple):
    """A test game that is over."""

    outcome: Outcome
    state: Any
    """The last state that was shown, of the type that the game itself uses."""
    eliminated: Sequence[int]
    """Seats, in the order of their elimination."""


def play_game(
    conversation: Conversation, actors: Sequence[Actor], see: Callable[[Any], object] = lambda _: None
) -> PlayedGame:
    """Play a game between actors, in the order of their seats, and return how it ended; `see` gets each state."""
    machine, eliminated = GameMachine(conversation), list[int]()
    for step in machine.play(lambda call: actors[call.seat].answer(call)):
        if isinstance(step, Show):
            see(step.state)
        elif isinstance(step, Eliminate):
            eliminated.append(step.seat)
    assert machine.outcome is not None
    return PlayedGame(machine.outcome, machine.shown and machine.shown.state, eliminated)


class PlayedTournament(NamedTuple):
    """A test tournament that is over; its entrants are numbers from 0, in turn order."""

    winners: Sequence[int]
    failed: Sequence[int]
    """Those that were eliminated, in a game or in the calls at the beginning and end, in this order."""
    rounds: Sequence[Sequence[Sequence[int]]]
    """The games of each round, as the entrants that play in them."""


def play_tournament(
    conversation: tournament.Conversation,
    actors: Sequence[Actor],
    play: Callable[[Sequence[Actor]], PlayedGame],
) -> PlayedTournament:
    """Play a tournament between actors and return how it ended; `play` plays one game."""
    failed: list[int] = []
    rounds: list[Sequence[Sequence[int]]] = []
    answer: Any = None
    while True:
        try:
            step = conversation.send(answer)
        except StopIteration as stop:
            order: tournament.Order = stop.value
            return PlayedTournament(order.winners, failed, rounds)
        if isinstance(step, tournament.PlayRound):
            rounds.append([game.entrants for game in step.games])
            played = [play([actors[entrant] for entrant in game.entrants]) for game in step.games]
            answer = tournament.answer_round(len(rounds), step, [_result(end) for end in played])
            failed += [entrant for game in answer for entrant in game.failed]
        else:
            failed += [step.seat] if isinstance(step, Eliminate) else []
            answer = answer_step(step, lambda call: actors[call.seat].answer(call))


def play_scripted(outcomes: Json) -> Callable[[Sequence[Actor]], PlayedGame]:
    """Return a way to play the games of a tournament that end as given, one after the other.

    Each outcome is [winners, failed], two arrays of names. Raises ValueError, when a game is played, if its outcome is
    missing or names somebody who does not play in it.
    """
    left = iter(read_list(outcomes, "outcomes"))

    def play(actors: Sequence[Actor]) -> PlayedGame:
        names = [actor.script.name for actor in actors]
        winners, failed = (
            [names.index(read_text(name, "outcome", names)) for name in read_list(group, "outcome")]
            for group in read_list(next(left, None), f"the outcome of the game of {', '.join(names)}", count=2)
        )
        return PlayedGame(Outcome([[(seat, 0) for seat in winners]] if winners else []), None, failed)

    return play


def _result(played: PlayedGame) -> GameResult:
    groups = (RankGroup(players=[RankedPlayer(seat=seat) for seat, _ in group]) for group in played.outcome.ranking)
    return GameResult(ranking=groups, misconducts=[Misconduct(seat=seat) for seat in played.eliminated])
