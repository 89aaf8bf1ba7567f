"""Games that begin: the header of the record of each, and its conversation at the first call."""

from __future__ import annotations

from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.server import __version__
from fairplay.server.game.plans import now
from fairplay.server.links.ways import Links
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import Diverged
from fairplay.server.records.replay import Replayer
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.record_pb2 import GameHeader, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan


def fresh_game(plan: GamePlan, game_id: str, tournament_id: str, links: Links) -> Replayer:
    """Return a fresh game of a full plan, with its header, at its first call.

    Raises Refusal if its settings do not fit its players.
    """
    game = find(plan.game)
    header = GameHeader(
        game_id=game_id,
        plan=plan,
        start_time=now(),
        tournament_id=tournament_id,
        server_version=__version__,
        players=[links.identify(player, game) for player in plan.players],
    )
    try:
        replayer = Replayer(RecordEntry(game=header), None, find)
    except Diverged as error:
        raise Refusal("INVALID_SETTINGS", error.problem, "plan.settings") from None
    replayer.rewind()
    if (start := replayer.start) is not None:
        replayer.header.start_state.CopyFrom(wrap(GameState, game, game.full_state(start.state)))
    return replayer
