"""What is required of players and servers: the numbered sentences of proto/SPECIFICATION.md, and the rules of games."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fairplay.games.conformance import Level
from fairplay.games.game import find

HERE = Path(__file__).resolve()
PLACES = (HERE.parents[1] / "terminal" / "data" / "proto", HERE.parents[3] / "proto")
"""Where the specification is: beside the protos that a wheel brings, or those of the repository."""
ITEM = re.compile(r"^- \[(?P<id>[A-Z]+-[0-9]+)\] (?P<sentence>\S.*(?:\n  \S.*)*)$", re.MULTILINE)
"""One requirement: an item of a list that begins with its id."""
LINK = re.compile(r"\[([^\]]+)\]\(#[^)]*\)")
"""A link to a section of the specification."""
BOUND = re.compile(r"^(A player|A server|Both)\b.*? (MUST|SHOULD|MAY)\b")


class Requirement(NamedTuple):
    """One requirement of the specification."""

    id: str
    """Never changes, e.g. "CALL-7"."""
    who: str
    """Whom it binds: "player", "server" or "both"."""
    level: Level
    sentence: str


def parse(text: str) -> Mapping[str, Requirement]:
    """Return the requirements of a specification by id, in its order.

    Raises ValueError if an id comes twice, or a sentence does not say whom it binds and how much.
    """
    found: dict[str, Requirement] = {}
    for item in ITEM.finditer(text):
        requirement_id, sentence = item["id"], LINK.sub(r"\1", " ".join(item["sentence"].split()))
        bound = BOUND.match(sentence)
        if bound is None:
            raise ValueError(f"{requirement_id} must begin with A player, A server or Both, and MUST, SHOULD or MAY")
        if requirement_id in found:
            raise ValueError(f"there are two requirements {requirement_id}")
        who, level = bound[1].removeprefix("A ").lower(), Level(bound[2])
        found[requirement_id] = Requirement(requirement_id, who, level, sentence)
    return found


@cache
def requirements() -> Mapping[str, Requirement]:
    """Return the requirements of the specification that comes with this package, by id."""
    [path, *_] = (folder / "SPECIFICATION.md" for folder in PLACES if (folder / "SPECIFICATION.md").exists())
    return parse(path.read_text("utf-8"))


def sentence_of(checked: str) -> str:
    """Return the sentence of a requirement, or of a rule of a game. Raises KeyError or ValueError if there is none."""
    game, dot, _ = checked.partition(".")
    return find(game).rules[checked] if dot else requirements()[checked].sentence
