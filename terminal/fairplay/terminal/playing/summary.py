"""The end of a tournament: its bracket or standings, and who was eliminated in which call and why."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fairplay.client.results import band_warning, meetings, played_game
from fairplay.client.wording import cut, describe_cause, draw_standing, name_method
from fairplay.formats.format import chosen
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    Standings,
    Tournament,
    TournamentFailure,
    TournamentFormat,
    TournamentStatus,
)

MAX_BRACKET_GAMES = 60
MAX_CROSS = 12
"""With more entrants a cross table does not fit a terminal."""
MAX_FAILURES = 40
MAX_WHY_CHARS = 200


def summarize(
    tournament: Tournament, games: Sequence[RoundGame], standings: Standings, about: Mapping[str, str]
) -> Iterable[RenderableType]:
    """Yield what is shown at the end of a tournament; `about` says what each player is, by name."""
    if tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        yield f"[yellow]The tournament was cancelled: {escape(tournament.reason)}[/]"
        return
    if is_league(tournament.plan.format):
        yield standings_table(standings)
        if warning := band_warning(standings.standings):
            yield f"[yellow]{warning}[/]"
        if 1 < len(standings.standings) <= MAX_CROSS and games:
            yield _cross_table(games, [each.name for each in standings.standings])
        yield from _league_failures(games, tournament.result.failures)
        return
    if games and len(games) <= MAX_BRACKET_GAMES:
        yield _bracket(games)
    yield _ranking(tournament, games, about)
    if tournament.result.failures:
        yield _failures(tournament.result.failures)


def where_late_programs_are_shown(game: str, failed: Iterable[Misconduct], links: Mapping[str, str]) -> Iterable[str]:
    """Yield, in markup, the command that shows what a program wrote that was late; none if none was started here.

    What a program wrote is kept with a call that failed, not with one that had no answer.
    """
    late = (links.get(each.player, "") for each in failed if each.HasField("overrun"))
    for link in dict.fromkeys(each for each in late if each.startswith("exec:")):
        yield escape(f"To see what it wrote while it was late: fairplay certify {game} {shlex.quote(link)}")


def is_league(format_: TournamentFormat) -> bool:
    """Return whether a format has standings by points and ratings; a format that is not installed has none."""
    try:
        return chosen(format_).format.ranks
    except ValueError:
        return False


def standings_table(standings: Standings, rows: int | None = None) -> Table:
    """Return the standings, at most so many rows; a line parts the bands."""
    table = Table(title="Standings", title_justify="left")
    for column in ("", "Entrant", "Rating", "Points", "Games", "Won", "Tied", "Lost", "Failed"):
        width = None if column == "Entrant" else len(column)  # on a narrow terminal names alone are cut
        table.add_column(column, justify="right" if width is not None else "left", no_wrap=True, min_width=width)
    shown = standings.standings[:rows]
    for number, each in enumerate(shown):
        rating = each.rating
        words = f"{rating.value:.0f} ± {(rating.high - rating.low) / 2:.0f}" if each.HasField("rating") else ""
        words = "not played" if each.unplayed else words
        counts = (each.game_count, each.win_count, each.tie_count, each.loss_count)
        failed = f"{each.failure_count}, out" if each.withdrawn else str(each.failure_count or "")
        last_of_band = number + 1 < len(shown) and shown[number + 1].band != each.band
        table.add_row(
            str(each.place),
            f"[bold]{escape(each.name)}[/]" if each.place == 1 else escape(each.name),
            words,
            f"{each.points:.4g}",
            *map(str, counts),
            f"[red]{failed}[/]",
            end_section=last_of_band,
        )
    return table


def _cross_table(games: Sequence[RoundGame], names: Sequence[str]) -> Table:
    found = meetings(played_game(game) for game in games if game.HasField("result"))
    table = Table(title="Who won from whom, in percent of their games", title_justify="left")
    for column in ("", *names):
        table.add_column(escape(column), justify="left" if column == "" else "right", no_wrap=True)
    for one in names:
        cells = [found.get((one, other)) for other in names]
        table.add_row(escape(one), *(f"{100 * cell.share:.0f}" if cell is not None else "" for cell in cells))
    return table


def _league_failures(games: Sequence[RoundGame], outside: Sequence[TournamentFailure]) -> Iterable[RenderableType]:
    """Yield a row for each way in which an entrant has failed, with how often and the first place."""
    found: dict[tuple[str, str, str], list[str]] = {}
    listed = [(game.game_id, misconduct) for game in games for misconduct in game.result.misconducts]
    listed += [("", failure.misconduct) for failure in outside if not failure.game_id]
    for game_id, misconduct in listed:
        key = (misconduct.player, name_method(misconduct), describe_cause(misconduct))
        found.setdefault(key, []).append(game_id.rpartition("/")[2] or "tournament")
    if not found:
        return
    table = Table(title="Failures", title_justify="left")
    for column in ("Entrant", "Times", "In", "First where", "Why"):
        table.add_column(column, overflow="fold", justify="right" if column == "Times" else "left")
    for (name, method, why), where in [*found.items()][:MAX_FAILURES]:
        table.add_row(escape(name), str(len(where)), method, escape(where[0]), escape(cut(why, MAX_WHY_CHARS)))
    yield table
    if len(found) > MAX_FAILURES:
        yield f"and {len(found) - MAX_FAILURES} more: --report and --json have all"


def _bracket(games: Sequence[RoundGame]) -> Table:
    table = Table(title="Bracket", title_justify="left", show_lines=False)
    for column in ("Round", "Game", "Players", "Result"):
        table.add_column(column)
    for number, round_ in groupby(games, key=lambda game: game.round_number):
        for index, game in enumerate(round_):
            players = ", ".join(escape(name) for name in game.players)
            result = draw_standing(game.result) if game.HasField("result") else "waits"
            table.add_row(str(number) if index == 0 else "", str(index + 1), players, result)
        table.add_section()
    return table


def _ranking(tournament: Tournament, games: Sequence[RoundGame], about: Mapping[str, str]) -> Table:
    result = tournament.result
    table = Table(title="Ranking", title_justify="left", show_header=False)
    for _ in ("word", "name", "ending"):
        table.add_column(no_wrap=True)
    table.add_column()  # the only column that may be cut
    rounds = {name: game.round_number for game in games for name in game.players}
    for name in result.winners:
        ending = f"won round {rounds[name]}" if name in rounds else "left alone"
        table.add_row("[bold green]winner[/]", f"[bold]{escape(name)}[/]", ending, _text(about, name))
    for name in result.others:
        table.add_row(
            "", escape(name), f"lost in round {rounds[name]}" if name in rounds else "did not play", _text(about, name)
        )
    for failure in result.failures:
        name = failure.misconduct.player
        table.add_row("[red]out[/]", escape(name), f"failed in {name_method(failure.misconduct)}", _text(about, name))
    return table


def _text(about: Mapping[str, str], name: str) -> Text:
    return Text(about.get(name, "").translate(UNPRINTABLE), no_wrap=True, overflow="ellipsis")


def _failures(failures: Sequence[TournamentFailure]) -> Table:
    table = Table(title="Eliminated", title_justify="left", show_lines=True)
    for column in ("Player", "Where", "In which call", "Why"):
        table.add_column(column, overflow="fold")
    for failure in failures:
        misconduct = failure.misconduct
        where = failure.game_id.rpartition("/")[2] or "tournament"
        call = f"{name_method(misconduct)}, call {misconduct.call_number}"
        table.add_row(escape(misconduct.player), escape(where), call, escape(describe_cause(misconduct)))
    return table
