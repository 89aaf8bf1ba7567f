"""The server of `fairplay serve`: from its options to its end, with its log, and pages, metrics and traces beside."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from textwrap import indent

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairplay.certificate.signing import read_key
from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_address, parse_seconds
from fairplay.games.kit.printable import harmless_text
from fairplay.player.channels import Credentials
from fairplay.player.exposure import check_exposure, is_loopback
from fairplay.player.interrupts import run
from fairplay.player.tls import TlsFiles
from fairplay.sandbox.limits import NO_LIMITS, Spec
from fairplay.server.access.accounts import Accounts
from fairplay.server.access.quotas import QuotaLimits
from fairplay.server.links.networks import DialNetworks
from fairplay.server.links.program import guard_command
from fairplay.server.lobby.users import LobbyLimits
from fairplay.server.net.connections import raise_descriptor_limit
from fairplay.server.net.text import visible
from fairplay.server.observing.observer import Meter
from fairplay.server.preload import load
from fairplay.server.records.errors import StoreInUse
from fairplay.server.server import Config, Server
from fairplay.terminal.commands.extras import missing_module
from fairplay.terminal.commands.serve import ServeOptions
from fairplay.terminal.operator.accounts import invitation_link
from fairplay.terminal.workers import hide_from_programs, parse_program_options

TEXT, JSON = "text", "json"
PERIOD_S = 60.0
MOST, MOST_NEWS = 10, 1_000
"""How many entries of one kind are logged in a period: of what is wrong, and of what happens (INFO)."""
LEAST_HEARTBEAT_S = 0.1
STANDBY_S = 0.5
"""How often a server in standby asks whether it may go on."""
MAX_NAMED = 5
"""How many of the interrupted games and tournaments that a server goes on with are named."""
FIRST_ACCOUNT_S = 3_600
"""How long the invitation for the first account is valid."""
BURST_S = 2
"""A user of the lobby may make the requests of so many seconds at once."""


class JsonFormatter(logging.Formatter):
    """Formats each entry as one line of JSON: time (UTC), level, logger, message, and the exception if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of an entry."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


class TextFormatter(logging.Formatter):
    """Formats each entry as a line of text, and its exception as further ones, which are indented.

    So nothing that is filled in looks like an entry of its own.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of an entry."""
        line = f"{self.formatTime(record)} {record.levelname} {record.name}: {record.getMessage()}"
        exception = [harmless_text(self.formatException(record.exc_info))] if record.exc_info else []
        return "\n".join([visible(line), *(indent(text, "    ") for text in exception)])


