"""Commands that call players that serve with a secret: they find it in the environment or in a roster."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal.running import Run, done

SECRET = "correct-horse"


@pytest.fixture
def link() -> Iterator[str]:
    """Serve a player that has the secret, in a process of its own, and return its link."""
    command = [sys.executable, "-m", "fairplay.terminal", "player", "fish", "--listen", "127.0.0.1:0"]
    environment = {**os.environ, "FAIRPLAY_SECRET": SECRET}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"grpc://127.0.0.1:{process.stdout.readline().split()[-1]}"
        process.terminate()


def test_the_secret_of_the_environment_is_shown_to_the_player(
    fairplay: Run, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("game", "fish", "--player", link, "--player", "bot:first", "--json", "-")
    monkeypatch.setenv("FAIRPLAY_SECRET", SECRET)
    played = fairplay(*words)
    assert (played.code, json.loads(played.out)["failures"]) == (0, [])
    monkeypatch.setenv("FAIRPLAY_SECRET", "wrong")
    assert "this player answers only calls that show its secret" in fairplay(*words[:-2]).out


def test_the_secret_of_a_roster_is_shown_to_its_player(fairplay: Run, link: str, tmp_path: Path) -> None:
    entrant = f'[[entrant]]\nname = "ann"\nlink = "{link}"\nsecret = "{SECRET}"\n'
    (tmp_path / "roster.toml").write_text(entrant + '[[entrant]]\nname = "bob"\nlink = "bot:first"\n')
    roster = ("--roster", str(tmp_path / "roster.toml"))
    outcome = done(fairplay("tournament", "fish", *roster, "--json", str(tmp_path / "result.json")))
    result = (tmp_path / "result.json").read_text()
    assert '"ann"' in result
    assert "show its secret" not in outcome
    certified = fairplay("certify", "fish", *roster, "--only", "contract.describes-itself", "--json", "-")
    assert certified.code == 0, certified.out + certified.err
    assert SECRET not in outcome + result + certified.out + certified.err


def test_certify_shows_the_secret_of_the_environment(fairplay: Run, link: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("certify", "fish", link, "--only", "contract.describes-itself")
    monkeypatch.setenv("FAIRPLAY_SECRET", SECRET)
    assert fairplay(*words).code == 0
    monkeypatch.setenv("FAIRPLAY_SECRET", "wrong")
    guessed = fairplay(*words)
    assert guessed.code == 1
    assert "fairplay-secret" in guessed.out


def test_an_unusable_secret_of_the_environment_is_refused(fairplay: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRPLAY_SECRET", "two words")
    for words in [
        ("player", "fish", "--listen", "127.0.0.1:0"),
        ("certify", "fish", "grpc://127.0.0.1:9"),
        ("game", "fish", "--player", "grpc://127.0.0.1:9", "--player", "bot:first"),
    ]:
        refused = fairplay(*words)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith("fairplay: FAIRPLAY_SECRET cannot be used: a secret is 1 to 256 letters")
        assert refused.err.count("\n") == 1


def test_an_unusable_secret_of_a_roster_is_refused(fairplay: Run, tmp_path: Path) -> None:
    for way, secret, problem in [
        ("grpc://127.0.0.1:9", "", "the secret cannot be used: a secret is 1 to 256 letters"),
        ("grpc://127.0.0.1:9", "caf\u00e9", "the secret cannot be used: a secret is 1 to 256 letters"),
        ("bot:first", "fine", "a secret is for a player that serves"),
    ]:
        roster = tmp_path / "roster.toml"
        roster.write_text(f'[[entrant]]\nname = "ann"\nlink = "{way}"\nsecret = "{secret}"\n', encoding="utf-8")
        refused = fairplay("tournament", "fish", "--roster", str(roster))
        assert refused.code == 2
        assert f"line 1: {problem}" in refused.err
        assert secret == "" or secret not in refused.err
