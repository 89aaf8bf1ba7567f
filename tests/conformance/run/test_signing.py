"""Signed certificates: who says so, and about which program."""

from __future__ import annotations

import base64
import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from fairplay.certificate import check, sealed
from fairplay.certificate.signing import is_public_key, new_key, public_text, read_key, read_trusted, signed
from fairplay.client.errors import UsageError
from fairplay.conformance.run.report import Report, certificate
from fairplay.terminal.certify.verify import show_key, verify_certificate
from fairplay.terminal.commands.certify import Demands

SOME_KEY, SOME_SIGNATURE = (base64.b64encode(b"x" * length).decode() for length in (32, 64))


@pytest.fixture(scope="module")
def unsigned(sound: Report) -> bytes:
    return certificate(sound)


def changed(data: bytes, **values: Any) -> bytes:
    return json.dumps({**json.loads(data), **values}).encode()


@pytest.mark.slow
def test_a_signature_names_its_key_and_changes_nothing_else(unsigned: bytes, tmp_path: Path) -> None:
    key = new_key(tmp_path / "key.pem")
    plain, found = check(unsigned), check(signed(unsigned, key))
    assert plain.signer == ""
    assert found.signer == public_text(key)
    assert found.cases == plain.cases
    assert public_text(read_key(tmp_path / "key.pem")) == public_text(key)
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600


def test_a_changed_certificate_keeps_no_signature(unsigned: bytes, tmp_path: Path) -> None:
    key, other = new_key(tmp_path / "key.pem"), new_key(tmp_path / "other.pem")
    data = signed(unsigned, key)
    signature = json.loads(data)["signature"]
    content = {**json.loads(unsigned), "nonce": "forged"}
    del content["digest"]
    forged = changed(sealed(content), signature=signature)
    with pytest.raises(ValueError, match="signature of the certificate is not valid"):
        check(forged)
    with pytest.raises(ValueError, match="not valid"):
        check(changed(data, signature={**signature, "key": public_text(other)}))
    with pytest.raises(ValueError, match="was changed"):
        check(changed(data, nonce="forged"))


def test_half_a_signature_is_none(unsigned: bytes) -> None:
    for signature in [
        None,
        "text",
        5,
        ["key", "value"],
        {},
        {"key": "", "value": ""},
        {"key": 1, "value": 2},
        {"key": "A" * 10_000_000, "value": "A"},
        {"key": SOME_KEY, "value": ""},
        {"key": "", "value": SOME_SIGNATURE},
        {"key": SOME_KEY, "value": SOME_SIGNATURE, "more": 1},
    ]:
        data = changed(unsigned, signature=signature)
        if signature is None:
            assert check(data).signer == ""
            continue
        with pytest.raises(ValueError, match="signature of the certificate is not complete"):
            check(data)


def test_a_signed_certificate_can_be_read_by_people(tmp_path: Path) -> None:
    key = new_key(tmp_path / "key.pem")
    text = signed(sealed({"player": "Änn", "cases": [], "times": {}}), key).decode()
    assert text.startswith('{\n  "cases": [],\n  "digest": "sha256:')
    assert f'"player": "Änn",\n  "signature": {{\n    "key": "{public_text(key)}",\n    "value": "' in text
    assert text.endswith('"\n  },\n  "times": {}\n}\n')


def test_a_public_key_has_one_text() -> None:
    for text, is_key in [
        (SOME_KEY, True),
        (base64.b64encode(b"x" * 31).decode(), False),
        (base64.b64encode(b"x" * 33).decode(), False),
        (f"{SOME_KEY}\n", False),
        (f"{SOME_KEY[:9]} {SOME_KEY[9:]}", False),
        (f"{SOME_KEY[:-2]}5=", False),  # the same bytes, and bits behind them
        ("ä" * 44, False),
        ("", False),
    ]:
        assert is_public_key(text) is is_key


