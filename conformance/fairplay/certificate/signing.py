"""Signatures of certificates: who says that a player was certified. Ed25519, over the digest of the certificate.

A key is a file in PEM. Who trusts keys lists them in a file, one in a line: the public key in Base64, and a name for
people. Empty lines, and lines that begin with '#', say nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairplay.games.kit.files import read_text

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# Commands that look at no signature do without the memory of `cryptography`; `serve` loads it at its start.

CONTEXT = b"fairplay-certificate/1 signature\0"
"""What is signed in front of the digest, so that no signature made for something else serves."""
KEY_BYTES, SIGNATURE_BYTES = 32, 64


def new_key(path: Path) -> Ed25519PrivateKey:
    """Make a key, write it to a new file that only its owner may read, and return it.

    Raises ValueError, with one sentence, if the file is there already or cannot be written.
    """
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    data = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except FileExistsError:
        raise ValueError(f"{path} is there already, and is not overwritten: name another file") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror}") from None
    return key


def read_key(path: Path) -> Ed25519PrivateKey:
    """Return the key in a file. Raises ValueError, with one sentence, if there is none."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ValueError(f"{path} is not a key in PEM without a password: see fairplay certificate keys") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{path} is not an Ed25519 key: see fairplay certificate keys")
    return key


def public_text(key: Ed25519PrivateKey) -> str:
    """Return the public key of a key in Base64, as lists of trusted keys have it."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode("ascii")


def read_trusted(path: Path) -> Mapping[str, str]:
    """Return the trusted keys of a file: public key -> name. Raises ValueError if the file cannot be read."""
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            key, _, name = line.strip().partition(" ")
            if _decoded(key, KEY_BYTES) is None:
                raise ValueError(f"{path}, line {number}: give a public key in Base64, then a name")
            found[key] = name.strip() or key
    return found


def is_public_key(text: str) -> bool:
    """Return whether a text is a public key, as lists of trusted keys have it."""
    return _decoded(text, KEY_BYTES) is not None


def signature(digest: str, key: Ed25519PrivateKey) -> dict[str, str]:
    """Return what a certificate of this digest carries to be signed."""
    value = base64.b64encode(key.sign(CONTEXT + digest.encode("ascii"))).decode("ascii")
    return {"key": public_text(key), "value": value}


def signer(content: Any, digest: str) -> str:
    """Return the public key that signed a digest. Raises ValueError if the signature is not valid."""
    if not isinstance(content, dict) or set(content) != {"key", "value"}:
        raise ValueError("the signature of the certificate is not complete")
    key, value = _decoded(content["key"], KEY_BYTES), _decoded(content["value"], SIGNATURE_BYTES)
    if key is None or value is None:
        raise ValueError("the signature of the certificate is not complete")
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(value, CONTEXT + digest.encode("utf-8"))
    except (InvalidSignature, ValueError):
        raise ValueError("the signature of the certificate is not valid: somebody else wrote or changed it") from None
    return str(content["key"])


def signed(data: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the file of a certificate, signed."""
    content = json.loads(data)
    content["signature"] = signature(content["digest"], key)
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False).encode("utf-8") + b"\n"


def _decoded(text: object, length: int) -> bytes | None:
    """Return the bytes of a text in Base64, None if it is not the one text for so many bytes."""
    if not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text)
    except (binascii.Error, ValueError):
        return None
    return data if len(data) == length and base64.b64encode(data).decode("ascii") == text else None
