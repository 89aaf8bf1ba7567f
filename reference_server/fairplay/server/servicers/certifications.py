"""CertificationService: players that dial in have themselves certified."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from fairplay.server.access.caller import CALLER
from fairplay.server.access.ownership import Ownership
from fairplay.server.examining.certifications import Certifications
from fairplay.server.servicers.public import cursor_of, page_size, token_of
from fairplay.v1 import certification_pb2 as pb
from fairplay.v1.certification_pb2_grpc import CertificationServiceServicer


class CertificationServicer(CertificationServiceServicer):
    """The service that hands requests to the certifications of the server."""

    def __init__(self, certifications: Certifications, ownership: Ownership) -> None:
        self._certifications = certifications
        self._ownership = ownership

    async def CreateCertification(  # noqa: N802
        self, request: pb.CreateCertificationRequest, context: Any
    ) -> pb.CreateCertificationResponse:
        """Ask for the certification of a player that dials in."""
        await self._ownership.claim_names([request.name], "name")
        made = await self._certifications.create(request, CALLER.get())
        return pb.CreateCertificationResponse(certification=made)

    async def CancelCertification(  # noqa: N802
        self, request: pb.CancelCertificationRequest, context: Any
    ) -> pb.CancelCertificationResponse:
        """End a certification that is not over."""
        ended = await self._certifications.cancel(request.certification_id, CALLER.get())
        return pb.CancelCertificationResponse(certification=ended)

    async def GetCertification(  # noqa: N802
        self, request: pb.GetCertificationRequest, context: Any
    ) -> pb.GetCertificationResponse:
        """Return one certification."""
        found = self._certifications.get(request.certification_id, CALLER.get())
        return pb.GetCertificationResponse(certification=found)

    async def GetCertificationReport(  # noqa: N802
        self, request: pb.GetCertificationReportRequest, context: Any
    ) -> pb.GetCertificationReportResponse:
        """Return the report of one that is finished."""
        content = await self._certifications.report(request.certification_id, request.form, CALLER.get())
        return pb.GetCertificationReportResponse(content=content)

    async def ListCertifications(  # noqa: N802
        self, request: pb.ListCertificationsRequest, context: Any
    ) -> pb.ListCertificationsResponse:
        """Return a page of certifications."""
        before = cursor_of(request)
        found, cursor = self._certifications.list(page_size(request.page_size), before, CALLER.get())
        reply = pb.ListCertificationsResponse(certifications=found, next_page_token=token_of(request, cursor))
        for each in reply.certifications:
            each.ClearField("unmet_cases")
        return reply

    async def WatchCertification(  # type: ignore[override]  # noqa: N802 - writes through the context instead of yielding
        self, request: pb.WatchCertificationRequest, context: Any
    ) -> None:
        """Stream a certification."""
        async with aclosing(self._certifications.watch(request.certification_id, CALLER.get())) as states:
            async for each in states:
                await context.write(pb.WatchCertificationResponse(certification=each))
