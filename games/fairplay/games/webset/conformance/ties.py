"""A game of Webset that ends in a tie, whatever the player under test does."""

from __future__ import annotations

from random import Random

from fairplay.games.conformance import Situation
from fairplay.games.kit.conformance import find_state
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import acts
from fairplay.games.webset.rules.cards import sets_among
from fairplay.games.webset.rules.state import Phase, Player, State, on_table, solutions
from fairplay.webset.v1 import webset_pb2

RIVAL, TESTED = 0, 1


def tied_ending(rng: Random) -> Situation:
    """Return a game of two in which the rival has called the last set, and is level with the player when it has it."""
    settings = webset_pb2.Settings()

    def start() -> State:
        return acts.initial(codec.settings(settings), 2, rng)

    found = find_state(acts, start, rng, _is_before_last_set)
    called = found._replace(phase=Phase.CALLED, caller=RIVAL, call_count=found.act_count + 1, players=_dealt_out(found))
    return Situation(settings, 2, TESTED, codec.state_message(called), turn_count=0)


def _is_before_last_set(state: State) -> bool:
    """Return whether the set that is taken next is the last one, and makes the number of all sets even."""
    if state.deck or state.phase is not Phase.OPEN or not sum(player.sets for player in state.players) % 2:
        return False
    table = set(on_table(state))
    left = [tuple(table.difference(triple)) for triple in solutions(state)]
    return bool(left) and not any(map(sets_among, left))


def _dealt_out(state: State) -> tuple[Player, ...]:
    """Return the players with the sets of all dealt out again: the player under test has one more."""
    cards = tuple([card for player in state.players for card in player.cards])
    place = len(cards) // 3 // 2 * 3
    return tuple([Player(points=len(own) // 3, cards=own) for own in (cards[:place], cards[place:])])
