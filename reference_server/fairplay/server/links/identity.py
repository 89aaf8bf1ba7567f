"""Who players are: their names, and what they say about themselves where the server was told."""

from __future__ import annotations

from fairplay.server.net.plain_text import visible
from fairplay.v1.player_pb2 import PlayerDescription

MAX_TEXT_CHARS = 80
MAX_SERVICES = 64
MAX_SERVICE_CHARS = 128


def cut(description: PlayerDescription) -> PlayerDescription:
    """Return what is kept of a description: player.proto says how long its texts may be."""
    kept = PlayerDescription(
        display_name=visible(description.display_name[:MAX_TEXT_CHARS])[:MAX_TEXT_CHARS],
        software_version=visible(description.software_version[:MAX_TEXT_CHARS])[:MAX_TEXT_CHARS],
    )
    for service in description.services[:MAX_SERVICES]:
        kept.services.add(name=visible(service.name[:MAX_SERVICE_CHARS])[:MAX_SERVICE_CHARS], revision=service.revision)
    return kept
