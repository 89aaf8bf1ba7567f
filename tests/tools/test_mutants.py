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
from tools.mutants.reach import Place, find_bodies, find_place
from tools.mutants.rooms import ROOMS, Room
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
    assert [mutant.room for mutant in first] == ["links"] * 3 + ["records"] * 3
    for mutant in first:
        ast.parse(mutant.source)
        assert mutant.source != (ROOT / mutant.path).read_text(encoding="utf-8")


def test_every_part_of_a_room_has_code() -> None:
    for room in ROOMS.values():
        for pattern in room.sources:
            assert list(Room((pattern,)).find_sources(ROOT))


SOURCE = """\
LIMIT = 3

def f(a, b=4):
    if a > LIMIT and (
        b < 5
    ):
        return g(
            6
        )
    match a:
        case 7 if b:
            return 8
    try:
        a()
    except (E, F[9]):
        pass

class C:
    x: int = 10
    def h(self):
        return 11

run(12)
"""


@pytest.mark.parametrize(
    ("edit", "lines", "names"),
    [
        ("3", set(), {"LIMIT"}),
        ("4", set(), {"f"}),
        ("5", {4, 5, 6}, set()),
        ("6", {7, 8, 9}, set()),
        ("b:", {10, 11}, set()),
        ("8", {12}, set()),
        ("9", {13, 15}, set()),
        ("10", set(), {"x"}),
        ("11", {21}, set()),
        ("12", set(), set()),
    ],
)
def test_an_edit_is_at_the_lines_of_its_statement_or_at_the_names_it_sets(
    edit: str, lines: set[int], names: set[str]
) -> None:
    start = SOURCE.index(edit)
    assert find_place(SOURCE, start, start + len(edit)) == Place(frozenset(lines), frozenset(names))


def test_the_lines_of_functions_are_those_of_their_bodies() -> None:
    assert find_bodies(SOURCE) == {*range(4, 17), 21}


def test_equivalents_are_read_as_they_are_printed(tmp_path: Path) -> None:
    line, change = compare("a.py", "if x:\n    y < 1\n", "if x:\n    y <= 1\n")
    assert (line, change) == (2, Change("a.py", ("y < 1",), ("y <= 1",)))
    page = tmp_path / "room.txt"
    page.write_text(f"{change}\n# y is never 1.\n")
    assert read_equivalents(tmp_path) == {change}
    page.write_text(f"{change}\n")
    with pytest.raises(ValueError, match="needs lines"):
        read_equivalents(tmp_path)


def test_equivalents_that_are_no_longer_in_the_code_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("if x:\n    y < 1\n    z = 2\n")
    there = Change("a.py", ("y < 1", "z = 2"), ("pass",))
    changed, lost = Change("a.py", ("y < 2",), ("y <= 2",)), Change("b.py", ("y < 1",), ("y <= 1",))
    assert find_outdated([there, lost, changed], tmp_path) == [changed, lost]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree with one function and its test, and another test that fails."""
    for name, text in {
        "package/code.py": (
            "LIMIT = 1\nMORE = LIMIT + 3\ndef f():\n    return LIMIT\ndef g():\n    return 2\nLEAST = 0\n"
        ),
        "tests/games/test_code.py": "from package.code import f\ndef test_f():\n    assert f() == 1\n",
        "tests/games/test_started.py": (
            "import subprocess, sys\ndef test_g():\n"
            "    program = 'from package.code import g; print(g())'\n"
            "    assert subprocess.check_output([sys.executable, '-c', program]) == b'2\\n'\n"
            "def test_h():\n    assert False\n"
        ),
        "tests/games/test_limits.py": "from package.code import MORE\ndef test_i():\n    assert MORE == 4\n",
        "tests/games/test_other.py": "def test_j():\n    pass\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    return Tree(tmp_path, roots=("",))


@SLOW
def test_a_changed_file_makes_its_tests_fail_or_hang_and_is_itself_again_afterwards(tree: Tree) -> None:
    code = tree.root / "package/code.py"
    before = code.read_text()
    for body, verdict in (("return 1", "survived"), ("return 2", "killed"), ("while True: pass", "timeout")):
        with tree.changed("package/code.py", f"def f():\n    {body}\n"):
            run = tree.try_tests(["tests/games/test_code.py"], 3.0 if verdict == "timeout" else 60.0)
        assert run.verdict is Verdict(verdict)
        assert run.failed == ("tests/games/test_code.py::test_f" if verdict == "killed" else "")
    assert code.read_text() == before


@SLOW
def test_tests_that_have_other_ids_on_a_mutant_are_tried_by_their_files(tree: Tree) -> None:
    (tree.root / "tests/games/test_ids.py").write_text(
        "import pytest\nfrom package.code import LIMIT, f\n"
        "@pytest.mark.parametrize('most', [LIMIT])\ndef test_k(most):\n    assert f() > 0\n"
    )
    source, ids = (tree.root / "package/code.py").read_text(), ["tests/games/test_ids.py::test_k[1]"]
    for limit, verdict in ((1, "survived"), (2, "survived"), (-1, "killed")):
        with tree.changed("package/code.py", source.replace("LIMIT = 1", f"LIMIT = {limit}")):
            assert tree.try_tests(ids, 60.0).verdict is Verdict(verdict)


@SLOW
def test_a_trace_says_which_tests_reach_a_line_also_in_programs_that_they_start(tree: Tree) -> None:
    source = (tree.root / "package/code.py").read_text()
    assert tree.trace(["package"]) == ["tests/games/test_started.py::test_h"]
    reach = tree.reach()

    def find(text: str, path: str = source) -> list[str]:
        return reach.find_tests("package/code.py", path, source.index(text), source.index(text) + 1)

    of_f, of_g = ["tests/games/test_code.py::test_f"], ["tests/games/test_started.py::test_g"]
    of_more = ["tests/games/test_limits.py::test_i"]
    assert (find("LIMIT\ndef"), find("2")) == (of_f, of_g)
    # What is set where modules are imported: all that reach the file, and those with a constant that is made of it.
    assert {*find("1")} == {*find("3")} == {*of_f, *of_more, *of_g}
    assert find("1")[0] == of_f[0]  # the one with the name of the file
    assert find("2", source + "\n") == of_f + of_g  # the file is another one by now
    assert {*find("LEAST")} == {*of_f, *of_g}
    assert reach.find_tests("package/third.py", "LEAST = 0\n", 0, 5) == []
    assert 0 < reach.seconds(of_f) < reach.seconds(of_f + of_g)
