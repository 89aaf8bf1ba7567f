"""People who play whole games by pointing at pictures, in all games in which one question follows the other."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fairplay.games.frontends import find_frontend
from fairplay.games.game import find
from fairplay.games.steps import Call, CallAll, CallKind, Eliminate, Outcome, Show, Step, calls_in
from fairplay.player.handlers import snake_case
from tests.games.at_table import AtTable, asking
from tests.games.pointing import point_at_random

DECISIONS = 60
"""So many are made in a game at most: pictures take their time."""


class Table:
    """A game between people: one at each seat, who chooses at random among what the picture offers."""

    def __init__(self, game: str, count: int, rng: Random) -> None:
        frontend = find_frontend(game)
        assert frontend is not None
        names = [f"p{seat}" for seat in range(count)]
        self._game, self._rng, self.decisions = find(game), rng, 0
        self._people = [AtTable(frontend, names).person for _ in names]

    async def answer(self, step: Step) -> Any:
        if isinstance(step, Show):
            for person in self._people:
                person.update(self._game.public_state(step.state))
        replies = {call.seat: await self._reply(call) for call in calls_in(step)}
        return replies if isinstance(step, CallAll) else next(iter(replies.values()), None)

    async def _reply(self, call: Call) -> Any:
        person, method = self._people[call.seat], snake_case(call.method.name)
        if call.kind is CallKind.NOTIFICATION:
            await getattr(person, method)(call.request)
            return call.method.response()
        self.decisions += 1
        async with asking(getattr(person, method)(call.request)) as reply:
            point_at_random(person, self._rng)
            return await reply


@pytest.mark.parametrize("settings", ["default", "tournament"])
@pytest.mark.parametrize("name", ["bazaar", "eriantys", "fish", "q"])
async def test_every_choice_is_a_part_of_the_picture_and_leads_to_a_legal_reply(name: str, settings: str) -> None:
    game = find(name)
    for seed, count in enumerate(game.seats):
        table = Table(name, count, Random(seed))
        chosen = game.tournament_settings if settings == "tournament" else game.settings_type()
        conversation, sent = game.play("g", chosen, list("abcdefgh"[:count]), Random(seed), None), None
        while table.decisions < DECISIONS:
            try:
                step = conversation.send(sent)
            except StopIteration as stop:
                assert isinstance(stop.value, Outcome)
                break
            assert not isinstance(step, Eliminate)
            if isinstance(step, Call) and "refusal" in step.method.request.DESCRIPTOR.fields_by_name:
                assert not step.request.HasField("refusal")
            sent = await table.answer(step)
