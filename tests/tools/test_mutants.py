"""`make mutants` changes code in ways that matter, by a seed, and leaves out what is named equivalent."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from tests.slow import SLOW
from tools.mutants.__main__ import sample
from tools.mutants.equivalents import Change, compare, find_outdated, read_equivalents
from tools.mutants.mutations import find_mutations
from tools.mutants.rooms import ROOMS
from tools.mutants.trial import Tree, Verdict

ROOT = Path(__file__).resolve().parents[2]


def mutate(source: str) -> set[str]:
    return {mutation.apply(source) for mutation in find_mutations(source)}


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("a < b", {"a <= b", "a >= b"}),
        ("a is not b", {"a is b"}),
        ("a not in b", {"a in b"}),
        (
            "a and (b or c)",
            {"a or (b or c)", "True and (b or c)", "a and (True)", "a and (b and c)"}
            | {"a and (False or c)", "a and (b or False)"},
        ),
        ("not (a)", {"(a)"}),
        ("a + b", {"a - b"}),
        ("f(7, True)", {"f(8, True)", "f(6, True)", "f(7, False)", "pass"}),
        ("f(0.5)", {"f(1.5)", "pass"}),
        ("a.b = c", {"pass"}),
        ("a += b", {"a -= b", "pass"}),
        ("raise a", {"pass"}),
        ("for a in b:\n    break", {"for a in b:\n    continue"}),
        ("def f():\n    return a", {"def f():\n    return None"}),
        ("if a:\n    b = c", {"if not (a):\n    b = c"}),
        ("a = [b for b in c if d]", {"a = [b for b in c if not (d)]"}),
        ("ä = 'ö' if a > b else c", {f"ä = 'ö' if {test} else c" for test in ("a >= b", "a <= b", "not (a > b)")}),
    ],
)
def test_a_mutation_is_one_edit(source: str, mutants: set[str]) -> None:
    assert mutate(source) == mutants


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: int | None) -> Literal[1]: ...",
        "a: int | None",
        "A = B | None",
        "assert a < b",
        '"""What it is."""',
        "a = f'{b + 1}'",
        "@dataclass(frozen=True)\nclass A: ...",
        "if TYPE_CHECKING:\n    a = 1",
        "a = b",
    ],
)
def test_what_no_test_can_notice_is_not_mutated(source: str) -> None:
    assert mutate(source) == set()


def test_a_sample_is_that_of_its_seed_in_equal_shares_of_the_rooms() -> None:
    names = ["links", "records"]
    first, same, other = (sample(names, 6, random.Random(seed)) for seed in (1, 1, 2))
    assert first == same != other
    assert [mutant.name for mutant in first] == ["links"] * 3 + ["records"] * 3
    for mutant in first:
        ast.parse(mutant.source)
        assert mutant.source != (ROOT / mutant.path).read_text(encoding="utf-8")


def test_every_room_has_code_and_tests() -> None:
    for parts in ROOMS.values():
        for room in parts:
            assert list(room.find_sources(ROOT))
            assert list(room.find_tests(ROOT))


def test_equivalents_are_read_as_they_are_printed(tmp_path: Path) -> None:
    line, change = compare("a.py", "if x:\n    y < 1\n", "if x:\n    y <= 1\n")
    assert (line, change) == (2, Change("a.py", ("y < 1",), ("y <= 1",)))
    page = tmp_path / "equivalent.txt"
    page.write_text(f"# Head.\n\n{change}\n# y is never 1.\n")
    assert read_equivalents(page) == {change}
    page.write_text(f"{change}\n")
    with pytest.raises(ValueError, match="needs lines"):
        read_equivalents(page)


def test_equivalents_that_are_no_longer_in_the_code_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if x:\n    y < 1\n    z = 2\n")
    there = Change("a.py", ("y < 1", "z = 2"), ("pass",))
    changed, lost = Change("a.py", ("y < 2",), ("y <= 2",)), Change("b.py", ("y < 1",), ("y <= 1",))
    assert find_outdated([there, lost, changed], tmp_path) == [changed, lost]


@SLOW
def test_a_changed_file_makes_its_tests_fail_or_hang_and_is_itself_again_afterwards(tmp_path: Path) -> None:
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    code, test = tmp_path / "mutated.py", tmp_path / "test_code.py"
    code.write_text("def f():\n    return 1\n")
    test.write_text("from mutated import f\ndef test_f():\n    assert f() == 1\n")
    tree = Tree(tmp_path)
    assert set(tree.measure(["test_code.py"])) == {"test_code.py"}
    for body, verdict in (("return 1", "survived"), ("return 2", "killed"), ("while True: pass", "timeout")):
        with tree.changed("mutated.py", f"def f():\n    {body}\n"):
            run = tree.try_tests(["test_code.py"], 3.0 if verdict == "timeout" else 60.0)
        assert run.verdict is Verdict(verdict)
        assert run.failed == ("test_code.py::test_f" if verdict == "killed" else "")
    assert code.read_text() == "def f():\n    return 1\n"
