"""What a server says of how much it has to do."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import pytest

from fairplay.server import load
from fairplay.server.load import LoadGauge
from fairplay.v1.server_pb2 import ServerLoad


async def test_the_load_has_what_the_process_takes_and_what_is_counted() -> None:
    before_s, before_ns = time.monotonic(), time.process_time_ns()
    gauge = LoadGauge(lambda: ServerLoad(running_game_count=7))
    begun_s = time.monotonic()
    found = await gauge.read()
    passed_s = time.monotonic() - begun_s
    assert found.running_game_count == 7
    assert 0 <= found.uptime.ToNanoseconds() / 1e9 <= time.monotonic() - before_s
    assert before_ns <= found.cpu_time.ToNanoseconds() + 1_000 <= time.process_time_ns() + 1_000
    assert 0 <= found.lag.ToNanoseconds() / 1e9 <= passed_s - 0.02  # for so long it waits
    assert found.memory_bytes == pytest.approx(psutil.Process().memory_info().rss, rel=0.1)


async def test_where_the_system_does_not_say_it_the_memory_is_not_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(load, "STATM", tmp_path / "statm")
    assert (await LoadGauge(ServerLoad).read()).memory_bytes == 0
