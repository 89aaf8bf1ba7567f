"""Fish in numbers, for programs that learn. Each turn is one action; every legal answer has a number."""

from __future__ import annotations

from random import Random

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse, TakeTurnRequest, TakeTurnResponse
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import SETUP, TAKE_TURN, Shown, build_action, colors, read_settings, read_view
from fairplay.games.fish.rules.board import FISH_LIMIT, Action, Move, Place
from fairplay.games.research import Encoding, Kind, Part, Position, Question, Research, by_player, turn_part


class FishEncoding(Encoding):
    """Fish on a board of a certain size. A penguin has the number that it was placed as, from 0."""

    def __init__(self, settings: fish_pb2.Settings, seat_count: int) -> None:
        super().__init__(rules, read_settings(settings), seat_count)
        sample = self.initial(Random(0)).state
        board, penguins = sample.board, sample.penguins
        self._size: int = board.geometry.size
        self._shape, self._penguins = (board.rows, board.geometry.columns), penguins
        self.kinds = (
            Kind("place", self._size, "Place the next penguin on this cell; cells are numbered row by row."),
            Kind("move", penguins * self._size, f"Move penguin N // {self._size} to cell N % {self._size}."),
        )
        self.parts = (
            Part("fish", self._shape, FISH_LIMIT, "The fish on each tile, under penguins too; 0 is a hole."),
            Part(
                "penguins",
                (seat_count, *self._shape),
                penguins,
                "By player, the observer first: 1 + the number of its penguin there.",
            ),
            by_player("scores", seat_count, self._size * FISH_LIMIT, "fish collected."),
            Part("penguin_count", (1,), penguins, "How many penguins each player places."),
            turn_part(seat_count),
        )

    def number(self, state: rules.State, action: Action) -> int:
        """Return the number of a legal action."""
        if isinstance(action, Place):
            return action.cell
        own, size = state.places[state.seat], self._size
        return (1 + own.index(action.source)) * size + action.target

    def action(self, state: rules.State, number: int) -> Action:
        """Return the legal action that a number stands for."""
        if number < self._size:
            return Place(number)
        penguin, target = divmod(number - self._size, self._size)
        return Move(state.places[state.seat][penguin], target)

    def observe(self, position: Position, seat: int) -> list[int]:
        """Return what a seat sees; in Fish nothing is hidden."""
        state: rules.State = position.state
        order = self.seats_from(seat)
        penguins = [0] * (self.seat_count * self._size)
        for plane, other in enumerate(order):
            for number, cell in enumerate(state.places[other]):
                penguins[plane * self._size + cell] = number + 1
        return [
            *rules.tiles(state),
            *penguins,
            *(state.scores[other] for other in order),
            state.penguins,
            self.turns_until(position, seat),
        ]

    def shown(self, position: Position) -> Shown:
        """Return the state as the game shows it."""
        return Shown(position.state, colors(self.seat_count))

    def read(self, request: SetupRequest | TakeTurnRequest) -> Position:
        """Return the position that a request shows; who is out of the game sits behind the others."""
        state = read_view(request.state)
        rows, columns, out = state.board.rows, state.board.geometry.columns, self.seat_count - len(state.places)
        if (rows, columns) != self._shape or state.penguins > self._penguins or out < 0:
            raise ValueError(
                f"{rows} rows of {columns} tiles for {len(state.places)} players with {state.penguins} penguins each "
                "are another game of Fish than that of the environment"
            )
        places, scores, alive = state.places + ((),) * out, state.scores + (0,) * out, state.alive + (False,) * out
        return Position(state._replace(places=places, scores=scores, alive=alive))


RESEARCH = Research(
    rules,
    read_settings,
    FishEncoding,
    {
        SETUP: Question(FishEncoding.read, lambda place: SetupResponse(place=place.cell)),
        TAKE_TURN: Question(FishEncoding.read, lambda move: TakeTurnResponse(action=build_action(move))),
    },
)
