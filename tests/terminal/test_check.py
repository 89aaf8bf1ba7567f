"""`fairplay check`: folders of test data, asked of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairplay.games.game import find, registered
from fairplay.games.kit.testdata import collect_questions, question, read_int, read_list
from fairplay.terminal.authors.testdata import find_difference
from tests.terminal.running import Run, done


@question
def legal_moves(heaps: Any, seat: Any, most: Any = 9) -> Any:
    """Return the moves of a seat."""
    found = [min(most, read_int(heap, "heap", 0)) for heap in read_list(heaps, "heaps")]
    return [{"heap": index, "most": heap, "seat": seat} for index, heap in enumerate(found) if heap]


@question
def start() -> Any:
    """Return the first heaps."""
    return (3, 2, 1)


HEAPS, BARE = (replace(find("fish"), name=name) for name in ("heaps", "bare"))
QUESTIONS = collect_questions({"legal_moves": legal_moves, "start": start})


@pytest.fixture(autouse=True)
def heaps(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package brings the games `heaps`, which answers the questions above, and `bare`, which has no test data."""
    metadata = tmp_path_factory.mktemp("site") / "heaps-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: heaps\nVersion: 1.0\n")
    points = f"[fairplay.games]\nheaps = {__name__}:HEAPS\nbare = {__name__}:BARE\n"
    points += f"[fairplay.testdata]\nheaps = {__name__}:QUESTIONS\n"
    (metadata / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(metadata.parent))
    registered.cache_clear()
    yield
    registered.cache_clear()


@pytest.fixture
def folder(fairplay: Run) -> Path:
    Path("data").mkdir()
    return Path("data")


def write(folder: Path, name: str, asked: str, answer: object) -> None:
    (folder / f"{name}-in.json").write_text(asked)
    (folder / f"{name}-out.json").write_text(answer if isinstance(answer, str) else json.dumps(answer))


def move(heap: int, most: int, seat: int = 0) -> dict[str, int]:
    return {"seat": seat, "heap": heap, "most": most}


# --- kinds ---


def test_without_a_kind_the_kinds_are_listed_with_what_they_take(fairplay: Run) -> None:
    out = done(fairplay("check", "heaps"))
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["legal-moves", "Return", "the", "moves", "of", "a", "seat."],
        ["heaps,", "seat,", "[most]"],
        ["start", "Return", "the", "first", "heaps."],
        ["no", "values"],
    ]
    listed = json.loads(done(fairplay("check", "heaps", "--json")))
    assert listed[0] == {
        "name": "legal-moves",
        "sentence": "Return the moves of a seat.",
        "parameters": ["heaps", "seat", "most"],
    }


# --- agreement and differences ---


def test_a_difference_is_shown_with_its_file_and_its_place(fairplay: Run, folder: Path) -> None:
    write(folder, "2", "[1, 3] 0", [move(0, 1), move(1, 2)])
    write(folder, "10", "[1] 0", [])
    write(folder, "1", "[1] 0", [move(0, 1)])
    ran = fairplay("check", "heaps", "legal-moves", "data")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.splitlines() == [
        "✗ 2-in.json differs at [1].most",
        "    expected  2",
        "    got       3",
        "✗ 10-in.json differs",
        "    expected  []",
        '    got       [{"heap": 0, "most": 1, "seat": 0}]',
        "3 questions: 1 agree, 2 differ",
    ]
    result = json.loads(fairplay("check", "heaps", "legal-moves", "data", "--json").out)
    assert (result["game"], result["kind"], result["count"], result["agreeing"]) == ("heaps", "legal-moves", 3, 1)
    assert result["differences"][0] == {"file": "2-in.json", "where": "[1].most", "expected": "2", "got": "3"}


