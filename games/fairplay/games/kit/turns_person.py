"""A person in games in turn order: all that may be done is shown, and one of it is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from fairplay.games.frontends import Choice, Frontend, GameView, IllegalChoiceError, TableContext
from fairplay.games.game import Game
from fairplay.games.kit.lettering import literally
from fairplay.games.kit.person import NO_MARKS, Marks, Person, PlainDraft
from fairplay.games.kit.players import snake_case
from fairplay.games.kit.turns import Looks, Turns, describe_players


def one_of(replies: Mapping[Choice, Message], picked: Choice | None = None) -> PlainDraft:
    """Return the draft of a reply that is one of several; it is complete as soon as one is chosen."""

    def choose(part: str) -> PlainDraft:
        for choice in replies:
            if choice.part == part:
                return one_of(replies, choice)
        raise IllegalChoiceError("This cannot be chosen now.")

    if picked is None:
        return PlainDraft("Choose what to do:", choose, list(replies))
    return PlainDraft(f"{picked.label}?", choose, (), frozenset([picked.part]), replies[picked])


class TurnPerson(Person[Any]):
    """A person at a table of a game in turn order."""

    def __init__(self, table: TableContext, game: Game, turns: Turns, looks: Looks) -> None:
        super().__init__(table)
        self.game = game.name
        self.state_type = game.state_type
        self._turns = turns
        self._looks = looks
        vars(self).update({snake_case(turns.tell.name): self._begin, snake_case(turns.ask.name): self._decide})

    async def _begin(self, request: Any) -> None:
        self.begin()

    async def _decide(self, request: Any) -> Message:
        state = self._turns.read_state(request.state)
        actions = self._turns.rules.legal(state)
        replies = {self._looks.find_choice(state, action): self._turns.build_reply(action) for action in actions}
        return await self.answer(request, request.state, one_of(replies))

    def draw(self, state: Any, marks: Marks) -> str:
        """Return the board."""
        return self._looks.board(self._turns.read_state(state), marks)

    def draw_svg(self, state: Any, marks: Marks) -> str:
        """Return the board and the players as one SVG document."""
        seen = self._turns.read_state(state)
        return self._looks.svg(seen, describe_players(self._turns, seen, self.table.names()), marks)

    def describe(self, state: Any) -> str:
        """Return the players."""
        return _side(self._turns, self._turns.read_state(state), self.table.names())

    def is_over(self, state: Any) -> bool:
        """Return whether a state is the end of its game."""
        return self._turns.rules.turn(self._turns.read_state(state)) is None


def _side(turns: Turns, state: Any, names: Sequence[str]) -> str:
    return "\n".join(map(literally, describe_players(turns, state, names)))


def build_frontend(game: Game, turns: Turns, looks: Looks, *, limit: str, bot: str, advice: str) -> Frontend:
    """Return the front end of a game in turn order; `advice` says how a person plays."""

    def view(message: Any, names: Sequence[str]) -> GameView:
        state = turns.read_state(message)
        return GameView(looks.board(state, NO_MARKS), _side(turns, state, names), "You watch.")

    return Frontend(
        limit=limit,
        bot=bot,
        help=advice,
        view_of=view,
        create_player=lambda table: TurnPerson(table, game, turns, looks),
    )
