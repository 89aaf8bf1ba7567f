"""One game, or the tournament of `fairplay demo`: ask a server to play it, show it, and return the exit code."""

from __future__ import annotations

import asyncio
import secrets
import shlex
import sys
import tempfile
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from rich.markup import escape

from fairplay.client.errors import FailedError
from fairplay.client.inputs import find_game, parse_players, read_state
from fairplay.client.local import open_local_channel, patiently, quickly, start
from fairplay.client.wording import describe_failure, draw_failure, draw_standing
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.server.links.program import ProgramOptions
from fairplay.server.server import Config
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.commands.parameters import Programs
from fairplay.terminal.commands.play import GameOptions
from fairplay.terminal.playing.results import game_json
from fairplay.terminal.playing.setup import game_plan, open_channel
from fairplay.terminal.playing.summary import where_late_programs_are_shown
from fairplay.terminal.playing.tournament import Details, show_tournament
from fairplay.terminal.printing import make_console, open_output, write_json
from fairplay.terminal.reports.outputs import Outputs
from fairplay.terminal.workers import parse_program_options
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest, StopGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan

PAUSE = "60ms"
START_LIMIT_S = 60.0
SOUND_COUNT = 7
MUTANTS = {"Cheater": "says-nothing", "Raiser": "raises-in-first-decision", "Sleeper": "hangs-in-first-decision"}


def play_game(options: GameOptions) -> int:
    """Play one game, show it and return the exit code. Raises FailedError if nobody is left at its end."""
    output = open_output(options.json)
    game = find_game(options.game)
    plan = game_plan(options.setup, game, parse_players(options.player), plain=True)
    if options.state is not None:
        plan.initial_state.CopyFrom(read_state(game, options.state))
    over = run(_play(options, plan))
    console = make_console(errors=options.json == "-")
    standing = draw_standing(over.result)
    console.print(f"[bold]{game.title}[/], seed {over.plan.seed}: {standing}", soft_wrap=True)
    for misconduct in over.result.misconducts:
        console.print(f"  {draw_failure(misconduct)}", soft_wrap=True)
    links = {player.name: player.link for player in plan.players}
    for line in where_late_programs_are_shown(game.name, over.result.misconducts, links):
        console.print(line, soft_wrap=True)
    if options.setup.records is not None:
        shown = escape(f"{shlex.quote(str(options.setup.records))} {over.game_id}")
        console.print(f"Look closer: fairplay records show {shown}", soft_wrap=True)
    write_json(game_json(over, [player.link for player in plan.players]), output)
    if over.result.aborted:
        return FAILED
    if not any(group.players for group in over.result.ranking):
        raise FailedError(f"nobody is left: {describe_failure(over.result.misconducts[0])}")
    return DONE


async def _play(options: GameOptions, plan: GamePlan) -> GameMessage:
    async with open_channel(options, plan.players, resume=None) as channel:
        referee = RefereeServiceStub(channel)
        game_id = f"{plan.game}-{secrets.token_hex(6)}"
        request = PlayGameRequest(game_id=game_id, plan=plan)
        try:
            reply = await patiently(channel, lambda: referee.PlayGame(request))
        except asyncio.CancelledError:
            await quickly(referee.StopGame(StopGameRequest(game_id=game_id, reason="interrupted")))
            raise
    over: GameMessage = reply.game
    return over


# --- the demo ---


def run_demo(name: str, records: Path | None, seed: int, sandbox: str, json: str | None) -> int:
    """Show the demo and return the exit code."""
    outputs = Outputs(json=json)
    outputs.prepare(has_bands=False)
    game = find_game(name)
    directory = records or Path(tempfile.mkdtemp(prefix="fairplay-demo-"))
    programs = parse_program_options(Programs(sandbox=sandbox), ["exec:"])
    return run(_run(game, directory, seed, programs, outputs))


def entrants(game: Game) -> dict[str, tuple[Player, str]]:
    """Return seven sound players with all the strategies, some serving and some dialling in, and three broken ones.

    They stand by name, each with a few words on what it is.
    """
    found = [_sound(game, number) for number in range(SOUND_COUNT)]
    for index, (name, mutant) in enumerate(MUTANTS.items()):
        link = _exec("fairplay.conformance.zoo", game.name, mutant)
        found.insert(1 + 3 * index, (Player(name=name, link=link), f"broken: {mutant}"))
    return {player.name: (player, about) for player, about in found}


def _sound(game: Game, number: int) -> tuple[Player, str]:
    strategies = list(game.strategies)
    strategy = strategies[-1 - number % len(strategies)]
    repeat = number // len(strategies) + 1
    name = strategy.capitalize() + (f"-{repeat}" if repeat > 1 else "")
    serves = number % 2 == 1
    how = ["--serve"] if serves else []
    link = _exec("fairplay.terminal", "player", game.name, "--strategy", strategy, "--pause", PAUSE, *how)
    return Player(name=name, link=link), f"strategy {strategy}, {'serves' if serves else 'dials in'}"


def _exec(module: str, *arguments: str) -> str:
    return "exec:" + shlex.join([sys.executable, "-m", module, *arguments])


async def _run(game: Game, directory: Path, seed: int, programs: ProgramOptions, outputs: Outputs) -> int:
    console = make_console(errors=outputs.json == "-")
    found = entrants(game)
    plan = TournamentPlan(
        game=game.name,
        settings=wrap(GameSettings, game, game.tournament_settings),
        sign_up=SignUpPolicy(max_entrant_count=len(found), waiting_period=Duration()),
        seed=seed,
        entrants=[player for player, _ in found.values()],
    )
    console.print(f"Starting {len(found)} players in processes of their own…")
    config = Config(records=directory, allow_exec=True, start_limit_s=START_LIMIT_S, programs=programs)
    async with open_local_channel(config) as channel:
        tournament_id = f"demo-{secrets.token_hex(4)}"
        await start(channel, plan, tournament_id)
        links = {name: player.link for name, (player, _) in found.items()}
        about = {name: sentence for name, (_, sentence) in found.items()}
        code = await show_tournament(channel, console, game, tournament_id, Details(links, about, outputs))
    shown = escape(shlex.quote(str(directory)))
    console.print(f"\nRecords: {shown}. Check them with: [bold]fairplay records verify {shown}[/]", soft_wrap=True)
    return code