def test_a_list_of_keys_has_names_comments_and_empty_lines(tmp_path: Path) -> None:
    first, second = (public_text(new_key(tmp_path / name)) for name in ("a.pem", "b.pem"))
    (tmp_path / "keys.txt").write_text(f"# us\n\n  # {first} nobody\n  {first}   Prof. Example  \n{second}\n")
    assert read_trusted(tmp_path / "keys.txt") == {first: "Prof. Example", second: second}
    (tmp_path / "keys.txt").write_text(f"# us\n{first}\n{first[1:]} Ann\n")
    with pytest.raises(ValueError, match=r"keys\.txt, line 3: give a public key in Base64, then a name$"):
        read_trusted(tmp_path / "keys.txt")
    with pytest.raises(ValueError, match=r"missing\.txt cannot be read: No such file"):
        read_trusted(tmp_path / "missing.txt")


def test_a_key_that_cannot_be_written_or_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"key\.pem cannot be written: No such file"):
        new_key(tmp_path / "missing" / "key.pem")
    with pytest.raises(ValueError, match=r"key\.pem cannot be read: No such file"):
        read_key(tmp_path / "key.pem")
    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (tmp_path / "key.pem").write_bytes(other)
    with pytest.raises(ValueError, match="is not an Ed25519 key"):
        read_key(tmp_path / "key.pem")


def test_whoever_verifies_says_whom_to_trust(
    unsigned: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, other = new_key(tmp_path / "key.pem"), new_key(tmp_path / "other.pem")
    keys, others, file = tmp_path / "keys.txt", tmp_path / "others.txt", tmp_path / "certificate.json"
    keys.write_text(f"# whom we trust\n\n{public_text(key)} Prof. Example\n")
    others.write_text(f"{public_text(other)}\n")
    file.write_bytes(unsigned)
    assert verify_certificate(file, Demands(trusted=keys)) == 1
    assert "nobody has signed it" in " ".join(capsys.readouterr().out.split())
    file.write_bytes(signed(unsigned, key))
    assert verify_certificate(file, Demands(trusted=keys)) == 0
    assert "whom you trust as Prof. Example" in " ".join(capsys.readouterr().out.split())
    assert verify_certificate(file, Demands(trusted=others)) == 1
    assert "is not among those that you trust" in " ".join(capsys.readouterr().out.split())


def test_a_certificate_is_about_one_program(unsigned: bytes, tmp_path: Path) -> None:
    program, other, file = tmp_path / "program", tmp_path / "other", tmp_path / "certificate.json"
    program.write_text("play")
    other.write_text("cheat")
    content = json.loads(unsigned)
    del content["digest"]
    content["program"] = [{"file": "./program", "sha256": hashlib.sha256(program.read_bytes()).hexdigest()}]
    file.write_bytes(sealed(content))
    assert verify_certificate(file, Demands(program=program)) == 0
    assert verify_certificate(file, Demands(program=other)) == 1
    with pytest.raises(UsageError, match="cannot be read"):
        verify_certificate(file, Demands(program=tmp_path / "missing"))


def test_a_key_is_never_overwritten_and_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "key.pem"
    show_key(file, "Prof. Example")
    line = capsys.readouterr().out
    show_key(file, "Prof. Example")
    assert capsys.readouterr().out == line
    (tmp_path / "keys.txt").write_text(line)
    assert list(read_trusted(tmp_path / "keys.txt").values()) == ["Prof. Example"]
    with pytest.raises(ValueError, match="is there already"):
        new_key(file)


def test_a_list_of_keys_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for text in ["nonsense", base64.b64encode(b"x" * 31).decode(), "\udcff"]:
        (tmp_path / "keys.txt").write_bytes(text.encode("utf-8", "surrogateescape"))
        with pytest.raises(ValueError, match=r"keys\.txt"):
            read_trusted(tmp_path / "keys.txt")
        with pytest.raises(ValueError, match="is not a key in PEM"):
            read_key(tmp_path / "keys.txt")
