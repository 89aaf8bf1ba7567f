"""What a run on a server is to do: checked before anything is asked."""

from __future__ import annotations

import os
import shlex
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from fairplay.certificate.terms import SERVER
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.run.judge import Plan
from fairplay.conformance.run.plan import choose_cases, find_level, read_known_failures
from fairplay.conformance.run.report import Run
from fairplay.conformance.servers.cases import CASES
from fairplay.conformance.servers.context import Place, ServerContext, open_server_context
from fairplay.conformance.servers.scenes import AMPLE_S
from fairplay.games.conformance import Conformance
from fairplay.player.channels import Credentials
from fairplay.player.exposure import is_loopback

CONFORMANCE = Conformance(package=__package__)
"""Where the frozen sets of MUST cases for servers are."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Which server to judge, and how."""

    address: str
    level: str = "all"
    only: str = ""
    known_failures: str = ""
    players_host: str = "127.0.0.1"
    """The address of this machine at which the server reaches players that serve."""
    ca: str = ""
    """The file of the authorities that vouch for the server; empty: FAIRPLAY_CA, or those of the system."""
    insecure: bool = False
    """Whether `players_host` may be one that other machines reach."""


def make_server_plan(options: ServerOptions) -> Plan:
    """Return the plan of a run. Raises ValueError, with one sentence, if the options make no sense."""
    if not options.insecure and not is_loopback(f"{options.players_host}:0"):
        exposed = f"--players-host {options.players_host} can be reached from other machines, without TLS"
        raise ValueError(f"{exposed}: add --insecure if you trust everybody who reaches it")
    level = find_level(options.level)
    ids = [case.id for case in CASES]
    known = read_known_failures(Path(options.known_failures), ids) if options.known_failures else frozenset()
    run = Run(SERVER, "grpc", 1, CallLimits(AMPLE_S, AMPLE_S, AMPLE_S), level, options.only)

    def open_server() -> AbstractContextManager[ServerContext]:
        credentials = Credentials.from_environment(os.environ, Path(options.ca) if options.ca else None)
        return open_server_context(Place(options.address, options.players_host, credentials))

    chosen = choose_cases(CASES, level, options.only)
    return Plan(run, chosen, known, open_server, lambda case_id, _: _repeat_command(options, case_id))


def _repeat_command(options: ServerOptions, case_id: str) -> str:
    """Return the command that judges one case again in the same way."""
    words = ["fairplay", "certify-server", options.address, "--only", case_id]
    if options.players_host != ServerOptions.__dataclass_fields__["players_host"].default:
        words += ["--players-host", options.players_host, *(["--insecure"] if options.insecure else [])]
    if options.ca:
        words += ["--ca", options.ca]
    return shlex.join(words)
