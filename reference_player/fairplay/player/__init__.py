"""The kit for authors of players: write a plain class with the methods of a game, then serve it or dial in with it."""

from fairplay.player.channels import Credentials, CredentialsError
from fairplay.player.dialing import DialInError, Hosted, dial_in, dial_in_async
from fairplay.player.handlers import CallFailed, CallInfo, current_call
from fairplay.player.secrets import SecretError
from fairplay.player.serving import serve, serve_async
from fairplay.player.tls import TlsFiles

__all__ = [
    "CallFailed",
    "CallInfo",
    "Credentials",
    "CredentialsError",
    "DialInError",
    "Hosted",
    "SecretError",
    "TlsFiles",
    "current_call",
    "dial_in",
    "dial_in_async",
    "serve",
    "serve_async",
]
