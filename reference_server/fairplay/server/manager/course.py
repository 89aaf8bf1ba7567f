"""Where a tournament stands: which calls were answered, which games were played, and what comes next. Without I/O.

It works alike in a running tournament and from a record: what a driver learns from players and referees, or reads in a
record, goes in; the entries of the record, the news for watchers and what is to be done next come out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fairplay.games.game import find
from fairplay.games.kit import knockout
from fairplay.games.kit.knockout import Conversation, PlayRound
from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import CallAll, Eliminate, Failure
from fairplay.server.manager.plan import game_id_of, game_plan_of
from fairplay.server.transcript import Answer, Asked, Transcript
from fairplay.v1.manager_pb2 import GameFinished, WatchTournamentResponse
from fairplay.v1.record_pb2 import RecordedGame, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import RoundGame, Tournament, TournamentFailure, TournamentResult

Tell = Callable[[WatchTournamentResponse], None]


class OpenGame(NamedTuple):
    """A game to be played: its plan, its players by place in the list of entrants, and its place in the rounds."""

    plan: GamePlan
    entrants: tuple[int, ...]
    shown: RoundGame


class Course:
    """The course of a tournament that has started.

    `open_calls`, by entrant, and `open_games`, by id, are what is to be done; with neither the tournament is over, and
    has a `result` unless it was cancelled. `append` takes entries of the record, `tell` takes news; the rounds of
    `message` are kept up to date. Raises ValueError if there is no such game.
    """

    def __init__(self, message: Tournament, append: Callable[[bytes], None], tell: Tell) -> None:
        self.message = message
        self.append = append
        self.tell = tell
        self.open_calls: dict[int, Asked] = {}
        self.open_games: dict[str, OpenGame] = {}
        self.failures: list[TournamentFailure] = []
        self.result: TournamentResult | None = None
        self.cancelled: str | None = None
        self.leaving = False
        self._ending = False
        self._answers: dict[int, Answer] = {}
        self._started: list[int] = []
        self._names = [player.name for player in message.entrants]
        self._transcript = Transcript(self._names, self._record)
        self._conversation = _conversation(message)
        self._advance(None)

    @property
    def over(self) -> bool:
        """Whether nothing is left to be done."""
        return not self.open_calls and not self.open_games

    @property
    def decided(self) -> bool:
        """Whether the winners are certain: nothing is left but to call End."""
        return self.result is not None or (self._ending and not self.leaving)

    # --- what the driver reports ---

    def record_outcome(self, seat: int, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Record the outcome of an open call, and go on from it."""
        self._answered(seat, self._transcript.record_outcome(self.open_calls[seat], outcome, elapsed_s))

    def apply_outcome(self, seat: int, outcome: bytes | Failure) -> None:
        """Go on from the outcome of an open call that a record tells."""
        self._answered(seat, self._transcript.parse_outcome(self.open_calls[seat], outcome))

    def record_result(self, game_id: str, result: GameResult) -> None:
        """Record the result of an open game, and go on from it."""
        self._record(RecordEntry(played=RecordedGame(game_id=game_id, result=result)).SerializeToString())
        self.apply_result(game_id, result)

    def apply_result(self, game_id: str, result: GameResult) -> None:
        """Go on from the result of an open game that a record tells."""
        shown = self.open_games.pop(game_id).shown
        shown.result.CopyFrom(result)
        finished = GameFinished(game_id=game_id, players=shown.players, result=result)
        self.tell(WatchTournamentResponse(game_finished=finished))
        if not self.open_games:
            self._end_round()

    def cancel(self, reason: str) -> None:
        """Begin nothing new. What is open is settled first; calls that never will be are dropped by `leave`."""
        self.cancelled = reason

    def leave(self) -> None:
        """Turn to the end of a cancelled tournament: End for those who answered Start and have not failed."""
        self.leaving = True
        self.open_calls = {}
        failed = {failure.misconduct.player for failure in self.failures}
        stay = [seat for seat in sorted(self._started) if self._names[seat] not in failed]
        self._conversation.close()
        self._conversation = knockout.farewell(self.message.tournament_id, stay)
        self._advance(None)

    # --- what follows from it ---

    def _record(self, entry: bytes) -> None:
        self.append(entry)

    def _answered(self, seat: int, answer: Answer) -> None:
        asked = self.open_calls.pop(seat)
        self._answers[seat] = answer
        if asked.call.method is START and not isinstance(answer, Failure):
            self._started.append(seat)
        if not self.open_calls:
            self._advance(self._answers)

    def _end_round(self) -> None:
        games = self.message.rounds[-1].games
        for game in games:
            for misconduct in game.result.misconducts:
                self.failures.append(TournamentFailure(game_id=game.game_id, misconduct=misconduct))
        self._advance([game.result for game in games])

    def _advance(self, answer: Any) -> None:
        step = self._next(answer)
        if self.cancelled is not None and not self.leaving:
            self.leave()
        elif isinstance(step, PlayRound):
            self._begin_round(step)
        elif step is not None:
            self._begin_calls(step)

    def _next(self, answer: Any) -> CallAll | PlayRound | None:
        """Return the next step that waits for players or games; None if the tournament is over."""
        try:
            step = self._conversation.send(answer)
            while isinstance(step, Eliminate):
                self._eliminate(step)
                step = self._conversation.send(None)
        except StopIteration as stop:
            self._end(stop.value)
            return None
        return step

    def _eliminate(self, step: Eliminate) -> None:
        failure = TournamentFailure(misconduct=self._transcript.record_misconduct(step))
        self.failures.append(failure)
        self.tell(WatchTournamentResponse(failed=failure))

    def _begin_calls(self, step: CallAll) -> None:
        self._answers = {}
        self._ending = step.calls[0].method is END
        self.open_calls = {call.seat: self._transcript.ask(call) for call in step.calls}

    def _begin_round(self, step: PlayRound) -> None:
        shown = self.message.rounds.add()
        number = len(self.message.rounds)
        for place, entrants in enumerate(step.games, start=1):
            players = [self.message.entrants[seat] for seat in entrants]
            game_id = game_id_of(self.message.tournament_id, number, place)
            game = shown.games.add(game_id=game_id, players=[player.name for player in players])
            plan = game_plan_of(self.message.plan, players, number, place)
            self.open_games[game_id] = OpenGame(plan, entrants, game)
        self.tell(WatchTournamentResponse(round_started=shown))

    def _end(self, standings: knockout.Standings) -> None:
        if self.cancelled is None:
            winners, others = ([self._names[seat] for seat in seats] for seats in standings)
            self.result = TournamentResult(winners=winners, others=others, failures=self.failures)


def _conversation(message: Tournament) -> Conversation:
    seats = find(message.plan.game).seats
    strict = message.plan.format.knockout.end_failure_is_failure
    return knockout.play(message.tournament_id, len(message.entrants), seats, strict)
