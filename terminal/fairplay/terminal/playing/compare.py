"""`fairplay compare`: play deals between two players until it is known whether one is better, and show that."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from fairplay.client.comparison import NEW, OLD, Comparison, check_players, play_deals
from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import find_game, parse_players
from fairplay.client.wording import draw_failure, harmless
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.standings.sprt import Answer, Bounds
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.commands.play import CompareOptions
from fairplay.terminal.playing.setup import game_plan, server_config
from fairplay.terminal.printing import make_console, open_output, write_json
from fairplay.terminal.roster import read_roster
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan

UNDECIDED = 3
"""The exit code of a comparison without an answer."""
CODES = {Answer.BETTER: DONE, Answer.NOT_BETTER: FAILED, Answer.UNDECIDED: UNDECIDED}
REFRESH_PER_S = 4


def compare_players(options: CompareOptions) -> int:
    """Compare two players, show the answer and return the exit code.

    Raises FailedError if games cannot be played, or neither player ever played one without failing.
    """
    output = open_output(options.json)
    game = find_game(options.game)
    plan = _plan(options, game)
    try:
        bounds = Bounds(options.elo0, options.elo1, options.error)
    except ValueError as error:
        raise UsageError(str(error)) from None
    comparison = Comparison([player.name for player in plan.players], bounds, options.games)
    console = make_console(errors=options.json == "-")
    console.print(harmless(_heading(game, plan, comparison)), soft_wrap=True)
    run(_play(options, plan, comparison, console))
    _show(console, comparison)
    if options.setup.records is not None:
        console.print(f"Look closer: fairplay records list {shlex.quote(str(options.setup.records))}", soft_wrap=True)
    write_json({"game": game.name, "seed": plan.seed, **comparison.as_json()}, output)
    if comparison.aborted:
        raise FailedError(f"games cannot be played: {comparison.aborted}")
    if {comparison.names[NEW], comparison.names[OLD]} <= set(comparison.always_failed()):
        raise FailedError("both players failed in every game: nothing can be said of them")
    return CODES[comparison.answer]


def _plan(options: CompareOptions, game: Game) -> GamePlan:
    """Return what all games share. Raises UsageError if an option cannot be read, or the players do not fit."""
    players = _players([options.new, options.old, *(options.with_ or ())], options.roster)
    check_players(game, players)
    return game_plan(options.setup, game, players, plain=options.plain)


def _players(specs: Sequence[str], roster: Path | None) -> list[Player]:
    """Return the players that are named in the roster, or given as links. Raises UsageError if one is neither."""
    listed = read_roster(roster).entrants if roster is not None else ()
    known = {entrant.name: entrant for entrant in listed}
    players = parse_players([f"{spec}={known[spec].link}" if spec in known else spec for spec in specs])
    for spec, player in zip(specs, players, strict=True):
        if spec in known:
            player.secret = known[spec].secret
    return players


# --- playing ---


async def _play(options: CompareOptions, plan: GamePlan, comparison: Comparison, console: Console) -> None:
    config = server_config(options.setup, options.cluster, plan.players, resume=None)
    with Live(console=console, refresh_per_second=REFRESH_PER_S, transient=True) as live:

        def show() -> None:
            if console.is_terminal:
                live.update(Text.from_markup(_progress(comparison)))

        await play_deals(config, plan, comparison, show, options.concurrency)


# --- showing ---


def _heading(game: Game, plan: GamePlan, comparison: Comparison) -> str:
    names = [escape(name) for name in comparison.names]
    others = f", with {', '.join(names[2:])}" if names[2:] else ""
    bounds = comparison.test.bounds
    return (
        f"[bold]{game.title}[/], seed {plan.seed}: is {names[NEW]} better than {names[OLD]}{others}? "
        f"(better by {bounds.elo1:g} Elo against {bounds.elo0:g}, wrong in {bounds.error:.3g} of all cases)"
    )


def _progress(comparison: Comparison) -> str:
    left = comparison.games_left()
    most = comparison.max_deals * len(comparison.seatings)
    return f"{_figures(comparison)}  about {min(left, most)} games more" if left is not None else _figures(comparison)


def _figures(comparison: Comparison) -> str:
    test, results = comparison.test, comparison.results
    low, high = test.interval()
    return (
        f"{comparison.game_count} games ({test.deal_count} deals): {results[1.0]} won, {results[0.5]} tied, "
        f"{results[0.0]} lost  {test.elo:+.0f} Elo ({low:+.0f} to {high:+.0f})  "
        f"log-likelihood ratio {test.ratio:+.2f} of ±{test.bounds.limit:.2f}"
    )


def _show(console: Console, comparison: Comparison) -> None:
    console.print(harmless(_figures(comparison)), soft_wrap=True)
    for misconduct in comparison.failures:
        number = comparison.names.index(misconduct.player)
        count = comparison.failed_games[number]
        console.print(f"  {draw_failure(misconduct)}  [dim](failed in {count} of {comparison.game_count} games)[/]")
    for name in comparison.always_failed():
        sentence = f"{escape(name)} failed in every game: what is compared is that, and not how well it plays."
        console.print(harmless(f"[yellow]{sentence}[/]"), soft_wrap=True)
    new, old = escape(comparison.names[NEW]), escape(comparison.names[OLD])
    words = {
        Answer.BETTER: f"[bold green]{new} is better than {old}.[/]",
        Answer.NOT_BETTER: f"[bold]{new} is not better than {old}.[/]",
        Answer.UNDECIDED: f"[yellow]Undecided[/] after the most games that were asked for; about "
        f"{comparison.games_left() or 'many'} more may decide: --games.",
    }
    console.print(harmless(words[comparison.answer]), soft_wrap=True)
