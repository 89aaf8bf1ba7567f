"""Verdicts as plain values, for the way from a worker of pytest to where reports are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairplay.conformance.evidence import Evidence
from fairplay.conformance.verdicts import Judged, Verdict
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription


def packed(judged: Judged, times: Mapping[str, list[float]], player: PlayerDescription) -> dict[str, Any]:
    """Texts, numbers, lists and dicts."""
    return {
        "id": judged.id,
        "level": str(judged.level),
        "verdict": str(judged.verdict),
        "sentence": judged.sentence,
        "seconds": judged.seconds,
        "known": judged.known,
        "evidence": None if judged.evidence is None else _evidence(judged.evidence),
        "times": dict(times),
        "player": player.SerializeToString().hex(),
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "sentence": evidence.sentence,
        "rules": list(evidence.rules),
        "sections": [list(section) for section in evidence.sections],
        "board": evidence.board,
        "picture": evidence.picture,
    }


def unpacked(values: Mapping[str, Any]) -> tuple[Judged, dict[str, list[float]], PlayerDescription]:
    """The verdict, the seconds of each call by method, and what the player says about itself."""
    found = values["evidence"]
    evidence = None
    if found is not None:
        sections = [(title, text) for title, text in found["sections"]]
        evidence = Evidence(found["sentence"], found["rules"], sections, found["board"], found["picture"])
    judged = Judged(
        values["id"],
        Level(values["level"]),
        Verdict(values["verdict"]),
        values["sentence"],
        values["seconds"],
        evidence,
        values["known"],
    )
    return judged, values["times"], PlayerDescription.FromString(bytes.fromhex(values["player"]))
