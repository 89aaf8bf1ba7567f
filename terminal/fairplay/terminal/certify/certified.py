"""What `fairplay certificate list` does: a page of who is certified for what, which everybody can check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.markup import escape

from fairplay.certificate import Certificate
from fairplay.certificate.terms import SERVER, default_limits_ms
from fairplay.client.errors import UsageError
from fairplay.client.wording import counted
from fairplay.conformance.run.options import Options, repeat_command
from fairplay.games.kit.files import Output
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.server import __version__
from fairplay.terminal.certify.badge import badge_svg, title_of
from fairplay.terminal.certify.verify import Examined, examine, read_certificate, read_keys
from fairplay.terminal.commands.certify import Demands
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import make_console, make_directory, say, write_json
from fairplay.terminal.reports.page import render
from fairplay.terminal.roster import Entrant, language_of, read_roster

FORMAT = "fairplay-certified/1"
PAGE, ROWS, FILES = "index.html", "certified.json", "certificates"
REPORTED = "certificate.json"
"""The name of a certificate in a folder of `certify --report`."""
TABLE = "index.json"
"""What `certify --roster --report` keeps beside the folders of its reports."""
COPY = re.compile(r"[0-9a-f]{16}\.(json|svg)")
PLACEHOLDERS = {"exec": "exec:COMMAND", "grpc": "grpc://HOST:PORT", "dial-in": "dial-in:NAME", "bot": "bot:STRATEGY"}
"""What stands for a link that nobody has named: a certificate names the files of a command, not the command."""


@dataclass(frozen=True, slots=True)
class Row:
    """A player, or a server, and what it is certified for."""

    player: str
    version: str
    language: str
    """Empty: nobody has said it."""
    game: str
    title: str
    profile: str
    """Empty: the whole game."""
    revision: int
    suite: str
    seed: str
    signer: str
    """The name of the key in the list of trusted keys."""
    key: str
    issued: str
    limits: Sequence[str]
    """The time limits that are not the game's."""
    again: str
    """The command that certifies it again."""
    outdated: str
    """What is newer than what the certificate was made with; empty: nothing."""
    certificate: str
    """The path of the certificate from the page, of its badge but for the suffix."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is not in the list, and why."""

    file: str
    reason: str


def list_certified(folder: Path, trusted: Path, output: Path, roster: Path | None, *, any_limits: bool) -> int:
    """Write the page, its rows as JSON, and a copy of each certificate with its badge.

    Returns the exit code: 1 if nobody is listed.

    `trusted`: the file of the keys one of which must have signed each. `roster`: who says the links and languages of
    players; a certificate is that of the entrant whose name its file or its folder has. Raises UsageError if something
    cannot be read, or there is no certificate, OSError or FailedError if something cannot be written.
    """
    keys = read_keys(trusted)
    entrants = {each.name: each for each in read_roster(roster).entrants} if roster is not None else {}
    files = sorted({*folder.glob("*.json"), *folder.rglob(REPORTED)} - {folder / TABLE})
    if not files:
        raise UsageError(f"{folder} holds no certificates: neither *.json, nor {REPORTED} in a folder in it")
    make_directory(output / FILES)
    for old in (output / FILES).iterdir():
        if COPY.fullmatch(old.name):
            old.unlink()
    rows, refused = [], []
    for file in files:
        found = _listed(file, folder, keys or {}, any_limits=any_limits)
        if isinstance(found, Refused):
            refused.append(found)
            continue
        row = _row(found, entrants.get(_name(file)))
        Output(output / row.certificate).write(read_certificate(file))
        Output(output / Path(row.certificate).with_suffix(".svg")).write(badge_svg(found.certificate))
        rows.append(row)
    _write(output, sorted(set(rows), key=_order), refused)
    return DONE if rows else FAILED


def _name(file: Path) -> str:
    """Return the name of the entrant whose certificate a file is: its own, or that of the folder of a report."""
    return file.parent.name.removesuffix(".report") if file.name == REPORTED else file.stem


def _listed(file: Path, folder: Path, keys: Mapping[str, str], *, any_limits: bool) -> Examined | Refused:
    """Return what a certificate is worth, or why it is not listed. A profile is no objection: the list names it."""
    where = str(file.relative_to(folder))
    try:
        data = read_certificate(file)
        found = examine(data, Demands(any_limits=any_limits, any_profile=True), keys)
    except OSError as error:
        return Refused(where, f"it cannot be read: {error.strerror}")
    except ValueError as error:
        return Refused(where, str(error))
    return Refused(where, found.objection) if found.objection else found


def _row(examined: Examined, entrant: Entrant | None) -> Row:
    found = examined.certificate
    language = entrant.language if entrant is not None else ""
    return Row(
        player=found.player or (entrant.name if entrant is not None else "a player without a name"),
        version=found.player_version,
        language=language or language_of(each["file"] for each in found.program),
        game=found.game,
        title=title_of(found.game),
        profile=found.profile,
        revision=found.protocol_revision,
        suite=found.suite_version,
        seed=str(found.seed),
        signer=examined.signer,
        key=found.signer,
        issued=found.issued,
        limits=tuple(found.other_limits()),
        again=_again(found, entrant.link if entrant is not None else ""),
        outdated="; ".join(_outdated(found)),
        certificate=f"{FILES}/{found.digest.removeprefix('sha256:')[:16]}.json",
    )


def _again(found: Certificate, link: str) -> str:
    """Return the command that certifies a player again; without its link, with words in capitals in its place."""
    if found.game == SERVER:
        return "fairplay certify-server HOST:PORT"
    default = default_limits_ms(found.game)
    given = {name: ms / 1000 for name, ms in found.limits_ms.items() if ms != default.get(name)}
    options = Options(
        found.game,
        link or PLACEHOLDERS.get(found.reached_by, "LINK"),
        seed=found.seed,
        nonce=found.nonce,
        profile=found.profile,
        limit_s=given.get("decision"),
        first_limit_s=given.get("first_decision"),
    )
    return repeat_command(options, "")


def _outdated(found: Certificate) -> Iterator[str]:
    if found.protocol_revision < PROTOCOL_REVISION:
        yield f"the protocol has revision {PROTOCOL_REVISION} now"
    if _numbers(found.suite_version) < _numbers(__version__):
        yield f"the suite is {__version__} now"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d{1,9}", version)))


def _order(row: Row) -> tuple[Any, ...]:
    return row.game == SERVER, row.title, bool(row.outdated), row.player.casefold(), row.profile, row.issued


def _write(output: Path, rows: Sequence[Row], refused: Sequence[Refused]) -> None:
    made = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    content = {"format": FORMAT, "made": made, "revision": PROTOCOL_REVISION, "suite": __version__}
    lists: Mapping[str, Iterable[Row | Refused]] = {"certified": rows, "refused": refused}
    plain = {name: [asdict(each) for each in found] for name, found in lists.items()}
    write_json({**content, **plain}, Output(output / ROWS))
    lead = f"{counted(len(rows), 'certificate')}, each verified on {made[:10]}."
    Output(output / PAGE).write(render("certified.html", title="Certified", lead=lead, rows=rows, refused=refused))
    console = make_console()
    for each in refused:
        say(console, f"[red]refused[/] {escape(f'{each.file}: {each.reason}')}")
    say(console, f"{counted(len(rows), 'certificate')} listed, {len(refused)} refused: {escape(str(output / PAGE))}")
