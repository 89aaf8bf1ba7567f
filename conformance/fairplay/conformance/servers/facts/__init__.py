"""All that a server tells, in whatever answer, event, record or call, must fit together.

Each message that any case is sent is held against what came before, whatever the case asks besides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fairplay.conformance.servers.facts.known import Facts
from fairplay.conformance.servers.facts.parts import check_parts
from fairplay.conformance.servers.facts.records import Entries
from fairplay.conformance.servers.facts.requests import check_page, check_plan
from fairplay.conformance.servers.facts.streams import GameEvents, LobbyEvents, TournamentEvents
from fairplay.conformance.servers.facts.tournaments import take_order

WATCHERS: Mapping[str, Any] = {
    "WatchGame": GameEvents,
    "WatchTournament": TournamentEvents,
    "GetRecord": Entries,
    "Attend": LobbyEvents,
}
"""Streaming method -> what takes what comes of it."""


def take_reply(facts: Facts, name: str, request: Any, reply: Any, sent_s: float) -> None:
    """Take what has come of a method that was called at a time."""
    check_parts(facts, reply, name, sent_s)
    if hasattr(request, "page_size"):
        check_page(name, request, reply)
    if hasattr(request, "plan"):
        check_plan(name, request, reply)
    if hasattr(reply, "standings") and reply.HasField("standings"):
        take_order(facts, request.tournament_id, reply.standings, name)


def watcher(facts: Facts, name: str, request: Any) -> Callable[[Any, float], None]:
    """Return what takes the messages of a stream, each with when the stream was asked for, and None at its end."""
    watching: Any = WATCHERS[name](facts, request) if name in WATCHERS else None

    def take(message: Any, sent_s: float) -> None:
        if message is None:
            if isinstance(watching, GameEvents | TournamentEvents):
                watching.end()
            return
        if watching is not None:
            watching.take(message)
        if name != "GetRecord":
            take_reply(facts, name, request, message, sent_s)

    return take
