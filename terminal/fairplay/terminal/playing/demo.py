"""The tournament of `fairplay demo`, between programs of which some are broken."""

from __future__ import annotations

import secrets
import shlex
import sys
import tempfile
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from rich.markup import escape

from fairplay.client.inputs import find_game
from fairplay.client.local import open_local_channel, start
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.server.links.program import ProgramOptions
from fairplay.server.server import Config
from fairplay.terminal.commands.parameters import Programs
from fairplay.terminal.playing.tournament import Details, show_tournament
from fairplay.terminal.printing import make_console
from fairplay.terminal.reports.outputs import Outputs
from fairplay.terminal.workers import parse_program_options
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan

PAUSE = "60ms"
START_LIMIT_S = 60.0
SOUND_COUNT = 7
MUTANTS = {"Cheater": "says-nothing", "Raiser": "raises-in-first-decision", "Sleeper": "hangs-in-first-decision"}


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
