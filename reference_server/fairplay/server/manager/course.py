"""Where a tournament stands: which calls were answered, which games were played, and what comes next. Without I/O.

It works alike in a running tournament and from a record: what a driver learns from players and referees, or reads in a
record, goes in; the entries of the record, the news for watchers and what is to be done next come out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from math import inf
from typing import Any, NamedTuple

from fairplay.formats.format import chosen
from fairplay.games.evidence import result_without_evidence, without_evidence
from fairplay.games.kit import tournament
from fairplay.games.kit.player_service import END
from fairplay.games.kit.tournament import Conversation, Failures, Order, Pairing, Played, PlayRound, Rounds
from fairplay.games.steps import CallAll, Eliminate, Failure
from fairplay.games.transcript import Answer, Asked, Transcript
from fairplay.server.manager.plan import game_id_of, game_plan_of, plan_rng, terms_of
from fairplay.server.manager.standing import Archive, LiveStandings
from fairplay.v1.manager_pb2 import GameFinished, WatchTournamentResponse
from fairplay.v1.record_pb2 import RecordedGame, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    RoundGameStatus,
    Tournament,
    TournamentFailure,
    TournamentResult,
)

Tell = Callable[[WatchTournamentResponse], None]


class OpenGame(NamedTuple):
    """A game to be played: its players by place in the list of entrants, and its place in the rounds."""

    pairing: Pairing
    shown: RoundGame
    round_number: int
    place: int
    skipped_is_won: bool
    left_out: tuple[int, ...] = ()
    """Those whom the format had named too, and who were withdrawn before it began."""


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
        self._started: set[int] = set()
        """Those that have answered a call: Start is the first one."""
        self._names = [player.name for player in message.entrants]
        self._transcript = Transcript(self._names, self._record)
        self._rounds = Rounds()
        self._failures = Failures(message.plan.failures_allowed)
        """All that have been heard of. The format is told of them with the rounds in which they happened."""
        self.untried = {*range(len(message.entrants))}
        """Those who have failed, or have not finished a game after making a decision."""
        self.standings = LiveStandings(message, self._failures)
        self.archive = Archive(message)
        self._sizes = terms_of(message.plan, message.entrants).sizes
        self._conversation = _conversation(message)
        self._advance(None)

    @property
    def over(self) -> bool:
        """Return whether nothing is left to be done."""
        return not self.open_calls and not self.open_games

    @property
    def decided(self) -> bool:
        """Return whether the winners are certain: nothing is left but to call End."""
        return self.result is not None or (self._ending and not self.leaving)

    @property
    def withdrawn(self) -> AbstractSet[int]:
        """Return the entrants that are to play no further game."""
        return self._failures.withdrawn

    def trust(self, seat: int) -> float:
        """Return how many games of an entrant may fail until it is withdrawn; infinity if it plays without failing."""
        return self._failures.allowed + 1 - self._failures.counts[seat] if seat in self.untried else inf

    def plan_of(self, game: OpenGame) -> GamePlan:
        """Return the plan of an open game. A round may have thousands: each is planned when it is to be played."""
        players = [self.message.entrants[seat] for seat in game.pairing.entrants]
        return game_plan_of(self.message, players, game.round_number, game.place, game.shown.deal)

    # --- what the driver reports ---

    def record_outcome(self, seat: int, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Record the outcome of an open call, and go on from it."""
        self._answered(seat, self._transcript.record_outcome(self.open_calls[seat], outcome, elapsed_s))

    def apply_outcome(self, seat: int, outcome: bytes | Failure) -> None:
        """Go on from the outcome of an open call that a record tells."""
        self._answered(seat, self._transcript.parse_outcome(self.open_calls[seat], outcome))

    def begin(self, game_id: str) -> None:
        """Show that an open game has begun."""
        self.open_games[game_id].shown.status = RoundGameStatus.ROUND_GAME_STATUS_RUNNING
        self.tell(WatchTournamentResponse(game_started=game_id))

    def leave_out(self, game_id: str, withdrawn: AbstractSet[int]) -> None:
        """Leave those who have been withdrawn out of an open game that has not begun.

        Raises ValueError if somebody has not been withdrawn.
        """
        if not withdrawn <= self.withdrawn:
            raise ValueError(f"somebody is left out of the game {game_id!r} who has not been withdrawn")
        game = self.open_games[game_id]
        left = tuple(seat for seat in game.pairing.entrants if seat not in withdrawn)
        out = (*game.left_out, *(seat for seat in game.pairing.entrants if seat in withdrawn))
        self.open_games[game_id] = game._replace(pairing=game.pairing._replace(entrants=left), left_out=out)
        if self.is_playable(game_id):
            game.shown.players[:] = [self._names[seat] for seat in left]

    def is_playable(self, game_id: str) -> bool:
        """Return whether enough are left for an open game, and who is needed for it."""
        pairing = self.open_games[game_id].pairing
        return len(pairing.entrants) in self._sizes and pairing.needed in (None, *pairing.entrants)

    def skip(self, game_id: str) -> None:
        """Record that an open game is not played, and go on from it."""
        names = " and ".join(self._names[seat] for seat in self.open_games[game_id].left_out)
        self.record_result(game_id, GameResult(aborted=f"not played: {names} had been withdrawn"))

    def record_result(
        self, game_id: str, result: GameResult, chain_hash: bytes = b"", idle: Sequence[int] = ()
    ) -> None:
        """Record the result of an open game and the last hash of its record, if it has one, and go on from it.

        `idle` are the seats of those who made no decision and did not fail. The evidence stays in the record of the
        game alone: kept here too it would be there once for each copy.
        """
        result = result_without_evidence(result)
        game = self.open_games[game_id]
        idlers = [game.pairing.entrants[seat] for seat in idle]
        played = RecordedGame(
            game_id=game_id,
            result=result,
            chain_hash=chain_hash,
            left_out=(self._names[entrant] for entrant in game.left_out),
            idle=(self._names[entrant] for entrant in idlers),
        )
        self._record(RecordEntry(played=played).SerializeToString())
        self.apply_result(game_id, result, idlers)

    def apply_result(self, game_id: str, result: GameResult, idle: Collection[int] = ()) -> None:
        """Go on from the result of an open game that a record tells; `idle` are entrants."""
        game, skipped = self.open_games[game_id], not self.is_playable(game_id)
        del self.open_games[game_id]
        played = Played(game.round_number, game.place, game.pairing, result, skipped, frozenset(idle))
        shown = game.shown
        shown.result.CopyFrom(played.result)
        if played.skipped:
            shown.status = RoundGameStatus.ROUND_GAME_STATUS_SKIPPED
            self.message.skipped_game_count += 1
        else:
            shown.ClearField("status")
            self.message.game_count += 1
        finished = GameFinished(
            game_id=shown.game_id, players=shown.players, result=played.result, skipped=played.skipped
        )
        self.tell(WatchTournamentResponse(game_finished=finished))
        self._rounds.record(played)
        self._failures.count(played.failed)
        self.standings.add(played)
        self.untried.difference_update(played.finishers - self._failures.counts.keys())
        self.untried.update(played.failed)
        if skipped and game.skipped_is_won:
            self.standings.add_byes(game.pairing.entrants)
        if self.cancelled is None:
            self._advance_rounds()
        elif not self.open_games:
            self._note(self._rounds.drain())
            self.leave()

    def cancel(self, reason: str) -> None:
        """Begin nothing new. What is open is settled first; calls that never will be are dropped by `leave`."""
        self.cancelled = reason

    def leave(self) -> None:
        """Turn to the end of a cancelled tournament: End for those who answered Start and were not withdrawn."""
        self.leaving = True
        self.open_calls = {}
        stay = sorted(self._started - self._failures.withdrawn)
        self._conversation = tournament.farewell(self.message.tournament_id, stay)
        self._advance(None)

    # --- what follows from it ---

    def _record(self, entry: bytes) -> None:
        self.append(entry)

    def _answered(self, seat: int, answer: Answer) -> None:
        del self.open_calls[seat]
        self._answers[seat] = answer
        if not isinstance(answer, Failure):
            self._started.add(seat)
        if not self.open_calls:
            self._advance(self._answers)

    def _advance(self, answer: Any) -> None:
        step = self._next(answer)
        if self.cancelled is not None and not self.leaving:
            self.leave()
        elif isinstance(step, PlayRound):
            self._begin_round(step)
            self._advance_rounds()
        elif step is not None:
            self._begin_calls(step)

    def _advance_rounds(self) -> None:
        """Answer the rounds that are due while their games are over, and begin those that follow."""
        while (played := self._rounds.answer()) is not None:
            self._note(played)
            step = self._next(played)
            if not isinstance(step, PlayRound):
                if step is not None:
                    self._begin_calls(step)
                return
            self._begin_round(step)

    def _note(self, played: Sequence[Played]) -> None:
        """Take note of the failures in games of rounds that are over, in the order of the rounds."""
        for game in played:
            self.standings.round_count = game.round_number
            self.archive.pack(game.round_number)
            game_id = game_id_of(self.message.tournament_id, game.round_number, game.place)
            self.failures += (
                TournamentFailure(game_id=game_id, misconduct=misconduct) for misconduct in game.result.misconducts
            )

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
        failure = TournamentFailure(misconduct=without_evidence(self._transcript.record_misconduct(step)))
        self.failures.append(failure)
        self._failures.count([step.seat])
        self.tell(WatchTournamentResponse(failed=failure))

    def _begin_calls(self, step: CallAll) -> None:
        self._ending = any(call.method is END for call in step.calls)
        self.open_calls = {call.seat: self._transcript.ask(call) for call in step.calls}

    def _begin_round(self, step: PlayRound) -> None:
        number = self.message.round_count = self._rounds.begin(step)
        self.archive.begin(len(step.games))
        self.standings.add_byes(step.byes)
        if not step.games:
            return
        shown = self.message.rounds.add(number=number, stage=step.stage)
        for place, pairing in enumerate(step.games, start=1):
            players = [self._names[seat] for seat in pairing.entrants]
            game_id = game_id_of(self.message.tournament_id, number, place)
            waiting = RoundGameStatus.ROUND_GAME_STATUS_WAITING
            game = shown.games.add(game_id=game_id, players=players, deal=pairing.deal, status=waiting)
            self.open_games[game_id] = OpenGame(pairing, game, number, place, step.skipped_are_won)
        self.tell(WatchTournamentResponse(round_started=shown))

    def _end(self, order: Order) -> None:
        if self.cancelled is None:
            winners, others = ([self._names[seat] for seat in seats] for seats in order)
            self.result = TournamentResult(winners=winners, others=others, failures=self.failures)
            self.standings.finish(self.result)


def _conversation(message: Tournament) -> Conversation:
    plan, terms = message.plan, terms_of(message.plan, message.entrants)
    format_, settings = chosen(plan.format)
    lenient = plan.format.HasField("knockout") and not plan.format.knockout.end_failure_is_failure
    return tournament.play(
        message.tournament_id,
        len(terms.names),
        terms.sizes,
        lambda entrants: format_.schedule(settings, terms, entrants, plan_rng(message)),
        Failures(plan.failures_allowed),
        not lenient,
    )
