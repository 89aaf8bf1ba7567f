"""The evidence that a player failed, in words that its author can act on.

Much of it is strangers' text, not escaped: writers do that.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from google.protobuf import text_format
from google.protobuf.any_pb2 import Any
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.games.kit.messages import enum_word
from fairplay.server.game.plans import seconds
from fairplay.server.links.stream import FLOODED
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind

MAX_CHARS = 4_000
MAX_LEGAL = 12
KINDS: Mapping[MisconductKind.ValueType, str] = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: "broke a rule",
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: "failed",
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: "did not answer in time",
}


UNSTABLE = ("Time", "Output of the player", "Games before", "Played again", "Memory", "Required", "Again")
"""The titles of sections that differ between runs with the same seed, or follow from the case and how it is run."""
PASSING = re.compile(r"\b0x[0-9a-fA-F]{6,}\b|(?<=\d):\d{2,5}\b|(?<=localhost):\d{2,5}\b|… \([\d,]+ more characters\)")
"""Addresses in memory, ports, and how much of a text is left out: they are not the same in every run either."""
GIVEN = re.compile(r'game_id: \\?"[^"\\]*\\?"')
"""The id of a game in a request, as text or in JSON."""
DRAWN = re.compile(r"\b(?:[0-9a-f]{32}|[a-z0-9_]+-[0-9a-f]{12}-[0-9a-f]{8})(?:/r\d+g\d+)?\b")
"""The ids of games and tournaments that `player.names` draws."""
RESOURCE_EXHAUSTED = 8
TOO_LARGE = re.compile(r"larger than max|exceeds maximum|too large|message size", re.IGNORECASE)
GONE_CAUSE = "the player is gone"
"""The cause of whatever fails because the player's process or connection has ended."""
UNASKED_CAUSE = "replies that nobody asked for"
"""The cause of what fails because the player replies more than once, and because its stream is ended for that."""
VARYING = re.compile(r"'[^']*'|\"[^\"]*\"|\b0x[0-9a-fA-F]+\b|\d[\d,]*(?:\.\d+)?")
"""What differs between failures with one cause: numbers, and words that a message quotes."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One sentence, and the details that prove it."""

    sentence: str
    rules: Sequence[str] = ()
    """The ids of the rules that were broken."""
    sections: Sequence[tuple[str, str]] = ()
    """(title, text) in the order of reading."""
    board: str = ""
    """The position for a terminal, in rich's markup."""
    picture: str = ""
    """The position as SVG. Drawn from the rest: not part of the digest."""

    cause: str = ""
    """What tells the cause from others: the same for failures with the same cause. Not part of the digest."""
    history: str = ""
    """The games that show the misconduct, for the option --history; empty if there is no need to name them."""
    restarts: bool = False
    """Whether only a player that is started anew shows it again, after these games or, without any, a whole run."""
    final: bool = False
    """Whether it counts though another attempt does not show it: no load of the machine explains it."""

    def canonical(self) -> bytes:
        """Return the evidence as bytes, the same for equal evidence.

        Times, what the player has written, ids, addresses and ports are left out: the same seed gives the same bytes.
        """
        value = {
            "board": self.board,
            "rules": list(self.rules),
            "sections": [list(section) for section in self.sections if section[0] not in UNSTABLE],
            "sentence": self.sentence,
        }
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return PASSING.sub("…", without_ids(text)).encode("utf-8", "surrogatepass")

    @property
    def digest(self) -> str:
        """Return the sha256 of the canonical bytes, in hexadecimal digits."""
        return hashlib.sha256(self.canonical()).hexdigest()

    def with_sections(self, *sections: tuple[str, str]) -> Evidence:
        """Return the same evidence with more sections at its end."""
        return replace(self, sections=(*self.sections, *sections))

    def with_sentence(self, sentence: str) -> Evidence:
        """Return the same evidence under another first sentence."""
        return replace(self, sentence=sentence)

    def with_cause(self, cause: str) -> Evidence:
        """Return the same evidence with what tells its cause from others."""
        return replace(self, cause=cause)

    def with_history(self, history: str, *, restarts: bool = False) -> Evidence:
        """Return the same evidence with the games that show the misconduct, to a player that is started anew or not."""
        return replace(self, history=history, restarts=restarts)


