"""What the tests of the pages share: a real server, the pages before it, and people who send forms."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import httpx
from google.protobuf.duration_pb2 import Duration

from fairplay.certificate.signing import new_key, public_text, signed
from fairplay.player.channels import Credentials
from fairplay.server import __version__
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import (
    CreateTournamentRequest,
    GetTournamentRequest,
    StartTournamentRequest,
    WatchTournamentRequest,
)
from fairplay.v1.referee_pb2 import GamePlan, PlayGameRequest
from fairplay.v1.tournament_pb2 import CertificatePolicy, SignUpPolicy, Tournament, TournamentFormat, TournamentPlan
from fairplay.web.app import Options, make_app
from fairplay.web.serving import served
from fairplay.web.upstream import Upstream
from tests.server.manager.test_certificates import certificate

LIMIT_S = 60.0
SERVER = Config(listen="127.0.0.1:0", lobby=LobbyLimits(requests_per_second=10_000, burst=10_000, enter_burst=10_000))


class Pages:
    """A server and its pages."""

    def __init__(self, server: Server, url: str, token: str = "") -> None:
        self.server = server
        self.url = url
        self._upstream = Upstream(server.address, Credentials(token=token))

    def with_token(self, token: str) -> Pages:
        """Return the same for the account of a token, which plays games and tournaments."""
        return Pages(self.server, self.url, token)

    @asynccontextmanager
    async def person(self, name: str = "") -> AsyncIterator[httpx.AsyncClient]:
        """Yield a browser without scripts, which has entered the lobby if it has a name."""
        async with httpx.AsyncClient(base_url=self.url, follow_redirects=True, timeout=LIMIT_S) as browser:
            if name:
                answer = await browser.post("/enter", data={"name": name})
                assert answer.status_code == 200, answer.text
            yield browser

    async def play_game(self, game: str, game_id: str, *links: str) -> None:
        """Play a game between p0, p1 and so on to its end."""
        players = [Player(name=f"p{index}", link=link) for index, link in enumerate(links)]
        plan = GamePlan(game=game, seed=3, players=players)
        await self._upstream.referee.PlayGame(PlayGameRequest(game_id=game_id, plan=plan), timeout=LIMIT_S)

    async def play_tournament(
        self, tournament_id: str, form: TournamentFormat, *links: str, title: str = "A <b>cup</b>"
    ) -> Tournament:
        """Play a tournament of Fish to its end."""
        entrants = [Player(name=f"e{index}", link=link) for index, link in enumerate(links)]
        plan = TournamentPlan(game="fish", seed=3, format=form, entrants=entrants, title=title)
        manager = self._upstream.manager
        request = CreateTournamentRequest(tournament_id=tournament_id, plan=plan)
        await manager.CreateTournament(request, timeout=LIMIT_S)
        await manager.StartTournament(StartTournamentRequest(tournament_id=tournament_id), timeout=LIMIT_S)
        async with asyncio.timeout(LIMIT_S):
            async for _ in manager.WatchTournament(WatchTournamentRequest(tournament_id=tournament_id)):
                pass
        reply = await manager.GetTournament(GetTournamentRequest(tournament_id=tournament_id))
        found: Tournament = reply.tournament
        return found

    async def sign_up_certified(self, tournament_id: str, folder: Path, *, title: str = "") -> str:
        """Have ann sign up for a tournament of Fish with a certificate, whose signer's key is kept in a folder.

        Returns the public key of the signer.
        """
        key = new_key(folder / "key.pem")
        policy = SignUpPolicy(waiting_period=Duration(), certificate=CertificatePolicy(signer_keys=[public_text(key)]))
        await self.server.manager.create(tournament_id, TournamentPlan(game="fish", sign_up=policy, title=title))
        player = Player(name="ann", link="bot:first")
        await self.server.manager.sign_up(
            tournament_id, player, "", signed(certificate(suite_version=__version__), key)
        )
        return public_text(key)

    async def close(self) -> None:
        """Close the channel of the tests."""
        await self._upstream.close()


@asynccontextmanager
async def pages_of(
    config: Config = SERVER, *, root_path: str = "", change: Callable[[Options], Options] = lambda options: options
) -> AsyncIterator[Pages]:
    """Yield a server with its pages."""
    server = await Server.start(config)
    try:
        async with pages_before(server, change(Options(server.address, root_path=root_path))) as pages:
            yield pages
    finally:
        await server.stop()


@asynccontextmanager
async def pages_before(server: Server, options: Options) -> AsyncIterator[Pages]:
    """Yield the pages of a server that runs already."""
    async with served(make_app(options), "127.0.0.1:0") as address:
        pages = Pages(server, f"http://{address}{options.root_path}")
        try:
            yield pages
        finally:
            await pages.close()


def text_of(markup: str) -> str:
    """Return what a page says, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


async def events_of(browser: httpx.AsyncClient, address: str) -> AsyncGenerator[tuple[str, str]]:
    """Yield the events of a stream: their names and data."""
    async with browser.stream("GET", address) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        name, data = "", list[str]()
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data.append(line.removeprefix("data: "))
            elif not line and name:
                yield name, "\n".join(data)
                name, data = "", []


async def wait_for(browser: httpx.AsyncClient, address: str, part: str, words: str) -> str:
    """Return a part of a page, from its stream, as soon as it holds these words."""
    async with asyncio.timeout(LIMIT_S), aclosing(events_of(browser, address)) as events:
        async for name, data in events:
            if name == part and words in text_of(data):
                return data
    raise AssertionError(f"the stream {address} ended before {part} said {words!r}")
