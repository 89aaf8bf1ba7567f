"""A worker process of a run: python -P -m fairplay.conformance.run.worker

Lines of JSON come in: the options, then lists of ids of cases. Lines of JSON go out: {"began": ID} and
{"judged": RESULT} for each case. The end of standard input ends the process, also in the middle of a case.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any, TextIO

from fairplay.conformance.run.judge import Judge
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.packing import pack
from fairplay.conformance.run.plan import make_plan


def main() -> None:
    """Judge cases until standard input ends."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # workers of Ray block it, which this one inherits
    output, orders = _claim_output(), SimpleQueue[Any]()
    threading.Thread(target=read_orders, args=(orders,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        judge_orders(orders, output)


def judge_orders(orders: SimpleQueue[Any], output: TextIO) -> None:
    """Judge cases for ever: the first order is the options, each other one the ids of some cases."""
    plan = make_plan(Options(**orders.get()))
    cases = {case.id: case for case in plan.cases}
    with Judge(plan) as judge:
        while True:
            group = orders.get()
            judge.prepare(cases[case_id] for case_id in group)
            for case_id in group:
                _write(output, {"began": case_id})
                _write(output, {"judged": pack(judge.judge(cases[case_id]))})


def read_orders(orders: SimpleQueue[Any]) -> None:
    """Read orders from standard input, and interrupt this process at its end."""
    for line in sys.stdin:
        orders.put(json.loads(line))
    os.kill(os.getpid(), signal.SIGINT)  # wakes the main thread wherever it waits


def _claim_output() -> TextIO:
    """Return standard output and put standard error in its place, so that nobody else can write between the lines."""
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return output


def _write(output: TextIO, message: dict[str, Any]) -> None:
    output.write(json.dumps(message) + "\n")
    output.flush()


if __name__ == "__main__":
    main()
