"""What `fairplay certify` says about what was typed, and which cases it lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fairplay.conformance.cases import cases
from fairplay.conformance.run.plan import ordered
from fairplay.games.game import find
from tests.terminal.running import Run, done


def test_what_cannot_be_meant_is_said_in_one_sentence(fairplay: Run) -> None:
    for arguments, sentence in [
        (("chess", "bot:first"), "there is no game 'chess'; the games are"),
        (("fish",), "say which player"),
        (("fish", "first"), "is not a way to reach a player"),
        (("fish", "bot:nobody"), "There is no strategy 'nobody'"),
        (("fish", "bot:first", "--only", "contract.reachabel"), "did you mean contract.reachable"),
        (("fish", "bot:first", "--level", "high"), "there is no level 'high'"),
        (("fish", "bot:first", "--limit", "soon"), "is not a duration"),
        (("fish", "bot:first", "--known-failures", "/no/such/file"), "cannot be read"),
        (("fish", "dial-in:me", "--jobs", "2"), "--jobs is for players that can be there several times"),
        (("fish", "exec:me", "--jobs", "2", "--listen", "127.0.0.1:50"), "give --listen an address with port 0"),
        (("fish", "dial-in:me", "--listen", "nowhere"), "--listen 'nowhere' is not an address"),
        (("fish", "bot:first", "--roster", "r.toml", "--events", "e"), "--events is for one player"),
    ]:
        ran = fairplay("certify", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert sentence in ran.err
        assert ran.err.startswith("fairplay: ")
        assert len(ran.err.splitlines()) == 1


def test_the_cases_are_listed_for_people_and_programs(fairplay: Run) -> None:
    listed = done(fairplay("certify", "fish", "--list", "--level", "must"))
    assert "memory.back-to-back MUST: A tournament is many games" in listed
    assert "robustness" not in listed
    found = json.loads(done(fairplay("certify", "fish", "--list", "--json")))
    assert [each["id"] for each in found] == [case.id for case in ordered(find("fish"), cases(find("fish")))]
    assert all(each.keys() == {"id", "level", "checks", "why"} for each in found)


def test_a_job_gets_a_summary_and_annotations_of_one_player_and_of_several(fairplay: Run, tmp_path: Path) -> None:
    job = ("--only", "contract.reachable", "--summary", "summary.md", "--annotations")
    ran = fairplay("certify", "fish", "exec:false", *job)
    annotated = [line for line in ran.out.splitlines() if line.startswith("::")]
    assert (ran.code, len(annotated)) == (1, 1)
    assert annotated[0].startswith("::error title=Fish%3A contract.reachable::The player cannot be reached")
    assert annotated[0].endswith("%0AAgain: fairplay certify fish exec:false --only contract.reachable --seed 1")
    shown = (tmp_path / "summary.md").read_text().replace("\\", "")
    assert shown.startswith("### Fish: a player without a name\n\nNot certified: of the MUST cases 1 failed")
    assert "```sh\nfairplay certify fish exec:false --only contract.reachable --seed 1\n```\n" in shown
    (tmp_path / "roster.toml").write_text(
        '[[entrant]]\nname = "ann"\nlink = "exec:false"\n[[entrant]]\nname = "bob"\nlink = "bot:first"\n'
    )
    ran = fairplay("certify", "fish", "--roster", "roster.toml", *job, "--json")
    assert "::error title=Fish%2C ann%3A contract.reachable::" in ran.err
    headings = [line for line in (tmp_path / "summary.md").read_text().splitlines() if line.startswith("### ")]
    assert headings == ["### Fish: ann", "### Fish: bob"]
    assert [each["name"] for each in json.loads(ran.out)["players"]] == ["ann", "bob"]


@pytest.mark.slow
def test_known_failures_of_a_roster_may_name_players(fairplay: Run, tmp_path: Path) -> None:
    for name, link in (("ann", "exec:false"), ("bob", "bot:first")):
        with (tmp_path / "roster.toml").open("a", encoding="utf-8") as file:
            file.write(f'[[entrant]]\nname = "{name}"\nlink = "{link}"\n')
    command = (
        "certify",
        "fish",
        "--roster",
        "roster.toml",
        "--only",
        "contract.reachable",
        "--known-failures",
        "known",
    )
    (tmp_path / "known").write_bytes(b"\xef\xbb\xbfann contract.reachable\r\n")
    ran = fairplay(*command)
    assert (ran.code, "0 of 2 players are certified" in ran.out) == (0, True)
    (tmp_path / "known").write_text("contract.reachable\n")  # which bob passes
    ran = fairplay(*command)
    assert (ran.code, "passes: take it off the list" in ran.out) == (1, True)
    (tmp_path / "known").write_text("bob contract.describe\n")
    ran = fairplay(*command)
    assert (ran.code, "no such case: take it off the list" in ran.err) == (1, True)
    (tmp_path / "known").write_text("ann contract.reachable\n")
    assert fairplay("certify", "fish", "bob", *command[2:]).code == 0
    (tmp_path / "known").write_text("eve contract.reachable\n")
    assert fairplay(*command) == (2, "", "fairplay: known names the player 'eve', and there is none\n")
