"""`fairplay tournament` with a roster and a report, and `fairplay standings`, which makes the report again."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interrupts import heeding_ctrl_c
from tests.slow import all_but_first_slow
from tests.terminal.running import Run

ROSTER = """
[limits]
call = "2s"

[[entrant]]
name = "ann"
link = "bot:first"
who = "Ann Lee"

[[entrant]]
name = "gone"
link = "exec:false"
"""
CUP = ["tournament", "fish", "--roster", "roster.toml", "-p", "bot:greedy", "-p", "bot:random", "--seed", "5"]


def test_the_report_of_a_tournament_is_made_again_from_its_records(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    wanted = ["--roster", "roster.toml", "--grades", "grades.csv", "--grading", "place=50,failure=-5"]
    ran = fairplay(*CUP, *wanted[2:], "--records", "cup", "--report", "first", "--title", "Spring cup")
    assert ran.code == 0, ran.err
    assert "Look closer: first/report.html" in ran.out
    grades = Path("grades.csv").read_text()
    assert {row["name"]: row["who"] for row in csv.DictReader(grades.splitlines())}["ann"] == "Ann Lee"
    Path("grades.csv").unlink()
    ran = fairplay("standings", "cup", *wanted, "--report", "again")
    assert ran.code == 0, ran.err
    assert Path("grades.csv").read_text() == grades
    assert Path("again/report.html").read_text() == Path("first/report.html").read_text()
    first, again = (json.loads(Path(each, "result.json").read_text()) for each in ("first", "again"))
    assert [failure.pop("request", None) for failure in [*first["failures"], *again["failures"]]]
    assert first == again
    assert first["title"] == "Spring cup"


def test_the_evidence_of_a_failure_stands_on_the_page_with_the_board(fairplay: Run) -> None:
    mutant = f"exec:{sys.executable} -m fairplay.conformance.zoo fish raises-in-first-decision"
    ran = fairplay(
        "tournament", "fish", "-p", "bot:first", "-p", f"bad={mutant}", "--seed", "1", "--report", "cup.html"
    )
    assert ran.code == 0, ran.err
    page = Path("cup.html").read_text()
    assert "exception in" in page
    assert "request: /fairplay.fish.v1.FishPlayerService/" in page
    assert "data:image/svg+xml;base64," in page


def test_programs_that_never_run_are_graded_with_the_least_and_few_games_are_said_to_say_little(fairplay: Run) -> None:
    Path("syntax.py").write_text("def (")
    Path("leaves.py").write_text("import sys; sys.exit(0)")
    broken = ["missing", "syntax", "leaves"]
    players = [f"--player={name}=exec:{sys.executable} {name}.py" for name in broken]
    players += [f"--player=bot{number}=bot:random" for number in range(5)]
    graded = ["--grading", "band=50,failure=-2,least=0", "--grades", "grades.csv", "--report", "cup.html"]
    ran = fairplay("tournament", "fish", *players, "--seed", "5", "--format", "swiss rounds=3", *graded)
    rows = {row["name"]: row for row in csv.DictReader(Path("grades.csv").read_text().splitlines())}
    assert {name: (rows[name]["grade"], rows[name]["rating"], rows[name]["band"]) for name in broken} == dict.fromkeys(
        broken, ("0", "", "")
    )
    sentence = "These games cannot tell the entrants apart"
    assert sentence in ran.out
    assert sentence in Path("cup.html").read_text()
    assert rows["bot1"]["remark"].startswith(sentence)


def test_grades_are_looked_at_before_they_are_handed_out(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    ran = fairplay(*CUP, "--preview", "--grading", "place=50,failure=-5,least=10")
    assert ran.code == 0, ran.err
    lines = {line.split("│")[1].strip(): line for line in ran.out.splitlines() if line.count("│") > 2}
    assert "for place" in lines["ann (Ann Lee)"]
    assert "0 for not playing" in lines["gone"]
    assert "10, raised from -" in lines["gone"]
    assert "4 grades from 10 to 50, on average" in ran.out
    assert not Path("grades.csv").exists()


def test_certificates_are_graded_and_those_for_a_profile_where_that_is_named(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    asked = ["--only", "contract.reachable", "--profile", "course-2020"]
    fairplay("certify", "fish", "--roster", "roster.toml", *asked, "--report", "out")
    graded = ["--certificates", "out", "--grading", "certificate=50,place=50", "--grades", "grades.csv"]
    ran = fairplay(*CUP, *graded)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("is for the profile course-2020 alone: --profile course-2020 grades that as certified\n")
    assert fairplay(*CUP, *graded, "--profile", "course-2020").code == 0
    rows = {row["name"]: row for row in csv.DictReader(Path("grades.csv").read_text().splitlines())}
    assert rows["ann"]["certified"] == "no"  # only some of the cases were tried
    assert rows["greedy"]["for certificate"] == "0"


def test_what_cannot_be_meant_is_one_sentence_before_anything_is_played(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    for arguments, sentence in [
        (["-p", "ann=bot:first"], "two players are called ann: give one of them another name"),
        (["--format", "siwss"], "there is no format 'siwss': did you mean swiss?"),
        (["--grading", "place=50"], "--grading and --certificates are for grades: add --grades FILE, --report DIR or"),
        (["--grades", "g.csv", "--grading", "plaec=50"], "--grading: 'plaec=50' grades nothing"),
        (["--grades", "g.csv", "--grading", "certificate=1"], "--grading: it gives points for certificates: say with"),
        (
            ["--grades", "g.csv", "--grading", "band=1"],
            "--grading: it gives points by bands, which this format has not",
        ),
        (["--certificates", "nowhere", "--grades", "g.csv"], "--certificates: there is no folder nowhere"),
        (["--certificates", ".", "--grades", "g.csv", "--profile", "x"], "--profile: Fish has no profile 'x': it has"),
        (["--profile", "standard"], "--profile is for players that are examined or graded: give --examine or --cer"),
        (["--roster", "nowhere.toml"], "the roster nowhere.toml cannot be read: No such file or directory"),
    ]:
        ran = fairplay(*CUP, *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"fairplay: {sentence}")
        assert len(ran.err.splitlines()) == 1
        assert not Path("g.csv").exists()


def test_what_cannot_be_written_is_said_before_anything_is_played(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    Path("file").touch()
    for option in ["--report", "--grades", "--json"]:
        ran = fairplay(*CUP, option, "file/x.html")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("fairplay: cannot write file/x.html: ")


def test_standings_say_which_tournament_is_meant(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    for seed in ("1", "2"):
        assert fairplay(*CUP[:-1], seed, "--records", "cup").code == 0
    ran = fairplay("standings", "cup")
    assert ran.code == 2
    first, second = ran.err.partition(": ")[2].partition(": ")[2].strip().split(", ")
    assert ran.err.startswith("fairplay: say which tournament of cup: fish-")
    assert "winner" in fairplay("standings", "cup", first).out
    assert "winner" in fairplay("standings", "cup", second).out
    assert fairplay("standings", "nowhere").code == 2


LEAGUE = [*CUP, "--format", "round-robin", "--deals", "1", "--failures-allowed", "99"]


def test_a_league_shows_standings_a_cross_table_and_failures_once(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    ran = fairplay(*LEAGUE, "--report", "cup", "--grading", "band=50,failure=-1,least=0")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("Fish, round robin, 4 players, 12 games: ")
    for title in ("Standings", "Who won from whom", "Failures"):
        assert title in ran.out
    result = json.loads(Path("cup/result.json").read_text())
    assert result["format"] == "round-robin"
    assert sum(len(round_["games"]) for round_ in result["rounds"]) == 12
    by_name = {each["name"]: each for each in result["standings"]}
    assert by_name["gone"]["failures"] >= 6
    assert by_name["gone"]["wins"] == 0
    low, high = by_name["ann"]["rating"][1:]
    assert low < by_name["ann"]["rating"][0] < high
    page = Path("cup/report.html").read_text()
    for title in ("Ratings with 95 % intervals", "Ratings after each round", "Time for "):
        assert title in page


def test_a_format_that_does_not_fit_is_one_sentence_before_anything_is_played(fairplay: Run) -> None:
    Path("roster.toml").write_text(ROSTER)
    for wrong in (
        "round-robin seats=7",
        "swiss rounds=2000",
        "gauntlet challengers=nobody",
        "knockout games=1 seats=2",
    ):
        ran = fairplay(*CUP, "--format", wrong)
        assert (ran.code, ran.out) == (2, ""), wrong
        assert len(ran.err.splitlines()) == 1


FORMATS = [
    "swiss rounds=2 top=2, knockout games=2",
    "double-elimination",
    "swiss rounds=2",
    "gauntlet",
    "ladder game-limit=6",
]


@pytest.mark.parametrize("format_", all_but_first_slow(FORMATS))
def test_every_format_ends_with_a_report_that_is_made_again(fairplay: Run, format_: str) -> None:
    Path("roster.toml").write_text(ROSTER.replace("exec:false", "bot:greedy"))
    named = [*CUP, "--format", format_, "--records", "cup"]
    ran = fairplay(*named, "--report", "first.html")
    assert ran.code == 0, ran.err
    again = fairplay("standings", "cup", "--roster", "roster.toml", "--report", "again.html")
    assert again.code == 0, again.err
    assert Path("first.html").read_text() == Path("again.html").read_text()


LONG_LEAGUE = [
    "tournament",
    "fish",
    "--format",
    "round-robin cycles=10",
    "--deals",
    "1",
    "--records",
    "cup",
    "--seed",
    "5",
]
LONG_LEAGUE += ["-p", "a=bot:greedy", "-p", "b=bot:random", "-p", "c=bot:first", "-p", "d=bot:random"]


def interrupt(folder: Path) -> None:
    """Begin the league, and press Ctrl-C."""
    with heeding_ctrl_c():
        command = subprocess.Popen(
            [sys.executable, "-m", "fairplay.terminal", *LONG_LEAGUE],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert command.stdout is not None
    assert command.stdout.readline().startswith("Fish, round robin, 4 players, 120 games")
    command.send_signal(signal.SIGINT)
    out, err = command.communicate(timeout=60)
    assert (command.returncode, err) == (130, "fairplay: stopped\n")
    assert "Give the same command again to go on" in out


def test_a_league_that_was_interrupted_goes_on_with_the_same_command_and_plays_no_game_twice(
    fairplay: Run, tmp_path: Path
) -> None:
    interrupt(tmp_path)
    before = json.loads(fairplay("standings", "cup", "--json").out)
    assert before["status"] == "running"
    ran = fairplay(*LONG_LEAGUE, "--json")
    assert f"Goes on with {before['tournamentId']}, which was begun before." in ran.err
    after = json.loads(ran.out)
    assert (after["status"], after["tournamentId"]) == ("finished", before["tournamentId"])
    assert sum(len(round_["games"]) for round_ in after["rounds"]) == 120
    assert fairplay("records", "verify", "cup").code == 0


def test_another_command_leaves_a_league_that_was_interrupted_as_it_is_and_says_how_to_drop_it(
    fairplay: Run, tmp_path: Path
) -> None:
    interrupt(tmp_path)
    before = json.loads(fairplay("records", "list", "cup", "--limit", "999", "--json").out)
    [left] = [each["id"] for each in before if each["kind"] == "tournament"]
    ran = fairplay("tournament", "fish", "-p", "bot:greedy", "-p", "bot:first", "--seed", "9", "--records", "cup")
    assert (
        f"{left} was interrupted, and waits for its own command. Drop it: fairplay records drop cup {left}" in ran.out
    )
    after = json.loads(fairplay("records", "list", "cup", "--limit", "999", "--json").out)
    assert [each for each in after if each["id"].startswith(left)] == before
    dropped = fairplay("records", "drop", "cup", left).out
    assert dropped.startswith(f"dropped {left}: {len(before)} record")  # one, or of games that had begun, too
    rest = json.loads(fairplay("records", "list", "cup", "--json").out)
    assert [each["kind"] for each in rest] == ["game", "tournament"]
    assert fairplay("records", "verify", "cup").code == 0
    assert "is over, and nobody goes on with it" in fairplay("records", "drop", "cup", rest[1]["id"]).err
