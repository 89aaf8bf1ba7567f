"""The suite: `fairplay certify` in a process of its own, and what it finds."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from fairplay import certificate as certificates
from fairplay.certificate import Certificate, Verdict
from fairplay.games.game import find
from fairplay.player.channels import (
    CA_VARIABLE,
    CERTIFICATE_VARIABLE,
    KEY_VARIABLE,
    NO_CREDENTIALS,
    TOKEN_VARIABLE,
    Credentials,
)
from fairplay.player.exposure import UNIX
from fairplay.player.secrets import SECRET_VARIABLE
from fairplay.sandbox.limits import MIB, NO_LIMITS, limits_text
from fairplay.server.examining.handover import Handover
from fairplay.server.game.plans import full_time_control, seconds
from fairplay.server.links.dial_in import cut
from fairplay.server.links.networks import ANYWHERE, DialNetworks, NotAllowedError
from fairplay.server.links.program import CONFINED_VARIABLE, HIDDEN_VARIABLE, Program, ProgramOptions
from fairplay.server.links.spec import parse_link
from fairplay.server.links.ways import START_LIMIT_S
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.server.net.text import visible
from fairplay.v1.game_pb2 import Player, TimeControl
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.tournament_pb2 import TournamentPlan

log = logging.getLogger("fairplay.examining")

COMMAND = ("nice", "-n", "5", sys.executable, "-P", "-m", "fairplay.terminal", "certify")
"""The suite gives way to the games of the server."""
LIMITS = NO_LIMITS._replace(output=64 * MIB)
"""Those of the suite itself: the programs that it starts have those of players."""
MARGIN_S = 60.0
"""How long the suite may take beside the time that it is given for its cases."""
RETURN_LIMIT_S = 30.0
"""How long the suite waits for a player that was told to dial in again."""
LAST_EVENTS_S = 1.0
"""How long it may take to read what the suite has told before it ended."""
MAX_LINE_BYTES = 1 << 20
MAX_REASON_CHARS = 500
NOT_RUN = "the conformance suite could not be run; the server's log says more"
SOCKET, EVENTS, REPORT = "socket", "events", "report"
"""The files in the folder of an examination: where the suite listens, where it tells what happens, what it writes."""

Tell: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Is told of the events of a run, as `fairplay certify --events` writes them."""


class Finding(NamedTuple):
    """What an examination has found. Without a reason the player has passed."""

    description: PlayerDescription
    """What the player says about itself."""
    case_id: str = ""
    """The first case that failed; empty: the player is refused for another reason, or not at all."""
    reason: str = ""
    """Why the player is refused."""


class Asked(NamedTuple):
    """What the suite is asked: about which game, for how long, and with which options besides."""

    game: str
    profile: str
    limit_s: float
    words: Sequence[str] = ()


class NotExaminedError(Exception):
    """A player was not examined; the sentence says why, for its author."""


