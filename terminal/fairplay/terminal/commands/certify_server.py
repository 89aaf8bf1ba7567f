"""`fairplay certify-server`. Light: the work is imported when the command runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import argument, command, option
from fairplay.terminal.commands.parameters import Authorities


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifyServerOptions:
    """Which server is judged, by which cases, and what is kept."""

    address: Annotated[str, argument("HOST:PORT", "The server; grpcs:// over TLS.")] = ""
    ca: Authorities = None
    list_: Annotated[bool, option("", "Only show the cases.")] = False
    level: Annotated[str, option("LEVEL", "must, should or all.")] = "all"
    only: Annotated[str, option("PATTERN", "Cases by id, e.g. blame, 'watch.*' or a,b; * is anything.")] = ""
    known_failures: Annotated[
        str, option("FILE", "Ids of cases that are known to fail: if no other fails, the exit code is 0.")
    ] = ""
    players_host: Annotated[str, option("HOST", "The address of this machine at which the server reaches players.")] = (
        "127.0.0.1"
    )
    insecure: Annotated[bool, option("", "Let --players-host be reached by other machines, without TLS.")] = False
    report: Annotated[Path | None, option("DIR", "Write a page, the results and the evidence here.")] = None
    json: Annotated[str | None, option("[FILE]", "The results, in a file or (-) printed.")] = None
    junit: Annotated[Path | None, option("FILE", "Verdicts as JUnit XML.")] = None


@command
def certify_server(options: CertifyServerOptions) -> int:
    """Certify a server: does it ask, blame, wait, show and refuse as the contract says?

    Exit code 0: every MUST is met. 1: not so. 2: what was typed cannot be meant.

    Examples:

    \b
      fairplay certify-server localhost:50050
      fairplay certify-server localhost:50050 --only blame --report out/
      fairplay certify-server --list
    """
    from fairplay.terminal.certify.run import certify_server as judge_server

    return judge_server(options)
