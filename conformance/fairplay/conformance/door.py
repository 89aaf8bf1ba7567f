"""`fairplay certify` and `fairplay certificate`: the suite for people who have never heard of pytest."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairplay.certificate import Certificate, check
from fairplay.conformance.cases import cases
from fairplay.conformance.engine import chosen
from fairplay.conformance.events import Writer
from fairplay.conformance.plan import LEVELS, Options, plan_of
from fairplay.conformance.writers.console import ConsoleWriter
from fairplay.conformance.writers.files import CertificateWriter, JunitWriter, ReportWriter
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.terminal.options import parse_address, parse_seconds
from fairplay.terminal.outcomes import DONE, FAILED, FailedError, UsageError
from fairplay.terminal.printing import check_json, make_directory, print_json, say

NEEDED = ("pytest", "hypothesis")
CASES = Path(__file__).with_name("cases")
CONFIGURATION = Path(__file__).with_name("certify.ini")
QUIET = ("terminal", "warnings", "cacheprovider", "doctest", "unittest", "logging", "junitxml", "faulthandler")
"""Plugins of pytest that would speak, write or listen where the suite does so itself."""
STOPPED = 2


@dataclass(frozen=True, slots=True)
class Wish:
    """What was typed."""

    game: str
    player: str
    level: str
    only: str
    seed: int
    limit: str | None
    first_limit: str | None
    start_limit: str
    listen: str
    jobs: int
    known_failures: Path | None

    def options(self) -> Options:
        """The same as numbers of seconds. UsageError: what is no duration or address."""
        return Options(
            self.game,
            self.player,
            self.level,
            self.only,
            self.seed,
            None if self.limit is None else parse_seconds(self.limit, "--limit"),
            None if self.first_limit is None else parse_seconds(self.first_limit, "--first-limit"),
            parse_seconds(self.start_limit, "--start-limit"),
            parse_address(self.listen, "--listen"),
            str(self.known_failures) if self.known_failures is not None else "",
        )


def certify(wish: Wish, report: Path | None, json: str | None, junit: Path | None) -> int:
    """Judges a player, shows and keeps what was found; returns the exit code. KeyboardInterrupt: it was stopped."""
    options = wish.options()
    if not options.player:
        raise UsageError("say which player: fairplay certify GAME SPEC, e.g. exec:./my-player")
    try:
        plan = plan_of(options)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if wish.jobs > 1 and plan.run.reached_by == "dial-in":
        raise UsageError("--jobs is for players that can be there several times: one that dials in is one player")
    _check_installed(wish.jobs)
    check_json(json)
    check_json(None if junit is None else str(junit))
    if report is not None:
        make_directory(report)
    console = Console(stderr=json == "-", highlight=False)
    writers: list[Writer] = [ConsoleWriter(console)]
    if report is not None:
        writers.append(ReportWriter(report))
    if json is not None:
        writers.append(CertificateWriter(Path(json)))
    if junit is not None:
        writers.append(JunitWriter(junit))
    if plan.run.reached_by == "dial-in" and not options.listen.endswith(":0"):
        say(console, f"Waiting for {escape(options.player.partition(':')[2])} to dial in to {options.listen}")
    code = _run(options, wish.jobs, writers)
    if report is not None:
        say(console, f"Look closer: {escape(str(report / 'report.html'))}")
    return code


def _check_installed(jobs: int) -> None:
    wanted = (*NEEDED, *(["xdist"] if jobs > 1 else []))
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        raise FailedError(f"fairplay certify needs {' and '.join(missing)}: pip install 'fairplay[certify]'")


def _run(options: Options, jobs: int, writers: list[Writer]) -> int:
    import pytest

    from fairplay.conformance.pytest_session import AUDIENCE, Audience

    audience = Audience(writers)

    class Bringing:
        """Introduces the writers to pytest."""

        def pytest_addoption(self, pluginmanager: pytest.PytestPluginManager) -> None:
            """Called before the plugin of the suite is configured."""
            pluginmanager.register(audience, AUDIENCE)

    with _own_environment(), _one_interrupt():
        code = pytest.main(_arguments(options, jobs), plugins=[Bringing()])
    if code == STOPPED and (audience.report is None or not audience.report.complete):
        raise KeyboardInterrupt
    if audience.report is None or not audience.report.judged:
        raise FailedError(f"pytest could not run the cases: it ended with exit code {int(code)}")
    return audience.report.exit_code


def _arguments(options: Options, jobs: int) -> list[str]:
    """What pytest is told. Nothing of the folder or the environment in which it runs counts."""
    given = {
        "game": options.game,
        "player": options.player,
        "level": options.level,
        "only": options.only,
        "seed": options.seed,
        "limit": options.limit_s,
        "first-limit": options.first_limit_s,
        "start-limit": options.start_limit_s,
        "listen": options.listen,
        "known-failures": str(Path(options.known_failures).absolute()) if options.known_failures else "",
    }
    arguments = [str(CASES), "-c", str(CONFIGURATION), "-s", "-p", "fairplay.conformance.plugin"]
    for name in QUIET:
        arguments += ["-p", f"no:{name}"]
    if jobs > 1:
        arguments += ["-p", "xdist.plugin", "-n", str(jobs)]
    return [*arguments, *(f"--fairplay-{name}={value}" for name, value in given.items() if value not in (None, ""))]


@contextmanager
def _own_environment() -> Iterator[None]:
    """Without the plugins and options that are meant for somebody else's tests."""
    before = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    before["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """The first Ctrl-C stops the run; those that follow do not disturb the writing of what was judged so far."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def show_cases(name: str, level: str, only: str, json: str | None) -> None:
    """Lists the cases of a game. UsageError: there is no such game, level or case."""
    try:
        game = find(name)
        found = chosen(cases(game), LEVELS.get(level, Level.MAY), only)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if json is not None:
        print_json(
            [{"id": each.id, "level": each.level, "checks": list(each.checks), "why": each.why} for each in found]
        )
        return
    console = Console(highlight=False)
    for each in found:
        say(console, f"[bold]{each.id}[/] {each.level}: {escape(each.why)}")
        for checked in each.checks:
            say(console, f"    {escape(f'{checked}: {game.rules[checked]}' if checked in game.rules else checked)}")


def verify_certificate(file: Path) -> int:
    """Checks a certificate and says what it is worth; returns the exit code. UsageError: the file cannot be read."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    try:
        found = check(data)
    except ValueError as error:
        raise FailedError(str(error)) from None
    console = Console(highlight=False)
    say(console, escape(_worth(found)))
    return DONE if found.certified else FAILED


def _worth(found: Certificate) -> str:
    who = f"{found.player or 'a player without a name'}, {found.game}, revision {found.protocol_revision}"
    facts = f"seed {found.seed}, issued {found.issued}"
    if found.certified:
        return f"The certificate is whole: {who} is certified ({facts})."
    why = (
        f"{len(found.unmet)} of the MUST cases are not met, e.g. {found.unmet[0].id}"
        if found.unmet
        else "cases are missing"
    )
    return f"The certificate is whole, but certifies nothing: {who} ({facts}): {why}."
