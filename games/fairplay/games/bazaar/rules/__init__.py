"""The rules of Bazaar as pure functions (bazaar.md sections 2 to 8).

A turn is two calls, and `State.phase` says which is due: a request (`PEBBLE`, or exchanges in order), then a purchase
(cards in order). `apply` takes the answer to either one; after the first the game may already be over.
"""

from __future__ import annotations

from fairplay.games.bazaar.rules.equations import EquationTable
from fairplay.games.bazaar.rules.invariants import invariant
from fairplay.games.bazaar.rules.leaving import eliminate, eliminate_at_setup
from fairplay.games.bazaar.rules.legality import (
    legal,
    purchase_violation,
    purchases,
    request_violation,
    requests,
    violation,
)
from fairplay.games.bazaar.rules.pieces import Bag, Card, Exchange
from fairplay.games.bazaar.rules.results import notifications, ranking, scores, winners
from fairplay.games.bazaar.rules.rulebook import RULES
from fairplay.games.bazaar.rules.settings import Settings, settings_problem
from fairplay.games.bazaar.rules.setup import SEATS, initial, resume
from fairplay.games.bazaar.rules.state import (
    PEBBLE,
    Action,
    Exchanges,
    Phase,
    Player,
    Purchase,
    Request,
    Standing,
    State,
    TurnView,
    turn,
    view,
)
from fairplay.games.bazaar.rules.turns import apply

__all__ = [
    "PEBBLE",
    "RULES",
    "SEATS",
    "Action",
    "Bag",
    "Card",
    "EquationTable",
    "Exchange",
    "Exchanges",
    "Phase",
    "Player",
    "Purchase",
    "Request",
    "Settings",
    "Standing",
    "State",
    "TurnView",
    "apply",
    "eliminate",
    "eliminate_at_setup",
    "initial",
    "invariant",
    "legal",
    "notifications",
    "purchase_violation",
    "purchases",
    "ranking",
    "request_violation",
    "requests",
    "resume",
    "scores",
    "settings_problem",
    "turn",
    "view",
    "violation",
    "winners",
]
