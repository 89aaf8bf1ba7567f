"""The mutations of a source text: each is one edit that a test of this text should notice.

What is not mutated, because no test could or should notice it: annotations, decorators, docstrings and other texts,
assertions, `strict=` of zip, and what stands under `if TYPE_CHECKING`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED: dict[type[ast.AST], tuple[str, tuple[str, ...]]] = {
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: (r"is\s+not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: (r"not\s+in", ("in",)),
    ast.And: ("and", ("or",)),
    ast.Or: ("or", ("and",)),
    ast.Add: (r"\+", ("-",)),
    ast.Sub: ("-", ("+",)),
    ast.Mult: (r"\*", ("+",)),
    ast.Div: ("/", ("*",)),
    ast.FloorDiv: ("//", ("*",)),
    ast.Mod: ("%", ("+",)),
    ast.Pow: (r"\*\*", ("*",)),
    ast.BitAnd: ("&", ("|",)),
    ast.BitOr: (r"\|", ("&",)),
    ast.BitXor: (r"\^", ("|",)),
    ast.LShift: ("<<", (">>",)),
    ast.RShift: (">>", ("<<",)),
}
"""Operator -> how it is written, as a regular expression, and what replaces it."""
DROPPED = (ast.Await, ast.Call, ast.Yield, ast.YieldFrom)
TESTED = (ast.If, ast.While, ast.IfExp)
NEGATED_BY_OPERATOR = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
CAPITALISED = re.compile(r"[A-Z]")


@dataclass(frozen=True, slots=True, order=True)
class Mutation:
    """An edit of a source text: bytes `start` to `end` of its UTF-8 form become `text`."""

    start: int
    end: int
    text: str

    def apply(self, source: str) -> str:
        """Return the source text with this edit made."""
        data = source.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()


def find_mutations(source: str) -> list[Mutation]:
    """Return all mutations of a source text, in its order. Raises SyntaxError if it is not Python."""
    return sorted({edit for edit in _Finder(source).visit(ast.parse(source)) if edit.text})


class _Finder:
    """Goes through the tree of a source text and yields the mutations of every node."""

    def __init__(self, source: str) -> None:
        self._data = source.encode()
        self._lines = [0]
        for line in self._data.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def visit(self, node: ast.AST) -> Iterator[Mutation]:
        """Yield the mutations of a node and of all nodes in it that tests can notice."""
        if _is_left_alone(node):
            return
        yield from self._mutate(node)
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list", "type_comment"}:
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self.visit(child)

    def _mutate(self, node: ast.AST) -> Iterator[Mutation]:
        yield from self._change_operators(node)
        yield from self._negate(node)
        yield from self._change_value(node)
        yield from self._drop(node)

    def _change_operators(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
                for left, operator, right in zip(operands, node.ops, operands[1:], strict=False):
                    yield from self._swap(left, operator, right)
            case ast.BoolOp():
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from self._swap(left, node.op, right)
                neutral = "True" if isinstance(node.op, ast.And) else "False"
                yield from (self._replace(operand, neutral) for operand in node.values)
            case ast.BinOp() if not self._is_union(node):
                yield from self._swap(node.left, node.op, node.right)
            case ast.AugAssign():
                yield from self._swap(node.target, node.op, node.value)
            case ast.UnaryOp(op=ast.Not()):
                yield self._replace(node, self._text(node).removeprefix("not").lstrip())
            case ast.UnaryOp(op=ast.USub()):
                yield self._replace(node, self._text(node).removeprefix("-"))
            case _:
                pass

    def _negate(self, node: ast.AST) -> Iterator[Mutation]:
        tests = [node.test] if isinstance(node, TESTED) else []
        if isinstance(node, ast.comprehension):
            tests = node.ifs
        if isinstance(node, ast.match_case) and node.guard:
            tests = [node.guard]
        for test in tests:
            if not _is_negated_by_operator(test):
                yield self._replace(test, f"not ({self._text(test)})")

    def _change_value(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Constant(value=bool() as value):
                yield self._replace(node, str(not value))
            case ast.Constant(value=int() as value):
                yield self._replace(node, str(value + 1))
                yield self._replace(node, str(value - 1) if value else "(-1)")
            case ast.Constant(value=float() as value):
                yield self._replace(node, str(value + 1))
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield self._replace(value, "None")
            case _:
                pass

    def _drop(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.Expr(value=value) if isinstance(value, DROPPED):
                yield self._replace(node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._replace(node, "pass")
            case ast.AugAssign() | ast.Raise() | ast.Return(value=None):
                yield self._replace(node, "pass")
            case ast.Delete(targets=[ast.Attribute() | ast.Subscript()]):  # of a name it says that nobody needs it
                yield self._replace(node, "pass")
            case ast.Break():
                yield self._replace(node, "continue")
            case ast.Continue():
                yield self._replace(node, "break")
            case _:
                pass

    def _swap(self, left: ast.AST, operator: ast.AST, right: ast.AST) -> Iterator[Mutation]:
        written, replacements = SWAPPED.get(type(operator), ("", ()))
        start, end = self._find_span(left)[1], self._find_span(right)[0]
        between = self._data[start:end].decode()
        found = re.search(written, between)
        if replacements and found and "#" not in between:
            for replacement in replacements:
                yield Mutation(start + found.start(), start + found.end(), replacement)

    def _replace(self, node: ast.AST, text: str) -> Mutation:
        return Mutation(*self._find_span(node), text)

    def _text(self, node: ast.AST) -> str:
        start, end = self._find_span(node)
        return self._data[start:end].decode()

    def _find_span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt) and node.end_lineno and node.end_col_offset is not None
        return self._lines[node.lineno - 1] + node.col_offset, self._lines[node.end_lineno - 1] + node.end_col_offset

    def _is_union(self, node: ast.BinOp) -> bool:
        """Return whether a node is a union of types, which is an annotation wherever it stands."""
        if not isinstance(node.op, ast.BitOr):
            return False
        return any(
            isinstance(side, ast.Name | ast.Attribute) and CAPITALISED.match(self._text(side).rpartition(".")[2])
            for side in (node.left, node.right)
        ) or any(_is_none(side) for side in (node.left, node.right))


def _is_left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.keyword(arg="strict") | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case _:
            return False


def _is_negated_by_operator(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], NEGATED_BY_OPERATOR)
    return isinstance(test, ast.Constant) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
