"""What a run on a server is to do: checked before anything is asked."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from fairplay.certificate.inapplicable import SERVER
from fairplay.conformance.case import Case
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.run.engine import run_here
from fairplay.conformance.run.events import Writer
from fairplay.conformance.run.report import Report, Run
from fairplay.conformance.run.selection import choose_cases, find_level, read_known_failures
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


@dataclass(frozen=True, slots=True)
class ServerPlan:
    """The cases to judge, and everything that they need."""

    options: ServerOptions
    run: Run
    cases: Sequence[Case]
    known: frozenset[str]

    def open_context(self) -> AbstractContextManager[ServerContext]:
        """Return the context of the cases; the end of its `with` block lets go of the server."""
        ca = Path(self.options.ca) if self.options.ca else None
        credentials = Credentials.from_environment(os.environ, ca)
        return open_server_context(Place(self.options.address, self.options.players_host, credentials))

    def repeat_command(self, case_id: str, history: str = "") -> str:
        """Return the command that judges one case again in the same way."""
        words = ["fairplay", "certify-server", self.options.address, "--only", case_id]
        if self.options.players_host != ServerOptions.__dataclass_fields__["players_host"].default:
            words += ["--players-host", self.options.players_host, *(["--insecure"] if self.options.insecure else [])]
        if self.options.ca:
            words += ["--ca", self.options.ca]
        return shlex.join(words)


def make_server_plan(options: ServerOptions) -> ServerPlan:
    """Return the plan of a run. Raises ValueError, with one sentence, if the options make no sense."""
    if not options.insecure and not is_loopback(f"{options.players_host}:0"):
        exposed = f"--players-host {options.players_host} can be reached from other machines, without TLS"
        raise ValueError(f"{exposed}: add --insecure if you trust everybody who reaches it")
    level = find_level(options.level)
    ids = [case.id for case in CASES]
    known = read_known_failures(Path(options.known_failures), ids) if options.known_failures else frozenset()
    limits = CallLimits(AMPLE_S, AMPLE_S, AMPLE_S)
    run = Run(SERVER, "grpc", 1, limits, level, options.only)
    return ServerPlan(options, run, choose_cases(CASES, level, options.only), known)


def run_server(options: ServerOptions, writers: Sequence[Writer] = ()) -> Report:
    """Judge a server and return the report. Raises ValueError, with one sentence, if the options make no sense."""
    return run_here(make_server_plan(options), writers)
