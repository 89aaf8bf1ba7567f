"""An authority of one's own in a folder, and the certificates that it signs."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from fairplay.client.errors import FailedError, UsageError

NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,62}")
HOST = re.compile(r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")
SKEW = timedelta(hours=1)
"""How far the clock of a caller may be behind."""


def make_authority(directory: Path, days: int) -> None:
    """Make an authority, ca.pem and ca-key.pem. Raises FailedError if the folder holds one, or cannot be written."""
    _check_free(directory, "ca", "server")
    directory.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Fairplay authority")])
    builder = (
        _builder(subject, subject, key, days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    _write(directory, "ca", builder.sign(key, hashes.SHA256()), key)


def make_server(directory: Path, hosts: Sequence[str], days: int) -> None:
    """Make the certificate of a server that is reached under these names. Raises FailedError as `make_authority`."""
    names = [_alternative(host) for host in hosts]
    _make(directory, "server", hosts[0], x509.SubjectAlternativeName(names), ExtendedKeyUsageOID.SERVER_AUTH, days)


def make_client(directory: Path, name: str, days: int) -> None:
    """Make the certificate of a caller. Raises UsageError if its name is not allowed, else as `make_authority`."""
    if not NAME.fullmatch(name) or name in ("ca", "server") or name.endswith("-key"):
        raise UsageError(f"{name!r} is not a name for a certificate: 1 to 63 letters, digits, '-', '_' or '.'")
    alternative = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(f"fairplay:{name}")])
    _make(directory, name, name, alternative, ExtendedKeyUsageOID.CLIENT_AUTH, days)


def _make(
    directory: Path,
    file: str,
    name: str,
    alternative: x509.SubjectAlternativeName,
    purpose: x509.ObjectIdentifier,
    days: int,
) -> None:
    _check_free(directory, file)
    authority, authority_key = _read(directory)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])
    issued_by = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    builder = (
        _builder(subject, authority.subject, key, days)
        .add_extension(alternative, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(issued_by, critical=False)
    )
    _write(directory, file, builder.sign(authority_key, hashes.SHA256()), key)


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        if not HOST.fullmatch(host):
            raise UsageError(f"--host {host!r} is neither a name nor an address: give e.g. class.example.org") from None
        return x509.DNSName(host)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + timedelta(days=days))
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _paths(directory: Path, name: str) -> tuple[Path, Path]:
    return directory / f"{name}.pem", directory / f"{name}-key.pem"


def _check_free(directory: Path, *names: str) -> None:
    for path in (path for name in names for path in _paths(directory, name)):
        if path.exists():
            raise FailedError(f"{path} is there already, and is not overwritten: remove it, or name another folder")


def _read(directory: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    certificate, key = _paths(directory, "ca")
    try:
        read = serialization.load_pem_private_key(key.read_bytes(), password=None)
        authority = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError, TypeError) as error:
        why = getattr(error, "strerror", None) or "it is damaged"
        message = f"{directory} has no authority that can be used ({why}): fairplay tls new {directory} makes one"
        raise FailedError(message) from None
    if not isinstance(read, ec.EllipticCurvePrivateKey):
        raise FailedError(f"{key} is not a key that fairplay tls new has made")
    return authority, read


def _write(directory: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
    """Write a certificate and its key, which only its owner may read, to files that are new."""
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    certificate_path, key_path = _paths(directory, name)
    for path, data, mode in (
        (key_path, secret, 0o600),
        (certificate_path, certificate.public_bytes(serialization.Encoding.PEM), 0o644),
    ):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
