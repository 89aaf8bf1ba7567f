"""What `fairplay certify --server` does: a server certifies a player that dials in there."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_duration, parse_server
from fairplay.client.wording import counted, plain
from fairplay.games.kit.files import Output
from fairplay.player.channels import Credentials, open_channel, reach_server
from fairplay.player.interrupts import run
from fairplay.server.links.spec import parse_link
from fairplay.terminal.commands.certify import CertifyOptions
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import LINE_EVERY_S, make_console, make_directory, say
from fairplay.v1 import certification_pb2 as pb
from fairplay.v1.certification_pb2 import Certification, CertificationStatus, ReportForm
from fairplay.v1.certification_pb2_grpc import CertificationServiceStub

HERE = ("roster", "at_once", "cluster", "ship", "events", "sign", "gradescope", "summary", "annotations")
"""Options for players that are certified on this machine."""
SERVERS = ("profile", "budget", "ca")
"""The options of the suite that a server takes."""
WAITING = CertificationStatus.CERTIFICATION_STATUS_WAITING
RUNNING = CertificationStatus.CERTIFICATION_STATUS_RUNNING
FINISHED = CertificationStatus.CERTIFICATION_STATUS_FINISHED
ANSWER_LIMIT_S = 30.0
PATIENCE_S = 30.0
"""How long a server that goes away is waited for."""
PAUSE_S = 1.0
FILES = {
    ReportForm.REPORT_FORM_CERTIFICATE: "certificate.json",
    ReportForm.REPORT_FORM_JUNIT: "junit.xml",
    ReportForm.REPORT_FORM_PAGE: "report.html",
}
"""What --report writes."""


def certify_at_server(typed: CertifyOptions) -> int:
    """Have a server certify a player, show how it goes on, keep the report, and return the exit code.

    Raises UsageError if options make no sense, FailedError or OSError if there is no report. Raises KeyboardInterrupt
    if it is interrupted; then the certification is cancelled.
    """
    name = _name(typed)
    _check_options(typed)
    parse_server(typed.server, "--server")
    limit = parse_duration(typed.suite.budget, "--budget")
    if typed.report is not None:
        make_directory(typed.report)
    asked = pb.CreateCertificationRequest(
        game=typed.game, name=name, profile=typed.suite.profile or "", published=typed.published, time_limit=limit
    )
    return run(_certify(typed, asked))


def _name(typed: CertifyOptions) -> str:
    """Return the name under which the player dials in. Raises UsageError if it does not."""
    try:
        spec = parse_link(typed.player)
    except ValueError:
        spec = None
    if spec is None or spec.kind != "dial-in":
        raise UsageError("--server certifies a player that dials in there: fairplay certify GAME dial-in:NAME --server")
    return spec.value


def _check_options(typed: CertifyOptions) -> None:
    """Raise UsageError if an option is given that says how this machine would certify a player."""
    usual = asdict(type(typed.suite)())
    given = [each for each, value in asdict(typed.suite).items() if value != usual[each] and each not in SERVERS]
    given += [each for each in HERE if getattr(typed, each) not in (None, False)]
    if given:
        option = given[0].replace("_", "-")
        raise UsageError(f"--{option} is for players that are certified here: a server takes --profile and --budget")


async def _certify(typed: CertifyOptions, asked: pb.CreateCertificationRequest) -> int:
    credentials = Credentials.from_environment(os.environ, Path(typed.suite.ca) if typed.suite.ca else None)
    console = make_console(errors=typed.json == "-")
    async with open_channel(typed.server, credentials) as channel:
        await reach_server(channel, typed.server, credentials)
        service = CertificationServiceStub(channel)
        made = (await _answer(service.CreateCertification(asked, timeout=ANSWER_LIMIT_S))).certification
        say(
            console,
            f"Certification {made.certification_id}, on the server's pages: /certificates/{made.certification_id}",
        )
        last = made
        try:
            last = await _follow(service, made, View(console, typed.server))
        finally:
            if last.status in (WAITING, RUNNING):
                await _cancel(service, made.certification_id)
        if last.status != FINISHED:
            raise FailedError(f"there is no report: {plain(last.reason)}")
        for form, output in _outputs(typed):
            wanted = pb.GetCertificationReportRequest(certification_id=made.certification_id, form=form)
            output.write((await _answer(service.GetCertificationReport(wanted, timeout=ANSWER_LIMIT_S))).content)
    if typed.report is not None:
        say(console, f"Look closer: {escape(str(typed.report / 'report.html'))}")
    return DONE if last.certified else FAILED


async def _answer(call: Any) -> Any:
    """Return the answer of a call. Raises FailedError, with what the server says, if it is refused."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            raise FailedError("this server certifies no players: its version is older, or it is another one") from None
        raise FailedError(plain(error.details() or error.code().name)) from None


