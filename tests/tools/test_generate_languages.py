"""What can be said of the making of code in other languages without doing it: `make check-languages-generate` does."""

from __future__ import annotations

from tools.generate_languages import LANGUAGES, UNAVAILABLE, build_rust_modules


def test_nine_languages_are_tried_or_named() -> None:
    names = {language.name for language in LANGUAGES} | UNAVAILABLE.keys()
    assert names == {"Java", "Kotlin", "C#", "Go", "Rust", "C++", "TypeScript", "Swift", "Dart"}


def test_modules_of_rust_are_nested_as_the_packages_are() -> None:
    text = build_rust_modules(["a.b.v1", "a.v1"])
    inner = (
        'pub mod b { pub mod v1 { tonic::include_proto!("a.b.v1"); } } pub mod v1 { tonic::include_proto!("a.v1"); }'
    )
    assert text == f"pub mod a {{ {inner} }}"
