"""`fairplay roster`: a folder of programs becomes a roster."""

from __future__ import annotations

from pathlib import Path

from fairplay.terminal.roster import Entrant, TimeLimits, parse_roster
from tests.terminal.running import Run

TEMPLATE = "python {path}/player.py"


def program(name: str) -> None:
    Path("programs", name).mkdir(parents=True)
    Path("programs", name, "player.py").touch()


def test_each_folder_becomes_an_entrant_by_name(fairplay: Run) -> None:
    for name in ("bob", "alice", ".git", "__pycache__"):
        program(name)
    Path("programs/README.txt").touch()
    ran = fairplay("roster", "programs", "--command", TEMPLATE, "-o", "roster.toml")
    assert (ran.code, ran.out, ran.err) == (0, "roster.toml lists 2 entrants\n", "")
    assert parse_roster(Path("roster.toml").read_text(), "").entrants == [
        Entrant("alice", "exec:python programs/alice/player.py", "", "Python"),
        Entrant("bob", "exec:python programs/bob/player.py", "", "Python"),
    ]


def test_where_there_are_no_folders_each_file_becomes_one(fairplay: Run) -> None:
    Path("programs").mkdir()
    for name in ("a.js", "b.js"):
        Path("programs", name).touch()
    ran = fairplay("roster", "programs", "--command", "node {path} --name {name}", "--start-limit", "20s")
    roster = parse_roster(ran.out, "")
    assert roster.limits == TimeLimits(start="20s")
    assert roster.entrants[1] == Entrant("b", "exec:node programs/b.js --name b", "", "JavaScript")


def test_names_that_are_none_are_changed_and_kept_apart(fairplay: Run) -> None:
    for name in ("Ann Lee", "Ann-Lee", "it's", "***"):
        program(name)
    entrants = parse_roster(fairplay("roster", "programs", "--command", TEMPLATE).out, "").entrants
    assert {(each.name, each.who) for each in entrants} == {
        ("player", "***"),
        ("Ann-Lee", "Ann Lee"),
        ("Ann-Lee-2", "Ann-Lee"),
        ("it-s", "it's"),
    }
    [link] = [each.link for each in entrants if each.name == "it-s"]
    assert link == """exec:python 'programs/it'"'"'s'/player.py"""


def test_a_program_whose_file_is_not_there_is_listed_and_named(fairplay: Run) -> None:
    program("alice")
    Path("programs/late").mkdir()
    ran = fairplay("roster", "programs", "--command", TEMPLATE)
    assert (ran.code, ran.err) == (0, "late: there is no programs/late/player.py\n")
    assert len(parse_roster(ran.out, "").entrants) == 2


def test_what_cannot_be_meant_is_one_sentence(fairplay: Run) -> None:
    program("alice")
    Path("empty").mkdir()
    for arguments, sentence in [
        (["nowhere", "--command", TEMPLATE], "nowhere cannot be read: No such file or directory"),
        (["empty", "--command", TEMPLATE], "empty holds no programs"),
        (["programs", "--command", "python player.py"], "the template 'python player.py' has no {path}"),
        (["programs", "--command", "{path} {nmae}"], "{nmae} stands for nothing"),
        (["programs", "--command", "{path} '"], 'the template "{path} \'" cannot be read'),
        (["programs", "--command", TEMPLATE, "--start-limit", "soon"], "--start-limit 'soon' is not a duration"),
        (["programs", "--command", TEMPLATE, "-o", "programs"], "programs is there already"),
    ]:
        ran = fairplay("roster", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: {sentence}")
        assert len(ran.err.splitlines()) == 1


def test_a_file_that_cannot_be_written_is_exit_code_1_and_leaves_nothing(fairplay: Run) -> None:
    program("alice")
    ran = fairplay("roster", "programs", "--command", TEMPLATE, "-o", "nowhere/roster.toml")
    assert ran.code == 1
    assert ran.err == "fairplay: cannot write nowhere/roster.toml: No such file or directory\n"
