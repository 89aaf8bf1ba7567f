"""Games in turn order in numbers: each action of the game has one number, its place in a list of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.message import Message

from fairplay.games.kit.turns import Turns
from fairplay.games.research import Encoding, Kind, Part, Position, Question, Research, turn_part


def build_research(
    turns: Turns,
    *,
    meaning: str,
    list_actions: Callable[[Any], Sequence[Any]],
    list_parts: Callable[[Any], Sequence[Part]],
    observe: Callable[[Any, Sequence[int]], Sequence[int]],
) -> Research:
    """Return what a game in turn order offers to research.

    `list_actions` returns all actions that games with certain settings of the rules have, in an order that `meaning`
    describes in one sentence; `list_parts` the parts of an observation. `observe` returns the numbers of these parts
    for a state, and the seats in turn order, the observer first. Whose turn it is is added.
    """
    rules = turns.rules

    class TurnEncoding(Encoding):
        """A game in turn order with certain settings."""

        def __init__(self, settings: Message, seat_count: int) -> None:
            chosen = turns.read_settings(settings)
            super().__init__(rules, chosen, seat_count)
            self._actions = list_actions(chosen)
            self._numbers = {action: number for number, action in enumerate(self._actions)}
            self.kinds = (Kind("act", len(self._actions), meaning),)
            self.parts = (*list_parts(chosen), turn_part(seat_count))

        def number(self, state: Any, action: Any) -> int:
            """Return the place of an action in the list."""
            return self._numbers[action]

        def action(self, state: Any, number: int) -> Any:
            """Return the action in a place of the list."""
            return self._actions[number]

        def observe(self, position: Position, seat: int) -> list[int]:
            """Return what a seat sees: everything."""
            state, order = position.state, self.seats_from(seat)
            return [*observe(state, order), self.turns_until(position, seat)]

    question = Question(lambda encoding, request: Position(turns.read_state(request.state)), turns.build_reply)
    return Research(rules, turns.read_settings, TurnEncoding, {turns.ask: question})
