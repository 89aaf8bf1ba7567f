"""The files of a command, which a certificate names."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from fairplay.conformance.run.report import ProgramFile, program_files


def test_the_executable_is_looked_up_and_arguments_that_are_files_are_named(tmp_path: Path) -> None:
    script = tmp_path / "play.sh"
    script.write_text("exit 0\n")
    shell = Path(shutil.which("sh") or "")
    assert program_files(f"exec:sh {script} --fast {tmp_path} nothing") == (
        ProgramFile("sh", hashlib.sha256(shell.read_bytes()).hexdigest()),
        ProgramFile(str(script), hashlib.sha256(b"exit 0\n").hexdigest()),
    )


def test_a_file_that_cannot_be_read_is_named_without_a_digest() -> None:
    assert program_files("exec:no-such-program /proc/self/mem") == (ProgramFile("/proc/self/mem", ""),)


def test_a_program_that_is_not_there_or_is_code_on_the_command_line_has_no_file() -> None:
    assert program_files("exec:no-such-program") == ()
    assert program_files(f"exec:no-such-program {'x' * 10_000}") == ()


@pytest.mark.parametrize("player", ["bot:first", "dial-in:sh", "grpc://127.0.0.1:5000", list])
def test_a_player_that_is_not_started_has_no_files(player: str) -> None:
    assert program_files(player) == ()
