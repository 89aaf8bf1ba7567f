"""The command line in a process that kills itself with -9: python doomed.py ENTRIES ARGUMENTS…

It dies as soon as so many more entries are due to be saved: just before that if the number is odd, just after if even.
"""

from __future__ import annotations

import os
import signal
import sys

from fairplay.server.records.database import Batch, Database
from fairplay.terminal import main


def doom(entries: int) -> None:
    """Kill this process once so many more entries are due to be saved."""
    save, left = Database.save, entries

    def last_words(database: Database, batch: Batch) -> None:
        nonlocal left
        left -= len(batch.items)
        if left <= 0 and entries % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        save(database, batch)
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    Database.save = last_words  # type: ignore[assignment, method-assign]  # in a process that ends soon


if __name__ == "__main__":
    doom(int(sys.argv.pop(1)))
    main()
