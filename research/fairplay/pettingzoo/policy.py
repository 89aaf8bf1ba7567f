"""A policy as a player: it answers a server's questions with what it has learned in an environment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from google.protobuf.message import Message
from pettingzoo import AECEnv

from fairplay.games.kit.players import snake_case
from fairplay.games.research import Question, find_research
from fairplay.pettingzoo.environment import GameEnvironment, Observation


class PolicyPlayer:
    """A player of the game of an environment, that can be served, dial in, or be given to `fairplay.api`.

    `policy` returns a legal action for what an agent observes, with "observation" and "action_mask" as there. It plays
    games with the settings of the environment between as many players; in others its calls fail with ValueError. It
    keeps nothing between calls, and may be in any number of games if its policy may.
    """

    def __init__(self, environment: AECEnv[str, Observation, int], policy: Callable[[Observation], int]) -> None:
        within: GameEnvironment = environment.unwrapped
        self.game = within.game.name
        self._within = within
        self._policy = policy
        questions = find_research(self.game).questions
        for method in within.game.methods:
            asked = partial(self._answer, questions[method]) if method in questions else _ignore
            setattr(self, snake_case(method.name), asked)

    def _answer(self, question: Question, request: Any) -> Message:
        within, encoding = self._within, self._within.encoding
        position = question.read(encoding, request)
        while True:
            observation = within.observe_turn(position)
            action = int(self._policy(observation))
            if not (0 <= action < within.action_count and observation["action_mask"][action]):
                raise ValueError(f"the policy's action {action} is not legal: see its action_mask")
            taken = encoding.complete(position, action)
            if taken is not None:
                reply: Message = question.build_reply(taken)
                return reply
            position = encoding.apply(position, action)


def _ignore(request: Any) -> None:
    """Ignore a call that only tells something."""
