"""States with numbers that no short game reaches: large revisions, large scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from google.protobuf.message import Message

from fairplay.conformance.games.positions import Position, Source, position
from fairplay.conformance.games.reference_players import rival_names
from fairplay.games.game import Game, find

SCORES = (2**32 - 2**20, 10**9 - 10**6, 70_000, 300)
"""Games go on from the first of these that they allow: beyond what 31, 16 or 8 bits hold."""
SHARE = 0.4
"""The games begin after this share of a game of reference players."""


def with_revision(found: Position, revision: int) -> Position:
    """Return a position with another revision."""
    state: Any = type(found.state)()
    state.CopyFrom(found.state)
    state.revision = revision
    return found._replace(state=state)


def with_scores(game: Game, found: Position) -> Position | None:
    """Return a position in which all have large scores, no two of them the same; None if the game allows none.

    Where the default settings end the game before, one of them is at its largest.
    """
    if not any(hasattr(each, "score") for each in getattr(found.state, "players", ())):
        return None
    for score in SCORES:
        for settings in (found.settings, *_with_one_largest(game, found.settings)):
            state: Any = type(found.state)()
            state.CopyFrom(found.state)
            with suppress(ValueError):
                for number, player in enumerate(state.players):
                    player.score = score - number
                game.check_state(settings, state)
                return found._replace(settings=settings, state=state)
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
    return with_scores(game, position(game, source, SHARE)) is not None
