"""Plans of many entrants, which are checked in a thread, are answered as small ones are."""

from __future__ import annotations

import pytest

from fairplay.server.manager.manager import MAX_CHECKED_AT_ONCE
from fairplay.server.net.errors import Refusal
from tests.server.manager.harness import environment, plan


async def test_a_large_plan_is_created_and_refused_as_a_small_one_is() -> None:
    names = [f"p{number}" for number in range(MAX_CHECKED_AT_ONCE + 1)]
    async with environment() as here:
        created = await here.manager.create("t", plan(names))
        assert [player.name for player in created.entrants] == names
        assert await here.manager.create("t", plan(names)) == created
        with pytest.raises(Refusal) as caught:
            await here.manager.create("u", plan([*names, "p0"]))
        assert caught.value.reason == "INVALID_PLAYERS"
