"""The evidence that is kept of a reply has a largest size."""

from __future__ import annotations

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from fairplay.games.evidence import (
    add_evidence,
)
from fairplay.v1.misconduct_pb2 import Misconduct


@pytest.mark.parametrize(("size", "kept"), [(16 * 1024, True), (16 * 1024 + 1, False)])
def test_what_was_asked_and_answered_is_kept_up_to_16_kib(size: int, kept: bool) -> None:
    text = StringValue(value="x" * (size - 3))  # behind a tag and a length of two bytes
    assert text.ByteSize() == size
    misconduct = Misconduct()
    add_evidence(misconduct, text, text.SerializeToString(), StringValue)
    assert (misconduct.HasField("request"), misconduct.HasField("reply")) == (kept, kept)
    assert misconduct.unparsable_reply == b""
