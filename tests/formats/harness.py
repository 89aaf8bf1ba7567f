"""Plays tournaments from the plans of formats: no players, no clock, results that a function decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.formats.format import Terms, find
from fairplay.games.kit.tournament import Failures, Order, Pairing, Played, PlayRound, Results, Rounds
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup

Decide = Callable[[Pairing], GameResult]


class Event(NamedTuple):
    """A tournament that was played."""

    rounds: list[PlayRound]
    played: list[Played]
    withdrawn: set[int]
    order: Order

    @property
    def games(self) -> list[Pairing]:
        return [game for each in self.rounds for game in each.games]

    def meetings(self) -> Counter[tuple[int, int]]:
        """Return how often pairs met; the games of a deal, which come one after the other, are one meeting."""
        groups = {(tuple(sorted(game.entrants)), game.deal or -place) for place, game in enumerate(self.games)}
        return Counter(pair for group, _ in groups for pair in combinations(group, 2))

    def seats(self) -> Counter[tuple[int, int]]:
        return Counter((entrant, seat) for game in self.games for seat, entrant in enumerate(game.entrants))


def result(ranking: Sequence[Sequence[int]], failed: Sequence[int] = (), aborted: str = "") -> GameResult:
    """Return a result, by seats: groups that share a place, best first, and who failed."""
    groups = [RankGroup(players=[RankedPlayer(seat=seat) for seat in group]) for group in ranking if group]
    return GameResult(ranking=groups, misconducts=[Misconduct(seat=seat) for seat in failed], aborted=aborted)


def strongest_wins(game: Pairing) -> GameResult:
    """Return a result in which the entrants come in their order: 0 is the best."""
    return result([[seat] for seat in sorted(range(len(game.entrants)), key=lambda seat: game.entrants[seat])])


def chance(seed: int, *, ties: float = 0.1, failures: float = 0.0, aborted: float = 0.0) -> Decide:
    """Return results that are drawn; 0 is the best on average. The same game has the same result each time."""

    def decide(game: Pairing) -> GameResult:
        rng = Random(f"{seed}/{game.entrants}/{game.deal}")
        if rng.random() < aborted:
            return result([], aborted="the referee failed")
        failed = [seat for seat in range(len(game.entrants)) if rng.random() < failures]
        left = [seat for seat in range(len(game.entrants)) if seat not in failed]
        left.sort(key=lambda seat: game.entrants[seat] + 4 * rng.random())
        groups: list[list[int]] = []
        for seat in left:
            if groups and rng.random() < ties:
                groups[-1].append(seat)
            else:
                groups.append([seat])
        return result(groups, failed)

    return decide


def play(
    name: str,
    settings: Message,
    count: int,
    *,
    sizes: range = range(2, 5),
    deal_count: int = 0,
    decide: Decide = strongest_wins,
    allowed: int = 1_000_000,
    missing: Sequence[int] = (),
    seed: int = 1,
) -> Event:
    """Play a tournament; `missing` have failed at the start. The results of rounds come as late as they may."""
    format_ = find(name)
    terms = Terms([f"p{number}" for number in range(count)], sizes, deal_count, format_.strikes_withdrawn)
    full = format_.full_settings(settings, sizes)
    format_.check(full, terms)
    entrants = [entrant for entrant in range(count) if entrant not in missing]
    schedule = format_.schedule(full, terms, entrants, Random(seed))
    failures, rounds, begun, played = Failures(allowed), Rounds(), list[PlayRound](), list[Played]()
    failures.withdrawn.update(missing)
    try:
        step = next(schedule)
        while True:
            check_round(step, sizes, failures.withdrawn)
            number = rounds.begin(step)
            begun += [step] if step.games else []
            for place, game in enumerate(step.games, start=1):
                rounds.record(Played(number, place, game, decide(game)))
            due = rounds.answer()
            assert due is not None
            played += due
            failures.count(entrant for game in due for entrant in game.failed)
            step = schedule.send(Results(due, frozenset(failures.withdrawn)))
    except StopIteration as stop:
        return finished(Event(begun, played, failures.withdrawn, stop.value), entrants)


def check_round(step: PlayRound, sizes: range, withdrawn: set[int]) -> None:
    for entrants, *_ in step.games:
        assert len(entrants) in sizes
        assert len(set(entrants)) == len(entrants)
        assert not withdrawn.intersection(entrants)


def finished(event: Event, entrants: Sequence[int]) -> Event:
    """Check what holds for the order of every format."""
    ranked = [*event.order.winners, *event.order.others]
    assert len(set(ranked)) == len(ranked)
    assert set(ranked) <= set(entrants)
    assert set(entrants) - set(ranked) <= event.withdrawn
    return event
