"""A person at a table, as the tests of the games' front ends see it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

from rich.text import Text

from fairplay.games.frontends import Frontend, TableContext

LIMIT_S = 30.0


class AtTable:
    """A person at a table whose clock stands still unless `now` is moved; `lines` are what it was told."""

    def __init__(self, frontend: Frontend, names: Sequence[str]) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        table = TableContext(lambda: names, LIMIT_S, lambda: self.now, lambda: None, self.lines.append)
        self.person: Any = frontend.create_player(table)

    @property
    def board(self) -> str:
        return plain(self.person.view().board)

    @property
    def side(self) -> str:
        return plain(self.person.view().side)

    @property
    def status(self) -> str:
        return plain(self.person.view().status)


def plain(markup: str) -> str:
    """Return what is seen of a text in rich's console markup."""
    return Text.from_markup(markup, emoji=False).plain


@asynccontextmanager
async def asking(question: Coroutine[Any, Any, Any]) -> AsyncIterator[asyncio.Task[Any]]:
    """Ask a person, who has the question when this is entered; at the end it is cancelled if it is still open."""
    task = asyncio.create_task(question)
    await asyncio.sleep(0)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
