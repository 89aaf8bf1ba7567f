"""The command for programs that do not speak gRPC: bridge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairplay.client.errors import FailedError, UsageError
from fairplay.terminal.commands.options import argument, command, option
from fairplay.terminal.commands.parameters import MAX_SEED, Authorities, GameName, OptionalPlayers, RecordsPlace

if TYPE_CHECKING:
    from fairplay.player.channels import Credentials
    from fairplay.player.command import Reach

_COMMAND, _LINES, _LISTEN, _SERVE, _JOIN = "COMMAND", "--lines", "--listen", "--serve", "--join"
_DIALS_IN = (_COMMAND, _LINES, _LISTEN)
_SPEAKS = (_COMMAND, _LISTEN, _SERVE, _JOIN)
_MODES = {
    "player": (_JOIN,),
    "limit": (_JOIN,),
    "seed": (_SERVE,),
    "records": (_SERVE,),
    "report": (_SERVE,),
    "connect": _DIALS_IN,
    "name": (_COMMAND, _LINES),
    "token": _DIALS_IN,
    "ca": _DIALS_IN,
    "connections": (_COMMAND,),
    "spares": (_COMMAND,),
    "stdin": (_COMMAND, _SERVE, _JOIN),
    "any_name": _SPEAKS,
    "no_newline": _SPEAKS,
    "most": (_COMMAND,),
}
"""Option -> what it goes with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeOptions:
    """How the bridge is used, and what goes with that."""

    listen: Annotated[str | None, option("HOST:PORT", "Let programs that dial here dial in to --connect.")] = None
    serve: Annotated[
        str | None, option("[HOST:]PORT", "Be the course's server: programs that dial here play with each other.")
    ] = None
    join: Annotated[str | None, option("HOST:PORT", "Let --player play in the course's server there.")] = None
    player: OptionalPlayers = None
    limit: Annotated[str | None, option("TIME", "With --join: time of a player for a call. Default: the game's.")] = (
        None
    )
    seed: Annotated[int | None, option("N", "With --serve: same seed, same game.", min=0, max=MAX_SEED - 1)] = None
    records: RecordsPlace = None
    report: Annotated[
        Path | None, option("DIR|FILE", "With --serve: a page with results, times and evidence, in FILE.html or DIR.")
    ] = None
    connect: Annotated[str | None, option("HOST:PORT", "Dial in to this server; grpcs:// over TLS.")] = None
    name: Annotated[str | None, option("NAME", "With COMMAND: the name to dial in under, and of a course to show.")] = (
        None
    )
    token: Annotated[str, option("SECRET", "Protects the name.")] = ""
    ca: Authorities = None
    lines: Annotated[bool, option("", "COMMAND reads calls and writes answers, lines of JSON; any game.")] = False
    connections: Annotated[
        int | None, option("N", "How many connections one start of COMMAND brings. Default: 1.", min=1)
    ] = None
    spares: Annotated[
        int | None, option("N", "How many connections wait for the next game. Default: --connections.", min=1)
    ] = None
    stdin: Annotated[
        Path | None,
        option(
            "[FILE]",
            "What COMMAND, or the course's server (--serve) or clients (--join: the players), reads from its standard "
            "input; not with COMMAND, without FILE: your own.",
        ),
    ] = None
    any_name: Annotated[bool, option("", "Let programs sign up with any name.")] = False
    no_newline: Annotated[bool, option("", "Write no newline behind values, for readers that choke on it.")] = False
    most: Annotated[int | None, option("N", "How many games are kept open at a time. Default: 48.", min=1)] = None


