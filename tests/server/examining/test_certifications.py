"""Certifications: who may ask for one and see it, what is waited for, and what is left after a crash."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairplay import certificate as certificates
from fairplay.certificate.signing import new_key, public_text
from fairplay.games.game import find
from fairplay.server.net.errors import reason_of
from fairplay.server.server import Config, Server
from fairplay.v1 import certification_pb2 as pb
from fairplay.v1.certification_pb2 import Certification, CertificationStatus, ReportForm
from fairplay.v1.certification_pb2_grpc import CertificationServiceStub
from tests.server.access.harness import NOBODY, Callers, calling
from tests.server.harness import dialled_in, seconds, serving
from tests.slow import SLOW

WAITING = CertificationStatus.CERTIFICATION_STATUS_WAITING
FINISHED = CertificationStatus.CERTIFICATION_STATUS_FINISHED
FAILED = CertificationStatus.CERTIFICATION_STATUS_FAILED
CANCELLED = CertificationStatus.CERTIFICATION_STATUS_CANCELLED
CERTIFICATE = ReportForm.REPORT_FORM_CERTIFICATE
INTERRUPTED = CertificationStatus.CERTIFICATION_STATUS_INTERRUPTED


class Asking:
    """The service of a server, as one caller sees it."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.service: Any = CertificationServiceStub(channel)

    async def ask(self, name: str = "ann", **fields: Any) -> Certification:
        request = pb.CreateCertificationRequest(**{"game": "fish", "name": name, **fields})
        found: Certification = (await self.service.CreateCertification(request)).certification
        return found

    async def get(self, certification_id: str) -> Certification:
        request = pb.GetCertificationRequest(certification_id=certification_id)
        found: Certification = (await self.service.GetCertification(request)).certification
        return found

    async def report(
        self, certification_id: str, form: ReportForm.ValueType = ReportForm.REPORT_FORM_CERTIFICATE
    ) -> bytes:
        request = pb.GetCertificationReportRequest(certification_id=certification_id, form=form)
        content: bytes = (await self.service.GetCertificationReport(request)).content
        return content

    async def cancel(self, certification_id: str) -> Certification:
        request = pb.CancelCertificationRequest(certification_id=certification_id)
        found: Certification = (await self.service.CancelCertification(request)).certification
        return found

    async def ids(self, **fields: Any) -> list[str]:
        reply = await self.service.ListCertifications(pb.ListCertificationsRequest(**fields))
        return [each.certification_id for each in reply.certifications]

    async def states(self, certification_id: str) -> AsyncIterator[Certification]:
        request = pb.WatchCertificationRequest(certification_id=certification_id)
        async for each in self.service.WatchCertification(request, timeout=300):
            yield each.certification

    async def refusal(self, call: Any) -> str:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        return reason_of(caught.value)


@asynccontextmanager
async def asking(server: Server | str) -> AsyncIterator[Asking]:
    address = server if isinstance(server, str) else server.address
    async with grpc.aio.insecure_channel(address) as channel:
        yield Asking(channel)


def of(callers: Callers, name: str) -> Asking:
    return Asking(callers.channels[name])


# --- who may ask, and see ---


async def test_what_cannot_be_asked_is_refused() -> None:
    async with serving() as server, asking(server) as author:
        for fields, reason in [
            ({"game": "chess"}, "UNKNOWN_GAME"),
            ({"profile": "easy"}, "INVALID_PROFILE"),
            ({"name": "not a name"}, "NAME_INVALID"),
        ]:
            assert await author.refusal(author.ask(**fields)) == reason
        made = await author.ask()
        assert (made.status, made.dialled_in, made.time_limit.seconds) == (WAITING, False, 600)
        assert await author.refusal(author.ask("Ann")) == "TOO_MANY_REQUESTS"
        assert await author.refusal(author.report(made.certification_id)) == "NO_REPORT"
        assert await author.refusal(author.get("nothing")) == "CERTIFICATION_NOT_FOUND"
        assert (await author.cancel(made.certification_id)).status == CANCELLED
        assert (await author.cancel(made.certification_id)).status == CANCELLED
        again = await author.ask()
        assert await author.ids() == [again.certification_id, made.certification_id]
        assert await author.ids(page_size=1) == [again.certification_id]


