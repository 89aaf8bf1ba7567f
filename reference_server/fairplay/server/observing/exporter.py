"""The page of Prometheus: what a server counts, and how it stands at the moment it is asked."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from prometheus_client import PLATFORM_COLLECTOR, PROCESS_COLLECTOR, CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from fairplay.player.accepting import Connection, Connections, accept
from fairplay.player.serving import AddressInUseError
from fairplay.player.tls import TlsFiles, server_contexts
from fairplay.server import __version__
from fairplay.server.observing.observer import BOUNDS_S, Durations, Meter

if TYPE_CHECKING:
    from fairplay.server.server import Server

REQUEST_S = 10.0
"""How long a request for the page may take to come, and the page to be read."""
MAX_HEAD_BYTES = 16 * 1024
MAX_READERS = 20
"""How many connections the page takes of the descriptors of the server."""
PATIENCE_S = 10.0
"""How long the page waits for the event loop: as long as Prometheus waits for a page."""


class Exporter:
    """The page of a server, and the beat that measures the lag of the event loop."""

    def __init__(self, server: Server, meter: Meter, address: str, tls: TlsFiles | None = None) -> None:
        """Serve the page of a server, which counts with `meter`, on an address HOST:PORT; with `tls`, over TLS.

        Raises AddressInUseError if it cannot be used, CredentialsError if `tls` is of no use.
        """
        registry = CollectorRegistry()
        for collector in (PROCESS_COLLECTOR, PLATFORM_COLLECTOR, ServerCollector(server, meter)):
            registry.register(collector)
        contexts = server_contexts(tls) if tls is not None else None
        host, _, port = address.rpartition(":")
        try:
            self._listening = socket.create_server(
                (host.strip("[]"), int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET
            )
        except OSError as error:
            raise AddressInUseError(f"cannot serve metrics on {address}: {error.strerror or error}") from None
        self.address = f"{host}:{self._listening.getsockname()[1]}"
        self._connections = Connections(MAX_READERS)
        serving = accept(
            self._listening, lambda each: _Page(each, self._connections, registry), self._connections, contexts
        )
        self._tasks = [asyncio.ensure_future(serving), asyncio.ensure_future(meter.beat())]

    def close(self) -> None:
        """End the page and the beat."""
        for task in self._tasks:
            task.cancel()
        self._listening.close()
        self._connections.end_waiting()


class _Page(asyncio.Protocol):
    """A connection that asks for the page, once."""

    def __init__(self, connection: Connection, connections: Connections, registry: CollectorRegistry) -> None:
        self._connection = connection
        self._connections = connections
        self._registry = registry
        self._head = b""
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the request so long to come."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take a part of the request, and answer when its head is there; a body is of no interest."""
        self._head += data
        if len(self._head) > MAX_HEAD_BYTES:
            self._transport.abort()
        elif b"\r\n\r\n" in self._head and self._answering is None:
            self._late.cancel()
            self._connection.waiting = False
            self._answering = asyncio.ensure_future(self._answer())

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room for others."""
        self._late.cancel()
        self._connections.remove(self._connection)

    async def _answer(self) -> None:
        """Send the page and end the connection, once it is read."""
        try:
            self._transport.write(await self._page())
        finally:
            self._transport.close()
            self._wait()

    def _wait(self) -> None:
        """Give the other side so long to do its part."""
        self._connection.waiting = True
        self._late = asyncio.get_running_loop().call_later(REQUEST_S, self._transport.abort)

    async def _page(self) -> bytes:
        lines = self._head.decode("latin-1").split("\r\n")
        accepted = next((line[7:].strip() for line in lines if line.lower().startswith("accept:")), "")
        encode, kind = choose_encoder(accepted)
        if lines[0].startswith("GET "):
            # In a thread, as it asks the event loop and may wait for it.
            status, body = "200 OK", await asyncio.to_thread(encode, self._registry)
        else:
            status, body = "405 Method Not Allowed", b""
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        return head.encode() + body


class ServerCollector(Collector):
    """Reads what a server counts: asked by a thread, in the event loop of the server."""

    def __init__(self, server: Server, meter: Meter) -> None:
        self._server = server
        self._meter = meter
        self._loop = asyncio.get_running_loop()

    def collect(self) -> Iterable[Metric]:
        """Return all metrics of the server. Raises TimeoutError if its event loop does not turn for long."""
        return asyncio.run_coroutine_threadsafe(self._read(), self._loop).result(PATIENCE_S)

    async def _read(self) -> list[Metric]:
        info = GaugeMetricFamily("fairplay_info", "The version of the server; always 1.", labels=["version"])
        info.add_metric([__version__], 1)
        return [info, *self._counted(), *self._standing()]

    def _counted(self) -> Iterator[Metric]:
        meter = self._meter
        yield _durations(
            "fairplay_call_seconds",
            "Calls to players, from sending the call to reading its reply.",
            ["link", "method", "outcome"],
            meter.calls.items(),
        )
        games = CounterMetricFamily("fairplay_games", "Games that are over.", labels=["game", "status"])
        misconducts = CounterMetricFamily("fairplay_misconducts", "Players eliminated.", labels=["game", "kind"])
        refusals = CounterMetricFamily("fairplay_refusals", "Requests that were refused.", labels=["reason"])
        for game_status, count in meter.games.items():
            games.add_metric(game_status, count)
        for game_kind, count in meter.misconducts.items():
            misconducts.add_metric(game_kind, count)
        for reason, count in meter.refusals.items():
            refusals.add_metric([reason], count)
        yield from (games, misconducts, refusals)
        lag = "How late the event loop is: what everybody waits for besides."
        yield _durations("fairplay_event_loop_lag_seconds", lag, [], [((), meter.lag)])

    def _standing(self) -> Iterator[Metric]:
        server = self._server
        store = server.store
        hub = server.hub
        gauges = {
            "fairplay_games_running": ("Games that are being played.", len(server.referee.running_ids)),
            "fairplay_tournaments_open": ("Tournaments that are not over.", len(server.manager.open_ids)),
            "fairplay_players_connected": ("Names under which players have dialled in.", hub.connected_count),
            "fairplay_lobby_users": ("Users of the lobby.", server.lobby.user_count),
            "fairplay_lobby_tables": ("Tables of the lobby.", server.lobby.table_count),
            "fairplay_records_queue": ("Entries of records that are not on disk yet.", store.unsaved_count),
            "fairplay_records_failed": ("1 if the records cannot be written any more.", int(store.failure is not None)),
        }
        for name, (meaning, value) in gauges.items():
            yield GaugeMetricFamily(name, meaning, value=value)
        yield CounterMetricFamily(
            "fairplay_stray_replies", "Replies that nobody had asked for.", value=hub.stray_reply_count
        )
        yield CounterMetricFamily("fairplay_late_replies", "Replies that came too late.", value=hub.late_reply_count)


def _durations(
    name: str, meaning: str, labels: list[str], found: Iterable[tuple[Sequence[str], Durations]]
) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, meaning, labels=labels)
    for values, durations in found:
        counts = durations.cumulated()
        bounds = [*map(str, BOUNDS_S), "+Inf"]
        family.add_metric(values, list(zip(bounds, counts, strict=True)), durations.total_s)
    return family
