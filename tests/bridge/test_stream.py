"""JSON values on a connection: however the bytes come, a value or an error, and never a wrong value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import pytest

from fairplay.bridge.stream import MAX_BYTES, Decoder, NotJsonError

VALUES: list[Any] = ["void", [1, 2], False, {"a": [{"b": '\\"]}'}, None]}, -1.5e3, "é😀\\", "", [], {}, True, 0, 17]
TEXT = b"".join(
    json.dumps(value, ensure_ascii=number % 2 == 0).encode() + (b" " * 5_000 if number % 5 == 1 else b"\n")
    for number, value in enumerate(VALUES)
)


def decoded(pieces: Iterable[bytes]) -> list[Any]:
    decoder = Decoder()
    return [value for piece in pieces for value in decoder.feed(piece)] + decoder.finish()


def bytewise(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def test_values_come_in_any_two_pieces_and_in_single_bytes() -> None:
    short = re.sub(b" +", b"", TEXT)
    for at in range(len(short)):
        assert decoded([short[:at], short[at:]]) == VALUES
    assert decoded(bytewise(TEXT)) == VALUES
    assert decoded([b" " * 5_000 + b'"vo', b'id"', b"[1", b",2]"]) == ["void", [1, 2]]
    assert decoded([b'"void"[1,2]"void"truefalse[]']) == ["void", [1, 2], "void", True, False, []]


def test_a_value_is_there_with_the_byte_that_ends_it() -> None:
    decoder = Decoder()
    assert decoder.feed(b"fals") == []
    assert decoder.feed(b"e") == [False]
    assert decoder.feed(b"12") == []  # more digits may follow
    assert decoder.feed(b"3\n") == [123]
    assert decoder.feed(b"7") == []
    assert decoder.finish() == [7]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"void", 'void: a string needs quotes, "void"'),
        (b"void\n", 'void: a string needs quotes, "void"'),
        (b'["take", red]', 'a string needs quotes, "red"'),
        (b"False", "in JSON it is false"),
        (b'["take", None]', "in JSON it is null"),
        (b"'void'", "a string needs double quotes"),
        (b'\xef\xbb\xbf"void"', "byte order mark"),
        (b'\x00\x00\x00\x06"void"', "without their length"),
        (b'"\xff\xfe"', "it is not in UTF-8"),
        (b"[1,]", "it is not JSON"),
        (b"[1 2]", "it is not JSON"),
        (b"[}", "it is not JSON"),
        (b"]", "no JSON value begins like this"),
        (b"nul!", "a string needs quotes"),
        (b"1-2 ", "it is not JSON"),
        (b"01 ", "it is not JSON"),
        (b"[NaN]", "there is no NaN in JSON"),
        (b'"a\nb"', "it is not JSON"),
        (b"1" * 65, "longer than 64 bytes"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_value_is_an_error_that_says_why_however_it_comes(data: bytes, sentence: str) -> None:
    with pytest.raises(NotJsonError, match=re.escape(sentence)) as raised:
        decoded([data])
    assert len(raised.value.text) <= 200
    with pytest.raises(NotJsonError):
        decoded(bytewise(data[:2_000]))


@pytest.mark.parametrize("data", [b'"voi', b'["a"', b"[[1]", b"tru", b'"\\', b'"\\u12', b"{", b"-"])
def test_a_value_that_is_cut_is_an_error_at_the_end(data: bytes) -> None:
    decoder = Decoder()
    assert decoder.feed(data) == []
    with pytest.raises(NotJsonError):
        decoder.finish()


def test_a_value_has_a_largest_size_and_blanks_have_none() -> None:
    decoder, piece = Decoder(), b'"' + b"x" * (1 << 20)
    for _ in range(5):
        assert decoder.feed(b" " * (1 << 20)) == []
    with pytest.raises(NotJsonError, match=f"longer than {MAX_BYTES:,} bytes"):
        for _ in range(5):
            decoder.feed(piece)
            piece = piece[1:]
