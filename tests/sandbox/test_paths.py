"""What a program may see of the file system."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairplay.sandbox.paths import Visibility, view


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A class: two programs in folders of their own, one directly in the home, records."""
    for name in ("ann/run.sh", "bob/dist/run.js", "bob/package.json", "bob/node_modules/lib.js", "home/my.sh"):
        file = tmp_path / "class" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "class" / "records").mkdir()
    (tmp_path / "class" / "records" / "records.sqlite").touch()
    return tmp_path / "class"


def seen(here: Path, *words: str, confined: bool = False, added: tuple[Path, ...] = ()) -> set[str]:
    """Return what a command may see of the class, as paths from its folder."""
    visibility = Visibility(here, "/usr/bin:/bin", here / "home", [here / "records"], added, confined)
    found = (path for path in view(visibility, words).paths if path.is_relative_to(here.parent))
    return {path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path) for path in found}


def test_a_program_sees_the_folders_of_what_its_command_names(here: Path) -> None:
    for words, paths in [
        (["sh", "ann/run.sh"], {"ann"}),
        (["./ann/run.sh"], {"ann"}),
        (["node", "bob/dist/run.js"], {"bob/dist", "bob/package.json", "bob/node_modules"}),
        (["java", "-cp", "ann:bob/dist", "Main"], {"ann", "bob/dist"}),
        (["sh", "home/my.sh"], {"home/my.sh"}),
        (["sh", "home"], set()),
        (["cat", "records/records.sqlite"], set()),
        (["ls", "records"], set()),
        (["sh", "-c", "x" * 10_000], set()),
        (["sh", "no-such-file", "", "a\0b"], set()),
    ]:
        assert seen(here, *words) == paths


def test_a_module_of_python_is_looked_for_in_the_current_folder(here: Path) -> None:
    def found(home: Path, *words: str) -> bool:
        return here in view(Visibility(here, "/usr/bin:/bin", home), words).paths

    assert found(here.parent / "elsewhere", "python3", "-m", "player")
    assert not found(here.parent / "elsewhere", "sh", "-m", "player")
    assert not found(here / "home", "python3", "-m", "player")  # the folder holds the home


def test_what_the_system_keeps_for_itself_is_nobodys_folder(here: Path) -> None:
    visibility = Visibility(here, "/usr/bin", here / "home")
    found = view(visibility, ["cat", "/etc/passwd", "/proc/1/environ", "/"]).paths
    assert not [path for path in found if path in (Path("/"), Path("/etc"), Path("/etc/passwd"), Path("/proc/1"))]


def test_a_program_that_is_found_through_a_link_in_etc_is_seen_where_it_is(here: Path) -> None:
    linked = next((path for path in Path("/etc/alternatives").iterdir() if path.resolve().is_file()), None)
    if linked is None:
        pytest.skip("this system has no alternatives")
    assert linked not in view(Visibility(here, "/etc/alternatives", here / "home"), [linked.name]).paths


def test_commands_of_callers_name_nothing_outside_the_folders_that_are_given(here: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "secret").touch()
    command = ["cat", str(other / "secret"), "ann/run.sh"]
    assert seen(here, *command) == {"ann", str(other)}
    assert seen(here, *command, confined=True) == {"ann"}
    assert seen(here, *command, confined=True, added=(other,)) == {"ann", str(other)}


def test_a_link_in_the_own_folder_leads_to_no_records(here: Path) -> None:
    (here / "ann" / "link").symlink_to(here / "records")
    assert seen(here, "cat", "ann/link/records.sqlite") == set()
