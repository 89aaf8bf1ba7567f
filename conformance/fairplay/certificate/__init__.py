"""Certificates of players: the conformance suite writes them, and whoever admits players checks them.

A certificate is JSON. Its digest shows damage, not forgery; a signature shows who says what it says. To be sure of a
player without trusting anybody, certify it again with the seed that the certificate names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from fairplay.certificate.signing import signer
from fairplay.certificate.terms import may_be_inapplicable, other_limits, profile_sentence
from fairplay.games.conformance import Level, find_conformance

FORMAT = "fairplay-certificate/1"
MAX_BYTES = 16 * 1024 * 1024


class Verdict(StrEnum):
    """How a case ended. docs/reading-a-report.md says what each verdict means for a certificate."""

    PASS = "PASS"
    FAIL = "FAIL"
    """A MUST is not met."""
    WARN = "WARN"
    """A SHOULD or a MAY is not met."""
    NOT_TESTED = "NOT TESTED"
    """The case could not be tried. It never counts as passed."""
    NOT_APPLICABLE = "NOT APPLICABLE"
    """The case does not concern this player or this transport. It does not prevent a certificate."""
    SUITE_ERROR = "SUITE ERROR"
    """The suite itself failed: no fault of the player, and no pass."""


MET = (Verdict.PASS, Verdict.NOT_APPLICABLE)
"""The verdicts with which a MUST is met."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case with its verdict."""

    id: str
    level: str
    verdict: str
    known: bool
    """Whether the author had listed it as a known failure."""
    sentence: str
    """What was found wrong, or why the case was not tested."""
    evidence: str
    """sha256 of the canonical evidence; empty if there is none."""
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """A checked certificate: it is undamaged, and its summary follows from its cases."""

    game: str
    protocol_revision: int
    suite_version: str
    player: str
    player_version: str
    reached_by: str
    seed: int
    nonce: str
    """The word of who checks the certificate, which the cases follow from as well; empty: none."""
    program: Sequence[Mapping[str, str]]
    """The files of the command that could be named, with their sha256; empty: the player was not started."""
    issued: str
    """The beginning of the run: a time with its zone, as RFC 3339 writes it."""
    limits_ms: Mapping[str, int]
    level: str
    only: str
    complete: bool
    decisions: Mapping[str, int]
    """Method -> how many of its replies were judged."""
    cases: Sequence[CaseResult]
    certified: bool
    """Whether every MUST of the revision was tried and is met."""
    profile: str = ""
    """The part of the game in which the player was tried; empty: all of it."""
    digest: str = ""
    """What its signature is over: the word "sha256:" and hexadecimal digits."""
    signer: str = ""
    """The public key that signed it, in Base64; empty: nobody did. That a key is trusted is for the reader to say."""

    @property
    def unmet(self) -> Sequence[CaseResult]:
        """Return the MUST cases in the file that are not met."""
        return _unmet(self.cases, self.game, self.reached_by, self.profile)

    def other_limits(self, *, longer: bool = False) -> Sequence[str]:
        """Return the limits that are not the game's, for people. `longer`: only those that demand less of a player."""
        return other_limits(self.game, self.limits_ms, longer=longer)


def _unmet(cases: Iterable[CaseResult], game: str, reached_by: str, profile: str) -> list[CaseResult]:
    return [case for case in cases if case.level == Level.MUST and not _is_met(case, game, reached_by, profile)]


def _is_met(case: CaseResult, game: str, reached_by: str, profile: str) -> bool:
    if case.verdict == Verdict.NOT_APPLICABLE:
        return may_be_inapplicable(case.id, reached_by, game, profile)
    return case.verdict in MET


_FIELDS: Mapping[str, type] = {
    "cases": list,
    "complete": bool,
    "decisions": dict,
    "digest": str,
    "format": str,
    "game": str,
    "issued": str,
    "level": str,
    "limits_ms": dict,
    "nonce": str,
    "only": str,
    "player": dict,
    "profile": str,
    "program": list,
    "protocol_revision": int,
    "reached_by": str,
    "seed": str,
    "suite_version": str,
    "summary": dict,
    "times": dict,
}
_CASE_FIELDS: Mapping[str, type] = {
    "evidence": str,
    "id": str,
    "known": bool,
    "level": str,
    "milliseconds": int,
    "sentence": str,
    "verdict": str,
}


