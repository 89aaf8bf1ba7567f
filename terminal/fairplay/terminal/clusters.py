"""The cluster that does the work of a command, from its options."""

from __future__ import annotations

from collections.abc import Iterable

from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.links.spec import parse_link
from fairplay.terminal.extras import missing_module
from fairplay.terminal.outcomes import UsageError

WAIT, END = "wait", "end"


def parse_cluster(jobs: int, address: str | None, when_lost: str, links: Iterable[str]) -> ClusterOptions | None:
    """Return the cluster of `--jobs`, `--cluster` and `--when-lost`; None: it is done without one.

    Raises UsageError if they make no sense together, or with players on these links, or the extra is missing.
    """
    if when_lost not in (WAIT, END):
        raise UsageError(f"--when-lost {when_lost!r}: there are {WAIT} and {END}")
    if jobs == 1 and address is None:
        return None
    if jobs > 1 and address is not None:
        raise UsageError("--jobs is for this machine alone, --cluster for a cluster: give one of them")
    for link in links:
        if parse_link(link).kind == "dial-in":
            stays = f"{link} stays with the server that it has dialled"
            raise UsageError(f"{stays}: with --jobs and --cluster players are bot:, exec: or grpc://")
    if (sentence := missing_module("ray", "--jobs with more than 1, and --cluster,", "cluster")) is not None:
        raise UsageError(sentence)
    return ClusterOptions(jobs=jobs, address=address or "", wait=when_lost == WAIT)
