"""The process between another one and Ray: python -m fairplay.server.cluster.dispatcher.

Ray ends its driver when it fails, prints what it likes and takes signals for itself. In a process of its own it can do
so: another one is started, and nothing is lost but what has to be done again. Jobs come over standard input, what comes
of them goes to standard output, and the end of the input is the end of the process.
"""

from __future__ import annotations

import logging
import os
import sys
from concurrent.futures import Future
from functools import partial
from threading import Event, Lock, Thread
from typing import Any, BinaryIO

import ray
from ray.exceptions import RayTaskError, TaskCancelledError

from fairplay.server.cluster import worker
from fairplay.server.cluster.jobs import (
    KEPT_CHILDREN,
    MOST_LOSSES,
    ClusterOptions,
    Job,
    JobError,
    WorkerError,
    packed,
    read_message,
)

LOOK_S = 1.0
"""How often it is looked how many processors the cluster has."""


class Dispatcher:
    """Has Ray do the jobs that come in."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._lock = Lock()
        self._refs: dict[int, Any] = {}
        self._over = Event()
        self._task: Any = ray.remote(num_cpus=1, max_retries=MOST_LOSSES)(worker.do)

    def run(self) -> None:
        """Work until the input ends."""
        self._tell("processors", _processors())
        watching = Thread(target=self._watch, daemon=True)
        watching.start()
        while (message := read_message(self._source)) is not None:
            kind, number, *rest = message
            if kind == "do":
                self._do(number, *rest)
            elif (ref := self._refs.get(number)) is not None:
                ray.cancel(ref, force=True)
        self._over.set()
        watching.join(LOOK_S)

    def _do(self, number: int, job: Job) -> None:
        ref = self._refs[number] = self._task.options(name=job.title).remote(job)
        ref.future().add_done_callback(partial(self._done, number))

    def _done(self, number: int, over: Future[bytes]) -> None:
        self._refs.pop(number, None)
        error = over.exception()
        if error is None:
            self._tell("done", number, over.result())
            return
        cause = error.cause if isinstance(error, RayTaskError) else error
        if isinstance(cause, JobError):
            self._tell("impossible", number, str(cause))
        elif isinstance(cause, WorkerError):
            self._tell("unfit", number, str(cause))
        elif not isinstance(cause, TaskCancelledError):
            sentence = str(cause).strip().partition("\n")[0]
            self._tell("unfit", number, f"a worker of the cluster failed: {type(cause).__name__}: {sentence}")

    def _watch(self) -> None:
        """Tell how many processors the cluster has, whenever that has changed."""
        known = -1
        while not self._over.wait(LOOK_S):
            found = _processors()
            if found != known:
                self._tell("processors", found)
            known = found

    def _tell(self, *message: Any) -> None:
        with self._lock:
            try:
                self._target.write(packed(message))
                self._target.flush()
            except BrokenPipeError:  # whoever started this is gone: the end of the input follows
                self._over.set()


def _processors() -> int:
    """Return how many processors the cluster has at the moment."""
    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return int(sum(node["Resources"].get("CPU", 0) for node in nodes if node["Alive"]))


def connect(options: ClusterOptions) -> None:
    """Connect to a cluster. Raises whatever Ray raises if that is not possible."""
    environment: dict[str, Any] = {"env_vars": KEPT_CHILDREN}
    if options.shipped:
        environment |= {"working_dir": options.shipped, "excludes": [f"/{each}/" for each in options.kept]}
    ray.init(address=options.address, runtime_env=environment, log_to_driver=False, logging_level=logging.CRITICAL)


def main() -> None:
    """Dispatch jobs until standard input ends."""
    source = sys.stdin.buffer
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what Ray prints is no frame
    start = read_message(source)
    if start is None:
        return
    try:
        connect(*start)
    except Exception as error:
        target.write(packed(("failed", " ".join(str(error).split()))))
        target.flush()
        return
    try:
        Dispatcher(source, target).run()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
