"""What `--jobs`, `--cluster` and `--when-lost` mean together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fairplay.client.errors import UsageError
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.terminal.commands.parameters import Cluster
from fairplay.terminal.workers import parse_cluster

BOTS = ("bot:first", "exec:./player", "grpc://here:1")


def test_jobs_are_processes_here_and_an_address_is_a_cluster() -> None:
    assert parse_cluster(Cluster(jobs=3, when_lost="end"), BOTS) == ClusterOptions(jobs=3, wait=False)
    assert parse_cluster(Cluster(cluster="auto"), BOTS) == ClusterOptions(jobs=1, address="auto", wait=True)


def test_the_current_folder_is_sent_without_what_the_command_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written = [Path("out/cup"), Path("/elsewhere/cup")]
    found = parse_cluster(Cluster(cluster="auto", ship=True), BOTS, written)
    assert found == ClusterOptions(jobs=1, address="auto", shipped=str(tmp_path), kept=["out/cup"])
    with pytest.raises(UsageError, match="--ship is for --cluster"):
        parse_cluster(Cluster(jobs=2, ship=True), BOTS)


@pytest.mark.parametrize("module", ["fairplay.terminal.playing.setup", "fairplay.terminal.certify.roster"])
def test_a_process_without_a_cluster_does_not_load_ray(module: str) -> None:
    program = f"import sys, fairplay.server.server, {module}; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
