"""The puzzle: everybody names all sets of one table, and the right ones count, less the wrong ones (section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fairplay.games.webset.rules.dealing import DEAL, end
from fairplay.games.webset.rules.state import Phase, Standing, State, Status, with_player
from fairplay.games.webset.rules.takes import pay, take_violation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairplay.games.webset.rules.cards import Cards, Triple

MOST_NAMED = 2925
"""How many sets of an answer are looked at: all threes of the 27 cards of the largest table."""


class Solved(NamedTuple):
    """The right ones of the sets that a player names, and for each of the others the rule that it breaks."""

    found: Sequence[Triple]
    broken: Sequence[str]

    @property
    def status(self) -> Status | None:
        """Return what the player is told; None if it has named nothing."""
        if self.broken:
            return Status.BAD_SET
        return Status.GOT_SET if self.found else None

    @property
    def rule(self) -> str | None:
        """Return the rule that the first wrong one breaks; None if all are right."""
        return next(iter(self.broken), None)

    @property
    def cards(self) -> Cards:
        """Return the cards of the right ones, three for each."""
        return tuple([card for triple in self.found for card in triple])


def judge_named(state: State, cards: Cards) -> Solved:
    """Return which of the sets that cards name, three for each, are right."""
    found: list[Triple] = []
    broken = []
    for place in range(0, min(len(cards), MOST_NAMED * DEAL), DEAL):
        named = tuple(sorted(cards[place : place + DEAL]))
        if rule := take_violation(state, named):
            broken.append(rule)
        elif named in found:
            broken.append("webset.take.once")
        else:
            found.append((named[0], named[1], named[2]))
    return Solved(found, broken)


def solve(state: State, answers: Sequence[tuple[int, Cards]]) -> State:
    """Return the end of a puzzle: what each of these players has named counts, and nothing of others."""
    after = state
    for seat, cards in answers:
        if state.phase is Phase.OPEN and state.players[seat].standing is Standing.IN:
            after = _with_named(after, seat, judge_named(state, cards))
    return end(after._replace(act_count=state.act_count + 1, revision=state.revision + 1))


def _with_named(state: State, seat: int, solved: Solved) -> State:
    player, settings = state.players[seat], state.settings
    points, wrong = player.points + len(solved.found), len(solved.broken)
    after = player._replace(
        points=pay(points, wrong * settings.penalty_bad, settings.score_floor),
        cards=(*player.cards, *solved.cards),
        penalties=player.penalties + wrong,
    )
    return with_player(state, seat, after)
