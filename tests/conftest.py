"""What holds for all tests."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from fairplay.server.net.limits import METHODS
from fairplay.server.records.place import Place, at, parse_place
from tests.postgresql import Cluster, PostgresqlMissingError, running

# Machines are busy at times, which is nobody's fault. Each run tries other examples.
settings.register_profile("fairplay", deadline=None, max_examples=50)
settings.load_profile("fairplay")

# The same with bubblewrap and without it: what tests of sandboxes need, they say themselves.
os.environ["FAIRPLAY_SANDBOX"] = "off"

# Thousands of tests are collected, and kept: looking for garbage among them takes a fifth of that time.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage again, but not among what was imported and collected."""
    gc.freeze()
    gc.enable()


REQUIRED = "FAIRPLAY_POSTGRESQL_REQUIRED"
"""Where this is set, a machine without PostgreSQL fails the tests that need it, rather than leaving them out."""


class Refusals(logging.Filter):
    """Keeps the refusals of servers of this process whose reasons the comments of their methods do not name."""

    def __init__(self) -> None:
        super().__init__()
        self.unknown: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Look at a refusal, which nobody else is told of."""
        path, reason = record.getMessage().split()
        method = METHODS.get(path.strip("/").replace("/", "."))
        if method is not None and reason not in method.reasons:
            self.unknown.add(f"{path} {reason}")
        return False


@pytest.fixture(autouse=True)
def heard_refusals() -> Iterator[None]:
    """Fail a test in which a call is refused with a reason that the comment of its method does not name."""
    log, heard = logging.getLogger("fairplay.server.refusals"), Refusals()
    log.setLevel(logging.DEBUG)
    log.addFilter(heard)
    yield
    log.removeFilter(heard)
    log.setLevel(logging.NOTSET)
    assert heard.unknown == set()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A server of PostgreSQL, for all tests of a process."""
    try:
        with running() as found:
            yield found
    except PostgresqlMissingError as missing:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(str(missing))


@pytest.fixture(params=["directory", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty place for records, of each kind in turn."""
    if request.param == "directory":
        return at(tmp_path)
    cluster: Cluster = request.getfixturevalue("cluster")
    return parse_place(cluster.new_database())
