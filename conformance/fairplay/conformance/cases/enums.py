"""Cases about enum values: those that a player does not know, and each of those that it may be told; and rule ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import chain, islice, product
from operator import attrgetter
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_condition, where
from fairplay.conformance.case import Case, Failure, NotTested, case, failure
from fairplay.conformance.cases.probes import games_of_probes
from fairplay.conformance.evidence import readable
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.encodings import messages_in
from fairplay.conformance.games.trial import Exchange, Manner, Outgoing, Scenario, Trial
from fairplay.conformance.player.player import Answered, Connection
from fairplay.games.conformance import Level, Outcomes, find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import CallKind, Method
from fairplay.server.game.plans import seconds
from fairplay.v1.misconduct_pb2 import CallError

UNKNOWN = 1_009
"""A value that no enum has, and that takes two bytes."""
UNKNOWN_RULE = "{}.not-known-yet"
"""The id of a rule that no game has."""
DECISIONS, FEW_DECISIONS = 16, 3
"""The player decides so often in each game; the second number is for players that are slow."""


class EnumValue(NamedTuple):
    """A value of an enum in a request, or in a message that it holds."""

    message: Any
    field: Any
    place: int
    """Its place in the list; -1: the field is none."""
    path: str
    """E.g. "state.players.color"."""

    @property
    def number(self) -> int:
        """Return the value."""
        held: Any = getattr(self.message, self.field.name)
        return int(held if self.place < 0 else held[self.place])

    @property
    def is_known(self) -> bool:
        """Return whether the enum has the value."""
        return self.number in self.field.enum_type.values_by_number

    def replace(self, number: int) -> None:
        """Put another value in its place."""
        if self.place < 0:
            setattr(self.message, self.field.name, number)
        else:
            getattr(self.message, self.field.name)[self.place] = number


def enum_values(message: Message, settings: type[Message] | None = None, path: str = "") -> Iterator[EnumValue]:
    """Yield all values of enums in a message, and those that are not set in messages of the type `settings`."""
    kept = {field.name for field, _ in message.ListFields()}
    for field in message.DESCRIPTOR.fields:
        here, is_settings = f"{path}{field.name}", settings is not None and field.message_type is settings.DESCRIPTOR
        may_be_unset = settings is not None and message.DESCRIPTOR is settings.DESCRIPTOR and not field.is_repeated
        if field.name not in kept and not (is_settings or may_be_unset):
            continue
        value: Any = getattr(message, field.name)
        if field.enum_type is not None:
            for place in range(len(value)) if field.is_repeated else (-1,):
                yield EnumValue(message, field, place, here)
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else (value,):
                yield from enum_values(part, settings, f"{here}.")


def with_unknown(game: Game, request: Message, chosen: Callable[[EnumValue], bool]) -> Message:
    """Return a request with an unknown value in the place of each one that is chosen."""
    copy = type(request)()
    copy.CopyFrom(request)
    for each in list(enum_values(copy, game.settings_type)):
        if chosen(each):
            each.replace(UNKNOWN)
    return copy


@case(case_ids.UNKNOWN_ENUMS, "CALL-8", "FAIL-2")
def unknown_enum_values(context: Context) -> None:
    """A newer referee may know a colour, a reason, an event or a rule more; for this player it is none."""
    with context.player.separate() as connection:
        for told in _notifications(context).values():
            _tell(context, connection, told)
        _name_unknown_rules(context, connection)
        _play_after_refusals(context, connection)
        for pick in (min, max):
            _play(context, connection, pick)
        _play_with_longer_lists(context, connection)


@case(case_ids.KNOWN_ENUMS, "FAIL-2", "CALL-13")
def known_enum_values(context: Context) -> None:
    """Some outcomes are rare, and some things seldom told with a call: who has no word for one fails when told it."""
    with context.player.separate() as connection:
        for told in find_conformance(context.game.name).outcomes:
            for exchange, value in product(_exchanges_of(context, told.method), told.values):
                changed = _with_outcome(_request(exchange), told, value)
                problem = _problem(context, connection, exchange, changed)
                if problem is not None:
                    _refuse(context, exchange, changed, _outcome_name(changed, told, value), problem)
        _play_with_cancelled_news(context, connection)


def _name_unknown_rules(context: Context, connection: Connection) -> None:
    """Tell outcomes with the id of a rule that the player does not know. Raises Failure, which names the method."""
    for told in find_conformance(context.game.name).outcomes:
        for exchange, value in product(_exchanges_of(context, told.method)[:1], told.of_broken_rules):
            changed = _with_outcome(_request(exchange), told, value)
            changed.rule_id = UNKNOWN_RULE.format(context.game.name)
            problem = _problem(context, connection, exchange, changed)
            if problem is not None:
                _refuse(context, exchange, changed, "a rule_id that it does not know", problem)


def _play_after_refusals(context: Context, connection: Connection) -> None:
    """Play what probes begin in the middle of a game, where what was refused may name a rule of a later version."""
    for scenario in games_of_probes(context):
        if scenario.joins is not None:
            found = context.play(scenario, connection, Manner(partial(_with_unknown_rules, context.game)))
            with where("With a rule_id that it does not know"):
                judge_condition(context, found)


def _play_with_cancelled_news(context: Context, connection: Connection) -> None:
    """Play games of probes with rivals of their own, in which calls that come again are cancelled before they leave."""
    retold = find_conformance(context.game.name).retold
    for scenario in games_of_probes(context) if retold else ():
        if scenario.joins is None and (scenario.situation.rivals or scenario.situation.rivals_late_in):
            found = context.play(scenario, connection, Manner(ask=_CancelledNews(retold)))
            with where("Where a call tells what a cancelled one had told"):
                judge_condition(context, found)


class _CancelledNews:
    """Makes the calls of a game but those that are told again, and has the next one tell what these had told."""

    def __init__(self, retold: Mapping[str, Callable[[Any, Any], None]]) -> None:
        self._retold = retold
        self._cancelled: list[tuple[str, Message]] = []

    async def __call__(self, connection: Connection, due: Outgoing) -> Answered:
        method, request = due.call.method, due.call.method.request.FromString(due.request)
        if method.name in self._retold:
            self._cancelled.append((method.name, request))
            return method.response().SerializeToString(), 0.0
        while self._cancelled:
            name, earlier = self._cancelled.pop()
            self._retold[name](earlier, request)
        return await connection.ask(method, request.SerializeToString(), due.limit_s)


def _with_unknown_rules(game: Game, request: Message, _: int) -> bytes:
    """Return a request that names a rule that no game has in the place of each that it names."""
    copy = type(request)()
    copy.CopyFrom(request)
    for part in messages_in(copy):
        if getattr(part, "rule_id", ""):
            part.rule_id = UNKNOWN_RULE.format(game.name)
    return copy.SerializeToString()


def _exchanges_of(context: Context, method: str) -> Sequence[Exchange]:
    """Return the first call of a method in the smallest game, and the last one in the largest; or one of another game.

    There is none where the player was not called so in any game that several cases look at.
    """
    smallest, largest = (context.whole_game(*seating) for seating in (context.seatings[0], context.seatings[-1]))
    found = [*_calls_of(smallest, method)[:1], *_calls_of(largest, method)[-1:]]
    return found or list(islice(chain.from_iterable(_calls_of(each, method) for each in context.whole_games()), 1))


def _calls_of(trial: Trial, method: str) -> Sequence[Exchange]:
    return [each for each in trial.exchanges if each.method.name == method]


def _with_outcome(request: Any, told: Outcomes, value: int) -> Any:
    """Return a request that tells another outcome than it did, with all fields that say the same."""
    copy = type(request)()
    copy.CopyFrom(request)
    for path in told.paths:
        *before, last = path.split(".")
        setattr(reduce(getattr, before, copy), last, value)
    return copy


def _outcome_name(request: Any, told: Outcomes, value: int) -> str:
    """Return e.g. "status NO_MORE_CARDS", with the name that the protos have."""
    field = request.DESCRIPTOR.fields_by_name[told.paths[0]]
    return f"the {told.paths[0]} {field.enum_type.values_by_number[value].name}"


# --- calls that only tell something ---


def _notifications(context: Context) -> Mapping[str, Exchange]:
    """Return a call of each method that asks for nothing, where its request has an enum, with as many as possible."""
    found: dict[str, Exchange] = {}
    counts: dict[str, int] = {}
    for trial in (context.ordinary, context.game_with_leaver()):
        for each in trial.exchanges:
            count = len({value.path for value in enum_values(_request(each), context.game.settings_type)})
            if each.kind is CallKind.NOTIFICATION and count > counts.get(each.method.name, 0):
                found[each.method.name], counts[each.method.name] = each, count
    return found


def _request(exchange: Exchange) -> Any:
    return exchange.method.request.FromString(exchange.request)


def _tell(context: Context, connection: Connection, told: Exchange) -> None:
    """Make a call with all enum values unknown, in a game of its own. Raises Failure, which names the first field."""
    request = _request(told)
    if _problem(context, connection, told, with_unknown(context.game, request, lambda _: True)) is None:
        return
    for path in dict.fromkeys(each.path for each in enum_values(request, context.game.settings_type)):
        changed = with_unknown(context.game, request, lambda each, path=path: each.path == path)  # type: ignore[misc]
        with context.player.fresh() as fresh:
            problem = _problem(context, fresh, told, changed)
        _refuse(context, told, changed, f"an unknown value of {path}", problem)


def _refuse(context: Context, told: Exchange, changed: Any, what: str, problem: str | None) -> None:
    """Raise Failure if there is a problem with a changed call, and NotTested if the call fails unchanged as well."""
    with context.player.fresh() as fresh:
        usual = _problem(context, fresh, told, _request(told))
    if usual is not None:
        evidence = failure(f"{told.method.name} fails: {usual}").evidence
        raise NotTested("it fails without that as well", evidence, case_ids.VOID)
    if problem is not None:
        raise failure(
            f"With {what} in its request, {told.method.name} fails: {problem}", ("Request", readable(changed))
        )


def _problem(context: Context, connection: Connection, told: Exchange, request: Any) -> str | None:
    """Call a method, and return what goes wrong, in words, or None."""
    request.game_id = context.new_id()
    outcome, _ = context.ask(told.method, request, connection, told.limit_s)
    if not isinstance(outcome, bytes):
        return outcome.message if isinstance(outcome, CallError) else f"no answer within {seconds(outcome.limit):g} s"
    try:
        told.method.response.FromString(outcome)
    except DecodeError:
        return "the reply is unreadable"
    return None


# --- games ---


def _play(context: Context, connection: Connection, pick: Callable[[Collection[int]], int]) -> None:
    """Play a game in which one value of each enum is an unknown one. Raises Failure, which names the first enum."""
    unknown = {name: pick(numbers) for name, numbers in _seen(context).items()}
    if not unknown:
        return
    try:
        _play_with(context, connection, unknown)
    except Failure:
        for name, number in unknown.items() if len(unknown) > 1 else ():
            with context.player.fresh() as fresh:
                _play_with(context, fresh, {name: number})
        raise


def _play_with(context: Context, connection: Connection, unknown: Mapping[str, int]) -> None:
    scenario = context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS)
    found = context.play(scenario, connection, Manner(partial(_renamed, context.game, unknown)))
    with where(f"With an unknown value of {', '.join(unknown)} in requests"):
        judge_condition(context, found)


def _play_with_longer_lists(context: Context, connection: Connection) -> None:
    """Play a game in which each list of what may be decided begins and ends with an unknown value.

    One that is empty stays so: what cannot be decided now has no new values either.
    """
    decisions = [each for each in context.ordinary.exchanges if each.kind is not CallKind.NOTIFICATION]
    kinds, state = {each.method.request.DESCRIPTOR for each in decisions}, context.game.state_type
    lists = {found.path for each in decisions for found in enum_lists(_request(each), state)}
    if not lists:
        return
    for scenario in _with_few_choices(context):
        found = context.play(scenario, connection, Manner(partial(_with_longer_lists, kinds, state)))
        with where(f"With an unknown value first and last of {', '.join(sorted(lists))} in requests"):
            judge_condition(context, found)


def _with_few_choices(context: Context) -> Iterator[Scenario]:
    """Yield an ordinary game, and unless the player is slow the situations of the probes: some leave little to do."""
    yield context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS)
    probes = () if context.is_slow else find_conformance(context.game.name).probes
    rngs = [(each, context.rng("lists", each.id)) for each in probes if each.level is Level.MUST]
    made = (Scenario(f"lists-{each.id}", each.situation(rng), rng.getrandbits(32)) for each, rng in rngs)
    yield from context.scope.choose(made, attrgetter("situation"))


class EnumList(NamedTuple):
    """A list of enum values in a request, or in a message that it holds."""

    path: str
    kind: Any
    """The type of the enum."""
    values: Any
    """The list, which can be changed."""


def enum_lists(message: Message, state: type[Message], path: str = "") -> Iterator[EnumList]:
    """Yield the lists of enum values in a request, but for those in a state of the game."""
    for field in message.DESCRIPTOR.fields:
        held: Any = getattr(message, field.name)
        if field.enum_type is not None and field.is_repeated:
            yield EnumList(f"{path}{field.name}", field.enum_type, held)
        elif field.message_type not in (None, state.DESCRIPTOR) and not field.message_type.GetOptions().map_entry:
            parts = held if field.is_repeated else [held] if message.HasField(field.name) else []
            for part in parts:
                yield from enum_lists(part, state, f"{path}{field.name}.")


def _with_longer_lists(kinds: Collection[Any], state: type[Message], request: Message, _: int) -> bytes:
    """Return a request, with longer lists if it is of one of these kinds."""
    copy: Any = type(request)()
    copy.CopyFrom(request)
    for each in enum_lists(copy, state) if request.DESCRIPTOR in kinds else ():
        if each.values:
            each.values[:] = [UNKNOWN, *each.values, UNKNOWN]
    return bytes(copy.SerializeToString())


def _renamed(game: Game, unknown: Mapping[str, int], request: Message, _: int) -> bytes:
    """Return a request with an unknown value in the place of one value of each of these enums."""
    return with_unknown(
        game, request, lambda each: unknown.get(_enum_name(each.field)) == each.number
    ).SerializeToString()


def _seen(context: Context) -> Mapping[str, Collection[int]]:
    """Return the values in the requests of an ordinary game, by the enums without which a player can decide."""
    seen: dict[str, set[int]] = {}
    names = _needless(context.game)
    for exchange in context.ordinary.exchanges:
        for each in enum_values(_request(exchange), context.game.settings_type):
            if (name := _enum_name(each.field)) in names:
                seen.setdefault(name, set()).add(each.number)
    return seen


def _enum_name(field: Any) -> str:
    return str(field.enum_type.name)


def _needless(game: Game) -> Collection[str]:
    """Return the names of the enums without which a player can decide.

    Those of settings have their defaults where they are unspecified, as an ordinary game has.
    """
    settings = {_enum_name(each) for each in game.settings_type.DESCRIPTOR.fields if each.enum_type is not None}
    return settings | {*find_conformance(game.name).needless_enums}


def has_enums(method: Method) -> bool:
    """Return whether a request of a method may have an enum."""
    return _has_enums(method.request.DESCRIPTOR, ())


def _has_enums(kind: Any, seen: Collection[Any]) -> bool:
    return kind not in seen and any(
        each.enum_type is not None or (each.message_type is not None and _has_enums(each.message_type, (*seen, kind)))
        for each in kind.fields
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module; the requests of some games have no enums, or tell no outcomes."""
    unknown = [unknown_enum_values] if any(map(has_enums, game.methods)) else []
    return [*unknown, *([known_enum_values] if find_conformance(game.name).outcomes else [])]
