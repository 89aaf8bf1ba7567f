"""The page of Prometheus: what a server counts, and how it stands at the moment it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from prometheus_client import PLATFORM_COLLECTOR, PROCESS_COLLECTOR, CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from fairplay.player.serving import AddressInUseError
from fairplay.server import __version__
from fairplay.server.observing.meter import BOUNDS_S, Durations, Meter

if TYPE_CHECKING:
    from fairplay.server.server import Server

PATIENCE_S = 10.0
"""How long the page waits for the event loop: as long as Prometheus waits for a page."""


class Exporter:
    """The page of a server, served by a thread of its own, and the beat that measures the lag of the event loop."""

    def __init__(self, server: Server, meter: Meter, address: str) -> None:
        """Serve the page of a server, which counts with `meter`, on an address HOST:PORT.

        Raises AddressInUseError if it cannot be used.
        """
        registry = CollectorRegistry()
        for collector in (PROCESS_COLLECTOR, PLATFORM_COLLECTOR, ServerCollector(server, meter)):
            registry.register(collector)
        host, _, port = address.rpartition(":")
        try:
            self._http, self._thread = start_http_server(int(port), host.strip("[]"), registry)
        except OSError as error:
            raise AddressInUseError(f"cannot serve metrics on {address}: {error.strerror or error}") from None
        self.address = f"{host}:{self._http.server_port}"
        self._beat = asyncio.ensure_future(meter.beat())

    def close(self) -> None:
        """End the page and the beat."""
        self._beat.cancel()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class ServerCollector(Collector):
    """Reads what a server counts: asked by the thread of the page, in the event loop of the server."""

    def __init__(self, server: Server, meter: Meter) -> None:
        self._server = server
        self._meter = meter
        self._loop = asyncio.get_running_loop()

    def collect(self) -> Iterable[Metric]:
        """Return all metrics of the server. Raises TimeoutError if its event loop does not turn for long."""
        return asyncio.run_coroutine_threadsafe(self._read(), self._loop).result(PATIENCE_S)

    async def _read(self) -> list[Metric]:
        return [_info(), *self._counted(), *self._standing()]

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


def _info() -> Metric:
    info = GaugeMetricFamily("fairplay_info", "The version of the server; always 1.", labels=["version"])
    info.add_metric([__version__], 1)
    return info


def _durations(
    name: str, meaning: str, labels: list[str], found: Iterable[tuple[Sequence[str], Durations]]
) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, meaning, labels=labels)
    for values, durations in found:
        counts = durations.cumulated()
        bounds = [*map(str, BOUNDS_S), "+Inf"]
        family.add_metric(values, list(zip(bounds, counts, strict=True)), durations.total_s)
    return family
