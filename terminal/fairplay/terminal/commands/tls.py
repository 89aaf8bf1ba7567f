"""`fairplay tls`. Light: the work is imported when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.commands.options import argument, command, option

app = typer.Typer(
    help="""Make certificates for trials and classrooms.

    Example:

    \b
      fairplay tls new tls --host class.example.org""",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
Directory = Annotated[Path, argument("DIR", "The folder of the authority.")]
Days = Annotated[int, option("N", "How long the certificate is valid.", min=1, max=3_650)]


@app.callback()
def _tls() -> None:
    """Make certificates for trials and classrooms."""


@app.command()
@command
def new(
    directory: Directory,
    host: Annotated[
        list[str] | None,
        option("NAME", "A name or address of the server; repeatable. Default: localhost."),
    ] = None,
    days: Days = 365,
) -> None:
    """Make an authority and, signed by it, the certificate of a server.

    The folder gets ca.pem, which you give to everybody, and ca-key.pem, server.pem and server-key.pem, which you keep.
    Files that are there already are never overwritten.

    Examples:

    \b
      fairplay tls new tls --host class.example.org --host 192.0.2.7
      fairplay serve --tls tls/server.pem tls/server-key.pem
      FAIRPLAY_CA=tls/ca.pem fairplay game fish --server class.example.org:50050 -p bot:greedy -p bot:random
    """
    from fairplay.terminal.operator.authority import make_authority, make_server

    make_authority(directory, days)
    hosts = host or ["localhost", "127.0.0.1", "::1"]
    make_server(directory, hosts, days)
    typer.echo(f"{directory} holds a certificate for {', '.join(hosts)}; give {directory / 'ca.pem'} to callers")


@app.command()
@command
def client(
    directory: Directory,
    name: Annotated[str, argument("NAME", "The name in the certificate.")],
    days: Days = 365,
) -> None:
    """Make the certificate of a caller, NAME.pem and NAME-key.pem, for servers with --tls-client-ca.

    Example:

    \b
      fairplay tls client tls alice
    """
    from fairplay.terminal.operator.authority import make_client

    make_client(directory, name, days)
    typer.echo(f"{directory} holds {name}.pem and {name}-key.pem: {name} names them in FAIRPLAY_CERT and FAIRPLAY_KEY")
