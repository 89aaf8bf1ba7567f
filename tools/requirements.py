"""Write docs/requirements.md: each requirement and rule, the cases that check it, and the mutants that show it.

python -m tools.requirements            writes the page
python -m tools.requirements --check    exit code 1 if it is not up to date, or something is not traced

A requirement has a case, or a reason in conformance/untested.toml. A case has a requirement or a rule, and a mutant
that names it. Only what is declared is looked at: `make zoo` and `make test-slow` show that the mutants are caught.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairplay.conformance.case import Case
from fairplay.conformance.case_ids import EVERY_WHOLE_GAME, RESUMED_GAMES
from fairplay.conformance.cases import cases
from fairplay.conformance.requirements import Requirement, requirements
from fairplay.conformance.servers.cases import CASES as SERVER_CASES
from fairplay.conformance.zoo.registry import find_mutants
from fairplay.games.conformance import Level
from fairplay.games.game import find, registered
from tests.conformance.servers.mutants import MUTANTS as SERVER_MUTANTS
from tools.zoo.findings import stands_for

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "requirements.md"
UNTESTED = ROOT / "conformance" / "untested.toml"
GROUPS = (EVERY_WHOLE_GAME, RESUMED_GAMES)
"""Cases that differ in seats and numbers of players only are named together."""
SHOWN = 4
"""So many mutants, or cases, are named in a line."""
PLAYERS, SERVERS = frozenset({"player", "both"}), frozenset({"server", "both"})


@dataclass(slots=True)
class Trace:
    """What is known of one requirement or rule: the cases that check it, and the mutants that fail them."""

    cases: dict[str, None] = field(default_factory=dict)
    levels: set[Level] = field(default_factory=set)
    """The levels of the cases."""
    mutants: dict[str, None] = field(default_factory=dict)


class Traces:
    """The traces of all ids, and what is wrong with them."""

    def __init__(self, known: Mapping[str, Requirement]) -> None:
        self.known = known
        self.rules = {name: find(name).rules for name in registered()}
        self.by_id = {each: Trace() for each in (*known, *(rule for rules in self.rules.values() for rule in rules))}
        self.problems: list[str] = []
        for name in registered():
            found = [(each.name, each.cases) for each in find_mutants(find(name)).values()]
            self._add(cases(find(name)), found, PLAYERS)
        self._add(SERVER_CASES, [(each.name, each.cases) for each in SERVER_MUTANTS], SERVERS)

    def _add(self, found: Iterable[Case], mutants: Sequence[tuple[str, Sequence[str]]], who: frozenset[str]) -> None:
        for case in found:
            naming = [name for name, named in mutants if any(stands_for(each, case.id) for each in named)]
            if not case.checks:
                self.problems.append(f"the case {case.id} names no requirement and no rule")
            if not naming:
                self.problems.append(f"the case {case.id} is named by no mutant: nothing shows that it can fail")
            for checked in case.checks:
                if checked not in self.by_id:
                    self.problems.append(f"the case {case.id} names {checked}, which there is not")
                    continue
                if checked in self.known and self.known[checked].who not in who:
                    self.problems.append(f"the case {case.id} names {checked}, which binds another side")
                trace = self.by_id[checked]
                trace.cases[_group(case.id)] = None
                trace.levels.add(case.level)
                trace.mutants.update(dict.fromkeys(naming))

    def level(self, rule: str) -> str:
        """Return the gravest level of the cases of a rule; empty if it has none."""
        levels = self.by_id[rule].levels
        return next((level for level in Level if level in levels), "")

    def check(self, untested: Mapping[str, str]) -> None:
        """Note each id that has neither a case nor a reason, and each reason that is not needed."""
        for each, trace in self.by_id.items():
            if not trace.cases and each not in untested:
                self.problems.append(f"{each} has no case: write one, or say why there is none in {UNTESTED.name}")
            if trace.cases and each in untested:
                self.problems.append(f"{each} has a case: take its reason out of {UNTESTED.name}")
        self.problems += [
            f"{UNTESTED.name} has a reason for {each}, which there is not"
            for each in untested.keys() - self.by_id.keys()
        ]


def _group(case_id: str) -> str:
    return next((f"{group}.*" for group in GROUPS if case_id.startswith(f"{group}.")), case_id)


def read_untested() -> Mapping[str, str]:
    """Return why ids have no case, by id. Raises ValueError if an id has two reasons."""
    found: dict[str, str] = {}
    for reason in tomllib.loads(UNTESTED.read_text("utf-8"))["reason"]:
        for each in reason["ids"].split():
            if each in found:
                raise ValueError(f"{UNTESTED.name} has two reasons for {each}")
            found[each] = reason["why"]
    return found


def page(traces: Traces, untested: Mapping[str, str]) -> str:
    """Return the page."""
    known = traces.known.values()
    tested = sum(bool(traces.by_id[each.id].cases) for each in known)
    lines = [
        "# Requirements, and what shows them",
        "",
        "Made by `make requirements` from [the specification](../proto/SPECIFICATION.md), the cases of the suite, the",
        "broken players and servers that show that a case can fail, and `conformance/untested.toml`, which says why",
        "there is no case for some. `make check` fails where a requirement has neither a case nor a reason, and where",
        "a case has no requirement or no broken player or server.",
        "",
        f"Of {len(known)} requirements {tested} have a case. The cases of players are those of `fairplay certify`,",
        "the cases of servers those of `fairplay certify-server`. A case that is newer than the frozen revision counts",
        "as a SHOULD, whatever its sentence says: see [add a case](write-a-case.md#new-musts).",
    ]
    for title, who in (("Players", "player"), ("Servers", "server"), ("Both", "both")):
        rows = [(each.id, str(each.level), each.sentence) for each in known if each.who == who]
        lines += ["", f"## {title}", "", *_table(rows, traces, untested)]
    for name, rules in traces.rules.items():
        rows = [(each, traces.level(each), sentence) for each, sentence in sorted(rules.items())]
        lines += ["", f"## Rules of {find(name).title}", "", *_table(rows, traces, untested)]
    return "\n".join([*lines, ""])


def _table(rows: Iterable[tuple[str, str, str]], traces: Traces, untested: Mapping[str, str]) -> Iterator[str]:
    yield "| id | level | sentence | cases | broken players or servers |"
    yield "|---|---|---|---|---|"
    for each, level, sentence in rows:
        trace = traces.by_id[each]
        shown = _names(trace.cases) if trace.cases else f"none: {untested.get(each, '')}"
        yield f"| {each} | {level} | {sentence} | {shown} | {_names(trace.mutants)} |"


def _names(names: Iterable[str]) -> str:
    found = [f"`{each}`" for each in names]
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more


def main(arguments: Sequence[str]) -> int:
    """Write the page, or check it."""
    traces, untested = Traces(requirements()), read_untested()
    traces.check(untested)
    text = page(traces, untested)
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text("utf-8") != text:
        traces.problems.append("docs/requirements.md is not up to date: run make requirements")
    sys.stderr.writelines(f"{each}\n" for each in traces.problems)
    return 1 if traces.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
