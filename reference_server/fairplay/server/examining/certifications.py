"""Certifications: players that dial in are examined as their authors ask, who watch it go on and get a signed report.

What is told of a certification is on disk before. A server that was ended in the middle says so afterwards.
"""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.protobuf.duration_pb2 import Duration

from fairplay import certificate as certificates
from fairplay.certificate import Certificate
from fairplay.certificate.signing import public_text, signed
from fairplay.games.conformance import find_profile
from fairplay.games.game import find, registered
from fairplay.server.access.caller import Caller
from fairplay.server.examining.handover import Handover
from fairplay.server.examining.suite import Asked, NotExaminedError, Suite
from fairplay.server.examining.turns import Turn, Turns
from fairplay.server.game.plans import seconds
from fairplay.server.links.dial_in import cut
from fairplay.server.links.link import duration
from fairplay.server.links.spec import NAME, NAME_ALLOWED
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.server.net.text import visible
from fairplay.server.records.certifications import CertificationRow, CertificationsDatabase
from fairplay.server.records.errors import RecordsError
from fairplay.v1.certification_pb2 import Certification, CertificationStatus, CreateCertificationRequest, ReportForm
from fairplay.v1.game_pb2 import Player
from fairplay.v1.player_pb2 import PlayerDescription

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

log = logging.getLogger("fairplay.examining")

WAITING, RUNNING, FINISHED, FAILED, CANCELLED, INTERRUPTED = (
    CertificationStatus.CERTIFICATION_STATUS_WAITING,
    CertificationStatus.CERTIFICATION_STATUS_RUNNING,
    CertificationStatus.CERTIFICATION_STATUS_FINISHED,
    CertificationStatus.CERTIFICATION_STATUS_FAILED,
    CertificationStatus.CERTIFICATION_STATUS_CANCELLED,
    CertificationStatus.CERTIFICATION_STATUS_INTERRUPTED,
)
OPEN = (WAITING, RUNNING)
USUAL_LIMIT_S = 600.0
PATIENCE_S = 900.0
"""How long a player that is not here is waited for."""
MAX_OPEN = 100
MAX_OF_ACCOUNT = 20
MAX_KEPT = 1_000
"""How many certifications that are over are kept, of one account and of all; the oldest ones go first."""
FULL_RETRY_S = 30.0
MAX_UNMET = limit_of("Certification.unmet_cases").max_items
MAX_REPORT_BYTES = limit_of("GetCertificationReportResponse.content").max_bytes
MAX_SENTENCE_CHARS = 500
FORMS: Mapping[ReportForm.ValueType, str] = {
    ReportForm.REPORT_FORM_CERTIFICATE: "certificate.json",
    ReportForm.REPORT_FORM_JUNIT: "junit.xml",
    ReportForm.REPORT_FORM_PAGE: "report.html",
}
"""The file of each form in the folder of a report."""


