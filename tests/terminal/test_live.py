"""What a person sees of a tournament while it goes on, from the events of a server."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from rich.console import Console

from fairplay.games.game import find
from fairplay.terminal.playing.live import TournamentView
from fairplay.v1.manager_pb2 import GameFinished, WatchTournamentResponse
from fairplay.v1.tournament_pb2 import Tournament, TournamentStatus


def whole(game_count: int) -> WatchTournamentResponse:
    running = TournamentStatus.TOURNAMENT_STATUS_RUNNING
    return WatchTournamentResponse(tournament=Tournament(status=running, game_count=game_count))


def over(game_id: str, *, skipped: bool = False) -> WatchTournamentResponse:
    return WatchTournamentResponse(game_finished=GameFinished(game_id=game_id, skipped=skipped))


@pytest.mark.parametrize("before", [0, 866])
def test_games_are_counted_once_though_the_whole_is_told_again(before: int) -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=100, height=30, color_system=None)
    view = TournamentView(console, find("fish"), None, format_title="round robin", league=True, expected=1_800)  # type: ignore[arg-type]
    with view:
        for event in (whole(before), over("t/r1g1"), over("t/r1g2"), whole(before + 2), over("t/r1g3")):
            view.take(event)
        view.take(over("t/r1g4", skipped=True))
    assert re.findall(r"(\d+)/(\d+) games", screen.getvalue())[-1] == (str(before + 3), "1799")
