"""The course's server and its clients, as commands: `fairplay bridge GAME --serve` and `--join`."""

from __future__ import annotations

import json
import secrets
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import typer
from rich.console import Console
from rich.markup import escape

from fairplay.bridge.joining import Joined, Joining, join
from fairplay.bridge.serving import CourseServer, Played, TooFewError
from fairplay.bridge.stream import Decoder
from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_host_and_port, parse_players, parse_seconds
from fairplay.client.plans import drawn_seed
from fairplay.client.results import played_game
from fairplay.client.wording import counted, describe_failure, draw_failure, draw_standing
from fairplay.games.game import Game
from fairplay.games.kit.course import Config, Face, read_name
from fairplay.games.kit.testdata import Json
from fairplay.player.interrupts import run
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock, Link
from fairplay.server.links.secrets import take_secret
from fairplay.server.links.ways import Ways
from fairplay.server.records.place import Place, at
from fairplay.server.server import Config as ServerConfig
from fairplay.server.server import Server
from fairplay.terminal.commands.bridge import BridgeOptions
from fairplay.terminal.commands.options import DONE
from fairplay.terminal.playing.results import game_json
from fairplay.terminal.printing import make_console, say
from fairplay.terminal.records.overview import show_time
from fairplay.terminal.records.sources import Source, open_source
from fairplay.terminal.reports.build import Findings, failure_of
from fairplay.terminal.reports.event import Event
from fairplay.terminal.reports.outputs import Outputs, read_games, rebuild_tournament, show_tournament
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.tournament_pb2 import RoundGame, Standing

Read = TypeVar("Read")


def take_part(game: Game, face: Face, options: BridgeOptions, name_pattern: str) -> int:
    """Be the course's server, or join one, and return the exit code. Raises UsageError if an option makes no sense."""
    if options.serve is not None:
        address = options.serve if ":" in options.serve else f"127.0.0.1:{options.serve}"
        return _serve_course(game, face, options, name_pattern, parse_host_and_port(address, "--serve"))
    assert options.join is not None
    if not options.player and options.stdin is None:
        raise UsageError("--join needs --player [NAME=]LINK, or --stdin FILE: who is to sign up")
    return _join_course(game, face, options, name_pattern, parse_host_and_port(options.join, "--join"))


def _serve_course(game: Game, face: Face, options: BridgeOptions, name_pattern: str, address: tuple[str, int]) -> int:
    """Play with the programs that sign up, print what the course's server prints, and return the exit code.

    Raises FailedError if too few sign up, or nobody is left at the end.
    """
    config = _read_config(game, face, options.stdin)
    outputs = Outputs(report=options.report)
    outputs.prepare(has_bands=False)
    with tempfile.TemporaryDirectory(prefix="fairplay-bridge-") as directory:
        place = options.records or at(Path(directory))
        return _serve(game, face, config, options, name_pattern, address, place, outputs)


def _serve(
    game: Game,
    face: Face,
    config: Config,
    options: BridgeOptions,
    name_pattern: str,
    address: tuple[str, int],
    place: Place,
    outputs: Outputs,
) -> int:
    console = make_console(errors=True)
    record_id = f"{game.name}-{secrets.token_hex(6)}"

    def tell(sentence: str) -> None:
        say(console, escape(sentence))

    async def play() -> Played:
        server = await Server.start(ServerConfig(records=place, resume=None))
        try:
            seed = drawn_seed(options.seed)
            course = CourseServer(server, game, face, config, seed, record_id, tell)
            host, port = address
            return await course.run(
                host,
                port,
                name_pattern,
                lambda bound: tell(f"Programs sign up on port {bound}."),
                newline=not options.no_newline,
            )
        except OSError as error:
            raise FailedError(f"port {address[1]} cannot be listened on: {error.strerror or error}") from None
        finally:
            await server.stop()

    try:
        played = run(play())
    except TooFewError as error:
        typer.echo(json.dumps(face.result((), ())))
        raise FailedError(str(error)) from None
    typer.echo(json.dumps(face.result(played.winners, played.failed)))
    with open_source(place) as source:
        if played.game is None:
            show_tournament(source, rebuild_tournament(source, record_id), outputs, console)
        else:
            _show_game(source, played.game, game, outputs, console)
    if options.records is not None:
        shown = escape(f"{shlex.quote(str(options.records))} {record_id}")
        say(console, f"Look closer: fairplay records show {shown}")
    if played.aborted:
        raise FailedError(played.aborted)
    if not played.winners and played.misconducts:
        raise FailedError(f"nobody is left: {describe_failure(played.misconducts[0])}")
    return DONE


def _read_config(game: Game, face: Face, file: Path | None) -> Config:
    """Return what the input of the course's server says; without one it is the game with its defaults."""
    if file is None:
        return Config(game.settings_type())
    config = _read_input(file, face.config)
    if config.state is not None:
        try:
            game.check_state(config.settings, config.state)
        except ValueError as error:
            raise UsageError(f"--stdin: {error}") from None
    return config


