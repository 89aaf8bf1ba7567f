"""When a fault shows itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from fairplay.conformance.zoo.specimen import Ask, When
from fairplay.games.game import Game

LATE_SEAT_REVISION = 3
"""By then the first player of any game has made its first decision, and in most games the second one too."""


def never(_: Ask) -> bool:
    """Never: the fault is in what the player lacks."""
    return False


def in_method(name: str) -> When:
    """Whenever this method is called."""
    return lambda ask: ask.method.name == name


def second_call(name: str) -> When:
    """When this method is called for the second time in a game; methods without a game: ever."""
    return lambda ask: ask.method.name == name and ask.number == 2


def second_time(name: str) -> When:
    """When this method is called for the second time in all its games."""
    return lambda ask: ask.method.name == name and ask.past.call_counts[name] == 2


def in_decision(number: int) -> When:
    """In one decision of each game, counted from 1."""
    return lambda ask: ask.decision == number


def from_decision(number: int) -> When:
    """In all decisions of a game from this one on."""
    return lambda ask: ask.decision >= number


def in_game(number: int) -> When:
    """In the first decision of a game that it is asked in, counted from 1."""
    return lambda ask: ask.course.number == number and ask.decision == 1


def when_told(name: str, **said: object) -> When:
    """When a method is called that says just this."""
    return lambda ask: ask.method.name == name and all(getattr(ask.request, key) == said[key] for key in said)


def in_later_games(ask: Ask) -> bool:
    """In all decisions of every game but the first."""
    return ask.course.number > 1 and ask.decision > 0


def between_games(count: int) -> When:
    """In later decisions of a game in between which it was asked about so many others."""
    return lambda ask: ask.decision > 1 and ask.others >= count


def after_unfinished(count: int) -> When:
    """In the first decision of a game where so many were left before with one decision, or none."""

    def when(ask: Ask) -> bool:
        left = [each for each in ask.past.courses.values() if each.number and each.last_tick < ask.course.first_tick]
        return ask.decision == 1 and sum(each.decision_count <= 1 for each in left) >= count

    return when


def after_early_end(decisions: int) -> When:
    """In the second decision of a game where the one before it was over by then, after so few decisions."""

    def when(ask: Ask) -> bool:
        before = ask.before
        if before is None or ask.decision != 2:
            return False
        return before.last_tick < ask.course.first_tick and before.decision_count <= decisions

    return when


def after_repetition(ask: Ask) -> bool:
    """In all decisions after one for which it was asked twice."""
    return ask.past.repeated and ask.decision > 0


def in_late_seat(ask: Ask) -> bool:
    """In the first decision, if others have acted before."""
    return ask.decision == 1 and acts_late(ask.request)


def acts_late(request: Message) -> bool:
    """Whether a state has changed a few times before a request."""
    return any(part.revision >= LATE_SEAT_REVISION for part in _having(request, "revision"))


def in_full_house(most: int) -> When:
    """In the first decision, if there are so many players."""
    return lambda ask: ask.decision == 1 and any(len(part.players) >= most for part in _having(ask.request, "players"))


def with_unknown_fields(ask: Ask) -> bool:
    """When there is something in the request that this revision of the contract does not know."""
    return any(len(UnknownFieldSet(part)) for part in parts(ask.request))


def with_unusual_id(ask: Ask) -> bool:
    """When the id of the game has no letter, or more than a hundred characters."""
    game_id = getattr(ask.request, "game_id", "")
    return bool(game_id) and (len(game_id) > 100 or not any(map(str.isalpha, game_id)))


def with_other_settings(game: Game) -> When:
    """When a request has settings of the game in it that are not the usual ones."""
    usual = game.full_settings(game.settings_type())
    return lambda ask: any(
        isinstance(part, game.settings_type) and game.full_settings(part) != usual for part in parts(ask.request)
    )


def parts(message: Message) -> Iterator[Any]:
    """A message, and all that it holds."""
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else [value]:
                yield from parts(part)


def _having(message: Message, name: str) -> Iterator[Any]:
    return (part for part in parts(message) if name in part.DESCRIPTOR.fields_by_name)
