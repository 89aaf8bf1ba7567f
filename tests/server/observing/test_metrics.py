"""The page of metrics of a real server, and what is deployed to read it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from fairplay.player.serving import AddressInUseError
from fairplay.player.tls import TlsFiles
from fairplay.server.observing.exporter import Exporter
from fairplay.server.observing.observer import Meter
from fairplay.server.server import Config, Server
from fairplay.terminal.operator.authority import make_authority, make_server
from fairplay.v1 import referee_pb2
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from tests.server.harness import ByHand, plan

DEPLOY = Path(__file__).parents[3] / "deploy"
Page = Callable[[], Any]
FISH = "/fairplay.fish.v1.FishPlayerService"


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
async def server(meter: Meter) -> AsyncIterator[Server]:
    server = await Server.start(Config(meter=meter, start_limit_s=0.3))
    yield server
    await server.stop()


@pytest.fixture
async def exporter(server: Server, meter: Meter) -> AsyncIterator[Exporter]:
    exporter = Exporter(server, meter, "127.0.0.1:0")
    yield exporter
    exporter.close()


async def read(exporter: Exporter) -> dict[str, dict[tuple[str, ...], float]]:
    """Return what the page says: name of each sample -> the values of its labels -> its value."""

    def fetch() -> str:
        with urlopen(f"http://{exporter.address}/metrics", timeout=60) as page:
            return str(page.read().decode())

    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(await asyncio.to_thread(fetch)):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


async def test_games_calls_and_misconducts_are_counted(server: Server, exporter: Exporter) -> None:
    await server.referee.play(plan("bot:first", "bot:greedy"))
    await server.referee.play(plan("bot:first", "dial-in:nobody"))
    page = await read(exporter)
    assert page["fairplay_games_total"] == {("fish", "finished"): 2}
    assert page["fairplay_misconducts_total"] == {("fish", "exception"): 1}
    counts = page["fairplay_call_seconds_count"]
    assert counts[("bot", f"{FISH}/PlayAs", "answered")] == 3
    assert counts[("dial-in", f"{FISH}/PlayAs", "disconnected")] == 1
    assert max(page["fairplay_call_seconds_bucket"].values()) == max(counts.values())
    assert page["fairplay_games_running"] == {(): 0}
    assert page["fairplay_records_failed"] == {(): 0}


async def test_what_is_here_now_is_shown(server: Server, exporter: Exporter) -> None:
    async with ByHand(server, "x") as by_hand:
        await by_hand.say_hello()
        server.referee.create(plan("bot:first", "dial-in:x"), "g")
        await by_hand.next_call()
        page = await read(exporter)
        assert page["fairplay_players_connected"] == {(): 1}
        assert page["fairplay_games_running"] == {(): 1}
        await server.referee.stop("g", "seen")
    assert (await read(exporter))["fairplay_games_total"] == {("fish", "aborted"): 1}


async def test_refusals_are_counted_by_reason(server: Server, exporter: Exporter) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        referee: Any = RefereeServiceStub(channel)
        for _ in range(2):
            with pytest.raises(grpc.aio.AioRpcError):
                await referee.GetGame(referee_pb2.GetGameRequest(game_id="none"))
    assert (await read(exporter))["fairplay_refusals_total"] == {("GAME_NOT_FOUND",): 2}


async def test_the_lag_of_the_event_loop_is_measured(exporter: Exporter) -> None:
    async with asyncio.timeout(60):
        while (page := await read(exporter))["fairplay_event_loop_lag_seconds_count"][()] == 0:
            await asyncio.sleep(0)
    assert page["fairplay_event_loop_lag_seconds_sum"][()] >= 0


async def test_an_address_that_is_taken_is_an_error(server: Server, exporter: Exporter) -> None:
    with pytest.raises(AddressInUseError, match=f"cannot serve metrics on {exporter.address}: "):
        Exporter(server, Meter(), exporter.address)


@pytest.mark.slow
async def test_a_request_that_does_not_come_is_not_waited_for(exporter: Exporter) -> None:
    host, _, port = exporter.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /metrics HTTP/1.1\r\n")
    assert (await read(exporter))["fairplay_games_running"] == {(): 0}
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(60):
            assert await reader.read() == b""
    writer.close()


async def test_the_page_speaks_tls_with_the_certificate_of_the_server(server: Server, tmp_path: Path) -> None:
    make_authority(tmp_path, 1)
    make_server(tmp_path, ["localhost"], 1)
    own = TlsFiles(tmp_path / "server.pem", tmp_path / "server-key.pem")
    exporter = Exporter(server, Meter(), "127.0.0.1:0", own)
    address = f"https://localhost:{exporter.address.rpartition(':')[2]}/metrics"
    context = ssl.create_default_context(cafile=tmp_path / "ca.pem")
    page = await asyncio.to_thread(lambda: urlopen(address, timeout=60, context=context).read())
    assert b"fairplay_games_running 0.0" in page
    exporter.close()


# --- what is deployed ---


@pytest.mark.parametrize("file", ["prometheus/alerts.yml", "grafana/fairplay.json"])
async def test_what_is_deployed_asks_for_metrics_that_there_are(file: str, server: Server, exporter: Exporter) -> None:
    await server.referee.play(plan("bot:first", "bot:greedy"))
    asked = set(re.findall(r"\b(?:fairplay|process)_[a-z_]+", (DEPLOY / file).read_text("utf-8")))
    page = await read(exporter)
    families = {"fairplay_misconducts_total", "fairplay_refusals_total"}  # nothing has happened that they count
    assert asked
    assert asked - {"fairplay_info"} <= {*page, *families}


def test_the_handbook_says_of_each_alert_what_it_means_and_what_to_do() -> None:
    alerts = re.findall(r"alert: (\w+)", (DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8"))
    page = (DEPLOY.parent / "docs" / "operate.md").read_text("utf-8")
    rows = re.findall(r"^\| (Fairplay\w+) \| [^|]+ \| [^|]+ \|$", page, re.MULTILINE)
    assert alerts
    assert rows == alerts


def test_the_dashboard_loads() -> None:
    dashboard = json.loads((DEPLOY / "grafana" / "fairplay.json").read_text("utf-8"))
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]) > 0


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool (Debian: prometheus) is not installed")
@pytest.mark.parametrize("what", [["config", "prometheus.yml"], ["rules", "alerts.yml"]])
def test_prometheus_takes_the_files(what: list[str]) -> None:
    subprocess.run(["promtool", "check", *what], cwd=DEPLOY / "prometheus", check=True, capture_output=True)
