"""Checks of what is told of tournaments, wherever it comes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.facts.games import check_seats
from fairplay.conformance.servers.facts.known import TOURNAMENT_OVER, Check, Facts
from fairplay.games.evidence import without_evidence
from fairplay.v1.tournament_pb2 import (
    Round,
    RoundGame,
    RoundGameStatus,
    Standings,
    Tournament,
    TournamentResult,
    TournamentStatus,
    TournamentSummary,
)

SKIPPED = RoundGameStatus.ROUND_GAME_STATUS_SKIPPED


def _tournament(facts: Facts, shown: Tournament, name: str, sent_s: float) -> None:
    id_, over = shown.tournament_id, shown.status in TOURNAMENT_OVER
    what = f"The tournament {id_} in {name}"
    facts.is_over("tournament", id_, over, name, sent_s)
    finished = shown.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
    if over is not shown.HasField("end_time") or finished is not shown.HasField("result"):
        raise failure(f"{what} must have an end if it is over, a result if it is finished, and neither before.")
    if over is not (len(shown.secret) == 32) or (not over and (shown.secret or shown.plan.HasField("seed"))):
        raise failure(f"{what} must tell its secret of 32 bytes when it is over, and neither that nor its seed before.")
    if shown.plan.entrants:
        raise failure(f"{what} must leave out the entrants of its plan.")
    if shown.reason and shown.status != TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        raise failure(f"{what} must have no reason for being cancelled; it has {shown.reason!r}.")
    missing = [
        each
        for each in ("settings", "format", "sign_up", "time_control", "failures_allowed")
        if not shown.plan.HasField(each)
    ]
    if missing or not shown.plan.withdrawn_games:
        raise failure(f"{what} must have a plan with all defaults; it lacks {(missing or ['withdrawn_games'])[0]}.")
    names = [each.name for each in shown.entrants]
    if len({*map(str.lower, names)}) < len(names):
        raise failure(f"{what} has two entrants of one name.")
    if shown.status >= TournamentStatus.TOURNAMENT_STATUS_RUNNING and shown.rounds:
        facts.agree(("the entrants of the tournament", id_), names, name)
    _of_tournament(facts, shown, len(names), shown.result.winners, shown.plan.title, shown.plan.game, name)
    games = [game for each in shown.rounds for game in each.games]
    numbers = [each.number for each in shown.rounds]
    same(
        f"The rounds of the tournament {id_} in {name}",
        [*range(1, shown.round_count + 1)][-len(numbers) :] if numbers else [],
        numbers,
    )
    if numbers[:1] == [1]:
        skipped = sum(game.status == SKIPPED for game in games)
        same(f"The skipped_game_count of the tournament {id_} in {name}", skipped, shown.skipped_game_count)
        played = sum(game.HasField("result") for game in games) - skipped
        same(f"The game_count of the tournament {id_} in {name}", played, shown.game_count)
    for each in shown.rounds:
        for table, game in enumerate(each.games, 1):
            same("The id of a game of a tournament", f"{id_}/r{each.number}g{table}", game.game_id)
            if strangers := {*game.players}.difference(names):
                raise failure(f"The game {game.game_id} in {name} has the player {strangers.pop()}, who is no entrant.")
    if finished and numbers[:1] == [1]:
        _check_finished(facts, shown, games, names, name)


def take_order(facts: Facts, tournament_id: str, shown: Standings, name: str) -> None:
    """Take the order of a tournament from whole standings at its end."""
    if not shown.complete or len(shown.standings) < shown.entrant_count:
        return
    withdrawn = sorted(each.name for each in shown.standings if each.withdrawn)
    facts.agree(("who was withdrawn from the tournament", tournament_id), withdrawn, name)
    won = facts.known(("the winners of the tournament", tournament_id))
    if not won:
        return
    if any(each.unplayed and not each.withdrawn for each in shown.standings):
        return  # they come last, wherever the format has them
    first = sorted(each.name for each in shown.standings if each.place == 1)
    same(f"Who is first in the standings of the tournament {tournament_id} in {name}", sorted(won), first)
    others = [each.name for each in shown.standings if each.place > 1 and not each.withdrawn]
    facts.agree(("the others of the tournament", tournament_id), others, name)


def _check_finished(
    facts: Facts, shown: Tournament, games: Sequence[RoundGame], names: Sequence[str], name: str
) -> None:
    """Check that the result of a tournament fits the results of its games."""
    id_, result = shown.tournament_id, shown.result
    if waiting := [game.game_id for game in games if not game.HasField("result")]:
        raise failure(f"The tournament {id_} in {name} is finished; its game {waiting[0]} is not.")
    failed = [(game.game_id, each.player, each.seat) for game in games for each in game.result.misconducts]
    told = [(each.game_id, each.misconduct.player, each.misconduct.seat) for each in result.failures if each.game_id]
    same(
        f"Who failed in which games of the tournament {id_}, and in which seats, in {name}",
        sorted(failed),
        sorted(told),
    )
    count = Counter(each.misconduct.player for each in result.failures)
    for each in result.failures:
        if not each.game_id and names[each.misconduct.seat : each.misconduct.seat + 1] != [each.misconduct.player]:
            raise failure(f"The failure of {each.misconduct.player} in {name} must have its place among the entrants.")
    withdrawn = {each for each in names if count[each] > shown.plan.failures_allowed}
    ranked = [*result.winners, *result.others]
    same(
        f"Who is named in the result of the tournament {id_} in {name}",
        sorted({*names} - withdrawn),
        sorted(ranked),
    )
    if result.winners:
        facts.agree(("the others of the tournament", id_), list(result.others), name)
    facts.agree(("who was withdrawn from the tournament", id_), sorted(withdrawn), name)
    order = [each for each in names if each in result.winners]
    same(f"The winners of the tournament {id_} in {name}, in the order of the entrants,", order, list(result.winners))


def _of_tournament(
    facts: Facts,
    shown: Tournament | TournamentSummary,
    count: int,
    winners: Sequence[str],
    title: str,
    game: str,
    name: str,
) -> None:
    """Take what the tournament and its line in a list have in common."""
    id_, over = shown.tournament_id, shown.status in TOURNAMENT_OVER
    facts.agree(("the creation of the tournament", id_), shown.create_time.ToNanoseconds(), name)
    facts.agree(("the game and the title of the tournament", id_), (game, title), name)
    if over:
        facts.agree(("the number of entrants of the tournament", id_), count, name)
        facts.agree(("the end of the tournament", id_), shown.end_time.ToNanoseconds(), name)
        facts.agree(("the status of the tournament", id_), TournamentStatus.Name(shown.status), name)
        facts.agree(("the winners of the tournament", id_), list(winners), name)
        facts.agree(("the reason for the end of the tournament", id_), shown.reason, name)


def _tournament_summary(facts: Facts, shown: TournamentSummary, name: str, sent_s: float) -> None:
    over = shown.status in TOURNAMENT_OVER
    facts.is_over("tournament", shown.tournament_id, over, name, sent_s)
    if over is not shown.HasField("end_time"):
        raise failure(f"The tournament {shown.tournament_id} in {name} must have an end if, and only if, it is over.")
    _of_tournament(facts, shown, shown.entrant_count, shown.winners, shown.title, shown.game, name)


def _tournament_result(facts: Facts, result: TournamentResult, name: str, _: float) -> None:
    named = [*result.winners, *result.others]
    if len({*named}) < len(named):
        raise failure(f"{name} tells a result in which an entrant is named twice.")
    if any(each.misconduct != without_evidence(each.misconduct) for each in result.failures):
        raise failure(f"{name} tells the evidence of a failure in the result of a tournament.")


def _round(facts: Facts, shown: Round, name: str, _: float) -> None:
    if any(game.round_number for game in shown.games):
        raise failure(f"{name} must tell the round of a game only where games are listed without their rounds.")


def _round_game(facts: Facts, game: RoundGame, name: str, _: float) -> None:
    what = f"The game {game.game_id} in {name}"
    skipped = game.status == SKIPPED
    if game.HasField("result") is not (skipped or not game.status):
        raise failure(f"{what} must have a result if, and only if, it is over or skipped; it is {game.status}.")
    if skipped and not game.result.aborted:
        raise failure(f"{what} was skipped; its result must say so in `aborted`.")
    if game.status == RoundGameStatus.ROUND_GAME_STATUS_RUNNING:
        facts.running.add(game.game_id)
    facts.agree(("the deal of the game", game.game_id), game.deal, name)
    if game.round_number and not game.game_id.rpartition("/")[2].startswith(f"r{game.round_number}g"):
        raise failure(f"{what} is not of round {game.round_number}.")
    if game.HasField("result"):
        facts.agree(("the players of the game", game.game_id), list(game.players), name)
        facts.end(game.game_id, game.result, name)
        check_seats(what, game.players, game.result)


def _standings(facts: Facts, shown: Standings, name: str, _: float) -> None:
    lines = shown.standings
    places = [each.place for each in lines]
    shared = 1 if shown.complete else 0
    if any(after != before + 1 and before != shared for before, after in itertools.pairwise(places)):
        raise failure(f"The places of the standings in {name} must be one behind the other; they are {places}.")
    for each in lines:
        if each.game_count != each.win_count + each.tie_count + each.loss_count:
            raise failure(f"{each.name} has {each.game_count} games in {name}; won, tied and lost are others.")
        if each.HasField("rating") and not each.rating.low <= each.rating.value <= each.rating.high:
            raise failure(f"The rating of {each.name} in {name} is outside of its interval.")
        if each.HasField("rating") is not bool(each.band) or (each.unplayed and each.band):
            raise failure(f"{each.name} in {name} must have a band if, and only if, it has a rating, and has played.")
    behind = [(each.unplayed, each.withdrawn) for each in lines]
    if behind != sorted(behind):
        raise failure(f"Withdrawn entrants must be behind all others in {name}, and last who has not played.")


OF_TOURNAMENTS: Mapping[type[Any], Check] = {
    Tournament: _tournament,
    TournamentSummary: _tournament_summary,
    TournamentResult: _tournament_result,
    Round: _round,
    RoundGame: _round_game,
    Standings: _standings,
}
