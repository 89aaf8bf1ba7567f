"""The commands of the suite, as the server's command line takes them in. Light: the work is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes

certificate = typer.Typer(
    help="""Look into certificates of players.

    Example:

    \b
      fairplay certificate verify certificate.json""",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


def certify(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game: see fairplay games.")],
    player: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="The player: grpc://HOST:PORT (it serves), dial-in:NAME (it dials --listen), exec:COMMAND (started "
            "here) or bot:STRATEGY (built in).",
        ),
    ] = "",
    list_: Annotated[bool, typer.Option("--list", help="Only show the cases.")] = False,
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help="must, should or all.")] = "all",
    only: Annotated[
        str,
        typer.Option("--only", metavar="PATTERN", help="Cases by id, e.g. memory, 'rules.*' or a,b; * is anything."),
    ] = "",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, max=2**64 - 1, help="The same seed, the same cases.")
    ] = 1,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="TIME", help="Time for a call, e.g. 1s. Default: the game's.")
    ] = None,
    first_limit: Annotated[
        str | None, typer.Option("--first-limit", metavar="TIME", help="Time for the first decision of a game.")
    ] = None,
    start_limit: Annotated[str, typer.Option("--start-limit", metavar="TIME", help="Time to come up.")] = "10s",
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where players dial in; port 0: any free one.")
    ] = "127.0.0.1:0",
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, max=64, help="Try so many cases at once.")] = 1,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write a page, the certificate and the evidence here."),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="[FILE]", help="The certificate, in a file or (-) printed.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Verdicts as JUnit XML.")] = None,
    known_failures: Annotated[
        Path | None, typer.Option("--known-failures", metavar="FILE", help="Ids of cases that are known to fail.")
    ] = None,
) -> None:
    """Certify a player: does it keep the rules, never fail and always answer in time?

    Exit code 0: every MUST is met. 1: not so. 2: what was typed cannot be meant.

    Examples:

    \b
      fairplay certify fish exec:./my-player --report out/
      fairplay certify fish grpc://localhost:50051 --level must --junit junit.xml
      fairplay certify fish --list
    """
    with outcomes():
        from fairplay.conformance.door import Wish, show_cases
        from fairplay.conformance.door import certify as run

        if list_:
            show_cases(game, level, only, json)
            return
        wish = Wish(game, player, level, only, seed, limit, first_limit, start_limit, listen, jobs, known_failures)
        raise typer.Exit(run(wish, report, json, junit))


@certificate.callback()
def _certificates() -> None:
    """Look into certificates of players."""


@certificate.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate that fairplay certify wrote.")],
) -> None:
    """Check that a certificate is whole, and that what it says follows from its cases.

    Exit code 0: it is, and certifies its player. 1: it is damaged, or does not certify. 2: there is no such file.

    Example:

    \b
      fairplay certificate verify out/certificate.json
    """
    with outcomes():
        from fairplay.conformance.door import verify_certificate

        raise typer.Exit(verify_certificate(file))
