"""A game as an AEC environment: one player after the other acts, and a game in numbers says what there is to do."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import gymnasium
import numpy as np
from google.protobuf.message import Message
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from rich.console import Console

from fairplay.games.game import find
from fairplay.games.research import Part, count_players, find_research, first_numbers, ranks, read_settings, rewards

WIDTH = 120
"""Columns of a picture as text."""

Observation = dict[str, NDArray[Any]]


def env(
    game: str,
    players: int | None = None,
    settings: Message | Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> OrderEnforcingWrapper:
    """Return an environment that says so if it is used in a wrong order; see `GameEnvironment`."""
    return OrderEnforcingWrapper(GameEnvironment(game, players, settings, render_mode))


class GameEnvironment(AECEnv[str, Observation, int]):  # type: ignore[misc]  # it has no types
    """A game between `players` agents, player_0 and so on in turn order; None: as few as the settings allow.

    `settings` are those of the game, as its message or in the words of protobuf-JSON, e.g. {"rows": 6}; what they leave
    out has its default. Raises ValueError if there is no such game.

    An observation has the legal actions in "action_mask", and in "observation" the numbers of all `parts`. An agent
    that takes an illegal action makes `step` raise ValueError; wrap the environment where it shall lose instead. The
    game is over for all at once. Then the reward of each is the share of the others behind it in the ranking, less the
    share ahead of it, and its info has its "score" and its "rank" (from 1).
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: str,
        players: int | None = None,
        settings: Message | Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.game = find(game)
        self.metadata = {
            "name": f"fairplay_{game}_v1",
            "render_modes": ["human", "ansi", "svg"],
            "is_parallelizable": False,
        }
        if render_mode not in (None, *self.metadata["render_modes"]):
            known = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"render_mode is {render_mode!r}: it must be None or one of {known}")
        self.render_mode = render_mode
        chosen = read_settings(self.game, settings)
        count = count_players(self.game, chosen, players)
        self.encoding = find_research(game).encode(chosen, count)
        self.possible_agents = [f"player_{seat}" for seat in range(count)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.action_count = first_numbers(self.encoding.kinds)[-1]
        self.action_spaces = {agent: spaces.Discrete(self.action_count) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._build_space() for agent in self.possible_agents}
        self._rng = Random()
        self.position: Any = None
        """Where the game stands, for those who want more than an observation, e.g. a search."""
        self._is_legal = np.zeros(self.action_count, np.int8)

    def _build_space(self) -> spaces.Dict:
        low, high = ([getattr(part, end) for part in self.parts for _ in range(part.size)] for end in ("low", "high"))
        return spaces.Dict(
            {
                "observation": spaces.Box(np.array(low, np.int32), np.array(high, np.int32), dtype=np.int32),
                "action_mask": spaces.Box(0, 1, (self.action_count,), np.int8),
            }
        )

    @property
    def parts(self) -> list[Part]:
        """Return the parts of an observation, in order."""
        return list(self.encoding.parts)

    def split(self, observation: NDArray[np.int32]) -> dict[str, NDArray[np.int32]]:
        """Return the parts of the "observation" of an agent by name, each in its shape."""
        ends = np.cumsum([part.size for part in self.parts])
        pieces = np.split(observation, ends[:-1])
        return {part.name: piece.reshape(part.shape) for part, piece in zip(self.parts, pieces, strict=True)}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the observations of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the actions of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a fresh game. The same seed, the same game; None: another one than before."""
        if seed is not None:
            self._rng = Random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._go_to(self.encoding.initial(self._rng))

    def step(self, action: int | None) -> None:
        """Take an action of the agent that is selected. Raises ValueError if it is not legal."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None or not (0 <= action < self.action_count and self._is_legal[action]):
            raise ValueError(f"action {action} of {self.agent_selection} is not legal: see its action_mask")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._go_to(self.encoding.apply(self.position, int(action)))
        self._accumulate_rewards()

    def _go_to(self, position: Any) -> None:
        self.position = position
        self._is_legal = self._legal(position)
        seat = self.encoding.turn(position)
        if seat is None:
            self._end()
        else:
            self.agent_selection = self.possible_agents[seat]

    def _legal(self, position: Any) -> NDArray[np.int8]:
        is_legal = np.zeros(self.action_count, np.int8)
        is_legal[list(self.encoding.legal(position))] = 1
        return is_legal

    def _end(self) -> None:
        rules, state = self.encoding.rules, self.position.state
        ranking, scores = rules.ranking(state), rules.scores(state)
        seat_count = len(scores)
        self.rewards = dict(zip(self.possible_agents, rewards(ranking, seat_count), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        for agent, score, rank in zip(self.possible_agents, scores, ranks(ranking, seat_count), strict=True):
            self.infos[agent] = {"score": score, "rank": rank}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, and which actions it may take: none unless it is the one to act."""
        acts = agent == self.agent_selection
        return {
            "observation": np.array(self.encoding.observe(self.position, self._seats[agent]), np.int32),
            "action_mask": self._is_legal.copy() if acts else np.zeros_like(self._is_legal),
        }

    def observe_turn(self, position: Any) -> Observation:
        """Return what whoever is to act sees in any position.

        Raises ValueError if it is of a game with other settings, or between more players.
        """
        seat = self.encoding.turn(position)
        if seat is None:
            raise ValueError("the game is over")
        observation = np.array(self.encoding.observe(position, seat), np.int32)
        if observation.shape != self.observation_spaces[self.possible_agents[0]]["observation"].shape:
            raise ValueError(f"the game is another one than that of the environment, {self.metadata['name']}")
        return {"observation": observation, "action_mask": self._legal(position)}

    def render(self) -> str | None:
        """Return a picture of what a spectator sees: text with the colours of a terminal, or SVG; "human" prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() draws nothing: the environment was made without a render_mode")
            return None
        state = self.game.public_state(self.encoding.shown(self.position))
        if self.render_mode == "svg":
            return self.game.svg(state, self.possible_agents)
        text = self.game.text(state, self.possible_agents)
        if self.render_mode == "human":
            Console(highlight=False).print(text)
            return None
        console = Console(highlight=False, force_terminal=True, color_system="truecolor", width=WIDTH)
        with console.capture() as captured:
            console.print(text)
        return captured.get()

    def close(self) -> None:
        """Release nothing: an environment holds neither files nor windows."""
