"""A report as one HTML page that loads nothing: no script, font or picture from elsewhere."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from html import escape

from fairplay.certificate import Verdict
from fairplay.certificate.terms import profile_sentence
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.coverage import Coverage
from fairplay.conformance.games.rivals import Side
from fairplay.conformance.run.findings import Finding, find_findings
from fairplay.conformance.run.report import Report, conclusion
from fairplay.games.kit.printable import UNPRINTABLE

STYLE = """
:root { color-scheme: light dark; --ink: #1c2530; --soft: #5b6775; --paper: #ffffff; --line: #d8dee5; --tint: #f4f6f8;
  --pass: #1f7a45; --fail: #b3261e; --warn: #96590a; --gap: #4a5a8a; --none: #6b7480; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaef; --soft: #a3afbc; --paper: #14181d; --line: #333c47;
  --tint: #1c2229; --pass: #6cc790; --fail: #ff8a80; --warn: #f0b75e; --gap: #9fb2f0; --none: #a3afbc; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 84rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.2rem 0 .6rem; font-size: 1.15rem; }
h3 { margin: 1rem 0 .25rem; font-size: .82rem; color: var(--soft); font-weight: 600; }
.lead { margin: .4rem 0 0; font-size: 1.1rem; font-weight: 600; } .soft { color: var(--soft); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1.2rem 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.counts { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.2rem 0 0; padding: 0; list-style: none; }
.counts li { border: 1px solid var(--line); border-radius: .5rem; padding: .3rem .8rem; background: var(--tint); }
.counts b { font-size: 1.15rem; margin-right: .35rem; font-variant-numeric: tabular-nums; }
table { width: 100%; border-collapse: collapse; } th { text-align: left; font-size: .82rem; color: var(--soft); }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { font-weight: 700; white-space: nowrap; } code { font: .92em ui-monospace, Menlo, Consolas, monospace; }
.pass { color: var(--pass); } .fail { color: var(--fail); } .warn { color: var(--warn); }
.not-tested, .suite-error { color: var(--gap); } .not-applicable { color: var(--none); }
details { border: 1px solid var(--line); border-left: 5px solid currentColor; border-radius: .5rem; margin: 1rem 0;
  padding: .7rem 1.1rem; } details > * { color: var(--ink); }
summary { cursor: pointer; } summary p { margin: .3rem 0 0; overflow-wrap: anywhere; }
.same { columns: 17rem; column-gap: 1.4rem; margin: .7rem 0 0; padding: 0; list-style: none;
  max-height: 15rem; overflow: auto; }
.same li { overflow-wrap: anywhere; break-inside: avoid; }
.evidence { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 1.4rem; }
@media (min-width: 80rem) { .evidence.beside { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); } }
.picture { overflow: auto; margin-top: 1rem; border-radius: .4rem; cursor: zoom-in; }
.picture img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.picture:focus img { max-width: none; }
@media (prefers-color-scheme: dark) { .picture img { filter: brightness(.86); } }
.wide { overflow-x: auto; } td.case { width: 100%; overflow-wrap: anywhere; }
@media (max-width: 40rem) { body { padding: 1.2rem .8rem 3rem; } details { padding: .6rem .7rem; }
  .facts { grid-template-columns: minmax(0, 1fr); } .facts dd { margin-bottom: .4rem; }
  .cases thead { display: none; } .cases tr { display: flex; flex-wrap: wrap; border-bottom: 1px solid var(--line); }
  .cases td { border: 0; } .cases td.case { order: 1; padding-top: 0; } .cases td.number { margin-left: auto; } }
pre { margin: 0; padding: .55rem .7rem; background: var(--tint); border-radius: .4rem; overflow: auto;
  max-height: 26rem; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12.5px/1.45 ui-monospace, Menlo, Consolas, monospace; }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; } @page { margin: 12mm; }
  body { padding: 0; max-width: none; } .same, pre { max-height: none; overflow: visible; }
  tr { break-inside: avoid; } }
