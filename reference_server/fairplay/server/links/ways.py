"""The ways to players, as a server or a worker of a cluster has them: which are open, and how programs are run."""

from __future__ import annotations

from dataclasses import dataclass, field

from fairplay.player.channels import NO_CREDENTIALS, Credentials
from fairplay.server.access.game_quota import GameQuota
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.networks import ANYWHERE, DialNetworks
from fairplay.server.links.one_player import OnePlayerServers
from fairplay.server.links.opening import START_LIMIT_S, Links
from fairplay.server.links.program_options import ProgramOptions
from fairplay.server.links.programs import Programs
from fairplay.server.links.secrets import Secrets
from fairplay.server.servicers.patience import FIRST_LIMIT_S


@dataclass(frozen=True, slots=True)
class Ways:
    """What has to be known to reach players: see Config. It travels to workers as it is."""

    programs: ProgramOptions = field(default_factory=ProgramOptions)
    allow_exec: bool = False
    start_limit_s: float = START_LIMIT_S
    handshake_limit_s: float = FIRST_LIMIT_S
    credentials: Credentials = NO_CREDENTIALS
    networks: DialNetworks = ANYWHERE

    def open(
        self,
        hub: Hub,
        clock: Clock,
        secrets: Secrets | None = None,
        quota: GameQuota | None = None,
        starts_at_once: int = 0,
    ) -> tuple[Programs, Links]:
        """Return the programs that are started, to be closed at the end, and the links to all players.

        `starts_at_once` is how many programs come up at a time; 0: one a processor.
        """
        servers = OnePlayerServers(hub, self.handshake_limit_s)
        programs = Programs(hub, clock, self.programs, servers, self.start_limit_s, starts_at_once)
        links = Links(
            hub,
            clock,
            programs=programs if self.allow_exec else None,
            start_limit_s=self.start_limit_s,
            credentials=self.credentials,
            networks=self.networks,
            secrets=secrets,
            quota=quota,
        )
        return programs, links
