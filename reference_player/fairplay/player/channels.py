"""Channels to servers: over TLS where the address or the credentials ask for it, with the token of an account."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import grpc

from fairplay.player.proxies import check_proxy, find_proxy, host_of, is_this_machine

CA_VARIABLE, CERTIFICATE_VARIABLE, KEY_VARIABLE = "FAIRPLAY_CA", "FAIRPLAY_CERT", "FAIRPLAY_KEY"
TOKEN_VARIABLE = "FAIRPLAY_TOKEN"
PLAIN, SECURE = "grpc://", "grpcs://"
AUTHORIZATION = "authorization"
VISITOR = "fairplay-visitor"
"""The metadata key of the host of the visitor for whom pages call a server: it is granted less, and counted alone."""
CONNECT_LIMIT_S = 5.0

Options: TypeAlias = Sequence[tuple[str, Any]]


class CredentialsError(OSError):
    """A file of certificates or keys cannot be used; one sentence."""


class NoServerError(OSError):
    """No server answers on an address; one sentence."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Whom a caller trusts, and who it is.

    `ca` is the file of the authorities that are trusted, in PEM; None: those of the system. `certificate` and `key`
    are the files of the caller's own certificate, for servers that ask for one. `token` is that of an account.
    `visitor` returns the host of whom a call is made for, empty if that is not known; None: calls are the caller's own.
    """

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    token: str = ""
    visitor: Callable[[], str] | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], ca: Path | None = None) -> Credentials:
        """Return what FAIRPLAY_CA, FAIRPLAY_CERT, FAIRPLAY_KEY and FAIRPLAY_TOKEN say; `ca` goes before FAIRPLAY_CA."""
        ca, certificate, key = (
            given or (Path(value) if (value := environment.get(name)) else None)
            for given, name in ((ca, CA_VARIABLE), (None, CERTIFICATE_VARIABLE), (None, KEY_VARIABLE))
        )
        return cls(ca, certificate, key, environment.get(TOKEN_VARIABLE, "").strip())

    def channel_credentials(self) -> grpc.ChannelCredentials:
        """Return the same for gRPC. Raises CredentialsError if a file cannot be read or is not PEM."""
        if (self.certificate is None) != (self.key is None):
            raise CredentialsError(f"a certificate of one's own needs both {CERTIFICATE_VARIABLE} and {KEY_VARIABLE}")
        root, key, chain = (_read_pem(path) for path in (self.ca, self.key, self.certificate))
        return grpc.ssl_channel_credentials(root, key, chain)


NO_CREDENTIALS = Credentials()


def _read_pem(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CredentialsError(f"{path} cannot be read: {error.strerror}") from None
    if b"-----BEGIN " not in data:
        raise CredentialsError(f"{path} is not a file in PEM: it has no line that begins with -----BEGIN")
    return data[data.index(b"-----BEGIN ") :]  # OpenSSL takes no byte order mark


def split_address(address: str, credentials: Credentials) -> tuple[str, bool]:
    """Return HOST:PORT, and whether TLS is spoken there.

    grpcs:// stands for TLS and grpc:// for none; without either, there is TLS where `credentials` names authorities.
    """
    if address.startswith(SECURE):
        return address.removeprefix(SECURE), True
    if address.startswith(PLAIN):
        return address.removeprefix(PLAIN), False
    return address, credentials.ca is not None


def open_channel(address: str, credentials: Credentials = NO_CREDENTIALS, options: Options = ()) -> grpc.aio.Channel:
    """Open a channel to a server. The token goes over TLS, or to this machine, and never readable over a network.

    The environment may name a proxy for other machines; see `find_proxy`.

    Raises CredentialsError if a file of the credentials cannot be used.
    """
    target, secure = split_address(address, credentials)
    proxy = find_proxy(target)
    way = ("grpc.enable_http_proxy", 0) if proxy is None else ("grpc.http_proxy", proxy.url)
    options = [*options, way]
    token = credentials.token if secure or is_this_machine(host_of(target)) else ""
    interceptors = []
    if token or credentials.visitor is not None:
        interceptors = [kind(token, credentials.visitor) for kind in (_UnaryUnary, _UnaryStream, _StreamStream)]
    if secure:
        granted = credentials.channel_credentials()
        return grpc.aio.secure_channel(target, granted, options=options, interceptors=interceptors)
    return grpc.aio.insecure_channel(target, options=options, interceptors=interceptors)


async def reach_server(channel: grpc.aio.Channel, address: str, credentials: Credentials = NO_CREDENTIALS) -> None:
    """Wait until the channel to a server is connected.

    Raises NoServerError if that takes too long, ProxyError if a proxy on the way is of no use.
    """
    target, secure = split_address(address, credentials)
    await check_proxy(target)
    try:
        await asyncio.wait_for(channel.channel_ready(), CONNECT_LIMIT_S)
    except TimeoutError:
        over = " over TLS with a certificate that is trusted" if secure else ""
        raise NoServerError(f"no server answers on {address}{over}") from None


class _WithCaller:
    """Adds to the metadata of calls who makes them: the token, and the visitor of the pages."""

    def __init__(self, token: str, visitor: Callable[[], str] | None) -> None:
        self._own = [(AUTHORIZATION, f"Bearer {token}")] if token else []
        self._visitor = visitor

    async def _continue(self, continuation: Any, details: Any, request: Any) -> Any:
        visitor = [(VISITOR, self._visitor())] if self._visitor is not None else []
        metadata = grpc.aio.Metadata(*(details.metadata or ()), *self._own, *visitor)
        return await continuation(details._replace(metadata=metadata), request)


class _UnaryUnary(_WithCaller, grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[misc]  # grpcio has no types
    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await self._continue(continuation, client_call_details, request)


class _UnaryStream(_WithCaller, grpc.aio.UnaryStreamClientInterceptor):  # type: ignore[misc]
    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await self._continue(continuation, client_call_details, request)


class _StreamStream(_WithCaller, grpc.aio.StreamStreamClientInterceptor):  # type: ignore[misc]
    async def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return await self._continue(continuation, client_call_details, request_iterator)
