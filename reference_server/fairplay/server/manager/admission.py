"""Admission to tournaments that ask for a certificate."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

from google.protobuf.message import DecodeError

from fairplay import certificate as certificates
from fairplay.certificate import Certificate
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.server import __version__
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import outcome_of
from fairplay.server.links.ways import Links
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import AdmissionCertificate, Player
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, PlayerDescription
from fairplay.v1.tournament_pb2 import TournamentPlan

MAX_WORD_CHARS = 64
SKEW = timedelta(minutes=5)
"""How far the clocks of two machines may be apart."""


def check_certificate(data: bytes, plan: TournamentPlan, now: datetime) -> Certificate:
    """Return the certificate, after checking all that can be checked without the player.

    Raises Refusal if it is missing, damaged, too old, or not for this game and revision.
    """
    if not data:
        raise _refused("this tournament asks for a certificate: sign up with the one of `fairplay certify --json FILE`")
    try:
        certificate = certificates.check(data)
    except ValueError as error:
        raise _refused(f"the certificate cannot be used: {error}") from None
    age = now - datetime.fromisoformat(certificate.issued)
    if not certificate.certified:
        raise _refused("the certificate does not say that the player is certified: not every MUST is met")
    if longer := certificate.other_limits(longer=True):
        raise _refused(f"the certificate is for longer time limits than the game's: {', '.join(longer)}")
    profile = plan.sign_up.certificate.profile
    if certificate.profile not in ("", profile):
        asked = f"the profile {profile} or the whole game" if profile else "the whole game"
        raise _refused(f"the certificate is for the profile {certificate.profile}, but one for {asked} is asked for")
    wanted = (plan.game, PROTOCOL_REVISION)
    if (certificate.game, certificate.protocol_revision) != wanted:
        found = f"{certificate.game} in revision {certificate.protocol_revision}"
        raise _refused(f"the certificate is for {found}, but the tournament is of {wanted[0]} in revision {wanted[1]}")
    signers = plan.sign_up.certificate.signer_keys
    if signers and certificate.signer not in signers:
        who = f"the key {certificate.signer} has" if certificate.signer else "nobody has"
        raise _refused(f"the certificate must be signed by somebody whom this tournament trusts, but {who} signed it")
    if age < -SKEW:
        raise _refused(f"the certificate was issued in the future: {certificate.issued}")
    max_age_s = seconds(plan.sign_up.certificate.max_age)
    if max_age_s and age.total_seconds() > max_age_s:
        raise _refused(f"the certificate is too old: issued {certificate.issued}, it may be {max_age_s:,.0f} s old")
    return certificate


def check_player(certificate: Certificate, description: PlayerDescription) -> None:
    """Check that a certificate is about the player of this description. Raises Refusal if it is not."""
    certified = (certificate.player, certificate.player_version)
    found = (description.display_name, description.software_version)
    if certified != found:
        message = "the certificate is for {!r}, version {!r}, but the player says that it is {!r}, version {!r}"
        raise _refused(message.format(*certified, *found))


def shown(certificate: Certificate, data: bytes) -> AdmissionCertificate:
    """Return what everybody may know of a certificate that serves, from its file."""
    found = AdmissionCertificate(
        suite_version=certificate.suite_version[:MAX_WORD_CHARS],
        signer_key=certificate.signer,
        digest=hashlib.sha256(data).hexdigest(),
        profile=certificate.profile[:MAX_WORD_CHARS],
    )
    found.issue_time.FromDatetime(datetime.fromisoformat(certificate.issued))
    return found


def examined(now: datetime, profile: str) -> AdmissionCertificate:
    """Return what everybody may know of an examination by this server that a player has just passed."""
    found = AdmissionCertificate(examined=True, suite_version=__version__, profile=profile)
    found.issue_time.FromDatetime(now)
    return found


async def describe(player: Player, plan: TournamentPlan, links: Links, secret: str = "") -> PlayerDescription:
    """Ask a player to describe itself, and return the description. Raises Refusal if it does not answer."""
    link = await links.open(player, find(plan.game), secret)
    try:
        request, limit_s = DescribeRequest().SerializeToString(), seconds(plan.time_control.notification_limit)
        outcome = await outcome_of(link, DESCRIBE.path, request, limit_s)
    finally:
        await link.close()
    if not isinstance(outcome, bytes):
        why = "it took too long" if isinstance(outcome, Overrun) else outcome.message
        raise _refused(f"the player was asked to describe itself, for its certificate, and failed: {why}")
    try:
        return DescribeResponse.FromString(outcome).description
    except DecodeError:
        raise _refused("the player's description of itself, for its certificate, cannot be read") from None


def utc_now() -> datetime:
    """Return the time of day."""
    return datetime.now(UTC)


def _refused(message: str) -> Refusal:
    return Refusal("CERTIFICATE_REQUIRED", message, "certificate")
