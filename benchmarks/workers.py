"""`python -m benchmarks.workers`: a dispatcher whose workers take no time, which leaves the command's own work.

It speaks to a cluster as fairplay.server.cluster.dispatcher does. A game between the same players in the same seats is
played once; every other one gets the record of that with its own header, in a chain of its own.
"""

from __future__ import annotations

import pickle
import sys

from fairplay.server.cluster.game_work import GameWork
from fairplay.server.cluster.jobs import packed, read_message
from fairplay.server.records.writer import MemoryJournal
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan

PROCESSORS = 2


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
    read_message(source)
    target.write(packed(("processors", PROCESSORS)))
    target.flush()
    while (message := read_message(source)) is not None:
        kind, number, *rest = message
        if kind == "do":
            [job] = rest
            target.write(packed(("done", number, workers.play(pickle.loads(job.work)))))
            target.flush()


if __name__ == "__main__":
    main()
