"""What a program in a sandbox can read: its own folder, and nothing that something in there points to."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fairplay.sandbox.bubblewrap import Sandbox
from fairplay.sandbox.limits import Limits
from fairplay.sandbox.paths import Visibility, view
from fairplay.server.links.program import ProgramOptions
from fairplay.server.server import Config
from tests.server.harness import plan, serving

pytestmark = pytest.mark.sandbox

SPY = """
echo started
find -L {class}/ann {class}/bob {class}/records {outside} -type f -exec cat {{}} + 2>/dev/null | grep -a ^hush
exit 0
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A class with the folders of two programs and the records of the server, and a secret beside it."""
    here = tmp_path / "class"
    for name in (
        "class/bob/words",
        "class/records/words",
        "outside/words",
        "outside/bin/python",
        "outside/package.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"hush {name}\n")
    (tmp_path / "outside" / "bin" / "python").chmod(0o755)
    (here / "ann" / "lib").mkdir(parents=True)
    (here / "ann" / "spy.sh").write_text(SPY.format(**{"class": here, "outside": tmp_path / "outside"}))
    return here


def run(sandbox: Sandbox, visibility: Visibility, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a sandbox to its end."""
    command = [*sandbox.command(visibility, view(visibility, words).paths, Limits()), "--", *words]
    environment = {"PATH": visibility.search}
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def seeing(here: Path, *, confined: bool = False) -> Visibility:
    return Visibility(here, os.defpath, here.parent / "home", [here / "records"], (), confined)


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def beside(here: Path, path: str, target: str) -> None:
    """Put a link above the folder of a program, where Node looks for packages."""
    (here / "ann" / "dist").mkdir()
    (here / "ann" / "spy.sh").rename(here / "ann" / "dist" / "spy.sh")
    (here / "ann" / "package.json").write_text("{}") if not path.endswith("json") else None
    link(here / path, target)


def chain(here: Path) -> None:
    link(here / "ann" / "a", "lib/b")
    link(here / "ann" / "lib" / "b", here / "bob")


def own_environment(here: Path) -> None:
    """Put an environment of Python into a program's folder that names a folder of others in all its ways."""
    outside = here.parent / "outside"
    packages = here / "ann" / "venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "more.pth").write_text(f"{outside}\n{here / 'bob'}\n")
    (here / "ann" / "venv" / "pyvenv.cfg").write_text(f"home = {outside / 'bin'}\n")
    link(here / "ann" / "venv" / "bin" / "python", outside / "bin" / "python")
    link(here / "ann" / "venv" / "bin" / "sh", "/bin/sh")


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda here: beside(here, "ann/node_modules", "../../outside"), ["sh", "ann/dist/spy.sh"]),
        (lambda here: beside(here, "ann/package.json", "../../outside/package.json"), ["sh", "ann/dist/spy.sh"]),
        (lambda here: link(here / "ann/data", "../bob/words"), ["sh", "ann/spy.sh", "ann/data"]),
        (lambda here: link(here / "ann/data", "../bob"), ["sh", "ann/spy.sh", "ann/data"]),
        (lambda here: link(here / "ann/data", "../bob"), ["sh", "ann/spy.sh", "ann/data/words"]),
        (lambda here: link(here / "ann/records", "../records"), ["sh", "ann/spy.sh", "ann/records/words"]),
        (lambda here: link(here / "ann/up", ".."), ["sh", "ann/spy.sh", "ann/up/bob/words"]),
        (chain, ["sh", "ann/spy.sh", "ann/a/words"]),
        (own_environment, ["sh", "ann/spy.sh", "ann/venv/bin/python"]),
        (own_environment, ["ann/venv/bin/sh", "ann/spy.sh"]),
    ],
    ids=["modules", "package", "file", "folder", "in a folder", "records", "up", "chain", "python", "environment"],
)  # fmt: skip
def test_links_in_the_own_folder_open_nothing(
    sandbox: Sandbox, here: Path, prepare: Callable[[Path], object], words: list[str]
) -> None:
    prepare(here)
    done = run(sandbox, seeing(here), *words)
    assert (done.stdout, done.returncode) == ("started\n", 0), done.stderr


@pytest.mark.parametrize("further", ["bob", "bob/words", ".", "words", "-m"])
def test_a_program_that_a_caller_names_has_one_folder(sandbox: Sandbox, here: Path, further: str) -> None:
    (here / "words").write_text("of the class")
    done = run(sandbox, seeing(here, confined=True), "sh", "ann/spy.sh", further)
    assert (done.stdout, done.returncode) == ("started\n", 0), done.stderr


def test_what_an_operator_names_is_seen_but_for_what_is_hidden(sandbox: Sandbox, here: Path) -> None:
    link(here / "words", "records/words")
    done = run(sandbox, seeing(here), "sh", "ann/spy.sh", ".", str(here.parent / "outside"))
    assert "hush class/bob/words" in done.stdout
    assert "hush outside/words" in done.stdout
    assert "records" not in done.stdout


def test_a_folder_for_all_programs_opens_no_links_beside_it(sandbox: Sandbox, here: Path) -> None:
    link(here / "ann" / "data", "../bob")
    visibility = seeing(here)._replace(added=[here / "ann" / "lib"])
    assert run(sandbox, visibility, "sh", "ann/spy.sh", "ann/data/words").stdout == "started\n"


