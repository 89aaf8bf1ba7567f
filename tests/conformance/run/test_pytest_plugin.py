"""Certifying with pytest: which cases are collected, how their verdicts are counted, and which files are written."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

import pytest

import fairplay.conformance.run.pytest_session
import fairplay.server.server  # noqa: F401 - what a run within a run imports, it would import each time
from fairplay.certificate import check
from fairplay.conformance.cases import cases
from fairplay.conformance.run.plan import ordered
from fairplay.games.game import find

pytest_plugins = ["pytester"]

CASES = ordered(find("fish"), cases(find("fish")))
ORDER = [case.id for case in CASES]
NO_PLAYER = ("--fairplay-player", "exec:false", "--fairplay-start-limit", "5")
BOT = ("--fairplay-player", "bot:first")


def certify(pytester: pytest.Pytester, *arguments: str, only: Sequence[str] = ()) -> pytest.RunResult:
    """Run the cases of Fish in this process."""
    base = ("--pyargs", "fairplay.conformance.cases", "-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:xdist")
    chosen = ("--fairplay-only", ",".join(only)) if only else ()
    return pytester.runpytest_inprocess(*base, "--fairplay-game", "fish", *chosen, *arguments)


def test_chosen_cases_are_judged_from_the_most_ordinary_on(pytester: pytest.Pytester) -> None:
    chosen = [
        "contract.reachable",
        "contract.describes-itself",
        "rules.whole-game.seat-0-of-2",
        "contract.one-reply-per-call",
    ]
    files = ("--fairplay-report", "report", "--fairplay-certificate", "c.json", "--junitxml", "j.xml")
    ran = certify(pytester, *BOT, "-v", *files, only=chosen[::-1])
    assert ran.ret == 0
    ran.assert_outcomes(passed=3)
    lines = [line for line in ran.outlines if "::" in line]
    assert [line.split()[1] for line in lines] == ["PASS", "PASS", "PASS", "NOT"]
    assert "one-reply-per-call NOT APPLICABLE" in lines[3]
    assert "3 passed" in ran.outlines[-1]
    assert "1 not applicable" in ran.outlines[-1]
    cases_of = Xml.parse(pytester.path / "j.xml").getroot().iter("testcase")
    assert [case.get("name") for case in cases_of] == chosen
    found = check((pytester.path / "c.json").read_bytes())
    assert [case.id for case in found.cases] == [case_id for case_id in ORDER if case_id in chosen]
    assert (found.game, found.reached_by, found.seed, found.complete) == ("fish", "bot", 1, True)
    assert found.cases[0].milliseconds >= 0
    assert (pytester.path / "report" / "certificate.json").read_bytes() == (pytester.path / "c.json").read_bytes()


def test_a_must_that_is_not_met_is_a_failure_with_its_evidence(pytester: pytest.Pytester) -> None:
    ran = certify(pytester, *NO_PLAYER, "--junitxml", "j.xml", only=("contract.reachable", "contract.describes-itself"))
    assert ran.ret == 1
    text = ran.stdout.str()
    assert "The player cannot be reached: the player's process ended with exit code 1\n\nRequired:\n" in text
    assert "\n\nAgain:\nfairplay " in text
    assert "fairplay certify fish exec:false --only contract.reachable" in text
    assert "Traceback" not in text
    assert "1 failed" in ran.outlines[-1]
    assert "1 not tested" in ran.outlines[-1]
    assert [line.split()[1] for line in ran.outlines if "[100%]" in line] == ["FN"]
    [first, second] = Xml.parse(pytester.path / "j.xml").getroot().iter("failure")
    assert "The player cannot be reached" in str(first.get("message"))
    assert "NOT TESTED: the player cannot be reached: see contract.reachable" in str(second.get("message"))


def test_known_failures_are_expected_and_those_that_pass_are_to_be_taken_off_the_list(
    pytester: pytest.Pytester,
) -> None:
    known = pytester.path / "known"
    known.write_text("contract.reachable\n")
    listed = ("--fairplay-known-failures", str(known))
    ran = certify(pytester, *NO_PLAYER, *listed, only=("contract.reachable",))
    assert ran.ret == 0
    assert "1 xfailed" in ran.outlines[-1]
    ran = certify(pytester, *BOT, *listed, only=("contract.reachable",))
    assert ran.ret == 1
    assert "contract.reachable is listed as a known failure, but passes: take it off the list" in ran.stdout.str()
    assert "1 failed" in ran.outlines[-1]


def plugin(pytester: pytest.Pytester, source: str) -> tuple[str, str]:
    """Write a plugin of somebody else, and return the options that load it."""
    pytester.makepyfile(another=source)
    pytester.syspathinsert()
    return "-p", "another"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--fairplay-only", "contract.reachabel"), "did you mean contract.reachable or"),
        (("--fairplay-level", "high"), "there is no level 'high'"),
        (("--fairplay-player", "first"), "is not a way to reach a player"),
        (("--fairplay-limit", "soon"), "invalid float value"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    pytester: pytest.Pytester, arguments: tuple[str, ...], complaint: str
) -> None:
    ran = certify(pytester, *BOT, *arguments)
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert complaint in ran.stderr.str()


def test_a_sandbox_that_is_required_and_not_there_is_missed_in_one_sentence(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(pytester.path))
    ran = certify(pytester, *NO_PLAYER, "--fairplay-sandbox", "require")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert ran.stderr.str().startswith("ERROR: bubblewrap is not installed: ")


def test_cases_are_not_judged_side_by_side_by_pytest(pytester: pytest.Pytester) -> None:
    game = ("--fairplay-game", "fish", "--pyargs", "fairplay.conformance.cases", "-p", "no:asyncio")
    ran = pytester.runpytest_inprocess(*game, *BOT, "-n", "2")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert "cases side by side are judged by: fairplay certify --jobs N" in ran.stderr.str()


def test_a_certificate_is_kept_of_the_cases_before_an_interruption(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        interrupting="""
        import pytest

        def pytest_runtest_setup(item):
            if item.name == "memory.early-end":
                raise KeyboardInterrupt
        """
    )
    pytester.syspathinsert()
    certificate = ("--fairplay-certificate", "c.json")
    with contextlib.suppress(KeyboardInterrupt):
        certify(pytester, *BOT, "-p", "interrupting", *certificate, only=("contract.reachable", "memory.early-end"))
    found = check((pytester.path / "c.json").read_bytes())
    assert ([case.id for case in found.cases], found.complete) == (["contract.reachable"], False)
