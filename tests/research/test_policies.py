"""A policy that has learned in an environment plays as a player, and sees there what it has seen in the environment."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from fairplay import api
from fairplay.games.game import find
from fairplay.games.machine import drive
from fairplay.games.research import read_settings
from fairplay.games.steps import Call
from fairplay.pettingzoo import GameEnvironment, PolicyPlayer, env
from fairplay.player.handlers import snake_case
from tests.research.test_environments import QUICK_AND_THOROUGH, Case, name_of

Seen = list[tuple[bytes, bytes]]


def remembering(environment: GameEnvironment, seen: Seen) -> Callable[[Any], int]:
    """Return a policy whose actions follow from what it sees, which it keeps."""

    def policy(observation: Any) -> int:
        legal = np.flatnonzero(observation["action_mask"])
        if environment.game.name == "eriantys" and environment.split(observation["observation"])["phase"] == [0]:
            return int(legal[0])  # players choose at once, and agents one after the other
        seen.append((observation["observation"].tobytes(), observation["action_mask"].tobytes()))
        return int(legal[crc32(b"".join(seen[-1])) % len(legal)])

    return policy


@pytest.mark.parametrize("case", QUICK_AND_THOROUGH, ids=name_of)
def test_a_policy_sees_as_a_player_what_it_sees_in_the_environment(case: Case) -> None:
    environment, seen, played = GameEnvironment(*case), Seen(), Seen()
    environment.reset(seed=1)
    policy = remembering(environment, seen)
    for agent in environment.agent_iter(1_000_000):
        environment.step(None if environment.terminations[agent] else policy(environment.observe(agent)))
    player, game = PolicyPlayer(environment, remembering(environment, played)), find(case.game)

    def answer(call: Call) -> Any:
        reply = getattr(player, snake_case(call.method.name))(call.request)
        return call.method.response() if reply is None else reply

    words = {"rounds": "ROUNDS_LOT", **case.settings} if case.game == "webset" else case.settings
    conversation = game.play("g", read_settings(game, words), environment.possible_agents, Random(1), None)
    ranking = [[seat for seat, _ in group] for group in drive(conversation, answer).ranking]
    assert played == seen
    assert ranking == [sorted(group) for group in environment.encoding.rules.ranking(environment.position.state)]


def greedy(observation: Any) -> int:
    """Take the last legal action."""
    return int(np.flatnonzero(observation["action_mask"])[-1])


def test_a_policy_plays_and_is_compared_ranked_and_judged_like_any_player() -> None:
    environment = env("fish", 2)
    me, other = PolicyPlayer(environment, greedy), "bot:first"
    assert not api.play("fish", {"me": me, "other": other}, seed=1).failures
    over = api.tournament("fish", {"me": me, "other": other}, format="round-robin", settings={}, seed=1)
    assert (len(over.games), over.failures) == (1, [])
    assert api.compare("fish", {"me": me, "other": other}, settings={}, games=4, seed=1).game_count == 4
    report = api.certify("fish", lambda: me, profile="standard", only="rules.whole-game.seat-*-of-2")
    assert (report.exit_code, report.failed()) == (0, [])


def test_a_policy_that_takes_what_is_not_legal_or_plays_another_game_fails_with_the_reason() -> None:
    environment = GameEnvironment("fish", 2)
    for policy, settings, reason in [
        (lambda observation: -1, {}, "the policy's action -1 is not legal: see its action_mask"),
        (greedy, {"rows": 6}, "6 rows of 5 tiles for 2 players with 4 penguins each are another game"),
    ]:
        over = api.play("fish", {"me": PolicyPlayer(environment, policy), "a": "bot:first"}, seed=1, settings=settings)
        [failure] = over.failures
        assert reason in failure.sentence