class RepeatFilter(logging.Filter):
    """Drops entries of one kind when there are many in a period, and says with the first of the next how many.

    Entries are of one kind if they have the same logger, level, text and type of exception, whatever is filled in.
    """

    def __init__(self, time_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._time_s = time_s
        self._counts: dict[tuple[str, int, str, object], int] = {}
        self._began_s = time_s()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether an entry is logged."""
        now_s = self._time_s()
        if now_s - self._began_s > PERIOD_S:
            self._began_s, counts, self._counts = now_s, self._counts, {}
            for (name, level, text, _), count in counts.items():
                if (dropped := count - _most(level)) > 0:
                    logging.getLogger(name).log(level, "%s more times: %s", f"{dropped:,}", text)
        kind = (record.name, record.levelno, str(record.msg), record.exc_info[0] if record.exc_info else None)
        self._counts[kind] = count = self._counts.get(kind, 0) + 1
        return count <= _most(record.levelno)


def _most(level: int) -> int:
    return MOST_NEWS if level <= logging.INFO else MOST


def start_log(form: str) -> None:
    """Begin to log in a format. Raises UsageError if there is no such format."""
    if form not in (TEXT, JSON):
        raise UsageError(f"--log-format {form!r}: there are {TEXT} and {JSON}")
    handler = logging.StreamHandler()
    handler.addFilter(RepeatFilter())
    handler.setFormatter(JsonFormatter() if form == JSON else TextFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])


# --- the server ---


def run_server(options: ServeOptions) -> None:
    """Run a server until Ctrl-C. Raises UsageError if options make no sense, alone or together."""
    _check_together(options)
    config = build_config(options)
    start_log(options.log_format)
    run(_serve(config, options))


def _check_together(options: ServeOptions) -> None:
    """Raise UsageError if options do not go together, or need an extra that is not there."""
    if options.tls_client_ca is not None and options.tls is None:
        raise UsageError("--tls-client-ca needs --tls CERT KEY: certificates are shown over TLS only")
    if options.standby and options.records is None:
        raise UsageError("--standby needs --records, which another server has")
    if options.accounts and options.records is None:
        raise UsageError("--accounts needs --records, beside which they are kept: see fairplay accounts add")
    if options.web is not None and options.tls is not None:
        raise UsageError("--web goes without --tls: run fairplay web --server grpcs://HOST:PORT beside this server")
    if options.web is not None:
        remedy = {"`fairplay web --tls CERT KEY` in place of --web, which speaks no TLS": False}
        check_exposure(parse_address(options.web, "--web"), remedy, insecure=options.insecure)
    if options.metrics is not None:
        needed = {"--tls CERT KEY": options.tls is not None, "--accounts": options.accounts}
        check_exposure(parse_address(options.metrics, "--metrics"), needed, insecure=options.insecure)
        _check_installed("prometheus_client", "--metrics", "metrics")
    if options.traces is not None:
        scheme, _, address = options.traces.partition("://")
        if scheme not in ("http", "https"):
            raise UsageError(f"--traces {options.traces!r} is no URL of a collector: give e.g. http://127.0.0.1:4317")
        parse_address(address, "--traces")
        _check_installed("opentelemetry.exporter.otlp.proto.grpc", "--traces", "traces")


def _check_installed(module: str, option: str, extra: str) -> None:
    """Raise UsageError if a module that an option needs is not there, with the extra that brings it."""
    if (sentence := missing_module(module, option, extra)) is not None:
        raise UsageError(sentence)


def build_config(options: ServeOptions) -> Config:
    """Return the configuration of the server. Raises UsageError if an option cannot be read."""
    try:
        networks = DialNetworks.parse(options.dial_networks) if options.dial_networks is not None else None
    except ValueError as error:
        raise UsageError(f"--dial-networks: {error}") from None
    heartbeat_s = parse_seconds(options.heartbeat, "--heartbeat")
    if heartbeat_s < LEAST_HEARTBEAT_S:
        raise UsageError(f"--heartbeat {options.heartbeat!r} is too short: {LEAST_HEARTBEAT_S:g}s is the least")
    lobby = LobbyLimits(
        grace_s=parse_seconds(options.grace, "--grace"),
        requests_per_second=options.requests,
        burst=BURST_S * options.requests,
        max_user_count=options.max_users,
        max_table_count=options.max_tables,
    )
    return Config(
        listen=parse_address(options.listen, "--listen"),
        players=parse_address(options.players, "--players") if options.players else "",
        records=options.records,
        allow_exec=options.allow_exec,
        start_limit_s=parse_seconds(options.start_limit, "--start-limit"),
        concurrency=options.concurrency,
        examinations=options.examinations,
        signing_key=_read_key(options.sign),
        programs=parse_program_options(options.programs, ["exec:"] if options.allow_exec else [], confined=True),
        lobby=lobby,
        tls=TlsFiles(*options.tls, options.tls_client_ca) if options.tls is not None else None,
        accounts=options.accounts,
        insecure=options.insecure,
        quotas=QuotaLimits(
            calls_per_second=options.calls, game_count=options.games_at_once, search_depth=options.search_depth
        ),
        audit=options.audit,
        dial_networks=networks,
        heartbeat_s=heartbeat_s,
        meter=Meter() if options.metrics is not None else None,
        credentials=Credentials.from_environment(os.environ, options.ca),
    )


def _read_key(file: Path | None) -> Ed25519PrivateKey | None:
    """Return the key in a file, which no program that is started sees. Raises UsageError if it cannot be read."""
    if file is None:
        return None
    hide_from_programs(file)
    try:
        return read_key(file)
    except ValueError as error:
        raise UsageError(f"--sign: {error}") from None


async def _serve(config: Config, options: ServeOptions) -> None:
    """Run a server until this task is cancelled, or the process is terminated."""
    async with AsyncExitStack() as closing:
        if options.traces is not None:
            from fairplay.server.observing.tracer import Tracer  # of an extra

            tracer = Tracer(options.traces, options.trace_share)
            closing.push_async_callback(asyncio.to_thread, tracer.close)
            config = replace(config, tracer=tracer)
        raise_descriptor_limit()
        server = await _start(config, standby=options.standby)
        closing.push_async_callback(server.stop)
        terminated = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
        dialling = f", players dial in at {server.players_address}" if config.players else ""
        kept = f", records in {config.records}" if config.records else ", records are not kept (no --records)"
        over = " over TLS" if config.tls is not None else ""
        if options.metrics is not None and config.meter is not None:
            from fairplay.server.observing.exporter import Exporter  # of an extra

            tls = None if is_loopback(options.metrics) else config.tls
            exporter = Exporter(server, config.meter, options.metrics, tls)
            closing.callback(exporter.close)
            scheme = "http" if tls is None else "https"
            kept += f", metrics at {scheme}://{exporter.address}/metrics"
        sys.stdout.write(f"fairplay serves on {server.address}{over}{dialling}{kept}; Ctrl-C stops it\n")
        taken_up = [*server.manager.open_ids, *server.referee.running_ids]
        if taken_up:
            sys.stdout.write(f"It goes on with what was interrupted: {_named(taken_up)}\n")
        if server.accounts is not None and not server.accounts.accounts:
            sys.stdout.write(f"Nobody has an account yet. {_first_account(server.accounts, options)}\n")
        sys.stdout.flush()
        if options.web is None:
            await terminated.wait()
        else:
            await _show(server.address, options.web, terminated)


def _first_account(accounts: Accounts, options: ServeOptions) -> str:
    """Return how an operator makes the first account: with a link in a terminal, else with a command.

    What is printed elsewhere is kept in logs, where an invitation has no place.
    """
    if options.web is None or options.web.endswith(":0"):
        return f"Make an operator's: fairplay accounts add NAME --role operator --records {_quoted(options)}"
    url = f"http://{_near(options.web)}"
    if sys.stdout.isatty():
        link = invitation_link(url, accounts.invite("operator", 1, FIRST_ACCOUNT_S))
        return f"Make yours, an operator's, within an hour: {link}"
    command = f"fairplay invitations new --role operator --records {_quoted(options)} --web {url}"
    return f"This prints a link to make an operator's: {command}"


def _quoted(options: ServeOptions) -> str:
    return shlex.quote(str(options.records))


def _near(address: str) -> str:
    """Return an address of this machine at which a server can be reached that listens to an address."""
    host, _, port = address.rpartition(":")
    return f"{'127.0.0.1' if host in ('0.0.0.0', '[::]') else host}:{port}"


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
    return ", ".join(ids[:MAX_NAMED]) + more


async def _start(config: Config, *, standby: bool) -> Server:
    """Start a server; in `standby` as soon as no other server has its records."""
    load()
    waits = False
    while True:
        try:
            return await Server.start(config)
        except StoreInUse as busy:
            if not standby:
                raise
            if not waits:
                sys.stdout.write(f"fairplay waits: {str(busy).partition(':')[0]}\n")
                sys.stdout.flush()
        waits = True
        await asyncio.sleep(STANDBY_S)


async def _show(address: str, pages: str, terminated: asyncio.Event) -> None:
    """Have another process show the server in browsers until `terminated` is set. Raises FailedError if it ends.

    It is under guard and in a session of its own: it ends with this process, however that ends, and Ctrl-C is for this
    process alone.
    """
    command = [sys.executable, "-m", "fairplay.terminal", "web", "--server", _near(address), "--listen", pages]
    command += ["--insecure"]  # whether they may be exposed, `serve` has checked
    process = await asyncio.create_subprocess_exec(
        *guard_command(Spec(NO_LIMITS), command), stdin=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    ended, asked = asyncio.ensure_future(process.wait()), asyncio.ensure_future(terminated.wait())
    try:
        await asyncio.wait((ended, asked), return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise FailedError("the pages have ended, and the server with them")
    finally:
        asked.cancel()
        process.stdin.close()
        await ended