class _Kept:
    """A certification, with what is known of it here alone."""

    def __init__(self, number: int, account: str, message: Certification) -> None:
        self.number = number
        self.account = account
        self.message = message
        self.task: asyncio.Task[None] | None = None
        self.turn: Turn | None = None
        self._changed = asyncio.Event()

    @property
    def open(self) -> bool:
        """Return whether it is not over."""
        return self.message.status in OPEN

    async def changed(self) -> None:
        """Wait until there is something to tell."""
        await self._changed.wait()

    def tell(self) -> None:
        """Tell who watches that it has changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    def end(self, status: CertificationStatus.ValueType, reason: str) -> None:
        """Write down that it is over, and why."""
        self.message.status = status
        self.message.reason = visible(reason)[:MAX_SENTENCE_CHARS]
        self.message.end_time.GetCurrentTime()
        for field in ("case_id", "time_left", "queue_length", "dialled_in"):
            self.message.ClearField(field)


class Certifications:
    """The certifications of a server. `key` signs certificates; None: nobody does."""

    def __init__(
        self,
        database: CertificationsDatabase,
        suite: Suite,
        turns: Turns,
        handover: Handover,
        key: Ed25519PrivateKey | None = None,
    ) -> None:
        self._database = database
        self._writing = asyncio.Lock()
        self._suite = suite
        self._turns = turns
        self._handover = handover
        self._key = key
        self._kept: dict[str, _Kept] = {}
        self._closing = False
        turns.changed = self._renumber

    async def load(self) -> None:
        """Load those of before: of the ones that are not over, go on with those that wait, and end the others."""
        for row in await asyncio.to_thread(self._database.all):
            message = Certification.FromString(row.message)
            kept = self._kept[message.certification_id] = _Kept(row.number, row.account, message)
            if message.status == RUNNING:
                kept.end(INTERRUPTED, "the server was ended in the middle: ask for another one")
                await self._keep(kept)
            elif kept.open:
                self._begin(kept)

    async def close(self) -> None:
        """End what goes on: those that wait go on when the server is started again."""
        self._closing = True
        tasks = [each.task for each in self._kept.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for kept in self._kept.values():
            kept.tell()
        self._database.close()

    # --- asked by callers ---

    async def create(self, asked: CreateCertificationRequest, caller: Caller) -> Certification:
        """Ask for a certification, and return it. Raises Refusal if there cannot be one."""
        self._check(asked, caller)
        message = Certification(
            certification_id=uuid.uuid4().hex,
            game=asked.game,
            name=asked.name,
            profile=asked.profile,
            published=asked.published,
            status=WAITING,
            time_limit=asked.time_limit if asked.HasField("time_limit") else duration(USUAL_LIMIT_S),
        )
        message.create_time.GetCurrentTime()
        number = 1 + max((each.number for each in self._kept.values()), default=0)
        kept = self._kept[message.certification_id] = _Kept(number, caller.account, message)  # the next one must see it
        try:
            await self._keep(kept)
        except RecordsError:
            del self._kept[message.certification_id]
            raise
        self._begin(kept)
        log.info("certification %s of %s in %s was asked for", message.certification_id, asked.name, asked.game)
        return message

    def _check(self, asked: CreateCertificationRequest, caller: Caller) -> None:
        self._check_serving()
        if asked.game not in registered():
            message = f"there is no game {asked.game!r}: the games are {', '.join(registered())}"
            raise Refusal("UNKNOWN_GAME", message, "game", given=asked.game)
        if not NAME.fullmatch(asked.name):
            message = f"{asked.name[:64]!r} is not a name for a player: give {NAME_ALLOWED}"
            raise Refusal("NAME_INVALID", message, "name", given=asked.name, allowed=NAME_ALLOWED)
        try:
            if asked.profile:
                find_profile(find(asked.game), asked.profile)
        except ValueError as error:
            raise Refusal("INVALID_PROFILE", str(error), "profile", given=asked.profile) from None
        busy = [each for each in self._kept.values() if each.open]
        if any(each.message.name.lower() == asked.name.lower() for each in busy):
            message = f"{asked.name} is being certified already: wait until that is over, or cancel it"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=1)
        if not caller.operator and any(each.account == caller.account for each in busy):
            message = "a player of your account is being certified already: wait until that is over, or cancel it"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=1)
        if len(busy) >= MAX_OPEN:
            message = f"{MAX_OPEN} players are being certified, or wait for it: ask later"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=MAX_OPEN)

    def get(self, certification_id: str, caller: Caller) -> Certification:
        """Return a certification. Raises Refusal if there is none that the caller may see."""
        return self._find(certification_id, caller).message

    async def report(self, certification_id: str, form: ReportForm.ValueType, caller: Caller) -> bytes:
        """Return a report. Raises Refusal if there is none that the caller may see."""
        kept = self._find(certification_id, caller)
        name = FORMS.get(form or ReportForm.REPORT_FORM_CERTIFICATE, "")
        content = None
        if kept.message.status == FINISHED and name:
            async with self._writing:
                content = await asyncio.to_thread(self._database.report, kept.number, name)
        if content is None:
            why = "it is not over" if kept.open else kept.message.reason or "it ended without one"
            raise Refusal("NO_REPORT", f"there is no report: {why}", "certification_id")
        return content

    def list(self, limit: int, before: int | None, caller: Caller) -> tuple[Sequence[Certification], int | None]:
        """Return those that the caller may see, newest first, and what `before` must be for the next page, if any."""
        seen = [each for each in self._newest() if self._shows(each, caller)]
        rest = [each for each in seen if before is None or each.number < before]
        page = rest[:limit]
        return [each.message for each in page], page[-1].number if len(rest) > limit else None

    async def watch(self, certification_id: str, caller: Caller) -> AsyncGenerator[Certification, None]:
        """Yield a certification as it is now, and whenever it has changed, until it is over.

        Raises Refusal if there is none that the caller may see, or the server stops.
        """
        kept = self._find(certification_id, caller)
        while True:
            changing = asyncio.ensure_future(kept.changed())
            await asyncio.sleep(0)  # so that it waits for what comes after this state
            try:
                yield kept.message
                if not kept.open:
                    return
                self._check_serving()
                await changing
            finally:
                changing.cancel()

    async def cancel(self, certification_id: str, caller: Caller) -> Certification:
        """Cancel a certification that is not over, and return it. Raises Refusal if it is another's."""
        kept = self._find(certification_id, caller)
        if not _owns(kept, caller):
            message = "this certification belongs to somebody else, who alone may cancel it"
            raise Refusal("NOT_OWNER", message, "certification_id")
        if kept.open:
            self._check_serving()
            kept.end(CANCELLED, "it was cancelled")
            if kept.task is not None:
                kept.task.cancel()
                await asyncio.gather(kept.task, return_exceptions=True)
            await self._keep(kept)
        return kept.message

    def _find(self, certification_id: str, caller: Caller) -> _Kept:
        kept = self._kept.get(certification_id)
        if kept is None or not self._shows(kept, caller):
            message = f"there is no certification {certification_id[:64]!r} here that you may see"
            raise Refusal("CERTIFICATION_NOT_FOUND", message, "certification_id", given=certification_id)
        return kept

    def _shows(self, kept: _Kept, caller: Caller) -> bool:
        return kept.message.published or _owns(kept, caller)

    def _check_serving(self) -> None:
        if self._closing:
            raise Refusal("SHUTTING_DOWN", "the server shuts down: ask again when it is back")

    def _newest(self) -> Iterator[_Kept]:
        return iter(sorted(self._kept.values(), key=lambda each: each.number, reverse=True))

    # --- the work ---

    def _begin(self, kept: _Kept) -> None:
        kept.task = asyncio.create_task(self._certify(kept))

    async def _certify(self, kept: _Kept) -> None:
        """Certify a player when it is here, and it is its turn."""
        try:
            await self._wait_and_run(kept)
        except NotExaminedError as error:
            kept.end(FAILED, str(error))
        except asyncio.CancelledError:
            if self._closing and kept.message.status == RUNNING:
                kept.end(INTERRUPTED, "the server was ended in the middle: ask for another one")
                await self._try_to_keep(kept)
            raise
        except Exception:
            log.exception("certification %s could not go on", kept.message.certification_id)
            kept.end(FAILED, "the server failed; its log says more")
        log.info("certification %s is over: %s", kept.message.certification_id, kept.message.reason)
        await self._try_to_keep(kept)
        await self._prune()

    async def _wait_and_run(self, kept: _Kept) -> None:
        left_s = PATIENCE_S - (time.time() - kept.message.create_time.seconds)
        name = kept.message.name
        while True:
            if not await self._handover.arrived(name, max(0.0, left_s)):
                raise NotExaminedError(f"{name} did not dial in within {PATIENCE_S / 60:g} minutes")
            kept.message.dialled_in = True
            with self._turns.taken(kept.account) as kept.turn:
                self._renumber()
                await kept.turn.begins
                if self._handover.here(name):
                    await self._run(kept)
                    return
            kept.message.dialled_in = False
            kept.tell()

    async def _run(self, kept: _Kept) -> None:
        message = kept.message
        if problem := self._handover.problem(message.name, message.game):
            raise NotExaminedError(problem)
        message.status = RUNNING
        message.start_time.GetCurrentTime()
        await self._keep(kept)
        asked = Asked(message.game, message.profile, seconds(message.time_limit))
        progress = Progress(message)
        happened = asyncio.Event()

        def take(event: Mapping[str, Any]) -> None:
            progress.take(event)
            happened.set()

        telling = asyncio.create_task(self._tell(kept, progress, happened))
        player = Player(name=message.name, link=f"dial-in:{message.name}")
        try:
            async with self._suite.run(player, asked, tell=take) as folder:
                telling.cancel()
                await asyncio.gather(telling, return_exceptions=True)
                progress.show()
                reports = await asyncio.to_thread(self._read, folder)
        finally:
            telling.cancel()
        found = certificates.check(reports["certificate.json"])
        self._finish(kept, found, progress.conclusion)
        await self._keep(kept, reports)

    async def _tell(self, kept: _Kept, progress: Progress, happened: asyncio.Event) -> None:
        """Keep, and then tell, what has happened, as often as the disk allows."""
        while True:
            await happened.wait()
            happened.clear()
            progress.show()
            await self._try_to_keep(kept)

    def _read(self, folder: Path) -> Mapping[str, bytes]:
        """Return the report, signed. Raises NotExaminedError if it is larger than what is kept."""
        reports = {name: (folder / name).read_bytes() for name in FORMS.values()}
        if self._key is not None:
            reports["certificate.json"] = signed(reports["certificate.json"], self._key)
        for name, content in reports.items():
            if len(content) > MAX_REPORT_BYTES:
                raise NotExaminedError(f"the report is too large to be kept: {name} has {len(content):,} bytes")
        return reports

    def _finish(self, kept: _Kept, found: Certificate, conclusion: str) -> None:
        kept.message.certified = found.certified
        kept.message.signer_key = public_text(self._key) if self._key is not None else ""
        description = PlayerDescription(display_name=found.player, software_version=found.player_version)
        kept.message.description.CopyFrom(cut(description))
        kept.end(FINISHED, conclusion)

    def _renumber(self) -> None:
        """Say of all that wait for their turn how many come before."""
        for kept in self._kept.values():
            if kept.message.status == WAITING and kept.turn is not None:
                kept.message.queue_length = self._turns.before(kept.turn)
                kept.tell()

    async def _keep(self, kept: _Kept, reports: Mapping[str, bytes] | None = None) -> None:
        """Write a certification, then tell who watches. Raises RecordsError."""
        row = CertificationRow(kept.number, kept.account, kept.message.SerializeToString())
        async with self._writing:
            await asyncio.to_thread(self._database.put, row, reports)
        kept.tell()

    async def _try_to_keep(self, kept: _Kept) -> None:
        try:
            await self._keep(kept)
        except RecordsError as error:
            log.error("certification %s cannot be kept: %s", kept.message.certification_id, error)
            kept.tell()

    async def _prune(self) -> None:
        """Remove the oldest ones that are over, where there are too many."""
        over = [each for each in self._newest() if not each.open]
        removed = over[MAX_KEPT:]
        for account in {each.account for each in over if each.account}:
            removed += [each for each in over if each.account == account][MAX_OF_ACCOUNT:]
        if removed:
            for each in removed:
                self._kept.pop(each.message.certification_id, None)
            try:
                async with self._writing:
                    await asyncio.to_thread(self._database.remove, [each.number for each in removed])
            except RecordsError as error:
                log.error("old certifications cannot be removed: %s", error)


