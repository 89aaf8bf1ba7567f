"""Values in words, for the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from markupsafe import Markup

from fairplay.client.lobby.games import frontend_of, strategies
from fairplay.client.wording import (
    describe_cause,
    elimination_line,
    missing,
    name_method,
    plain,
    result_line,
    seats,
    state,
)
from fairplay.games.game import find, registered
from fairplay.games.kit.names import describe_names
from fairplay.v1.certification_pb2 import Certification, CertificationStatus
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import GameStatus, GameSummary
from fairplay.v1.table_pb2 import Table, TableStatus
from fairplay.v1.tournament_pb2 import TournamentStatus

KINDS = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: "broke a rule",
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: "raised an exception",
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: "took too long",
}
GAME_STATES = {
    GameStatus.GAME_STATUS_RUNNING: "running",
    GameStatus.GAME_STATUS_FINISHED: "over",
    GameStatus.GAME_STATUS_ABORTED: "aborted",
}
TOURNAMENT_STATES = {
    TournamentStatus.TOURNAMENT_STATUS_SIGN_UP: "sign-up",
    TournamentStatus.TOURNAMENT_STATUS_RUNNING: "running",
    TournamentStatus.TOURNAMENT_STATUS_FINISHED: "over",
    TournamentStatus.TOURNAMENT_STATUS_CANCELLED: "cancelled",
}
MAX_EVIDENCE_CHARS = 4_000
MAX_ID_CHARS = 24
"""Longer ids are those that programs make up, as for the games of tables."""
UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


CERTIFICATION_STATES = {
    CertificationStatus.CERTIFICATION_STATUS_WAITING: "waits for the player to dial in",
    CertificationStatus.CERTIFICATION_STATUS_RUNNING: "is being tried",
    CertificationStatus.CERTIFICATION_STATUS_FINISHED: "certified",
    CertificationStatus.CERTIFICATION_STATUS_FAILED: "ended without a report",
    CertificationStatus.CERTIFICATION_STATUS_CANCELLED: "cancelled",
    CertificationStatus.CERTIFICATION_STATUS_INTERRUPTED: "interrupted",
}


def when(time: Timestamp) -> str:
    """Return a time in UTC; empty if it is not set."""
    if not time.seconds:
        return ""
    return datetime.fromtimestamp(time.seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def duration(length: Duration) -> str:
    """Return a length of time, e.g. "1.5 s"."""
    return f"{length.seconds + length.nanos / 1e9:g} s"


def url(text: str) -> str:
    """Return a name or id as a part of an address."""
    return quote(text, safe="")


def element_id(text: str) -> str:
    """Return a text as a part of the id of an element."""
    return UNSAFE.sub("-", text)


def as_json(message: Message) -> str:
    """Return a message as evidence: protobuf-JSON, cut where it is long."""
    try:
        text = json_format.MessageToJson(message, indent=1)
    except (TypeError, ValueError):  # a message of a game that is not installed here
        return "a message that is not known here"
    return text if len(text) <= MAX_EVIDENCE_CHARS else f"{text[:MAX_EVIDENCE_CHARS]}\n…"


def by_hand(name: str) -> bool:
    """Return whether people can play a game here."""
    return frontend_of(name) is not None


def game_title(name: str) -> str:
    """Return what people call a game; its name where it is not installed here."""
    return find(name).title if name in registered() else name


def game_name(game: GameSummary) -> str:
    """Return what people call one game of many: what is played, and its id where somebody may want to read that."""
    title = game_title(game.game)
    return f"{title}: {game.game_id}" if len(game.game_id) <= MAX_ID_CHARS else title


def game_state(status: GameStatus.ValueType) -> str:
    """Return a word for the state of a game."""
    return GAME_STATES.get(status, "?")


def tournament_state(status: TournamentStatus.ValueType) -> str:
    """Return a word for the state of a tournament."""
    return TOURNAMENT_STATES.get(status, "?")


def certification_state(certification: Certification) -> str:
    """Return how far a certification is, in words."""
    status = certification.status
    if status == CertificationStatus.CERTIFICATION_STATUS_WAITING and certification.dialled_in:
        first = certification.queue_length
        return f"waits for its turn: {first} more first" if first else "waits for its turn"
    if status == CertificationStatus.CERTIFICATION_STATUS_FINISHED and not certification.certified:
        return "not certified"
    return CERTIFICATION_STATES.get(status, "?")


def has_report(certification: Certification) -> bool:
    """Return whether there is a report."""
    return certification.status == CertificationStatus.CERTIFICATION_STATUS_FINISHED


def is_running(status: TableStatus.ValueType) -> bool:
    """Return whether the game of a table goes on."""
    return status == TableStatus.TABLE_STATUS_RUNNING


def kind(misconduct: Misconduct) -> str:
    """Return which of the three kinds a misconduct is of."""
    return KINDS.get(misconduct.kind, "failed")


def drawn(picture: str) -> Markup:
    """Return a picture that a game has drawn as markup: games escape the names in it."""
    return Markup(picture)


def suited_bot(table: Table) -> str:
    """Return the strategy of bots that suits people at a table; empty if none is known here."""
    return strategies(table)[0]


def as_sentence(text: str) -> str:
    """Return a text with a large first letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "as_json": as_json,
    "as_sentence": as_sentence,
    "certification_state": certification_state,
    "by_hand": by_hand,
    "cause": describe_cause,
    "drawn": drawn,
    "duration": duration,
    "element_id": element_id,
    "elimination": elimination_line,
    "game_state": game_state,
    "game_name": game_name,
    "game_title": game_title,
    "has_report": has_report,
    "is_running": is_running,
    "kind": kind,
    "method": name_method,
    "missing": missing,
    "names": describe_names,
    "plain": plain,
    "result": result_line,
    "seats": seats,
    "suited_bot": suited_bot,
    "table_state": state,
    "tournament_state": tournament_state,
    "url": url,
    "when": when,
}
