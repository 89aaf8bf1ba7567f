"""`fairplay class collect`: what course systems export becomes programs with certificates, and a roster."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from fairplay.terminal.roster import Entrant, parse_roster
from tests.docs.pages import ROOT
from tests.slow import SLOW
from tests.terminal.running import Ran, Run

PLAYER = (ROOT / "examples" / "python" / "my_player.py").read_text("utf-8")
BROKEN = "import nowhere\n"
CLASS = f"""
game = "fish"
[[program]]
language = "Python"
file = "player.py"
command = "'{sys.executable}' {{path}}/player.py"
[limits]
start = "60s"
"""
FEW = ["--only", "contract.reachable"]


@pytest.fixture(autouse=True)
def spring(fairplay: Run) -> None:
    """A class, and an export that is empty, in a directory of their own."""
    Path("spring").mkdir()
    Path("spring/class.toml").write_text(CLASS)
    Path("export").mkdir()


def zipped(path: str, files: Mapping[str, str], time: int = 0) -> Path:
    """A zip in the export; `time`: when it was handed in."""
    file = Path("export", path)
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    os.utime(file, (time, time))
    return file


def collect(fairplay: Run, *more: str) -> Ran:
    return fairplay("class", "collect", "export", "--class", "spring", *FEW, *more)


def entrants() -> dict[str, Entrant]:
    return {each.name: each for each in parse_roster(Path("spring/roster.toml").read_text(), "roster").entrants}


def files_of(id_: str, number: int = 1) -> set[str]:
    folder = Path("spring/programs", id_, str(number))
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_newest_certified_program_of_each_is_listed_with_its_certificate(fairplay: Run) -> None:
    zipped("Jürgen Müller_12_assignsubmission_file/fish.zip", {"mine/player.py": PLAYER})
    zipped("Bob Ray_13_assignsubmission_file/fish.zip", {"player.py": BROKEN}, 2)
    zipped("Bob Ray_13_assignsubmission_file/fish-old.zip", {"player.py": PLAYER + "#"}, 1)
    zipped("Eve Fox_14_assignsubmission_file/fish.zip", {"player.py": BROKEN + "#"})
    Path("export/Kim Li_15_assignsubmission_file").mkdir()
    ran = collect(fairplay)
    assert (ran.code, ran.err) == (1, "")
    for sentence in [
        "Bob Ray: 2 hand-ins, of which fish.zip is the newest",
        "Kim Li: nothing was handed in",
        "Eve Fox: no program is certified",
        "spring/roster.toml lists 2 entrants",
    ]:
        assert sentence in ran.out.splitlines()
    listed = entrants()
    assert {name: each.who for name, each in listed.items()} == {
        "Juergen-Mueller": "Jürgen Müller",
        "Bob-Ray": "Bob Ray",
    }
    assert listed["Bob-Ray"].link.endswith("spring/programs/Bob-Ray/1/player.py")
    assert sorted(path.name for path in Path("spring/certificates").iterdir()) == [
        "Bob-Ray.1.report",
        "Bob-Ray.2.report",
        "Bob-Ray.report",
        "Eve-Fox.1.report",
        "Juergen-Mueller.1.report",
        "Juergen-Mueller.report",
        "index.html",
        "index.json",
    ]
    page = Path("spring/certificates/index.html").read_text("utf-8")
    assert page.count("Bob Ray") == 2
    again = collect(fairplay)
    assert again.code == 1
    assert "Certificates" not in again.out  # nothing is judged again


def test_who_stops_at_the_first_failure_gets_a_roster_all_the_same(fairplay: Run) -> None:
    zipped("Bob Ray_13_assignsubmission_file/fish.zip", {"player.py": BROKEN}, 2)
    zipped("Bob Ray_13_assignsubmission_file/fish-old.zip", {"player.py": PLAYER}, 1)
    ran = collect(fairplay, "--only", "contract.reachable,contract.describes-itself", "--fail-fast")
    assert (ran.code, ran.err) == (0, "")
    assert entrants()["Bob-Ray"].link.endswith("spring/programs/Bob-Ray/1/player.py")


@pytest.mark.slow
def test_what_comes_later_is_judged_alone_and_takes_the_place_of_the_older_one(fairplay: Run) -> None:
    zipped("Ann Lee.zip", {"player.py": PLAYER})
    zipped("Bob Ray.zip", {"player.py": PLAYER + "#"})
    assert collect(fairplay).code == 0
    zipped("Ann Lee.zip", {"player.py": PLAYER + "##"}, 9)
    ran = collect(fairplay)
    assert ran.code == 0
    assert "Fish, 1 player" in ran.out
    assert entrants()["Ann-Lee"].link.endswith("programs/Ann-Lee/2/player.py")
    rows = json.loads(Path("spring/certificates/index.json").read_text())["rows"]
    assert sorted(row["name"] for row in rows) == ["Ann-Lee.1", "Ann-Lee.2", "Bob-Ray.1"]


def test_a_hand_in_without_a_program_is_named_until_it_has_one(fairplay: Run) -> None:
    zipped("Ann Lee.zip", {"src/main.py": PLAYER, "notes.txt": ""})
    ran = collect(fairplay)
    assert "Ann Lee: there is no player.py in spring/programs/Ann-Lee/1" in ran.out.splitlines()
    shutil.copy("spring/programs/Ann-Lee/1/src/main.py", "spring/programs/Ann-Lee/1/player.py")
    assert collect(fairplay).code == 0


def test_who_is_on_the_list_is_called_as_there_and_named_if_missing(fairplay: Run) -> None:
    zipped("mullerjurgen_LATE_77_1234_fish.zip", {"main.py": PLAYER})
    Path("names.txt").write_text("Jürgen Müller\nLee, Ann\n")
    ran = collect(fairplay, "--students", "names.txt")
    assert ran.code == 1
    assert "Lee, Ann: nothing was handed in" in ran.out.splitlines()
    assert "Jürgen Müller: there is no player.py in spring/programs/Juergen-Mueller/1" in ran.out.splitlines()


def test_students_of_one_name_and_of_one_program_are_kept_apart_and_named(fairplay: Run) -> None:
    for number in (12, 13):
        zipped(f"Ann Lee_{number}_assignsubmission_file_fish.zip", {"main.py": PLAYER})
    ran = collect(fairplay)
    assert ran.code == 1
    assert "Ann Lee is the name of 2 students: Ann-Lee, Ann-Lee-2" in ran.out.splitlines()
    assert "the same files were handed in by Ann Lee (Ann-Lee), Ann Lee (Ann-Lee-2)" in ran.out.splitlines()
    assert files_of("Ann-Lee") == files_of("Ann-Lee-2") == {"main.py"}


def test_an_export_of_gradescope_is_read(fairplay: Run) -> None:
    folder = Path("export/submission_501")
    folder.mkdir()
    (folder / "main.py").write_text(PLAYER)
    (folder / "secret").symlink_to("/etc/passwd")
    Path("export/submission_metadata.yml").write_text(
        "---\nsubmission_501:\n  :submitters:\n  - :name: Zoë Á\n    :sid: '9'\n    :email: z@example.org\n"
        "  :created_at: 2026-11-01\n  :results:\n    tests:\n    - :name: nobody\n"
    )
    ran = collect(fairplay)
    assert ran.code == 1
    assert "Zoë Á: there is no player.py in spring/programs/Zoe-A/1" in ran.out.splitlines()
    assert files_of("Zoe-A") == {"main.py"}


@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        ("../x.py", "names a file outside of itself: '../x.py'"),
        ("/tmp/x.py", "names a file outside of itself: '/tmp/x.py'"),
        ("a\\..\\..\\x.py", "names a file outside of itself: 'a"),
        ("C:/x.py", "names a file outside of itself: 'C:/x.py'"),
        ("a\x1b[2Jb", "names a file as no file should be called: 'a"),
        ("x" * 300, "names a file as no file should be called: 'xxx"),
        ("a/" * 40 + "x", "has more than 32 folders in each other"),
    ],
)
def test_no_name_in_a_zip_leads_out_of_its_folder(fairplay: Run, member: str, sentence: str) -> None:
    zipped("Ann Lee.zip", {"player.py": PLAYER, member: "gone"})
    ran = collect(fairplay)
    assert ran.code == 1
    assert f"Ann Lee: Ann Lee.zip {sentence}" in ran.out
    assert "\x1b" not in ran.out
    assert not list(Path("spring/programs").rglob("*.py"))
    assert {path.name for path in Path().iterdir()} == {"spring", "export"}


def test_a_link_in_a_zip_is_left_out(fairplay: Run) -> None:
    file = zipped("Ann Lee.zip", {"main.py": PLAYER})
    with zipfile.ZipFile(file, "a") as archive:
        link = zipfile.ZipInfo("secret")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert collect(fairplay).code == 1
    assert files_of("Ann-Lee") == {"main.py"}


@pytest.mark.slow
def test_a_zip_that_swells_or_is_none_is_one_sentence_and_leaves_nothing(fairplay: Run) -> None:
    with zipfile.ZipFile("export/Bob Ray.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("player.py", bytes(300 << 20))
    Path("export/Eve Fox.zip").write_bytes(b"PK\x03\x04 nothing")
    with zipfile.ZipFile("export/Kim Li.zip", "w") as archive:
        for number in range(20_001):
            archive.writestr(f"{number}", "")
    ran = collect(fairplay)
    assert (ran.code, ran.err) == (1, "")
    assert "Bob Ray: Bob Ray.zip has more than 256 MiB when it is unpacked" in ran.out.splitlines()
    assert "Eve Fox: Eve Fox.zip is damaged, or no zip" in ran.out
    assert "Kim Li: Kim Li.zip has more than 20,000 files" in ran.out.splitlines()
    assert not [path for path in Path("spring/programs").rglob("*") if path.is_file()]


@pytest.mark.slow
def test_no_name_of_a_student_becomes_markup_a_path_or_an_option(fairplay: Run) -> None:
    names = ["--help", "<b>x</b>", "..", "$(touch gone)", "[red]ann[/]", "a;b'c\"d", "王小明"]
    for number, name in enumerate(names):
        folder = f"{name.replace('/', '_')}_{number}_assignsubmission_file"
        zipped(f"{folder}/$(touch gone).zip", {"player.py": f"{PLAYER}#{number}"})
    ran = collect(fairplay)
    assert (ran.code, ran.err) == (0, "")
    listed = entrants()
    assert {each.who for each in listed.values()} == {name.replace("/", "_") for name in names}
    assert set(listed) == {"help", "b-x-_b", "player-2", "touch-gone", "red-ann-_", "a-b-c-d", "player-6"}
    assert "<b>" not in Path("spring/certificates/index.html").read_text("utf-8")
    assert {path.name for path in Path().iterdir()} == {"spring", "export"}


def test_what_makes_no_sense_is_one_sentence(fairplay: Run) -> None:
    Path("other").mkdir()
    Path("other/class.toml").write_text(CLASS.replace("{path}/", ""))
    for arguments, sentence in [
        (["nowhere", "--class", "spring"], "nowhere cannot be read: No such file or directory"),
        (["export", "--class", "spring"], "export holds no hand-ins: neither a folder nor a zip"),
        (["export"], "class.toml cannot be read: No such file or directory: fairplay class new makes one"),
        (["export", "--class", "other"], "other/class.toml: the template"),
        (["export", "--class", "spring", "--students", "x"], "x cannot be read: No such file or directory"),
    ]:
        ran = fairplay("class", "collect", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: {sentence}")


@SLOW
def test_what_is_handed_out_is_collected_and_certified(fairplay: Run) -> None:
    shutil.rmtree("spring")
    made = fairplay("class", "new", "spring", "--game", "fish")
    assert made.code == 0
    shutil.unpack_archive("spring/hand-out.zip", "got")
    shutil.make_archive("export/Ann Lee", "zip", "got/fish-hand-out/python")
    settings = Path("spring/class.toml")
    settings.write_text(settings.read_text().replace('"python {path}', f"\"'{sys.executable}' {{path}}"))
    ran = fairplay("class", "collect", "export", "--class", "spring", "--start-limit", "60s", "--budget", "60m")
    assert ran.code == 0, ran.out
    assert list(entrants()) == ["Ann-Lee"]
