"""One server at a time has a directory of records."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairplay.server.records.errors import StoreInUse
from fairplay.server.records.lock import FILE_NAME, hold


def test_a_directory_is_locked_also_when_the_file_that_says_so_was_removed(tmp_path: Path) -> None:
    with hold(tmp_path):
        with pytest.raises(StoreInUse), hold(tmp_path):
            pass
        (tmp_path / FILE_NAME).unlink()
        with pytest.raises(StoreInUse), hold(tmp_path):
            pass
    with hold(tmp_path):
        pass
