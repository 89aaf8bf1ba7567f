"""`fairplay certify` and `fairplay certificate`. Light: the work is imported when a command runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field
from pathlib import Path
from typing import Annotated, Any

import typer

from fairplay.client.errors import UsageError
from fairplay.conformance.run.options import OPTIONS, is_duration, option_name, option_text
from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import GameName, Ship, WhenLost

certificate = typer.Typer(
    help="""Look into certificates of players.

    Example:

    \b
      fairplay certificate verify certificate.json""",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the suite in place of its `**typed`, and return it."""
    own = inspect.signature(command, eval_str=True)
    parameters = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    parameters += map(_parameter, OPTIONS)
    command.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _parameter(option: Field[Any]) -> inspect.Parameter:
    name, default = option_name(option), option.default
    if is_duration(option) and default is not None:
        default = option_text(option, default)
    kind = type(default) if isinstance(default, int) else str if default is not None else str | None
    limits = {"min": option.metadata["min"], "max": option.metadata["max"]}
    given = typer.Option(
        f"--{name}", metavar=option.metadata["metavar"] or None, help=option.metadata["help"], **limits
    )
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name.replace("-", "_"), keyword, default=default, annotation=Annotated[kind, given])


@_with_options
def certify(
    game: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="The player: grpc://HOST:PORT (it serves; grpcs:// over TLS), dial-in:NAME (it dials --listen), "
            "exec:COMMAND (started here) or bot:STRATEGY (built in).",
        ),
    ] = "",
    roster: Annotated[
        Path | None,
        typer.Option("--roster", metavar="FILE", help="Certify every player of a roster: see fairplay roster."),
    ] = None,
    at_once: Annotated[
        int | None,
        typer.Option(
            "--at-once",
            metavar="N",
            min=1,
            max=1024,
            help="With --roster: players at a time. Default: half the cores; with --jobs or --cluster, all of them.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="With --roster: certify on a cluster of Ray, HOST:PORT; auto: the one of this machine.",
        ),
    ] = None,
    when_lost: WhenLost = "wait",
    ship: Ship = False,
    list_: Annotated[bool, typer.Option("--list", help="Only show the cases.")] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write a page, the certificate and the evidence here."),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="[FILE]", help="The certificate, in a file or (-) printed.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Verdicts as JUnit XML.")] = None,
    sign: Annotated[
        Path | None,
        typer.Option("--sign", metavar="KEY", help="Sign the certificate: see fairplay certificate keys."),
    ] = None,
    **typed: Any,
) -> None:
    """Certify a player: does it keep the rules, never fail and always answer in time?

    Exit code 0: every MUST is met, with --roster by every player. 1: not so. 2: what was typed cannot be meant.

    Examples:

    \b
      fairplay certify fish exec:./my-player --report out/
      fairplay certify fish grpc://localhost:50051 --level must --junit junit.xml
      fairplay certify fish --roster roster.toml --report out/
      fairplay certify fish --roster roster.toml --report out/ --jobs 4
      fairplay certify fish --list
    """
    with outcomes():
        from fairplay.terminal import certify_run

        if list_:
            certify_run.show_cases(game, typed["level"], typed["only"], json)
            return
        if sign is not None and (roster is not None or (report is None and json is None)):
            raise UsageError("--sign is for the certificate of one player: give --json FILE or --report DIR, too")
        if roster is not None:
            if player:
                raise UsageError("give either one player or --roster")
            if junit is not None:
                raise UsageError("--junit is for one player: with --roster, --report DIR writes a file for each")
            raise typer.Exit(_certify_roster(game, roster, typed, at_once, cluster, when_lost, ship, report, json))
        if cluster is not None or when_lost != "wait" or ship:
            raise UsageError("--cluster, --when-lost and --ship are for --roster: one player is judged on this machine")
        if at_once is not None:
            raise UsageError("--at-once is for --roster: --jobs says how many cases of one player are judged at once")
        options = certify_run.build_options(game, player, typed)
        raise typer.Exit(certify_run.certify(options, report, json, junit, sign))


def _certify_roster(
    game: str,
    file: Path,
    typed: dict[str, Any],
    at_once: int | None,
    cluster: str | None,
    when_lost: str,
    ship: bool,
    report: Path | None,
    json: str | None,
) -> int:
    from fairplay.terminal.certify_roster import certify_roster
    from fairplay.terminal.clusters import parse_cluster
    from fairplay.terminal.rosters.reading import read_roster

    roster = read_roster(file)
    links = [entrant.link for entrant in roster.entrants]
    written = [report] if report is not None else []
    options = parse_cluster(typed["jobs"], cluster, when_lost, links, ship=ship, written=written)
    return certify_roster(game, roster, typed, at_once, options, report, json)


@certificate.callback()
def _certificates() -> None:
    """Look into certificates of players."""


@certificate.command()
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A certificate that fairplay certify wrote.")],
    nonce: Annotated[
        str, typer.Option("--nonce", metavar="TEXT", help="The word with which the player was to be certified.")
    ] = "",
    any_limits: Annotated[
        bool, typer.Option("--any-limits", help="Accept longer time limits than those of the game.")
    ] = False,
    trusted: Annotated[
        Path | None,
        typer.Option("--trusted", metavar="KEYS", help="Accept only what one of the keys in this file has signed."),
    ] = None,
    program: Annotated[
        Path | None, typer.Option("--program", metavar="FILE", help="The program that must be the one certified.")
    ] = None,
) -> None:
    """Check that a certificate is whole, that what it says follows from its cases, and who has signed it.

    Exit code 0: it is, and certifies its player. 1: it is damaged, or does not certify. 2: there is no such file.

    Example:

    \b
      fairplay certificate verify out/certificate.json
      fairplay certificate verify out/certificate.json --trusted keys.txt --program ./my-player
    """
    with outcomes():
        from fairplay.terminal.certify_verify import verify_certificate

        raise typer.Exit(verify_certificate(file, nonce, any_limits=any_limits, trusted=trusted, program=program))


@certificate.command()
def keys(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file for the key; keep it to yourself.")],
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Your name, for those who trust the key.")] = "",
) -> None:
    """Make a key to sign certificates with, and print the line with which others trust it.

    If the file holds a key already, its line is printed again.

    Examples:

    \b
      fairplay certificate keys key.pem --name "Prof. Example" > keys.txt
      fairplay certify fish exec:./my-player --json certificate.json --sign key.pem
    """
    with outcomes():
        from fairplay.terminal.certify_verify import show_key

        show_key(file, name)
