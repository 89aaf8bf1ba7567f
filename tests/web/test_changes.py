"""Changes that many streams wait for."""

from __future__ import annotations

import asyncio

from fairplay.web.changes import Changes


async def test_a_change_is_told_at_once_and_those_that_follow_shortly_together() -> None:
    now_s = 100.0
    changes = Changes(lambda: now_s)
    seen: list[list[int]] = [[] for _ in range(50)]

    async def follow(versions: list[int]) -> None:
        version = 0
        while True:
            version = await changes.wait(version)
            versions.append(version)

    following = [asyncio.create_task(follow(each)) for each in seen]
    await asyncio.sleep(0)
    changes.notify()
    for _ in range(3):
        await asyncio.sleep(0)
    assert seen == [[1]] * 50
    for _ in range(20):
        changes.notify()
        await asyncio.sleep(0)
    assert seen == [[1]] * 50
    async with asyncio.timeout(30):
        while seen != [[1, 2]] * 50:
            await changes.wait(1)
            await asyncio.sleep(0)
    now_s += 1.0
    changes.notify()
    for _ in range(3):
        await asyncio.sleep(0)
    assert seen == [[1, 2, 3]] * 50
    for task in following:
        task.cancel()


async def test_one_who_waits_alone_hardly_waits() -> None:
    changes = Changes()
    waiting = asyncio.create_task(changes.wait(0))
    await asyncio.sleep(0)
    changes.notify()
    async with asyncio.timeout(30):
        assert await waiting == 1
        changes.notify()
        assert await changes.wait(1) == 2