@command
def bridge(
    game: GameName,
    options: BridgeOptions,
    words: Annotated[
        list[str] | None,
        argument("[-- COMMAND...]", "Starts programs that dial port {port} of this machine, as the course's server."),
    ] = None,
) -> int:
    """Let programs play that do not speak gRPC: they speak lines of JSON, or a course's protocol, JSON over TCP.

    With COMMAND the bridge is a player: the programs that it starts answer for it. Started by a server (exec:), it
    finds where to go in its environment. With --listen, whoever signs up there dials in to a server under its name.
    With --serve it is the course's server: it waits for programs, plays with them and prints what that prints. With
    --join players of any kind sign up in such a server.
    Exit code 1: a program did not sign up, too few did, or nobody is left; a player did not get to its end.

    Examples:

    \b
      fairplay game fish -p bot:greedy -p "exec:fairplay bridge fish --lines -- python player.py"
      fairplay game q -p bot:greedy -p "exec:fairplay bridge q -- ./xclient {port}"
      fairplay bridge q --serve 45678 --stdin config.json --records games --report report.html
      fairplay bridge q --join 127.0.0.1:45678 --player bot:dag --player ann=exec:./my-player
      fairplay bridge fish --listen 127.0.0.1:45678 --connect 127.0.0.1:50050
    """
    import logging
    import os

    from fairplay.bridge.player import MOST_GAMES
    from fairplay.bridge.pool import ProgramError, Settings
    from fairplay.bridge.run import bring_in, run_lines, run_programs
    from fairplay.client.inputs import find_game, parse_host_and_port, parse_server
    from fairplay.games.kit.course import find_face
    from fairplay.player.channels import TOKEN_VARIABLE, Credentials
    from fairplay.player.dialing import DialInError
    from fairplay.player.handlers import CallFailed
    from fairplay.player.interrupts import run

    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    played = find_game(game)
    face = find_face(game)
    listen, connect = options.listen, options.connect
    if sum(map(bool, (words, listen, options.serve, options.join))) != 1 or (options.lines and not words):
        raise UsageError(
            "give one of -- COMMAND..., --listen HOST:PORT, --serve PORT and --join HOST:PORT, with --lines a COMMAND"
        )
    if face is None and not options.lines:
        raise UsageError(f"{game} has no course whose protocol could be spoken: give --lines")
    _check_options(options)
    pattern = "(?s).*" if options.any_name else played.sign_up.name_pattern
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FAIRPLAY_")}
    if options.serve is not None or options.join is not None:
        from fairplay.terminal.playing.course import take_part

        assert face is not None
        return take_part(played, face, options, pattern)
    if connect is not None:
        parse_server(connect, "--connect")
    try:
        credentials = Credentials.from_environment(os.environ, options.ca)
        if words and options.lines:
            run(run_lines(played, words, environment, _find_reach(options, credentials)))
        elif listen:
            assert face is not None
            if not connect:
                raise UsageError("--listen needs --connect HOST:PORT: whoever signs up dials in there")
            run(
                bring_in(
                    played,
                    face,
                    parse_host_and_port(listen, "--listen"),
                    connect,
                    options.token or os.environ.get(TOKEN_VARIABLE, ""),
                    credentials,
                    pattern,
                    newline=not options.no_newline,
                    ready=lambda port: typer.echo(f"programs sign up on port {port}"),
                )
            )
        else:
            assert words and face is not None
            _check_command(words, options.stdin)
            settings = Settings(
                command=words,
                connections=options.connections or 1,
                spares=options.spares or options.connections or 1,
                stdin=options.stdin,
                name_pattern=pattern,
                newline=not options.no_newline,
                grows=not face.is_tournament,
            )
            run(
                run_programs(
                    played,
                    face,
                    settings,
                    environment,
                    _find_reach(options, credentials),
                    options.name,
                    options.most or MOST_GAMES,
                )
            )
    except ValueError as error:
        raise UsageError(str(error)) from None
    except CallFailed as error:
        raise FailedError(error.message) from None
    except (DialInError, ProgramError) as error:
        raise FailedError(str(error)) from None
    return 0


def _check_options(options: BridgeOptions) -> None:
    """Raise UsageError if an option was given that does not go with the way in which the bridge is used."""
    given = ((_LINES, options.lines), (_LISTEN, options.listen), (_SERVE, options.serve), (_JOIN, options.join))
    mode = next((name for name, is_given in given if is_given), _COMMAND)
    for each in fields(options):
        modes = _MODES.get(each.name, (mode,))
        if getattr(options, each.name) != each.default and mode not in modes:
            flag = f"--{each.name.replace('_', '-')}"
            raise UsageError(f"{flag} does not go with {mode}: it goes with {' or '.join(modes)}")


def _check_command(words: Sequence[str], stdin: Path | None) -> None:
    if not any("{port}" in word for word in words):
        raise UsageError("COMMAND must say where its port stands, {port}: the program dials it")
    if str(stdin) == "-":
        raise UsageError("--stdin needs a FILE with COMMAND, which may be started several times")


def _find_reach(options: BridgeOptions, credentials: Credentials | None) -> Reach:
    """Return how a bridge with a command is reached: by --connect, or as the server wants that has started it."""
    import os

    from fairplay.player.command import Reach, reach_from

    if options.connect:
        return Reach(connect=options.connect, name=options.name, token=options.token, credentials=credentials)
    if "FAIRPLAY_CONNECT" not in os.environ:
        raise UsageError("a server starts the bridge, as exec:COMMAND; else give --connect HOST:PORT and --name NAME")
    return reach_from(os.environ)
