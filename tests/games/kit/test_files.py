"""Texts of whatever editor are read, and results written wherever they are wanted, or refused at once."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from fairplay.games.kit.files import Output, TextError, read_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_text_is_read_without_marks_and_with_plain_line_ends(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("José\r\nann\rbob\n".encode(encoding))
    assert read_text(tmp_path / "text") == "José\nann\nbob\n"


def test_what_is_no_text_is_named_with_its_line(tmp_path: Path) -> None:
    latin = tmp_path / "latin"
    latin.write_bytes(b"ann\nJos\xe9\n")
    with pytest.raises(TextError, match=r"line 2 holds the byte 0xe9, which is not text in UTF-8$"):
        read_text(latin)
    with pytest.raises(TextError, match="/dev/zero cannot be read: it is longer than 64 MiB"):
        read_text(Path("/dev/zero"))


def test_a_pipe_and_a_fifo_are_written_to(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    output = Output(f"/dev/fd/{writing}")
    os.close(writing)
    output.write("text")
    assert os.read(reading, 10) == b"text"
    os.close(reading)
    os.mkfifo(tmp_path / "fifo")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "fifo").read_text()))
    reader.start()
    Output(tmp_path / "fifo").write("text")
    reader.join()
    assert found == ["text"]


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o640)
    with file.open() as opened:
        Output(file).write("new")
        assert opened.read() == "old"  # who had it open reads the old one to its end
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_new_file_may_be_read_by_whom_the_umask_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        Output(tmp_path / "file").write("new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_link_stays_one_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    Output(tmp_path / "link").write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"
    Output("/dev/null").write("new")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("where", ["none/file", "."])
def test_what_cannot_be_written_is_refused_at_once_and_leaves_nothing(where: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=rf"^cannot write {tmp_path / where}: "):
        Output(tmp_path / where)
    assert not list(tmp_path.iterdir())


def test_a_full_device_is_an_error() -> None:
    with pytest.raises(OSError, match=r"^cannot write /dev/full: No space left on device$"):
        Output("/dev/full").write("text")
