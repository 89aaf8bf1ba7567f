import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from fairplay.fish.v1 import fish_pb2
from fairplay.games.distribution import lacks_extra
from fairplay.games.game import registered
from fairplay.pettingzoo import GameEnvironment, env
from fairplay.q.v1 import q_pb2


class Case(NamedTuple):
    game: str
    players: int
    settings: Mapping[str, Any]


QUICK = (
    Case("bazaar", 2, {"cardsTotal": 6, "winningScore": 10}),
    Case("eriantys", 2, {}),
    Case("fish", 2, {}),
    Case("q", 2, {"copiesPerKind": 1, "handSize": 3}),
    Case("webset", 2, {"aspects": 3, "actCap": 20}),
)
THOROUGH = (
    Case("bazaar", 4, {"exchangePrice": "EXCHANGE_PRICE_PER_EQUATION", "bonus": "BONUS_RWB"}),
    Case("bazaar", 2, {"equations": 0}),
    Case("eriantys", 3, {"mode": "MODE_EXPERT"}),
    Case("eriantys", 4, {"mode": "MODE_EXPERT", "characters": [7, 10, 1], "explicitEndTurn": True}),
    Case("eriantys", 2, {"mode": "MODE_EXPERT", "islandAddress": "ISLAND_ADDRESS_GROUP", "allowZeroSwaps": True}),
    Case("fish", 4, {"rows": 8, "columns": 3, "randomFish": True, "holes": 4}),
    Case("q", 4, {}),
    Case("q", 3, {"copiesPerKind": 3, "fitRule": "FIT_RULE_QWIRKLE"}),
    Case("webset", 3, {"lockedUntilChange": True, "moreRule": "MORE_RULE_ALL_AGREE", "actCap": 100}),
    Case("webset", 4, {"rounds": "ROUNDS_PUZZLE"}),
)
QUICK_AND_THOROUGH = (*QUICK, *(pytest.param(case, marks=pytest.mark.slow) for case in THOROUGH))


def name_of(case: object) -> str:
    return "-".join(map(str, case[:2])) if isinstance(case, Case) else ""


