"""The JSON that commands write is what docs/reference/json/ says, no more and no less."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.docs.pages import ROOT
from tests.terminal.running import Run, done

SCHEMAS = ROOT / "docs" / "reference" / "json"
FEW = ("--only", "contract.reachable,contract.describes-itself")


@cache
def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))


def closed(value: Any) -> Any:
    """Return a schema that allows no field which it does not name: others may come later, and need words then."""
    if isinstance(value, list):
        return [closed(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: closed(each) for key, each in value.items()}
    return {"additionalProperties": False, **found} if isinstance(value.get("properties"), dict) else found


def conform(name: str, text: str) -> Any:
    """Check a document, and return it."""
    content = json.loads(text)
    found = [
        f"{each.json_path}: {each.message}" for each in Draft202012Validator(closed(schema(name))).iter_errors(content)
    ]
    assert found == []
    return content


@pytest.fixture
def read(tmp_path: Path) -> Any:
    return lambda file: (tmp_path / file).read_text("utf-8")


def test_each_is_a_schema_and_named_by_the_page() -> None:
    page = (ROOT / "docs" / "json.md").read_text("utf-8")
    names = {path.name for path in SCHEMAS.iterdir()}
    assert len(names) > 15
    for name in names:
        Draft202012Validator.check_schema(schema(name.partition(".")[0]))
        assert f"(reference/json/{name})" in page


def test_certificates_findings_and_cases(fairplay: Run, read: Any, tmp_path: Path) -> None:
    done(fairplay("certificate", "keys", "key.pem"))
    signed = ("--sign", "key.pem", "--profile", "standard", "--report", "out")
    done(fairplay("certify", "fish", "bot:first", "--only", "rules.whole-game.seat-0-of-2", *signed))
    assert conform("certificate", read("out/certificate.json"))["profile"] == "standard"
    assert fairplay("certify", "fish", "exec:false", *FEW, "--report", "out").code == 1
    assert conform("certificate", read("out/certificate.json"))["program"]
    assert conform("findings", read("out/findings.json"))["findings"]
    conform("cases", done(fairplay("certify", "fish", "--list", "--json")))
    (tmp_path / "roster.toml").write_text(
        '[[entrant]]\nname = "ann"\nlink = "bot:first"\n[[entrant]]\nname = "bob"\nlink = "exec:false"\n'
    )
    assert fairplay("certify", "fish", "--roster", "roster.toml", *FEW, "--json", "all.json").code == 1
    assert conform("certificates", read("all.json"))["players"][1]["failed"]


def test_games_tournaments_and_records(fairplay: Run, read: Any) -> None:
    players = ("-p", "bot:first", "-p", "gone=exec:false")
    done(fairplay("game", "fish", *players, "--records", "kept", "--json", "game.json"))
    game = conform("game", read("game.json"))
    assert [each["place"] for each in game["players"]] == [1, None]
    assert len(game["failures"]) == 1
    done(fairplay("tournament", "fish", "-p", "bot:random", *players, "--records", "kept", "--json", "cup.json"))
    cup = conform("tournament", read("cup.json"))
    assert cup["rounds"]
    assert len(cup["failures"]) == 1
    assert {each["kind"] for each in conform("listing", done(fairplay("records", "list", "kept", "--json")))} == {
        "game",
        "tournament",
    }
    assert conform("verification", done(fairplay("records", "verify", "kept", "--json")))["ok"]
    conform("record", done(fairplay("records", "show", "kept", game["gameId"], "--json")))


def test_accounts_tokens_and_invitations(fairplay: Run) -> None:
    for words in (
        ("accounts", "add", "ann", "--role", "operator"),
        ("accounts", "add", "bob", "--role", "player", "--subject", "bob.example.org"),
        ("invitations", "new", "--count", "3"),
    ):
        assert fairplay(*words, "--records", "kept").code == 0
    listed = {
        each: conform(each, done(fairplay(each, "list", "--records", "kept", "--json")))
        for each in ("accounts", "tokens", "invitations")
    }
    assert [each["name"] for each in listed["accounts"]] == ["ann", "bob"]
    assert [each["subject"] for each in listed["accounts"]] == ["", "bob.example.org"]
    assert all(each["expires"].endswith("Z") for each in listed["tokens"])
    assert listed["invitations"][0]["left"] == 3


def test_comparisons_the_catalog_and_test_data(fairplay: Run, read: Any, tmp_path: Path) -> None:
    ran = fairplay("compare", "fish", "bot:greedy", "bot:first", "--games", "4", "--seed", "1", "--json", "c.json")
    assert (ran.code, conform("comparison", read("c.json"))["answer"]) == (3, "undecided")
    conform("catalog", done(fairplay("games", "fish", "--json")))
    pebbles = '["red", "red", "blue", "green", "white"]'
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "0-in.json").write_text(f'{pebbles} [{{"pebbles": {pebbles}, "face?": true}}]')
    (tmp_path / "data" / "0-out.json").write_text("9")
    found = conform("check", fairplay("check", "bazaar", "score", "data", "--json").out)
    assert len(found["differences"]) == 1
