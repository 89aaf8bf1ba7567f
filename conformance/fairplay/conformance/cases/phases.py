"""Cases about phases of games: a rival leaves in each of them, in each seat, under settings that may matter there.

Phases are found by machine, in games of reference players (`games.phases`). Of all that can be combined few games are
drawn, in which each pair of a phase and something else is found: a seat, a setting, a way to fail. Most of them begin
shortly before the phase, so that they take a few decisions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, partial
from itertools import cycle, islice, permutations, product
from operator import attrgetter
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame.faults import same
from fairplay.conformance.case import Case, case
from fairplay.conformance.cases.settings import judge_elsewhere
from fairplay.conformance.games.beforehand import found_beforehand, prepare
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.phases import Foreseen, Occurrence, Trace, find_beginning, foresee, trace
from fairplay.conformance.games.rivals import Departure, Fault, Phase, side_of
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.conformance.games.variations import fits
from fairplay.games.conformance import Circumstance, Situation, find_conformance
from fairplay.games.game import Game, find

MOST_DECISIONS, FEW_DECISIONS = 120, 80
"""Games of reference players are followed so far; there are many under unusual settings."""
GAMES, LEAVING_GAMES, FEW_GAMES = 40, 24, 12
"""So many games are drawn for a case, before those that are about each phase, and for a slow player."""
CHOICES, MOST_TRIES = 24, 3
"""From so many games the best one is taken. Pairs that so many were taken for count no more."""
ATTEMPTS = 24
"""After so many of them that do not find it, what matters most is given up."""
TRACES = 2
"""So many games are followed for each of the settings and numbers of players of the case about phases."""
FEW_CHOICES = 8
"""Of so many games that come to a phase the one is taken that has most of what else is wanted."""


class Kind(Enum):
    """How rivals leave a game."""

    IN_PHASES = "each in a phase"
    AT_ONCE = "several between two decisions of the player under test"
    NOBODY = "nobody does, shortly before the end"


LEAVING = (Kind.IN_PHASES, Kind.AT_ONCE)
ANY_KIND = (*LEAVING, Kind.NOBODY)
READ_WEIGHT = 6
"""A setting in circumstances that it matters in, as the game says, counts as so many pairs."""
MOST_NEWCOMERS = 3
LATER_SHARE = 0.9
"""Of the games that several leave at once most go on from the middle: other phases begin early often enough."""
FRESH_SHARE = 0.5
ROUNDS = 2
"""A player that has decided so often is told what others have done in between."""
AFTER_OTHERS = "a rival leaves after a turn of another one, since a later turn of the player than its first"
FAILED_CALLS = (Fault.DISCONNECTION, Fault.ERROR_STATUS, Fault.LATE_ANSWER)
MOST_ORDERED = 4
"""Of up to so many players all rivals but one leave in each order; of more those that come first in turn order do."""
DECISIONS = 4
"""The player under test decides so often from the beginning of a game, or to its end if that is near."""
NEAR_THE_END = 8


Table: TypeAlias = tuple[Message, int]
"""Settings, and a number of players that they fit."""
Property: TypeAlias = tuple[str, Any]
"""A property of a game: its name, and its value."""
ANY_GAME: Property = "any game", True
"""The property of all games."""
Pair: TypeAlias = tuple[Any, Property]
"""A phase, a circumstance or a method that a rival leaves in, and what else the game has."""
Place: TypeAlias = tuple[Trace, Occurrence]
"""A game, and where it comes to a phase."""


def _leaving_tables(context: Context) -> Sequence[Table]:
    game = context.game
    settings = map(game.full_settings, (game.settings_type(), *find_conformance(game.name).leaving_settings))
    return [*product(filter(context.scope.allows, settings), game.seats)] * TRACES


def _unusual_tables(context: Context) -> Sequence[Table]:
    return [(each.settings, _leave_room(context.game, each.settings, each.player_count)) for each in context.variations]


def _trace_leaving(context: Context) -> Sequence[Trace]:
    return _Traces(context.game, _leaving_tables(context), (), MOST_DECISIONS).play_all()


def _trace_unusual(context: Context) -> Sequence[Trace]:
    return _Traces(context.game, _unusual_tables(context), (), FEW_DECISIONS).play_all()


@case(case_ids.IN_ANY_PHASE, "FAIL-14", prepare=prepare(_trace_leaving))
def rivals_leave_in_any_phase(context: Context) -> None:
    """Rivals may leave in any call: while the game is set up, between two calls of a turn, when others are waiting."""
    made = found_beforehand(context, _trace_leaving) or ()
    traces = _Traces(context.game, _leaving_tables(context), (), MOST_DECISIONS, made)
    _play_all(context, "phase", traces, LEAVING)


@case(case_ids.SETTINGS_IN_PHASES, "FAIL-14", "FAIL-1", prepare=prepare(_trace_unusual))
def settings_in_any_phase(context: Context) -> None:
    """A setting matters in the phase that reads it: in the middle of a turn, when players leave, near the end."""
    game, tables, made = context.game, _unusual_tables(context), found_beforehand(context, _trace_unusual) or ()
    single = [each for each in _single_settings(game, tables) if context.scope.allows(each[0])]
    _play_all(context, "settings-phase", _Traces(game, tables, single, FEW_DECISIONS, made), ANY_KIND)


def _single_settings(game: Game, tables: Iterable[Table]) -> list[Table]:
    """Return tables with one unusual setting each that the game has readers of, and with one that lets players join.

    Among several settings one may leave no room for what another one is read in.
    """
    usual, readers = game.full_settings(game.settings_type()), find_conformance(game.name).settings_readers
    flags = [field.name for field in usual.DESCRIPTOR.fields if field.type == field.TYPE_BOOL]
    flipped = [_changed(usual, name, not getattr(usual, name)) for name in flags]
    joining = [each for each in flipped if game.may_join_late(each)]
    found: dict[Property, Table] = {}
    for settings, player_count in tables:
        for name, value in _unusual(game, settings):
            if name in readers:
                base = joining[0] if joining and Circumstance.JOIN in readers[name] else usual
                single = _changed(base, name, getattr(settings, name))
                found[name, value] = single, _leave_room(game, single, player_count)
    return [table for table in found.values() if fits(game, *table)]


def _changed(settings: Any, name: str, value: Any) -> Any:
    """Return settings of which one has this value."""
    changed = type(settings)()
    changed.CopyFrom(settings)
    changed.ClearField(name)
    changed.MergeFrom(type(settings)(**{name: value}))
    return changed


def _leave_room(game: Game, settings: Message, player_count: int) -> int:
    """Return a number of players to which others can be added if the game allows that."""
    fewer = max(game.seats.start, game.seats.stop - 1 - MOST_NEWCOMERS)
    has_room = not game.may_join_late(settings) or player_count <= fewer or not fits(game, settings, fewer)
    return player_count if has_room else fewer


def _play_all(context: Context, name: str, traces: _Traces, kinds: Sequence[Kind]) -> None:
    """Play games of these kinds, in turn, that come to phases of traced games, and judge each.

    What goes wrong in the same way if nobody leaves is shown without anybody leaving. Raises NotApplicable if the
    profile has none of these settings.
    """
    if not traces.tables:
        raise context.scope.outside()
    games = _Games(context, name, traces, kinds, context.rng(name))
    for found in context.play_each(games.choose()):
        games.note(found)
        if found.misconduct is not None:
            stayed = context.play(found.scenario._replace(name=f"{found.scenario.name}-stay", departures=()))
            judge_elsewhere(context, stayed if same(stayed, found) else found)


class _Games:
    """Chooses games, each one that has pairs that none has had before.

    A game counts as it is foreseen until it is known how it went: the player under test may answer otherwise.
    """

    def __init__(self, context: Context, name: str, traces: _Traces, kinds: Sequence[Kind], rng: Random) -> None:
        self._context, self._game = context, context.game
        self._name = name
        self._traces = traces
        self._kinds = kinds
        self._rng = rng
        self._count = 0
        self._met = set[Pair]()
        self._chosen: dict[str, tuple[_Plan, Foreseen]] = {}
        """The name of a game of which it is not known how it went -> what is foreseen of it."""

    def choose(self) -> Iterator[Scenario]:
        """Yield games, of some that are drawn the best one, and then those with what matters most, whatever the seed.

        That is each phase with each thing that it is paired with, where the games are about them; the settings in
        circumstances that they matter in; losses between two decisions under any of them.
        """
        tried = Counter[Pair]()
        for kind in islice(cycle(self._kinds), LEAVING_GAMES if self._kinds is LEAVING else GAMES):
            plans = [_draw(self._game, self._traces.draw(self._rng), kind, self._rng) for _ in range(CHOICES)]
            known = self._covered | {pair for pair, times in tried.items() if times >= MOST_TRIES}
            plan = max(plans, key=lambda each: _weigh(self._game, each.hoped_pairs(self._game) - known))
            tried.update(plan.hoped_pairs(self._game))
            yield self._begin(plan)
            if self._count >= FEW_GAMES and self._context.is_slow:
                return
        places = self._traces.find_places(every_pair=self._kinds is LEAVING)
        for wanted in sorted(places, key=str):
            yield from self._find(wanted, partial(self._draw_at, wanted, places))
        for wanted in sorted(self._list_others(), key=str):
            yield from self._find(wanted, partial(self._draw_for, wanted))

    def note(self, found: Trial) -> None:
        """Take note of how a game went: which rivals have left before the player was called once more."""
        plan, foreseen = self._chosen.pop(found.scenario.name)
        self._met |= plan.foreseen_pairs(self._game, foreseen._replace(left=found.left))

    @property
    def _covered(self) -> set[Pair]:
        foreseen = (plan.foreseen_pairs(self._game, each) for plan, each in self._chosen.values())
        return self._met.union(*foreseen)

    def _begin(self, plan: _Plan) -> Scenario:
        scenario = plan.scenario(self._game, f"{self._name}-{self._count}", self._rng)
        shift = scenario.situation.seat - plan.first.tested
        self._chosen[scenario.name] = plan._replace(shift=shift), foresee(self._game, scenario)
        self._count += 1
        return scenario

    def _find(self, wanted: Pair, draw: Callable[[], _Plan]) -> Iterator[Scenario]:
        """Yield games that have a pair as foreseen, until one has had it."""
        for _ in range(ATTEMPTS):
            if wanted in self._covered:
                return
            scenario = self._begin(draw())
            if wanted in self._covered:
                yield scenario
            else:
                del self._chosen[scenario.name]

    def _draw_at(self, wanted: Pair, places: Mapping[Pair, Sequence[Place]]) -> _Plan:
        """Return a game in which a rival leaves in a phase, with what that is paired with, and more that is wanted."""
        game, rng, left = self._game, self._rng, places.keys() - self._covered
        _, (name, value) = wanted
        fault = value if name == "fault" else None
        chosen = [rng.choice(places[wanted]) for _ in range(FEW_CHOICES)]
        plans = [_draw(game, played, Kind.IN_PHASES, rng, at=at, fault=fault) for played, at in chosen]
        return max(plans, key=lambda each: len(left & each.hoped_pairs(game)))

    def _draw_for(self, wanted: Pair) -> _Plan:
        """Return a game that may have a pair about something else than a phase."""
        if isinstance(wanted[0], Gone):
            return self._draw_gone(wanted[0], wanted[1])
        fault = Fault.LATE_DECISIONS if wanted[0] is Circumstance.LOST_AGAIN else None
        together = isinstance(wanted[0], Lost) or wanted[0] in (Circumstance.ALONE, AFTER_OTHERS)
        kind = Kind.AT_ONCE if together else Kind.IN_PHASES if fault else self._rng.choice(self._kinds)
        after = ROUNDS if wanted[0] == AFTER_OTHERS else 1
        return _draw(self._game, self._traces.draw(self._rng, wanted[1]), kind, self._rng, after, fault=fault)

    def _draw_gone(self, wanted: Gone, table: Property) -> _Plan:
        """Return a game that half of these rivals leave after a decision of the player, and the rest after the next."""
        played, rng = self._traces.draw(self._rng, table), self._rng
        first = rng.choice(played.occurrences)
        departures = [
            Departure((first.tested + turns) % played.player_count, 1 + late, False, rng.choice(FAILED_CALLS))
            for late, half in enumerate(_halves(wanted.rivals))
            for turns in half
        ]
        return _Plan(played, first, departures, rng.random() < FRESH_SHARE, ())

    def _list_others(self) -> set[Pair]:
        """Return the pairs about settings in circumstances, and about losses between two decisions."""
        readers, found = find_conformance(self._game.name).settings_readers, set[Pair]()
        for settings, player_count in self._traces.tables:
            unusual = _unusual(self._game, settings)
            found |= {(where, (field, value)) for field, value in unusual for where in readers.get(field, ())}
            if player_count > 2:
                read = [each for each in unusual if Circumstance.LOSS in readers.get(each[0], ())]
                found |= {*product([AFTER_OTHERS], read)}
            losses = product(range(1, min(2, player_count - 1) + 1), (False, True))
            found |= {(Lost(*each), ("players", player_count)) for each in losses}
            if self._kinds is LEAVING and player_count > 2:
                orders = permutations(range(1, player_count), player_count - 2)
                shown = orders if player_count <= MOST_ORDERED else islice(orders, 1)
                found |= {(Gone(each), ("players", player_count)) for each in shown}
        return found


def _halves(values: tuple[int, ...]) -> Sequence[tuple[int, ...]]:
    middle = (len(values) + 1) // 2
    return values[:middle], values[middle:]


def _unusual(game: Game, settings: Message) -> Sequence[Property]:
    """Return the settings that are not as usual."""
    return _find_unusual(game.name, settings.SerializeToString(deterministic=True))


@cache  # games are drawn from the same few tables, thousands of times
def _find_unusual(name: str, chosen: bytes) -> Sequence[Property]:
    game = find(name)
    settings: Any = game.settings_type.FromString(chosen)
    usual = game.full_settings(game.settings_type())
    names = [field.name for field in usual.DESCRIPTOR.fields]
    changed = [name for name in names if getattr(settings, name) != getattr(usual, name)]
    return [(name, str(getattr(settings, name))) for name in changed]


def _weigh(game: Game, pairs: Iterable[Pair]) -> int:
    """Return how much pairs matter: most of all a setting in the circumstances that the game says it matters in."""
    readers = find_conformance(game.name).settings_readers
    return sum(READ_WEIGHT if where in readers.get(name, ()) else 1 for where, (name, _) in pairs)


class Lost(NamedTuple):
    """So many rivals (2: or more) leave between two decisions of the player under test."""

    number: int
    is_fresh: bool
    """Whether the game was begun afresh, and not from a state."""


class Gone(NamedTuple):
    """These rivals have left by the end, counted in turns from the player under test: in this order, if few play."""

    rivals: tuple[int, ...]


class _Plan(NamedTuple):
    trace: Trace
    first: Occurrence
    departures: Sequence[Departure]
    is_fresh: bool
    newcomers: tuple[int, ...]
    shift: int = 0
    """What is added to a seat of the traced game to get that of the game."""

    def scenario(self, game: Game, name: str, rng: Random) -> Scenario:
        """Return the game, which goes on from a state shortly before the first phase, or begins afresh."""
        played, tested, start = self.trace, self.first.tested, self.first.start
        state, shift = find_beginning(game, played, 0 if self.is_fresh else start)

        def seat(traced: int) -> int:
            return (traced + shift) % played.player_count

        left = sum(tested in seats for seats in played.deciders[start:])
        is_long = left <= NEAR_THE_END or any(each.fault is Fault.LATE_DECISIONS for each in self.departures)
        turn_count = NEAR_THE_END * 2 if is_long else DECISIONS
        place = seat(tested), state, turn_count, played.strategy
        situation = Situation(played.settings, played.player_count, *place)
        departures = tuple(each._replace(seat=seat(each.seat)) for each in self.departures)
        waits = rng.random() < 0.5
        seed, newcomers = rng.getrandbits(32), self.newcomers
        return Scenario(name, situation, seed, departures=departures, rivals_wait=waits, newcomers=newcomers)

    def hoped_pairs(self, game: Game) -> set[Pair]:
        """Return the pairs that the game has if it goes as the one of the reference players did."""
        start = self.first.start
        hoped = {
            Circumstance.LOSS: bool(self.departures),
            Circumstance.ALONE: len(self.departures) == self.trace.player_count - 1,
            Circumstance.RESUMED: not self.is_fresh,
            Circumstance.JOIN: bool(self.newcomers),
            Circumstance.END: bool(self.trace.winners) and len(self.trace.states) - start <= NEAR_THE_END,
        }
        lost = len(self.departures) if any(each.phase is None for each in self.departures) else 0
        circumstances = [each for each, is_hoped in hoped.items() if is_hoped]
        return self.pairs(game, self.departures, circumstances) | self._losses(game, lost)

    def foreseen_pairs(self, game: Game, foreseen: Foreseen) -> set[Pair]:
        """Return the pairs of a game in which this happens."""
        by_seat = {(each.seat + self.shift) % self.trace.player_count: each for each in self.departures}
        departures = [by_seat[seat] for seat in foreseen.left]
        after_others = [AFTER_OTHERS] if foreseen.loses_after_others else []
        told = {*product(after_others, _unusual(game, self.trace.settings))}
        return self.pairs(game, departures, foreseen.circumstances) | self._losses(game, foreseen.most_lost) | told

    def _losses(self, game: Game, number: int) -> set[Pair]:
        """Return the pairs that the game has if so many rivals leave between two decisions."""
        lost = [Lost(min(2, number), self.is_fresh)] if number else []
        return {*product(lost, [("players", self.trace.player_count), *_unusual(game, self.trace.settings)])}

    def pairs(self, game: Game, departures: Sequence[Departure], circumstances: Iterable[Circumstance]) -> set[Pair]:
        """Return the pairs that the game has if these rivals leave it, in this order, and this happens."""
        played, tested = self.trace, self.first.tested
        settings, player_count = _unusual(game, played.settings), played.player_count
        seat_in_game = (tested + self.shift) % player_count
        common: list[Property] = [*settings, ("players", player_count), ("seat", seat_in_game)]
        common += [("last seat", seat_in_game == player_count - 1), ANY_GAME]
        many = len(departures) > 1
        common += [("begins", (self.is_fresh, many))]
        readers = find_conformance(game.name).settings_readers
        methods = {phase.method for *_, phase in departures if phase is not None}
        found: set[Pair] = {*product(circumstances, settings)}
        found |= {(method, each) for each in settings for method in methods.intersection(readers.get(each[0], ()))}
        left = [each.seat for each in departures]
        gone = [(seat - tested) % player_count for seat in left]
        found.add((Gone(tuple(gone if player_count <= MOST_ORDERED else sorted(gone))), ("players", player_count)))
        for seat, _, _, fault, phase in departures:
            side = side_of(player_count, tested, seat, left)
            own: list[Property] = [("side", side), ("fault", fault), ("leads", seat in played.winners)]
            found |= {*product([phase or Kind.AT_ONCE], [*common, *own])}
        return found


class _Traces:
    """Games of reference players, each played when it is drawn for the first time, for so many decisions.

    Those of the same tables are the same whatever the seed. `single` are tables for what is wanted, and not found with
    the others; `known` are the games of the others, if they were played before.
    """

    def __init__(
        self,
        game: Game,
        tables: Sequence[Table],
        single: Sequence[Table],
        length: int,
        known: Sequence[Trace] = (),
    ) -> None:
        self._game = game
        self.tables = tables
        self._every = [*tables, *single]
        self._make = [partial(trace, game, *table, Random(number), length) for number, table in enumerate(self._every)]
        self._known = dict(enumerate(known))
        self._made: dict[int, Trace] = {}

    def play_all(self) -> Sequence[Trace]:
        """Return all but the single ones."""
        return [self._play(number) for number in range(len(self.tables))]

    def draw(self, rng: Random, wanted: Property | None = None) -> Trace:
        """Return any of them; of those and the single ones one that has a property, if one is wanted."""
        number = rng.randrange(len(self.tables))
        if wanted is not None:
            number = rng.choice([at for at in range(len(self._every)) if self._has(at, wanted)])
        return self._play(number)

    def find_places(self, *, every_pair: bool) -> Mapping[Pair, Sequence[Place]]:
        """Return where games come to each phase in which the player under test may hear of a rival that leaves.

        `every_pair`: in all games, by what else they have there; otherwise in the drawn ones, by the phase alone.
        """
        found = defaultdict[Pair, list[Place]](list)
        for number in range(len(self.tables)) if every_pair else sorted(self._made):
            played = self._play(number)
            for each in filter(attrgetter("goes_on"), played.occurrences):
                for one in self._list_properties(played, each) if every_pair else (ANY_GAME,):
                    found[each.phase, one].append((played, each))
        return found

    def _list_properties(self, played: Trace, at: Occurrence) -> Iterator[Property]:
        yield "side", side_of(played.player_count, at.tested, at.leaver)
        yield "seat", at.tested
        yield "players", played.player_count
        yield from _unusual(self._game, played.settings)
        yield from (("fault", fault) for fault in _faults(self._game, at.phase))

    def _play(self, number: int) -> Trace:
        if number not in self._made:
            self._made[number] = self._known.get(number) or self._make[number]()
        return self._made[number]

    def _has(self, number: int, wanted: Property) -> bool:
        settings, player_count = self._every[number]
        return wanted == ("players", player_count) or wanted in _unusual(self._game, settings)


def _draw(
    game: Game,
    played: Trace,
    kind: Kind,
    rng: Random,
    after: int = 1,
    at: Occurrence | None = None,
    fault: Fault | None = None,
) -> _Plan:
    """Return a game of a kind, or one that rivals leave in phases if there is none of that kind.

    Those that leave at once do so when the player under test has decided `after` times. `at`: where the first one
    leaves; None: anywhere. `fault`: how it does; None: in any way.
    """
    later = [each for each in played.occurrences if each.start > 2 * played.player_count]
    known = later if later and kind is Kind.AT_ONCE and rng.random() < LATER_SHARE else played.occurrences
    phase = rng.choice(sorted({each.phase for each in known}))
    first = at or rng.choice([each for each in known if each.phase == phase])
    others = [seat for seat in range(played.player_count) if seat not in (first.tested, first.leaver)]
    rng.shuffle(others)
    is_early, departures = first.start <= played.player_count, list[Departure]()
    if kind is Kind.NOBODY and played.winners:
        last = len(played.states) - rng.randrange(1, NEAR_THE_END)
        first, is_early = first._replace(start=max(0, last)), False
    elif kind is Kind.AT_ONCE and others:
        for number in range(after):
            first = first._replace(start=played.last_decision(first.tested, max(0, first.start - number)))
        leaving = [first.leaver, *others[: rng.choice((0, 1, len(others)))]]
        departures = [Departure(seat, after, after > 1, rng.choice(FAILED_CALLS)) for seat in leaving]
        is_early = rng.random() < FRESH_SHARE
    else:
        leaves = _departure(game, first, rng, after=0)
        departures = [leaves if fault is None else leaves._replace(fault=fault)]
        for seat in others[: rng.choice((0, 0, 1, 2, len(others)))]:
            later = [each for each in played.occurrences if (each.tested, each.leaver) == (first.tested, seat)]
            if later := [each for each in later if each.start >= first.start]:
                departures.append(_departure(game, rng.choice(later), rng, rng.randrange(3)))
    is_fresh = first.start == 0 or (is_early and rng.random() < 0.5)
    return _Plan(played, first, departures, is_fresh, _draw_newcomers(game, played, rng))


def _draw_newcomers(game: Game, played: Trace, rng: Random) -> tuple[int, ...]:
    """Return after how many decisions of the player under test others join; nobody does where the game forbids it."""
    if not game.may_join_late(played.settings):
        return ()
    most = min(MOST_NEWCOMERS, game.seats.stop - 1 - played.player_count)
    return tuple(sorted(rng.randrange(DECISIONS) for _ in range(rng.randint(0, most))))


def _departure(game: Game, found: Occurrence, rng: Random, after: int) -> Departure:
    """Return that a rival leaves in a phase, in any way that is possible there."""
    fault = rng.choice(_faults(game, found.phase))
    return Departure(found.leaver, after, fault=fault, phase=found.phase)


def _faults(game: Game, phase: Phase) -> Sequence[Fault]:
    """Return how rivals may fail in a phase."""
    return [*FAILED_CALLS, Fault.ILLEGAL_ANSWER] if phase.method == game.turn.name else FAILED_CALLS


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return rivals_leave_in_any_phase, settings_in_any_phase