def test_a_program_that_path_leads_to_is_found_by_its_absolute_name_too(sandbox: Sandbox, here: Path) -> None:
    """A link to an installation elsewhere, in a folder of PATH and in an environment of a player."""
    tool = here.parent / "tools" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    link(here.parent / "usual" / "run", tool)
    link(here / "ann" / "venv" / "bin" / "run", tool)
    visibility = seeing(here)._replace(search=f"{os.defpath}:{here.parent / 'usual'}")
    for word in ("run", str(here.parent / "usual" / "run"), "ann/venv/bin/run"):
        assert run(sandbox, visibility, word).stdout == "found\n", word


def test_what_is_hidden_is_covered_under_every_name(sandbox: Sandbox, here: Path) -> None:
    """The operator calls the folder by a link, and hides it by its own name."""
    link(here.parent / "called", here)
    visibility = seeing(here)._replace(added=[here.parent / "called"], hidden=[here / "records", here / "bob/words"])
    done = run(sandbox, visibility, "sh", str(here.parent / "called" / "ann" / "spy.sh"))
    assert done.stdout == "started\n"


def environment_in(folder: Path) -> str:
    """Make an environment of Python, and return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    return str(folder / "bin" / "python")


@pytest.mark.parametrize(
    ("where", "confined"), [("class/ann/.venv", False), ("class/ann/.venv", True), ("environments/ann", False)]
)
def test_python_with_an_environment_of_its_own_starts(sandbox: Sandbox, here: Path, where: str, confined: bool) -> None:
    python = environment_in(here.parent / where)
    [packages] = Path(python).parent.parent.glob("lib/*/site-packages")
    (packages / "needed.py").write_text("word = 'found'")
    (here / "ann" / "helper.py").write_text("from needed import word")
    (here / "ann" / "player.py").write_text("import helper; print(helper.word)")
    done = run(sandbox, seeing(here, confined=confined), python, "ann/player.py")
    assert (done.stdout, done.stderr) == ("found\n", "")


def test_programs_that_are_links_within_their_folder_start(sandbox: Sandbox, here: Path) -> None:
    (here / "ann" / "lib" / "run").write_text('#!/bin/sh\ncat "$(dirname "$0")/data"\n')
    (here / "ann" / "lib" / "run").chmod(0o755)
    (here / "ann" / "lib" / "data").write_text("found\n")
    link(here / "ann" / "data", "lib/data")
    link(here / "ann" / "run", "lib/run")
    link(here / "ann" / "bin" / "run", "../lib/run")
    link(here / "ann" / "bin" / "data", "../lib/data")
    for word in ("ann/run", "./ann/bin/run", str(here / "ann" / "bin" / "run")):
        done = run(sandbox, seeing(here), word)
        assert (done.stdout, done.stderr) == ("found\n", "")


async def test_the_author_of_a_program_that_is_behind_a_link_is_told_so(sandbox: Sandbox, here: Path) -> None:
    link(here / "bob" / "run.sh", here / "ann" / "spy.sh")
    async with serving(Config(allow_exec=True, programs=ProgramOptions(sandbox))) as server:
        game = await server.referee.play(plan(f"exec:sh {here}/bob/run.sh", "bot:first"))
    [misconduct] = game.result.misconducts
    said = f"[{here}/bob/run.sh is not shown to this program: it is outside of its folder, or a link leads there]"
    assert misconduct.call_error.output.splitlines()[0] == said


@pytest.mark.parametrize("name", ["outside/words", "outside/nothing"])
def test_whether_there_is_something_outside_is_not_said_to_who_names_it(here: Path, name: str) -> None:
    path = str(here.parent / name)
    assert view(seeing(here, confined=True), ["sh", path, "ann/nothing", "/dev/null"]).left_out == [path]


def test_the_table_of_certificates_says_which_program_is_behind_a_link(sandbox: Sandbox, here: Path) -> None:
    link(here / "bob" / "run.sh", here / "ann" / "spy.sh")
    (here / "roster.toml").write_text('[[entrant]]\nname = "bob"\nlink = "exec:sh bob/run.sh"\n')
    words = ["certify", "fish", "--roster", "roster.toml", "--only", "contract.reachable", "--sandbox", "require"]
    command = [sys.executable, "-m", "fairplay.terminal", *words, "--report", "report"]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=120, check=False)
    table = (here / "report" / "index.html").read_text()
    assert f"[{here}/bob/run.sh is not shown to this program" in table, done


def test_files_with_secrets_are_not_seen_by_a_program_beside_them(sandbox: Sandbox, tmp_path: Path) -> None:
    """A player that is certified and lies beside the key which signs its certificate."""
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "key.pem"], check=True, timeout=60
    )
    (tmp_path / "player.sh").write_text("cd $(dirname $0)\nexit $(wc -c < key.pem)\n")
    options = ["--only", "contract.reachable", "--sandbox", "require", "--json", "out.json", "--sign", "key.pem"]
    words = ["certify", "fish", f"exec:sh {shlex.quote(str(tmp_path / 'player.sh'))}", *options]
    command = [sys.executable, "-m", "fairplay.terminal", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert "ended with exit code 0\n" in done.stdout, done
