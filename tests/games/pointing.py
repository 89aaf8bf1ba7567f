"""A person who points at pictures: what every picture of a game must have, and choosing at random."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any
from xml.etree import ElementTree

from fairplay.games.frontends import HumanPlayer

SVG = "{http://www.w3.org/2000/svg}"
MARKS = {"choice": "legal", "chosen": "chosen"}


def pieces(document: str) -> dict[str, ElementTree.Element]:
    """Return the elements that can be pointed at by their parts, each of which stands once and has a name."""
    root = ElementTree.fromstring(document)
    found = [(part, element) for element in root.iter() if (part := element.get("data-part")) is not None]
    assert [part for part, count in Counter(part for part, _ in found).items() if count > 1] == []
    for part, element in found:
        assert element.get("role") == "img", part
        assert element[0].tag == f"{SVG}title", part
        assert (element[0].text or "").strip(), part
    return dict(found)


def marks_of(element: ElementTree.Element) -> str:
    """Return how a piece is marked: "legal", "chosen" or not at all, and "at" where the cursor is."""
    groups = [child for child in element if child.get("class") in MARKS]
    if not groups:
        return ""
    *edges, _, line = groups[0]
    mark = MARKS[groups[0].get("class", "")]
    assert (mark == "legal") == bool(line.get("stroke-dasharray"))
    return f"{mark} at" if edges else mark


def check_picture(person: HumanPlayer) -> None:
    """Check that the picture shows exactly what may be chosen and what is chosen."""
    offer, drawn = person.offer(), pieces(person.svg())
    legal = {choice.part for choice in offer.choices}
    assert len(legal) == len(offer.choices)
    assert legal | offer.chosen <= drawn.keys()
    for part, element in drawn.items():
        expected = "chosen" if part in offer.chosen else "legal" if part in legal else ""
        assert marks_of(element).removesuffix(" at") == expected, part
    cursors = [part for part, element in drawn.items() if marks_of(element).endswith(" at")]
    assert len(cursors) <= 1


def point_at_random(person: Any, rng: Random) -> None:
    """Choose parts at random, take some back, and send once the reply is complete; check every picture on the way."""
    while True:
        check_picture(person)
        offer = person.offer()
        if offer.can_send and (not offer.choices or rng.random() < 0.3):
            assert person.send()
            return
        if offer.can_undo and rng.random() < 0.2:
            person.undo()
        elif offer.choices:
            person.choose(rng.choice(offer.choices).part)
        else:
            person.undo()
