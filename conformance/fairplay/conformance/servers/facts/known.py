"""What a server has told so far that never changes, in whatever answer, event or record."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Any

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.players import Received
from fairplay.games.evidence import without_evidence
from fairplay.v1.referee_pb2 import GameStatus
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import TournamentStatus

GAME_OVER = (GameStatus.GAME_STATUS_FINISHED, GameStatus.GAME_STATUS_ABORTED)
TOURNAMENT_OVER = (TournamentStatus.TOURNAMENT_STATUS_FINISHED, TournamentStatus.TOURNAMENT_STATUS_CANCELLED)


class Facts:
    """What a server has told so far."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[Any, str]] = {}
        self._over_s: dict[str, float] = {}
        """When it was first told of a game or a tournament that it is over."""
        self.running: set[str] = set()
        """The ids of games of tournaments of which it was told that they run."""
        self.calls: dict[int, Received] = {}
        """The calls that have come, by their ids, on whatever connection."""

    def known(self, of: tuple[str, ...]) -> Any:
        """Return a fact; None: it has not been told."""
        return self._known.get(of, (None, ""))[0]

    def agree(self, of: tuple[str, ...], value: Any, where: str) -> None:
        """Take a fact that never changes, e.g. ("the start of the game", ID)."""
        known, before = self._known.setdefault(of, (value, where))
        if known != value:
            same(f"{of[0].capitalize()} {of[1]} in {where}, which it tells otherwise in {before},", known, value)

    def is_over(self, of: str, id_: str, over: bool, where: str, sent_s: float) -> None:
        """Take whether a game or a tournament is over, which it stays: told in the reply to what was sent at a time."""
        if over:
            self._over_s.setdefault(id_, time.monotonic())
        elif self._over_s.get(id_, inf) < sent_s:
            raise failure(f"{where} says of the {of} {id_}, which is over, that it is not.")

    def end(self, game_id: str, result: GameResult, where: str) -> None:
        """Take the result of a game."""
        self.agree(("the ranking of the game", game_id), list(result.ranking), where)
        self.agree(("the reason for the end of the game", game_id), result.aborted, where)
        self.agree(("the number of misconducts of the game", game_id), len(result.misconducts), where)
        self.agree(("misconducts of the game", game_id), [*map(without_evidence, result.misconducts)], where)


Check = Callable[[Facts, Any, str, float], None]
"""What checks a message of a kind: of whom is known what, the method that has told it, and when that was called."""
