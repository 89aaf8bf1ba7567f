"""`python -m benchmarks.workers`: a worker that takes no time, which leaves the command's own work.

It speaks to a pool as fairplay.server.cluster.worker does. A game between the same players in the same seats is
played once; every other one gets the record of that with its own header, in a chain of its own.
"""

from __future__ import annotations

import pickle
import sys

from fairplay.server.cluster.jobs import packed, read_message
from fairplay.server.cluster.runner import GameWork
from fairplay.server.records.writer import MemoryJournal
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan


class Workers:
    """Records of games, as workers would return them."""

    def __init__(self) -> None:
        self._played: dict[tuple[str, ...], Record] = {}

    def play(self, work: GameWork) -> bytes:
        """Return the record of a game, serialised."""
        plan = GamePlan.FromString(work.plan)
        names = tuple(player.name for player in plan.players)
        if names not in self._played:
            self._played[names] = Record.FromString(work.run())
        entries = [each.entry for each in self._played[names].entries]
        header = RecordEntry.FromString(entries[0])
        header.game.game_id, header.game.tournament_id = work.game_id, work.tournament_id
        header.game.plan.seed = plan.seed
        journal = MemoryJournal(header.SerializeToString())
        for entry in entries[1:]:
            journal.append(entry)
        return journal.record().SerializeToString()


def main() -> None:
    """Answer until standard input ends."""
    source, target, workers = sys.stdin.buffer, sys.stdout.buffer, Workers()
    while (message := read_message(source)) is not None:
        target.write(packed(("done", workers.play(pickle.loads(message[0].work)))))
        target.flush()


if __name__ == "__main__":
    main()
