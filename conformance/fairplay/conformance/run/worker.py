"""A worker process of a run: python -P -m fairplay.conformance.run.worker

Pickled objects come in: what makes the plan, then lists of ids of cases. Pickled tuples go out: (id, None) when a case
begins, (id, Result) when it is judged. The end of standard input ends the process, also in the middle of a case.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
from queue import SimpleQueue
from typing import IO, Any

from fairplay.conformance.run.judge import Judge, Result


def main() -> None:
    """Judge cases until standard input ends."""
    # Nobody else can write between the messages: what is printed here goes to standard error.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    orders = SimpleQueue[Any]()
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # workers of Ray block it, which this one inherits
        threading.Thread(target=_read_orders, args=(orders,), daemon=True).start()
        plan = orders.get()()
        cases = {case.id: case for case in plan.cases}
        with Judge(plan) as judge:
            while True:
                group = orders.get()
                judge.prepare(cases[case_id] for case_id in group)
                for case_id in group:
                    _write(output, case_id, None)
                    _write(output, case_id, judge.judge(cases[case_id]))


def _write(output: IO[bytes], case_id: str, result: Result | None) -> None:
    pickle.dump((case_id, result), output)
    output.flush()


def _read_orders(orders: SimpleQueue[Any]) -> None:
    """Read orders from standard input, and interrupt this process at its end."""
    with contextlib.suppress(EOFError, pickle.UnpicklingError):
        while True:
            orders.put(pickle.load(sys.stdin.buffer))
    os.kill(os.getpid(), signal.SIGINT)  # wakes the main thread wherever it waits


if __name__ == "__main__":
    main()
