"""The reference players of Webset: strategies, and the players that answer with them.

A strategy answers from what it is shown alone and keeps nothing between two answers. What it draws by chance follows
from its seed and from what it is shown, so that a resumed game goes on as it would have gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from fairplay.games.kit.players import build_players
from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.protocol.codec import ACT, PICK_CARDS
from fairplay.games.webset.rules.cards import EMPTY, Cards, Triple, is_set, sets_among
from fairplay.games.webset.rules.state import Word
from fairplay.webset.v1 import webset_player_pb2 as messages


class Position(NamedTuple):
    """What a strategy is shown: first what it always is, then what it is when it is to act, or to pick cards."""

    game_id: str
    seat: int
    cards: Cards
    """The cards on the table, in slot order."""
    revision: int
    idle_count: int
    """How often all players have done nothing on this table."""
    words: tuple[Word, ...] = ()
    """What the player may try, beside doing nothing."""
    refused: bool = False
    """Whether its last act was refused, and nothing has happened since."""
    may_skip: bool = False
    """Whether picking no cards costs nothing."""
    all_sets: bool = False
    """Whether any number of sets may be named, and each counts."""
    one_by_one: bool = False
    """Whether fewer than three cards may be picked, which everybody is shown."""
    picked: Cards = ()
    """The cards that the player has picked so far in its call."""

    def sensible(self, there_is_a_set: bool) -> Word | None:
        """Return what leads to cards soonest: end a showing, call if there is a set, ask for cards if there is none."""
        if Word.END_SHOW in self.words:
            return Word.END_SHOW
        wanted = Word.CALL if there_is_a_set else Word.MORE
        return wanted if wanted in self.words and not self.refused else None

    def no_set(self) -> Cards:
        """Return what to pick if there is no set."""
        return () if self.may_skip else self.cards[:3]

    def rng(self, seed: int) -> Random:
        """Return a generator that is the same for the same position in every process, as `hash` is not."""
        return Random(repr((seed, self.game_id, self.seat, self.revision, self.idle_count)))


class First:
    """Calls at once and picks the set with the smallest cards, in a puzzle all sets."""

    def act(self, position: Position) -> Word | None:
        """Return what to do; None stands for nothing."""
        return position.sensible(sets_among(position.cards) != ())

    def pick(self, position: Position) -> Cards:
        """Return three cards, or none to pass in a round; in a puzzle the cards of any number of sets."""
        if position.all_sets:
            return _cards_of(sets_among(position.cards))
        return next(iter(sets_among(position.cards)), position.no_set())


class AtRandom:
    """Does anything that may be tried, but calls only where there is a set, and does nothing after a refusal."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def act(self, position: Position) -> Word | None:
        """Return what to do; None stands for nothing."""
        words = [word for word in position.words if word is not Word.CALL or sets_among(position.cards)]
        return None if position.refused else position.rng(self._seed).choice([None, *words])

    def pick(self, position: Position) -> Cards:
        """Return any set, in a puzzle any number of them."""
        found, rng = sets_among(position.cards), position.rng(self._seed)
        if position.all_sets:
            return _cards_of(rng.sample(found, rng.randint(0, len(found))))
        return rng.choice(found) if found else position.no_set()


class Solver:
    """Finds sets after its reaction time, with shares of mistakes, of misses and of cards that it picks singly."""

    def __init__(self, reaction: float, spread: float, error: float, misses: float, singly: float, seed: int) -> None:
        self.reaction = reaction
        self._spread = spread
        self._error = error
        self._misses = misses
        self._singly = singly
        self._seed = seed

    def act(self, position: Position) -> Word | None:
        """Return what leads to cards soonest."""
        return position.sensible(not self._overlooks(position) and sets_among(position.cards) != ())

    def pick(self, position: Position) -> Cards:
        """Return any set, or by mistake three cards that are no set; in a puzzle all sets, or others by mistake.

        Cards that are picked one by one are the first ones of a set that has those that are picked already.
        """
        if position.may_skip and self._overlooks(position):
            return ()
        rng, found = position.rng(self._seed), sets_among(position.cards)
        if position.all_sets:
            return _cards_of([triple for each in found if (triple := self._judged(rng, position, [each]))])
        chosen = self._judged(rng, position, found) or position.no_set()
        if not position.one_by_one or rng.random() >= self._singly:
            return chosen
        begun = next((each for each in (chosen, *found) if set(position.picked) <= set(each)), chosen)
        ordered = sorted(begun, key=lambda card: card not in position.picked)
        return tuple(ordered[: len(position.picked) + 1])

    def _judged(self, rng: Random, position: Position, found: Sequence[Triple]) -> Cards:
        """Return any of these sets, or by mistake three cards that are no set; nothing if there is no choice."""
        if rng.random() < self._error:
            wrong = [triple for triple in combinations(position.cards, 3) if not is_set(*triple)]
            found = wrong or found  # three cards that are a set leave nothing to mistake
        return rng.choice(found) if found else ()

    def _overlooks(self, position: Position) -> bool:
        """Return whether no set is found in a position, whatever there is."""
        return self._misses > 0 and position.rng(self._seed).random() < self._misses

    def pause_s(self, position: Position) -> float:
        """Return the reaction time in seconds, which differs from table to table."""
        return max(0.0, position.rng(self._seed).gauss(self.reaction, self._spread * self.reaction))


