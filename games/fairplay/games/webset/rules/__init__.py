"""The rules of Webset, pure (webset.md sections 1 to 6).

Nobody's turn comes: while the table is open any player may act, and the first act counts. `carry_out` returns what an
act does in any phase: the state after it, the status for its player, and the rule because of which it was refused or
wrong. `expired` does the same for a call whose time is over, `play_round` for takes of all players at once, and `solve`
for the answers to a puzzle.
"""

from __future__ import annotations

from fairplay.games.webset.rules.acts import Result, carry_out, expired, select
from fairplay.games.webset.rules.cards import (
    CARDS,
    EMPTY,
    Cards,
    Triple,
    card_name,
    deck_of,
    format_card,
    is_set,
    parse_card,
    sets_among,
    third,
)
from fairplay.games.webset.rules.dealing import settle
from fairplay.games.webset.rules.invariants import cards_problem, invariant
from fairplay.games.webset.rules.joining import join, next_seat
from fairplay.games.webset.rules.leaving import eliminate, stop
from fairplay.games.webset.rules.legality import apply, due, legal, possible, round_seats, turn, violation
from fairplay.games.webset.rules.puzzle import MOST_NAMED, Solved, judge_named, solve
from fairplay.games.webset.rules.results import ranking, ranks, scores
from fairplay.games.webset.rules.rounds import Round, Verdict, play_round
from fairplay.games.webset.rules.rulebook import RULES
from fairplay.games.webset.rules.settings import MAX_SEATS, PROFILES, Settings, settings_of, settings_problem
from fairplay.games.webset.rules.setup import dealt, initial, shuffled
from fairplay.games.webset.rules.state import (
    Act,
    Action,
    Phase,
    Player,
    Standing,
    State,
    Status,
    Take,
    Word,
    on_table,
    playing,
    solutions,
)
from fairplay.games.webset.rules.takes import take_violation

__all__ = [
    "CARDS",
    "EMPTY",
    "MAX_SEATS",
    "MOST_NAMED",
    "PROFILES",
    "RULES",
    "Act",
    "Action",
    "Cards",
    "Phase",
    "Player",
    "Result",
    "Round",
    "Settings",
    "Solved",
    "Standing",
    "State",
    "Status",
    "Take",
    "Triple",
    "Verdict",
    "Word",
    "apply",
    "card_name",
    "cards_problem",
    "carry_out",
    "dealt",
    "deck_of",
    "due",
    "eliminate",
    "expired",
    "format_card",
    "initial",
    "invariant",
    "is_set",
    "join",
    "judge_named",
    "legal",
    "next_seat",
    "on_table",
    "parse_card",
    "play_round",
    "playing",
    "possible",
    "ranking",
    "ranks",
    "round_seats",
    "scores",
    "select",
    "sets_among",
    "settings_of",
    "settings_problem",
    "settle",
    "shuffled",
    "solutions",
    "solve",
    "stop",
    "take_violation",
    "third",
    "turn",
    "violation",
]
