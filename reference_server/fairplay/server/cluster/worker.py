"""A worker: it looks whether it is fit for a job, and does it.

As a program it is one of a pool. Jobs come over standard input, what comes of each goes to standard output, and the end
of the input is the end of the process, whatever it does just then: the programs of players that it has started end too.
"""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import sys
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from fairplay.server import __version__
from fairplay.server.cluster.jobs import Job, JobError, Work, WorkerError, packed, read_message, travelling_variables


def do(job: Job) -> bytes:
    """Do a job and return what comes of it. For a process that does nothing else meanwhile.

    Raises JobError if it cannot be done, WorkerError if it cannot be done here.
    """
    here = socket.gethostname()
    if job.version != __version__:
        raise WorkerError(f"{here} has fairplay {__version__}, and not {job.version}: install the same version there")
    if job.folder and Path(job.folder).is_dir():
        os.chdir(job.folder)
    for program in job.programs:
        if shutil.which(program) is None:
            raise WorkerError(f"{here} has no program {program}: put it there, or in a folder that all machines share")
    for name in travelling_variables().keys() - job.environment.keys():
        del os.environ[name]
    os.environ.update(job.environment)
    work: Work = pickle.loads(job.work)
    return work.run()


def main() -> None:
    """Do jobs until standard input ends."""
    source, jobs = sys.stdin.buffer, SimpleQueue[Job]()
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what players print is no frame

    def read() -> None:
        while (message := read_message(source)) is not None:
            jobs.put(message[0])
        os._exit(0)

    Thread(target=read, daemon=True).start()
    while True:
        job = jobs.get()
        try:
            answer: tuple[str, bytes | str] = ("done", do(job))
        except JobError as error:
            answer = ("impossible", str(error))
        except WorkerError as error:
            answer = ("unfit", str(error))
        except Exception as error:
            answer = ("unfit", f"a worker failed: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}")
        target.write(packed(answer))
        target.flush()


if __name__ == "__main__":
    main()
