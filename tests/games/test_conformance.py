"""Every game's probes and mutations are declared as they should be, and leave no rule unasked.

That every reference player passes the probes, and that each mutation fails the cases that name it and no other, `make
zoo` shows with real players.
"""

from __future__ import annotations

import re
from random import Random

import pytest

from fairplay.games.conformance import find_conformance
from fairplay.games.game import find, registered

NOT_IN_A_REPLY = {
    "bazaar.turn.game-over": "nobody is asked once the game is over",
    "bazaar.turn.call": "each of the two calls has a reply of its own",
    "bazaar.pebble.known": "bags are counts: a colour that there is not cannot be written",
    "bazaar.purchase.required": "a reply without cards is an empty list of them",
    "bazaar.card.face": "a card whose face is left out has none",
    "eriantys.action.game-over": "nobody is asked once the game is over",
    "fish.action.game-over": "nobody is asked once the game is over",
    "fish.place.before-moving": "a reply to Setup holds a place, one to TakeTurn a move: neither can hold the other",
    "q.action.game-over": "nobody is asked once the game is over",
    "webset.act.playing": "players that are out are not asked",
    "webset.act.game-over": "nobody is asked once the game is over",
    "webset.act.rounds": "in rounds nobody is asked to act",
    "webset.call.first": "while a call is open nobody is asked to act; who is outrun has done nothing wrong",
    "webset.take.caller": "only the player that has called is asked for cards",
    "webset.take.outrun": "who is outrun has done nothing wrong",
    "webset.show.open": "while a call is open nobody is asked to act",
}
"""Rules that no reply of the protocol can break by itself, and why."""

each_game = pytest.mark.parametrize("name", registered())


@each_game
def test_each_probe_has_an_id_names_rules_and_says_why_in_one_sentence(name: str) -> None:
    game, probes = find(name), find_conformance(name).probes
    for probe in probes:
        assert re.fullmatch(rf"{name}\.[a-z0-9-]+\.[a-z0-9-]+", probe.id)
        assert set(probe.rules) <= set(game.rules), probe.id
        assert re.fullmatch(r"[A-Z0-9][^.]*\.", probe.why), probe.id
    assert len({probe.id for probe in probes}) == len(probes) >= 15


@each_game
def test_each_probe_draws_the_same_situation_for_the_same_seed_and_one_that_the_game_accepts(name: str) -> None:
    game = find(name)
    for probe in find_conformance(name).probes:
        for seed in range(3):
            situation = probe.situation(Random(seed))
            assert situation == probe.situation(Random(seed)), probe.id
            assert situation.seat in range(situation.player_count)
            assert situation.player_count in game.seats
            settings = game.full_settings(situation.settings)
            if situation.state is not None:
                assert game.check_state(settings, situation.state) == situation.player_count, probe.id


@each_game
def test_every_rule_that_a_reply_can_break_is_checked_by_a_probe_and_broken_by_a_mutation(name: str) -> None:
    wanted = set(find(name).rules) - set(NOT_IN_A_REPLY)
    probes = find_conformance(name).probes
    rules = {probe.id: set(probe.rules) for probe in probes}
    assert set().union(*rules.values()) == wanted
    mutations = find_conformance(name).mutations
    # An infraction costs points and names no rule: those of the probes that name it.
    broken = {mutation.rule for mutation in mutations} - {""}
    broken |= {rule for each in mutations if not each.rule for case in each.cases for rule in rules.get(case, ())}
    assert broken >= wanted - {"webset.take.window"}, "which is broken by not replying"
