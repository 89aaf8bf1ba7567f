"""What a worker of a cluster does: it looks whether it is fit for a job, and does it."""

from __future__ import annotations

import os
import pickle
import shutil
import socket
from pathlib import Path

from fairplay.server import __version__
from fairplay.server.cluster.jobs import Job, Work, WorkerError, travelling_variables


def do(job: Job) -> bytes:
    """Do a job and return what comes of it. For a process that does nothing else meanwhile.

    Raises JobError if it cannot be done, WorkerError if it cannot be done here.
    """
    _check_here(job)
    for name in travelling_variables().keys() - job.environment.keys():
        del os.environ[name]
    os.environ.update(job.environment)
    work: Work = pickle.loads(job.work)
    return work.run()


def _check_here(job: Job) -> None:
    here = socket.gethostname()
    if job.version != __version__:
        raise WorkerError(f"{here} has fairplay {__version__}, and not {job.version}: install the same version there")
    if job.folder and Path(job.folder).is_dir():
        os.chdir(job.folder)
    for program in job.programs:
        if shutil.which(program) is None:
            raise WorkerError(f"{here} has no program {program}: put it there, or in a folder that all machines share")
