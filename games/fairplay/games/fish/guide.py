"""Fish for who does not know it."""

from __future__ import annotations

from random import Random

from fairplay.games.fish import rules
from fairplay.games.fish.protocol import Shown, colors
from fairplay.games.fish.views import part_of, svg
from fairplay.games.frontends import Figure, Guide
from fairplay.games.kit.person import Marks

_SETTINGS = rules.Settings(rows=4, columns=4, random_fish=True, holes=2)
_NAMES = ("you", "another")


def _moves_of_one() -> str:
    """Draw a board on which a penguin is chosen, with all places where it may go."""
    state = rules.initial(_SETTINGS, len(_NAMES), Random(2))
    while rules.placing(state):
        state = rules.apply(state, rules.legal(state)[0])
    moves = rules.moves(state, state.seat)
    source = max((move.source for move in moves), key=lambda cell: sum(move.source == cell for move in moves))
    targets = frozenset(part_of(move.target) for move in moves if move.source == source)
    return svg(Shown(state, colors(len(_NAMES))), _NAMES, Marks(targets, frozenset([part_of(source)])))


GUIDE = Guide(
    goal="Your penguins collect fish. Who has the most at the end has won.",
    turn=(
        "First all penguins are placed, one in each turn, on tiles that are free. With two players each has four; "
        "with more players one less for each more of them.",
        "Then you move one of your penguins in each turn, straight on in one of the six directions, as far as you "
        "like, over tiles that are free: not through other penguins, and not over water.",
        "The tile that it leaves sinks. Who cannot move waits until the others cannot either.",
    ),
    scoring=(
        "You get the fish on the tile that your penguin leaves. What is under a penguin at the end counts for nobody.",
        "The game is over when nobody can move any more.",
    ),
    figures=(Figure("The red penguin that is chosen may go to each tile with a dashed edge.", _moves_of_one),),
)
