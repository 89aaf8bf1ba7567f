"""A server of PostgreSQL for tests: the machine's own programs, in a temporary folder, reached by a socket there."""

from __future__ import annotations

import contextlib
import getpass
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psutil
import psycopg

USER = "postgres"
QUICK = ("fsync=off", "full_page_writes=off", "listen_addresses=")
"""Nothing has to survive a loss of power. And no port, so that none can be taken."""


class PostgresqlMissingError(Exception):
    """This machine has no PostgreSQL."""


class Cluster:
    """A server of PostgreSQL in a folder."""

    def __init__(self, folder: Path, programs: Path, owner: str | None) -> None:
        self._folder = folder
        self._programs = programs
        self._owner = owner
        self._numbers = count(1)
        self._run("initdb", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "--no-sync", "-D", str(self._data))

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def start(self) -> None:
        """Start it, and return when it can be used."""
        settings = " ".join(f"-c {each}" for each in (*QUICK, f"unix_socket_directories={self._folder}"))
        log = str(self._folder / "log")
        self._run("pg_ctl", "start", "--wait", f"--pgdata={self._data}", f"--log={log}", f"--options={settings}")

    def stop(self) -> None:
        """Stop it at once; whoever is connected is cut off."""
        self._run("pg_ctl", "stop", "--mode=fast", f"--pgdata={self._data}")

    def kill(self) -> None:
        """Kill all its processes with SIGKILL, as a loss of power does, and return when they are gone."""
        parent = psutil.Process(int((self._data / "postmaster.pid").read_text().splitlines()[0]))
        processes = [parent, *parent.children(recursive=True)]
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):  # they end when they notice that the first is gone
                process.kill()
        psutil.wait_procs(processes)

    def new_database(self) -> str:
        """Return the URL of a new, empty database."""
        name = f"test{next(self._numbers)}"
        with psycopg.connect(host=str(self._folder), user=USER, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://{USER}@/{name}?host={self._folder}"

    def _run(self, program: str, *arguments: str) -> None:
        with (self._folder / "said").open("w+") as said:
            command = [str(self._programs / program), *arguments]
            ran = subprocess.run(command, stdout=said, stderr=said, cwd=self._folder, user=self._owner, check=False)
            said.seek(0)
            assert ran.returncode == 0, said.read()


def programs() -> Path:
    """Return the folder of the newest PostgreSQL. Raises PostgresqlMissingError if there is none."""
    found = [*Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: int(path.parts[-3])).parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).parent
    raise PostgresqlMissingError("this machine has no PostgreSQL: on Debian, apt-get install postgresql")


@contextmanager
def running() -> Iterator[Cluster]:
    """Run a server until the context is left. As root it belongs to `postgres`, since it refuses to run as root."""
    owner = USER if getpass.getuser() == "root" else None
    found = programs()
    with tempfile.TemporaryDirectory(prefix="fairplay-postgresql-") as folder:
        if owner is not None:
            shutil.chown(folder, owner)
        cluster = Cluster(Path(folder), found, owner)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
