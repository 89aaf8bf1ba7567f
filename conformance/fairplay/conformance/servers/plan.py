"""What a run on a server is to do: checked before anything is asked."""

from __future__ import annotations

import os
import shlex
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from fairplay.certificate.terms import SERVER
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.run.judge import Plan
from fairplay.conformance.run.plan import choose_cases, find_level, read_known_failures
from fairplay.conformance.run.report import Run
from fairplay.conformance.servers.cases import CASES, games, unsound
from fairplay.conformance.servers.context import Place, ServerContext, open_server_context
from fairplay.conformance.servers.scenes import AMPLE_S
from fairplay.games.conformance import Conformance
from fairplay.player.channels import Credentials
from fairplay.player.exposure import is_loopback

CONFORMANCE = Conformance(package=__package__)
"""Where the frozen sets of MUST cases for servers are."""

LOOPBACK = "127.0.0.1"
FEW_CASES = 6
"""Another process does not pay for fewer cases."""


def make_server_plan(
    address: str,
    *,
    level: str = "all",
    only: str = "",
    known_failures: str = "",
    players_host: str = LOOPBACK,
    ca: Path | None = None,
    insecure: bool = False,
    fail_fast: bool = False,
) -> Plan:
    """Return the plan of a run on the server at an address.

    `players_host` is the address of this machine at which the server reaches players that serve; `insecure` says that
    it may be one that other machines reach. `ca` is the file of the authorities that vouch for the server; None:
    FAIRPLAY_CA, or those of the system. `fail_fast` ends the run at the first MUST that is not met. Raises ValueError,
    with one sentence, if that makes no sense.
    """
    if not insecure and not is_loopback(f"{players_host}:0"):
        exposed = f"--players-host {players_host} can be reached from other machines, without TLS"
        raise ValueError(f"{exposed}: add --insecure if you trust everybody who reaches it")
    lowest = find_level(level)
    known = read_known_failures(Path(known_failures), [case.id for case in CASES]) if known_failures else frozenset()
    run = Run(SERVER, "grpc", 1, CallLimits(AMPLE_S, AMPLE_S, AMPLE_S), lowest, only)

    def open_server() -> AbstractContextManager[ServerContext]:
        return open_server_context(Place(address, players_host, Credentials.from_environment(os.environ, ca)))

    def repeat_command(case_id: str, _: str) -> str:
        host = [] if players_host == LOOPBACK else ["--players-host", players_host, *["--insecure"] * insecure]
        authorities = ["--ca", str(ca)] if ca else []
        return shlex.join(["fairplay", "certify-server", address, "--only", case_id, *host, *authorities])

    chosen = choose_cases(CASES, lowest, only)
    # What cannot be is drawn of what the games draw: one process makes both, and that first.
    beside = [case.id for case in (*games.CASES, *unsound.CASES) if case in chosen and case.id not in known]
    remade = partial(
        make_server_plan, address, level=level, only=only, players_host=players_host, ca=ca, insecure=insecure
    )
    helped = beside if len(beside) > FEW_CASES else ()
    return Plan(run, chosen, known, open_server, repeat_command, remade, beside=helped, fail_fast=fail_fast)
