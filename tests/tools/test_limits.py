"""The sentences that state a limit, a role or a reason, and those that only look so."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet, SourceCodeInfo

from tools.limits import CommentError, read_comment, read_limits

DURATION = FieldDescriptorProto(name="limit", type_name=".google.protobuf.Duration")
NUMBER = FieldDescriptorProto(name="count", type=FieldDescriptorProto.TYPE_UINT32)


@pytest.mark.parametrize(
    ("comment", "limits"),
    [
        ("A text. At most 4,096 characters. Empty: none.", {"max_characters": 4_096}),
        ("Exactly 32 bytes.", {"min_bytes": 32, "max_bytes": 32}),
        ("The stages. From 2 to 10 elements. At most 64 characters each.", {"max_characters": 64}),
        ("At least 1 element.", {"min_items": 1}),
        ("The floor, e.g. -3. From -1,000 to 0.", {"minimum": -1_000, "maximum": 0}),
        ("Below 2^53. Not set: drawn.", {"maximum": 2**53 - 1}),
        ("Matches `[a-z. -]{1,3}`. Required.", {"pattern": "[a-z. -]{1,3}", "required": True}),
        ("Kept as evidence. Cut after 2,000 characters.", {"cut_characters": 2_000}),
        ("0 counts as 50. More than 1,000 counts as 1,000.", {"clamp": 1_000}),
        ('As "1 to 25" says, the seat, from 0.', {}),
    ],
)
def test_each_form_is_read(comment: str, limits: dict[str, Any]) -> None:
    if "stages" in comment:
        limits = {**limits, "min_items": 2, "max_items": 10}
    assert read_comment(comment, "a.field", NUMBER) == limits


def test_times_are_read_in_seconds() -> None:
    assert read_comment("From 100 ms to 7 days.", "a", DURATION) == {"minimum_seconds": 0.1, "maximum_seconds": 604_800}


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


def test_roles_and_reasons_of_a_method_and_of_its_service_are_read() -> None:
    files = commented(
        " Gets it.\n\n Fails with NOT_FOUND and GONE\n or ODD, where it is odd.\n\n Needs the role PLAYER.\n",
        service=" Things. Every method but List fails with UNAVAILABLE and BUSY.",
        other="Lists them. Fails as Get does.",
    )
    assert read_limits(files)["methods"] == {
        "fairplay.v1.Things.Get": {"role": "PLAYER", "reasons": ["GONE", "ODD", "BUSY"]},
        "fairplay.v1.Things.List": {"reasons": ["GONE", "ODD"]},
    }
    assert read_limits(files)["statuses"] == {"GONE": "NOT_FOUND", "BUSY": "UNAVAILABLE", "ODD": "NOT_FOUND"}


def test_what_the_reasons_say_of_all_methods_holds_for_those_that_say_so() -> None:
    files = commented("Fails with NOT_FOUND and GONE. It also fails as ErrorReason says of all methods.")
    of_all = (
        " Reasons. Every method but Get fails with UNAVAILABLE and BUSY. Every method fails with NOT_FOUND and ODD."
    )
    files.file[0].source_code_info.location.append(SourceCodeInfo.Location(path=[5, 0], leading_comments=of_all))
    assert read_limits(files)["methods"]["fairplay.v1.Things.Get"]["reasons"] == ["GONE", "ODD"]
    assert "reasons" not in read_limits(files)["methods"]["fairplay.v1.Things.List"]


@pytest.mark.parametrize("text", ["Fails with UNAVAILABLE and GONE.", "Fails with NOT_FOUND and NOWHERE."])
def test_a_reason_that_there_is_not_or_that_has_another_status_fails(text: str) -> None:
    with pytest.raises(CommentError, match=r"Things\.Get"):
        read_limits(commented(text))
