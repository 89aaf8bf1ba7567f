"""What all tournaments share, whatever their format: the calls at the beginning and the end, and who is withdrawn.

A tournament is a conversation as a game is: a generator that yields steps and is sent their answers. Its seats are the
entrants, by their place in the list of entrants, youngest first. Which games are played is said by the schedule of its
format, another generator, which sees no calls: only results, and who has been withdrawn.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import FAILURES, Call, CallAll, CallKind, Eliminate, Method
from fairplay.v1.player_pb2 import EndRequest, StartRequest
from fairplay.v1.result_pb2 import GameResult


class Pairing(NamedTuple):
    """A game to be played."""

    entrants: tuple[int, ...]
    """In turn order."""
    deal: int = 0
    """The number of the deal, from 1: games of the same deal have the same seed. 0: a deal of its own."""
    needed: int | None = None
    """The entrant without which it is not played; None: it is played by whoever is left, where they are enough."""


class PlayRound(NamedTuple):
    """Play a round of games. The answer is a tuple of Played: the games of the rounds that are due, in their order.

    Due are all rounds but the last `ahead`, this one included, without those that were answered before. So a format
    that does not need every result at once names the next games before the last ones are over, and one slow game does
    not hold up the others. A round without games is not counted: it only waits for the rounds that are due.
    """

    games: tuple[Pairing, ...]
    ahead: int = 0
    stage: int = 0
    """The stage of the tournament, from 1; 0: it has no stages."""
    byes: tuple[int, ...] = ()
    """Who sits the round out for points: the entrant, once for each game that counts as won."""
    skipped_are_won: bool = False
    """Whether a game that is skipped counts as won for who is left of it."""


class Played(NamedTuple):
    """A game that is over. A game that was aborted has decided nothing.

    Its pairing is without those who were withdrawn after the schedule had named it and before it began.
    """

    round_number: int
    place: int
    """Its number in the round; both count from 1."""
    pairing: Pairing
    result: GameResult
    skipped: bool = False
    """Whether it was not played, because too few were left of it; its result says that it was aborted."""
    idle: frozenset[int] = frozenset()
    """The entrants that did not fail and made no decision, because others failed before it was their turn."""

    @property
    def finishers(self) -> frozenset[int]:
        """Return the entrants that have finished the game after making a decision; nobody if it was aborted."""
        return frozenset() if self.result.aborted else frozenset(self.pairing.entrants) - self.idle - {*self.failed}

    @property
    def failed(self) -> list[int]:
        """Return the entrants that failed in the game, in that order."""
        return [self.pairing.entrants[misconduct.seat] for misconduct in self.result.misconducts]


class Results(NamedTuple):
    """What a schedule is sent: the games that are due, and all entrants that have been withdrawn so far."""

    played: tuple[Played, ...]
    withdrawn: frozenset[int]


class Order(NamedTuple):
    """The result of a tournament: the winners in list order, and the others, best first."""

    winners: tuple[int, ...]
    others: tuple[int, ...]


Step: TypeAlias = CallAll | Eliminate | PlayRound
Conversation: TypeAlias = Generator[Step, Any, Order]
Schedule: TypeAlias = Generator[PlayRound, Results, Order]
"""Yields rounds, is sent Results, and returns the order of its entrants; it may leave out those withdrawn.

