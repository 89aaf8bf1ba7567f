"""A fresh game: its header, and its machine at the first call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fairplay.games.envelopes import unwrap, wrap
from fairplay.games.game import find
from fairplay.games.machine import GameMachine, News
from fairplay.games.steps import Call, Show
from fairplay.games.transcript import game_lot, game_rng
from fairplay.server import __version__
from fairplay.server.game.plans import now, settings_of
from fairplay.server.links.ways import Links
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import Diverged, sound
from fairplay.server.records.replay import Newcomer
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.record_pb2 import GameHeader
from fairplay.v1.referee_pb2 import GamePlan


@dataclass(slots=True)
class FreshGame:
    """A game that nothing has happened in yet, with what a `Replayer` says of one that goes on."""

    header: GameHeader
    machine: GameMachine
    time_ns: int
    error: Exception | None = None
    """What has stopped the rules before the first call."""
    calls: Sequence[tuple[Call, float]] = ()
    newcomers: list[Newcomer] = field(default_factory=list)


def fresh_game(plan: GamePlan, game_id: str, tournament_id: str, links: Links) -> FreshGame:
    """Return a fresh game of a full plan, at its first call.

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
    names, told = [player.name for player in plan.players], list[News]()
    try:
        with sound(1, "the game cannot be played"):
            given = unwrap(plan.initial_state, game, game.state_type)
            conversation = game.play(game_id, settings_of(game, plan), names, game_rng(plan.seed), given)
    except Diverged as error:
        raise Refusal("INVALID_SETTINGS", error.problem, "plan.settings") from None
    machine = GameMachine(conversation, names, None, told.append, game_lot(plan.seed))
    machine.replayed = True  # an elimination is left to the driver, who records it
    fresh = FreshGame(header, machine, header.start_time.ToNanoseconds())
    try:
        machine.begin()
        machine.go_on()
    except Exception as error:
        fresh.error = error
    if told and isinstance(told[0], Show):
        header.start_state.CopyFrom(wrap(GameState, game, game.full_state(told[0].state)))
    return fresh
