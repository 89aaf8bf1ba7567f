"""What can be said of the making of code in other languages without doing it: `make check-languages-generate` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import generate_languages
from tools.generate_languages import LANGUAGES, UNAVAILABLE, Language, build_rust_modules, main, missing


def test_nine_languages_are_tried_or_named() -> None:
    names = {language.name for language in LANGUAGES} | UNAVAILABLE.keys()
    assert names == {"Java", "Kotlin", "C#", "Go", "Rust", "C++", "TypeScript", "Swift", "Dart"}


def fail(folder: Path) -> None:
    raise generate_languages.FailedError("no such field")


def test_a_failure_is_told_and_ends_with_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(generate_languages, "LANGUAGES", (Language("Latin", "verses", (), fail),))
    assert main([]) == 1
    assert "Latin: FAILED: no such field\n" in capsys.readouterr().out


def test_a_language_that_is_not_installed_is_said_not_to_be_tried(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    latin = Language("Latin", "verses", ("no-such-program",), fail)
    assert missing(latin) == ["no-such-program"]
    monkeypatch.setattr(generate_languages, "LANGUAGES", (latin,))
    assert main([]) == 0
    assert "Latin: not tried, because no-such-program is missing\n" in capsys.readouterr().out


def test_modules_of_rust_are_nested_as_the_packages_are() -> None:
    text = build_rust_modules(["a.b.v1", "a.v1"])
    inner = (
        'pub mod b { pub mod v1 { tonic::include_proto!("a.b.v1"); } } pub mod v1 { tonic::include_proto!("a.v1"); }'
    )
    assert text == f"pub mod a {{ {inner} }}"
