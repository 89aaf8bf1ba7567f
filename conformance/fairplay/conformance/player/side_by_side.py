"""Work at the same time, of which nothing goes on when one part has failed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def side_by_side(parts: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Return the results of parts of work. Raises what the first one raises that fails, once the others have ended."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
