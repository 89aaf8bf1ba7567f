"""Where the programs of players and the work of a command run: in sandboxes, in many processes, on a cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from fairplay.client.errors import UsageError
from fairplay.server.cluster.jobs import ClusterOptions
from fairplay.server.links.program import HIDDEN_VARIABLE, ProgramOptions, read_program_options
from fairplay.server.links.spec import parse_link
from fairplay.terminal.commands.extras import missing_module
from fairplay.terminal.commands.parameters import Cluster, Programs

WAIT, END = "wait", "end"


def parse_program_options(typed: Programs, links: Iterable[str], *, confined: bool = False) -> ProgramOptions:
    """Return the options of programs as they were typed, and say aloud if one of the links has to do without a sandbox.

    Raises UsageError if they cannot be read, SandboxMissingError if a sandbox is required and there is none.
    """
    started = any(link.startswith("exec:") for link in links)
    try:
        sandbox = "off" if typed.sandbox == "auto" and not started else typed.sandbox
        options, missing = read_program_options(
            sandbox, typed.program_limits, typed.program_folders, os.environ, confined=confined
        )
    except ValueError as error:
        raise UsageError(str(error)) from None
    if missing:
        sys.stderr.write(f"fairplay: {missing}\n")
    return options


def hide_from_programs(file: Path) -> None:
    """Keep a file with secrets from all programs that this process, or a child of it, runs in sandboxes."""
    known = os.environ.get(HIDDEN_VARIABLE, "")
    os.environ[HIDDEN_VARIABLE] = os.pathsep.join(filter(None, (known, str(file.absolute()))))


def parse_cluster(typed: Cluster, links: Iterable[str], written: Iterable[Path] = ()) -> ClusterOptions | None:
    """Return the cluster of `--jobs`, `--cluster`, `--when-lost` and `--ship`; None: this process does it.

    `written` are folders that are not shipped, since the command writes there. Raises UsageError if the options make no
    sense together, or with players on these links, or the extra is missing.
    """
    if typed.when_lost not in (WAIT, END):
        raise UsageError(f"--when-lost {typed.when_lost!r}: there are {WAIT} and {END}")
    if typed.ship and typed.cluster is None:
        raise UsageError("--ship is for --cluster: processes of this machine find the folder where it is")
    if typed.jobs == 1 and typed.cluster is None:
        return None
    if typed.jobs > 1 and typed.cluster is not None:
        raise UsageError("--jobs is for this machine alone, --cluster for a cluster: give one of them")
    for link in links:
        if parse_link(link).kind == "dial-in":
            stays = f"{link} stays with the server that it has dialled"
            raise UsageError(f"{stays}: with --jobs and --cluster players are bot:, exec: or grpc://")
    if typed.cluster is not None and (sentence := missing_module("ray", "--cluster", "cluster")) is not None:
        raise UsageError(sentence)
    options = ClusterOptions(jobs=typed.jobs, address=typed.cluster or "", wait=typed.when_lost == WAIT)
    if not typed.ship:
        return options
    here = Path.cwd()
    inside = [path.resolve().relative_to(here) for path in written if path.resolve().is_relative_to(here)]
    return replace(options, shipped=str(here), kept=[path.as_posix() for path in inside])
