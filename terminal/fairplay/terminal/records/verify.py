"""`fairplay records verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError
from fairplay.client.results import ALL_CHECKS
from fairplay.client.wording import counted
from fairplay.server.records.database import Listing
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.server.records.verify import Finding, verify
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import make_console, print_json, say
from fairplay.terminal.records.overview import summarize
from fairplay.terminal.records.sources import Source, choose, open_source
from fairplay.v1.record_pb2 import Record


class Verdict(NamedTuple):
    """What verifying a record has found: it is intact if `findings` is empty."""

    record_id: str
    kind: str
    finished: bool
    entry_count: int
    findings: Sequence[Finding]

    @property
    def word(self) -> str:
        """Return "ok", "unfinished" (and intact so far) or "wrong"."""
        if self.findings:
            return "wrong"
        return "ok" if self.finished else "unfinished"


def verify_records(place: Place, wanted: str | None, as_json: bool) -> int:
    """Verify one record or all, and return the exit code."""
    console = make_console()
    counts = dict.fromkeys(("ok", "unfinished", "wrong"), 0)
    found = []
    with open_source(place) as source:
        defects = source.defects() if wanted is None else ()
        for verdict in _verdicts(source, wanted):
            counts[verdict.word] += 1
            if as_json:
                found.append(_verdict_json(verdict))
            else:
                _show_verdict(console, verdict)
    if as_json:
        print_json({"ok": not counts["wrong"] and not defects, "records": found, "defects": [*defects]})
    else:
        for defect in defects:
            say(console, f"[red]wrong[/]       {escape(defect)}")
        total = sum(counts.values())
        if not total and not defects:
            raise FailedError(f"there are no records in {place}")
        details = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        say(console, f"{counted(total, 'record')}: {details}" if total else counted(total, "record"))
    return FAILED if counts["wrong"] or defects else DONE


def _verdicts(source: Source, wanted: str | None) -> Iterator[Verdict]:
    for listing in [choose(source, wanted)] if wanted is not None else source.listings():
        try:
            record = source.read(listing)
        except RecordsError as error:
            yield Verdict(listing.record_id, listing.kind, listing.finished, 0, [Finding(0, str(error))])
        else:
            findings = (
                verify(record, finished=source.must_have_end(listing), checks=ALL_CHECKS)
                or _misfiled(listing, record)
                or source.check_filing(listing, record)
            )
            yield Verdict(listing.record_id, listing.kind, listing.finished, len(record.entries), findings)


def _misfiled(listing: Listing, record: Record) -> list[Finding]:
    """Return a finding if an intact record has another id than the store says."""
    recorded_id = summarize(record).record_id
    if recorded_id != listing.record_id:
        return [Finding(1, f"it is the record of {recorded_id!r}")]
    return []


def _show_verdict(console: Console, verdict: Verdict) -> None:
    style = {"ok": "green", "unfinished": "yellow", "wrong": "red"}[verdict.word]
    problem = "; ".join(map(str, verdict.findings)) or (
        counted(verdict.entry_count, "entry") + ("" if verdict.finished else ", intact so far")
    )
    say(console, f"[{style}]{verdict.word:<10}[/]  {escape(f'{verdict.record_id}  {problem}')}")


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "id": verdict.record_id,
        "kind": verdict.kind,
        "status": verdict.word,
        "entries": verdict.entry_count,
        "findings": [finding._asdict() for finding in verdict.findings],
    }
