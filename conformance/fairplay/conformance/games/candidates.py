"""States that may be drawn: positions of games of reference players, and others made of them that have more features.

A position is changed as no reference player would do it: what one has another one gets, hands of one kind are gathered,
scores are made equal (`Pieces` of a game says what may be changed). The states of the game's probes are taken as well,
under any settings that they fit. What a game does not go on from, or not well, is dropped; of the rest those are kept
that have a feature, or a pair of those that matter most, that none had before, and changed further.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set
from random import Random
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.conformance.games.features import (
    Feature,
    features_of,
    matters,
    own_features,
    settings_features,
)
from fairplay.conformance.games.positions import Position, Source, find_position, goes_on_well, resume
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.rivals import rival_names
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game

STEPS = 40
"""A game is cut into so many steps."""
MADE = 10_000
"""From this number on states that are kept in a file are numbered."""
MANY = (9, 99, 300)
"""Scores of players are set to these, too."""


Change: TypeAlias = Callable[["_Place", "_Place"], None]
"""(giver, taker) -> None: changes what they hold; both may be the same place."""


class Candidate(NamedTuple):
    """A state that may be drawn."""

    source: int
    """The index of the game that it was taken from."""
    step: int
    """The step of that game, of STEPS."""
    number: int
    """0: it is as it was there; otherwise the number of the change."""
    position: Position
    features: frozenset[Feature]
    """Those of the first decision that follows."""

    @property
    def name(self) -> str:
        """Return a name that no other candidate of a run has."""
        return f"{self.source}-{self.step}" + (f"-changed-{self.number}" if self.number else "")


def find_candidates(
    game: Game, sources: Sequence[Source], scope: Scope, count: int, attempts: int, rng: Random
) -> list[Candidate]:
    """Return about `count` positions of games, and those that so many attempts to change one of them have made.

    All are in the scope.
    """
    settings = [settings_features(game, source.settings) for source in sources]

    def build(source: int, step: int, number: int, position: Position) -> Candidate:
        return Candidate(source, step, number, position, features_of(game, position.request) | settings[source])

    places = [(source, step) for source in range(len(sources)) for step in range(STEPS + 1)]
    different: dict[object, Candidate] = {}
    for source, step in rng.sample(places, len(places)):
        if len(different) == count:
            break
        position = find_position(game, sources[source], step / STEPS)
        if position is not None and scope.holds(position.situation(1)):
            key = settings[source], position.state.SerializeToString(deterministic=True)
            different.setdefault(key, build(source, step, 0, position))
    found = [*different.values()]
    known = _News(game)
    for each in found:
        known.add(each)
    parents = list(found)

    def keep(child: Candidate) -> None:
        parents.append(child)
        if known.has_news(child) and goes_on_well(game, sources[child.source], child.position):
            found.append(child)
            if known.has_new_feature(child):  # what is new once is likely to be so again, changed further
                parents.extend([child] * 8)
            known.add(child)

    changes = _Changes(game, [each.position.state for each in found], rng)
    for number in range(1, attempts + 1 if found else 1):
        parent = rng.choice(parents)
        changed = changes.make(sources[parent.source], parent.position.state)
        if changed is not None and scope.holds(changed.situation(1)):
            keep(build(parent.source, parent.step, number, changed))
    probes = [probe.situation(rng).state for probe in find_conformance(game.name).probes]
    states = [each for each in probes if each is not None]
    for number in range(attempts + 1, attempts + count + 1 if found and states else attempts + 1):
        source = rng.randrange(len(sources))
        taken = resume(game, sources[source], rng.choice(states))
        if taken is not None and scope.holds(taken.situation(1)):
            keep(build(source, STEPS, number, taken))
    chosen = ((each, other) for each in list(found) for other in changes.choose(sources[each.source], each))
    for number, (parent, other) in enumerate(chosen, attempts + count + 1):
        if scope.holds(other.situation(1)):
            keep(build(parent.source, parent.step, number, other))
    return found


def find_made_states(game: Game, scope: Scope) -> Iterator[Candidate]:
    """Yield the states that the game keeps in a file because they are rarely found, as far as they are in the scope."""
    for number, made in enumerate(find_conformance(game.name).made_states(), MADE):
        settings, state = game.settings_type.FromString(made.settings), game.state_type.FromString(made.state)
        position = resume(game, Source(settings, game.seats.start, 0, rival_names(game)[0]), state)
        if position is not None and scope.holds(position.situation(1)):
            features = features_of(game, position.request) | settings_features(game, settings)
            yield Candidate(0, STEPS, number, position, features)


class _News:
    """Knows which features candidates have had, and which pairs of those that matter most."""

    def __init__(self, game: Game) -> None:
        self._declared = own_features(game)
        self._known = set[Feature]()
        self._together = defaultdict[Feature, set[Feature]](set)
        """A feature that matters most -> those of them that candidates had with it, itself included."""

    def has_news(self, candidate: Candidate) -> bool:
        """Return whether a candidate has a feature that none had before, or such a pair."""
        mattering = self._mattering(candidate)
        return self.has_new_feature(candidate) or not all(mattering <= self._together[each] for each in mattering)

    def has_new_feature(self, candidate: Candidate) -> bool:
        """Return whether a candidate has a feature that none had before."""
        return not candidate.features <= self._known

    def add(self, candidate: Candidate) -> None:
        """Note what a candidate has."""
        self._known |= candidate.features
        mattering = self._mattering(candidate)
        for each in mattering:
            self._together[each] |= mattering

    def _mattering(self, candidate: Candidate) -> Set[Feature]:
        return {each for each in candidate.features if matters(each, self._declared)}


class _Place(NamedTuple):
    """A place in a state where things are: a list, or a number."""

    path: str
    """Its field, the same for all players."""
    owner: Any
    field: FieldDescriptor

    def read(self) -> list[Any]:
        """Return the elements of the list, or the number as the only one."""
        value = getattr(self.owner, self.field.name)
        return list(value) if self.field.is_repeated else [value]

    def write(self, values: Sequence[Any]) -> None:
        """Replace the elements of the list, or the number."""
        if not self.field.is_repeated:
            setattr(self.owner, self.field.name, values[0])
            return
        copies = [_copy(value) if isinstance(value, Message) else value for value in values]
        self.owner.ClearField(self.field.name)
        getattr(self.owner, self.field.name).extend(copies)


def _copy(message: Any) -> Any:
    copy = type(message)()
    copy.CopyFrom(message)
    return copy


def _places(message: Any, paths: Collection[str], start: str = "") -> Iterator[_Place]:
    """Yield the places of some fields in a message, also those within others."""
    for field in message.DESCRIPTOR.fields:
        path = f"{start}{field.name}"
        if path in paths:
            yield _Place(path, message, field)
        elif field.is_repeated and field.message_type is not None:
            for each in getattr(message, field.name):
                yield from _places(each, paths, f"{path}.")


class _Changes:
    """Changes states."""

    def __init__(self, game: Game, states: Iterable[Message], rng: Random) -> None:
        self._game = game
        self._pieces = find_conformance(game.name).pieces
        self._rng = rng
        paths = {path for group in self._pieces.things for path in group}
        self._longest = Counter[str]()
        """How long the lists of each field are at most."""
        for state in states:
            for each in _places(state, paths):
                self._longest[each.path] = max(self._longest[each.path], len(each.read()))

    def make(self, source: Source, state: Message) -> Position | None:
        """Return the position of a changed state, or None if nothing was changed or no game goes on from it."""
        pieces, rng, changed = self._pieces, self._rng, _copy(state)
        choices: list[tuple[Change, Sequence[str]]] = [
            *((change, group) for group in pieces.things for change in (self._gather, self._move)),
            *((change, group) for group in pieces.counts for change in (self._hand_over, self._trade)),
            *((self._level, [path]) for path in pieces.scores),
        ]
        if not choices:
            return None
        change, paths = rng.choice(choices)
        places = list(_places(changed, paths))
        if change in (self._hand_over, self._trade):
            places = [each for each in places if each.read()]
        if not places:
            return None
        giver, taker = rng.choice(places), rng.choice(places)
        for _ in range(rng.choice([1, 1, 2, 4])):
            change(giver, taker)
        return None if changed == state else resume(self._game, source, changed)

    def choose(self, source: Source, parent: Candidate) -> Iterator[Position]:
        """Yield the positions in which something else has been chosen."""
        for path in self._pieces.choices:
            for index, place in enumerate(_places(parent.position.state, {path})):
                [usual], kind = place.read(), place.field.enum_type
                for number in kind.values_by_number if usual and kind is not None else ():
                    changed = _copy(parent.position.state)
                    next(itertools.islice(_places(changed, {path}), index, None)).write([number])
                    position = resume(self._game, source, changed) if number not in (0, usual) else None
                    if position is not None:
                        yield position

    def _gather(self, giver: _Place, taker: _Place) -> None:
        """Bring equal elements of a list into another one, in exchange for others of it."""
        given, taken, rng = giver.read(), taker.read(), self._rng
        if not given or not taken or giver is taker:
            return
        wanted, left = rng.choice([*given, *taken]), rng.randint(1, 6)
        for here, value in enumerate(given):
            there = next((index for index, each in enumerate(taken) if each != wanted), None)
            if left and value == wanted and there is not None:
                given[here], taken[there], left = taken[there], value, left - 1
        giver.write(given)
        taker.write(taken)

    def _move(self, giver: _Place, taker: _Place) -> None:
        """Move some elements of a list to another one, or all, as far as lists of its field are ever so long."""
        given, taken, room = giver.read(), taker.read(), self._longest[taker.path]
        count = min(self._rng.choice([1, 2, 3, 6, len(given)]), len(given), room - len(taken))
        if giver is not taker and count > 0:
            taker.write(taken + given[:count])
            giver.write(given[count:])

    def _hand_over(self, giver: _Place, taker: _Place) -> None:
        """Have counts grow by what others lose: one of them, or all."""
        given, taken, rng = giver.read(), taker.read(), self._rng
        here, there = self._alike(given, taken)
        for offset in range(min(len(given), len(taken))) if rng.random() < 0.2 else (0,):
            source, target = (here + offset) % len(given), (there + offset) % len(taken)
            _pass(given, source, taken, target, rng.choice([1, 2, given[source] // 2, given[source]]))
        if giver is not taker:
            giver.write(given)
            taker.write(taken)

    def _trade(self, giver: _Place, taker: _Place) -> None:
        """Exchange things of one kind for as many of another one."""
        given, taken, rng = giver.read(), taker.read(), self._rng
        if giver is taker:
            taken = given
        one, other = self._alike(given, taken), self._alike(given, taken)
        amount = min(given[one[0]], taken[other[1]], rng.randint(1, 4))
        _pass(given, one[0], taken, one[1], amount)
        _pass(taken, other[1], given, other[0], amount)
        giver.write(given)
        taker.write(taken)

    def _alike(self, given: Sequence[int], taken: Sequence[int]) -> tuple[int, int]:
        """Return the indices of counts of one kind in two lists, of which the longer one may have several rows."""
        row, rng = min(len(given), len(taken)), self._rng
        here = rng.randrange(len(given))
        return here, here % row + row * rng.randrange(len(taken) // row)

    def _level(self, giver: _Place, taker: _Place) -> None:
        """Have a player as many points as another one, or none, or many."""
        [points] = giver.read()
        taker.write([self._rng.choice([points, points, points + 1, 0, *MANY])])


def _pass(given: list[int], here: int, taken: list[int], there: int, amount: int) -> None:
    amount = max(0, min(amount, given[here]))
    given[here] -= amount
    taken[there] += amount
