"""What the log says of games, tournaments and players: a line each, which no text of a stranger breaks or forges."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from fairplay.games.kit.messages import enum_word
from fairplay.server.net.text import visible
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import Game
from fairplay.v1.tournament_pb2 import Examination, ExaminationStatus, Tournament

MAX_NAMED = 8
"""How many names are in a line."""
REFUSED = ExaminationStatus.EXAMINATION_STATUS_REFUSED

accounts = logging.getLogger("fairplay.access")
connections = logging.getLogger("fairplay.links")
manager = logging.getLogger("fairplay.manager")
referee = logging.getLogger("fairplay.referee")


def named(names: Sequence[str]) -> str:
    """Return names with commas between them: the first ones, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return visible(", ".join(names[:MAX_NAMED])) + more or "nobody"


def log_account(name: str, role: str) -> None:
    """Log that somebody who was invited has made an account."""
    accounts.info("%s has made an account of the role %s", visible(name), role)


def log_dial_in(names: Sequence[str], host: str) -> None:
    """Log that players have dialled in."""
    connections.info("dialled in from %s: %s", visible(host), named(names))


def log_hang_up(names: Sequence[str], host: str) -> None:
    """Log that the connection of players has ended."""
    connections.info("the connection from %s has ended: %s", visible(host), named(names))


def log_game_begun(game: Game) -> None:
    """Log that a game begins, or goes on after a new start of the server."""
    players = [player.name for player in game.plan.players]
    referee.info("game %s of %s begins: %s", game.game_id, game.plan.game, named(players))


def log_game_left(game: Game) -> None:
    """Log how a game has ended, after a line for each player that has failed; nothing if it has not ended."""
    if not game.HasField("result"):
        return
    for misconduct in game.result.misconducts:
        _log_failure(referee, f"game {game.game_id}", misconduct)
    if game.result.aborted:
        referee.info("game %s was aborted: %s", game.game_id, visible(game.result.aborted))
        return
    first = game.result.ranking[0].players if game.result.ranking else ()
    referee.info("game %s is over, won by %s", game.game_id, named([player.name for player in first]))


def _log_failure(log: logging.Logger, where: str, misconduct: Misconduct) -> None:
    """Log that a player has failed, without what it has said: that is in the record."""
    kind, rule = enum_word(MisconductKind, misconduct.kind), misconduct.rule_break.rule_id
    method = misconduct.method_name.rpartition("/")[2]
    name, why = visible(misconduct.player), f"{kind} {rule}".strip()
    log.info("%s: %s failed in %s (call %s): %s", where, name, method, misconduct.call_number, why)


def log_tournament(tournament: Tournament, what: str) -> None:
    """Log that a tournament was created, or goes on: `what` says which."""
    entrants = [player.name for player in tournament.entrants]
    manager.info(
        "tournament %s of %s %s; entrants: %s", tournament.tournament_id, tournament.plan.game, what, named(entrants)
    )


def log_news(tournament_id: str, event: WatchTournamentResponse) -> None:
    """Log what those who watch a tournament are told; games and standings are left out."""
    tell = manager.info
    match event.WhichOneof("event"):
        case "signed_up":
            kind = event.signed_up.link.partition(":")[0]
            tell("tournament %s: %s has signed up (%s)", tournament_id, visible(event.signed_up.name), kind)
        case "withdrawn":
            tell("tournament %s: %s has left", tournament_id, visible(event.withdrawn))
        case "examination":
            _log_examination(tournament_id, event.examination)
        case "started":
            names = [player.name for player in event.started.entrants]
            tell("tournament %s begins with %s entrants: %s", tournament_id, len(names), named(names))
        case "failed":
            _log_failure(manager, f"tournament {tournament_id}", event.failed.misconduct)
        case "finished":
            tell("tournament %s is over, won by %s", tournament_id, named(event.finished.winners))
        case "cancelled":
            tell("tournament %s was cancelled: %s", tournament_id, visible(event.cancelled))


def _log_examination(tournament_id: str, examination: Examination) -> None:
    name = visible(examination.player.name)
    if examination.status == REFUSED:
        manager.info("tournament %s: %s was refused by %s", tournament_id, name, examination.case_id or "the server")
    else:
        manager.info("tournament %s: %s is being examined", tournament_id, name)
