"""What the records of a tournament's games tell beyond their results: times, and the evidence of failures."""

from __future__ import annotations

import contextlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from google.protobuf.message import Message

from fairplay.client.misconducts import describe_cause, name_method
from fairplay.server.game.plans import seconds
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import RecordsError
from fairplay.terminal.records.games import RecordedGame, read_game
from fairplay.terminal.records.wording import Wording, kind
from fairplay.terminal.reports.event import CallTimes, Failure
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import Record, RecordedCall
from fairplay.v1.tournament_pb2 import RoundGame

MAX_TIMED_GAMES = 300
"""From so many games, spread over the tournament, the times of calls are taken."""
MAX_SHOWN_FAILURES = 3
"""Of so many failures of an entrant the evidence is looked for."""
MAX_FAILED_GAMES = 300
MAX_EVIDENCE_LINES = 60
MAX_LINE_CHARS = 2_000


def games_to_read(games: Sequence[RoundGame]) -> list[str]:
    """Return the ids of the games whose records are worth reading: those with failures, and some for the times."""
    counts: Counter[str] = Counter()
    failed: list[str] = []
    for game in games:
        players = [misconduct.player for misconduct in game.result.misconducts]
        if any(counts[player] < MAX_SHOWN_FAILURES for player in players) and len(failed) < MAX_FAILED_GAMES:
            failed.append(game.game_id)
        counts.update(players)
    over = [game.game_id for game in games if game.HasField("result") and not game.result.aborted]
    step = max(1, -(-len(over) // MAX_TIMED_GAMES))
    return list(dict.fromkeys([*failed, *over[::step]]))


class Findings:
    """Collects what records tell, a record at a time."""

    def __init__(self) -> None:
        self.timed_game_count = 0
        self.evidence: dict[tuple[str, str], Failure] = {}
        """By the name of the entrant and the id of the game."""
        self._seconds: defaultdict[str, defaultdict[str, array[float]]] = defaultdict(lambda: defaultdict(_floats))

    def add(self, record: Record) -> None:
        """Add the record of a game that is over. Raises RecordsError if it cannot be read."""
        game = read_game(record)
        wording = Wording(game.game, game.players)
        numbers, last = {}, dict[int, RecordedCall]()
        self.timed_game_count += 1
        for number, entry in enumerate(parsed(record), start=1):
            if entry.HasField("call"):
                numbers[entry.call.number] = number
                last[entry.call.seat] = entry.call
                name = entry.call.method_name.rpartition("/")[2]
                if entry.call.seat < len(game.players):
                    self._seconds[game.players[entry.call.seat]][name].append(seconds(entry.call.elapsed))
            elif entry.HasField("misconduct"):
                call = last.get(entry.misconduct.seat, RecordedCall())
                self._add_failure(game, wording, entry.misconduct, call, numbers)

    def _add_failure(
        self,
        game: RecordedGame,
        wording: Wording,
        misconduct: Misconduct,
        call: RecordedCall,
        numbers: dict[int, int],
    ) -> None:
        failure = Failure(
            misconduct.player,
            game.record_id,
            kind(misconduct),
            name_method(misconduct),
            misconduct.call_number,
            describe_cause(misconduct),
        )
        lines = [line[:MAX_LINE_CHARS] for line in wording.evidence(misconduct, call)][:MAX_EVIDENCE_LINES]
        picture = _picture(game, numbers.get(misconduct.call_number, 1) - 1)
        self.evidence[misconduct.player, game.record_id] = replace(failure, evidence=lines, picture=picture)

    def times(self) -> dict[str, list[CallTimes]]:
        """Return the times of each entrant, by method; that in which most time was spent comes first."""
        return {
            name: sorted((_times(method, each) for method, each in found.items()), key=lambda times: -times.total_s)
            for name, found in self._seconds.items()
        }


def _floats() -> array[float]:
    return array("f")


def _picture(game: RecordedGame, entry: int) -> str:
    """Return the state after an entry as SVG; "" where none was shown by then."""
    if entry < 1:
        return ""
    state: Message | None = None
    with contextlib.suppress(RecordsError):
        state = game.state(entry)
    return game.svg(state) if state is not None else ""


def _times(method: str, found: Sequence[float]) -> CallTimes:
    ordered = sorted(found)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return CallTimes(method, len(ordered), ordered[len(ordered) // 2], p99, ordered[-1], sum(ordered))