def sections_of(
    misconduct: Misconduct, request: str, limit_s: float, elapsed_s: float, output: str
) -> list[tuple[str, str]]:
    """Return the details of a misconduct, for people. `request` is the request that was sent, as text."""
    found = [("Call", f"{misconduct.method_name}, call {misconduct.call_number} of this game to the player")]
    found.append(("Request", request))
    if misconduct.HasField("reply"):
        found.append(("Reply", packed(misconduct.reply)))
    elif misconduct.unparsable_reply:
        found.append(("Reply (unreadable)", hexadecimal(misconduct.unparsable_reply)))
    found.append(("Cause", cause_of(misconduct)))
    if misconduct.rule_break.legal_replies:
        lines = [packed(reply, one_line=True) for reply in list(misconduct.rule_break.legal_replies)[:MAX_LEGAL]]
        more = misconduct.rule_break.legal_reply_count - len(lines)
        found.append(("Legal answers", "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])))
    found.append(("Time", f"{elapsed_s:.3f} s of {limit_s:g} s"))
    if output := output or misconduct.call_error.output:
        found.append(("Output of the player", clipped(output, from_end=True)))
    return found


def refusal_of_size(misconduct: Misconduct, request_bytes: int) -> str:
    """Return that a player refused a request as too large, whose limit that is and what it must be; "" if it did not.

    gRPC libraries do so by themselves, with words of their own, before the author's code sees anything.
    """
    error = misconduct.call_error
    if error.status_code != RESOURCE_EXHAUSTED or not TOO_LARGE.search(error.message):
        return ""
    return (
        f"The player refused a request of {request_bytes:,} bytes as too large. The limit is its own, or its gRPC"
        f" library's for messages that it receives, and must be 4 MiB or more [STREAM-3]. It said: {error.message}"
    )


def cause_of(misconduct: Misconduct) -> str:
    """Return the cause of a misconduct in one sentence."""
    match misconduct.WhichOneof("cause"):
        case "rule_break":
            return misconduct.rule_break.explanation
        case "overrun":
            overrun = misconduct.overrun
            return f"No answer within {seconds(overrun.limit):g} s."
    error = misconduct.call_error
    reason = enum_word(CallErrorReason, error.reason)
    status = f" {error.status_code}" if error.status_code else ""
    return clipped(f"{reason}{status}: {error.message}")


def cause_key(method_name: str, kind: MisconductKind.ValueType, detail: str = "") -> str:
    """Return what tells the cause of a failed call from others. `detail`: the rule, or status and message."""
    return f"{method_name} {MisconductKind.Name(kind)} {VARYING.sub('…', detail)}"


def gone_cause(message: str) -> str:
    """Return what tells the cause for which a player is gone from others, by the message of the call that failed."""
    return UNASKED_CAUSE if FLOODED in message else GONE_CAUSE


def packed(message: Any, *, one_line: bool = False) -> str:
    """Return a packed message as readable text."""
    try:
        kind = GetMessageClass(Default().FindMessageTypeByName(message.type_url.rpartition("/")[2]))
        return readable(kind.FromString(message.value), one_line=one_line)
    except (KeyError, DecodeError):
        return hexadecimal(message.value)


def readable(message: Message, *, one_line: bool = False) -> str:
    """Return a message as text with its unknown fields, clipped if it is long."""
    text = text_format.MessageToString(
        message, as_one_line=one_line, use_short_repeated_primitives=True, print_unknown_fields=True
    )
    return clipped(text.strip()) or "(empty)"


MAX_READABLE_BYTES = 2**16


def sent(kind: type[Message], data: bytes) -> str:
    """Return a request as text, from the bytes that were sent: with the fields that its type does not have.

    Large ones are mostly filling, whose text would take seconds.
    """
    if len(data) > MAX_READABLE_BYTES:
        return hexadecimal(data)
    try:
        return readable(kind.FromString(data))
    except DecodeError:
        return hexadecimal(data)


def hexadecimal(data: bytes) -> str:
    """Return bytes as hexadecimal digits, clipped if there are many."""
    return clipped(data[: MAX_CHARS // 2].hex(" ")) + f"\n({len(data):,} bytes)"


def clipped(text: str, *, from_end: bool = False) -> str:
    """Return about MAX_CHARS characters of a text: its beginning, or its end."""
    if len(text) <= MAX_CHARS:
        return text
    head = text[:MAX_CHARS]
    kept = MAX_CHARS + len(head) - len(without_ids(head))  # the same place, however long the ids are
    cut = f"… ({len(text) - kept:,} more characters)"
    return f"{cut}\n{text[-MAX_CHARS:]}" if from_end else f"{text[:kept]}\n{cut}"


def without_ids(text: str) -> str:
    """Return a text with one and the same word in the place of every id of a game or tournament."""
    return DRAWN.sub("ID", GIVEN.sub('game_id: "ID"', text))