Strategy: TypeAlias = First | AtRandom | Solver


def _cards_of(triples: Iterable[Cards]) -> Cards:
    return tuple([card for triple in triples for card in triple])


_SEED = (0, 0, 2**31 - 1)
STRATEGIES: Mapping[str, StrategyKind[Strategy]] = MappingProxyType(
    {
        "first": StrategyKind(First, "Calls at once and picks the set with the smallest cards."),
        "random": StrategyKind(
            AtRandom, "Does anything that may be tried, also nothing; picks any set.", MappingProxyType({"seed": _SEED})
        ),
        "solver": StrategyKind(
            Solver,
            "Finds sets, with the reaction time (seconds) and the shares of mistakes, of misses and of cards picked "
            "singly that it is given.",
            MappingProxyType(
                {
                    "reaction": (0.0, 0, 60),
                    "spread": (0.3, 0, 1),
                    "error": (0.0, 0, 1),
                    "misses": (0.0, 0, 1),
                    "singly": (0.0, 0, 1),
                    "seed": _SEED,
                }
            ),
        ),
    }
)


def strategy(spec: str) -> Strategy:
    """Return the strategy of a text, e.g. "first", "random:seed=7" or "solver:reaction=2.5,error=0.1".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Webset")


# Players


def read_act_position(request: messages.ActRequest) -> Position:
    """Return what a strategy is shown that is to act."""
    return Position(
        game_id=request.game_id,
        seat=request.seat,
        cards=tuple([card for card in request.state.slots if card != EMPTY]),
        revision=request.state.revision,
        idle_count=request.idle_count,
        words=codec.read_words(request.actions),
        refused=codec.is_refused(request),
    )


def read_pick_position(request: messages.PickCardsRequest) -> Position:
    """Return what a strategy is shown that is to pick cards."""
    return Position(
        game_id=request.game_id,
        seat=request.seat,
        cards=tuple([card for card in request.state.slots if card != EMPTY]),
        revision=request.state.revision,
        idle_count=request.idle_count,
        may_skip=request.may_skip,
        all_sets=request.all_sets,
        one_by_one=request.one_by_one,
        picked=tuple(request.state.picked),
    )


def _act(chosen: Strategy, request: messages.ActRequest) -> messages.ActResponse:
    return codec.build_act(chosen.act(read_act_position(request)))


def _pick_cards(chosen: Strategy, request: messages.PickCardsRequest) -> messages.PickCardsResponse:
    return messages.PickCardsResponse(cards=chosen.pick(read_pick_position(request)))


async def _act_after_pause(chosen: Any, request: messages.ActRequest) -> messages.ActResponse:
    """Return what the strategy does, after its reaction time."""
    await asyncio.sleep(chosen.pause_s(read_act_position(request)))
    return _act(chosen, request)


async def _pick_after_pause(chosen: Any, request: messages.PickCardsRequest) -> messages.PickCardsResponse:
    """Return the cards: at once after a call, as they were found before it; in a round after the reaction time."""
    if request.may_skip:
        await asyncio.sleep(chosen.pause_s(read_pick_position(request)))
    return _pick_cards(chosen, request)


_METHODS = codec.METHODS.values()
player_at_once = build_players("webset", "Webset", _METHODS, STRATEGIES, {ACT: _act, PICK_CARDS: _pick_cards})
"""What makes players that answer at once, whatever their reaction time."""
_pausing_player = build_players(
    "webset", "Webset", _METHODS, STRATEGIES, {ACT: _act_after_pause, PICK_CARDS: _pick_after_pause}
)


def player(spec: str) -> Any:
    """Return the player with the strategy that a text names. Raises ValueError if there is none.

    One with a reaction time waits in the event loop, so that a cancelled question ends the wait.
    """
    chosen = strategy(spec)
    pauses = isinstance(chosen, Solver) and chosen.reaction > 0
    return _pausing_player(spec) if pauses else player_at_once(spec)
