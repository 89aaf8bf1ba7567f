"""Games at the same time whose calls to the player under test come in a fixed order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Entry, Scenario, Trial, play_trial
from fairplay.conformance.player.loop import side_by_side
from fairplay.conformance.player.player import Connection
from fairplay.server.manager.plan import game_id_of

TO_THE_END = 10**9
"""The share of a game that goes on to its end once it has begun."""


class Rotation:
    """Lets games call the player in turn: each makes as many calls as its share, then it is the next one's turn."""

    def __init__(self, shares: Sequence[int]) -> None:
        self._shares = shares
        self._order = deque(range(len(shares)))
        self._may_call = [asyncio.Event() for _ in shares]
        self._begin()

    def _begin(self) -> None:
        """Let the first game in the order make its calls."""
        if self._order:
            self._left = self._shares[self._order[0]]
            self._may_call[self._order[0]].set()

    @asynccontextmanager
    async def turn(self, number: int) -> AsyncIterator[None]:
        """Wait until a game may call. The end of the `with` block counts the call."""
        await self._may_call[number].wait()
        try:
            yield
        finally:
            self._left -= 1
            if not self._left:
                self._may_call[number].clear()
                self._order.rotate(-1)
                self._begin()

    def leave(self, number: int) -> None:
        """Take a game that is over out of the rotation."""
        first = self._order[0] == number
        self._order.remove(number)
        if first:
            self._begin()


def play_in_turn(
    context: Context,
    scenarios: Sequence[Scenario],
    connection: Connection,
    shares: Sequence[int] = (),
    ids: Sequence[str] = (),
) -> list[Trial]:
    """Play games at the same time, with their calls in a fixed order.

    By default each game makes one call when it is its turn, and the ids are new ones with different ends.
    """

    async def play_all(reached: Connection) -> list[Trial]:
        rotation = Rotation(shares or [1] * len(scenarios))

        async def play(number: int, scenario: Scenario) -> Trial:
            new_id = game_id_of(context.new_tournament_id(), 1, number + 1)
            game_id, turn = ids[number] if ids else new_id, partial(rotation.turn, number)
            try:
                return await play_trial(context.game, reached, scenario, context.limits, game_id, turn=turn)
            finally:
                rotation.leave(number)

        return await side_by_side(play(number, scenario) for number, scenario in enumerate(scenarios))

    text = ", by turns ".join(each.text for each in scenarios)
    return context.record(connection, Entry(lambda reached: context.player.loop.run(play_all(reached)), text))
