"""Fairplay's games as environments of PettingZoo. Needs the extra "research".

from fairplay.pettingzoo import PolicyPlayer, env

fish = env("fish", players=2, settings={"rows": 6})
player = PolicyPlayer(fish, lambda observation: observation["action_mask"].argmax())
"""

from __future__ import annotations

from importlib.util import find_spec

from fairplay.games.distribution import lacks_extra

for _needed in ("gymnasium", "numpy", "pettingzoo", "rich"):
    if find_spec(_needed) is None:
        raise ModuleNotFoundError(lacks_extra("fairplay.pettingzoo", "research"), name=_needed)

from fairplay.pettingzoo.environment import GameEnvironment, env  # noqa: E402  # what they import is there
from fairplay.pettingzoo.policy import PolicyPlayer  # noqa: E402

__all__ = ["GameEnvironment", "PolicyPlayer", "env"]
