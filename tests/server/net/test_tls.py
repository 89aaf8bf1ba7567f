"""TLS between server, players and callers; listening where other machines may call."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import ssl
import sys
from pathlib import Path
from unittest.mock import ANY

import grpc
import pytest

from fairplay.games.game import find
from fairplay.player.channels import NO_CREDENTIALS, Credentials, CredentialsError, open_channel
from fairplay.player.dialing import DialInError, Hosted, dial_in_async
from fairplay.player.exposure import ExposedError
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.player.tls import TlsFiles
from fairplay.server.server import Config, Server
from fairplay.terminal.operator.authority import make_authority, make_client, make_server
from fairplay.v1.referee_pb2 import ListGamesRequest, PlayGameRequest
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import plan, serving

PLAYER = f"exec:{sys.executable} -m fairplay.terminal player fish"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tls")
    make_authority(directory, 1)
    make_server(directory, ["localhost", "127.0.0.1"], 1)
    make_client(directory, "alice", 1)
    return directory


def own(directory: Path, *, client_ca: bool = False) -> TlsFiles:
    ca = directory / "ca.pem" if client_ca else None
    return TlsFiles(directory / "server.pem", directory / "server-key.pem", ca)


def trusting(directory: Path) -> Credentials:
    return Credentials(ca=directory / "ca.pem")


async def certificate_of(server: Server) -> bytes:
    host, _, port = server.players_address.rpartition(":")
    pem = await asyncio.to_thread(ssl.get_server_certificate, (host, int(port)), timeout=30)
    return pem.encode()


async def ask(channel: grpc.aio.Channel) -> None:
    await RefereeServiceStub(channel).ListGames(ListGamesRequest(), timeout=30)


async def test_a_game_is_played_over_tls_by_players_of_all_links(files: Path) -> None:
    handlers = Handlers(find("fish").player("first"))
    served, port = await start_server(handlers, "127.0.0.1:0", own(files))
    dialling_in = "127.0.0.1:0"
    config = Config(
        players=dialling_in, tls=own(files), allow_exec=True, start_limit_s=30.0, credentials=trusting(files)
    )
    async with serving(config) as server:
        hosted, address = [Hosted(find("fish").player("first"), "x")], f"grpcs://{server.players_address}"
        dialling = asyncio.create_task(dial_in_async(hosted, address, credentials=trusting(files)))
        links = ("dial-in:x", f"grpcs://127.0.0.1:{port}", PLAYER, f"{PLAYER} --serve")
        async with open_channel(server.address, trusting(files)) as channel:
            game = (await RefereeServiceStub(channel).PlayGame(PlayGameRequest(plan=plan(*links)))).game
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)
    await served.stop(0)
    assert not game.result.misconducts
    assert game.result.ranking


async def test_who_does_not_trust_the_authority_is_not_connected(files: Path) -> None:
    async with serving(Config(tls=own(files))) as server:
        for address, credentials in ((server.address, NO_CREDENTIALS), (f"grpcs://{server.address}", NO_CREDENTIALS)):
            async with open_channel(address, credentials) as channel:
                with pytest.raises(grpc.aio.AioRpcError) as failed:
                    await ask(channel)
                assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
        async with open_channel(server.address, trusting(files)) as channel:
            await ask(channel)


async def test_a_player_with_a_certificate_that_is_not_trusted_is_not_called(files: Path, tmp_path: Path) -> None:
    make_authority(tmp_path, 1)
    make_server(tmp_path, ["localhost", "127.0.0.1"], 1)
    served, port = await start_server(Handlers(find("fish").player("first")), "127.0.0.1:0", own(tmp_path))
    async with serving(Config(credentials=trusting(files), start_limit_s=1.0)) as server:
        game = await server.referee.play(plan(f"grpcs://127.0.0.1:{port}", "bot:first"))
    await served.stop(0)
    assert "over TLS" in game.result.misconducts[0].call_error.message


@pytest.mark.parametrize("players", ["", "127.0.0.1:0"])
async def test_a_renewed_certificate_is_taken_up(files: Path, tmp_path: Path, players: str) -> None:
    directory = tmp_path / "own"
    shutil.copytree(files, directory)
    async with serving(Config(players=players, tls=own(directory))) as server:
        assert await certificate_of(server) == (files / "server.pem").read_bytes()
        for name in ("server.pem", "server-key.pem"):
            (directory / name).unlink()
        (directory / "server.pem").write_text("half a file")
        assert await certificate_of(server) == (files / "server.pem").read_bytes()
        (directory / "server.pem").unlink()
        make_server(directory, ["localhost", "127.0.0.1"], 1)
        assert await certificate_of(server) == (directory / "server.pem").read_bytes()
        async with open_channel(server.address, trusting(files)) as channel:
            await ask(channel)


async def test_who_speaks_no_http_2_over_tls_is_not_heard(files: Path) -> None:
    context = ssl.create_default_context(cafile=files / "ca.pem")
    async with serving(Config(players="127.0.0.1:0", tls=own(files))) as server, asyncio.timeout(30):
        host, _, port = server.players_address.rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()


async def test_mutual_tls_lets_in_only_callers_with_a_certificate(files: Path) -> None:
    async with serving(Config(tls=own(files, client_ca=True))) as server:
        async with open_channel(server.address, trusting(files)) as channel:
            with pytest.raises(grpc.aio.AioRpcError):
                await ask(channel)
        alice = Credentials(files / "ca.pem", files / "alice.pem", files / "alice-key.pem")
        async with open_channel(server.address, alice) as channel:
            await ask(channel)


def first_bytes(
    server: Server, context: ssl.SSLContext, session: ssl.SSLSession | None
) -> tuple[bytes, ssl.SSLSession | None]:
    """Return what a server says first to whoever comes with a session of TLS, and the session that it leaves."""
    host, _, port = server.players_address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as bare,
        context.wrap_socket(bare, server_hostname=host, session=session) as connection,
    ):
        return connection.recv(9), connection.session


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_caller_whose_authority_is_taken_away_comes_back_with_no_session(
    files: Path, tmp_path: Path, version: ssl.TLSVersion
) -> None:
    make_authority(tmp_path, 1)
    authorities = tmp_path / "callers.pem"
    shutil.copy(files / "ca.pem", authorities)
    tls = TlsFiles(files / "server.pem", files / "server-key.pem", authorities)
    alice = ssl.create_default_context(cafile=files / "ca.pem")
    alice.load_cert_chain(files / "alice.pem", files / "alice-key.pem")
    alice.set_alpn_protocols(["h2"])
    alice.minimum_version = alice.maximum_version = version
    async with serving(Config(players="127.0.0.1:0", tls=tls)) as server:
        said, session = await asyncio.to_thread(first_bytes, server, alice, None)
        assert said
        authorities.unlink()
        shutil.copy(tmp_path / "ca.pem", authorities)
        with contextlib.suppress(OSError):  # how it is refused depends on the version
            assert await asyncio.to_thread(first_bytes, server, alice, session) == (b"", ANY)


async def test_a_dialling_player_says_which_file_is_of_no_use(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(CredentialsError, match=r"ca\.pem is not a file in PEM"):
        await dial_in_async([Hosted(find("fish").player("first"), "x")], "127.0.0.1:1", credentials=trusting(tmp_path))


async def test_a_player_gives_up_on_a_server_that_speaks_no_tls(files: Path) -> None:
    async with serving() as server:
        with pytest.raises(DialInError, match="was not reached"):
            await dial_in_async(
                [Hosted(find("fish").player("first"), "x")],
                f"grpcs://{server.address}",
                patience_s=0.3,
                credentials=trusting(files),
            )


@pytest.mark.parametrize("missing", ["key", "pair", "client_ca"])
async def test_a_server_says_which_file_is_of_no_use(files: Path, tmp_path: Path, missing: str) -> None:
    directory = tmp_path / "own"
    shutil.copytree(files, directory)
    named = {"key": "server-key.pem", "client_ca": "ca.pem"}.get(missing)
    if named is None:
        shutil.copy(directory / "alice-key.pem", directory / "server-key.pem")
    else:
        (directory / named).write_text("nothing")
    with pytest.raises(CredentialsError, match="cannot be used for TLS"):
        await Server.start(Config(tls=own(directory, client_ca=True)))


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "[::]:0"])
async def test_a_server_that_strangers_reach_needs_tls_and_accounts(files: Path, listen: str) -> None:
    with pytest.raises(ExposedError, match=r"add --tls CERT KEY and --accounts, or --insecure"):
        await Server.start(Config(listen=listen))
    with pytest.raises(ExposedError, match="add --accounts, or --insecure"):
        await Server.start(Config(listen=listen, tls=own(files)))


async def test_an_operator_may_say_that_nothing_is_needed() -> None:
    config = Config(listen="0.0.0.0:0", insecure=True)
    async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
        await ask(channel)


def test_keys_are_for_their_owner_only(files: Path) -> None:
    keys = [*files.glob("*-key.pem")]
    assert len(keys) == 3
    assert [path.stat().st_mode & 0o777 for path in keys] == [0o600] * 3
