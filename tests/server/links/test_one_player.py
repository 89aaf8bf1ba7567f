"""The address that a started player finds: it leads to ConnectionService, for its own name, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from fairplay.server.links.ways import OnePlayerServers
from fairplay.v1.connection_pb2 import DialInRequest, Hello, HostedPlayer
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from fairplay.v1.manager_pb2 import CancelTournamentRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from tests.server.harness import serving


@pytest.mark.parametrize("kind", ["port", "socket"])
async def test_only_the_expected_player_is_let_in_and_only_to_dial_in(kind: str, tmp_path: Path) -> None:
    listen = "127.0.0.1:0" if kind == "port" else f"unix:{tmp_path / 'server'}"
    async with serving() as server, OnePlayerServers(server.hub)(listen, "ann") as address:
        server.hub.expect("ann", "secret")
        server.hub.expect("bob", "other")
        async with grpc.aio.insecure_channel(address) as channel:
            for name, token, code in (
                ("ann", "secret", None),
                ("ann", "guess", grpc.StatusCode.ALREADY_EXISTS),
                ("bob", "other", grpc.StatusCode.PERMISSION_DENIED),
                ("new", "", grpc.StatusCode.PERMISSION_DENIED),
            ):
                stream = ConnectionServiceStub(channel).DialIn()
                await stream.write(DialInRequest(hello=Hello(players=[HostedPlayer(name=name, token=token)])))
                if code is None:
                    assert (await stream.read()).HasField("welcome")
                else:
                    assert await stream.code() is code
                stream.cancel()
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await ManagerServiceStub(channel).CancelTournament(CancelTournamentRequest(tournament_id="cup"))
            assert failed.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_an_address_that_cannot_be_listened_on_is_an_error(tmp_path: Path) -> None:
    async with serving() as server:
        with pytest.raises(OSError, match="cannot listen on"):
            async with OnePlayerServers(server.hub)(f"unix:{tmp_path}/missing/server", "ann"):
                pass