async def test_what_is_not_published_only_its_account_and_operators_see(tmp_path: Path) -> None:
    async with calling(tmp_path) as callers:
        alice, bob, root, nobody = (of(callers, name) for name in ("alice", "bob", "root", NOBODY))
        made = (await alice.ask("alices")).certification_id
        assert await alice.refusal(alice.ask("another")) == "TOO_MANY_REQUESTS"  # one of an account
        assert await bob.refusal(bob.ask("alices")) == "NAME_TAKEN"
        shown = (await bob.ask("bobs", published=True)).certification_id
        for stranger in (bob, nobody):
            for call in (stranger.get, stranger.report, stranger.cancel if stranger is bob else stranger.get):
                assert await stranger.refusal(call(made)) == "CERTIFICATION_NOT_FOUND"
            assert await stranger.ids() == [shown]
            assert await stranger.refusal(anext(stranger.states(made))) == "CERTIFICATION_NOT_FOUND"
        assert await alice.refusal(alice.cancel(shown)) == "NOT_OWNER"
        assert await root.ids() == await alice.ids() == [shown, made]
        assert (await root.cancel(made)).status == CANCELLED


async def test_a_player_that_cannot_be_examined_is_told_why() -> None:
    first = find("fish").player("first")
    async with serving() as server, asking(server) as author, dialled_in(server, ("ann", first), ("bob", first)):
        made = await author.ask()
        last = [each async for each in author.states(made.certification_id)][-1]
        assert last.status == FAILED
        assert "shares its stream with other players" in last.reason


async def test_the_length_of_the_queue_is_told_and_those_who_wait_go_on_after_a_restart(tmp_path: Path) -> None:
    config = Config(records=tmp_path, examinations=1)
    async with serving(config) as server, asking(server) as author:
        made = await author.ask()
    async with serving(config) as server, asking(server) as author:
        assert (await author.get(made.certification_id)).status == WAITING
        with server.manager.turns.taken(""), server.manager.turns.taken(""):
            async with dialled_in(server, ("ann", find("fish").player("first"))):
                async for state in author.states(made.certification_id):
                    if state.queue_length == 1:
                        break
                assert state.dialled_in


# --- the suite ---


@asynccontextmanager
async def program(address: str, *, token: str = "secret") -> AsyncIterator[None]:
    """Have a player dial in that is a process of its own."""
    words = ["player", "fish", "--connect", address, "--name", "ann", "--token", token]
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "fairplay.terminal", *words)
    try:
        yield
    finally:
        process.terminate()
        await process.wait()


@SLOW
async def test_a_player_is_certified_and_the_server_signs_that(tmp_path: Path) -> None:
    key = new_key(tmp_path / "key.pem")
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(Config(signing_key=key)))
        author = await stack.enter_async_context(asking(server))
        made = await author.ask()
        await stack.enter_async_context(program(server.address))
        states = [state async for state in author.states(made.certification_id)]
        last = states[-1]
        assert last.status == FINISHED
        assert last.certified is not any(each.level == "MUST" for each in last.unmet_cases)  # late on a busy machine
        assert last.description.display_name == "first"
        counts = [state.judged_case_count for state in states]
        assert counts == sorted(counts)
        assert len(set(counts)) > 10
        assert last.judged_case_count == last.case_count > 100
        assert any(state.HasField("time_left") for state in states)
        certificate = certificates.check(await author.report(made.certification_id))
        assert (certificate.certified, certificate.player) == (last.certified, "first")
        assert certificate.signer == last.signer_key == public_text(key)
        assert (await author.report(made.certification_id, ReportForm.REPORT_FORM_JUNIT)).startswith(b"<?xml")
        page = await author.report(made.certification_id, ReportForm.REPORT_FORM_PAGE)
        assert b"<html" in page
        assert b"fairplay-examination-" not in page
        async with asyncio.timeout(30):
            await server.hub.arrived("ann")


@SLOW
async def test_a_server_that_was_killed_in_the_middle_says_so(tmp_path: Path) -> None:
    words = ["serve", "--listen", "127.0.0.1:0", "--records", str(tmp_path)]

    async def start() -> tuple[asyncio.subprocess.Process, str]:
        command = (sys.executable, "-u", "-m", "fairplay.terminal", *words)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        return process, line.split(" serves on ")[1].split(",")[0]

    process, address = await start()
    async with asking(address) as author, program(address):
        made = await author.ask()
        async for state in author.states(made.certification_id):
            if state.judged_case_count:
                break
        process.send_signal(signal.SIGKILL)
        await process.wait()
    process, address = await start()
    try:
        async with asking(address) as author:
            left = await author.get(made.certification_id)
            assert left.status == INTERRUPTED
            assert left.judged_case_count >= state.judged_case_count
            assert "ask for another one" in left.reason
            assert (await author.ask()).status == WAITING
    finally:
        process.terminate()
        await process.wait()


@SLOW
async def test_a_certification_that_is_cancelled_lets_its_player_go() -> None:
    async with serving() as server, asking(server) as author, program(server.address):
        made = await author.ask(time_limit=seconds(60))
        async for state in author.states(made.certification_id):
            if state.judged_case_count:
                await author.cancel(made.certification_id)
                break
        assert (await author.get(made.certification_id)).status == CANCELLED
        async with asyncio.timeout(30):
            await server.hub.arrived("ann")
