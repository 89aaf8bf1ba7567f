"""`fairplay certify-server`. Light: the work is imported when the command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.client.errors import UsageError
from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import Authorities


def certify_server(
    address: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The server; grpcs:// over TLS.")] = "",
    ca: Authorities = None,
    list_: Annotated[bool, typer.Option("--list", help="Only show the cases.")] = False,
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="must, should or all.")] = "all",
    only: Annotated[
        str, typer.Option("--only", metavar="PATTERN", help="Cases by id, e.g. blame, 'watch.*' or a,b; * is anything.")
    ] = "",
    known_failures: Annotated[
        str,
        typer.Option(
            "--known-failures",
            metavar="FILE",
            help="Ids of cases that are known to fail: if no other fails, the exit code is 0.",
        ),
    ] = "",
    players_host: Annotated[
        str,
        typer.Option(
            "--players-host", metavar="HOST", help="The address of this machine at which the server reaches players."
        ),
    ] = "127.0.0.1",
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let --players-host be reached by other machines, without TLS.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="DIR", help="Write a page, the results and the evidence here.")
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="[FILE]", help="The results, in a file or (-) printed.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Verdicts as JUnit XML.")] = None,
) -> None:
    """Certify a server: does it ask, blame, wait, show and refuse as the contract says?

    Exit code 0: every MUST is met. 1: not so. 2: what was typed cannot be meant.

    Examples:

    \b
      fairplay certify-server localhost:50050
      fairplay certify-server localhost:50050 --only blame --report out/
      fairplay certify-server --list
    """
    with outcomes():
        from fairplay.client.inputs import parse_server
        from fairplay.conformance.run.engine import run_here
        from fairplay.conformance.run.selection import choose_cases, find_level
        from fairplay.conformance.servers.cases import CASES
        from fairplay.conformance.servers.plan import ServerOptions, make_server_plan
        from fairplay.terminal.certify_run import print_cases, show_run

        try:
            if list_:
                print_cases(choose_cases(CASES, find_level(level), only), {}, json)
                return
            if not address:
                raise UsageError("say which server: fairplay certify-server HOST:PORT")
            parse_server(address, "the server")
            authorities = str(ca) if ca else ""
            options = ServerOptions(address, level, only, known_failures, players_host, authorities, insecure)
            plan = make_server_plan(options)
        except ValueError as error:
            raise UsageError(str(error)) from None
        raise typer.Exit(show_run(lambda writers: run_here(plan, writers), report, json, junit))
