"""`fairplay demo`: a tournament between ten players in processes of their own, three of them broken."""

from __future__ import annotations

import secrets
import shlex
import sys
import tempfile
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from rich.console import Console
from rich.markup import escape

from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.server.server import Config
from fairplay.terminal.options import game as find_game
from fairplay.terminal.outcomes import DONE, FAILED
from fairplay.terminal.playing import check_json, local_channel, started, watch_tournament, write_json
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan, TournamentStatus

PAUSE = "60ms"
START_LIMIT_S = 60.0
SOUND_COUNT = 7
FAULTS = {"Cheater": "says-nothing", "Raiser": "raises-in-first-decision", "Sleeper": "hangs-in-first-decision"}


def run_demo(name: str, records: Path | None, seed: int, json: str | None) -> int:
    """Shows the demo; returns the exit code."""
    check_json(json)
    game = find_game(name)
    directory = records or Path(tempfile.mkdtemp(prefix="fairplay-demo-"))
    return run(_run(game, directory, seed, json))


def entrants(game: Game) -> list[Player]:
    """Seven sound players with all the strategies, some serving and some dialling in, and three broken ones."""
    strategies = list(game.strategies)
    found = []
    for number in range(SOUND_COUNT):
        strategy = strategies[-1 - number % len(strategies)]
        repeat = number // len(strategies) + 1
        name = strategy.capitalize() + (f"-{repeat}" if repeat > 1 else "")
        arguments = [
            "player",
            game.name,
            "--strategy",
            strategy,
            "--pause",
            PAUSE,
            *(["--serve"] if number % 2 else []),
        ]
        found.append(Player(name=name, link=_exec("fairplay.terminal", *arguments)))
    for index, (name, fault) in enumerate(FAULTS.items()):
        link = _exec("fairplay.conformance.zoo", game.name, fault)
        found.insert(1 + 3 * index, Player(name=name, link=link))
    return found


def _exec(module: str, *arguments: str) -> str:
    return "exec:" + shlex.join([sys.executable, "-m", module, *arguments])


async def _run(game: Game, directory: Path, seed: int, json: str | None) -> int:
    console = Console(stderr=json == "-", highlight=False)
    players = entrants(game)
    plan = TournamentPlan(
        game=game.name,
        settings=wrap(GameSettings, game, game.showcase),
        sign_up=SignUpPolicy(max_entrant_count=len(players), waiting_period=Duration()),
        seed=seed,
        entrants=players,
    )
    console.print(f"Starting {len(players)} players in processes of their own…")
    config = Config(records=directory, allow_exec=True, start_limit_s=START_LIMIT_S)
    async with local_channel(config) as channel:
        tournament = await started(channel, plan, f"demo-{secrets.token_hex(4)}")
        over = await watch_tournament(channel, console, game, tournament)
    if json is not None:
        write_json(over.result, json)
    shown = escape(shlex.quote(str(directory)))
    console.print(f"\nRecords: {shown}. Check them with: [bold]fairplay records verify {shown}[/]", soft_wrap=True)
    return DONE if over.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED else FAILED
