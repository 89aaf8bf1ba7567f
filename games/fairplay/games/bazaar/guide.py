"""Bazaar for who does not know it."""

from __future__ import annotations

from random import Random

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import holds, pack
from fairplay.games.bazaar.rules.state import Settings
from fairplay.games.bazaar.views.seats import PEBBLE_PART, Own, exchange_part
from fairplay.games.bazaar.views.svg import svg
from fairplay.games.frontends import Figure, Guide
from fairplay.games.kit.person import Marks

_NAMES = ("you", "another")
_WALLET = (0, 1, 2, 1, 0)


def _ways() -> str:
    """Draw a table with all that can be asked for with some pebbles."""
    state = rules.initial(Settings(), len(_NAMES), Random(5))
    wallet = pack(_WALLET)
    sides = (
        (exchange_part(number, side), given)
        for number, equation in enumerate(state.table.equations)
        for side, given in (("left", equation.left), ("right", equation.right))
    )
    usable = (part for part, given in sides if holds(wallet, given))
    return svg(codec.build_public(state), _NAMES, Own(_WALLET), Marks(frozenset([PEBBLE_PART, *usable])))


GUIDE = Guide(
    goal="Buy cards with pebbles. The first 20 points end the game, and who has the most then has won.",
    turn=(
        "First ask for a pebble: the bank gives you one of any colour. Or exchange pebbles by the equations, as often "
        "as you can: choose the side that you give, and get the other. All exchanges of a turn together cost one card "
        "of the pile, which nobody can buy any more; so does exchanging nothing.",
        "Then buy cards, or none: a card costs the five pebbles that it shows.",
    ),
    scoring=(
        "A card is worth more the fewer pebbles you have left when you have paid for it: 1 point with three or more, "
        "2 points with two, 3 points with one, 5 points with none.",
        "With a happy face it is worth 2, 3, 5 and 8 points.",
        "The game is over when somebody has 20 points, when no card is left, or when the bank is empty and nobody can "
        "pay for a card. Who has the most points has won.",
    ),
    figures=(Figure("With a white, two blue and a green pebble you can give each side with a dashed edge.", _ways),),
)