"""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
WIDTH = re.compile(r'<svg\b[^>]*?\swidth="(\d+)"')
MAX_BESIDE = 700
"""The width in pixels up to which a picture can be read beside its words; a wider one stands above them, whole."""


def page(report: Report) -> str:
    """Return the page of a report."""
    who = report.player.display_name or "a player without a name"
    title, findings = f"{report.run.title}: {who}", find_findings(report.judged)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title><style>{STYLE}</style></head><body>",
            f"<h1>{text(title)}</h1>",
            f'<p class="lead">{conclusion(report)}</p>',
            *(["<h2>What is to be mended</h2>", *map(_finding, findings)] if findings else []),
            "<h2>The run</h2>",
            _counts(report),
            _facts(report),
            _cases(report, {each.id: found.name for found in findings for each in (*found.cases, *found.untested)}),
            _times(report),
            _coverage(report.coverage),
            _departures(report),
            "</body></html>\n",
        ]
    )


def text(value: object) -> str:
    """Return a stranger's text escaped, without characters that steer the display."""
    return escape(str(value).translate(UNPRINTABLE))


def _counts(report: Report) -> str:
    tiles = [
        f'<li><b class="{_class(verdict)}">{count}</b>{text(verdict)}</li>'
        for verdict, count in report.counts.items()
        if count
    ]
    return f'<ul class="counts">{"".join(tiles)}</ul>'


def _facts(report: Report) -> str:
    run, player = report.run, report.player
    limits, notification = run.limits, f"notification {run.limits.notification_s:g} s"
    facts = [
        ("Player", f"{player.display_name} {player.software_version}".strip()),
        ("Services", ", ".join(service.name for service in player.services)),
        ("Reached by", run.reached_by),
        ("Protocol revision", run.protocol_revision),
        ("Profile", run.profile and f"{run.profile}: {profile_sentence(run.game, run.profile)}"),
        ("Seed", run.seed),
        ("Time limits", f"{limits.decision_s:g} s; first decision {limits.first_decision_s:g} s; {notification}"),
        ("Issued", report.began.strftime("%Y-%m-%d %H:%M:%S UTC")),
        ("Took", f"{report.seconds:.1f} s"),
    ]
    rows = "".join(f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in facts if value != "")
    return f'<dl class="facts">{rows}</dl>'


def _finding(finding: Finding) -> str:
    """Return one cause with the cases that show it, and the evidence of one of them."""
    style, example = _class(finding.verdict), finding.example
    alone = "" if len(finding.cases) > 1 else _difference(example, finding)
    head = (
        f'<span class="verdict {style}">{finding.verdict}</span> <code>{text(example.id)}</code>{alone}{finding.more}'
        f"<p>{text(finding.sentence)}</p>"
    )
    return (
        f'<details class="{style}" id="{text(finding.name)}" open><summary>{head}</summary>'
        f"{_evidence(example.evidence)}{_same(finding)}</details>"
    )


def _same(finding: Finding) -> str:
    """Return the list of the cases that show a cause, or could not be tried because of it; empty for a single one."""
    cases = [*finding.cases, *finding.untested]
    if len(cases) == 1:
        return ""
    items = "".join(f"<li><code>{text(each.id)}</code>{_difference(each, finding)}</li>" for each in cases)
    return f'<h3>Cases with this cause</h3><ul class="same">{items}</ul>'


def _difference(judged: Judged, finding: Finding) -> str:
    """Return in what a case differs from the others with the same cause."""
    verdict = "" if judged.verdict is finding.verdict else f"{judged.verdict}"
    return "".join(
        f" ({word})" for word in (verdict, "a known failure" if judged.known and not judged.outdated else "") if word
    )


