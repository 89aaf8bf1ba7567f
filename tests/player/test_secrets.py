"""Players that serve with a secret: whose calls they answer, and which secrets can be used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.secrets import SECRET_KEY, SecretError, secret_of
from fairplay.player.serving import start_server
from fairplay.v1.player_pb2 import DescribeRequest
from fairplay.v1.player_pb2_grpc import PlayerServiceStub

SECRET = "correct-horse"
DESCRIBE = "/fairplay.v1.PlayerService/Describe"
UNUSABLE = ["", " ", "two words", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "line\n", "x" * 257]


@asynccontextmanager
async def served(secret: str) -> AsyncIterator[grpc.aio.Channel]:
    server, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0", secret=secret)
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(0)


async def test_a_call_that_shows_the_secret_is_answered() -> None:
    async with served(SECRET) as channel:
        reply = await PlayerServiceStub(channel).Describe(DescribeRequest(), metadata=((SECRET_KEY, SECRET),))
    assert reply.description.display_name == "first"


WRONG: list[tuple[tuple[str, str | bytes], ...]] = [
    (),
    ((SECRET_KEY, ""),),
    ((SECRET_KEY, SECRET[:-1]),),
    ((SECRET_KEY, SECRET + "x"),),
    ((SECRET_KEY, "wrong"), (SECRET_KEY, SECRET)),
    (("authorization", f"Bearer {SECRET}"),),
    ((f"{SECRET_KEY}-bin", SECRET.encode()),),
]


@pytest.mark.parametrize("method", [DESCRIBE, "/fairplay.fish.v1.FishPlayerService/TakeTurn", "/no.such/Method"])
async def test_other_calls_are_refused_whatever_they_call(method: str) -> None:
    async with served(SECRET) as channel:
        for metadata in WRONG:
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await channel.unary_unary(method)(b"", metadata=metadata, timeout=30)
            assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
            assert SECRET_KEY in (refused.value.details() or "")
            assert SECRET not in str(refused.value)


async def test_a_player_without_a_secret_answers_everybody() -> None:
    async with served("") as channel:
        for metadata in ((), ((SECRET_KEY, SECRET),)):
            assert (await PlayerServiceStub(channel).Describe(DescribeRequest(), metadata=metadata)).description


class Guarded:
    game = "fish"
    secret: object = SECRET


def test_the_secret_is_the_players_own_or_that_of_the_environment() -> None:
    assert secret_of(Guarded(), {"FAIRPLAY_SECRET": "other"}) == SECRET
    assert secret_of(object(), {"FAIRPLAY_SECRET": "other"}) == "other"
    assert secret_of(object(), {}) == ""
    assert secret_of(object(), {"FAIRPLAY_SECRET": "!" + "~" * 255}) == "!" + "~" * 255


def test_a_secret_that_cannot_be_used_is_refused_in_one_sentence_without_it() -> None:
    for secret in UNUSABLE:

        class Own(Guarded):
            pass

        Own.secret = secret
        for player, where in ((Own(), "the secret of Own"), (object(), "FAIRPLAY_SECRET")):
            with pytest.raises(SecretError) as refused:
                secret_of(player, {"FAIRPLAY_SECRET": secret})
            sentence = "a secret is 1 to 256 letters, digits and other visible characters of ASCII, without spaces"
            assert str(refused.value) == f"{where} cannot be used: {sentence}"
