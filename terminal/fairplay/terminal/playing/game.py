"""One game: ask a server to play it, show it, and return how the command ends."""

from __future__ import annotations

import asyncio
import secrets
import shlex

from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError
from fairplay.client.inputs import find_game
from fairplay.client.misconducts import describe_first_cause, draw_failure, draw_standing
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.terminal.commands.game import GameOptions
from fairplay.terminal.commands.outcomes import DONE, FAILED
from fairplay.terminal.playing.channels import open_channel, patiently, quickly
from fairplay.terminal.playing.plans import game_plan
from fairplay.terminal.playing.results import game_json
from fairplay.terminal.printing import make_console, open_output, write_json
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest, StopGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub


def play_game(options: GameOptions) -> int:
    """Play one game, show it and return the exit code. Raises FailedError if nobody is left at its end."""
    output = open_output(options.json)
    game = find_game(options.game)
    plan = game_plan(options, game)
    over = run(_play(options, plan))
    console = make_console(errors=options.json == "-")
    _show(console, game, over)
    if options.setup.records is not None:
        shown = escape(f"{shlex.quote(str(options.setup.records))} {over.game_id}")
        console.print(f"Look closer: fairplay records show {shown}", soft_wrap=True)
    write_json(game_json(over), output)
    if over.result.aborted:
        return FAILED
    if not any(group.players for group in over.result.ranking):
        raise FailedError(f"nobody is left: {describe_first_cause(over.result.misconducts[0])}")
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


def _show(console: Console, game: Game, over: GameMessage) -> None:
    standing = draw_standing(over.result)
    console.print(f"[bold]{game.title}[/], seed {over.plan.seed}: {standing}", soft_wrap=True)
    for misconduct in over.result.misconducts:
        console.print(f"  {draw_failure(misconduct)}", soft_wrap=True)
