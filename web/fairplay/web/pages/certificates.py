"""Certify mine: an author has a player certified that dials in, sees how it goes on, and gets the report."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client.wording import describe_error
from fairplay.player.channels import open_channel
from fairplay.player.dialing import CHANNEL_OPTIONS
from fairplay.v1 import certification_pb2 as pb
from fairplay.v1.certification_pb2 import Certification, CertificationStatus, ReportForm
from fairplay.v1.certification_pb2_grpc import CertificationServiceStub
from fairplay.web.changes import Changes
from fairplay.web.site import dial_in_address, form_of, go, page, render, site_of, stream, visitor_of
from fairplay.web.upstream import ANSWER_LIMIT_S, PASSING, knows_accounts

PAGE_SIZE = 50
TOKEN_BYTES = 16
MAX_TOKEN_CHARS = 64
PAUSE_S = 1.0
OPEN = (CertificationStatus.CERTIFICATION_STATUS_WAITING, CertificationStatus.CERTIFICATION_STATUS_RUNNING)
FORMS = {
    "certificate.json": (ReportForm.REPORT_FORM_CERTIFICATE, "application/json"),
    "junit.xml": (ReportForm.REPORT_FORM_JUNIT, "application/xml"),
    "report.html": (ReportForm.REPORT_FORM_PAGE, "text/html"),
}
"""The files of a report: their forms, and what browsers are told of them."""
REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
"""The page of a report styles itself, and may do nothing else: it shows what a stranger's program has said."""


@asynccontextmanager
async def _service(request: Request) -> AsyncIterator[Any]:
    """Give the service of the server as who asks sees it: never with the account of the pages."""
    upstream, visitor = site_of(request).upstream, visitor_of(request)
    if visitor is not None:
        yield CertificationServiceStub(visitor.client.channel)
        return
    credentials = replace(upstream.credentials, token="")
    async with open_channel(upstream.address, credentials, CHANNEL_OPTIONS) as channel:
        yield CertificationServiceStub(channel)


async def certificates(request: Request, refusal: str = "", values: Mapping[str, str] | None = None) -> Response:
    """List the certifications, below the form that asks for one."""
    info, visitor = await site_of(request).upstream.info(), visitor_of(request)
    asked = pb.ListCertificationsRequest(page_size=PAGE_SIZE, page_token=request.query_params.get("page", ""))
    async with _service(request) as service:
        reply = await service.ListCertifications(asked, timeout=ANSWER_LIMIT_S)
    usual = {"name": visitor.name if visitor is not None else f"player-{secrets.token_hex(3)}"}
    return page(
        request,
        "certificates.html",
        409 if refusal else 200,
        listed=reply.certifications,
        next_page=reply.next_page_token,
        offered=info.games,
        needs_account=knows_accounts(info) and visitor is None,
        refusal=refusal,
        values=values or usual,
    )


async def ask(request: Request) -> Response:
    """Ask for a certification, and go to its page."""
    form = await form_of(request)
    asked = pb.CreateCertificationRequest(
        game=form.get("game", ""), name=form.get("name", "").strip(), published=form.get("published") == "on"
    )
    try:
        async with _service(request) as service:
            made = (await service.CreateCertification(asked, timeout=ANSWER_LIMIT_S)).certification
    except grpc.aio.AioRpcError as error:
        if error.code() in PASSING:
            raise
        return await certificates(request, describe_error(error), form)
    known = knows_accounts(await site_of(request).upstream.info())
    token = "" if known else f"?token={secrets.token_urlsafe(TOKEN_BYTES)}"
    return go(request, f"/certificates/{made.certification_id}{token}")


async def cancel(request: Request) -> Response:
    """Cancel a certification."""
    asked = pb.CancelCertificationRequest(certification_id=request.path_params["id"])
    async with _service(request) as service:
        await service.CancelCertification(asked, timeout=ANSWER_LIMIT_S)
    return go(request, f"/certificates/{asked.certification_id}")


async def certificate(request: Request) -> Response:
    """Show a certification: how to dial in, how far it is, or its report."""
    found = await _find(request)
    return page(
        request,
        "certificate.html",
        certification=found,
        open=found.status in OPEN,
        part=_part(request, found),
        address=dial_in_address(request),
        knows_accounts=knows_accounts(await site_of(request).upstream.info()),
        token=request.query_params.get("token", "")[:MAX_TOKEN_CHARS],
    )


async def events(request: Request) -> Response:
    """Stream the state of a certification as it changes."""
    followed = Followed(await _find(request))

    @asynccontextmanager
    async def following() -> AsyncIterator[None]:
        task = asyncio.create_task(_follow(request, followed))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    changes = followed.changes
    return stream(
        request,
        lambda: {"certification": _part(request, followed.state)},
        changes.wait,
        lambda: changes.version,
        lambda: followed.state.status not in OPEN,
        following,
    )


async def report(request: Request) -> Response:
    """Answer with a file of the report."""
    name = request.path_params["file"]
    if name not in FORMS:
        raise HTTPException(404, "A report has no such file.")
    form, kind = FORMS[name]
    asked = pb.GetCertificationReportRequest(certification_id=request.path_params["id"], form=form)
    async with _service(request) as service:
        content = (await service.GetCertificationReport(asked, timeout=ANSWER_LIMIT_S)).content
    headers = {"Content-Security-Policy": REPORT_POLICY}
    if name != "report.html":
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return Response(content, media_type=kind, headers=headers)


class Followed:
    """A certification that a page shows, as it was told last."""

    def __init__(self, state: Certification) -> None:
        self.state = state
        self.changes = Changes()


async def _follow(request: Request, followed: Followed) -> None:
    """Follow a certification to its end, through lost connections."""
    asked = pb.WatchCertificationRequest(certification_id=followed.state.certification_id)
    while followed.state.status in OPEN:
        with suppress(grpc.aio.AioRpcError):
            async with _service(request) as service:
                async for each in service.WatchCertification(asked):
                    followed.state = each.certification
                    followed.changes.notify()
        await asyncio.sleep(PAUSE_S)


async def _find(request: Request) -> Certification:
    asked = pb.GetCertificationRequest(certification_id=request.path_params["id"][:64])
    async with _service(request) as service:
        found: Certification = (await service.GetCertification(asked, timeout=ANSWER_LIMIT_S)).certification
    return found


def _part(request: Request, state: Certification) -> str:
    return render(request, "parts/certification.html", certification=state, open=state.status in OPEN)


ROUTES: Sequence[Route] = (
    Route("/certificates", certificates),
    Route("/certificates", ask, methods=["POST"]),
    Route("/certificates/{id}", certificate),
    Route("/certificates/{id}/cancel", cancel, methods=["POST"]),
    Route("/certificates/{id}/{file}", report),
    Route("/live/certificate/{id}", events),
)
