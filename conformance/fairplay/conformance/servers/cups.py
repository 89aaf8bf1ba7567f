"""Small tournaments, drawn so that each pair of their circumstances is found, and what their players do.

They are the same in every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle
from math import comb
from random import Random
from typing import Any, NamedTuple

from fairplay.conformance.games.variations import cover_pairs
from fairplay.conformance.servers.scenes import FAILED, NAMES, Act, Asked, Manner, hang, reply
from fairplay.games.conformance import find_conformance
from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.tournament_pb2 import AgeOrder, TournamentFormat, TournamentPlan, WithdrawnGames

GAME = "q"
"""A game that is over when all pass or one places its tiles, and whose winners may fail to be told so."""
TURN, SETUP, WIN = "TakeTurn", "Setup", "Win"
MAX_SEED = 2**53 - 1
MOST_GAMES, MANY_FAILURES = 8, 1_000
SEARCHED_ROUNDS = 6
"""A Swiss of so many rounds may come to where no more can be made of the pairs that are left, but by a search."""
NOTHING = reply(b"")


def _passing() -> bytes:
    turn: Any = find(GAME).turn.response()
    turn.action.pass_turn.SetInParent()
    data: bytes = turn.SerializeToString()
    return data


PASS = Act(Manner.REPLY, _passing())


class Conduct(NamedTuple):
    """In which call of its games, from 1, or outside of them, somebody fails."""

    title: str
    method: str = ""
    games: Sequence[int] = ()
    won: bool | None = None
    """Whether those fail End who have won, or those who have not; None: it does not matter."""
    one_by_one: bool = False
    """Whether each who fails does so in a game later than the one before."""


NOBODY_FAILS = Conduct("nobody fails")
IN_FIRST_GAME = Conduct("{} fails in its first game", TURN, (1,))
IN_SECOND_GAME = Conduct("{} fails in its second game", TURN, (2,))
IN_ALL_GAMES = Conduct("{} fails in its games", TURN, range(1, 100))
BEFORE_DECISION = Conduct("{} fails before its first decision", SETUP, (1,))
ONE_BY_ONE = Conduct("first one of {} fails, and then the other", TURN, (1,), one_by_one=True)
IN_START = Conduct("{} fails Start", "Start")
IN_END = Conduct("{} fails End", "End")
CONDUCTS: Sequence[tuple[Conduct, int | None]] = (
    (NOBODY_FAILS, None),
    (IN_FIRST_GAME, 1),
    (IN_FIRST_GAME, 0),
    (IN_START, 1),
    (IN_START, 0),
    (BEFORE_DECISION, None),
    (IN_SECOND_GAME, 0),
    (IN_ALL_GAMES, 1),
    (Conduct("{} fails when it is told who has won", WIN, (1,)), 1),
    (IN_END, 0),
    (IN_END, 1),
)
"""What players do, with how often they may fail."""
FAILING: Sequence[Callable[[int], Sequence[int]]] = (lambda _: (0,), lambda count: (count - 1,), lambda _: (0, 1))
"""Who fails, of how many entrants, by their places in NAMES."""
FINISHED, STOPPED, CANCELLED, CANCELLED_IN_START, CANCELLED_IN_END, NEVER_STARTED = (
    "it is played to its end",
    "one of its games is stopped",
    "it is cancelled during a game",
    "it is cancelled during Start",
    "somebody tries to cancel it during End",
    "it is cancelled before it starts",
)
ENDINGS = (FINISHED, CANCELLED, STOPPED, CANCELLED_IN_START, CANCELLED_IN_END)
GIVEN, SIGNED_UP, IN_ORDER, BOTH = "given", "signed up", "signed up in order", "given and signed up"
ENTRIES = (GIVEN, SIGNED_UP, IN_ORDER, BOTH)
LENGTHS = {
    "knockout": ("games_per_match", (0, 2, 3)),
    "double_elimination": ("games_per_match", (0, 2)),
    "round_robin": ("cycle_count", (0, 2, 3)),
    "swiss": ("round_count", (0, 1, 2)),
    "gauntlet": ("meeting_count", (0, 2)),
    "ladder": ("game_limit", (6, 5)),
}
"""Format -> its setting that says how much is played, and values of it; 0: its default."""
KINDS = (*LENGTHS, "stages")
KNOCKING_OUT = ("knockout", "double_elimination")


@dataclass(frozen=True)
class Cup:
    """A tournament, and what happens in it."""

    format: TournamentFormat
    count: int
    deal_count: int = 0
    ties: bool = False
    """Whether everybody passes, so that all games are tied."""
    conduct: Conduct = NOBODY_FAILS
    failing: Sequence[int] = ()
    """The players that fail, by their places in NAMES."""
    failures_allowed: int | None = None
    withdrawn_games: WithdrawnGames.ValueType = WithdrawnGames.WITHDRAWN_GAMES_UNSPECIFIED
    ending: str = FINISHED
    entry: str = GIVEN
    seed: int | None = 5
    alone: bool = False
    """Whether one game is played at a time."""
    failed_before: bool = False
    """Whether the game that is stopped, or in which all are cancelled, is one in which somebody has failed."""
    luck: int = 0
    """By which number it is drawn who wins each game, in which all others fail then, or that it is tied; 0: by none."""

    @property
    def kind(self) -> str:
        """Return the name of the format."""
        return str(self.format.WhichOneof("format"))

    @property
    def settings(self) -> Any:
        """Return the settings of the format."""
        return getattr(self.format, self.kind)

    @property
    def is_searched(self) -> bool:
        """Return whether a server has to search for rounds, and may find others than another server does."""
        settings = self.settings
        larger = self.kind == "round_robin" and getattr(settings, "seat_count", 0) > 2
        return larger or (self.kind == "swiss" and settings.round_count >= SEARCHED_ROUNDS)

    @property
    def where(self) -> str:
        """Return what is special about it, e.g. "in a swiss of 3, where deal_count is 1"."""
        settings = str(self.settings).replace("\n", " ").strip()
        said = [f"in a {self.kind} of {self.count}{f' with {settings}' if settings else ''}, {self.entry}"]
        said += [f"deal_count {self.deal_count}"] if self.deal_count else []
        said += ["in which all pass"] if self.ties else []
        said += [f"with the results of number {self.luck}"] if self.luck else []
        said += [f"seed {self.seed}"] if self.seed in (0, MAX_SEED) else []
        said += [f"failures_allowed {self.failures_allowed}"] if self.failures_allowed is not None else []
        said += [WithdrawnGames.Name(self.withdrawn_games)] if self.withdrawn_games else []
        names = " and ".join(NAMES[seat] for seat in self.failing)
        said += [self.conduct.title.format(names)] if self.failing else []
        said += [self.ending] if self.ending != FINISHED else []
        said += ["in which somebody has failed"] if self.failed_before else []
        return ", ".join(said)

    def change(self, plan: TournamentPlan) -> None:
        """Make a plan that of the tournament, without its entrants."""
        game = find(GAME)
        settings = game.settings_type(copies_per_kind=1, hand_size=1 + (self.count == 4))
        settings.MergeFrom(find_conformance(GAME).leaving_settings[-1])
        plan.game = GAME
        plan.settings.CopyFrom(wrap(GameSettings, game, settings))
        plan.format.CopyFrom(self.format)
        plan.deal_count = self.deal_count
        plan.withdrawn_games = self.withdrawn_games
        plan.concurrent_game_limit = int(self.alone)
        if self.failures_allowed is not None:
            plan.failures_allowed = self.failures_allowed
        if self.seed is None:
            plan.ClearField("seed")
        else:
            plan.seed = self.seed
        plan.sign_up.max_entrant_count = self.count if self.is_filled else self.count + 1
        in_order = self.entry == IN_ORDER
        plan.sign_up.age_order = AgeOrder.AGE_ORDER_SIGN_UP if in_order else AgeOrder.AGE_ORDER_REVERSE_SIGN_UP

    @property
    def is_filled(self) -> bool:
        """Return whether it starts by itself, as soon as the last entrant has signed up."""
        return self.entry in (SIGNED_UP, BOTH)

    @property
    def given(self) -> int:
        """Return how many of the entrants the plan names."""
        return {GIVEN: self.count, BOTH: 1}.get(self.entry, 0)

    @property
    def entrants(self) -> Sequence[str]:
        """Return the names of the entrants, as the plan says their order."""
        names = NAMES[: self.count]
        if self.entry in (GIVEN, IN_ORDER):
            return names
        return (*names[self.given :][::-1], *names[: self.given])


@dataclass
class Players:
    """What the players of a tournament do: their script."""

    cup: Cup
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when somebody is asked something with which the tournament is to end otherwise."""
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """Calls with which it is to be cancelled are answered when it is set."""
    hung: str = ""
    """The id of the game in which somebody does not answer."""
    _sizes: dict[str, int] = field(default_factory=dict)
    """How many players each game has."""
    _games: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    _failed: set[str] = field(default_factory=set)

    def __call__(self, asked: Asked) -> Act | None:
        """Return what a player does."""
        cup, fails = self.cup, asked.seat in self.cup.failing
        game_id = getattr(asked.request, "game_id", "")
        if not game_id:
            fails = fails and asked.method == cup.conduct.method
            return self._told(asked, fails=fails and cup.conduct.won in (None, getattr(asked.request, "won", None)))
        games = self._games.setdefault((asked.seat, asked.method), [])
        if game_id not in games:
            games.append(game_id)
        number = games.index(game_id) + 1
        later = cup.failing.index(asked.seat) if fails and cup.conduct.one_by_one else 0
        if fails and asked.method == cup.conduct.method and number - later in cup.conduct.games:
            self._failed.add(game_id)
            return NOTHING(asked) if asked.method == TURN and asked.number % 2 else FAILED(asked)
        self._sizes.setdefault(game_id, len(asked.request.state.players) if asked.method == SETUP else 0)
        if asked.method != TURN:
            return None
        if cup.luck:
            winner = Random(f"{cup.luck}/{_end_of(game_id)}").choice([*range(self._sizes[game_id]), None])
            return PASS if winner in (None, asked.request.seat) else FAILED(asked)
        if self._hangs(asked.seat, game_id, number):
            self.hung = game_id
            self.over.set()
            return hang(asked)
        places = asked.number == 1 and not cup.ties and Random(f"{_end_of(game_id)}/{asked.seat}").random() < 0.5
        return None if places else PASS

    def _hangs(self, seat: int, game_id: str, number: int) -> bool:
        """Return whether a player does not answer: one that does not fail, and after others have failed."""
        cup, has_failed = self.cup, game_id in self._failed
        if cup.ending not in (STOPPED, CANCELLED) or self.hung or seat in cup.failing:
            return False
        if cup.failed_before or has_failed:
            return cup.failed_before and has_failed
        waits = bool(cup.conduct.games) and cup.kind not in KNOCKING_OUT
        return bool(self._failed) if waits else number == 2 or cup.kind in KNOCKING_OUT

    def _told(self, asked: Asked, *, fails: bool) -> Act | None:
        """Answer Start or End."""
        act = FAILED(asked) if fails else None
        late = {CANCELLED_IN_START: "Start", CANCELLED_IN_END: "End"}.get(self.cup.ending)
        if asked.method != late or (late == "Start" and asked.seat != self.cup.count // 2):
            return act
        self.over.set()
        act = FAILED(asked) if late == "Start" or fails else Act(Manner.REPLY, asked.sound)
        return replace(act, gate=self.gate)


def _end_of(game_id: str) -> str:
    return game_id.rpartition("/")[2]


@cache
def draw_cups(kind: str) -> Sequence[Cup]:
    """Return tournaments of a format: of how many, how long, with which seats, deals, results and departures."""
    lengths = LENGTHS[kind][1] if kind in LENGTHS else range(PAIRED_STAGES)
    seats = (0,) if kind in KNOCKING_OUT or kind == "stages" else (0, 3)
    counts = {"knockout": (5, 3, 6), "round_robin": (3, 4, 5), "swiss": (3, 4, 5)}.get(kind, (3, 4))
    leaving = ((NOBODY_FAILS, 0, None), (IN_FIRST_GAME, 0, 0), (IN_START, 1, 0))
    """A conduct, who it is, and how many failures are allowed."""
    deals = (0, 1, 2)[: {"round_robin": 3, "swiss": 3}.get(kind, 1 if kind in KNOCKING_OUT else 2)]
    values: Sequence[Sequence[Any]] = (counts, lengths, seats, deals, (False, True), leaving)

    def cup_of(row: Sequence[int], seed: int = 5) -> Cup:
        count, length, seat_count, deal_count, ties, (conduct, who, allowed) = (
            each[index] for each, index in zip(values, row, strict=True)
        )
        return Cup(
            _format(kind, length, seat_count),
            count,
            deal_count,
            ties,
            conduct,
            FAILING[who](count) if conduct.method else (),
            allowed,
            seed=seed,
        )

    rows = cover_pairs([len(each) for each in values], lambda row: _is_short(cup_of(row)), Random(kind))
    return [*map(cup_of, rows, cycle((5, 0, MAX_SEED))), *LONG.get(kind, ())]


STAGES: Sequence[tuple[Sequence[tuple[str, int, int]], bool | None]] = (
    ((("round_robin", 0, 2), ("knockout", 0, 0)), None),
    ((("swiss", 1, 3), ("round_robin", 0, 0)), True),
    ((("gauntlet", 0, 3), ("double_elimination", 0, 0)), None),
    ((("swiss", 2, 3), ("knockout", 0, 2), ("round_robin", 2, 0)), None),
    ((("round_robin", 0, 5), ("knockout", 0, 0)), None),
    ((("knockout", 0, 4), ("swiss", 1, 0)), None),
    ((("swiss", 1, 4), ("swiss", 1, 3), ("round_robin", 0, 2), ("knockout", 0, 0)), None),
    ((("swiss", 1, 9), ("knockout", 0, 0)), True),
    ((("round_robin", 0, 3), ("swiss", 2, 0)), None),
)
"""Stages, each with its format, its length and how many get on, and unplayed_enter."""
PAIRED_STAGES = 4
"""So many of them, the first ones, are played by few, in all circumstances."""


def _format(kind: str, length: int, seat_count: int = 0) -> TournamentFormat:
    format_ = TournamentFormat()
    settings = getattr(format_, kind)
    settings.SetInParent()
    if kind == "stages":
        stages, enter = STAGES[length]
        for each, long, top in stages:
            settings.stages.add(format=_format(each, long), top_count=top)
        if enter is not None:
            settings.unplayed_enter = enter
        return format_
    if length:
        setattr(settings, LENGTHS[kind][0], length)
    if seat_count:
        settings.seat_count = seat_count
    if kind == "gauntlet" and length:
        settings.challengers.extend((NAMES[2], NAMES[0]))
    return format_


def _two_leave(format_: TournamentFormat, count: int, conduct: Conduct) -> Cup:
    """Return a tournament that the first two leave."""
    return Cup(format_, count, conduct=conduct, failing=(0, 1), failures_allowed=0)


def _drawn(format_: TournamentFormat, count: int, luck: int, deal_count: int = 0) -> Cup:
    """Return a tournament whose results are drawn."""
    return Cup(format_, count, deal_count, failures_allowed=MANY_FAILURES, luck=luck)


def _against_first(meeting_count: int) -> TournamentFormat:
    """Return a gauntlet of games of three, whose challenger is the first entrant."""
    format_ = _format("gauntlet", 0, 3)
    format_.gauntlet.meeting_count = meeting_count
    return format_


LONG: Mapping[str, Sequence[Cup]] = {
    "knockout": [
        Cup(_format("knockout", 0), 9),
        Cup(_format("knockout", 0), 10),
        Cup(_format("knockout", 2), 7),
        _two_leave(_format("knockout", 2), 6, IN_SECOND_GAME),
    ],
    "double_elimination": [
        Cup(_format("double_elimination", 0), 5),
        Cup(_format("double_elimination", 0), 7),
        Cup(_format("double_elimination", 0), 6, ties=True),
        _two_leave(_format("double_elimination", 0), 6, IN_SECOND_GAME),
    ],
    "round_robin": [
        Cup(_format("round_robin", 0), 6),
        _two_leave(_format("round_robin", 0), 7, IN_SECOND_GAME),
        _two_leave(_format("round_robin", 7), 3, IN_FIRST_GAME),
    ],
    "swiss": [
        Cup(_format("swiss", 3, 3), 4, 1, ties=True, conduct=IN_ALL_GAMES, failing=(3,), failures_allowed=20),
        Cup(_format("swiss", 3, 3), 5, deal_count=1),
        Cup(_format("swiss", 4), 9),
        Cup(_format("swiss", SEARCHED_ROUNDS), 8),
        _two_leave(_format("swiss", 5), 5, IN_FIRST_GAME),
        _two_leave(_format("swiss", 4), 6, IN_FIRST_GAME),
        replace(_two_leave(_format("swiss", 1, 4), 4, ONE_BY_ONE), deal_count=1),
        _drawn(_format("swiss", 4), 8, luck=30),
        _drawn(_format("swiss", 3), 4, luck=8, deal_count=2),
        _drawn(_format("swiss", 3, 3), 6, luck=1, deal_count=1),
        _drawn(_format("swiss", 0, 3), 5, luck=1),
    ],
    "gauntlet": [
        Cup(_against_first(2), 4, seed=0),
        Cup(_against_first(3), 5, seed=MAX_SEED),
        Cup(_against_first(2), 4, conduct=IN_FIRST_GAME, failing=(3,), failures_allowed=0),
    ],
    "stages": [
        Cup(_format("stages", 3), 3, deal_count=1),
        Cup(_format("stages", 3), 6),
        Cup(_format("stages", 4), 5),
        Cup(_format("stages", 5), 6, conduct=IN_FIRST_GAME, failing=(0,), failures_allowed=0),
        Cup(_format("stages", 6), 6),
        _drawn(_format("stages", 3), 6, luck=2),
        _drawn(_format("stages", 7), 9, luck=2),
        Cup(_format("stages", 8), 3),
    ],
}
"""Format -> tournaments that are longer, or of more entrants, than those of pairs."""


LARGER_GAMES: Sequence[tuple[TournamentFormat, int]] = (
    (_format("knockout", 0), 5),
    (_format("knockout", 2), 3),
    (_format("double_elimination", 0), 4),
    (_format("round_robin", 0, 3), 4),
    (_format("swiss", 2, 3), 3),
    (_format("gauntlet", 0, 3), 4),
)
"""Formats and numbers of entrants with which the first entrant plays with two others or more at first."""


def _is_short(cup: Cup) -> bool:
    """Return whether a tournament can be, and has few games."""
    settings = cup.settings
    seats = getattr(settings, "seat_count", 0) or 2
    if cup.kind == "gauntlet" and cup.count - len(settings.challengers) < seats - 1:
        return False
    long = max(1, getattr(settings, LENGTHS[cup.kind][0])) if cup.kind in LENGTHS else 1
    games: int = {
        "knockout": cup.count * long * (2 if cup.ties else 1) * 2 // 3,
        "double_elimination": cup.count * long,
        "round_robin": comb(cup.count, 2) * long,
        "swiss": cup.count // seats * (long if getattr(settings, "round_count", 0) else 4),
        "gauntlet": (cup.count - 1) * long * 2,
        "ladder": 1,
        "stages": cup.count * 2,
    }[cup.kind]
    return games * max(1, cup.deal_count * seats) <= MOST_GAMES


def _lenient() -> TournamentFormat:
    format_ = _format("knockout", 0)
    format_.knockout.end_failure_is_failure = False
    return format_


@cache
def draw_failures() -> Sequence[Cup]:
    """Return tournaments in which players fail and which end in all ways, between players that enter in all ways."""
    formats = (
        (_format("round_robin", 0), 3),
        (_format("knockout", 0), 5),
        (_format("swiss", 2), 3),
        (_format("stages", 0), 4),
    )
    values: Sequence[Sequence[Any]] = (
        formats,
        CONDUCTS,
        ENDINGS,
        FAILING,
        ENTRIES,
        WithdrawnGames.values(),
        (5, 0, MAX_SEED, None),
        (False, True),
        (False, True),
    )

    def cup_of(row: Sequence[int]) -> Cup:
        (format_, count), (conduct, allowed), ending, failing, entry, struck, seed, alone, ties = (
            each[index] for each, index in zip(values, row, strict=True)
        )
        who = failing(count) if conduct.method else ()
        return Cup(
            format_,
            count,
            ties=ties,
            conduct=conduct,
            failing=who,
            failures_allowed=allowed,
            withdrawn_games=struck,
            ending=ending,
            entry=entry,
            seed=seed,
            alone=alone,
        )

    def can_fail(row: Sequence[int]) -> bool:
        """Return whether whoever fails gets to it."""
        cup = cup_of(row)
        if cup.conduct is IN_END and cup.ending in (CANCELLED, CANCELLED_IN_START):
            return False
        return not cup.conduct.games or cup.ending != CANCELLED_IN_START

    rows = cover_pairs([len(each) for each in values], can_fail, Random("failures"))
    ends = (
        Cup(format_, count, conduct=Conduct(title, "End", won=won), failing=range(count), failures_allowed=allowed)
        for format_, count in (
            (_format("knockout", 0), 2),
            (_lenient(), 2),
            (_format("round_robin", 0), 2),
            (_format("swiss", 1), 3),
        )
        for title, won in (("who of {} has won fails End", True), ("who of {} has not won fails End", False))
        for allowed in (0, 1)
    )
    idle = (Cup(_format("knockout", 0), 3, ending=NEVER_STARTED, entry=entry) for entry in ENTRIES)
    stopped = (
        Cup(formats[0][0], 3, conduct=conduct, failing=(0,), failures_allowed=allowed, ending=ending)
        for conduct, allowed in CONDUCTS
        for ending in (CANCELLED, STOPPED)
        if conduct.games and allowed != 0
    )
    larger = (
        Cup(
            format_,
            count,
            conduct=conduct,
            failing=(0,),
            failures_allowed=allowed,
            ending=ending,
            failed_before=True,
        )
        for format_, count in LARGER_GAMES
        for conduct in (IN_FIRST_GAME, BEFORE_DECISION)
        for allowed in (0, 1)
        for ending in (STOPPED, CANCELLED)
    )
    counted = (
        Cup(
            format_,
            count,
            ties=True,
            conduct=IN_SECOND_GAME,
            failing=(0,),
            failures_allowed=0,
            withdrawn_games=struck,
        )
        for format_, count in (*formats, (_format("gauntlet", 0), 4))
        for struck in WithdrawnGames.values()
    )
    return [*(cup_of(row) for row in rows), *ends, *counted, *stopped, *larger, *idle]
