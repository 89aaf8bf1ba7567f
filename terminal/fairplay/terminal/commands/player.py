"""`fairplay player`."""

from __future__ import annotations

from typing import Annotated

from fairplay.client.errors import FailedError, UsageError
from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import Authorities, GameName, Tls


@command
def player(
    game: GameName,
    strategy: Annotated[str, option("NAME", "See fairplay games.", "-s")] = "first",
    listen: Annotated[str | None, option("HOST:PORT", "Serve on this address.")] = None,
    connect: Annotated[str | None, option("HOST:PORT", "Dial in to this server; grpcs:// over TLS.")] = None,
    tls: Tls = None,
    insecure: Annotated[bool, option("", "Let other machines in without TLS and FAIRPLAY_SECRET.")] = False,
    ca: Authorities = None,
    serve: Annotated[bool, option("", "Serve where the server that starts this says (exec:).")] = False,
    name: Annotated[str | None, option("NAME", "The name to dial in under.")] = None,
    token: Annotated[str, option("SECRET", "Protects the name.")] = "",
    patience: Annotated[str, option("TIME", "How long to try to reach the server.")] = "30s",
    resume: Annotated[str, option("TIME", "How long games wait for a lost connection to come back.")] = "30s",
    pause: Annotated[str, option("TIME", "Take at least so long to answer, for people to follow.")] = "0s",
) -> None:
    """Run a reference player until Ctrl-C, or until the server says goodbye.

    Started by a server (exec:), it finds where to go in its environment and needs neither --listen nor --connect.

    Examples:

    \b
      fairplay player fish --strategy minimax --listen 127.0.0.1:50051
      fairplay player fish --strategy greedy --connect host:50050 --name alice
    """
    import logging
    import os

    from fairplay.client.inputs import find_game, parse_address, parse_seconds, parse_server
    from fairplay.player.channels import Credentials
    from fairplay.player.command import Reach, reach_from, run_player, slowed
    from fairplay.player.dialing import DialInError
    from fairplay.player.exposure import check_exposure
    from fairplay.player.secrets import SECRET_VARIABLE, secret_from
    from fairplay.player.tls import TlsFiles

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        chosen: object = find_game(game).player(strategy)
        if pause_s := parse_seconds(pause, "--pause"):
            chosen = slowed(chosen, pause_s)
        if listen is not None:
            needed = {"--tls CERT KEY": tls is not None, SECRET_VARIABLE: bool(secret_from(os.environ))}
            check_exposure(parse_address(listen, "--listen"), needed, insecure=insecure)
        if connect is not None:
            parse_server(connect, "--connect")
        patience_s, resume_s = parse_seconds(patience, "--patience"), parse_seconds(resume, "--resume")
        reach = Reach(
            listen,
            connect,
            name,
            token,
            patience_s,
            resume_s,
            tls=TlsFiles(*tls) if tls is not None else None,
            credentials=Credentials.from_environment(os.environ, ca),
        )
        run_player(chosen, reach if listen or connect else reach_from(os.environ, serves=serve))
    except ValueError as error:
        raise UsageError(str(error)) from None
    except DialInError as error:
        raise FailedError(str(error)) from None
