"""`fairplay certify` and `fairplay certificate`. Light: the work is imported when a command runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field
from pathlib import Path
from typing import Annotated, Any

import typer

from fairplay.conformance.options import OPTIONS, is_duration, option_name, option_text
from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import GameName

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
    kind = int if isinstance(default, int) else str if default is not None else str | None
    limits = {"min": option.metadata["min"], "max": option.metadata["max"]}
    given = typer.Option(f"--{name}", metavar=option.metadata["metavar"], help=option.metadata["help"], **limits)
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(name.replace("-", "_"), keyword, default=default, annotation=Annotated[kind, given])


@_with_options
def certify(
    game: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="The player: grpc://HOST:PORT (it serves), dial-in:NAME (it dials --listen), exec:COMMAND (started "
            "here) or bot:STRATEGY (built in).",
        ),
    ] = "",
    list_: Annotated[bool, typer.Option("--list", help="Only show the cases.")] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="DIR", help="Write a page, the certificate and the evidence here."),
    ] = None,
    json: Annotated[
        str | None, typer.Option("--json", metavar="[FILE]", help="The certificate, in a file or (-) printed.")
    ] = None,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Verdicts as JUnit XML.")] = None,
    **typed: Any,
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
        from fairplay.terminal import certify_run

        if list_:
            certify_run.show_cases(game, typed["level"], typed["only"], json)
            return
        raise typer.Exit(certify_run.certify(certify_run.build_options(game, player, typed), report, json, junit))


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
) -> None:
    """Check that a certificate is whole, and that what it says follows from its cases.

    Exit code 0: it is, and certifies its player. 1: it is damaged, or does not certify. 2: there is no such file.

    Example:

    \b
      fairplay certificate verify out/certificate.json
    """
    with outcomes():
        from fairplay.terminal.certify_verify import verify_certificate

        raise typer.Exit(verify_certificate(file, nonce, any_limits=any_limits))
