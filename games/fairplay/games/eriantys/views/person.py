"""Eriantys for people: a player whose answers come from a person, and what people see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from google.protobuf.message import Message

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_player_pb2 import (
    AskActionRequest,
    AskAssistantCardRequest,
    AskTowerColorRequest,
    ShowDisconnectionRequest,
    ShowEndGameRequest,
    ShowLastRoundRequest,
    StartGameRequest,
    UpdateGameBoardRequest,
)
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.views import picture
from fairplay.games.eriantys.views.drafts import Deciding
from fairplay.games.eriantys.views.seats import Own, last_action
from fairplay.games.frontends import GameView, TableContext
from fairplay.games.kit.person import NO_MARKS, Marks, Person

Question: TypeAlias = AskTowerColorRequest | AskAssistantCardRequest | AskActionRequest


class EriantysPerson(Person[eriantys_pb2.State]):
    """A person at a table of Eriantys."""

    game = "eriantys"
    state_type = eriantys_pb2.State

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._seat: int | None = None
        self._hand: Sequence[int] = ()

    async def ask_tower_color(self, request: AskTowerColorRequest) -> Message:
        """Return the colour of towers that the person chooses. It is the first call of a game."""
        if request.first_request and (self.state is None or self.state.revision > request.state.revision):
            self.begin()
        return await self._decide(request, ())

    async def start_game(self, request: StartGameRequest) -> None:
        """Show the first board."""
        self._seat, self._hand = request.seat, list(request.hand)
        self.look(request.state)

    async def ask_assistant_card(self, request: AskAssistantCardRequest) -> Message:
        """Return the assistant that the person plays."""
        return await self._decide(request, request.hand)

    async def ask_action(self, request: AskActionRequest) -> Message:
        """Return what the person does."""
        return await self._decide(request, request.hand)

    async def update_game_board(self, request: UpdateGameBoardRequest) -> None:
        """Show a board."""
        self.look(request.state)

    async def show_last_round(self, request: ShowLastRoundRequest) -> None:
        """Tell that the round is the last one."""
        self.table.report("This is the last round.")

    async def show_end_game(self, request: ShowEndGameRequest) -> None:
        """Show the last board, and tell the result."""
        self.look(request.state)
        self.table.report("You have won." if request.seat in request.winner_seats else "You have not won.")

    async def show_disconnection(self, request: ShowDisconnectionRequest) -> None:
        """Do nothing: the board that follows shows who is gone."""

    async def _decide(self, request: Question, hand: Sequence[int]) -> Message:
        self._seat, self._hand = request.seat, list(hand)
        if request.HasField("refusal"):
            self.table.report(request.refusal.explanation)
        draft = Deciding(codec.read_view(request.state, request.settings, request.seat, hand))
        return await self.answer(request, request.state, draft)

    def draw(self, state: eriantys_pb2.State, marks: Marks) -> str:
        """Return the islands, clouds and schools, the person's assistants, and what can be chosen."""
        choices = self.draft.choices if self.draft is not None else ()
        return picture.table_text(state, self.table.names(), self._hand, choices, marks)

    def draw_svg(self, state: eriantys_pb2.State, marks: Marks) -> str:
        """Return the board with the person's assistants and what else can be chosen as one SVG document."""
        words = self.draft.words if isinstance(self.draft, Deciding) else ()
        return picture.svg(state, self.table.names(), Own(self._seat, self._hand, words), marks)

    def describe(self, state: eriantys_pb2.State) -> str:
        """Return the players with what they are about to do."""
        return picture.side_text(state, self.table.names())

    def revision(self, state: eriantys_pb2.State) -> int:
        """Return the revision of a state."""
        return state.revision

    def is_over(self, state: eriantys_pb2.State) -> bool:
        """Return whether a state is the end of its game."""
        return state.phase == eriantys_pb2.PHASE_OVER

    def news(self, state: eriantys_pb2.State) -> str:
        """Return what a player has done in the step that led to a state."""
        return last_action(state, self.table.names())


class EriantysFrontend:
    """The front end of Eriantys."""

    settings = ""
    limit = "3m"
    bot = "greedy"
    help = (
        "Every round each player plays an assistant: the lowest acts first, and its number of steps is how far Mother "
        "Nature may go. A turn moves students one at a time, to the dining room or to islands, then Mother Nature, "
        "then takes a cloud. Up and down go through what can be chosen, Enter chooses it and at the end sends, "
        "Backspace takes a step back."
    )

    def view_of(self, state: Message, names: Sequence[str]) -> GameView:
        """Return the board as a spectator sees it."""
        if not isinstance(state, eriantys_pb2.State):
            return GameView("", "", "")
        board = picture.table_text(state, names, (), (), NO_MARKS)
        return GameView(board, picture.side_text(state, names), "You watch.")

    def create_player(self, table: TableContext) -> EriantysPerson:
        """Return a player for a person at a table."""
        return EriantysPerson(table)


FRONTEND = EriantysFrontend()
