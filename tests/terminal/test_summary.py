"""What is shown of a tournament at its end, or when it was interrupted."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from fairplay.client.formats import parse_format
from fairplay.terminal.playing.summary import summarize
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.tournament_pb2 import RoundGame, RoundGameStatus, Standing, Standings, Tournament, TournamentPlan


def shown(format_: str) -> str:
    """Show a tournament in which ann has won from bob, and another game waits."""
    ranking = [RankGroup(players=[RankedPlayer(seat=seat, name=name)]) for seat, name in enumerate(("ann", "bob"))]
    games = [
        RoundGame(game_id="t/r1g1", players=["ann", "bob"], result=GameResult(ranking=ranking), round_number=1),
        RoundGame(game_id="t/r1g2", players=["bob", "ann"], round_number=1),
    ]
    games[1].status = RoundGameStatus.ROUND_GAME_STATUS_WAITING
    tournament = Tournament(plan=TournamentPlan(game="fish", format=parse_format(format_)))
    screen = StringIO()
    console = Console(file=screen, width=100)
    for renderable in summarize(
        tournament, games, Standings(standings=[Standing(name="ann"), Standing(name="bob")]), {}
    ):
        console.print(renderable)
    return screen.getvalue()


def test_games_that_wait_count_for_nobody() -> None:
    assert "│ ann │     │ 100 │" in shown("round-robin")
    assert "│ bob │   0 │     │" in shown("round-robin")


def test_games_that_wait_are_said_to_wait() -> None:
    assert "│ bob, ann │ waits" in shown("knockout")
