"""Every command line of the pages does what its page says."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.docs.pages import COMMAND_PAGES, Command, commands, name_of, run
from tests.slow import SLOW

LIMIT_S = 100.0
"""More than any page may take on a machine that is busy with something else."""

LISTENER = """
import os, pathlib, signal, socket, sys
pathlib.Path("listener").write_text(str(os.getpid()))
listener = socket.create_server(("127.0.0.1", int(sys.argv[1].partition(":")[2])))
signal.pause()
"""

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="the pages are run by bash")


def environment(folder: Path) -> dict[str, str]:
    """This environment's programs first on the PATH; wide lines, so that nothing is folded.

    What a page installs with pip is installed for that page alone, from the tree and without a network.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    site = str(folder / "site-packages")
    pip = {"PIP_TARGET": site, "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return {**os.environ, "PATH": path, "PYTHONPATH": site, "COLUMNS": "200", **pip}


@needs_bash
@SLOW
@pytest.mark.parametrize("page", [page for page in COMMAND_PAGES if commands(page.read_text())], ids=name_of)
def test_every_command_of_a_page_does_what_the_page_says(page: Path, tmp_path: Path) -> None:
    code, printed = run(page.read_text(), tmp_path, environment(tmp_path), LIMIT_S)
    assert code == 0, printed


def test_a_command_goes_on_in_the_lines_that_are_indented_and_prints_the_others() -> None:
    text = "```console\n$ one \\\n    two\nprinted\n$ three  # exit code 2\n```\n"
    assert commands(text) == [Command("one \\\n    two", 2, 0), Command("three  # exit code 2", 5, 2)]


def test_only_console_blocks_that_are_not_skipped_are_run() -> None:
    text = "```sh\n$ one\n```\n<!-- run: skip, because it needs a person -->\n```console\n$ two\n```\n    $ three\n"
    assert commands(text) == []


@needs_bash
def test_a_command_that_does_not_do_as_its_page_says_is_named(tmp_path: Path) -> None:
    text = "```console\n$ false  # exit code 1\n$ true\n$ exit 3 | cat\n$ (exit 4)\n$ echo not reached\n```\n"
    code, printed = run(text, tmp_path, environment(tmp_path), LIMIT_S)
    assert code == 1
    assert "line 5: exit code 4, where the page says 0" in printed
    assert "\nnot reached" not in printed


@needs_bash
def test_what_runs_in_the_background_is_waited_for_and_ended_with_the_page(tmp_path: Path) -> None:
    (tmp_path / "listen.py").write_text(LISTENER)
    text = "```console\n$ python listen.py 127.0.0.1:50050 &\n$ test -s listener\n```\n"
    code, printed = run(text, tmp_path, environment(tmp_path), LIMIT_S)
    assert code == 0, printed
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "listener").read_text()), 0)


@needs_bash
def test_a_program_that_ends_at_once_in_the_background_is_named(tmp_path: Path) -> None:
    code, printed = run("```console\n$ false 127.0.0.1:50050 &\n```\n", tmp_path, environment(tmp_path), LIMIT_S)
    assert code == 1
    assert "line 2: it has ended" in printed
