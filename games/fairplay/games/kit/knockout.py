"""Knock-out tournaments (fish.md section 7): who plays whom, who goes on, and which calls are made.

A tournament is a conversation as a game is: a generator that yields steps and is sent their answers. Its seats are the
entrants, by their place in the list of entrants, youngest first.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import FAILURES, Call, CallAll, CallKind, Eliminate, Method
from fairplay.v1.player_pb2 import EndRequest, StartRequest
from fairplay.v1.result_pb2 import GameResult


class PlayRound(NamedTuple):
    """Play these games, each between entrants in turn order. Answered with their GameResults in the same order."""

    games: tuple[tuple[int, ...], ...]


class Standings(NamedTuple):
    """The result of a tournament: the winners in list order, and those who neither won nor failed, best first."""

    winners: tuple[int, ...]
    others: tuple[int, ...]


Step: TypeAlias = CallAll | Eliminate | PlayRound
Conversation: TypeAlias = Generator[Step, Any, Standings]


def allocate(count: int, sizes: range) -> list[int]:
    """Return the sizes of the games to which `count` players are dealt, in order; `sizes` are those a game can have.

    They add up to `count` for all games that can have 2 and 3 players. If they cannot, as for 5 players in games of 2,
    the last players are left over.
    """
    games: list[int] = []
    rest = count
    for size in reversed(sizes):
        games += [size] * (rest // size)
        rest %= size
        if rest == 0:
            return games
        if rest in sizes:
            return [*games, rest]
        if games:
            rest += games.pop()
    largest = sizes[-1]
    return [largest] * (count // largest)


def play(tournament_id: str, entrant_count: int, sizes: range, end_failure_is_failure: bool = True) -> Conversation:
    """Play a tournament: Start to everyone, rounds of games, End to the winners first and then to the rest.

    Without `end_failure_is_failure` whoever fails End counts as one of the others. A winner that fails End does not
    win either way.
    """
    everyone = range(entrant_count)
    failed = yield from _tell(everyone, START, StartRequest(tournament_id=tournament_id), blame=True)
    reached = dict.fromkeys(everyone, 0)
    best = yield from _rounds([seat for seat in everyone if seat not in failed], sizes, reached, failed)
    rest = [seat for seat in everyone if seat not in failed and seat not in best]
    silent = yield from _tell(best, END, _end(tournament_id, won=True), blame=end_failure_is_failure)
    silent |= yield from _tell(rest, END, _end(tournament_id, won=False), blame=end_failure_is_failure)
    if end_failure_is_failure:
        failed |= silent
    winners = tuple(seat for seat in best if seat not in silent)
    others = [seat for seat in everyone if seat not in failed and seat not in winners]
    return Standings(winners, tuple(sorted(others, key=lambda seat: (seat not in best, -reached[seat], seat))))


def farewell(tournament_id: str, entrants: Sequence[int]) -> Conversation:
    """End a cancelled tournament: make the End calls to these entrants. Nobody wins, and failures have no effect."""
    yield from _tell(entrants, END, _end(tournament_id, won=False), blame=False)
    return Standings((), tuple(entrants))


def _end(tournament_id: str, *, won: bool) -> EndRequest:
    return EndRequest(tournament_id=tournament_id, won=won)


def _tell(
    seats: Sequence[int], method: Method, request: Message, *, blame: bool
) -> Generator[CallAll | Eliminate, Any, set[int]]:
    """Tell all these entrants at once, so that hung players cost one limit together. Return those that failed."""
    if not seats:
        return set()
    answers = yield CallAll([Call(seat, method, request, CallKind.NOTIFICATION) for seat in seats])
    failures = {seat: answers[seat] for seat in seats if isinstance(answers[seat], FAILURES)}
    if blame:
        for seat, cause in failures.items():
            yield Eliminate(seat, cause)
    return set(failures)


def _rounds(
    players: list[int], sizes: range, reached: dict[int, int], failed: set[int]
) -> Generator[PlayRound, Any, list[int]]:
    """Play rounds until a stop condition holds, and return the winners.

    Note in `reached` the last round that each player entered, and in `failed` who was eliminated in a game.
    """
    number = 0
    while len(players) >= sizes.start:
        number += 1
        reached.update(dict.fromkeys(players, number))
        games = _deal(players, sizes)
        results: Sequence[GameResult] = yield PlayRound(games)
        for game, result in zip(games, results, strict=True):
            failed.update(game[misconduct.seat] for misconduct in result.misconducts)
        winners = _winners(players, games, results)
        final = len(players) in sizes
        if final or (number > 1 and winners == players):  # the round before had exactly these winners, too
            return winners
        players = winners
    return players


def _deal(players: Sequence[int], sizes: range) -> tuple[tuple[int, ...], ...]:
    """Deal players to games, in order. Those left over, if any, have no game in this round."""
    waiting = iter(players)
    return tuple(tuple(next(waiting) for _ in range(size)) for size in allocate(len(players), sizes))


def _winners(players: Sequence[int], games: Sequence[Sequence[int]], results: Sequence[GameResult]) -> list[int]:
    """Return the players that go on, in list order.

    A game that was aborted has beaten nobody: all its players that did not fail go on. But a round in which every
    game was aborted, as the final may be, has decided nothing: it has no winners.
    """
    if all(result.aborted for result in results):
        return []
    out = {seat for game, result in zip(games, results, strict=True) for seat in _beaten(game, result)}
    return [seat for seat in players if seat not in out]


def _beaten(game: Sequence[int], result: GameResult) -> set[int]:
    """Return the players of a game that do not go on: all that are not among the first, and all that failed."""
    if result.aborted:
        return {game[misconduct.seat] for misconduct in result.misconducts}
    first = result.ranking[0].players if result.ranking else ()
    return set(game) - {game[player.seat] for player in first}
