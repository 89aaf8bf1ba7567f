"""What `fairplay certify` does with one player, and `fairplay certify-server` with a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from rich.markup import escape

from fairplay.certificate.signing import read_key
from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_listen, parse_seconds, parse_server
from fairplay.conformance.case import Case
from fairplay.conformance.cases import cases
from fairplay.conformance.requirements import sentence_of
from fairplay.conformance.run.engine import run_plan
from fairplay.conformance.run.judge import Writer
from fairplay.conformance.run.options import OPTIONS, Options, is_duration, option_name
from fairplay.conformance.run.plan import OutdatedError, choose_cases, find_level, make_plan, ordered
from fairplay.conformance.run.report import Report
from fairplay.conformance.writers.ci import AnnotationWriter, SummaryWriter
from fairplay.conformance.writers.events import EventsWriter
from fairplay.conformance.writers.files import CertificateWriter, GradescopeWriter, JunitWriter, ReportWriter
from fairplay.games.conformance import find_profile
from fairplay.games.game import find
from fairplay.games.kit.files import Output
from fairplay.terminal.certify.console import ConsoleWriter
from fairplay.terminal.commands.certify import CertifyOptions, CertifyServerOptions
from fairplay.terminal.commands.options import DONE
from fairplay.terminal.commands.parameters import Programs
from fairplay.terminal.printing import make_console, make_directory, print_json, say
from fairplay.terminal.workers import hide_from_programs, parse_program_options


def build_options(game: str, player: str, typed: Mapping[str, Any]) -> Options:
    """Return the options that were typed. Raises UsageError if a duration or an address is invalid."""
    values: dict[str, Any] = {}
    for option in OPTIONS:
        name = option_name(option)
        value = typed[name.replace("-", "_")]
        values[option.name] = parse_seconds(value, f"--{name}") if is_duration(option) and value is not None else value
    parse_listen(values["listen"], "--listen")
    if not player:
        raise UsageError("say which player: fairplay certify GAME SPEC, e.g. exec:./my-player, or --roster FILE")
    return Options(game, player, **values)


def check_together(options: CertifyOptions) -> None:
    """Raise UsageError if options make no sense together."""
    if options.sign is not None and options.report is None and (options.roster is not None or options.json is None):
        where = "--report DIR" if options.roster is not None else "--json FILE or --report DIR"
        raise UsageError(f"--sign is for certificates that are written: give {where}, too")
    if options.roster is not None:
        if options.events is not None:
            raise UsageError("--events is for one player: with --roster, several are judged side by side")
        if options.gradescope is not None:
            raise UsageError("--gradescope is for one player: its autograder judges one submission at a time")
        if options.junit is not None:
            raise UsageError("--junit is for one player: with --roster, --report DIR writes a file for each")
        return
    if options.cluster is not None or options.when_lost != "wait" or options.ship:
        raise UsageError("--cluster, --when-lost and --ship are for --roster: one player is judged on this machine")
    if options.at_once is not None:
        raise UsageError("--at-once is for --roster: --jobs says how many cases of one player are judged at once")


@contextmanager
def named_errors(who: str = "") -> Iterator[None]:
    """Turn a ValueError into a UsageError, or a FailedError if a list of known failures is outdated.

    Such a list was right once: it is no slip of who typed its name. `who`: what the sentence begins with.
    """
    try:
        yield
    except OutdatedError as error:
        raise FailedError(f"{who}{error}") from None
    except ValueError as error:
        raise UsageError(f"{who}{error}") from None


def signing_key(typed: CertifyOptions) -> Ed25519PrivateKey | None:
    """Return the key that signs certificates, which programs must not see; None: nothing does. Raises UsageError."""
    if typed.sign is None:
        return None
    hide_from_programs(typed.sign)
    with named_errors():
        return read_key(typed.sign)


def certify_one(typed: CertifyOptions) -> int:
    """Judge a player, show and keep what was found, and return the exit code.

    Raises KeyboardInterrupt if it is interrupted; what was judged by then is shown and kept.
    """
    options = build_options(typed.game, typed.player, asdict(typed.suite))
    key = signing_key(typed)
    programs = Programs(
        sandbox=options.sandbox, program_limits=options.program_limits, program_folders=options.program_folders
    )
    parse_program_options(programs, [str(options.player)])
    with named_errors():
        plan = make_plan(options)
    waiting = ""
    if plan.run.reached_by == "dial-in" and not options.listen.endswith(":0"):
        waiting = f"Waiting for {str(options.player).partition(':')[2]} to dial in to {options.listen}"
    more: list[Writer] = [GradescopeWriter(typed.gradescope)] if typed.gradescope is not None else []
    more += [EventsWriter(typed.events)] if typed.events is not None else []
    return _show_run(lambda writers: run_plan(plan, [*writers, *more]), typed, waiting, key)


def certify_server(typed: CertifyServerOptions) -> int:
    """Judge a server, show and keep what was found, and return the exit code. Raises UsageError if that makes no sense.

    With `--list`, only list the cases.
    """
    from fairplay.conformance.servers.cases import CASES
    from fairplay.conformance.servers.plan import make_server_plan

    with named_errors():
        if typed.list_:
            _print_cases(choose_cases(CASES, find_level(typed.level), typed.only), typed.json)
            return DONE
        if not typed.address:
            raise UsageError("say which server: fairplay certify-server HOST:PORT")
        parse_server(typed.address, "the server")
        plan = make_server_plan(
            typed.address,
            level=typed.level,
            only=typed.only,
            known_failures=typed.known_failures,
            players_host=typed.players_host,
            ca=typed.ca,
            insecure=typed.insecure,
            fail_fast=typed.fail_fast,
        )
    return _show_run(lambda writers: run_plan(plan, writers), typed)


def _show_run(
    judge: Callable[[Sequence[Writer]], Report],
    typed: CertifyOptions | CertifyServerOptions,
    first: str = "",
    key: Ed25519PrivateKey | None = None,
) -> int:
    """Judge, show and keep what was found, and return the exit code. `first`: what is said before.

    `key` signs the certificate.

    Raises OSError or FailedError, before anything is judged, if something cannot be written. Raises KeyboardInterrupt
    if it is interrupted; what was judged by then is shown and kept.
    """
    report = typed.report
    if report is not None:
        make_directory(report)
    console = make_console(errors=typed.json == "-")
    writers = list(_writers(console, typed, key))
    if first:
        say(console, escape(first))
    code = judge(writers).exit_code
    if report is not None:
        say(console, f"Look closer: {escape(str(report / 'report.html'))}")
    return code


def _writers(
    console: Console, typed: CertifyOptions | CertifyServerOptions, key: Ed25519PrivateKey | None
) -> Iterator[Writer]:
    yield ConsoleWriter(console)
    if typed.report is not None:
        yield ReportWriter(typed.report, key)
    if typed.json is not None:
        yield CertificateWriter(Path(typed.json), key)
    if typed.junit is not None:
        yield JunitWriter(typed.junit)
    if typed.summary is not None:
        yield SummaryWriter(Output(typed.summary))
    if typed.annotations:
        yield AnnotationWriter(console.file)


def show_cases(options: CertifyOptions) -> None:
    """List the cases of a game. Raises UsageError if there is no such game, level or case."""
    with named_errors():
        game = find(options.game)
        if options.suite.profile:
            find_profile(game, options.suite.profile)
        found = ordered(game, choose_cases(cases(game), find_level(options.suite.level), options.suite.only))
    _print_cases(found, options.json)


def _print_cases(found: Sequence[Case], json: str | None) -> None:
    """Print cases, with the sentences of what they check; `json` not None: as JSON, with the ids."""
    if json is not None:
        print_json(
            [{"id": each.id, "level": each.level, "checks": list(each.checks), "why": each.why} for each in found]
        )
        return
    console = make_console()
    for each in found:
        say(console, f"[bold]{each.id}[/] {each.level}: {escape(each.why)}")
        for checked in each.checks:
            say(console, f"    {escape(f'{checked}: {sentence_of(checked)}')}")
