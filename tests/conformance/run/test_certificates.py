"""What a certificate says, and that nothing else can be made of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fairplay.certificate import Certificate, Verdict, check, digest, frozen, sealed
from fairplay.certificate.terms import INAPPLICABLE, matches
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.cases import cases
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.must import freeze, main, must_ids
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import Report, Run, Times, certificate
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import find, registered
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.terminal.certify.verify import verify_certificate
from fairplay.terminal.commands.certify import Demands
from fairplay.v1.player_pb2 import GameService, PlayerDescription
from tests.conformance.harness import judged, player, raises


@pytest.fixture(scope="module")
def content(sound: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(certificate(sound))
    return found


def changed(content: dict[str, Any], change: Callable[[dict[str, Any]], object], *, seal: bool = True) -> bytes:
    """Return a certificate with a change, and with a digest that fits the change if `seal` is set."""
    copy = json.loads(json.dumps(content))
    change(copy)
    return sealed(copy) if seal else json.dumps(copy).encode()


def test_a_certificate_says_what_was_found(sound: Report) -> None:
    found = check(certificate(sound))
    assert isinstance(found, Certificate)
    assert (found.game, found.player, found.reached_by, found.seed) == ("fish", "first", "bot", 1)
    assert found.certified
    assert found.complete
    assert [case.id for case in found.cases] == [each.id for each in sound.judged]
    assert found.limits_ms == {"decision": 1000, "first_decision": 3000, "notification": 1000}
    assert found.unmet == []


def test_a_certificate_has_times_in_whole_milliseconds_and_microseconds() -> None:
    run_of = Run("fish", "exec", 2**64 - 1, CallLimits(1.0, 0.5, 3.0), Level.SHOULD, "a", "word", (), None)
    judged = [
        Judged("a.b", Level.MUST, Verdict.FAIL, "wrong \ud800", 0.2504, Evidence("It raised."), True),
        Judged("a.c", Level.SHOULD, Verdict.PASS, "", 1.0),
    ]
    player = PlayerDescription(display_name="me", software_version="7", services=[GameService(name="a.Service")])
    times = {"b": Times(3, 0.0010004, 0.0025, 1.5), "a": Times(1, 0.0, 0.0, 0.0)}
    began = datetime(2026, 1, 2, 3, 4, 5, 999_999, tzinfo=UTC)
    found = json.loads(certificate(Report(run_of, player, judged, times, began, 9.0, False, {"b": 2})))
    assert [case["milliseconds"] for case in found["cases"]] == [250, 1000]
    assert [case["sentence"] for case in found["cases"]] == ["wrong ?", ""]
    assert [case["evidence"] for case in found["cases"]] == [Evidence("It raised.").digest, ""]
    assert [(case["level"], case["known"]) for case in found["cases"]] == [("MUST", True), ("SHOULD", False)]
    assert found["times"]["b"] == {"call_count": 3, "median_us": 1000, "p99_us": 2500, "max_us": 1_500_000}
    assert list(found["times"]) == ["a", "b"]
    assert (found["issued"], found["complete"], found["seed"]) == ("2026-01-02T03:04:05Z", False, str(2**64 - 1))
    assert found["player"] == {"name": "me", "version": "7", "services": ["a.Service"]}
    assert found["limits_ms"] == {"notification": 1000, "decision": 500, "first_decision": 3000}
    assert (found["level"], found["only"], found["nonce"], found["decisions"]) == ("SHOULD", "a", "word", {"b": 2})
    assert not found["summary"]["certified"]


def test_a_player_that_fails_is_not_certified_and_its_certificate_is_whole() -> None:
    report = judged(lambda: player(take_turn=raises), "exceptions.whole-games")
    found = check(certificate(report))
    assert not found.certified
    [case] = found.cases
    assert case.verdict == "FAIL"
    assert found.unmet == [case]
    assert report.judged[0].evidence is not None
    assert case.evidence == report.judged[0].evidence.digest


def test_some_of_the_cases_certify_nothing() -> None:
    assert not check(certificate(run(Options("fish", "bot:first", only="contract")))).certified


def test_a_change_without_a_new_digest_is_noticed(content: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="changed after it was issued"):
        check(changed(content, lambda it: it["player"].update(name="me"), seal=False))


def failed_must() -> dict[str, Any]:
    case = {"id": "a.more", "level": "MUST", "verdict": "FAIL", "known": False}
    return {**case, "sentence": "no", "evidence": "", "milliseconds": 1}


CHANGES: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("a case left out", lambda it: it["cases"].pop(3), "not in it"),
    ("a case failed", lambda it: it["cases"][0].update(verdict="FAIL"), "contract.reachable is FAIL"),
    ("a case not tested", lambda it: it["cases"][0].update(verdict="NOT TESTED"), "is NOT TESTED"),
    ("a lower level", lambda it: it["cases"][0].update(level="MAY"), "not in it"),
    ("a case twice", lambda it: it["cases"].append(it["cases"][0]), "twice"),
    ("interrupted", lambda it: it.update(complete=False), "interrupted"),
    ("other counts", lambda it: it["summary"]["counts"].update(PASS=1), "does not follow"),
    ("an unknown verdict", lambda it: it["cases"][0].update(verdict="FINE"), "unknown level or verdict"),
    ("another game", lambda it: it.update(game="chess"), "not known here"),
    ("a path for a game", lambda it: it.update(game="../1/fish"), "not known here"),
    ("another revision", lambda it: it.update(protocol_revision=99), "not known here"),
    ("a field too many", lambda it: it.update(more=1), "unknown field 'more'"),
    ("a field less", lambda it: it.pop("times"), "times is missing"),
    ("a wrong type", lambda it: it.update(protocol_revision=True), "protocol_revision is missing or of the wrong type"),
    ("a case that is none", lambda it: it["cases"].append("x"), "not an object"),
    ("a way that asks less", lambda it: it.update(reached_by="nothing"), "one-reply-per-call is NOT APPLICABLE"),
    (
        "a case that concerns all players",
        lambda it: it["cases"][1].update(verdict="NOT APPLICABLE"),
        "describes-itself is NOT APPLICABLE",
    ),
    ("a limit that is none", lambda it: it["limits_ms"].update(decision="1 s"), "no whole number"),
    ("a program that is none", lambda it: it["program"].append("a.py"), "not an object"),
    ("a file without a digest", lambda it: it["program"].append({"file": "a.py"}), "sha256 is missing"),
    ("a seed that is none", lambda it: it.update(seed="one"), "no number"),
    ("a seed in other digits", lambda it: it.update(seed="\u0661"), "no number"),
    ("a time that is none", lambda it: it.update(issued="yesterday"), "'yesterday' is no time"),
    ("a time without its zone", lambda it: it.update(issued="2026-01-02T03:04:05"), "is no time with a zone"),
    ("an unknown level", lambda it: it["cases"][0].update(level="OUGHT"), "unknown level or verdict"),
    ("a case without a sentence", lambda it: it["cases"][0].pop("sentence"), "sentence is missing"),
    ("a MUST that is not demanded and failed", lambda it: it["cases"].append(failed_must()), "a.more is FAIL"),
    ("a player without a version", lambda it: it["player"].pop("version"), "version is missing"),
    ("a player with more", lambda it: it["player"].update(more=1), "unknown field 'more'"),
    ("a count of decisions that is none", lambda it: it["decisions"].update(Setup=True), "no whole number"),
]


def test_what_does_not_follow_is_noticed_even_with_a_new_digest(content: dict[str, Any]) -> None:
    for change, complaint in [each[1:] for each in CHANGES]:
        with pytest.raises(ValueError, match=complaint):
            check(changed(content, change))


def test_a_should_that_is_not_met_prevents_no_certificate(content: dict[str, Any]) -> None:
    def add(it: dict[str, Any]) -> None:
        it["cases"].append({**failed_must(), "level": "SHOULD", "verdict": "WARN"})
        it["summary"]["counts"]["WARN"] += 1

    found = check(changed(content, add))
    assert found.certified
    assert found.unmet == []


def test_what_is_no_certificate_is_refused_with_a_sentence() -> None:
    for data in [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"null",
        b'{"format": 1}',
        b'{"format": NaN}',
        b"[" * 100_000,
        b'{"a": 1, "a": 2}',
    ]:
        with pytest.raises(ValueError, match="this is no certificate"):
            check(data)


def test_what_other_programs_might_read_differently_is_not_read() -> None:
    for rest in ['"a": 1, "a": 1', '"a": NaN', '"a": -Infinity', '"a": "\udcff"']:
        data = f'{{"format": "fairplay-certificate/1", {rest}}}'.encode("utf-8", "surrogateescape")
        with pytest.raises(ValueError, match="this is no certificate: it is not JSON in UTF-8"):
            check(data)


def test_a_file_as_large_as_a_certificate_may_be_is_read_and_a_larger_one_is_not() -> None:
    largest = 16 * 1024 * 1024
    with pytest.raises(ValueError, match="it is not JSON"):
        check(b" " * largest)
    with pytest.raises(ValueError, match="it has 16,777,217 bytes"):
        check(b" " * (largest + 1))


def test_the_digest_is_that_of_the_content_without_spaces_in_the_order_of_its_keys() -> None:
    text = '{"a":{"c":2,"d":1},"b":"ü"}'
    expected = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert digest({"b": "ü", "a": {"d": 1, "c": 2}}) == expected
    assert digest({"a": {"c": 2, "d": 1}, "b": "ü", "digest": "anything", "signature": {}}) == expected


def test_a_strangers_words_stay_words(content: dict[str, Any]) -> None:
    data = changed(content, lambda it: it["player"].update(name='"}\u0000\n\x1b[2J</script>'))
    assert check(data).player == '"}\u0000\n\x1b[2J</script>'


# --- the frozen lists ---


def test_the_must_cases_are_those_that_are_frozen() -> None:
    for game in [name for name in registered() if find_conformance(name).probes]:
        assert sorted(frozen(game, PROTOCOL_REVISION) or ()) == must_ids(find(game))


def test_what_is_frozen_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    freeze(find("fish"), tmp_path / "must-2.txt")
    with pytest.raises(FileExistsError):
        freeze(find("fish"), tmp_path / "must-2.txt")
    assert main(["1", "fish"]) == 1
    assert "a change needs a new revision" in capsys.readouterr().err
    assert main(["1", "chess"]) == 2
    assert "there is no game 'chess'" in capsys.readouterr().err


# --- what it names ---


def test_the_nonce_of_who_checks_decides_what_is_asked(content: dict[str, Any]) -> None:
    plain, one, other = (Options("fish", "bot:first", nonce=nonce) for nonce in ("", "one", "other"))
    assert plain.drawn_seed == plain.seed
    assert len({plain.drawn_seed, one.drawn_seed, other.drawn_seed}) == 3
    report = run(Options("fish", "bot:first", only="contract.reachable", nonce="one"))
    assert check(certificate(report)).nonce == "one"
    with pytest.raises(ValueError, match="at most 128 characters"):
        run(Options("fish", "bot:first", nonce="a\nb"))


def test_limits_that_are_not_the_games_are_named(content: dict[str, Any]) -> None:
    assert check(changed(content, lambda it: it)).other_limits() == []
    shorter = check(changed(content, lambda it: it["limits_ms"].update(decision=500)))
    assert shorter.other_limits() == ["decision 0.5 s instead of 1 s"]
    assert shorter.other_limits(longer=True) == []
    longer = check(changed(content, lambda it: it["limits_ms"].update(first_decision=9000)))
    assert longer.other_limits() == longer.other_limits(longer=True) == ["first decision 9 s instead of 3 s"]
    fewer = check(changed(content, lambda it: it["limits_ms"].pop("decision")))
    assert fewer.other_limits() == []


def test_a_case_is_named_by_its_id_its_group_or_a_pattern() -> None:
    for pattern, named in [
        ("memory.same-seat", True),
        ("memory", True),
        ("mem", False),
        ("memory.same", False),
        ("*seat", True),
        ("MEMORY", False),
        ("states,memory", True),
        ("states,", False),
        ("", False),
    ]:
        assert matches("memory.same-seat", pattern) is named


def test_only_cases_that_exist_or_did_may_be_not_applicable() -> None:
    gone = {"contract.stream-agrees"}
    assert INAPPLICABLE.keys() <= {case.id for case in cases(find("fish"))} | gone


@pytest.mark.parametrize(
    ("changes", "options", "code", "sentence"),
    [
        ({}, {}, 0, "is certified"),
        ({"nonce": "one"}, {"nonce": "one"}, 0, "is certified"),
        ({"nonce": "one"}, {"nonce": "two"}, 1, "made with the nonce 'one'"),
        ({}, {"nonce": "two"}, 1, "made without a nonce"),
        ({"limits_ms": {"decision": 9000}}, {}, 1, "decision 9 s instead of 1 s"),
        ({"limits_ms": {"decision": 9000}}, {"any_limits": True}, 0, "Time limits other than the game's: decision 9 s"),
        ({"limits_ms": {"decision": 500}}, {}, 0, "Time limits other than the game's: decision 0.5 s"),
        ({"program": [{"file": "a.py", "sha256": "00ff"}]}, {}, 0, "Program: a.py, sha256 00ff"),
        ({"decisions": {"TakeTurn": 12}}, {}, 0, "Decisions judged: 12 TakeTurn."),
    ],
)
def test_who_verifies_is_told_what_a_certificate_is_worth(
    content: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    options: dict[str, Any],
    code: int,
    sentence: str,
) -> None:
    file = tmp_path / "certificate.json"
    file.write_bytes(changed(content, lambda it: it.update(changes)))
    assert verify_certificate(file, Demands(**options)) == code
    assert sentence in " ".join(capsys.readouterr().out.split())
