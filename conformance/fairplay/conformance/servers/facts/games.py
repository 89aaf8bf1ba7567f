"""Checks of what is told of players, games and tables, wherever it comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.facts.known import GAME_OVER, Check, Facts
from fairplay.games.kit.messages import enum_word
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import Game, GameStatus, GameSummary
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table, TableStatus

CAUSES = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: "rule_break",
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: "call_error",
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: "overrun",
}


def _player(facts: Facts, player: Player, name: str, _: float) -> None:
    if player.link or player.secret:
        raise failure(f"{name} tells how {player.name} is reached, or its secret.")


def _misconduct(facts: Facts, each: Misconduct, name: str, _: float) -> None:
    what = f"The misconduct of {each.player} in {name}"
    cause = each.WhichOneof("cause")
    if CAUSES.get(each.kind) != cause:
        raise failure(
            f"{what} must have the cause of its kind, {enum_word(MisconductKind, each.kind)}; it has {cause}."
        )
    if not each.player or not each.method_name.startswith("/"):
        raise failure(f"{what} must name the player, and the full name of the method.")
    error, broken = each.call_error, each.rule_break
    if cause == "rule_break" and not (broken.rule_id and broken.explanation):
        raise failure(f"{what} must name the rule, and explain what was wrong.")
    if len(broken.legal_replies) > broken.legal_reply_count:
        raise failure(f"{what} has more legal replies than it counts.")
    is_status = error.reason == CallErrorReason.CALL_ERROR_REASON_STATUS
    if cause == "call_error" and (not error.reason or is_status is not (1 <= error.status_code <= 16)):
        raise failure(
            f"{what} must have a reason, and a status of 1 to 16 if the reason is STATUS, else none; it has "
            f"{enum_word(CallErrorReason, error.reason)} and {error.status_code}."
        )
    if cause == "overrun" and not each.overrun.elapsed.ToNanoseconds() >= each.overrun.limit.ToNanoseconds() > 0:
        raise failure(f"{what} must have a limit, and a longer time after which the call was given up.")


def _result(facts: Facts, result: GameResult, name: str, _: float) -> None:
    ranked = [each for group in result.ranking for each in group.players]
    seats = [each.seat for each in ranked]
    out = [each.seat for each in result.misconducts]
    if len({*seats, *out}) < len(seats) + len(out):
        raise failure(f"{name} tells a result in which a player is ranked twice, or both ranked and eliminated.")
    if not all(group.players for group in result.ranking[1:]):
        raise failure(f"{name} tells a ranking in which a group behind the first one is empty.")
    if any(
        [each.seat for each in group.players] != sorted(each.seat for each in group.players) for group in result.ranking
    ):
        raise failure(f"{name} tells a ranking with a group whose players are not in turn order.")
    if result.aborted and ranked:
        raise failure(f"{name} tells of a game that was aborted that somebody has won it.")


def _game(facts: Facts, game: Game, name: str, sent_s: float) -> None:
    over, names = game.status in GAME_OVER, [each.name for each in game.players]
    what = f"The game {game.game_id} in {name}"
    facts.is_over("game", game.game_id, over, name, sent_s)
    if over is not game.HasField("end_time") or over is not game.HasField("result"):
        raise failure(f"{what} must have an end and a result if, and only if, it is over.")
    same(
        f"The players in the plan of the game {game.game_id} in {name}",
        names,
        [each.name for each in game.plan.players],
    )
    if not over and (game.plan.HasField("seed") or game.plan.HasField("initial_state")):
        raise failure(f"{what} is running; its seed and first state must not be told.")
    _begun(facts, game, game.plan.game, name)
    facts.agree(("the settings of the game", game.game_id), game.plan.settings, name)
    facts.agree(("the time control of the game", game.game_id), game.plan.time_control, name)
    if game.plan.HasField("seed"):
        facts.agree(("the seed of the game", game.game_id), game.plan.seed, name)
    if not over:
        return
    if not game.tournament_id and not game.plan.HasField("seed"):
        raise failure(f"{what} is over, and must tell its seed.")
    if (game.status == GameStatus.GAME_STATUS_ABORTED) is not bool(game.result.aborted):
        raise failure(f"{what} is {GameStatus.Name(game.status)}; in its result `aborted` is {game.result.aborted!r}.")
    facts.end(game.game_id, game.result, name)
    _ended(facts, game, names, name)
    check_seats(what, names, game.result)


def check_seats(what: str, names: Sequence[str], result: GameResult) -> None:
    """Check that the result of a game has its players, by their names, in their seats."""
    named = [(each.seat, each.name) for group in result.ranking for each in group.players]
    for seat, player in [*named, *((each.seat, each.player) for each in result.misconducts)]:
        if list(names[seat : seat + 1]) != [player]:
            raise failure(f"{what} has a result with {player} in seat {seat}; its players are {', '.join(names)}.")


def _begun(facts: Facts, game: Game | GameSummary, kind: str, name: str) -> None:
    facts.agree(("the name of the game", game.game_id), kind, name)
    facts.agree(("the start of the game", game.game_id), game.start_time.ToNanoseconds(), name)
    facts.agree(("the tournament of the game", game.game_id), game.tournament_id, name)
    if not game.start_time.ToNanoseconds():
        raise failure(f"The game {game.game_id} in {name} must say when it began.")
    of = game.game_id.rpartition("/")[0]
    if game.tournament_id and game.tournament_id != of:
        raise failure(f"The game {game.game_id} in {name} must belong to {of}; it belongs to {game.tournament_id}.")


def _ended(facts: Facts, game: Game | GameSummary, players: Sequence[str], name: str) -> None:
    facts.agree(("the end of the game", game.game_id), game.end_time.ToNanoseconds(), name)
    facts.agree(("the status of the game", game.game_id), GameStatus.Name(game.status), name)
    facts.agree(("the players of the game", game.game_id), list(players), name)
    if game.end_time.ToNanoseconds() < game.start_time.ToNanoseconds():
        raise failure(f"The game {game.game_id} in {name} ended before it began.")


def _game_summary(facts: Facts, game: GameSummary, name: str, sent_s: float) -> None:
    over = game.status in GAME_OVER
    facts.is_over("game", game.game_id, over, name, sent_s)
    _begun(facts, game, game.game, name)
    if over is not game.HasField("end_time"):
        raise failure(f"The game {game.game_id} in {name} must have an end if, and only if, it is over.")
    if over:
        _ended(facts, game, game.players, name)
        facts.agree(("the ranking of the game", game.game_id), list(game.ranking), name)
        facts.agree(("the number of misconducts of the game", game.game_id), game.misconduct_count, name)


TOLD_AT_TABLES = {"seat", "player", "kind", "rule_break", "rule_id", "method_name", "call_number"}
"""What a table tells of a misconduct."""


def _table(facts: Facts, table: Table, name: str, _: float) -> None:
    what = f"The table {table.name} in {name}"
    status = TableStatus.Name(table.status)
    if table.HasField("result") is not (table.status == TableStatus.TABLE_STATUS_OVER):
        raise failure(f"{what} must have a result if, and only if, its game is over; it is {status}.")
    if table.HasField("result") and not table.game_id:
        raise failure(f"{what} has the result of a game, and no id of that.")
    names = [seat.name for seat in table.seats]
    if len({*names, *table.watchers}) < len(names) + len(table.watchers):
        raise failure(f"{what} has somebody twice.")
    if len(names) > table.max_seat_count or table.min_seat_count > table.max_seat_count:
        raise failure(f"{what} has {len(names)} seats, of {table.min_seat_count} to {table.max_seat_count}.")
    if table.seat_count and not table.seat_count == table.min_seat_count == table.max_seat_count:
        raise failure(
            f"{what} is for {table.seat_count}; its seats are {table.min_seat_count} to {table.max_seat_count}."
        )
    if any(seat.bot and not (seat.ready or table.status == TableStatus.TABLE_STATUS_RUNNING) for seat in table.seats):
        raise failure(f"{what} has a bot that is not ready.")
    if table.HasField("result"):
        facts.agree(("the ranking of the game", table.game_id), list(table.result.ranking), name)
    told = [field.name for each in table.result.misconducts for field, _ in each.ListFields()]
    told += [
        f"{field.name} of a rule" for each in table.result.misconducts for field, _ in each.rule_break.ListFields()
    ]
    if more := {*told}.difference(TOLD_AT_TABLES):
        raise failure(f"{what} must not tell the {min(more)} of a misconduct, which GetGame has.")


OF_GAMES: Mapping[type[Any], Check] = {
    Player: _player,
    Misconduct: _misconduct,
    GameResult: _result,
    Game: _game,
    GameSummary: _game_summary,
    Table: _table,
}
