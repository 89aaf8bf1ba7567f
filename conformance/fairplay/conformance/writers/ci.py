"""What services that run jobs show of a report: a summary in Markdown, and annotations of GitHub.

Sentences and names are strangers': they stay text, whatever stands in them.
"""

from __future__ import annotations

import re
from typing import IO

from fairplay.certificate import Verdict
from fairplay.conformance.requirements import sentence_of
from fairplay.conformance.run.findings import Finding, find_findings
from fairplay.conformance.run.judge import Ended, Event
from fairplay.conformance.run.report import Report, conclusion
from fairplay.games.kit.files import Output
from fairplay.games.kit.printable import UNPRINTABLE

MAX_FINDINGS = 25
MAX_CHARS = 2_000
"""So much is shown of a sentence or a command: GitHub takes summaries of at most 1 MiB."""
MAX_ANNOTATIONS = 10
"""GitHub shows so many of each kind."""
MARKUP = re.compile(r"(?<=\w)-(?=\w)|[,;'\"]|([!-/:-@\[-`{-~])")
"""In its group, what Markdown may take for markup: it lets each character of ASCII's punctuation be escaped."""


def summary(report: Report, name: str = "") -> str:
    """Return what a job's page shows of a report, in Markdown. `name`: what the player is called among several."""
    who, findings = name or report.player.display_name or "a player without a name", find_findings(report.judged)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report.counts.items() if count)
    head = f"### {escaped(report.run.title)}: {escaped(who)}\n\n{escaped(conclusion(report))}\n\n{counts}\n"
    more = len(findings) - MAX_FINDINGS
    tail = f"\nand {more} causes more, which the report names\n" if more > 0 else ""
    return head + "".join(map(_section, findings[:MAX_FINDINGS])) + tail


def escaped(text: str) -> str:
    """Return a text as one line of Markdown that shows it and nothing else."""
    line = " ".join(text.translate(UNPRINTABLE).split())
    shown = line if len(line) <= MAX_CHARS else f"{line[:MAX_CHARS]}…"
    return MARKUP.sub(lambda found: f"\\{found[0]}" if found[1] else found[0], shown)


def _section(finding: Finding) -> str:
    """Return what was found wrong, the rules that say so, and the command that shows it again."""
    example, known = finding.example, " (known)" if all(each.excused for each in finding.cases) else ""
    lines = ["", f"#### {finding.verdict} {escaped(example.id)}{finding.more}{known}", "", escaped(finding.sentence)]
    if example.evidence is not None:
        sections = dict(example.evidence.sections)
        rules = [f"{rule}: {sentence_of(rule)}" for rule in example.evidence.rules]
        lines += ["", *(f"- {escaped(each)}" for each in (*rules, *sections.get("Required", "").splitlines()))]
        lines += _block(sections.get("Again", ""))
    return "\n".join([*lines, ""])


def _block(text: str) -> list[str]:
    """Return the lines of a block of code, whose fence is longer than any in it; none for an empty text."""
    if not text or len(text) > MAX_CHARS:
        return []
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return ["", f"{fence}sh", text.translate(UNPRINTABLE), fence]


def github_annotations(report: Report, name: str = "") -> str:
    """Return the lines by which a job of GitHub shows what is to be mended. `name`: the player among several."""
    kinds: dict[str, list[str]] = {"error": [], "warning": [], "notice": []}
    for finding in find_findings(report.judged):
        title = f"{report.run.title}{f', {name}' if name else ''}: {finding.name}"
        kinds[_kind(finding)].append(f"title={_property(title)}::{_data(_message(finding))}")
    return "".join(f"::{kind} {each}\n" for kind, found in kinds.items() for each in found[:MAX_ANNOTATIONS])


def _message(finding: Finding) -> str:
    evidence = finding.example.evidence
    again = "" if evidence is None else dict(evidence.sections).get("Again", "")
    return f"{finding.sentence}{finding.more}" + (f"\nAgain: {again}" if again else "")


def _kind(finding: Finding) -> str:
    if all(each.excused for each in finding.cases):
        return "notice"
    return "warning" if finding.verdict is Verdict.WARN else "error"


def _data(text: str) -> str:
    """Return a text as the message of a command of GitHub's."""
    shown = text.translate(UNPRINTABLE)[:MAX_CHARS]
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


class SummaryWriter:
    """Writes a summary to a file."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def take(self, event: Event) -> None:
        """Write the file at the end of the run."""
        if isinstance(event, Ended):
            self._output.write(summary(event.report))


class AnnotationWriter:
    """Prints annotations."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def take(self, event: Event) -> None:
        """Print them at the end of the run."""
        if isinstance(event, Ended):
            self._stream.write(github_annotations(event.report))
