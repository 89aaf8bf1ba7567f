"""Players that dial in come back by themselves, whatever has ended their stream, but for what ends them for good."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.player.dialing import FINAL, DialInError, Hosted, dial_in_async
from fairplay.player.tls import TlsFiles
from fairplay.server.net.errors import Refusal
from fairplay.server.server import Config
from fairplay.terminal.operator.authority import make_authority, make_server
from tests.player.endings import EXHAUSTED, Ending, ending
from tests.robustness.harness import free_address
from tests.robustness.network import network
from tests.server.access.harness import add_accounts
from tests.server.harness import plan, serving

STATUSES = [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK]
ACCOUNT = Credentials(token="of an account")


async def dial_in(address: str, credentials: Credentials = NO_CREDENTIALS, player: object = None) -> None:
    """Dial in as ann with the kit, until the server says goodbye for good."""
    await dial_in_async([Hosted(player or find("fish").player("first"), "ann")], address, credentials=credentials)


@pytest.mark.parametrize("credentials", [NO_CREDENTIALS, ACCOUNT], ids=["nobody", "account"])
async def test_a_stream_that_was_lost_is_opened_again_whatever_its_status(credentials: Credentials) -> None:
    servicer = Ending(*(code for code in STATUSES if code not in FINAL))
    async with asyncio.timeout(60), ending(servicer) as address:
        await dial_in(address, credentials)
    assert not servicer.statuses


@pytest.mark.parametrize("credentials", [NO_CREDENTIALS, ACCOUNT], ids=["nobody", "account"])
async def test_a_hello_is_said_again_unless_the_docs_call_its_status_final(credentials: Credentials) -> None:
    async with asyncio.timeout(60):
        for status in (*FINAL, EXHAUSTED):
            async with ending(Ending(*[status] * 50, welcomes=False)) as address:  # gRPC may hide one behind INTERNAL
                with pytest.raises(DialInError, match="refuses: as in the list"):
                    await dial_in(address, credentials)
        busy = Refusal("TOO_MANY_REQUESTS", "ask again in a moment", retry_s=0.1)
        async with ending(
            Ending(grpc.StatusCode.CANCELLED, busy, grpc.StatusCode.UNAVAILABLE, welcomes=False)
        ) as address:
            await dial_in(address, credentials)


async def test_it_is_said_once_that_a_server_is_away(caplog: pytest.LogCaptureFixture) -> None:
    address = free_address()
    with pytest.raises(DialInError, match="was not reached"):
        await dial_in_async([Hosted(find("fish").player("first"), "ann")], address, patience_s=0.5)
    [record] = caplog.records
    assert f"{address} is not there" in record.getMessage()


def test_the_final_statuses_are_those_that_the_docs_name() -> None:
    page = (Path(__file__).parents[2] / "proto" / "SPECIFICATION.md").read_text()
    sentence = page[page.index("- [BYE-7]") : page.index("- [BYE-8]")]
    assert {code for code in STATUSES if f"`{code.name}`" in sentence} == {*FINAL, grpc.StatusCode.RESOURCE_EXHAUSTED}


class Thinking:
    """A player of Fish that answers as the first strategy does, when it may. `asked` is set when it has a call."""

    game = "fish"

    def __init__(self) -> None:
        self._inner: Any = find("fish").player("first")
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    def play_as(self, request: Any) -> None:
        return None

    def play_with(self, request: Any) -> None:
        return None

    def setup(self, request: Any) -> Any:
        return self._inner.setup(request)

    async def take_turn(self, request: Any) -> Any:
        self.asked.set()
        await self.may.wait()
        return self._inner.take_turn(request)


@pytest.mark.parametrize("guarded", [False, True], ids=["plain", "account-over-tls"])
async def test_a_game_goes_on_when_the_network_breaks_and_when_the_server_starts_again(
    tmp_path: Path, guarded: bool
) -> None:
    config, credentials, scheme = Config(free_address(), records=tmp_path / "records"), NO_CREDENTIALS, ""
    if guarded:
        make_authority(tmp_path, 1)
        make_server(tmp_path, ["localhost", "127.0.0.1"], 1)
        tls = TlsFiles(tmp_path / "server.pem", tmp_path / "server-key.pem", None)
        token = add_accounts(tmp_path / "records")["alice"]
        config, scheme = replace(config, accounts=True, tls=tls), "grpcs://"
        credentials = Credentials(ca=tmp_path / "ca.pem", token=token)
    player, wanted = Thinking(), plan("dial-in:ann", "bot:first", limit_s=3_600)
    async with asyncio.timeout(60), network(config.listen) as between:
        dialling = asyncio.create_task(dial_in(f"{scheme}{between.address}", credentials, player))
        async with serving(config) as server:
            server.referee.create(wanted, "g")
            await player.asked.wait()
            await between.cut()
            player.asked.clear()
            await between.restore()
            await player.asked.wait()  # for the same answer, which it still owes
            player.asked.clear()
        for _ in range(2):
            await between.in_vain.acquire()
        async with serving(config) as server:
            await player.asked.wait()
            player.may.set()
            game = await server.referee.play(wanted, "g")
            assert not game.result.misconducts
            assert len(game.result.ranking) == 2
        assert not dialling.done()
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)
