"""One game: ask a server to play it, show it, and return the exit code."""

from __future__ import annotations

import asyncio
import secrets
import shlex

from rich.markup import escape

from fairplay.client.errors import FailedError
from fairplay.client.inputs import find_game, parse_players, read_state
from fairplay.client.local import patiently, quickly
from fairplay.client.wording import describe_failure, draw_failure, draw_standing
from fairplay.player.interrupts import run
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.commands.play import GameOptions
from fairplay.terminal.playing.results import game_json
from fairplay.terminal.playing.setup import game_plan, open_channel
from fairplay.terminal.playing.summary import where_late_programs_are_shown
from fairplay.terminal.printing import make_console, open_output, write_json
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest, StopGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub


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
