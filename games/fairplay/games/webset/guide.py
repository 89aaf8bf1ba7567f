"""Webset for who does not know it."""

from __future__ import annotations

from random import Random

from fairplay.games.frontends import Figure, Guide
from fairplay.games.kit.person import Marks
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules.cards import sets_among
from fairplay.games.webset.rules.settings import Settings
from fairplay.games.webset.views.svg import svg
from fairplay.games.webset.views.words import slot_part

_NAMES = ("you", "another")


def _a_set() -> str:
    """Draw a table on which a set is picked."""
    state = rules.initial(Settings(), len(_NAMES), Random(4))
    shown = codec.build_public(state)
    cards = sets_among(tuple(shown.slots))[0]
    picked = frozenset(slot_part(slot) for slot, card in enumerate(shown.slots) if card in cards)
    return svg(shown, _NAMES, Marks(frozenset(), picked))


GUIDE = Guide(
    goal="See a set of three cards before the others do. Who has the most points has won.",
    turn=(
        "Three cards are a set if their numbers are all alike or all different, and so are their colours, their "
        "shapes and their shadings. Where two are alike and the third is not, they are none.",
        "There are no turns. As soon as you see a set, call SET! Nobody else may touch the table then, and you pick "
        "its three cards while the time runs that you see.",
        "If there is none, ask for more cards: three more are dealt. Where the table allows it, you can have the "
        "solutions shown, one after the other; nobody gets points for them.",
    ),
    scoring=(
        "1 point for each set.",
        "1 point less for a call with three cards that are no set, or without three cards in time.",
        "The game is over when there are no cards to deal, and no set is on the table.",
    ),
    figures=(Figure("The three cards with a thick edge are a set.", _a_set),),
)
