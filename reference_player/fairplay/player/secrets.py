"""The secret of a player that serves: the server of the game shows it with each call, and strangers cannot."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping

SECRET_VARIABLE = "FAIRPLAY_SECRET"
SECRET_KEY = "fairplay-secret"
"""The metadata key of the secret: player.proto, PlayerService."""
MAX_SECRET_CHARS = 256
SECRET = re.compile(rf"[!-~]{{1,{MAX_SECRET_CHARS}}}")


class SecretError(ValueError):
    """A secret cannot be used; one sentence, which does not hold the secret."""


def check_secret(secret: str, where: str) -> str:
    """Return a secret that can be used. Raises SecretError, which names `where` it was given, if it cannot."""
    if not SECRET.fullmatch(secret):
        what = f"1 to {MAX_SECRET_CHARS} letters, digits and other visible characters of ASCII, without spaces"
        raise SecretError(f"{where} cannot be used: a secret is {what}")
    return secret


def secret_from(environment: Mapping[str, str]) -> str:
    """Return the secret in FAIRPLAY_SECRET, or "" if that is not set. Raises SecretError if it cannot be used."""
    secret = environment.get(SECRET_VARIABLE)
    return "" if secret is None else check_secret(secret, SECRET_VARIABLE)


def secret_of(player: object, environment: Mapping[str, str]) -> str:
    """Return the secret of a player object: its attribute `secret`, otherwise that of the environment; "": none.

    Raises SecretError if it cannot be used.
    """
    own = getattr(player, "secret", None)
    if own is None:
        return secret_from(environment)
    return check_secret(str(own), f"the secret of {type(player).__name__}")


def shows(metadata: object, secret: str) -> bool:
    """Return whether the metadata of a call hold the secret, in a time that does not tell how much of it is right."""
    given = [value for key, value in metadata or () if key == SECRET_KEY]  # type: ignore[attr-defined]  # gRPC's pairs
    shown = given[0] if given else ""
    return hmac.compare_digest(shown if isinstance(shown, bytes) else shown.encode(), secret.encode())
