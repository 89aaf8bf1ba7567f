"""Checks of the calls that come on a connection."""

from __future__ import annotations

import re

import grpc

from fairplay.conformance.case import failure
from fairplay.conformance.servers.facts.known import Facts
from fairplay.conformance.servers.players import Stream

MAX_FRAME_BYTES = 4 * 2**20
MAX_CALL_ID = 2**53
KEY, VALUE = re.compile(r"(?!grpc-)[a-z0-9_.-]{1,64}(?<!-bin)"), re.compile(r"(?! )[ -~]{0,256}(?<! )")
"""Metadata of a call."""


def check_calls(facts: Facts, stream: Stream) -> None:
    """Take the calls that have come on a connection."""
    ids = [each.call_id for each in stream.calls]
    if len({*ids}) < len(ids):
        raise failure("A call has come twice on one connection.")
    for each in stream.calls:
        known = facts.calls.setdefault(each.call_id, each)
        if (known.path, known.request) != (each.path, each.request):
            raise failure(f"{each.method} has the id of another call, of {known.method}.")
        # A program in JavaScript cannot read larger ids.
        if not 0 <= each.call_id < MAX_CALL_ID or each.limit_s <= 0:
            raise failure(
                f"{each.method} has the id {each.call_id:,}, below 2^53, and {each.limit_s:g} s, more than 0."
            )
        if any(not KEY.fullmatch(key) or not VALUE.fullmatch(value) for key, value in each.metadata.items()):
            raise failure(f"{each.method} has metadata that it must not have: {dict(each.metadata)}.")
    for each, other in stream.overlapping:
        if other.cancelled_after_s is None:
            raise failure(f"{each.method} was called while another call of the game to the same player was open.")
    if stream.largest_frame_bytes > MAX_FRAME_BYTES:
        raise failure(f"The server sent a frame of {stream.largest_frame_bytes:,} bytes.")
    if stream.goodbye is not None and stream.status not in (None, grpc.StatusCode.OK):
        raise failure(f"A connection must end with OK after the goodbye; it ended with {stream.status}.")
