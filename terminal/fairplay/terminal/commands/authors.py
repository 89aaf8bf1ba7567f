"""Commands for authors of players: games, formats, new, protos, player."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.client.errors import FailedError, UsageError
from fairplay.terminal.commands.options import argument, command, option
from fairplay.terminal.commands.parameters import Authorities, GameName, PlainJson, Tls, complete_game


@command
def games(
    name: Annotated[
        str | None,
        argument("GAME", "Only this game, in detail.", autocompletion=complete_game),
    ] = None,
    json: PlainJson = False,
) -> None:
    """Show the games: settings, strategies, time limits and rules.

    Examples:

    \b
      fairplay games
      fairplay games fish --json
    """
    from fairplay.terminal.authors.catalog import show_games

    show_games(name, json)


@command
def formats(
    name: Annotated[str | None, argument("FORMAT", "Only this format.")] = None,
    json: PlainJson = False,
) -> None:
    """Show the formats of tournaments: what they are, and their settings.

    Examples:

    \b
      fairplay formats
      fairplay formats swiss
    """
    from fairplay.terminal.authors.catalog import show_formats

    show_formats(name, json)


@command
def new(
    game: GameName,
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
    language: Annotated[
        str | None,
        option(
            "LANGUAGE",
            "Default: python; for Fish and Q another one, too. With --lines python, sh or javascript; default: each.",
            "-l",
        ),
    ] = None,
    lines: Annotated[bool, option("", "A player without gRPC, in lines of JSON: see fairplay bridge.")] = False,
) -> None:
    """Write a project with a player of your own, which certifies as it is.

    It holds a player with legal moves, its build file, a test, and a README. Change the moves.

    Examples:

    \b
      fairplay new fish my-fish
      fairplay new q --language go my-q
      fairplay new fish --lines my-lines
      fairplay new webset --lines --language javascript my-webset
    """
    from fairplay.client.inputs import find_game
    from fairplay.terminal.authors.project import write_lines, write_project

    find_game(game)
    if lines:
        write_lines(game, language, folder)
    else:
        write_project(game, language or "python", folder)
    typer.echo(f"{folder} holds a player of {game}: see {folder / 'README.md'}")


@command
def new_game(
    name: Annotated[str, argument("NAME", "The name of the game: small letters and digits.")],
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
) -> None:
    """Write a game of your own, which certifies as it is.

    It is a package with protos, rules, players, pictures, probes and mutations. Change the rules.

    Examples:

    \b
      fairplay new-game oware my-oware
    """
    from fairplay.terminal.authors.project import write_game

    write_game(name, folder)
    typer.echo(f"{folder} holds the game {name}: see {folder / 'README.md'}")


@command
def protos(
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
    stubs: Annotated[
        str | None,
        option(
            "LANGUAGE",
            "Also make stubs in DIR/gen/LANGUAGE: cpp, csharp, dart, go, java, kotlin, python, rust, swift or "
            "typescript.",
        ),
    ] = None,
) -> None:
    """Write the protos into a folder, with all that an author needs who has nothing else of Fairplay.

    Stubs are made with the generators that are installed here; if one is missing, a sentence says what to install.

    Examples:

    \b
      fairplay protos proto
      fairplay protos proto --stubs java
    """
    from fairplay.terminal.authors.protos import check_empty, find_generator, write_protos, write_stubs

    check_empty(folder)
    generator = find_generator(stubs) if stubs is not None else None
    write_protos(folder)
    if generator is not None:
        write_stubs(folder, generator)


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
    patience: Annotated[str, option("TIME", "How long to try to reach a server that is away.")] = "10m",
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
    from fairplay.player.command import Reach, reach_from, reach_player, slowed
    from fairplay.player.dialing import DialInError
    from fairplay.player.exposure import check_exposure
    from fairplay.player.interrupts import run
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
        run(reach_player(chosen, reach if listen or connect else reach_from(os.environ, serves=serve)))
    except ValueError as error:
        raise UsageError(str(error)) from None
    except DialInError as error:
        raise FailedError(str(error)) from None
