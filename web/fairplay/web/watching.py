"""Games that are watched: one stream from the server for each, whoever looks at it, and its states since it began."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import grpc
from google.protobuf.message import Message

from fairplay.client.wording import describe_error, elimination_line, plain, result_line
from fairplay.games.envelopes import unwrap
from fairplay.games.frontends import TableContext, find_frontend
from fairplay.games.game import Game, find
from fairplay.v1 import referee_pb2
from fairplay.v1.referee_pb2 import GetGameRequest, WatchGameRequest, WatchGameResponse
from fairplay.web.changes import Changes
from fairplay.web.upstream import ANSWER_LIMIT_S, Upstream

MAX_FRAMES = 20_000
MAX_FEEDS = 200
PAUSE_S = 1.0
DRAWN_COUNT = 256


class Frame(NamedTuple):
    """A state of a game, and how many lines of the log there were then."""

    state: Message
    line_count: int


class Feed:
    """One game as spectators see it: its states so far, what happened in words, and who is asked."""

    def __init__(self, upstream: Upstream, game: referee_pb2.Game) -> None:
        self.game = game
        self.names = [player.name for player in game.plan.players]
        self.frames: list[Frame] = []
        self.log: list[str] = []
        self.asked: Sequence[referee_pb2.AskedPlayer] = ()
        self.result = ""
        self.over = False
        self.away = ""
        """Why the game cannot be followed just now; empty if it can."""
        self.changes = Changes()
        self.drawn_parts: tuple[int, Mapping[str, str]] | None = None
        """The parts of the page of this game as they were drawn last, behind the version of that."""
        self._upstream = upstream
        self._sequence = 0
        self._game = _installed(game.plan.game)
        self._reporter = self._make_reporter()
        self._task = asyncio.create_task(self._follow())
        self.svg = lru_cache(DRAWN_COUNT)(self._draw)

    def _make_reporter(self) -> object:
        """Return a player that is asked nothing: it says in words what has happened, where the game has words."""
        frontend = find_frontend(self.game.plan.game) if self._game is not None else None
        if frontend is None:
            return None
        return frontend.create_player(
            TableContext(lambda: self.names, 1.0, time.monotonic, lambda: None, self.log.append)
        )

    async def _follow(self) -> None:
        while not self.over:
            try:
                await self._stream()
            except grpc.aio.AioRpcError as error:
                self.away = describe_error(error)
                self.changes.notify()
                if error.code() in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.PERMISSION_DENIED):
                    return
            await asyncio.sleep(PAUSE_S if not self.over else 0)

    async def _stream(self) -> None:
        request = WatchGameRequest(game_id=self.game.game_id, after_sequence=self._sequence)
        stream = self._upstream.referee.WatchGame(request)
        try:
            async for event in stream:
                self.away = ""
                self._take(event)
        finally:
            stream.cancel()

    def _take(self, event: WatchGameResponse) -> None:
        self._sequence = event.sequence
        match event.WhichOneof("event"):
            case "state":
                self._take_state(event)
            case "joined":
                self.names[event.joined.seat :] = [event.joined.name]
                self.log.append(f"{plain(event.joined.name)} joins the game.")
            case "eliminated":
                self.log.append(elimination_line(event.eliminated))
            case "asked":
                self.asked = event.asked.players
            case "finished":
                self.asked, self.over, self.result = (), True, result_line(event.finished)
                self.log.append(f"The game is over, {self.result}.")
        self.changes.notify()

    def _take_state(self, event: WatchGameResponse) -> None:
        if self._game is None or len(self.frames) >= MAX_FRAMES:
            return
        state = unwrap(event.state, self._game, self._game.state_type)
        if state is None:
            return
        if self._reporter is not None:
            self._reporter.update(state)  # type: ignore[attr-defined]
        self.asked = ()
        self.frames.append(Frame(state, len(self.log)))

    @property
    def last(self) -> int:
        """Return the number of the newest state, from 0; -1 before the first."""
        return len(self.frames) - 1

    def _draw(self, number: int) -> str:
        if self._game is None:
            return ""
        return self._game.svg(self.frames[number].state, self.names)

    def seen_at(self, number: int) -> Sequence[str]:
        """Return what had happened when the game was in a state, the last first."""
        lines = self.log if number >= self.last else self.log[: self.frames[number].line_count]
        return lines[::-1]

    def waits_for(self) -> str:
        """Return for whom the game waits, in words; empty if for nobody for long."""
        names = [self.names[player.seat] for player in self.asked if player.seat < len(self.names)]
        return f"Waiting for {', '.join(map(plain, names))}." if names else ""

    async def first_state(self, limit_s: float = ANSWER_LIMIT_S) -> None:
        """Wait until there is a state to show; of a game that is over, until all are there."""
        ended = self.game.status != referee_pb2.GAME_STATUS_RUNNING
        try:
            async with asyncio.timeout(limit_s):
                while not (self.over or self.away or (self.frames and not ended) or self._game is None):
                    await self.changes.wait(self.changes.version)
        except TimeoutError:
            return

    def stop(self) -> None:
        """Stop following the game."""
        self._task.cancel()


def _installed(name: str) -> Game | None:
    try:
        return find(name)
    except ValueError:
        return None


class Watching:
    """The games that are watched; those that nobody has asked for longest are forgotten."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._feeds: OrderedDict[str, Feed] = OrderedDict()

    def __len__(self) -> int:
        return len(self._feeds)

    @property
    def changes(self) -> Sequence[Changes]:
        """Return the changes of all games that are watched."""
        return [feed.changes for feed in self._feeds.values()]

    async def feed(self, game_id: str) -> Feed:
        """Return a game with its states. Raises grpc.aio.AioRpcError if the server does not know it."""
        feed = self._feeds.get(game_id)
        if feed is None or (feed.away and not feed.over):
            request = GetGameRequest(game_id=game_id)
            reply = await self._upstream.referee.GetGame(request, timeout=ANSWER_LIMIT_S)
            feed = self._feeds.get(game_id) or Feed(self._upstream, reply.game)
            self._feeds[game_id] = feed
        self._feeds.move_to_end(game_id)
        while len(self._feeds) > MAX_FEEDS:
            self._feeds.popitem(last=False)[1].stop()
        await feed.first_state()
        return feed

    def close(self) -> None:
        """Stop following all games."""
        for feed in self._feeds.values():
            feed.stop()
