"""The author's list of known failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairplay.conformance.run.plan import read_known_failures


def test_a_list_has_ids_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text("# mine\n\nmemory.early-end  # see issue 3\n  time.under-load\n")
    assert read_known_failures(file, ["memory.early-end", "time.under-load", "x"]) == {
        "memory.early-end",
        "time.under-load",
    }


def test_an_unknown_id_is_answered_with_a_suggestion(tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text("memory.earlyend\n")
    with pytest.raises(ValueError, match=r"no such case; did you mean memory\.early-end\?"):
        read_known_failures(file, ["memory.early-end"])


def test_a_list_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_known_failures(tmp_path / "none", [])
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(ValueError, match="cannot be read"):
        read_known_failures(tmp_path / "bytes", [])
