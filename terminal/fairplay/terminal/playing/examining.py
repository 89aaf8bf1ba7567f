"""Players that the server examines before a tournament: signed up, shown while they are examined, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import grpc
from rich.console import Console
from rich.markup import escape

from fairplay.client.text import counted
from fairplay.terminal.playing.channels import patiently
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import SignUpRequest, WatchTournamentRequest, WatchTournamentResponse
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import AgeOrder, Examination, ExaminationStatus, Tournament, TournamentPlan

EXAMINING = ExaminationStatus.EXAMINATION_STATUS_EXAMINING
REFUSED = ExaminationStatus.EXAMINATION_STATUS_REFUSED


def with_examination(plan: TournamentPlan) -> TournamentPlan:
    """Return the plan of a tournament for which the same players sign up, and are examined, instead of being named."""
    open_plan = TournamentPlan()
    open_plan.CopyFrom(plan)
    open_plan.ClearField("entrants")
    policy = open_plan.sign_up
    policy.certificate.examination.SetInParent()
    policy.age_order = AgeOrder.AGE_ORDER_SIGN_UP
    policy.name_pattern = "[A-Za-z0-9_.-]{1,64}"
    return open_plan


async def examine(channel: grpc.aio.Channel, console: Console, tournament_id: str, players: Sequence[Player]) -> None:
    """Sign players up, and show what becomes of them, until nobody is being examined any more.

    With the last player that passes the tournament may start by itself.
    """
    manager = ManagerServiceStub(channel)
    view = _View(console)
    for player in players:
        request = SignUpRequest(tournament_id=tournament_id, player=player)
        await patiently(channel, partial(manager.SignUp, request))
    console.print(f"Examining {counted(len(players), 'player')}")

    async def watch() -> None:
        events = manager.WatchTournament(WatchTournamentRequest(tournament_id=tournament_id))
        try:
            async for event in events:
                view.take(event)
                if not view.open:
                    return
        finally:
            events.cancel()

    await patiently(channel, watch)


class _View:
    """Shows in lines who has passed and who was refused, each of them once. `open` are those still examined."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: set[str] = set()
        self.open: set[str] = set()

    def take(self, event: WatchTournamentResponse) -> None:
        match event.WhichOneof("event"):
            case "tournament":
                self._take_tournament(event.tournament)
            case "examination":
                self._take_examination(event.examination)
            case "signed_up":
                self._pass(event.signed_up.name)
            case "started" | "cancelled":
                self.open.clear()

    def _take_tournament(self, tournament: Tournament) -> None:
        self.open = {each.player.name for each in tournament.examinations if each.status == EXAMINING}
        for player in tournament.entrants:
            self._pass(player.name)
        for examination in tournament.examinations:
            self._take_examination(examination)

    def _take_examination(self, examination: Examination) -> None:
        if examination.status == REFUSED:
            case = f"[bold]{escape(examination.case_id)}[/]: " if examination.case_id else ""
            self._show(examination.player.name, f"[red]refused[/]: {case}{escape(examination.reason)}")

    def _pass(self, name: str) -> None:
        self._show(name, "[green]passed[/]")

    def _show(self, name: str, markup: str) -> None:
        self.open.discard(name)
        if name not in self._shown:
            self._shown.add(name)
            self._console.print(f"  {escape(name)} {markup}", soft_wrap=True)
