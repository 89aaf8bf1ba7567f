"""Infractions: wrong answers that cost points or are refused, but eliminate nobody.

Cards that never can be a set of the table, and no answer in time, fail a MUST case: in a round, too, where that costs
nothing, but who passes has to say so (TIME-5). Cards of the table that are no set, no cards at all, and acts that the
request does not list, or that were refused just before, fail a SHOULD case; so does no answer in time where the window
is shorter than half of the usual one. All is judged by what the player was shown: a player that is outrun by another
has done nothing wrong.
"""

from __future__ import annotations

from typing import Any

from fairplay.games.conformance import Infraction, Level
from fairplay.games.steps import Call
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import EMPTY, sets_among
from fairplay.games.webset.rules.settings import Settings
from fairplay.games.webset.rules.state import Act
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_player_pb2 import ActRequest, ActResponse, PickCardsRequest, PickCardsResponse

MOST_SHOWN = 100
"""How many cards of a long answer are shown."""
LEAST_WINDOW_MS = Settings().window_ms // 2
"""Any player must keep this window, and longer ones: on a machine that is busy with other work, or behind a network."""


def find_infraction(settings: webset_pb2.Settings, call: Call, answer: Any) -> Infraction | None:
    """Return the infraction that an answer to a call is, or None if nothing is wrong with it."""
    chosen, request = codec.read_settings(settings), call.request
    if isinstance(answer, ActResponse):
        return _refused(chosen, request, answer)
    if isinstance(answer, PickCardsResponse):
        return _wrongly_named(chosen, request, answer) if request.all_sets else _wrong(chosen, request, answer)
    if isinstance(answer, Overrun) and isinstance(request, PickCardsRequest):
        level = Level.MUST if chosen.window_ms >= LEAST_WINDOW_MS else Level.SHOULD
        return Infraction("webset.take.window", "no cards in time", level)
    return None


def list_legal_replies(settings: webset_pb2.Settings, call: Call) -> list[ActResponse] | list[PickCardsResponse] | None:
    """Return the acts that would be carried out, or the sets on the table and, where it is allowed, no cards."""
    request = call.request
    if isinstance(request, ActRequest):
        acts = [codec.build_act(word) for word in (None, *codec.read_words(request.actions))]
        return [act for act in acts if find_infraction(settings, call, act) is None]
    if isinstance(request, PickCardsRequest):
        cards = tuple(card for card in request.state.slots if card != EMPTY)
        found = [PickCardsResponse(cards=triple) for triple in sets_among(cards)]
        if request.all_sets:
            found.insert(0, PickCardsResponse(cards=[card for triple in sets_among(cards) for card in triple]))
        return [*found, PickCardsResponse()] if request.may_skip else found
    return None


def _refused(settings: Settings, request: ActRequest, reply: ActResponse) -> Infraction | None:
    """Judge an act: it must be listed, and not one that was refused for the same rule just before."""
    words = codec.read_words([reply.action])
    if not words:
        return None
    _, _, rule = rules.carry_out(codec.read_view(request.state, settings), Act(request.seat, words[0]))
    again = rule == request.rule_id and not request.events
    if rule is None or (reply.action in request.actions and not again):
        return None
    return Infraction(rule, words[0].value, Level.SHOULD)


def _wrong(settings: Settings, request: PickCardsRequest, reply: PickCardsResponse) -> Infraction | None:
    """Judge cards: they must be a set on the table, or are picked one by one."""
    cards, state = codec.read_cards(reply), codec.read_view(request.state, settings)
    rule = takes.take_violation(state, cards)
    if rule is None or (request.may_skip and not cards):
        return None
    if request.one_by_one and takes.select(state, request.seat, cards) is not None:
        return None
    light = rule == "webset.take.set" or not cards
    return Infraction(rule, f"the cards {list(cards)}", Level.SHOULD if light else Level.MUST)


def _wrongly_named(settings: Settings, request: PickCardsRequest, reply: PickCardsResponse) -> Infraction | None:
    """Judge the sets that are named in a puzzle; of several that are wrong the gravest counts."""
    cards = codec.read_sets(reply)
    broken = takes.judge_named(codec.read_view(request.state, settings), cards).broken
    grave = [rule for rule in broken if rule != "webset.take.set"]
    if not broken:
        return None
    rule, level = (grave[0], Level.MUST) if grave else (broken[0], Level.SHOULD)
    return Infraction(rule, f"the cards {list(cards[:MOST_SHOWN])}", level)
