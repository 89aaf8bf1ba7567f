"""Games to be played on a server, and what a server that keeps the contract makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.conformance.case import SuiteError
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.servers.acts import Actor, Script, sound_script
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, find
from fairplay.games.steps import Call, Conversation, Eliminate, Show, answer_step
from fairplay.server.game.transcript import Transcript, game_result, game_rng
from fairplay.v1.game_pb2 import GameSettings, GameState, TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult

NAMES = ("anna", "bert", "cleo", "dora", "emil", "finn", "gina", "hans")
AMPLE_S = 5.0
"""A limit that scripted players keep on any machine."""


def control(decision_s: float = AMPLE_S, first_s: float = AMPLE_S, notification_s: float = AMPLE_S) -> TimeControl:
    """Return a time control without a bank."""
    return TimeControl(
        decision_limit=span(decision_s), first_decision_limit=span(first_s), notification_limit=span(notification_s)
    )


def span(seconds: float) -> Duration:
    """Return seconds as google.protobuf.Duration."""
    duration = Duration()
    duration.FromNanoseconds(round(seconds * 1e9))
    return duration


@dataclass(frozen=True)
class Scene:
    """A game from a given state, with what its players do."""

    game: Game
    settings: Message
    state: Message
    player_count: int
    script: Script = sound_script
    control: TimeControl = field(default_factory=control)
    strategy: str = "first"

    @property
    def names(self) -> Sequence[str]:
        """Return the names of the players, in turn order."""
        return NAMES[: self.player_count]

    def plan(self) -> GamePlan:
        """Return the plan of the game, without its players."""
        return GamePlan(
            game=self.game.name,
            settings=wrap(GameSettings, self.game, self.settings),
            seed=1,
            time_control=self.control,
            initial_state=wrap(GameState, self.game, self.state),
        )

    def actors(self) -> list[Actor]:
        """Return new players for the seats."""
        return [Actor(seat, self.game, self.script, self.strategy) for seat in range(self.player_count)]


class Expected(NamedTuple):
    """What a server that keeps the contract makes of a scene."""

    calls: Sequence[Call]
    limits_s: Sequence[float]
    """The limit of each call."""
    misconducts: Sequence[Misconduct]
    result: GameResult
    public_states: Sequence[Message]
    full_states: Sequence[Message]


def strategy_of(game: Game) -> str:
    """Return the strategy of the scripted players: one that answers at once, always the same."""
    return "first" if "first" in game.strategies else next(iter(game.strategies))


def small(name: str, player_count: int, seed: int = 1, **values: Any) -> Scene:
    """Return a scene of sound players from a drawn state. `values` are settings of the game."""
    game = find(name)
    given = game.settings_type()
    for key, value in values.items():
        setattr(given, key, value)
    settings = game.full_settings(given)
    conversation = game.play("draw", settings, NAMES[:player_count], game_rng(seed), None)
    try:
        shown = next(conversation)
        # A fresh game may tell things first; what it shows last before its first decision is where it begins.
        if not isinstance(shown, Show):
            raise SuiteError(f"a game of {name} does not show its first state")
        state = game.full_state(shown.state)
    finally:
        conversation.close()
    return Scene(game, settings, state, player_count, strategy=strategy_of(game))


def expect(scene: Scene, game_id: str) -> Expected:
    """Play a scene by the game's own conversation. Raises SuiteError if no such game can be played."""
    game, names = scene.game, scene.names
    try:
        conversation = game.play(game_id, scene.settings, names, game_rng(1), scene.state)
    except ValueError as error:
        raise SuiteError(f"the game {game.name} cannot be played: {error}") from error
    return _Prompter(scene, game_id).follow(conversation)


class _Prompter:
    """Answers the conversation of a scene as the scripted players do."""

    def __init__(self, scene: Scene, game_id: str) -> None:
        self._scene = scene
        self._game_id = game_id
        self._actors = scene.actors()
        self._limits = CallLimits.of(scene.control)
        self._transcript = Transcript(scene.names, lambda _: None)
        self._calls: list[Call] = []
        self._states: list[Any] = []

    def follow(self, conversation: Conversation) -> Expected:
        """Return what comes of the conversation."""
        sent: Any = None
        while True:
            try:
                step = conversation.send(sent)
            except StopIteration as stop:
                return self._end(stop.value)
            if isinstance(step, Show):
                self._states.append(step.state)
            elif isinstance(step, Eliminate):
                self._transcript.build_misconduct(step)
            sent = answer_step(step, self._answer)

    def _answer(self, call: Call) -> Any:
        asked = self._transcript.ask(call)
        self._calls.append(call)
        outcome = self._actors[call.seat].act(call.method, call.request, self._game_id).outcome
        return self._transcript.parse_outcome(asked, outcome)

    def _end(self, outcome: Any) -> Expected:
        game = self._scene.game
        return Expected(
            self._calls,
            [self._limits.limit_s(call) for call in self._calls],
            self._transcript.misconducts,
            game_result(outcome, self._scene.names, self._transcript.misconducts),
            [game.public_state(state) for state in self._states],
            [game.full_state(state) for state in self._states],
        )
