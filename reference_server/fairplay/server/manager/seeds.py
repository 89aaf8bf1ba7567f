"""Seeds of a tournament: all its randomness follows from one secret, and none of it tells anything of the rest.

The secret is kept in the tournament's record and answered when the tournament is over. Whoever knows a seed that was
used, even every one so far, cannot tell the next one: each is a hash under the secret, of what it is for.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

SECRET_BYTES = 32


def new_secret(seed: int | None) -> bytes:
    """Return the secret of a new tournament: the same for the same seed, or a random one where no seed is named."""
    if seed is None:
        return secrets.token_bytes(SECRET_BYTES)
    return hashlib.sha256(f"fairplay tournament {seed}".encode()).digest()


def derive_seed(secret: bytes, *purpose: str | int) -> int:
    """Return the seed for a purpose, e.g. `derive_seed(secret, "game", 2, 1)`; below 2^53, everywhere alike."""
    message = "/".join(map(str, purpose)).encode()
    return _to_seed(hmac.digest(secret, message, "sha256"))


def derive_seed_1_1(seed: int, round_number: int, table: int) -> int:
    """Return the seed of a game as servers before the secret derived it, to go on with tournaments of theirs."""
    return _to_seed(hashlib.sha256(f"{seed}/{round_number}/{table}".encode()).digest())


def _to_seed(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big") >> 11
