"""Positions of games between reference players, from which the player under test is asked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.case_errors import SuiteError
from fairplay.games.conformance import Situation
from fairplay.games.game import Game
from fairplay.games.steps import Call, CallKind, Conversation, Show, Step, answer_step, calls_in
from fairplay.player.handlers import reply_of
from fairplay.server.transcript import game_rng

MAX_DECISIONS = 400
"""Games are followed so far: most are over before."""


class Position(NamedTuple):
    """A state before a decision, and the seat that decides when a game goes on from it."""

    settings: Message
    state: Message
    player_count: int
    seat: int

    def situation(self, turn_count: int) -> Situation:
        """Return the situation with the player under test in the seat that decides."""
        return Situation(self.settings, self.player_count, self.seat, self.state, turn_count)


def position(game: Game, settings: Message, count: int, seed: int, strategy: str, share: float) -> Position:
    """Return the position of a game of reference players after a share of it, from 0 to 1, or one shortly before."""
    key = _Key(game, settings)
    last = len(_shown(key, count, seed, strategy)) - 1
    for index in range(round(share * last), -1, -1):
        found = _position(key, count, seed, strategy, index)
        if found is not None:
            return found
    raise SuiteError(f"a game of {strategy} against itself with seed {seed} has no state to go on from")


class _Key:
    """A game with settings, as a key of the cache."""

    def __init__(self, game: Game, settings: Message) -> None:
        self.game = game
        self.settings = settings
        self._same = (game.name, settings.SerializeToString(deterministic=True))

    def __hash__(self) -> int:
        return hash(self._same)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._same == other._same


@lru_cache(maxsize=1_024)
def _position(key: _Key, count: int, seed: int, strategy: str, index: int) -> Position | None:
    """Return the position before a decision of a game, or None if no game can go on from it."""
    try:
        state = key.game.full_state(_shown(key, count, seed, strategy)[index])
        player_count = key.game.check_state(key.settings, state)
        seat = _decider(key, player_count, state, strategy)
    except ValueError:
        return None
    return None if seat is None else Position(key.settings, state, player_count, seat)


def _begun(key: _Key, count: int, seed: int, state: Message | None) -> Conversation:
    return key.game.play("reference", key.settings, [f"rival-{seat}" for seat in range(count)], game_rng(seed), state)


def _players(key: _Key, strategy: str, count: int) -> list[Any]:
    return [key.game.player(strategy) for _ in range(count)]


@lru_cache(maxsize=256)
def _shown(key: _Key, count: int, seed: int, strategy: str) -> Sequence[object]:
    """Return the states that a game of reference players shows before decisions."""
    conversation, players = _begun(key, count, seed, None), _players(key, strategy, count)
    states: list[object] = []
    shown, answer = None, None
    try:
        while len(states) < MAX_DECISIONS:
            step = conversation.send(answer)
            if isinstance(step, Show):
                shown = step.state
            elif _decision(step) is not None and (not states or shown is not states[-1]):
                states.append(shown)
            answer = answer_step(step, partial(_reply, players))
    except StopIteration:
        return states
    finally:
        conversation.close()
    return states


def _decider(key: _Key, count: int, state: Message, strategy: str) -> int | None:
    """Return the seat that decides first when a game goes on from a state, or None if nobody does."""
    conversation, players = _begun(key, count, 0, state), _players(key, strategy, count)
    answer = None
    try:
        while True:
            step = conversation.send(answer)
            if (call := _decision(step)) is not None:
                return call.seat
            answer = answer_step(step, partial(_reply, players))
    except StopIteration:
        return None
    finally:
        conversation.close()


def _decision(step: Step) -> Call | None:
    """Return the first decision that a step asks for, or None."""
    return next((call for call in calls_in(step) if call.kind is not CallKind.NOTIFICATION), None)


def _reply(players: Sequence[object], call: Call) -> Message:
    return reply_of(players[call.seat], call)
