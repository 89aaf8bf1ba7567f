"""Find states whose features, or pairs of features, are rare among those that the suite draws, and write them to files.

Run in .venv, in the root of the tree: python -m tools.made_states [GAME ...]
Candidates are found as in a certificate, for many seeds. What only some seeds find is covered by as few states as may
be, which then are drawn from whatever the seed: `games/fairplay/games/GAME/states.txt`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TypeAlias

from fairplay.conformance.cases.states import CHANGES, MAX_DECISIONS
from fairplay.conformance.games.candidates import Candidate, find_candidates
from fairplay.conformance.games.features import Feature, matters, own_features
from fairplay.conformance.games.positions import Source, goes_on_well
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.rivals import all_rival_names, rival_names
from fairplay.conformance.games.variations import vary
from fairplay.conformance.run.options import EXAMPLES
from fairplay.games.conformance import MadeState, find_conformance
from fairplay.games.game import Game, find, registered

FOLDER = Path(__file__).parents[1] / "games" / "fairplay" / "games"
SEEDS = range(101, 111)
MOST = 80
"""So many states are kept at most; those come first that show most of what is rare."""
BY_CHANCE = 0.9
"""What is found under this share of the seeds needs no state."""

Item: TypeAlias = Feature | tuple[Feature, ...]


def find_states(game: Game) -> list[MadeState]:
    """Return states of a game that show what is rarely found."""
    declared, found = own_features(game).keys(), list[tuple[Candidate, frozenset[Item]]]()
    seeds = Counter[Item]()
    for seed in SEEDS:
        drawn = [(each, frozenset(_items(each, declared))) for each in _candidates(game, seed)]
        seeds.update({item for _, items in drawn for item in items})
        found += drawn
    missing = {item: _weight(item, declared) for item, count in seeds.items() if count < BY_CHANCE * len(SEEDS)}
    return [*_cover(game, found, missing)]


def _cover(game: Game, found: list[tuple[Candidate, frozenset[Item]]], missing: dict[Item, int]) -> Iterator[MadeState]:
    """Yield states, always the one that has most of what is missing."""
    kept = 0
    rare = [(each, items & missing.keys()) for each, items in found]
    while kept < MOST:
        rare = [(each, left) for each, items in rare if (left := items & missing.keys())]
        if not rare:
            return
        best, items = max(rare, key=lambda pair: sum(missing[item] for item in pair[1]))
        for item in items:
            del missing[item]
        position = best.position
        if goes_on_well(game, Source(position.settings, position.player_count, 1, rival_names(game)[-1]), position):
            kept += 1
            settings, state = position.settings, position.state
            yield MadeState(settings.SerializeToString(deterministic=True), state.SerializeToString(deterministic=True))


def _candidates(game: Game, seed: int) -> Iterator[Candidate]:
    """Yield the candidates of a certificate with a seed."""
    rng, scope = Random(f"{game.name}/{seed}"), Scope(game)
    names = [*all_rival_names(game), *find_conformance(game.name).strategies]
    usual = game.full_settings(game.settings_type())
    tables = [(usual, count, name) for count in game.seats for name in names]
    others = [(each.settings, each.player_count, rng.choice(names)) for each in vary(game, rng, scope)]
    for chosen in (tables, others):
        sources = [
            Source(settings, count, rng.getrandbits(32), name, MAX_DECISIONS) for settings, count, name in chosen
        ]
        yield from find_candidates(game, sources, scope, EXAMPLES, CHANGES * EXAMPLES, rng)


def _items(candidate: Candidate, declared: Collection[Feature]) -> Iterator[Item]:
    """Yield what a candidate shows: its features, and the pairs of those that matter."""
    yield from candidate.features
    yield from combinations(sorted(each for each in candidate.features if matters(each, declared)), 2)


def _weight(item: Item, declared: Collection[Feature]) -> int:
    """Return how much it matters that something is shown."""
    features: Sequence[Feature] = [item] if isinstance(item, str) else item
    of_game = sum(each in declared for each in features)
    return 4 if of_game == len(features) else 2 if of_game or len(features) == 1 else 1


def main(names: Sequence[str]) -> int:
    """Write the files of games."""
    for game in map(find, names or registered()):
        made = find_states(game)
        (FOLDER / game.name / "states.txt").write_text("".join(f"{each.line}\n" for each in made), encoding="utf-8")
        sys.stdout.write(f"{game.title}: {len(made)} states\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
