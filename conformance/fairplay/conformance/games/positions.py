"""Positions of games between reference players, from which the player under test is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from typing import Any, NamedTuple
from zlib import crc32

from google.protobuf.message import Message

from fairplay.conformance.case import SuiteError
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.rivals import rival_names
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game, Start, find
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, CallKind, Conversation, Eliminate, Failure, Step, calls_in
from fairplay.games.transcript import game_rng
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import disconnected

GO_ON = 100
MAX_DECISIONS = 400
"""Games are followed so far: most are over before."""


class Position(NamedTuple):
    """A state before a decision, and the seat that decides when a game goes on from it: any one, if several do."""

    settings: Message
    state: Message
    player_count: int
    seat: int
    request: Any = None
    """What that seat is asked first: the message; None: it was not looked at."""

    def situation(self, turn_count: int) -> Situation:
        """Return the situation with the player under test in the seat that decides."""
        return Situation(self.settings, self.player_count, self.seat, self.state, turn_count)


class Source(NamedTuple):
    """A game of reference players, from which positions are taken."""

    settings: Message
    player_count: int
    seed: int
    strategy: str
    max_decisions: int = MAX_DECISIONS
    """The game is followed so far."""
    leaver_count: int = 0
    """So many players leave the game soon, those that are last in turn order."""


def position(game: Game, source: Source, share: float) -> Position:
    """Return the position after a share of a game, from 0 to 1, or one shortly before. Raises SuiteError if none."""
    found = find_position(game, source, share)
    if found is None:
        raise SuiteError(f"a game with seed {source.seed} has no state to go on from")
    return found


def find_position(game: Game, source: Source, share: float) -> Position | None:
    """Return the position after a share of a game, from 0 to 1, or one shortly before; None: there is none."""
    key = _Key(game, source)
    last = len(_shown(key)) - 1
    for index in range(round(share * last), -1, -1):
        found = _position(key, index)
        if found is not None:
            return found
    return None


class _Key:
    """A game and a source, as a key of the cache."""

    def __init__(self, game: Game, source: Source) -> None:
        self.game = game
        self.source = source
        self._same = (game.name, source.settings.SerializeToString(deterministic=True), *source[1:])

    def __hash__(self) -> int:
        return hash(self._same)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._same == other._same


@lru_cache(maxsize=1_024)
def _position(key: _Key, index: int) -> Position | None:
    """Return the position before a decision of a game, or None if no game can go on from it."""
    try:
        state = key.game.full_state(_shown(key)[index])
    except ValueError:
        return None
    return resume(key.game, key.source, state)


def resume(game: Game, source: Source, state: Message) -> Position | None:
    """Return the position in which a game with the settings of another one goes on from a state; None: none does."""
    chosen = game.read_settings(source.settings)
    try:
        first = game.resume(state, chosen, game_rng(0))
    except ValueError:
        return None
    count = game.count_seats(first)
    conversation = game.converse(Start("reference", chosen, _names(count), first, fresh=False))
    machine, steps = _drive(game, source._replace(leaver_count=0), count, conversation)
    asked = next((calls for step in steps if (calls := _decisions(step))), None)
    machine.close()
    if asked is None:
        return None
    decision = asked[crc32(state.SerializeToString(deterministic=True)) % len(asked)]
    return Position(source.settings, state, count, decision.seat, decision.request)


def goes_on_well(game: Game, source: Source, found: Position) -> bool:
    """Return whether reference players go on from a position for GO_ON steps, or to the end, and nobody fails."""
    staying = _Key(game, source._replace(leaver_count=0))
    machine, steps = _begin(staying, found.player_count, source.seed, found.state)
    try:
        return not any(isinstance(step, Eliminate) for step in islice(steps, GO_ON))
    except (ValueError, LookupError):  # a reference player does not understand what a game cannot lead to
        return False
    finally:
        machine.close()


def _begin(key: _Key, count: int, seed: int, state: Message | None) -> tuple[GameMachine, Iterator[Step]]:
    conversation = key.game.play("reference", key.source.settings, _names(count), game_rng(seed), state)
    return _drive(key.game, key.source, count, conversation)


def _names(count: int) -> list[str]:
    return [f"rival-{seat}" for seat in range(count)]


def _drive(game: Game, source: Source, count: int, conversation: Conversation) -> tuple[GameMachine, Iterator[Step]]:
    """Return a game of reference players, and its steps, of which each is answered when the next one is taken.

    Those that leave do so in their second decision.
    """
    players = [game.player(source.strategy) for _ in range(count)]
    decisions = Counter[int]()

    def answer(call: Call) -> Message | Failure:
        decisions[call.seat] += call.kind is not CallKind.NOTIFICATION
        if call.seat >= count - source.leaver_count and decisions[call.seat] > 1:
            return disconnected("this player has left")
        return reply_of(players[call.seat], call)

    machine = GameMachine(conversation)
    return machine, machine.play(answer)


@lru_cache(maxsize=256)
def _shown(key: _Key) -> Sequence[object]:
    """Return the states that a game of reference players shows before decisions."""
    machine, steps = _begin(key, key.source.player_count, key.source.seed, None)
    states: list[object] = []
    for step in steps:
        shown = machine.shown and machine.shown.state
        if _decisions(step) and (not states or shown is not states[-1]):
            states.append(shown)
        if len(states) == key.source.max_decisions:
            break
    machine.close()
    return states


def _decisions(step: Step) -> Sequence[Call]:
    """Return the decisions that a step asks for."""
    return [call for call in calls_in(step) if call.kind is not CallKind.NOTIFICATION]


SCORES = (2**32 - 2**20, 999_000, 70_000, 300)
"""Games go on from the first of these that they allow: beyond what 31, 16 or 8 bits hold."""
SHARE = 0.4
"""The games begin after this share of a game of reference players."""


def with_revision(found: Position, revision: int) -> Position:
    """Return a position with another revision."""
    state: Any = type(found.state)()
    state.CopyFrom(found.state)
    state.revision = revision
    return found._replace(state=state, request=None)


def with_scores(game: Game, found: Position, scope: Scope) -> Position | None:
    """Return a position in which all have large scores, no two of them the same; None if the game allows none.

    Where the default settings end the game before, one of them is at its largest. Nobody has more points than the game,
    and the profile, have as their largest number.
    """
    if not any(hasattr(each, "score") for each in getattr(found.state, "players", ())):
        return None
    most = find_conformance(game.name).largest_score
    for score in (each for each in SCORES if each <= most):
        for settings in (found.settings, *_with_one_largest(game, found.settings)):
            state: Any = type(found.state)()
            state.CopyFrom(found.state)
            with suppress(ValueError):
                for number, player in enumerate(state.players):
                    player.score = score - number
                game.check_state(settings, state)
                large = found._replace(settings=settings, state=state, request=None)
                if scope.holds(large.situation(0)):
                    return large
    return None


def _with_one_largest(game: Game, settings: Message) -> Iterator[Message]:
    """Yield settings with one of their numbers at its largest."""
    fields = settings.DESCRIPTOR.fields_by_name
    for each in game.settings:
        if each.limits is not None and each.name in fields and fields[each.name].message_type is None:
            changed: Any = type(settings)()
            changed.CopyFrom(settings)
            setattr(changed, each.name, each.limits[1])
            yield changed


@cache
def allows_large_scores(name: str) -> bool:
    """Return whether games of this name go on from states with large scores."""
    game = find(name)
    source = Source(game.full_settings(game.settings_type()), game.seats.start, 0, rival_names(game)[-1])
    return with_scores(game, position(game, source, SHARE), Scope(game)) is not None
