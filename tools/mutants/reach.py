"""Find which tests may notice an edit of a source file: those that reach its lines, as coverage has traced them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

CONTEXT = re.compile(r"(?P<test>.+?)(?: \((?:setup|call|teardown)\))?(?:\|.*)?")
"""A context of coverage: the id of a test, in a program that a test started as PYTEST_CURRENT_TEST has it."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NEVER_S = 1e9


@dataclass(frozen=True, slots=True)
class Place:
    """Where an edit is in a file: the lines of its statement, or the names that a statement outside functions sets."""

    lines: frozenset[int]
    names: frozenset[str] = frozenset()


class Reach:
    """Which tests reach each line of the source files of a tree, and the seconds that each test takes."""

    def __init__(self, root: Path, data: Path, seconds: Path) -> None:
        self._root = root
        self._data = CoverageData(str(data))
        self._data.read()
        self._seconds: Mapping[str, float] = json.loads(seconds.read_text(encoding="utf-8"))["passed"]
        self._known: dict[str, Mapping[int, frozenset[str]]] = {}
        texts = {file: Path(file).read_text(encoding="utf-8") for file in sorted(self._data.measured_files())}
        # Path -> text of the file, and the lines in functions.
        self._sources = {
            Path(file).relative_to(root).as_posix(): (text, find_bodies(text)) for file, text in texts.items()
        }
        files = {test.partition("::")[0] for test in self._seconds}
        self._tests = {file: (root / file).read_text(encoding="utf-8") for file in files if (root / file).exists()}

    def seconds(self, tests: Iterable[str]) -> float:
        """Return the seconds that tests take in all."""
        return sum(self._seconds.get(test, 0.0) for test in tests)

    def find_tests(self, path: str, source: str, start: int, end: int) -> list[str]:
        """Return the ids of the tests that may notice an edit of bytes `start` to `end` of a file, the best ones first.

        Tests that have the name of the file come first, then those of fewer seconds. An edit of what runs when a module
        is imported is looked for in the tests that have the name of the file, have the name of a constant that it sets,
        reach a line with a name that it sets, or reach the file.
        """
        traced, bodies = self._sources.get(path, ("", frozenset()))
        place = find_place(source, start, end)
        if place.lines and traced == source:
            tests = self._tests_of(path, place.lines)
        else:  # the file is another one by now, or nothing has the name of what is edited
            tests = self._find_users(place.names, path) | self._tests_of(path, bodies)
        return sorted(tests, key=lambda test: (not is_nearest(test, path), self._seconds.get(test, NEVER_S), test))

    def _find_users(self, names: frozenset[str], path: str) -> frozenset[str]:
        """Return the tests that may notice another value of names of a file."""
        if not names:
            return frozenset()
        names = names | self._find_names_made_of(names)
        constants = _words(filter(str.isupper, names))
        naming = {file for file, text in self._tests.items() if constants.search(text)}
        near = frozenset(test for test in self._seconds if is_nearest(test, path) or test.partition("::")[0] in naming)
        return near.union(*(self._tests_of(*use) for use in self._find_uses(names)))

    def _tests_of(self, path: str, lines: Iterable[int]) -> frozenset[str]:
        if path not in self._known:
            contexts = self._data.contexts_by_lineno(str(self._root / path))
            self._known[path] = {line: frozenset(self._read(found)) for line, found in contexts.items()}
        known = self._known[path]
        return frozenset().union(*(known.get(line, frozenset()) for line in lines))

    def _read(self, contexts: Iterable[str]) -> Iterator[str]:
        for context in contexts:
            found = CONTEXT.fullmatch(context)
            if found and found["test"] in self._seconds:
                yield found["test"]

    def _find_uses(self, names: frozenset[str]) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield the files, and their lines in functions, that have one of some names."""
        words = _words(names)
        for path, (source, bodies) in self._sources.items():
            if words.search(source):
                lines = source.splitlines()
                yield path, frozenset(line for line in bodies if words.search(lines[line - 1]))

    def _find_names_made_of(self, names: frozenset[str]) -> frozenset[str]:
        """Return the names that are set with the help of others where modules are imported."""
        words, found = _words(names), set[str]()
        for source, bodies in self._sources.values():
            lines = enumerate(source.splitlines(), 1)
            if used := [line for line, text in lines if line not in bodies and words.search(text)]:
                tree = ast.parse(source)
                found.update(*(_find_names(_find_statements(tree, line, line)) for line in used))
        return frozenset(found)


def _words(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names))) or '(?!)'})\b")


def is_nearest(test: str, path: str) -> bool:
    """Return whether the file of a test is named like a source file."""
    return Path(test.partition("::")[0]).name == f"test_{Path(path).stem}.py"


def find_place(source: str, start: int, end: int) -> Place:
    """Return where an edit of bytes `start` to `end` of a source text is."""
    data = source.encode()
    first, last = (data[:at].count(b"\n") + 1 for at in (start, end))
    within = _find_statements(ast.parse(source), first, last)
    statement = within[-1]
    if _is_in_function(within):
        header = range(statement.lineno, max(_find_header_end(statement), statement.lineno) + 1)
        return Place(frozenset({*header, *range(first, last + 1)}))
    return Place(frozenset(), frozenset(_find_names(within)))


def find_bodies(source: str) -> frozenset[int]:
    """Return the lines of a source text that are in bodies of functions."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)]
    return frozenset(
        line for node in functions for line in range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
    )


def _find_statements(tree: ast.Module, first: int, last: int) -> list[ast.stmt]:
    """Return the statements that contain lines, from the outermost to the innermost."""
    found: list[ast.stmt] = []
    nodes: Sequence[ast.AST] = tree.body
    while nodes:
        around = [node for node in nodes if _spans(node, first, last)]
        found += [node for node in around if isinstance(node, ast.stmt)]
        nodes = [
            child
            for node in around
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case)
        ]
    return found


def _spans(node: ast.AST, first: int, last: int) -> bool:
    if isinstance(node, ast.match_case):  # has no lines of its own
        return node.pattern.lineno <= first and last <= (node.body[-1].end_lineno or last)
    return isinstance(node, ast.stmt | ast.excepthandler) and node.lineno <= first and last <= (node.end_lineno or last)


def _find_header_end(statement: ast.stmt) -> int:
    """Return the last line of a statement before the first statement in it."""
    if isinstance(statement, ast.Match):
        return statement.cases[0].pattern.lineno - 1
    body: Sequence[ast.stmt] = getattr(statement, "body", ())
    return body[0].lineno - 1 if body else statement.end_lineno or statement.lineno


def _is_in_function(within: Sequence[ast.stmt]) -> bool:
    """Return whether the innermost of statements runs when a function is called; the header of one does not."""
    return any(isinstance(node, FUNCTIONS) for node in within[:-1])


def _find_names(within: Sequence[ast.stmt]) -> Iterator[str]:
    """Yield the names that a statement at the top of a module or class sets."""
    match within[-1] if within else None:
        case ast.Assign(targets=targets):
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case _:
            pass