class Suite:
    """Runs the suite. Programs are started, and players called, as the server itself does it.

    `handover` hands players over that dial in; None: those are not examined.
    """

    def __init__(
        self,
        programs: ProgramOptions,
        credentials: Credentials = NO_CREDENTIALS,
        networks: DialNetworks = ANYWHERE,
        start_limit_s: float = START_LIMIT_S,
        handover: Handover | None = None,
    ) -> None:
        self._programs = programs
        self._credentials = credentials
        self._networks = networks
        self._start_limit_s = start_limit_s
        self._handover = handover

    async def examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        """Run the suite on a player that signs up for a tournament, and return what it has found.

        What the machine has stopped is tried again. If this is cancelled, nothing of it goes on.
        """
        try:
            async with self.run(player, _asked(plan), secret) as report:
                return await asyncio.to_thread(_read, report / "certificate.json")
        except NotExaminedError as error:
            return _refused(str(error))
        except (OSError, ValueError):
            log.exception("%s could not be examined", player.name)
            return _refused(NOT_RUN)

    @asynccontextmanager
    async def run(
        self, player: Player, asked: Asked, secret: str = "", tell: Tell = lambda _: None
    ) -> AsyncIterator[Path]:
        """Run the suite on a player to its end, and give the folder of its report, which is removed afterwards.

        What the machine has stopped is tried again. If this is cancelled, nothing of it goes on. Raises
        NotExaminedError if there is no report.
        """
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="fairplay-examination-"))
        try:
            while True:
                try:
                    await self._try(player, asked, secret, folder, tell)
                    break
                except Refusal as refusal:
                    log.warning("%s is examined later: %s", player.name, refusal.message)
                    await asyncio.sleep(RETRY_S)
            yield folder / REPORT
        finally:
            await asyncio.shield(asyncio.to_thread(partial(shutil.rmtree, folder, ignore_errors=True)))

    async def _try(self, player: Player, asked: Asked, secret: str, folder: Path, tell: Tell) -> None:
        """Run the suite once. Raises Refusal if the machine has stopped it, NotExaminedError if something else has."""
        try:
            await self._run(player, asked, secret, folder, tell)
        except NotAllowedError as error:
            raise NotExaminedError(str(error)) from None
        except TimeoutError:
            raise NotExaminedError(f"the examination took longer than {asked.limit_s:,.0f} s") from None
        except NotExaminedError:
            raise
        except Exception as error:
            if (refusal := waiting_for(error)) is not None:
                raise refusal from error
            log.exception("%s could not be examined", player.name)
            raise NotExaminedError(NOT_RUN) from error

    async def _run(self, player: Player, asked: Asked, secret: str, folder: Path, tell: Tell) -> None:
        if (name := _dial_in_name(player.link)) and not await self._here(name):
            raise NotExaminedError(f"{name} did not dial in within {RETURN_LIMIT_S:g} s")
        words = [*COMMAND, asked.game, await self._link(player), *self._options(player, asked, folder)]
        environment = self._environment(folder, secret)
        with ExitStack() as stack:

            def take(event: Mapping[str, Any]) -> None:
                if event["event"] == "began":
                    self._begin(player, asked.game, folder, stack)
                tell(event)

            os.mkfifo(folder / EVENTS, 0o600)
            telling = asyncio.create_task(_tell(folder, take))
            running = asyncio.create_task(_run(words, environment, asked.limit_s + MARGIN_S))
            try:
                await asyncio.wait((running, telling), return_when=asyncio.FIRST_COMPLETED)
                if not running.done():
                    await telling
                await running
                await asyncio.wait([telling], timeout=LAST_EVENTS_S)
            finally:
                for task in (running, telling):
                    task.cancel()
                await asyncio.gather(running, telling, return_exceptions=True)
                (folder / EVENTS).unlink()

    def _begin(self, player: Player, game: str, folder: Path, stack: ExitStack) -> None:
        """Hand a player over that dials in, now that the suite listens. Raises NotExaminedError if it cannot be."""
        if (name := _dial_in_name(player.link)) and self._handover is not None:
            if problem := self._handover.problem(name, game):
                raise NotExaminedError(problem)
            stack.enter_context(self._handover.begun(name, f"{UNIX}{folder / SOCKET}"))

    async def _here(self, name: str) -> bool:
        return self._handover is not None and await self._handover.arrived(name, RETURN_LIMIT_S)

    async def _link(self, player: Player) -> str:
        """Return the link for the suite. Raises NotAllowedError if players are not called there."""
        spec = parse_link(player.link)
        if spec.kind != "grpc":
            return player.link
        address = await self._networks.resolve(spec.value)
        return player.link if spec.secure else f"grpc://{address}"  # over TLS its name is needed

    def _options(self, player: Player, asked: Asked, folder: Path) -> list[str]:
        """Return the options that say what is judged, how players are reached, and what is written."""
        words = [*asked.words, "--seed", str(int.from_bytes(os.urandom(6))), "--budget", f"{asked.limit_s:g}s"]
        if asked.profile:
            words += ["--profile", asked.profile]
        words += ["--events", str(folder / EVENTS), "--report", str(folder / REPORT)]
        if _dial_in_name(player.link):
            return [*words, "--start-limit", f"{RETURN_LIMIT_S:g}s", "--listen", f"{UNIX}{folder / SOCKET}"]
        programs = self._programs
        words += ["--start-limit", f"{self._start_limit_s:g}s", "--sandbox", "require" if programs.sandbox else "off"]
        words += ["--program-limits", limits_text(programs.limits)]
        return [*words, "--program-folders", os.pathsep.join(map(str, programs.folders))]

    def _environment(self, folder: Path, secret: str) -> Mapping[str, str]:
        """Return the environment of the suite: that of the server, without who the server is for other servers."""
        own = self._credentials
        files = {CA_VARIABLE: own.ca, CERTIFICATE_VARIABLE: own.certificate, KEY_VARIABLE: own.key}
        given = {name: str(path) for name, path in files.items() if path is not None}
        given |= {SECRET_VARIABLE: secret} if secret else {}
        given |= {CONFINED_VARIABLE: "1"} if self._programs.confined else {}
        given |= {HIDDEN_VARIABLE: os.pathsep.join(str(path.absolute()) for path in self._programs.hidden)}
        left_out = (TOKEN_VARIABLE, SECRET_VARIABLE)
        rest = {name: value for name, value in os.environ.items() if name not in left_out}
        return {**rest, **given, "TMPDIR": str(folder)}


