"""The examinations of a server: who is next, and the suite, `fairplay certify` in a process of its own."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
import tempfile
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from fairplay import certificate as certificates
from fairplay.certificate import Certificate, Verdict
from fairplay.games.game import find
from fairplay.games.kit.processors import processors
from fairplay.player.channels import (
    CA_VARIABLE,
    CERTIFICATE_VARIABLE,
    KEY_VARIABLE,
    NO_CREDENTIALS,
    TOKEN_VARIABLE,
    Credentials,
)
from fairplay.player.secrets import SECRET_VARIABLE
from fairplay.sandbox.limits import MIB, NO_LIMITS, limits_text
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

log = logging.getLogger("fairplay.manager")

COMMAND = ("nice", "-n", "5", sys.executable, "-P", "-m", "fairplay.terminal", "certify")
"""The suite gives way to the games of the server."""
LIMITS = NO_LIMITS._replace(output=64 * MIB)
"""Those of the suite itself: the programs that it starts have those of players."""
MARGIN_S = 60.0
"""How long the suite may take beside the time that it is given for its cases."""
MAX_REASON_CHARS = 500
NOT_RUN = "the conformance suite could not be run; the server's log says more"

MAX_OF_ACCOUNT = 20
MAX_EXAMINATIONS = 1_000
FULL_RETRY_S = 30.0


class Finding(NamedTuple):
    """What an examination has found. Without a reason the player has passed."""

    description: PlayerDescription
    """What the player says about itself."""
    case_id: str = ""
    """The first case that failed; empty: the player is refused for another reason, or not at all."""
    reason: str = ""
    """Why the player is refused."""


class Suite:
    """Runs the suite. Programs are started, and players called, as the server itself does it."""

    def __init__(
        self,
        programs: ProgramOptions,
        credentials: Credentials = NO_CREDENTIALS,
        networks: DialNetworks = ANYWHERE,
        start_limit_s: float = START_LIMIT_S,
    ) -> None:
        self._programs = programs
        self._credentials = credentials
        self._networks = networks
        self._start_limit_s = start_limit_s

    async def examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        """Run the suite on a player that serves or is started, and return what it has found.

        What the machine has stopped is tried again. If this is cancelled, nothing of it goes on.
        """
        while True:
            try:
                return await self._examine(player, plan, secret)
            except Refusal as refusal:
                log.warning("%s is examined later: %s", player.name, refusal.message)
                await asyncio.sleep(RETRY_S)

    async def _examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        """Run the suite once. Raises Refusal if the machine has stopped it."""
        try:
            return await self._run(player, plan, secret)
        except NotAllowedError as error:
            return _refused(str(error))
        except TimeoutError:
            limit_s = seconds(plan.sign_up.certificate.examination.time_limit)
            return _refused(f"the examination took longer than {limit_s:,.0f} s")
        except Exception as error:
            if (refusal := waiting_for(error)) is not None:
                raise refusal from error
            log.exception("%s could not be examined", player.name)
            return _refused(NOT_RUN)

    async def _run(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        limit_s = seconds(plan.sign_up.certificate.examination.time_limit)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="fairplay-examination-"))
        try:
            link = await self._link(player)
            words = [*COMMAND, plan.game, link, *self._options(plan), "--json", str(folder / "certificate.json")]
            await _run(words, self._environment(folder, secret), limit_s + MARGIN_S)
            return await asyncio.to_thread(_read, folder / "certificate.json")
        finally:
            await asyncio.shield(asyncio.to_thread(partial(shutil.rmtree, folder, ignore_errors=True)))

    async def _link(self, player: Player) -> str:
        """Return the link for the suite. Raises NotAllowedError if players are not called there."""
        spec = parse_link(player.link)
        if spec.kind != "grpc":
            return player.link
        address = await self._networks.resolve(spec.value)
        return player.link if spec.secure else f"grpc://{address}"  # over TLS its name is needed

    def _options(self, plan: TournamentPlan) -> list[str]:
        """Return the options that say what is judged, and how programs are run."""
        policy, own = plan.sign_up.certificate.examination, plan.time_control
        usual = full_time_control(find(plan.game), TimeControl())
        words = ["--level", "must", "--fail-fast", "--seed", str(int.from_bytes(os.urandom(6)))]
        words += ["--budget", f"{seconds(policy.time_limit):g}s", "--start-limit", f"{self._start_limit_s:g}s"]
        if profile := plan.sign_up.certificate.profile:
            words += ["--profile", profile]
        if policy.cases:
            words += ["--only", policy.cases]
        if own.decision_limit != usual.decision_limit:
            words += ["--limit", f"{seconds(own.decision_limit):g}s"]
        if own.first_decision_limit != usual.first_decision_limit:
            words += ["--first-limit", f"{seconds(own.first_decision_limit):g}s"]
        programs = self._programs
        words += ["--sandbox", "require" if programs.sandbox else "off"]
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


Examine: TypeAlias = Callable[[Player, TournamentPlan, str], Awaitable[Finding]]


class Examiner:
    """The examinations of all tournaments of a server, `at_once` at a time; 0: one for every two processors.

    Accounts take turns: who has many players examined, or slow ones, delays others by one examination at the most.
    """

    def __init__(self, examine: Examine, at_once: int = 0) -> None:
        self._examine = examine
        self._free = at_once or max(1, processors() // 2)
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._counts: Counter[str] = Counter()

    def check_room(self, account: str) -> None:
        """Check that another player of an account may be examined. Raises Refusal if too many are already."""
        if account and self._counts[account] >= MAX_OF_ACCOUNT:
            message = f"{MAX_OF_ACCOUNT} of your players are being examined: sign up when one of them is through"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=MAX_OF_ACCOUNT)
        if self._counts.total() >= MAX_EXAMINATIONS:
            message = f"{MAX_EXAMINATIONS:,} players are being examined already: sign up later"
            raise Refusal("TOO_MANY_REQUESTS", message, retry_s=FULL_RETRY_S, limit=MAX_EXAMINATIONS)

    async def examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        """Examine a player when it is its turn, and return what was found."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(player.account, deque()).append(turn)
        self._counts[player.account] += 1
        self._go_on()
        try:
            await turn
            return await self._examine(player, plan, secret)
        finally:
            self._counts[player.account] -= 1
            if not turn.cancelled():
                self._free += 1
            self._go_on()

    def _go_on(self) -> None:
        """Give their turns to those who wait, as long as there is room."""
        while self._free and self._waiting:
            account, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[account] = turns  # as the last one
            if not turn.cancelled():
                self._free -= 1
                turn.set_result(None)
