"""The database of certifications, used by threads that nobody waits for any more."""

from __future__ import annotations

import threading
from collections.abc import ItemsView
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from fairplay.server.records.certifications import CertificationRow, CertificationsDatabase
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import at

ROW = CertificationRow(1, "ann", b"message")


class Slow(dict[str, bytes]):
    """Reports of which the forms are said when a test lets them be."""

    def __init__(self) -> None:
        super().__init__(json=b"report")
        self.asked, self.may_go_on = threading.Event(), threading.Event()

    def items(self) -> ItemsView[str, bytes]:  # type: ignore[override]
        self.asked.set()
        assert self.may_go_on.wait(30)
        return super().items()


def test_a_database_is_closed_after_what_is_being_written_and_opened_no_more(tmp_path: Path) -> None:
    database, reports = CertificationsDatabase(at(tmp_path)), Slow()
    with ThreadPoolExecutor() as threads:
        writing = threads.submit(database.put, ROW, reports)
        assert reports.asked.wait(30)
        closing = threads.submit(database.close)
        later = threads.submit(database.put, ROW._replace(number=2))
        reports.may_go_on.set()
        writing.result()
        closing.result()
        try:
            later.result()
        except RecordsError as refused:
            assert "closed" in str(refused)
    with pytest.raises(RecordsError, match="closed"):
        database.report(1, "json")
    assert not [each.path for each in psutil.Process().open_files() if Path(each.path).parent == tmp_path]
    kept = CertificationsDatabase(at(tmp_path))
    assert kept.report(1, "json") == b"report"
    kept.close()
