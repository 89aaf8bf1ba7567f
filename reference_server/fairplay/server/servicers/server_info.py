"""What a server says of itself: its games with their settings, rules and strategies, and its limits."""

from __future__ import annotations

from functools import cache

from fairplay.formats import format as formats
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, find, registered
from fairplay.server import __version__
from fairplay.server.game.plans import full_time_control
from fairplay.server.links.link import MAX_REPLY_BYTES, duration
from fairplay.server.links.open_calls import MAX_FRAME_BYTES
from fairplay.server.links.services import called_services
from fairplay.v1.game_pb2 import GameSettings, TimeControl
from fairplay.v1.server_pb2 import Authentication, GameInfo, ServerInfo, ServerLimits


def server_info(start_limit_s: float, *, starts_programs: bool, knows_accounts: bool) -> ServerInfo:
    """Return what everybody may know of this server."""
    return ServerInfo(
        version=__version__,
        services=called_services(),
        games=_games(),
        formats=formats.registered(),
        authentication=Authentication.AUTHENTICATION_TOKEN if knows_accounts else Authentication.AUTHENTICATION_NONE,
        limits=ServerLimits(
            max_message_bytes=MAX_FRAME_BYTES,
            max_reply_bytes=MAX_REPLY_BYTES,
            start_limit=duration(start_limit_s),
            starts_programs=starts_programs,
        ),
    )


@cache
def _games() -> tuple[GameInfo, ...]:
    return tuple(game_info(find(name)) for name in registered())


def game_info(game: Game) -> GameInfo:
    """Return what a server says of a game."""
    info = GameInfo(
        name=game.name,
        title=game.title,
        service=game.service,
        min_player_count=game.seats.start,
        max_player_count=game.seats.stop - 1,
        default_settings=wrap(GameSettings, game, game.full_settings(game.settings_type())),
        tournament_settings=wrap(GameSettings, game, game.full_settings(game.tournament_settings)),
        time_control=full_time_control(game, TimeControl()),
    )
    for each in game.settings:
        info.settings.add(name=each.name, meaning=each.meaning, allowed=each.allowed, default_value=each.default)
    for rule_id, sentence in game.rules.items():
        info.rules.add(rule_id=rule_id, sentence=sentence)
    for name, sentence in game.strategies.items():
        info.strategies.add(name=name, sentence=sentence)
    return info