It is a function of its entrants, settings, random generator and results, and of nothing else: fed with the results of
a record it names the same games again. A pairing must not name an entrant that the schedule has been told is withdrawn.
"""


def play(
    tournament_id: str,
    entrant_count: int,
    sizes: range,
    schedule: Callable[[Sequence[int]], Schedule],
    failures: Failures | None = None,
    end_failure_is_failure: bool = True,
) -> Conversation:
    """Play a tournament: Start to everyone, the games of the schedule, End to the winners first and then to the rest.

    `schedule` is for those that are not withdrawn after Start. `failures` counts failures, and says who is withdrawn;
    None: whoever fails is. Without `end_failure_is_failure` failing End is no failure. Where no failure is
    allowed, a winner that fails End does not win either way. Raises ValueError if the schedule names a game that cannot
    be played.
    """
    everyone = range(entrant_count)
    failures = failures or Failures(0)
    failures.count((yield from _tell(everyone, START, StartRequest(tournament_id=tournament_id))))
    stay = [seat for seat in everyone if seat not in failures.withdrawn]
    order = yield from _rounds(schedule(stay), sizes, failures)
    best = [seat for seat in everyone if seat in order.winners and seat not in failures.withdrawn]
    rest = [seat for seat in everyone if seat not in failures.withdrawn and seat not in best]
    silent = yield from _tell(best, END, _end(tournament_id, won=True), blame=end_failure_is_failure)
    silent |= yield from _tell(rest, END, _end(tournament_id, won=False), blame=end_failure_is_failure)
    if end_failure_is_failure:
        failures.count(silent)
    lost = failures.withdrawn | (silent if failures.allowed == 0 else set())
    winners = tuple(seat for seat in best if seat not in lost)
    places = {seat: place for place, seat in enumerate((*best, *order.others))}
    others = [seat for seat in everyone if seat not in failures.withdrawn and seat not in winners]
    return Order(winners, tuple(sorted(others, key=lambda seat: places.get(seat, len(places)))))


def farewell(tournament_id: str, entrants: Sequence[int]) -> Conversation:
    """End a cancelled tournament: make the End calls to these entrants. Nobody wins, and failures have no effect."""
    yield from _tell(entrants, END, _end(tournament_id, won=False), blame=False)
    return Order((), tuple(entrants))


class Failures:
    """How often each entrant has failed; those with more failures than `allowed` are `withdrawn`."""

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self.counts: Counter[int] = Counter()
        self.withdrawn: set[int] = set()

    def count(self, failed: Iterable[int]) -> None:
        """Count a failure of each of these entrants."""
        for seat in failed:
            self.counts[seat] += 1
            if self.counts[seat] > self.allowed:
                self.withdrawn.add(seat)


def _rounds(schedule: Schedule, sizes: range, failures: Failures) -> Generator[PlayRound, Any, Order]:
    """Play the rounds of a schedule, and return the order that it returns."""
    ahead = 0
    try:
        step = next(schedule)
        while True:
            _check(step, sizes, failures.withdrawn)
            ahead = step.ahead
            results = yield from _answered(step, failures)
            step = schedule.send(results)
    except StopIteration as stop:
        if ahead:
            yield from _answered(PlayRound(()), failures)  # the schedule needs no more results, but everybody plays on
        order: Order = stop.value
        return order


def _answered(step: PlayRound, failures: Failures) -> Generator[PlayRound, Any, Results]:
    played: tuple[Played, ...] = yield step
    for game in played:
        failures.count(game.failed)
    return Results(played, frozenset(failures.withdrawn))


def _check(step: PlayRound, sizes: range, withdrawn: set[int]) -> None:
    """Raise ValueError if a round has a game that cannot be played: the format is wrong."""
    for entrants, *_ in step.games:
        if len(entrants) not in sizes or len(set(entrants)) < len(entrants) or withdrawn.intersection(entrants):
            raise ValueError(f"the format names a game that cannot be played, of the entrants {entrants}")


def _end(tournament_id: str, *, won: bool) -> EndRequest:
    return EndRequest(tournament_id=tournament_id, won=won)


def _tell(
    seats: Sequence[int], method: Method, request: Message, *, blame: bool = True
) -> Generator[CallAll | Eliminate, Any, set[int]]:
    """Tell all these entrants at once, so that hung players cost one limit together. Return those that failed."""
    if not seats:
        return set()
    data = request.SerializeToString()
    answers = yield CallAll([Call(seat, method, data, CallKind.NOTIFICATION) for seat in seats])
    failures = {seat: answers[seat] for seat in seats if isinstance(answers[seat], FAILURES)}
    if blame:
        for seat, cause in failures.items():
            yield Eliminate(seat, cause)
    return set(failures)


def answer_round(number: int, step: PlayRound, results: Sequence[GameResult]) -> tuple[Played, ...]:
    """Return the answer to a round whose results are all there and that waits for no other one."""
    pairs = zip(step.games, results, strict=True)
    return tuple(Played(number, place, pairing, result) for place, (pairing, result) in enumerate(pairs, start=1))


class Rounds:
    """The rounds that have begun and whose games a schedule has not been sent yet. For drivers of a conversation."""

    def __init__(self) -> None:
        self.begun = 0
        self._ahead = 0
        self._first = 1
        self._open: deque[_OpenRound] = deque()

    def begin(self, step: PlayRound) -> int:
        """Begin a round, and return its number; one without games is not counted."""
        self._ahead = step.ahead
        if step.games:
            self.begun += 1
            self._open.append(_OpenRound(len(step.games)))
        return self.begun

    def record(self, game: Played) -> None:
        """Record a game of an open round that is over."""
        self._open[game.round_number - self._first].played[game.place] = game

    def answer(self) -> tuple[Played, ...] | None:
        """Return the games that are due, and forget them; None if one of them is not over."""
        due = max(0, len(self._open) - self._ahead)
        return self._take(due) if all(self._open[index].over for index in range(due)) else None

    def drain(self) -> tuple[Played, ...]:
        """Return all games that are over, and forget everything: the tournament was cancelled."""
        return self._take(len(self._open))

    def _take(self, count: int) -> tuple[Played, ...]:
        played: list[Played] = []
        for _ in range(count):
            games = self._open.popleft().played
            played += (games[place] for place in sorted(games))
            self._first += 1
        return tuple(played)


class _OpenRound:
    """How many games a round has, and those that are over, by place."""

    def __init__(self, game_count: int) -> None:
        self._game_count = game_count
        self.played: dict[int, Played] = {}

    @property
    def over(self) -> bool:
        return len(self.played) == self._game_count