def _read_input(file: Path, read: Callable[[Sequence[Json]], Read]) -> Read:
    """Return what the values in a file mean. Raises UsageError if it cannot be read, or `read` says what is wrong."""
    try:
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        decoder = Decoder()
        return read([*decoder.feed(data), *decoder.finish()])
    except OSError as error:
        raise UsageError(f"--stdin: {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"--stdin: {error}") from None


def _show_game(source: Source, over: GameMessage, game: Game, outputs: Outputs, console: Console) -> None:
    """Show a game, and write the report that is wanted of it."""
    console.print(f"[bold]{game.title}[/], seed {over.plan.seed}: {draw_standing(over.result)}", soft_wrap=True)
    for misconduct in over.result.misconducts:
        console.print(f"  {draw_failure(misconduct)}", soft_wrap=True)
    findings = Findings()
    if outputs.reads_records:
        read_games(source, [over.game_id], findings)
    for file in outputs.write(
        _event(over, game, findings), game_json(over, [player.link for player in over.plan.players])
    ):
        console.print(f"Look closer: {escape(str(file))}", soft_wrap=True)


def _event(over: GameMessage, game: Game, findings: Findings) -> Event:
    """Return what a report shows of one game: an event in which there is no other."""
    result, names = over.result, [player.name for player in over.plan.players]
    failures = [failure_of(each, over.game_id) for each in result.misconducts]
    return Event(
        tournament_id=over.game_id,
        title="",
        game_title=game.title,
        format_title="one game",
        facts=[
            ("Game", game.title),
            ("Players", str(len(names))),
            ("Seed", str(over.plan.seed)),
            ("Began", show_time(over.start_time)),
            ("Ended", show_time(over.end_time)),
            ("Id", over.game_id),
        ],
        status="cancelled" if result.aborted else "finished",
        reason=result.aborted,
        winners=[one.name for group in result.ranking[:1] for one in group.players],
        standings=_standings(over, [each.name for each in failures]),
        games=[played_game(RoundGame(game_id=over.game_id, round_number=1, players=names, result=result))],
        failures=[findings.evidence.get((each.name, each.game_id), each) for each in failures],
        times=findings.times(),
        timed_game_count=findings.timed_game_count,
    )


def _standings(over: GameMessage, failed: Sequence[str]) -> list[Standing]:
    """Return the ranking of one game, those behind it that were eliminated."""
    lines = list[Standing]()
    for number, group in enumerate(over.result.ranking):
        place, alone, first = len(lines) + 1, len(group.players) == 1, number == 0
        for player in group.players:
            line = Standing(place=place, name=player.name, game_count=1, loss_count=int(not first))
            line.win_count, line.tie_count = int(first and alone), int(first and not alone)
            lines.append(line)
    for name in failed:
        lines.append(Standing(place=len(lines) + 1, name=name, game_count=1, loss_count=1, failure_count=1))
    return lines


# --- our players in the server of a course ---


def _join_course(game: Game, face: Face, options: BridgeOptions, name_pattern: str, address: tuple[str, int]) -> int:
    """Play in the server of a course, and return the exit code. Raises FailedError if a player did not get to its end.

    Raises UsageError if a player is none, or its name none for the course.
    """
    clients = [] if options.stdin is None else _read_input(options.stdin, face.clients)
    players = parse_players([*(options.player or ()), *(f"{name}=bot:{strategy}" for name, strategy in clients)])
    for player in players:
        try:
            read_name(player.name, name_pattern)
        except ValueError as error:
            raise UsageError(f"--player: {error}; give NAME=LINK") from None
    limit_s = None if options.limit is None else parse_seconds(options.limit, "--limit")
    joining = Joining(
        game=game, face=face, host=address[0], port=address[1], limit_s=limit_s, newline=not options.no_newline
    )
    joined = run(_join(joining, players))
    console = make_console()
    for each in joined:
        said = "" if each.won is None else ", won" if each.won else ", did not win"
        problem = f"[red]: {escape(each.problem)}[/]" if each.problem else ""
        say(console, f"{each.name}: {counted(each.call_count, 'call')}{said}{problem}")
    problems = [f"{each.name}: {each.problem}" for each in joined if each.problem]
    if problems:
        raise FailedError(problems[0])
    return DONE


async def _join(joining: Joining, players: Sequence[Player]) -> list[Joined]:
    clock = Clock()
    programs, links = Ways(allow_exec=True).open(Hub(clock), clock)
    opened = list[Link]()
    try:
        for player in players:
            links.check(player, joining.game, "player")
            opened.append(await links.open(player, joining.game, take_secret(player, "player")))
        named = [(player.name, link) for player, link in zip(players, opened, strict=True)]
        return await join(joining, named)
    except OSError as error:
        raise FailedError(f"{joining.host}:{joining.port} cannot be reached: {error.strerror or error}") from None
    finally:
        for link in opened:
            await link.close()
        await programs.close()
