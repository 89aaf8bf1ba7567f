"""The sentences that state a limit, a role or a reason, and those that only look so."""

from __future__ import annotations

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet, SourceCodeInfo

from tools.limits import CommentError, read_comment, read_limits

NUMBER = FieldDescriptorProto(name="count", type=FieldDescriptorProto.TYPE_UINT32)


@pytest.mark.parametrize(
    "comment",
    [
        "A name, at most 64 characters.",
        "How many, 1 to 25.",
        "Between 1 and 5.",
        "The settings, at most 16 KiB.",
        "Required: a reply with neither is malformed.",
        "At most 64 characters. At most 128 characters.",
    ],
)
def test_what_looks_like_a_limit_and_is_not_understood_fails(comment: str) -> None:
    with pytest.raises(CommentError, match=r"a\.field"):
        read_comment(comment, "a.field")


def commented(method: str, *, service: str = "", other: str = "") -> FileDescriptorSet:
    """Return two files: one with reasons, one with a service of two methods."""
    files = FileDescriptorSet()
    reasons = files.file.add(name="reasons.proto", package="fairplay.v1").enum_type.add(name="ErrorReason")
    for index, (name, status) in enumerate((("GONE", "NOT_FOUND"), ("BUSY", "UNAVAILABLE"), ("ODD", "NOT_FOUND"))):
        reasons.value.add(name=f"ERROR_REASON_{name}", number=index)
        place = SourceCodeInfo.Location(path=[5, 0, 2, index], leading_comments=f" {status}: why.\n")
        files.file[0].source_code_info.location.append(place)
    file = files.file.add(name="service.proto", package="fairplay.v1")
    made = file.service.add(name="Things")
    made.method.add(name="Get")
    made.method.add(name="List")
    for path, text in (([6, 0], service), ([6, 0, 2, 0], method), ([6, 0, 2, 1], other)):
        file.source_code_info.location.append(SourceCodeInfo.Location(path=path, leading_comments=text))
    return files


@pytest.mark.parametrize("text", ["Fails with UNAVAILABLE and GONE.", "Fails with NOT_FOUND and NOWHERE."])
def test_a_reason_that_there_is_not_or_that_has_another_status_fails(text: str) -> None:
    with pytest.raises(CommentError, match=r"Things\.Get"):
        read_limits(commented(text))
