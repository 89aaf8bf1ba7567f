"""The end of a tournament: its bracket, its ranking, and who was eliminated in which call and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.misconducts import describe_cause, draw_standing, name_method
from fairplay.v1.tournament_pb2 import Tournament, TournamentStatus


def summarize(tournament: Tournament, about: Mapping[str, str]) -> Iterable[RenderableType]:
    """Yield what is shown at the end of a tournament; `about` says what each player is, by name."""
    if tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        yield f"[yellow]The tournament was cancelled: {escape(tournament.reason)}[/]"
        return
    if tournament.rounds:
        yield _bracket(tournament)
    yield _ranking(tournament, about)
    if tournament.result.failures:
        yield _failures(tournament)


def _bracket(tournament: Tournament) -> Table:
    table = Table(title="Bracket", title_justify="left", show_lines=False)
    for column in ("Round", "Game", "Players", "Result"):
        table.add_column(column)
    for number, round_ in enumerate(tournament.rounds, start=1):
        for index, game in enumerate(round_.games):
            players = ", ".join(escape(name) for name in game.players)
            table.add_row(str(number) if index == 0 else "", str(index + 1), players, draw_standing(game.result))
        table.add_section()
    return table


def _ranking(tournament: Tournament, about: Mapping[str, str]) -> Table:
    result = tournament.result
    table = Table(title="Ranking", title_justify="left", show_header=False)
    for _ in ("word", "name", "ending"):
        table.add_column(no_wrap=True)
    table.add_column()  # the only column that may be cut
    rounds = _last_rounds(tournament)
    for name in result.winners:
        ending = f"won round {rounds[name]}" if name in rounds else "left alone"
        table.add_row("[bold green]winner[/]", f"[bold]{escape(name)}[/]", ending, _text(about, name))
    for name in result.others:
        table.add_row("", escape(name), f"lost in round {rounds[name]}", _text(about, name))
    for failure in result.failures:
        name = failure.misconduct.player
        table.add_row("[red]out[/]", escape(name), f"failed in {name_method(failure.misconduct)}", _text(about, name))
    return table


def _last_rounds(tournament: Tournament) -> dict[str, int]:
    """Return the number of the last round that each player played, by name."""
    numbered = enumerate(tournament.rounds, start=1)
    return {name: number for number, round_ in numbered for game in round_.games for name in game.players}


def _text(about: Mapping[str, str], name: str) -> Text:
    return Text(about[name].translate(UNPRINTABLE), no_wrap=True, overflow="ellipsis")


def _failures(tournament: Tournament) -> Table:
    table = Table(title="Eliminated", title_justify="left", show_lines=True)
    for column in ("Player", "Where", "In which call", "Why"):
        table.add_column(column, overflow="fold")
    for failure in tournament.result.failures:
        misconduct = failure.misconduct
        where = failure.game_id.rpartition("/")[2] or "tournament"
        call = f"{name_method(misconduct)}, call {misconduct.call_number}"
        table.add_row(escape(misconduct.player), escape(where), call, escape(describe_cause(misconduct)))
    return table
