"""Checks messages of strangers against the limits of their fields.

What a stranger sends is kept in records, shown in lists and repeated in errors: without a bound one cheap request would
make many expensive answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import LIMITS, MANY, Limit
from fairplay.server.net.text import is_plain

PLAIN = frozenset(
    f"fairplay.v1.{name}"
    for name in ("CancelTournamentRequest.reason", "StopGameRequest.reason", "TournamentPlan.title")
)
"""What is shown as it is, and must hold no characters that play tricks."""
CUT = frozenset({"PlayerDescription", "GameService"})
"""What players say about themselves is cut, not refused: it must not keep them from playing."""
PACKAGE = "fairplay.v1"
REASONS: Mapping[str, str] = {
    "account": "NAME_INVALID",
    "certification_id": "CERTIFICATION_NOT_FOUND",
    "certificate": "CERTIFICATE_REQUIRED",
    "game": "UNKNOWN_GAME",
    "game_id": "INVALID_ID",
    "invitation": "WRONG_TOKEN",
    "link": "INVALID_LINK",
    "name": "NAME_INVALID",
    "page_token": "INVALID_PAGE_TOKEN",
    "player": "NAME_INVALID",
    "profile": "INVALID_PROFILE",
    "reason": "TEXT_INVALID",
    "record_id": "RECORD_NOT_FOUND",
    "secret": "INVALID_SECRET",
    "seed": "INVALID_SEED",
    "settings": "INVALID_SETTINGS",
    "table": "TABLE_NOT_FOUND",
    "text": "TEXT_INVALID",
    "time_limit": "INVALID_TIME_CONTROL",
    "token": "WRONG_TOKEN",
    "tournament_id": "INVALID_ID",
    "AdmissionCertificate": "INVALID_PLAYERS",
    "CertificatePolicy": "INVALID_SIGN_UP",
    "CustomFormat": "INVALID_FORMAT",
    "DoubleElimination": "INVALID_FORMAT",
    "ExaminationPolicy": "INVALID_SIGN_UP",
    "FormatSetting": "INVALID_FORMAT",
    "GamePlan.players": "INVALID_PLAYERS",
    "Gauntlet": "INVALID_FORMAT",
    "Hello": "MALFORMED_HELLO",
    "Hello.players": "TOO_MANY_PLAYERS",
    "HostedPlayer.token": "MALFORMED_HELLO",
    "Knockout": "INVALID_FORMAT",
    "Ladder": "INVALID_FORMAT",
    "RoundRobin": "INVALID_FORMAT",
    "SignUpPolicy": "INVALID_SIGN_UP",
    "SimulateGameRequest.strategies": "INVALID_PLAYERS",
    "Stages": "INVALID_FORMAT",
    "Swiss": "INVALID_FORMAT",
    "TimeControl": "INVALID_TIME_CONTROL",
    "TournamentPlan": "INVALID_FORMAT",
    "TournamentPlan.entrants": "INVALID_SIGN_UP",
    "TournamentPlan.game": "UNKNOWN_GAME",
    "TournamentPlan.seed": "INVALID_SEED",
    "TournamentPlan.title": "TEXT_INVALID",
}
"""The reason with which a message is refused, by its name, that of the field, or both: the more exact one counts."""
UNBOUNDED = Limit()


def check_limits(message: Message, path: str = "") -> None:
    """Check all that is set in a message. Raises Refusal, which names the field, for what is beyond its limit.

    Messages of games are read by their codecs, which bound them.
    """
    name = message.DESCRIPTOR.name
    if message.DESCRIPTOR.file.package != PACKAGE or name in CUT:
        return
    for field, value in message.ListFields():
        where = f"{path}.{field.name}" if path else field.name
        limit = LIMITS.get(field.full_name, UNBOUNDED)
        if field.is_repeated:
            _check_range(field, where, len(value), (limit.min_items, limit.max_items), "elements")
            for index, each in enumerate(value):
                _check_value(field, f"{where}[{index}]", each, limit)
        else:
            _check_value(field, where, value, limit)


def _check_value(field: FieldDescriptor, where: str, value: Any, limit: Limit) -> None:
    if isinstance(value, str):
        _check_range(field, where, len(value), (0, limit.max_characters), "characters")
        if limit.max_bytes < MANY:
            _check_range(field, where, len(value.encode()), (0, limit.max_bytes), "bytes")
        if field.full_name in PLAIN and not is_plain(value):
            problem = f"{where} must have no line breaks or other characters that do not show"
            raise Refusal(reason_beyond(field), problem, where)
    elif isinstance(value, bytes):
        _check_range(field, where, len(value), (limit.min_bytes, limit.max_bytes), "bytes")
    elif isinstance(value, Duration):
        seconds = value.seconds + value.nanos / 1e9
        if not limit.minimum_seconds <= seconds <= limit.maximum_seconds:
            most = f" to {limit.maximum_seconds:,g} s" if limit.maximum_seconds < inf else " or more"
            problem = f"{where} is {seconds:.9g} s: it must be {limit.minimum_seconds:g} s{most}"
            broken = limit.minimum_seconds if seconds < limit.minimum_seconds else limit.maximum_seconds
            raise _beyond(field, where, problem, f"{broken:g} s", f"{seconds:.9g} s")
    elif isinstance(value, Message):
        if limit.max_bytes < MANY:
            _check_range(field, where, value.ByteSize(), (0, limit.max_bytes), "bytes")
        check_limits(value, where)
    elif isinstance(value, int) and not limit.minimum <= value <= limit.maximum:
        least = f"{limit.minimum:,} to " if limit.minimum > -MANY else "at most "
        problem = f"{where} is {value:,}: it must be {least}{limit.maximum:,}"
        if limit.maximum == 2**53 - 1:
            problem = f"{where} is {value}: it must be below 2^53"
        raise _beyond(field, where, problem, max(limit.minimum, min(value, limit.maximum)), value)


def _check_range(field: FieldDescriptor, where: str, count: int, bounds: tuple[int, int], what: str) -> None:
    least, most = bounds
    if least <= count <= most:
        return
    asked = f"at most {most:,} are allowed" if count > most else f"give at least {least:,}"
    problem = f"{where} has {count:,} {what}: {asked}"
    raise _beyond(field, where, problem, most if count > most else least, count)


def _beyond(field: FieldDescriptor, where: str, problem: str, limit: object, given: object) -> Refusal:
    return Refusal(reason_beyond(field), problem, where, limit=limit, given=given)


def reason_beyond(field: FieldDescriptor) -> str:
    """Return the reason with which a message is refused where this field is beyond its limit."""
    assert field.containing_type is not None
    message = field.containing_type.name
    keys = (f"{message}.{field.name}", message, field.name)
    return next(REASONS[key] for key in keys if key in REASONS)
