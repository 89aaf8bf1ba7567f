"""Fish for people: what can be chosen in each question, and the board with the choices marked."""

from __future__ import annotations

from collections.abc import Iterable

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
from fairplay.games.fish.guide import GUIDE
from fairplay.games.fish.protocol import build_action, read_shown, read_view
from fairplay.games.fish.rules.board import Move, Place
from fairplay.games.fish.views import board_text, cell_of, centre, move_line, name_cell, part_of, side_text, svg
from fairplay.games.frontends import Choice, Frontend, IllegalChoiceError
from fairplay.games.kit.person import Marks, Person, PlainDraft, check_choice, watching


def placing(state: rules.State, place: int | None = None) -> PlainDraft:
    """Return the draft of a reply to Setup. Another tile may be chosen in place of the first."""

    def choose(part: str) -> PlainDraft:
        cell = cell_of(part)
        check_choice(rules.violation(state, Place(cell)), rules.RULES)
        return placing(state, cell)

    if place is not None:
        prompt = f"Place the penguin on {name_cell(state.board, place)}?"
        return PlainDraft(prompt, choose, (), frozenset([part_of(place)]), SetupResponse(place=place))
    left = state.penguins - len(state.places[state.seat])
    prompt = f"Place a penguin, {left} to go:" if left > 1 else "Place your last penguin:"
    return PlainDraft(prompt, choose, _choices(state, (action[0] for action in rules.legal(state))))


def moving(state: rules.State, source: int | None = None, target: int | None = None) -> PlainDraft:
    """Return the draft of a reply to TakeTurn: first the penguin, then where it goes.

    Another penguin may be chosen in place of the first.
    """
    moves = rules.moves(state, state.seat)

    def choose(part: str) -> PlainDraft:
        cell, is_own = cell_of(part), cell_of(part) in state.places[state.seat]
        if source is None or is_own:
            check_choice(None if is_own else "fish.move.own-penguin", rules.RULES)
            if all(move.source != cell for move in moves):
                raise IllegalChoiceError("This penguin cannot move: there is no free tile beside it.")
            return moving(state, cell)
        check_choice(rules.violation(state, Move(source, cell)), rules.RULES)
        return moving(state, source, cell)

    if source is None:
        return PlainDraft("Choose a penguin:", choose, _choices(state, (move.source for move in moves)))
    if target is None:
        found = _choices(state, (move.target for move in moves if move.source == source))
        return PlainDraft("Move it where?", choose, found, frozenset([part_of(source)]))
    prompt = f"Move from {name_cell(state.board, source)} to {name_cell(state.board, target)}?"
    reply = TakeTurnResponse(action=build_action(Move(source, target)))
    return PlainDraft(prompt, choose, (), frozenset([part_of(source), part_of(target)]), reply)


def _choices(state: rules.State, cells: Iterable[int]) -> list[Choice]:
    found, fish = [], rules.tiles(state)
    for cell in dict.fromkeys(cells):
        label = f"{name_cell(state.board, cell)}, {fish[cell]} fish"
        found.append(Choice(part_of(cell), label, *centre(state.board, cell)))
    return found


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
        return await self.answer(request, request.state, placing(read_view(request.state)))

    async def take_turn(self, request: TakeTurnRequest) -> Message:
        """Return the person's move."""
        return await self.answer(request, request.state, moving(read_view(request.state)))

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


FRONTEND = Frontend(
    settings="rows=5 columns=5 random_fish=true holes=2",
    main_settings={
        "rows": "Rows of tiles",
        "columns": "Columns of tiles",
        "random_fish": "Tiles have different numbers of fish",
        "holes": "Holes in the ice",
    },
    limit="2m",
    bot="greedy",
    help="Arrow keys go to what can be chosen, Enter chooses it and then sends, Backspace takes a choice back.",
    guide=GUIDE,
    view_of=watching(
        lambda state: board_text(read_shown(state)), lambda state, names: side_text(read_shown(state), names)
    ),
    create_player=FishPerson,
)
