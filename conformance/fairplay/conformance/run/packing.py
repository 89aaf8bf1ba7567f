"""Results as plain values, for the way from a worker process to the run that started it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairplay.certificate import Verdict
from fairplay.conformance.blame.verdicts import Judged
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.run.judge import Result
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription


def pack(result: Result) -> dict[str, Any]:
    """Return a result as texts, numbers, lists and dicts."""
    judged = result.judged
    return {
        "id": judged.id,
        "level": str(judged.level),
        "verdict": str(judged.verdict),
        "sentence": judged.sentence,
        "seconds": judged.seconds,
        "known": judged.known,
        "see": judged.see,
        "evidence": None if judged.evidence is None else _pack_evidence(judged.evidence),
        "times": {method: list(seconds) for method, seconds in result.times.items()},
        "decisions": dict(result.decisions),
        "player": result.player.SerializeToString().hex(),
    }


def _pack_evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "sentence": evidence.sentence,
        "rules": list(evidence.rules),
        "sections": [list(section) for section in evidence.sections],
        "board": evidence.board,
        "picture": evidence.picture,
        "history": evidence.history,
    }


def unpack(values: Mapping[str, Any]) -> Result:
    """Return the result that was packed."""
    found = values["evidence"]
    evidence = None
    if found is not None:
        sections = [(title, text) for title, text in found["sections"]]
        evidence = Evidence(**{**found, "sections": sections})
    judged = Judged(
        values["id"],
        Level(values["level"]),
        Verdict(values["verdict"]),
        values["sentence"],
        values["seconds"],
        evidence,
        values["known"],
        values["see"],
    )
    player = PlayerDescription.FromString(bytes.fromhex(values["player"]))
    return Result(judged, values["times"], values["decisions"], player)
