"""The reference players of Webset.

A strategy answers from what a request shows alone and keeps nothing between two answers. What it draws by chance
follows from its seed and from what it is shown, so that a resumed game goes on as it would have gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import Any, TypeAlias

from fairplay.games.kit.players import build_players
from fairplay.games.kit.strategies import StrategyKind, make_strategy
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.protocol.codec import ACT, PICK_CARDS
from fairplay.games.webset.rules.cards import EMPTY, Cards, Triple, is_set, sets_among
from fairplay.games.webset.rules.state import Word
from fairplay.webset.v1.webset_player_pb2 import ActRequest, ActResponse, PickCardsRequest, PickCardsResponse

Request: TypeAlias = ActRequest | PickCardsRequest


class First:
    """Calls at once and picks the set with the smallest cards, in a puzzle all sets."""

    def act(self, request: ActRequest) -> Word | None:
        """Return what to do; None stands for nothing."""
        return _sensible(request, bool(_sets(request)))

    def pick(self, request: PickCardsRequest) -> Cards:
        """Return three cards, or none to pass in a round; in a puzzle the cards of any number of sets."""
        found = _sets(request)
        return _join(found) if request.all_sets else next(iter(found), _no_set(request))


class AtRandom:
    """Does anything that may be tried, but calls only where there is a set, and does nothing after a refusal."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def act(self, request: ActRequest) -> Word | None:
        """Return what to do; None stands for nothing."""
        words = [word for word in codec.read_words(request.actions) if word is not Word.CALL or _sets(request)]
        return None if codec.is_refused(request) else _rng(self._seed, request).choice([None, *words])

    def pick(self, request: PickCardsRequest) -> Cards:
        """Return any set, in a puzzle any number of them."""
        found, rng = _sets(request), _rng(self._seed, request)
        if request.all_sets:
            return _join(rng.sample(found, rng.randint(0, len(found))))
        return rng.choice(found) if found else _no_set(request)


class Solver:
    """Finds sets after its reaction time, with shares of mistakes, of misses, of cards picked singly and put back, and
    of acts in which it has solutions shown.
    """

    def __init__(
        self,
        reaction: float,
        spread: float,
        error: float,
        misses: float,
        singly: float,
        wavers: float,
        shows: float,
        seed: int,
    ) -> None:
        self.reaction = reaction
        self._spread = spread
        self._error = error
        self._misses = misses
        self._singly = singly
        self._wavers = wavers
        self._shows = shows
        self._seed = seed

    def act(self, request: ActRequest) -> Word | None:
        """Return what leads to cards soonest, or what shows a solution, or the next one."""
        may_show = Word.SHOW in codec.read_words(request.actions) and not codec.is_refused(request)
        if may_show and self._shows > 0 and _rng(self._seed, request).random() < self._shows:
            return Word.SHOW
        return _sensible(request, not self._overlooks(request) and bool(_sets(request)))

    def pick(self, request: PickCardsRequest) -> Cards:
        """Return any set, or by mistake three cards that are no set; in a puzzle all sets, or others by mistake.

        Cards that are picked one by one are the first ones of a set that has those that are picked already; if no set
        has them, or it wavers, they are put back.
        """
        if request.may_skip and self._overlooks(request):
            return ()
        rng, found, picked = _rng(self._seed, request), _sets(request), request.state.picked
        if request.all_sets:
            return _join([triple for each in found if (triple := self._judged(rng, request, [each]))])
        chosen = self._judged(rng, request, found) or _no_set(request)
        if not request.one_by_one or rng.random() >= self._singly:
            return chosen
        if picked and rng.random() < self._wavers:
            return ()
        begun = next((each for each in (chosen, *found) if set(picked) <= set(each)), chosen)
        if begun in found and not set(picked) <= set(begun):
            return ()
        ordered = sorted(begun, key=lambda card: card not in picked)
        return tuple(ordered[: len(picked) + 1])

    def _judged(self, rng: Random, request: PickCardsRequest, found: Sequence[Triple]) -> Cards:
        """Return any of these sets, or by mistake three cards that are no set; nothing if there is no choice."""
        if rng.random() < self._error:
            wrong = [triple for triple in combinations(_cards(request), 3) if not is_set(*triple)]
            found = wrong or found  # three cards that are a set leave nothing to mistake
        return rng.choice(found) if found else ()

    def _overlooks(self, request: Request) -> bool:
        """Return whether no set is found on a table, whatever there is."""
        return self._misses > 0 and _rng(self._seed, request).random() < self._misses

    def pause_s(self, request: Request) -> float:
        """Return the reaction time in seconds, which differs from table to table."""
        return max(0.0, _rng(self._seed, request).gauss(self.reaction, self._spread * self.reaction))