def _owns(kept: _Kept, caller: Caller) -> bool:
    return caller.operator or (caller.account != "" and caller.account == kept.account)


class Progress:
    """How far the suite has come, from its events. `message` shows it where it is asked to."""

    def __init__(self, message: Certification) -> None:
        self._message = message
        self._began_s = time.monotonic()
        self._case_count = 0
        self._case_id = ""
        self._unmet: dict[str, Mapping[str, Any]] = {}
        self._judged: set[str] = set()
        self.conclusion = ""
        """What the report comes to; empty: the suite has not said it."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take an event, as `fairplay certify --events` writes it."""
        match event["event"]:
            case "began":
                self._case_count = len(event["cases"])
            case "case":
                self._case_id = event["id"]
            case "judged":
                self._judged.add(event["id"])
                self._unmet.pop(event["id"], None)
                if not event["met"]:
                    self._unmet[event["id"]] = event
            case "ended":
                self.conclusion = event["conclusion"]

    def show(self) -> None:
        """Write it into the message."""
        message, unmet = self._message, list(self._unmet.values())[:MAX_UNMET]
        message.case_count, message.judged_case_count = self._case_count, len(self._judged)
        message.case_id = self._case_id
        del message.unmet_cases[:]
        for each in unmet:
            said = visible(each["sentence"])[:MAX_SENTENCE_CHARS]
            message.unmet_cases.add(case_id=each["id"], level=each["level"], verdict=each["verdict"], sentence=said)
        if (left := self._time_left()) is not None:
            message.time_left.CopyFrom(left)

    def _time_left(self) -> Duration | None:
        if not self._judged:
            return None
        elapsed_s = time.monotonic() - self._began_s
        left_s = elapsed_s / len(self._judged) * (self._case_count - len(self._judged))
        return duration(min(left_s, max(0.0, seconds(self._message.time_limit) - elapsed_s)))
