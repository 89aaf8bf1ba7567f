"""The entries of a record in words and as JSON. What players sent is shown, never trusted."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf import json_format, text_format
from google.protobuf.any_pb2 import Any as PackedMessage
from google.protobuf.message import DecodeError, Message
from rich.text import Text

from fairplay.client.wording import cut, draw_standing
from fairplay.games.evidence import with_evidence
from fairplay.games.game import Game
from fairplay.games.kit.judging import MAX_LEGAL_REPLIES
from fairplay.games.kit.messages import enum_word
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.games.steps import Method
from fairplay.games.transcript import Answer
from fairplay.server.game.plans import seconds
from fairplay.terminal.records.overview import show_time
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Misconduct, MisconductKind, Overrun, RuleBreak
from fairplay.v1.record_pb2 import LinkedEntry, RecordedCall, RecordedTable, RecordEntry, TournamentChange
from fairplay.v1.table_pb2 import TableStatus
from fairplay.v1.tournament_pb2 import ExaminationStatus

MAX_CHARS = 160


class Line(NamedTuple):
    """An entry in one line, in plain text."""

    entry: int
    call: str
    who: str
    what: str
    took_ms: str
    outcome: str


class Wording:
    """Puts the entries of one record into words. `players` are the names by seat."""

    def __init__(self, game: Game, players: Sequence[str]) -> None:
        self.game = game
        self.players = players
        known: Sequence[Method] = [*self.game.methods, *PLAYER_METHODS.values()]
        self._methods: Mapping[str, Method] = {method.path: method for method in known}
        forms = [form for method in known for form in (method.request, method.response)]
        self._forms: Mapping[str, type[Message]] = {form.DESCRIPTOR.full_name: form for form in forms}

    # --- messages ---

    def request(self, call: RecordedCall) -> Message | None:
        """Return what was asked; None if it cannot be parsed."""
        method = self._methods.get(call.method_name)
        return _parsed(method.request, call.request) if method is not None else None

    def reply(self, call: RecordedCall) -> Message | None:
        """Return the reply; None if there is none, or it cannot be parsed."""
        method = self._methods.get(call.method_name)
        return _parsed(method.response, call.reply) if method is not None and call.HasField("reply") else None

    def outcome(self, call: RecordedCall) -> str:
        """Return the reply or the failure of a recorded call, in short."""
        if call.WhichOneof("outcome") is None:
            return "?"
        if call.HasField("reply"):
            reply = self.reply(call)
            return answer(reply) if reply is not None else f"unparsable: {len(call.reply):,} bytes"
        return answer(call.error if call.HasField("error") else call.overrun)

    def who(self, seat: int) -> str:
        """Return a seat and the name of its player."""
        return f"{seat} {self.players[seat]}" if seat < len(self.players) else f"{seat} ?"

    # --- lines ---

    def line(self, number: int, entry: RecordEntry) -> Line:
        """Return the entry of this number in one line."""
        if entry.HasField("call"):
            return self._call(number, entry.call)
        if entry.HasField("misconduct"):
            out = entry.misconduct
            return Line(number, str(out.call_number), self.who(out.seat), "eliminated", "", kind(out))
        if entry.HasField("joined"):
            return Line(number, "", self.who(entry.joined.seat), "joined", "", entry.joined.player.link)
        what, details = _event(entry)
        return Line(number, "", "", what, "", details)

    def _call(self, number: int, call: RecordedCall) -> Line:
        name = call.method_name.rpartition("/")[2]
        return Line(
            number,
            str(call.number),
            self.who(call.seat),
            name,
            f"{seconds(call.elapsed) * 1e3:.2f}",
            self.outcome(call),
        )

    # --- evidence ---

    def evidence(self, misconduct: Misconduct, call: RecordedCall) -> Iterator[str]:
        """Yield why a player was eliminated after a call, in full, line by line."""
        misconduct = with_evidence(misconduct, call, self._methods)
        yield from self.cause(misconduct)
        yield f"request: {misconduct.method_name} {self._unpacked(misconduct.request)}"
        if misconduct.HasField("reply"):
            yield f"reply: {self._unpacked(misconduct.reply)}"
        if misconduct.unparsable_reply:
            yield f"unparsable reply: {misconduct.unparsable_reply.hex(' ')}"

    def cause(self, misconduct: Misconduct) -> Iterator[str]:
        """Yield why a player was eliminated, without request and reply."""
        match misconduct.WhichOneof("cause"):
            case "rule_break":
                yield f"rule: {misconduct.rule_break.rule_id}"
                yield f"explanation: {misconduct.rule_break.explanation}"
                yield from self.legal(misconduct.rule_break)
            case "call_error":
                yield f"failure: {_error(misconduct.call_error)}"
                if misconduct.call_error.output:
                    yield "the player's output:"
                yield from (f"  {line}" for line in misconduct.call_error.output.splitlines())
            case "overrun":
                yield f"failure: {_overrun(misconduct.overrun)}"

    def legal(self, broken: RuleBreak, most: int = MAX_LEGAL_REPLIES) -> Iterator[str]:
        """Yield the legal replies that come with the evidence of a broken rule, `most` of them at the most."""
        count, listed = broken.legal_reply_count, broken.legal_replies[:most]
        if count:
            which = f"{count}, the first {len(listed)} of them" if count > len(listed) else str(count)
            yield f"legal replies: {which}"
            yield from (f"  {self._unpacked(reply)}" for reply in listed)

    def _unpacked(self, packed: PackedMessage) -> str:
        """Return a packed message in one line."""
        form = self._forms.get(packed.TypeName())
        message = _parsed(form, packed.value) if form is not None else None
        if message is None:
            return f"{len(packed.value):,} bytes of {packed.TypeName() or 'nothing'}"
        return words(message) or "{}"

    # --- JSON ---

    def entry_json(self, number: int, linked: LinkedEntry, entry: RecordEntry) -> dict[str, Any]:
        """Return an entry as protobuf-JSON with its number and hash, and a call as `call_json` does."""
        found = as_json(entry)
        if entry.HasField("call"):
            found["call"] = self.call_json(entry.call)
        return {"entry": number, "hash": linked.chain_hash.hex(), **found}

    def call_json(self, call: RecordedCall) -> dict[str, Any]:
        """Return a call as protobuf-JSON, with request and reply parsed where they can be."""
        found = as_json(call)
        for name, message in (("request", self.request(call)), ("reply", self.reply(call))):
            if message is not None:
                found[name] = as_json(message)
        return found


def as_json(message: Message) -> dict[str, Any]:
    """Return a message as protobuf-JSON; one that has none, as a damaged record may, as base64."""
    try:
        found: dict[str, Any] = json_format.MessageToDict(message)
    except (TypeError, ValueError, OverflowError, DecodeError, json_format.Error):
        return {"unreadable": base64.b64encode(message.SerializeToString()).decode()}
    return found


def answer(message: Answer) -> str:
    """Return a reply or a failure, in short."""
    if isinstance(message, CallError):
        return short(f"failed: {_error(message)}")
    if isinstance(message, Overrun):
        return short(f"failed: {_overrun(message)}")
    return short(words(message)) or ("{}" if message.DESCRIPTOR.fields else "ok")


def short(text: str) -> str:
    """Return a text in one line, cut to MAX_CHARS."""
    return cut(" ".join(text[: 4 * MAX_CHARS].split()), MAX_CHARS)


def words(message: Message) -> str:
    """Return a message in one line."""
    return text_format.MessageToString(message, as_one_line=True, use_short_repeated_primitives=True).strip()


def kind(misconduct: Misconduct) -> str:
    """Return the kind of a misconduct, e.g. "rule violation"."""
    if misconduct.kind not in MisconductKind.values():
        return f"kind {misconduct.kind}"
    return enum_word(MisconductKind, misconduct.kind)


def _parsed(form: type[Message], data: bytes) -> Message | None:
    try:
        return form.FromString(data)
    except DecodeError:
        return None


def _plain(markup: str) -> str:
    return Text.from_markup(markup, emoji=False).plain


def _event(entry: RecordEntry) -> tuple[str, str]:
    """Return the name of an entry that is no call, and the details."""
    match entry.WhichOneof("entry"):
        case "result":
            return (
                "result",
                f"{_plain(draw_standing(entry.result.result))}, {show_time(entry.result.end_time)}",
            )
        case "resumed":
            return (
                "resumed",
                f"{show_time(entry.resumed.time)}, by server version {entry.resumed.server_version}",
            )
        case "played":
            return "played", f"{entry.played.game_id}: {_plain(draw_standing(entry.played.result))}"
        case "change":
            return _change(entry.change)
        case "table":
            return _table(entry.table)
        case other:
            return other or "nothing", ""


def _table(entry: RecordedTable) -> tuple[str, str]:
    if entry.deleted:
        return "deleted", ""
    names = ", ".join(seat.name if seat.present else f"{seat.name} (left)" for seat in entry.table.seats) or "nobody"
    if entry.continued_by:
        return "over", f"{_plain(draw_standing(entry.table.result))}, goes on in {entry.continued_by}"
    running = entry.table.status == TableStatus.TABLE_STATUS_RUNNING
    return ("running", f"{entry.table.game_id} between {names}") if running else ("seats", names)


def _change(change: TournamentChange) -> tuple[str, str]:
    match change.WhichOneof("change"):
        case "signed_up" | "withdrawn" | "examination":
            return _sign_up(change)
        case "started":
            return "started", ", ".join(player.name for player in change.started.entrants)
        case "finished":
            winners = ", ".join(change.finished.winners) or "nobody"
            return "finished", f"won by {winners}, {show_time(change.time)}"
        case "cancelled":
            return "cancelled", f"{change.cancelled}, {show_time(change.time)}"
        case _:
            return "change", "?"


def _sign_up(change: TournamentChange) -> tuple[str, str]:
    if change.HasField("signed_up"):
        return "signed up", f"{change.signed_up.name}  {change.signed_up.link}"
    if change.HasField("examination"):
        player, examination = change.examination.player, change.examination
        if examination.status == ExaminationStatus.EXAMINATION_STATUS_EXAMINING:
            return "examining", f"{player.name}  {player.link}"
        return "refused", " ".join(filter(None, (player.name, examination.case_id, examination.reason)))
    return "withdrew", change.withdrawn


def _error(error: CallError) -> str:
    if error.reason not in CallErrorReason.values():
        return error.message
    reason = enum_word(CallErrorReason, error.reason)
    return f"{reason} {error.status_code}: {error.message}" if error.status_code else f"{reason}: {error.message}"


def _overrun(overrun: Overrun) -> str:
    return f"no reply after {seconds(overrun.elapsed):.3f} s; the limit is {seconds(overrun.limit):g} s"