Strategy: TypeAlias = First | AtRandom | Solver


def _sensible(request: ActRequest, there_is_a_set: bool) -> Word | None:
    """End a showing, call if there is a set, ask for cards if there is none."""
    words = codec.read_words(request.actions)
    if Word.END_SHOW in words:
        return Word.END_SHOW
    wanted = Word.CALL if there_is_a_set else Word.MORE
    return wanted if wanted in words and not codec.is_refused(request) else None


def _cards(request: Request) -> Cards:
    return tuple([card for card in request.state.slots if card != EMPTY])


def _sets(request: Request) -> tuple[Triple, ...]:
    return sets_among(_cards(request))


def _no_set(request: PickCardsRequest) -> Cards:
    """Return what to pick if there is no set."""
    return () if request.may_skip else _cards(request)[:3]


def _join(triples: Iterable[Cards]) -> Cards:
    return tuple([card for triple in triples for card in triple])


def _rng(seed: int, request: Request) -> Random:
    """Return a generator that is the same for the same request in every process, as `hash` is not."""
    return Random(repr((seed, request.game_id, request.seat, request.state.revision, request.idle_count)))


_SEED = (0, 0, 2**31 - 1)
_SHARE = (0.0, 0, 1)
STRATEGIES: Mapping[str, StrategyKind[Strategy]] = MappingProxyType(
    {
        "first": StrategyKind(First, "Calls at once and picks the set with the smallest cards."),
        "random": StrategyKind(
            AtRandom, "Does anything that may be tried, also nothing; picks any set.", {"seed": _SEED}
        ),
        "solver": StrategyKind(
            Solver,
            "Finds sets, with the reaction time (seconds) and the shares of mistakes, of misses, of cards picked "
            "singly, of those put back and of acts that show solutions that it is given.",
            {
                "reaction": (0.0, 0, 60),
                "spread": (0.3, 0, 1),
                "error": _SHARE,
                "misses": _SHARE,
                "singly": _SHARE,
                "wavers": _SHARE,
                "shows": _SHARE,
                "seed": _SEED,
            },
        ),
        "best": StrategyKind(First, "What first does: nothing beats whoever finds every set and calls at once."),
    }
)


def strategy(spec: str) -> Strategy:
    """Return the strategy of a text, e.g. "first", "random:seed=7" or "solver:reaction=2.5,error=0.1".

    Raises ValueError, with a sentence that says what is allowed, if there is no such strategy, key or value.
    """
    return make_strategy(spec, STRATEGIES, "Webset")


# Players


def _act(chosen: Strategy, request: ActRequest) -> ActResponse:
    return codec.build_act(chosen.act(request))


def _pick_cards(chosen: Strategy, request: PickCardsRequest) -> PickCardsResponse:
    return PickCardsResponse(cards=chosen.pick(request))


async def _act_after_pause(chosen: Any, request: ActRequest) -> ActResponse:
    """Return what the strategy does, after its reaction time."""
    await asyncio.sleep(chosen.pause_s(request))
    return _act(chosen, request)


async def _pick_after_pause(chosen: Any, request: PickCardsRequest) -> PickCardsResponse:
    """Return the cards: at once after a call, as they were found before it; in a round after the reaction time."""
    if request.may_skip:
        await asyncio.sleep(chosen.pause_s(request))
    return _pick_cards(chosen, request)


_METHODS = codec.METHODS.values()
player_at_once = build_players("webset", "Webset", _METHODS, STRATEGIES, {ACT: _act, PICK_CARDS: _pick_cards})
"""Makes players that answer at once, whatever their reaction time."""
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
