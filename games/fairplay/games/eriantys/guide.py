"""Eriantys for who does not know it."""

from __future__ import annotations

from random import Random

from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules.characters import NAMES
from fairplay.games.eriantys.rules.state import Settings
from fairplay.games.eriantys.views.svg import svg
from fairplay.games.eriantys.views.words import DINING_ROOM, EFFECTS, Own
from fairplay.games.frontends import Figure, Guide
from fairplay.games.kit.person import Marks

_NAMES = ("you", "another")


def _ways_of_one() -> str:
    """Draw a board on which a student is chosen, with all places where it may go."""
    state = rules.initial(Settings(), len(_NAMES), Random(3))
    student = next(color for color, count in enumerate(state.entrances[0]) if count)
    islands = (f"island-{tile}" for tile in range(12))
    marks = Marks(frozenset([DINING_ROOM, *islands]), frozenset([f"student-{student}"]))
    return svg(codec.build_public(state), _NAMES, Own(0, tuple(range(1, 11))), marks)


GUIDE = Guide(
    goal="Build towers on islands. Who has built all of them first, or the most at the end, has won.",
    turn=(
        "In each round everybody plays an assistant first, 1 to 10, each once in the game, and none that another has "
        "played in this round. The lowest moves first; the small number on it is how far Mother Nature may go.",
        "Move three students (four in a game of three) from your entrance, each into your dining room or to an island.",
        "Then move Mother Nature on by one island or more. Where she stops it is decided whose island it is.",
        "Last take all students of a cloud into your entrance.",
    ),
    scoring=(
        "Who has the most students of a colour in its dining room has the professor of that colour.",
        "Influence on an island is one for each student there whose professor you have, and one for each of your "
        "towers. When Mother Nature stops there, who alone has the most builds a tower there, in place of one of "
        "another player.",
        "Islands side by side with towers of one colour become one island, on which all of the towers count.",
        "The game is over at once when somebody has built the last tower, or when three islands are left; and at the "
        "end of the round in which the last assistant is played or the bag is empty. Who has built most has won, then "
        "who has more professors.",
        "With characters (expert) the third, sixth and ninth student of a colour in your dining room bring a coin. "
        "Once in a turn you may pay for a character. It costs one coin more when it has been used before.",
    ),
    more={f"{number} {name}": EFFECTS[number] for number, name in NAMES.items()},
    figures=(Figure("The student that is chosen may go into your dining room, or to any island.", _ways_of_one),),
)
