"""The evidence of misconduct: what authors are shown, how much of it, and what its digest depends on."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.conformance.evidence import (
    Evidence,
    cause_of,
    clipped,
    hexadecimal,
    packed,
    readable,
    sections_of,
    sent,
)
from fairplay.fish.v1.fish_player_pb2 import SetupRequest, SetupResponse
from fairplay.server.links.link import call_error, disconnected, duration
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, Overrun, RuleBreak

METHOD = "/fairplay.fish.v1.FishPlayerService/Setup"


def any_of(message: Any) -> Any:
    found = Misconduct().reply
    found.Pack(message)
    return found


# How much of a text is shown


def test_a_text_of_4000_characters_is_shown_whole_and_a_longer_one_is_cut() -> None:
    whole = "a" * 3_999 + "b"
    assert clipped(whole) == whole
    assert clipped(whole + "c") == f"{whole}\n… (1 more characters)"
    assert clipped("c" + whole, from_end=True) == f"… (1 more characters)\n{whole}"
    assert clipped(whole + "c" * 1_234).endswith("\n… (1,234 more characters)")


def test_long_ids_leave_as_much_of_the_text_as_short_ones() -> None:
    game_id = "0123456789abcdef" * 2
    text = f"{game_id} {'x' * 5_000}"
    assert clipped(text) == f"{game_id} {'x' * (4_000 - len('ID '))}\n… (1,003 more characters)"


def test_bytes_are_shown_as_digits_with_their_number() -> None:
    assert hexadecimal(b"\x00\xff") == "00 ff\n(2 bytes)"
    assert hexadecimal(bytes(1_334)).endswith(" 0\n… (1 more characters)\n(1,334 bytes)")
    assert hexadecimal(bytes(2_500)).endswith("\n… (1,999 more characters)\n(2,500 bytes)")


# How messages are shown


def test_messages_are_shown_with_the_fields_that_nobody_knows() -> None:
    data = SetupResponse(place=7).SerializeToString() + b"\xa0\x06\x2a"
    assert sent(SetupResponse, data) == "place: 7\n100: 42"
    assert sent(SetupResponse, b"\xff") == "ff\n(1 bytes)"
    assert readable(SetupResponse()) == "(empty)"


def test_packed_messages_are_shown_by_their_type_or_as_bytes() -> None:
    message = SetupRequest(game_id="a")
    message.state.fish.extend([1, 2])
    assert packed(any_of(message)) == 'game_id: "a"\nstate {\n  fish: [1, 2]\n}'
    assert packed(any_of(message), one_line=True) == 'game_id: "a" state { fish: [1, 2] }'
    unknown, unreadable = any_of(message), any_of(message)
    unknown.type_url = "type.googleapis.com/nobody.knows.This"
    unreadable.value = b"\xff"
    assert packed(unknown).endswith(f"({len(unknown.value)} bytes)")
    assert packed(unreadable) == "ff\n(1 bytes)"


# What a misconduct was


def misconduct(**more: Any) -> Misconduct:
    return Misconduct(seat=0, player="tested", method_name=METHOD, call_number=5, **more)


def test_a_failed_call_is_shown_with_its_cause_and_time() -> None:
    found = misconduct(call_error=call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "it is broken", code=13))
    assert sections_of(found, "the request", 3.0, 0.1234, "") == [
        ("Call", f"{METHOD}, call 5 of this game to the player"),
        ("Request", "the request"),
        ("Cause", "status 13: it is broken"),
        ("Time", "0.123 s of 3 s"),
    ]


def test_the_reply_is_shown_readable_or_not() -> None:
    read = misconduct(reply=any_of(SetupResponse(place=7)), rule_break=RuleBreak(explanation="No such place."))
    assert ("Reply", "place: 7") in sections_of(read, "", 1.0, 0.0, "")
    raw = misconduct(unparsable_reply=b"\xff", call_error=call_error(CallErrorReason.CALL_ERROR_REASON_UNPARSABLE, ""))
    titles = dict(sections_of(raw, "", 1.0, 0.0, ""))
    assert titles["Reply (unreadable)"] == "ff\n(1 bytes)"
    assert "Reply" not in titles


def test_what_the_player_wrote_is_shown_from_its_end() -> None:
    long = "x" * 5_000 + "the end"
    error = misconduct(call_error=disconnected("it ended", "what the call says"))
    assert dict(sections_of(error, "", 1.0, 0.0, ""))["Output of the player"] == "what the call says"
    assert dict(sections_of(error, "", 1.0, 0.0, long))["Output of the player"].endswith("the end")
    assert "Output of the player" not in dict(sections_of(misconduct(), "", 1.0, 0.0, ""))


@pytest.mark.parametrize(
    ("listed", "count", "lines", "last"),
    [(2, 2, 2, "place: 1"), (2, 9, 3, "and 7 more"), (12, 12, 12, "place: 11"), (13, 13, 13, "and 1 more")],
)
def test_up_to_12_legal_answers_are_listed(listed: int, count: int, lines: int, last: str) -> None:
    legal = [any_of(SetupResponse(place=place)) for place in range(listed)]
    found = misconduct(rule_break=RuleBreak(rule_id="x", legal_replies=legal, legal_reply_count=count))
    shown = dict(sections_of(found, "", 1.0, 0.0, ""))["Legal answers"].splitlines()
    assert (len(shown), shown[-1]) == (lines, last)
    assert shown[0] == "place: 0"


def test_a_legal_answer_is_one_line_however_much_is_in_it() -> None:
    legal = SetupRequest(game_id="a")
    legal.state.fish.extend([1, 2])
    found = misconduct(rule_break=RuleBreak(rule_id="x", legal_replies=[any_of(legal)], legal_reply_count=1))
    assert dict(sections_of(found, "", 1.0, 0.0, ""))["Legal answers"] == 'game_id: "a" state { fish: [1, 2] }'


@pytest.mark.parametrize(
    ("found", "cause"),
    [
        (misconduct(rule_break=RuleBreak(explanation="It is a hole.")), "It is a hole."),
        (misconduct(overrun=Overrun(limit=duration(0.5))), "No answer within 0.5 s."),
        (misconduct(call_error=disconnected("it has ended")), "disconnected: it has ended"),
        (
            misconduct(call_error=call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, "broken", code=2)),
            "status 2: broken",
        ),
    ],
)
def test_a_cause_is_one_sentence(found: Misconduct, cause: str) -> None:
    assert cause_of(found) == cause


# Digests


BASE = Evidence("It raised.", ("a.rule",), [("Call", "Setup")], "board", "<svg/>", "seat-0-of-2")


def test_a_digest_depends_on_what_was_found() -> None:
    others = [
        Evidence("It hung.", ("a.rule",), [("Call", "Setup")], "board"),
        Evidence("It raised.", ("b.rule",), [("Call", "Setup")], "board"),
        Evidence("It raised.", ("a.rule",), [("Call", "TakeTurn")], "board"),
        Evidence("It raised.", ("a.rule",), [("Call", "Setup")], "another board"),
    ]
    assert len({each.digest for each in (BASE, *others)}) == 5
    # Certificates have digests: those of the same evidence stay the same in later versions.
    assert BASE.canonical() == (
        b'{"board":"board","rules":["a.rule"],"sections":[["Call","Setup"]],"sentence":"It raised."}'
    )
    assert Evidence("Fürchterlich \ud800").canonical().startswith(b'{"board":"","rules":[],"sections":[],')
    assert "Fürchterlich".encode() in Evidence("Fürchterlich").canonical()


@pytest.mark.parametrize("title", ["Time", "Output of the player", "Games before", "Played again", "Memory", "Again"])
def test_a_digest_does_not_depend_on_how_a_run_went(title: str) -> None:
    assert BASE.with_sections((title, "something")).digest == BASE.digest
    assert BASE.with_sections(("Call", "something")).digest != BASE.digest
    assert BASE.with_history("seat-1-of-2").digest == BASE.digest
    assert BASE.with_history("seat-1-of-2").history == "seat-1-of-2"
