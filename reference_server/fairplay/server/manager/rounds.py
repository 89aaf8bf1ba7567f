"""The rounds of a tournament: the latest ones as messages, those before packed, so that a long league needs little."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fairplay.v1.tournament_pb2 import Round, RoundGame, Tournament

SHOWN_GAMES = 5_000
"""How many games a tournament shows: all of its latest rounds with no more games than these, and at least one."""


class Packed(NamedTuple):
    """A round that is over."""

    game_count: int
    data: bytes


class Archive:
    """The rounds of a tournament that are not shown any more. `message` holds the later ones."""

    def __init__(self, message: Tournament, shown_games: int = SHOWN_GAMES) -> None:
        self._message = message
        self._most = shown_games
        self._packed: list[Packed] = []
        self._shown = 0

    def begin(self, game_count: int) -> None:
        """Take note of a round that the message has got."""
        self._shown += game_count

    def pack(self, last: int) -> None:
        """Pack the first rounds of the message, up to the one of this number, until few enough games are left."""
        count = 0
        for round_ in self._message.rounds:
            if self._shown <= self._most or round_.number > last or count == len(self._message.rounds) - 1:
                break
            self._packed.append(Packed(len(round_.games), round_.SerializeToString()))
            self._shown -= len(round_.games)
            count += 1
        if count:
            del self._message.rounds[:count]

    def games(self, after: int, limit: int | None = None) -> list[RoundGame]:
        """Return the games after the first `after`, at most `limit`, each with the number of its round."""
        return list(islice(self._games(after), limit))

    def _games(self, after: int) -> Iterator[RoundGame]:
        for game_count, round_ in self._rounds():
            if after >= game_count:
                after -= game_count
                continue
            read = round_ if isinstance(round_, Round) else Round.FromString(round_)
            for game in read.games[after:]:
                found = RoundGame(round_number=read.number)
                found.MergeFrom(game)
                yield found
            after = 0

    def _rounds(self) -> Iterator[tuple[int, Round | bytes]]:
        yield from self._packed
        yield from ((len(round_.games), round_) for round_ in self._message.rounds)
