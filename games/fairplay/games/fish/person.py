"""Fish for people: what can be chosen in each question, and the board with the choices marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import (
    PlayAsRequest,
    PlayWithRequest,
    SetupRequest,
    SetupResponse,
    TakeTurnRequest,
    TakeTurnResponse,
)
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import build_action, read_shown, read_view
from fairplay.games.fish.rules.board import Move, Place
from fairplay.games.fish.views import board_text, cell_of, centre, move_line, name_cell, part_of, side_text, svg
from fairplay.games.frontends import Choice, Frontend, GameView, IllegalChoiceError
from fairplay.games.kit.person import Marks, Person


class Placing(NamedTuple):
    """The reply to Setup; `own` is the called player's seat in `state`."""

    state: rules.State
    place: int | None = None

    @property
    def prompt(self) -> str:
        """Return what to choose, or that all is chosen."""
        if self.place is not None:
            return f"Place the penguin on {name_cell(self.state.board, self.place)}?"
        left = self.state.penguins - len(self.state.places[self.state.seat])
        return f"Place a penguin, {left} to go:" if left > 1 else "Place your last penguin:"

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the free tiles."""
        if self.place is not None:
            return ()
        return [_choice(self.state, action.cell) for action in rules.legal(self.state) if isinstance(action, Place)]

    @property
    def chosen(self) -> frozenset[str]:
        """Return the tile, if it is chosen."""
        return frozenset() if self.place is None else frozenset([part_of(self.place)])

    @property
    def reply(self) -> SetupResponse | None:
        """Return the place, if it is chosen."""
        return None if self.place is None else SetupResponse(place=self.place)

    def choose(self, part: str) -> Placing:
        """Choose a tile, also in place of another. Raises IllegalChoiceError if it is not free."""
        cell = cell_of(part)
        _check(rules.violation(self.state, Place(cell)))
        return Placing(self.state, cell)


class Moving(NamedTuple):
    """The reply to TakeTurn: first the penguin, then where it goes."""

    state: rules.State
    source: int | None = None
    target: int | None = None

    @property
    def prompt(self) -> str:
        """Return what to choose, or that all is chosen."""
        if self.source is None:
            return "Choose a penguin:"
        if self.target is None:
            return "Move it where?"
        return f"Move from {name_cell(self.state.board, self.source)} to {name_cell(self.state.board, self.target)}?"

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the penguins that can move, or the tiles that the chosen one can reach."""
        if self.target is not None:
            return ()
        moves = rules.moves(self.state, self.state.seat)
        cells = (
            move.source if self.source is None else move.target for move in moves if self.source in (None, move.source)
        )
        return [_choice(self.state, cell) for cell in dict.fromkeys(cells)]

    @property
    def chosen(self) -> frozenset[str]:
        """Return the penguin and the tile, as far as they are chosen."""
        return frozenset(part_of(cell) for cell in (self.source, self.target) if cell is not None)

    @property
    def reply(self) -> TakeTurnResponse | None:
        """Return the move, if it is chosen."""
        if self.source is None or self.target is None:
            return None
        return TakeTurnResponse(action=build_action(Move(self.source, self.target)))

    def choose(self, part: str) -> Moving:
        """Choose a penguin, also in place of another, or its target. Raises IllegalChoiceError if that is illegal."""
        cell = cell_of(part)
        if self.source is None or cell in self.state.places[self.state.seat]:
            return self._with_penguin(cell)
        _check(rules.violation(self.state, Move(self.source, cell)))
        return self._replace(target=cell)

    def _with_penguin(self, cell: int) -> Moving:
        if cell not in self.state.places[self.state.seat]:
            _check("fish.move.own-penguin")
        if all(move.source != cell for move in rules.moves(self.state, self.state.seat)):
            raise IllegalChoiceError("This penguin cannot move: there is no free tile beside it.")
        return Moving(self.state, cell)


def _choice(state: rules.State, cell: int) -> Choice:
    fish = rules.tiles(state)[cell]
    x, y = centre(state.board, cell)
    return Choice(part_of(cell), f"{name_cell(state.board, cell)}, {fish} fish", x, y)


def _check(rule_id: str | None) -> None:
    if rule_id is not None:
        raise IllegalChoiceError(rules.RULES[rule_id])


class FishPerson(Person[fish_pb2.State]):
    """A person at a table of Fish."""

    game = "fish"
    state_type = fish_pb2.State

    async def play_as(self, request: PlayAsRequest) -> None:
        """Begin a game."""
        self.begin()

    async def play_with(self, request: PlayWithRequest) -> None:
        """Ignore the opponents' colours: every state says them again."""

    async def setup(self, request: SetupRequest) -> Message:
        """Return the tile on which the person places the next penguin."""
        return await self.answer(request, request.state, Placing(read_view(request.state)))

    async def take_turn(self, request: TakeTurnRequest) -> Message:
        """Return the person's move."""
        return await self.answer(request, request.state, Moving(read_view(request.state)))

    def draw(self, state: fish_pb2.State, marks: Marks) -> str:
        """Return the board."""
        return board_text(read_shown(state), marks)

    def draw_svg(self, state: fish_pb2.State, marks: Marks) -> str:
        """Return the board and the players as one SVG document."""
        return svg(read_shown(state), self.table.names(), marks)

    def describe(self, state: fish_pb2.State) -> str:
        """Return the players with their scores."""
        return side_text(read_shown(state), self.table.names())

    def is_over(self, state: fish_pb2.State) -> bool:
        """Return whether a state is the end of its game."""
        return read_shown(state).state.over

    def news(self, state: fish_pb2.State) -> str:
        """Return the move that led to a state, if it names one."""
        return move_line(read_shown(state), self.table.names())


def _watch(state: fish_pb2.State, names: Sequence[str]) -> GameView:
    """Return the board as a spectator sees it."""
    shown = read_shown(state)
    return GameView(board_text(shown), side_text(shown, names), "You watch.")


FRONTEND = Frontend(
    settings="rows=5 columns=5 random_fish=true holes=2",
    limit="2m",
    bot="greedy",
    help=(
        "Arrow keys go to what can be chosen, Enter chooses it and then sends, Backspace takes a choice back. First "
        "all penguins are placed; then each turn moves one in a straight line over free tiles. The tile that it "
        "leaves sinks, and its fish are yours. Who has most when nobody can move has won."
    ),
    view_of=_watch,
    create_player=FishPerson,
)