def sealed(content: Mapping[str, Any]) -> bytes:
    """Return the file of a certificate: its content, and the digest over it."""
    text = json.dumps({**content, "digest": digest(content)}, indent=2, sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8") + b"\n"


def digest(content: Mapping[str, Any]) -> str:
    """Return the sha256 of the canonical content: keys sorted, no spaces, UTF-8, without digest and signature."""
    rest = {key: value for key, value in content.items() if key not in ("digest", "signature")}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def summary(
    cases: Iterable[CaseResult], game: str, revision: int, *, reached_by: str, complete: bool, profile: str = ""
) -> dict[str, Any]:
    """Return what follows from the cases: how many have which verdict, and whether they certify the player.

    Nobody can be certified if it is not known what the revision demands of the game, or what the profile is.
    """
    must = frozen(game, revision)
    judged = list(cases)
    counts = {verdict: sum(case.verdict == verdict for case in judged) for verdict in Verdict}
    tried = {case.id for case in judged if case.level == Level.MUST}
    is_known = must is not None and bool(not profile or profile_sentence(game, profile))
    certified = complete and is_known and not _unmet(judged, game, reached_by, profile) and tried >= (must or set())
    return {"certified": certified, "counts": counts}


def frozen(game: str, revision: int) -> frozenset[str] | None:
    """Return the ids of the MUST cases of a game in a protocol revision, or None if they are not known here."""
    return find_conformance(game).must(revision)


def check(data: bytes) -> Certificate:
    """Read a certificate. Raises ValueError if it is damaged, or if its summary does not follow from its cases."""
    content = _content(data)
    signature = content.pop("signature", None)
    if content["digest"] != digest(content):
        raise ValueError("the certificate was changed after it was issued: its digest does not fit")
    content.setdefault("profile", "")
    cases = [_case(each) for each in content["cases"]]
    if len({case.id for case in cases}) < len(cases):
        raise ValueError("the certificate has a case twice")
    game, revision = content["game"], content["protocol_revision"]
    facts = {name: content[name] for name in ("reached_by", "complete", "profile")}
    follows = summary(cases, game, revision, **facts)
    if content["summary"].get("certified") is True and not follows["certified"]:
        raise ValueError(f"the certificate says that the player is certified, but {_objection(content, cases)}")
    if content["summary"] != follows:
        raise ValueError("the summary of the certificate does not follow from its cases")
    signed_by = signer(signature, content["digest"]) if signature is not None else ""
    return replace(_certificate(content, cases, follows["certified"]), signer=signed_by)


def _objection(content: Mapping[str, Any], cases: Sequence[CaseResult]) -> str:
    game, profile = content["game"], content["profile"]
    must = frozen(game, content["protocol_revision"])
    if must is None:
        which = f"the MUST cases of {game!r} in revision {content['protocol_revision']}"
        return f"{which} are not known here: a newer Fairplay, or the package of the game, may know them"
    if profile and not profile_sentence(game, profile):
        return f"the profile {profile!r} of {game!r} is not known here"
    if missing := sorted(set(must) - {case.id for case in cases if case.level == Level.MUST}):
        return f"{len(missing)} of the MUST cases are not in it, e.g. {missing[0]}"
    unmet = _unmet(cases, game, content["reached_by"], profile)
    return f"{unmet[0].id} is {unmet[0].verdict}" if unmet else "the run was interrupted"


def _content(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_BYTES:
        raise ValueError(f"this is no certificate: it has {len(data):,} bytes")
    try:
        content = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise ValueError("this is no certificate: it is not JSON in UTF-8") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"this is no certificate: its format is not {FORMAT}")
    fields = {key: content[key] for key in content if key != "signature"}
    _check_fields({"profile": "", **fields}, _FIELDS, "the certificate")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _check_fields(content: Mapping[str, Any], fields: Mapping[str, type], what: str) -> None:
    for name, kind in fields.items():
        if type(content.get(name)) is not kind:
            raise ValueError(f"{what} is not complete: its field {name} is missing or of the wrong type")
    if unknown := sorted(set(content) - set(fields)):
        raise ValueError(f"{what} has the unknown field {unknown[0]!r}")


def _case(content: Any) -> CaseResult:
    if not isinstance(content, dict):
        raise ValueError("the certificate is not complete: a case is not an object")
    _check_fields(content, _CASE_FIELDS, "a case of the certificate")
    case = CaseResult(**content)
    if case.level not in set(Level) or case.verdict not in set(Verdict):
        raise ValueError(f"the case {case.id!r} has an unknown level or verdict")
    return case


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _certificate(content: Mapping[str, Any], cases: Sequence[CaseResult], certified: bool) -> Certificate:
    player, seed = content["player"], content["seed"]
    _check_fields(player, {"name": str, "version": str, "services": list}, "the player of the certificate")
    if not seed.isascii() or not seed.isdigit():
        raise ValueError("the certificate is not complete: its seed is no number")
    if not _is_time(content["issued"]):
        raise ValueError(f"the certificate is not complete: {content['issued']!r} is no time with a zone")
    same = (
        "game",
        "protocol_revision",
        "suite_version",
        "reached_by",
        "issued",
        "limits_ms",
        "level",
        "only",
        "complete",
        "nonce",
        "decisions",
        "profile",
        "digest",
    )
    facts = {name: content[name] for name in same}
    for each in content["program"]:
        if not isinstance(each, dict):
            raise ValueError("the certificate is not complete: a file of its program is not an object")
        _check_fields(each, {"file": str, "sha256": str}, "a file of the program")
    if any(type(number) is not int for number in (*content["limits_ms"].values(), *content["decisions"].values())):
        raise ValueError("the certificate is not complete: a limit or a count of decisions is no whole number")
    return Certificate(
        player=player["name"],
        player_version=player["version"],
        seed=int(seed),
        cases=cases,
        program=content["program"],
        certified=certified,
        **facts,
    )
