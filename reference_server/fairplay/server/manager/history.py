"""A tournament rebuilt from its record: to go on with it after a crash, to show it, or to verify it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from fairplay.games.evidence import recorded, without_evidence
from fairplay.games.game import find
from fairplay.games.transcript import Asked, read_outcome
from fairplay.server.game.plans import any_link, check_players
from fairplay.server.manager import states
from fairplay.server.manager.course import Course
from fairplay.server.manager.plan import check_format, checked_tournament_id, full_tournament_plan, new_secret, seated
from fairplay.server.records.errors import Diverged, sound
from fairplay.server.records.verify import Finding
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.record_pb2 import RecordedCall, RecordedGame, RecordEntry, TournamentChange, TournamentHeader
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import Examination, TournamentResult

NOBODY = -1
OnGame: TypeAlias = Callable[[int, RecordedGame, GamePlan], None]


class History:
    """A tournament as its record tells it, an entry at a time.

    `message` is the tournament, `course` what there is to be done in it, once it has started. `due` are entries that
    follow from those before but are not in the record: a crash took them. `on_game` is given each game that was played,
    with the number of its entry and the plan that it must have had. Raises Diverged if an entry is not what the rules
    lead to.
    """

    def __init__(self, header: RecordEntry, on_game: OnGame | None = None) -> None:
        if header.WhichOneof("entry") != "tournament":
            raise Diverged(1, "the record does not begin with the header of a tournament")
        with sound(1, "the tournament cannot be played"):
            _check_header(header.tournament)
        self.message = states.created(header.tournament)
        self._named = frozenset(player.name for player in self.message.entrants)
        self._names = {player.name: None for player in self.message.entrants}
        self.course: Course | None = None
        self.due: list[bytes] = []
        self._entry = 1
        self._on_game = on_game

    def feed(self, entry: RecordEntry) -> None:
        """Take the next entry. Raises Diverged if it is not what the rules lead to."""
        self._entry += 1
        with sound(self._entry):
            self._feed(entry)

    def _feed(self, entry: RecordEntry) -> None:
        self._check(self.message.status in (states.SIGN_UP, states.RUNNING), "it comes after the end")
        kind = entry.WhichOneof("entry")
        if kind == "resumed":
            return
        if self.due:
            self._expect(entry)
        elif kind == "change":
            self._change(entry.change)
        elif kind == "call":
            self._call(entry.call)
        elif kind == "played":
            self._played(entry.played)
        else:
            raise self._diverged(f"{kind or 'an empty entry'} does not belong here")

    # --- what the manager adds of its own follows at once upon what led to it ---

    def _expect(self, entry: RecordEntry) -> None:
        due = RecordEntry.FromString(self.due.pop(0))
        entry.misconduct.CopyFrom(recorded(entry.misconduct))  # earlier versions recorded the evidence once more
        self._check(entry == due, f"by the rules {due.misconduct.player} is eliminated here, with other evidence")

    # --- changes ---

    def _change(self, change: TournamentChange) -> None:
        match change.WhichOneof("change"):
            case "signed_up":
                self._sign_up(change)
            case "withdrawn":
                self._withdraw(change.withdrawn)
            case "examination":
                self._examine(change.examination)
            case "started":
                self._start(change)
            case "finished":
                self._finish(change)
            case "cancelled":
                self._cancel(change)
            case _:
                raise self._diverged("it does not say what changed")

    def _sign_up(self, change: TournamentChange) -> None:
        player = change.signed_up
        self._check(self.course is None, f"{player.name} signed up after the start")
        self._check(player.name not in self._names, f"{player.name} signed up twice")
        self._names[player.name] = None
        self.message.entrants.append(player)
        states.drop_examination(self.message, player.name)

    def _examine(self, examination: Examination) -> None:
        name = examination.player.name
        self._check(self.course is None, f"{name} was examined after the start")
        self._check(name not in self._names, f"{name} was examined after it had signed up")
        begun = examination.status == states.EXAMINING
        other = "its examination had begun already" if begun else "it was not being examined"
        self._check(states.is_examined(self.message, name) is not begun, f"{name} was examined, but {other}")
        states.put_examination(self.message, examination)

    def _withdraw(self, name: str) -> None:
        self._check(self.course is None, f"{name} withdrew after the start")
        if states.is_examined(self.message, name):
            states.drop_examination(self.message, name)
            return
        known = name in self._names and name not in self._named
        self._check(known, f"{name} withdrew without having signed up")
        del self.message.entrants[[*self._names].index(name)]
        del self._names[name]

    def _start(self, change: TournamentChange) -> None:
        self._check(self.course is None, "the tournament was started twice")
        entrants = seated(self.message.plan, self.message.entrants)
        known = [(player.name, player.link) for player in entrants]
        started = change.started.entrants
        same = [(player.name, player.link) for player in started] == known
        self._check(same, "the list of entrants does not follow from the sign-up")
        check_players(started, find(self.message.plan.game), any_link, "started.entrants")
        check_format(self.message.plan, started)
        states.start(self.message, started)
        self.course = Course(self.message, self.due.append, _unheard)

    def _finish(self, change: TournamentChange) -> None:
        result = self.course.result if self.course is not None else None
        self._check(result is not None, "by the rules the tournament is not over here")
        due = TournamentResult()
        due.CopyFrom(change.finished)
        for failure in due.failures:
            failure.misconduct.CopyFrom(without_evidence(failure.misconduct))
        self._check(result == due, "the result is not the one that the rules lead to")
        states.end(self.message, change)

    def _cancel(self, change: TournamentChange) -> None:
        # Said twice when it runs: when it is decided, and when the games are stopped and the players have been told.
        course = self.course
        if course is None or course.cancelled is not None:
            states.end(self.message, change)
        else:
            self._check(not course.decided, "the tournament was cancelled after it was decided")
            course.cancel(change.cancelled)

    # --- calls and games ---

    def _call(self, call: RecordedCall) -> None:
        course, asked = self.course, self._asked(call)
        if asked is None or course is None:
            raise self._diverged(f"by the rules entrant {call.seat} is not called with {call.method_name} here")
        self._check(
            call.number == asked.number, f"the call has the number {call.number}, but it is call {asked.number}"
        )
        self._check(call.request == asked.call.data, f"the request to entrant {call.seat} is not the one that is due")
        self._check(call.WhichOneof("outcome") is not None, "it does not say how the call ended")
        course.apply_outcome(call.seat, read_outcome(call))

    def _asked(self, call: RecordedCall) -> Asked | None:
        course = self.course
        if course is None:
            return None
        asked = course.open_calls.get(call.seat)
        if asked is not None and asked.call.method.path == call.method_name:
            return asked
        if course.cancelled is None or course.leaving or course.open_games:
            return None
        course.leave()  # calls that were open then have not been answered, nor will they be
        return self._asked(call)

    def _played(self, played: RecordedGame) -> None:
        if self.course is None or played.game_id not in self.course.open_games:
            raise self._diverged(f"by the rules the game {played.game_id!r} is not played here")
        if played.left_out:
            self._leave_out(self.course, played)
        game = self.course.open_games[played.game_id]
        names = game.shown.players
        known = all(names[seat : seat + 1] == [name] for seat, name in _named(played.result))
        self._check(known, f"the result of {played.game_id} names players that were not in it")
        if self._on_game is not None:
            self._on_game(self._entry, played, self.course.plan_of(game))
        seats = dict(zip(names, game.pairing.entrants, strict=False))
        problem = f"the result of {played.game_id} names idle players that were not in it"
        self._check(seats.keys() >= set(played.idle), problem)
        self.course.apply_result(played.game_id, played.result, [seats[name] for name in played.idle])

    def _leave_out(self, course: Course, played: RecordedGame) -> None:
        game = course.open_games[played.game_id]
        seats = dict(zip(game.shown.players, game.pairing.entrants, strict=True))
        out = {seats.get(name, NOBODY) for name in played.left_out}
        legal = len(out) == len(played.left_out) and out <= course.withdrawn
        self._check(legal, f"by the rules the game {played.game_id} is not played without {', '.join(played.left_out)}")
        course.leave_out(played.game_id, out)
        possible = bool(played.result.aborted) or course.is_playable(played.game_id)
        self._check(possible, f"{played.game_id} could not be played by who was left")

    def _check(self, holds: bool, problem: str) -> None:
        if not holds:
            raise self._diverged(problem)

    def _diverged(self, problem: str) -> Diverged:
        return Diverged(self._entry, problem)


def _check_header(header: TournamentHeader) -> None:
    """Check the header of a record as CreateTournament checks a request. Raises Refusal or ValueError."""
    checked_tournament_id(header.tournament_id)
    full_tournament_plan(header.plan, any_link)
    if header.plan.HasField("seed") and header.secret not in (b"", new_secret(header.plan.seed)):
        raise ValueError("the secret of the tournament is not the one that follows from its seed")


def _named(result: GameResult) -> Iterator[tuple[int, str]]:
    """Yield every seat that a result mentions, with the name of its player."""
    yield from ((player.seat, player.name) for group in result.ranking for player in group.players)
    yield from ((misconduct.seat, misconduct.player) for misconduct in result.misconducts)


def _unheard(_: WatchTournamentResponse) -> None:
    """Publish nothing: what a record tells is no news."""


def read(entries: Iterable[RecordEntry], on_game: OnGame | None = None) -> History:
    """Read the tournament of a record that begins with its header. Raises Diverged if an entry breaks the rules."""
    rest = iter(entries)
    history = History(next(rest, RecordEntry()), on_game)
    for entry in rest:
        history.feed(entry)
    return history


def check_tournament(entries: Sequence[RecordEntry]) -> list[Finding]:
    """Follow the record of a tournament: calls, eliminations, games and the result must be what the rules lead to.

    For fairplay.server.records.verify. How each game was played is told by the record of the game.
    """
    try:
        read(entries)
    except Diverged as error:
        return [Finding(error.entry, error.problem)]
    return []