def _evidence(evidence: Evidence | None) -> str:
    if evidence is None:
        return ""
    sections = "".join(f"<h3>{text(title)}</h3><pre>{text(body)}</pre>" for title, body in evidence.sections)
    if not evidence.picture:
        return f'<div class="evidence">{sections}</div>'
    width = WIDTH.match(evidence.picture)
    beside = "" if width is None or int(width[1]) > MAX_BESIDE else " beside"
    data = base64.b64encode(evidence.picture.encode()).decode()
    image = f'<img alt="The position" src="data:image/svg+xml;base64,{data}">'
    return f'<div class="evidence{beside}"><div class="picture" tabindex="0">{image}</div><div>{sections}</div></div>'


def _cases(report: Report, named: Mapping[str, str]) -> str:
    rows = [
        f'<tr><td class="verdict {_class(each.verdict)}">{each.verdict}</td><td>{each.level}</td>'
        f'<td class="case"><code>{text(each.id)}</code>{_remark(each, named)}</td>'
        f'<td class="number">{each.seconds:.2f}</td></tr>'
        for each in report.judged
    ]
    head = '<tr><th>verdict</th><th>level</th><th>case</th><th class="number">seconds</th></tr>'
    return f"<h2>All cases</h2>{_table(head, rows, 'cases')}"


def _remark(judged: Judged, named: Mapping[str, str]) -> str:
    """Return where the cause is told for which a case is not met, or what there is to say of it."""
    if judged.id in named:
        return f' <a href="#{text(named[judged.id])}">why</a>'
    return f'<br><span class="soft">{text(judged.sentence)}</span>' if judged.sentence else ""


def _times(report: Report) -> str:
    if not report.times:
        return ""
    rows = [
        f'<tr><td><code>{text(method)}</code></td><td class="number">{each.call_count:,}</td>'
        + "".join(f'<td class="number">{1000 * value:.2f}</td>' for value in (each.median_s, each.p99_s, each.max_s))
        + "</tr>"
        for method, each in report.times.items()
    ]
    judged = f"<p>Decisions judged: {sum(report.decisions.values()):,}.</p>" if report.decisions else ""
    columns = "".join(f'<th class="number">{name}</th>' for name in ("calls", "median ms", "99 % ms", "longest ms"))
    return f"<h2>Times</h2>{judged}{_table(f'<tr><th>method</th>{columns}</tr>', rows, 'times')}"


def _coverage(found: Coverage | None) -> str:
    """Return which features the drawn states have, first those that the game declares and what no state has."""
    if found is None:
        return ""
    ordered = sorted(found.counts.items(), key=lambda item: (item[0] not in found.own, item[1] > 0, item[0]))
    rows = [
        f'<tr><td class="number">{count or "not covered"}</td><td class="case"><code>{text(feature)}</code>'
        f'{f"""<br><span class="soft">{text(found.own[feature])}</span>""" if feature in found.own else ""}</td></tr>'
        for feature, count in ordered
    ]
    head = '<tr><th class="number">states</th><th>feature</th></tr>'
    table = f"<details><summary>All features</summary>{_table(head, rows, 'cases')}</details>"
    return f"<h2>Drawn states</h2><p>{text(found.sentence)}</p>{table}"


def _departures(report: Report) -> str:
    """Return in which phases rivals have left, and where they sat, seen from the player."""
    phases = sorted({phase for phase, _ in report.departures})
    rows = [
        f'<tr><td class="case">{text(phase)}</td>'
        + "".join(f'<td class="number">{report.departures.get((phase, side), "")}</td>' for side in Side)
        + "</tr>"
        for phase in phases
    ]
    if not rows:
        return ""
    head = f"<tr><th>phase</th>{''.join(f'<th>{text(side)}</th>' for side in Side)}</tr>"
    told = (
        f"Rivals have left in {len(phases)} phases, each before another call to the player. The table counts the games "
        "by where the rival sat, seen from the player."
    )
    table = f"<details><summary>All phases</summary>{_table(head, rows, 'cases')}</details>"
    return f"<h2>Rivals that leave</h2><p>{told}</p>{table}"


def _table(head: str, rows: Iterable[str], style: str) -> str:
    return f'<div class="wide"><table class="{style}"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


def _class(verdict: Verdict) -> str:
    return str(verdict).lower().replace(" ", "-")