async def _follow(service: CertificationServiceStub, made: Certification, view: View) -> Certification:
    """Show a certification until it is over, through lost connections, and return it as it is then."""
    request, last = pb.WatchCertificationRequest(certification_id=made.certification_id), made
    loop = asyncio.get_running_loop()
    patient_until_s = loop.time() + PATIENCE_S
    with view:
        while last.status in (WAITING, RUNNING):
            try:
                async for state in service.WatchCertification(request):
                    last = state.certification
                    view.show(last)
                    patient_until_s = loop.time() + PATIENCE_S
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE or loop.time() > patient_until_s:
                    raise FailedError(plain(error.details() or error.code().name)) from None
                await asyncio.sleep(PAUSE_S)
    return last


async def _cancel(service: CertificationServiceStub, certification_id: str) -> None:
    request = pb.CancelCertificationRequest(certification_id=certification_id)
    with suppress(grpc.aio.AioRpcError):  # a server that is away ends it by itself
        await service.CancelCertification(request, timeout=PAUSE_S)


def _outputs(typed: CertifyOptions) -> Iterator[tuple[ReportForm.ValueType, Output]]:
    """Yield the forms of the report that are wanted, and where to."""
    if typed.json is not None:
        yield ReportForm.REPORT_FORM_CERTIFICATE, Output(Path(typed.json))
    if typed.junit is not None:
        yield ReportForm.REPORT_FORM_JUNIT, Output(typed.junit)
    if typed.report is not None:
        yield from ((form, Output(typed.report / name)) for form, name in FILES.items())


class View:
    """Shows a certification on a console: what it waits for, how far it is, each case that is not met, the end."""

    def __init__(self, console: Console, server: str) -> None:
        self._console = console
        self._server = server
        self._status = console.status("")
        self._said = ""
        self._said_s = 0.0
        self._unmet: set[tuple[str, str]] = set()

    def __enter__(self) -> View:
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._status.stop()

    def show(self, state: Certification) -> None:
        """Show one state of it."""
        for each in state.unmet_cases:
            if (each.case_id, each.verdict) not in self._unmet:
                self._unmet.add((each.case_id, each.verdict))
                say(self._console, f"[bold]{each.verdict:10}[/] {escape(plain(f'{each.case_id}: {each.sentence}'))}")
        if state.status not in (WAITING, RUNNING):
            say(self._console, f"[bold]{escape(plain(state.reason))}[/]")
            return
        line = self._waiting(state) if state.status == WAITING else self._running(state)
        if self._console.is_terminal:
            self._status.update(escape(line))
        else:
            self._say_now_and_then(state, line)

    def _say_now_and_then(self, state: Certification, line: str) -> None:
        now_s = asyncio.get_running_loop().time()
        if line != self._said and (state.status == WAITING or now_s - self._said_s > LINE_EVERY_S):
            self._said, self._said_s = line, now_s
            say(self._console, escape(line))

    def _waiting(self, state: Certification) -> str:
        if not state.dialled_in:
            return f"Waiting for {state.name} to dial in to {self._server}"
        first = f": {counted(state.queue_length, 'other')} first" if state.queue_length else ""
        return f"{state.name} waits for its turn{first}"

    def _running(self, state: Certification) -> str:
        left = f", about {_text(state.time_left)} left" if state.HasField("time_left") else ""
        return f"{state.judged_case_count} of {state.case_count} cases{left} {plain(state.case_id)}"


def _text(left: Duration) -> str:
    return f"{left.seconds} s" if left.seconds < 100 else f"{left.seconds / 60:.0f} min"