def test_a_refusal_can_be_expected(fairplay: Run, folder: Path) -> None:
    for expected, code in [
        ({"error": ""}, 0),
        ({"error": "heap is -1"}, 0),
        ({"error": "the seat"}, 1),
        ([], 1),
        ({"error": 1}, 1),
    ]:
        write(folder, "1", "[-1] 0", expected)
        ran = fairplay("check", "heaps", "legal-moves", "data")
        assert ran.code == code
        assert code == 0 or '"heap is -1: it must be at least 0."' in ran.out


def test_two_values_differ_first_at_a_place() -> None:
    for expected, got, where in [
        (1, 1.0, None),
        (1, True, ""),
        ([True], [1], "[0]"),
        (0, False, ""),
        (None, 0, ""),
        ([1, 2], [1, 2, 3], ""),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, None),
        ({"a": 1}, {"b": 1}, ""),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, ".a[0].b"),
        ([1, 2], [2, 1], "[0]"),
    ]:
        found = find_difference(expected, got)
        assert (found.where if found is not None else None) == where


# --- what cannot be used ---


def test_an_unknown_kind_lists_those_there_are(fairplay: Run) -> None:
    for more in ([], ["data"]):
        ran = fairplay("check", "heaps", "legal-move", *more)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.splitlines() == [
            "fairplay: heaps has no test data 'legal-move'; it has:",
            "  legal-moves: Return the moves of a seat. (heaps, seat, [most])",
            "  start: Return the first heaps. (no values)",
        ]


FILES: Mapping[str, tuple[Mapping[str, str | bytes], str]] = {
    "nothing": ({}, "data has no test data: name the questions N-in.json and the answers N-out.json"),
    "no answer": ({"1-in.json": "[] 0"}, "data/1-out.json is missing"),
    "no question": ({"1-in.json": "[] 0", "1-out.json": "[]", "2-out.json": "[]"}, "data/2-in.json is missing"),
    "malformed question": ({"1-in.json": "[]\n [1,]", "1-out.json": "[]"}, "data/1-in.json, line 2, column "),
    "malformed answer": ({"1-in.json": "[] 0", "1-out.json": "[1"}, "data/1-out.json, line 1, column "),
    "deep": (
        {"1-in.json": "[" * 100_000, "1-out.json": "[]"},
        "data/1-in.json cannot be read: its values are too",
    ),
    "long": ({"1-in.json": "1" * 5_000, "1-out.json": "[]"}, "data/1-in.json cannot be read: a number has too many"),
    "no text": ({"1-in.json": b"\xff", "1-out.json": "[]"}, "data/1-in.json cannot be read: "),
    "too few values": ({"1-in.json": "[]", "1-out.json": "[]"}, "holds 1 value: legal-moves takes heaps, seat"),
    "too many values": ({"1-in.json": "[] 0 1 2", "1-out.json": "[]"}, "holds 4 values: legal-moves takes heaps, seat"),
    "two answers": ({"1-in.json": "[] 0", "1-out.json": "[] []"}, "data/1-out.json holds 2 values: it must hold one"),
    "no answer in the file": ({"1-in.json": "[] 0", "1-out.json": ""}, "data/1-out.json holds 0 values"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_that_cannot_be_used_are_named_in_one_sentence(fairplay: Run, folder: Path, case: str) -> None:
    files, words = FILES[case]
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    ran = fairplay("check", "heaps", "legal-moves", "data")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert words in ran.err


def test_what_cannot_be_checked_is_told_in_one_sentence(fairplay: Run) -> None:
    for arguments, words in [
        (["heaps", "legal-moves"], "name the folder with the test data: fairplay check heaps legal-moves FOLDER"),
        (["heaps", "legal-moves", "nowhere"], "there is no folder nowhere"),
        (["bare", "legal-moves", "data"], "bare has no test data to check"),
        (["bare"], "bare has no test data to check"),
        (["chess"], "there is no game 'chess'"),
    ]:
        ran = fairplay("check", *arguments)
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (2, "", 1)
        assert words in ran.err
