"""Knock-out tournaments (fish.md section 7): who plays whom, and who goes on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeAlias

from fairplay.games.kit import tournament
from fairplay.games.kit.tournament import Conversation, Order, Pairing, PlayRound, Results, Schedule
from fairplay.v1.result_pb2 import GameResult


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
    """Play a knock-out of single games. Whoever fails is out.

    Without `end_failure_is_failure` whoever fails End counts as one of the others. A winner that fails End does not
    win either way.
    """
    return tournament.play(
        tournament_id,
        entrant_count,
        sizes,
        lambda entrants: schedule(entrants, sizes),
        end_failure_is_failure=end_failure_is_failure,
    )


class Match(NamedTuple):
    """How a match ended."""

    decided: bool
    """Whether it was played. One that was aborted has beaten nobody but those that failed."""
    beaten: AbstractSet[int]
    """The entrants that do not go on."""
    withdrawn: AbstractSet[int]
    """The entrants that were withdrawn."""


Groups: TypeAlias = Sequence[tuple[int, ...]]
Play: TypeAlias = Callable[[Groups], Generator[PlayRound, Results, list[Match]]]
"""Plays a round of matches between these groups of entrants, and returns how they ended, in the same order."""


def schedule(entrants: Sequence[int], sizes: range, play_round: Play | None = None) -> Schedule:
    """Play rounds until a stop condition holds, and return the winners, then the others: who got furthest comes first.

    The entrants are in list order. A round is one of single games, unless `play_round` plays others.
    """
    players = [*entrants]
    reached: dict[int, int] = {}
    number = 0
    while len(players) >= sizes.start:
        number += 1
        reached.update(dict.fromkeys(players, number))
        matches = yield from (play_round or play_games)(deal(players, sizes))
        winners = _winners(players, matches)
        final = len(players) in sizes
        over = final or (number > 1 and winners == players)  # the round before had exactly these winners, too
        players = winners
        if over:
            break
    others = sorted((seat for seat in entrants if seat not in players), key=lambda seat: (-reached[seat], seat))
    return Order(tuple(players), tuple(others))


def deal(players: Sequence[int], sizes: range) -> tuple[tuple[int, ...], ...]:
    """Deal players to games, in order. Those left over, if any, have no game in this round."""
    waiting = iter(players)
    return tuple(tuple(next(waiting) for _ in range(size)) for size in allocate(len(players), sizes))


def play_games(groups: Groups) -> Generator[PlayRound, Results, list[Match]]:
    """Play a round of single games."""
    played, withdrawn = yield PlayRound(tuple(map(Pairing, groups)))
    return [
        Match(not game.result.aborted, _beaten(group, game.result), withdrawn.intersection(group))
        for group, game in zip(groups, played, strict=True)
    ]


def _winners(players: Sequence[int], matches: Sequence[Match]) -> list[int]:
    """Return the players that go on, in list order.

    But a round in which every game was aborted, as the final may be, has decided nothing: it has no winners.
    """
    if not any(match.decided for match in matches):
        return []
    out = {seat for match in matches for seat in match.beaten}
    return [seat for seat in players if seat not in out]


def _beaten(game: Sequence[int], result: GameResult) -> set[int]:
    """Return the players of a game that do not go on: all that are not among the first, and all that failed."""
    if result.aborted:
        return {game[misconduct.seat] for misconduct in result.misconducts}
    first = result.ranking[0].players if result.ranking else ()
    return set(game) - {game[player.seat] for player in first}