def _dial_in_name(link: str) -> str:
    """Return the name under which a player dials in; "" if it does not."""
    spec = parse_link(link)
    return spec.value if spec.kind == "dial-in" else ""


def _asked(plan: TournamentPlan) -> Asked:
    """Return what a tournament asks of who signs up: the time limits of its games, and at the first failure no more."""
    policy, own = plan.sign_up.certificate.examination, plan.time_control
    usual = full_time_control(find(plan.game), TimeControl())
    words = ["--level", "must", "--fail-fast"]
    if policy.cases:
        words += ["--only", policy.cases]
    if own.decision_limit != usual.decision_limit:
        words += ["--limit", f"{seconds(own.decision_limit):g}s"]
    if own.first_decision_limit != usual.first_decision_limit:
        words += ["--first-limit", f"{seconds(own.first_decision_limit):g}s"]
    return Asked(plan.game, plan.sign_up.certificate.profile, seconds(policy.time_limit), words)


async def _tell(folder: Path, take: Tell) -> None:
    """Tell what the suite writes to the pipe in the folder, until it closes that. Raises what `take` raises."""
    file = os.fdopen(os.open(folder / EVENTS, os.O_RDONLY | os.O_NONBLOCK), "rb", 0)
    reader = asyncio.StreamReader(MAX_LINE_BYTES)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, file)
    try:
        async for line in reader:
            take(json.loads(line))
    finally:
        transport.close()


async def _run(words: list[str], environment: Mapping[str, str], limit_s: float) -> None:
    """Run a command to its end. Raises TimeoutError if that takes too long, OSError if it cannot be started."""
    program = Program.start(words, environment, LIMITS)
    try:
        async with asyncio.timeout(limit_s):
            await program.ended.wait()
    finally:
        await program.end()
    if program.exit_code not in (0, 1):
        raise RuntimeError(f"the suite ended with exit code {program.exit_code}: {program.output}")


def _read(file: Path) -> Finding:
    """Return what a certificate says. Raises OSError or ValueError if it cannot be read."""
    certificate = certificates.check(file.read_bytes())
    known = PlayerDescription(display_name=certificate.player, software_version=certificate.player_version)
    failed = [case for case in certificate.unmet if case.verdict == Verdict.FAIL]
    for case in [*failed, *certificate.unmet]:
        return Finding(cut(known), case.id, visible(f"{case.verdict}: {case.sentence}")[:MAX_REASON_CHARS])
    return Finding(cut(known)) if _whole(certificate) else _refused(NOT_RUN)


def _whole(certificate: Certificate) -> bool:
    """Return whether all cases that were asked for were judged."""
    return certificate.complete and (certificate.certified or bool(certificate.only))


def _refused(reason: str) -> Finding:
    return Finding(PlayerDescription(), reason=reason)
