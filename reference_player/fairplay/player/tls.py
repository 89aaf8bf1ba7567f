"""TLS on listeners: certificates in files, which are read again when they change."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import grpc

from fairplay.player.channels import CredentialsError

Loaded = TypeVar("Loaded")

log = logging.getLogger("fairplay.tls")


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The files of a listener, in PEM: its certificate with those that vouch for it, and the key.

    With `client_ca`, only callers with a certificate of these authorities are let in (mutual TLS).
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None


def server_credentials(files: TlsFiles) -> grpc.ServerCredentials:
    """Return the credentials of a listener; a renewed certificate counts from the next connection on.

    Raises CredentialsError if the files cannot be used now. Later, what cannot be used is logged, and the certificate
    stays the one before.
    """
    source = _Source(files)
    return grpc.dynamic_ssl_server_credentials(
        source.load(), lambda: source.renewed(source.load), require_client_authentication=files.client_ca is not None
    )


def server_contexts(files: TlsFiles) -> Callable[[], ssl.SSLContext]:
    """Return what gives the newest context of a listener of our own for each connection. Raises as the other does."""
    source = _Source(files)
    current = source.context()

    def newest() -> ssl.SSLContext:
        nonlocal current
        current = source.renewed(source.context) or current
        return current

    return newest


class _Source:
    """The certificate in the files, as it was when they were read last."""

    def __init__(self, files: TlsFiles) -> None:
        self._files = files
        self._stamp = self._current_stamp()

    def _current_stamp(self) -> tuple[tuple[int, int, int] | None, ...]:
        """Return what changes when one of the files does."""
        named = (self._files.certificate, self._files.key, self._files.client_ca)
        return tuple(_stamp(path) for path in named if path is not None)

    def load(self) -> grpc.ServerCertificateConfiguration:
        """Read the files for gRPC. Raises CredentialsError if they cannot be used."""
        self.context()
        files = self._files
        try:
            pair = files.key.read_bytes(), files.certificate.read_bytes()
            authorities = files.client_ca.read_bytes() if files.client_ca is not None else None
        except OSError as error:
            raise _unreadable(error, files.certificate) from None
        return grpc.ssl_server_certificate_configuration([pair], root_certificates=authorities)

    def context(self) -> ssl.SSLContext:
        """Read the files. Raises CredentialsError if they cannot be used, which gRPC would only log."""
        files = self._files
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        path = files.certificate
        try:
            context.load_cert_chain(files.certificate, files.key, password=_no_password)
            if files.client_ca is not None:
                path = files.client_ca
                context.load_verify_locations(path)
                context.verify_mode = ssl.CERT_REQUIRED
        except ssl.SSLError as error:
            problem = "its key is another one" if error.reason == "KEY_VALUES_MISMATCH" else "it is not valid PEM"
            raise CredentialsError(f"{path} cannot be used for TLS: {problem}") from None
        except (OSError, ValueError) as error:
            raise _unreadable(error, path) from None
        return context

    def renewed(self, load: Callable[[], Loaded]) -> Loaded | None:
        """Load the files if they have changed, else return None. It is asked before each handshake."""
        stamp = self._current_stamp()
        if stamp == self._stamp:
            return None
        try:
            loaded = load()
        except CredentialsError as error:  # e.g. the new key is not written yet: asked again with the next connection
            log.warning("the certificate is not renewed: %s", error)
            return None
        self._stamp = stamp
        log.info("the certificate in %s was renewed", self._files.certificate)
        return loaded


def _unreadable(error: Exception, path: Path) -> CredentialsError:
    where = getattr(error, "filename", None) or path
    return CredentialsError(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}")


def _no_password() -> str:
    raise ValueError("the key has a password, which a server cannot ask for")


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
