"""The command line: its commands, found by their entry points and loaded when they are asked for."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from fairplay.terminal.commands.extras import commands
from fairplay.terminal.commands.options import Command

ORDER = (
    "demo",
    "game",
    "tournament",
    "signup",
    "formats",
    "roster",
    "class",
    "standings",
    "compare",
    "games",
    "new",
    "new-game",
    "protos",
    "player",
    "bridge",
    "check",
    "certify",
    "certify-server",
    "certificate",
    "records",
    "serve",
    "tls",
    "accounts",
    "tokens",
    "invitations",
    "lobby",
    "web",
)
"""How help lists our commands: first what a newcomer tries. Others' commands follow by name."""


class Commands(TyperGroup):
    """The group of all installed commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of help."""
        return sorted(commands(), key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None if there is none of this name."""
        if cmd_name in commands() and cmd_name not in self.commands:
            self.add_command(_load(cmd_name), cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first argument names. An unknown name fails, with similar ones."""
        name = args[0]
        if name not in commands() and not name.startswith("-") and not ctx.resilient_parsing:  # as in completion
            close = " or ".join(get_close_matches(name, commands()))
            ctx.fail(f"No such command {name!r}.{f' Did you mean {close}?' if close else ''}")
        return super().resolve_command(ctx, args)


def _load(name: str) -> Any:
    try:
        found = commands()[name].load()
    except (ImportError, AttributeError) as error:
        found = _unusable(error)
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(rich_markup_mode=None, add_completion=False)
        found.command(name, cls=Command)(function)
    return typer.main.get_command(found)


def _unusable(error: Exception) -> Callable[[], None]:
    """Return a command in place of one that cannot be loaded: help goes on, and the command raises the error."""

    def command() -> None:
        raise error

    command.__doc__ = f"Cannot be loaded: {error}."
    return command


app = typer.Typer(
    name="fairplay",
    cls=Commands,
    help="Refereed games between programs written by strangers.",
    epilog="Start with: fairplay demo",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from fairplay.server import __version__

        sys.stdout.write(f"fairplay {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Refereed games between programs written by strangers."""


def main() -> None:
    """Run the command line with the arguments of the process."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what goes wrong is reported by us, in one sentence
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character is no reason to fail
    app(prog_name="fairplay")
