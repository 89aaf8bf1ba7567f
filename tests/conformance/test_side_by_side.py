"""Work at the same time: nothing of it goes on behind the back of who has waited for it."""

from __future__ import annotations

import asyncio

import pytest

from fairplay.conformance.side_by_side import side_by_side


class PartError(Exception):
    """Raised by a part of the work."""


async def fail_after(begun: asyncio.Event) -> None:
    await begun.wait()
    raise PartError


async def wait_for_ever(begun: asyncio.Event, ended: list[str]) -> None:
    begun.set()
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        ended.append("cleaned up")


async def test_a_part_that_fails_ends_the_others_before_its_error_is_raised() -> None:
    begun, ended = asyncio.Event(), list[str]()
    with pytest.raises(PartError):
        await side_by_side([wait_for_ever(begun, ended), fail_after(begun)])
    assert ended == ["cleaned up"]


async def test_results_come_in_the_order_of_the_parts() -> None:
    async def number(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return turns

    assert await side_by_side(number(turns) for turns in (3, 1, 2)) == [3, 1, 2]