@pytest.fixture
def strict() -> Iterator[None]:
    """Turn what PettingZoo's tests warn of into errors, but for what they say of every environment with masks.

    Their list of those that may have masks in their observations names PettingZoo's own.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        yield


def test_every_game_is_tried() -> None:
    assert {case.game for case in QUICK} == set(registered())


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("case", QUICK_AND_THOROUGH, ids=name_of)
def test_an_environment_passes_the_tests_of_pettingzoo(case: Case) -> None:
    api_test(env(*case), num_cycles=100)
    seed_test(lambda: env(*case), num_cycles=100)
    drawn = {"svg": lambda picture: picture.startswith("<svg"), "ansi": lambda picture: "\x1b[" in picture}
    render_test(lambda render_mode: env(*case, render_mode=render_mode), drawn)


def play(environment: GameEnvironment, seed: int) -> dict[str, float]:
    """Play a random game, and return what each agent has got."""
    environment.reset(seed)
    rng, got = np.random.default_rng(seed), dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter(1_000_000):
        observation, reward, terminated, _, _ = environment.last()
        got[agent] += reward
        legal = None if terminated else np.flatnonzero(observation["action_mask"])
        environment.step(None if legal is None else int(rng.choice(legal)))
    return got


@pytest.mark.parametrize("case", QUICK, ids=name_of)
def test_rewards_follow_the_ranking_of_the_rules_and_add_up_to_nothing(case: Case) -> None:
    environment = GameEnvironment(case.game, 2, case.settings)
    for seed in range(3):
        got = play(environment, seed)
        assert sum(got.values()) == 0.0
        ranking = environment.encoding.rules.ranking(environment.position.state)
        best, is_tie = ranking[0], len(ranking) == 1
        assert [got[f"player_{seat}"] for seat in best] == ([0.0, 0.0] if is_tie else [1.0])


@pytest.mark.parametrize("case", QUICK, ids=name_of)
def test_another_seed_is_another_game_and_no_seed_goes_on(case: Case) -> None:
    environment = GameEnvironment(*case)
    if case.game == "fish":
        environment = GameEnvironment("fish", 2, {"randomFish": True})
    states = []
    for seed in (1, 2, None, 1, None):
        environment.reset(seed)
        states.append(environment.position.state)
    first, second, fresh, again, after = states
    assert first == again
    assert len({str(state) for state in (first, second, fresh, after)}) == 4


def test_an_action_that_is_not_legal_is_refused_and_changes_nothing() -> None:
    environment = GameEnvironment("fish")
    environment.reset(seed=1)
    before = environment.position
    for action in (environment.action_count - 1, -1, environment.action_count, None):
        with pytest.raises(ValueError, match="of player_0 is not legal: see its action_mask"):
            environment.step(action)
    assert environment.position == before


def test_an_agent_can_be_made_to_lose_by_an_action_that_is_not_legal() -> None:
    environment = TerminateIllegalWrapper(env("fish"), illegal_reward=-1)
    environment.reset(seed=1)
    environment.step(environment.unwrapped.action_count - 1)
    assert environment.terminations == {"player_0": True, "player_1": True}
    assert environment.rewards == {"player_0": -1, "player_1": 0}


def test_an_observation_comes_apart_into_its_parts() -> None:
    environment = GameEnvironment("fish", 3, {"rows": 4, "columns": 6})
    environment.reset(seed=1)
    environment.step(7)
    parts = environment.split(environment.observe("player_1")["observation"])
    assert list(parts) == [part.name for part in environment.parts]
    assert parts["fish"].tolist() == [[2] * 6] * 4
    assert parts["penguins"].shape == (3, 4, 6)
    assert np.argwhere(parts["penguins"]).tolist() == [[2, 1, 1]]  # two seats after the observer, on cell 7
    assert parts["turn"].tolist() == [0]


def test_only_who_is_to_act_has_legal_actions() -> None:
    environment = GameEnvironment("fish")
    environment.reset(seed=1)
    assert environment.observe("player_0")["action_mask"].sum() == 25
    assert environment.observe("player_1")["action_mask"].sum() == 0


def test_settings_are_taken_as_message_too() -> None:
    assert GameEnvironment("fish", settings=fish_pb2.Settings(rows=7)).parts[0].shape == (7, 5)


BAD_INPUT: list[tuple[dict[str, Any], str]] = [
    ({"game": "chess"}, "there is no game 'chess'; the games are "),
    ({"game": "fish", "players": 5}, "players is 5: Fish has 2 to 4 with these settings"),
    ({"game": "fish", "settings": {"rows": 99}}, "rows is 99: it must be between 1 and 25."),
    ({"game": "fish", "settings": {"rwos": 5}}, 'settings of fish: .* has no field named "rwos"'),
    ({"game": "fish", "settings": q_pb2.Settings()}, "settings are fairplay.q.v1.Settings: they must be .* fish"),
    ({"game": "fish", "render_mode": "rgb"}, "render_mode is 'rgb': it must be None or one of human, ansi, svg"),
    ({"game": "webset", "settings": {"rounds": "ROUNDS_OFF"}}, "rounds is 'off': it must be lot or puzzle"),
]


def test_bad_input_gets_one_sentence() -> None:
    for arguments, sentence in BAD_INPUT:
        with pytest.raises(ValueError, match=sentence):
            GameEnvironment(**arguments)


def test_without_the_extra_one_sentence_says_what_to_install() -> None:
    for missing, package in [("pettingzoo", "fairplay.pettingzoo"), ("numpy", "fairplay.playouts")]:
        program = f"import sys; sys.modules[{missing!r}] = None; import {package}"
        found = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
        )
        last = found.stderr.strip().splitlines()[-1]
        assert last == f"ModuleNotFoundError: {lacks_extra(package, 'research')}"


def test_the_games_load_without_the_extra() -> None:
    missing = "".join(f"sys.modules[{name!r}] = None; " for name in ("numpy", "gymnasium", "pettingzoo", "rich"))
    games = "".join(f"research.find_research({name!r}); " for name in registered())
    program = f"import sys; {missing}from fairplay.games import research; {games}"
    assert subprocess.run([sys.executable, "-c", program], timeout=300, check=False).returncode == 0
