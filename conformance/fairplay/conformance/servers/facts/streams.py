"""Checks of the events of games, tournaments and the lobby, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.facts.known import TOURNAMENT_OVER, Facts
from fairplay.games.evidence import without_evidence
from fairplay.v1.lobby_pb2 import AttendResponse
from fairplay.v1.manager_pb2 import GameFinished, WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import WatchGameResponse
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    RoundGameStatus,
    TournamentResult,
)


class GameEvents:
    """What a spectator of a game has been told."""

    def __init__(self, facts: Facts, request: Any) -> None:
        self._facts = facts
        self._game_id = request.game_id
        self._after = self._last = request.after_sequence
        self._begun = self._ended = False
        self._eliminated: list[Misconduct] = []

    def take(self, event: WatchGameResponse) -> None:
        """Take an event."""
        kind, what = event.WhichOneof("event"), f"The event {event.sequence} of the game {self._game_id}"
        if kind is None or not event.HasField("time"):
            raise failure(f"{what} must say what happened, and when.")
        if self._ended:
            raise failure(f"{what} has come behind the result, which must be the last event.")
        if not self._begun and not self._after and kind != "state":
            raise failure(f"{what} is the first one; it must be the state, and is {kind}.")
        self._number(event, kind, what)
        self._begun = True
        if kind == "eliminated":
            self._eliminated.append(without_evidence(event.eliminated))
        elif kind == "finished":
            self._ended = True
            self._finish(event.finished)
        for each in event.asked.players:
            if not each.method_name.startswith("/") or not each.HasField("deadline"):
                raise failure(f"{what} must tell the full name of each open call, and when its time is over.")

    def end(self) -> None:
        """Take the end of the stream. One that goes on after the last event has nothing to tell."""
        if not self._ended and not self._after:
            raise failure(f"WatchGame has ended without the result of the game {self._game_id}, its last event.")

    def _number(self, event: WatchGameResponse, kind: str, what: str) -> None:
        if kind in ("asked", "joined") and event.sequence == self._last:
            return
        if event.sequence <= self._last or kind == "asked":
            due = "`asked` has the number of that" if kind == "asked" else "the numbers must grow"
            raise failure(f"{what} has come behind the event {self._last}: {due}.")
        self._last = event.sequence
        if kind in ("eliminated", "finished"):
            number = event.eliminated.call_number
            told = f"elimination for call {number}" if number else "result"
            self._facts.agree(
                (f"the number of the {told} among the events of the game", self._game_id), self._last, "WatchGame"
            )

    def _finish(self, result: GameResult) -> None:
        self._facts.end(self._game_id, result, "WatchGame")
        listed = [*map(without_evidence, result.misconducts)]
        last = listed[
            len(listed) - len(self._eliminated) :
        ]  # of those before the first state a spectator hears nothing
        same(f"The last eliminations of the game {self._game_id}, as WatchGame tells them,", last, self._eliminated)


class TournamentEvents:
    """What a spectator of a tournament has been told."""

    def __init__(self, facts: Facts, request: Any) -> None:
        self._facts = facts
        self._id = request.tournament_id
        self._games: dict[str, str] = {}
        """The state of each game that was named."""
        self._entrants: list[str] = []
        self._kinds: list[str] = []
        self._is_over = False

    def take(self, event: WatchTournamentResponse) -> None:
        """Take an event."""
        kind, what = event.WhichOneof("event") or "", f"of the tournament {self._id}"
        if self._kinds[-1:] in (["finished"], ["cancelled"]):
            raise failure(f"The last event {what} is its end; {kind} has come behind that.")
        if not self._kinds and kind != "tournament":
            raise failure(f"The first event {what} must be the whole of it; it is {kind}.")
        self._kinds.append(kind)
        self._is_over = kind in ("finished", "cancelled") or event.tournament.status in TOURNAMENT_OVER
        match kind:
            case "tournament":
                self._games = {game.game_id: _state(game) for each in event.tournament.rounds for game in each.games}
                self._entrants = [each.name for each in event.tournament.entrants]
            case "signed_up":
                self._enter(event.signed_up.name, enters=True)
            case "withdrawn":
                self._enter(event.withdrawn, enters=False)
            case "started":
                names = [each.name for each in event.started.entrants]
                same(f"The entrants with whom the tournament {self._id} starts", sorted(self._entrants), sorted(names))
                self._facts.agree(("the entrants of the tournament", self._id), names, "WatchTournament")
            case "round_started":
                self._games.update((game.game_id, _state(game)) for game in event.round_started.games)
            case "game_started":
                self._go_on(event.game_started, ("waiting",), "running")
            case "game_finished":
                self._take_finished(event.game_finished)
            case "finished":
                self._take_result(event.finished)

    def end(self) -> None:
        """Take the end of the stream."""
        if not self._is_over:
            raise failure(f"WatchTournament has ended before it told the end of the tournament {self._id}.")

    def _enter(self, name: str, *, enters: bool) -> None:
        if (name in self._entrants) is enters or "started" in self._kinds:
            raise failure(
                f"WatchTournament tells that {name} enters or leaves, who {'is' if enters else 'is not'} an entrant."
            )
        if enters:
            self._entrants.append(name)
        else:
            self._entrants.remove(name)

    def _go_on(self, game_id: str, before: Sequence[str], after: str) -> None:
        known = self._games.get(game_id, "unknown")
        if known not in before:
            raise failure(f"WatchTournament tells that the game {game_id}, which was {known} so far, is {after}.")
        self._games[game_id] = after

    def _take_finished(self, game: GameFinished) -> None:
        may_wait = game.skipped or game.game_id not in self._facts.running  # it may be played where nobody can watch it
        before = [state for state, may_be in (("waiting", may_wait), ("running", not game.skipped)) if may_be]
        self._go_on(game.game_id, before, "over")
        if game.skipped and not game.result.aborted:
            raise failure(f"The game {game.game_id} was skipped; its result must say so in `aborted`.")
        self._facts.agree(("the players of the game", game.game_id), list(game.players), "WatchTournament")
        self._facts.end(game.game_id, game.result, "WatchTournament")

    def _take_result(self, result: TournamentResult) -> None:
        if left := [game_id for game_id, state in self._games.items() if state != "over"]:
            raise failure(
                f"WatchTournament tells that the tournament is finished, and that {left[0]} is {self._games[left[0]]}."
            )
        self._facts.agree(("the winners of the tournament", self._id), list(result.winners), "WatchTournament")


class LobbyEvents:
    """What a user has been told of the lobby."""

    def __init__(self, _: Facts, request: Any) -> None:
        self._last = request.after_sequence or -1

    def take(self, response: AttendResponse) -> None:
        """Take the events that are due at one time."""
        if not response.events:
            raise failure("Attend must send at least one event at a time.")
        for event in response.events:
            if event.sequence <= self._last or not event.HasField("time"):
                raise failure(
                    f"The event {event.sequence} of the lobby must have a time, and a number above {self._last}."
                )
            if self._last < 0 and not event.HasField("lobby"):
                raise failure("The first that a new stream of Attend tells must be the whole lobby.")
            self._last = event.sequence
            names = [each.name for each in event.lobby.users]
            if names not in (sorted({*names}), sorted({*names}, key=str.lower)):
                raise failure(f"The whole lobby must list each user once, by name; it lists {', '.join(names)}.")
            times = [each.create_time.ToNanoseconds() for each in event.lobby.tables]
            if times != sorted(times, reverse=True):
                raise failure("The whole lobby must list its tables newest first.")


def _state(game: RoundGame) -> str:
    if game.HasField("result"):
        return "over"
    return "running" if game.status == RoundGameStatus.ROUND_GAME_STATUS_RUNNING else "waiting"
