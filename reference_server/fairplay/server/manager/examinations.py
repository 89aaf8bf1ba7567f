"""The examinations of the players who sign up for one tournament."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fairplay.server.links.spec import parse_link
from fairplay.server.manager import states
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.suite import Finding
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import Examination, Tournament

Decided = Callable[[Player, Finding], None]


class Examinations:
    """The examinations of one tournament. `decided` is called with what each has found."""

    def __init__(self, message: Tournament, examiner: Examiner, decided: Decided) -> None:
        self._message = message
        self._examiner = examiner
        self._decided = decided
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def running(self) -> bool:
        """Return whether anybody is being examined."""
        return bool(self._tasks)

    @property
    def asked(self) -> bool:
        """Return whether the tournament examines players."""
        return self._message.plan.sign_up.certificate.HasField("examination")

    def needed(self, player: Player, certificate: bytes) -> bool:
        """Return whether a player with a valid link has to be examined. Raises Refusal if it cannot be."""
        policy = self._message.plan.sign_up.certificate
        kind = parse_link(player.link).kind
        if kind == "bot" or (certificate and policy.signer_keys):
            return False
        if kind == "dial-in":
            other = "sign up with a certificate that somebody has signed whom this tournament trusts"
            message = "a player that dials in cannot be examined by the server: have it serve (grpc:)"
            message += f", or {other}" if policy.signer_keys else ""
            raise Refusal("CERTIFICATE_REQUIRED", message, "certificate")
        return True

    def check_room(self, player: Player) -> None:
        """Check that the player may be examined now. Raises Refusal if too many are."""
        self._examiner.check_room(player.account)

    def begin(self, player: Player, secret: str) -> Examination:
        """Begin to examine a player, and return where its examination stands."""
        examination = states.examining(player)
        states.put_examination(self._message, examination)
        examined = Player()
        examined.CopyFrom(player)
        self._tasks[player.name] = asyncio.create_task(self._examine(examined, secret))
        return examination

    async def _examine(self, player: Player, secret: str) -> None:
        finding = await self._examiner.examine(player, self._message.plan, secret)
        del self._tasks[player.name]
        self._decided(player, finding)

    def end(self, name: str) -> None:
        """End the examination of a player."""
        states.drop_examination(self._message, name)
        if (task := self._tasks.pop(name, None)) is not None:
            task.cancel()

    def end_all(self) -> None:
        """End all examinations."""
        for task in self._tasks.values():
            task.cancel()

    async def close(self) -> None:
        """End all examinations, and wait for that."""
        self.end_all()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
