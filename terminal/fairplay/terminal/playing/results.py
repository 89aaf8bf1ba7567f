"""Results as JSON for scripts, in the style of protobuf-JSON, but with whole numbers as numbers.

A game:

    {"gameId": "fish-3f2a…", "game": "fish", "seed": 5, "status": "finished",
     "players": [{"seat": 0, "name": "ann", "link": "exec:./ann", "place": 1, "score": 12}, …],
     "failures": [], "aborted": null}

`status` is "finished" or "aborted"; `place` counts from 1, players with the same place are tied, and who was
eliminated has neither place nor score (null). A failure holds a Misconduct and `reason`, one sentence.

A tournament:

    {"tournamentId": "fish-…", "title": "", "game": "fish", "format": "knockout", "seed": 5, "status": "finished",
     "players": [{"name": "ann", "link": "exec:./ann"}, …],
     "rounds": [{"games": [{"gameId": "fish-…/r1g1", "seed": 7, "deal": 0, "players": […], "failures": […],
                 "aborted": null}, …]}],
     "ranking": [{"place": 1, "name": "ann"}, …],
     "standings": [{"place": 1, "band": 1, "name": "ann", "rating": [1612.0, 1574.0, 1650.0], "points": 11.5,
                    "tieBreaks": {"Buchholz": 60.0, …}, "games": 14, "wins": 11, "ties": 1, "losses": 2, "failures": 0,
                    "withdrawn": false, "unplayed": false}, …],
     "failures": [], "cancelled": null}

`ranking` has the winners (place 1), then the others (2). Who failed stands in `failures`, with the id of the game,
which is empty where it failed outside a game. The seed of a game is null where the server no longer knows it. `band`
and `rating` (with the ends of its 95 % interval) are null where there are none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from fairplay.client.formats import format_text
from fairplay.client.wording import describe_cause
from fairplay.games.game import find
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import Game
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import RoundGame, Standing, Standings, Tournament, TournamentStatus

STATUSES = {
    TournamentStatus.TOURNAMENT_STATUS_SIGN_UP: "sign-up",
    TournamentStatus.TOURNAMENT_STATUS_RUNNING: "running",
    TournamentStatus.TOURNAMENT_STATUS_FINISHED: "finished",
    TournamentStatus.TOURNAMENT_STATUS_CANCELLED: "cancelled",
}


def message_json(message: Message) -> dict[str, Any]:
    """Return a message as protobuf-JSON. Raises ValueError if it has none, as where it holds an unknown message."""
    try:
        found: dict[str, Any] = json_format.MessageToDict(message)
    except (TypeError, OverflowError, DecodeError, json_format.Error) as error:
        raise ValueError(str(error)) from None
    return found


def game_json(game: Game, links: Sequence[str]) -> dict[str, Any]:
    """Return a game that is over as plain values; the module's documentation shows them.

    `links` are the links of its players, by seat.
    """
    return {
        "gameId": game.game_id,
        "game": game.plan.game,
        "seed": game.plan.seed,
        "status": "aborted" if game.result.aborted else "finished",
        **_result([(player.name, link) for player, link in zip(game.plan.players, links, strict=True)], game.result),
    }


def tournament_json(
    tournament: Tournament,
    games: Sequence[RoundGame],
    standings: Standings,
    links: Mapping[str, str],
    seeds: Mapping[str, int],
) -> dict[str, Any]:
    """Return a tournament as plain values.

    `games` are all of its games; `links` those of the players, by name; `seeds` those of the games, by id, as far as
    they are known.
    """
    result = tournament.result
    plan = tournament.plan
    return {
        "tournamentId": tournament.tournament_id,
        "title": plan.title,
        "game": plan.game,
        "format": format_text(plan.format, find(plan.game).seats),
        "seed": plan.seed if plan.HasField("seed") else None,
        "status": STATUSES[tournament.status],
        "players": [{"name": player.name, "link": links.get(player.name)} for player in tournament.entrants],
        "rounds": [
            {
                "games": [
                    {
                        "gameId": game.game_id,
                        "seed": seeds.get(game.game_id),
                        "deal": game.deal,
                        **_result([(name, links.get(name)) for name in game.players], game.result),
                    }
                    for game in round_
                ]
            }
            for round_ in _rounds(games)
        ],
        "ranking": [
            {"place": place, "name": name}
            for place, names in enumerate((result.winners, result.others), start=1)
            for name in names
        ],
        "standings": [_standing(standing) for standing in standings.standings],
        "failures": [{"gameId": each.game_id, **_failure(each.misconduct)} for each in result.failures],
        "cancelled": tournament.reason or None,
    }


def _rounds(games: Sequence[RoundGame]) -> list[list[RoundGame]]:
    found: defaultdict[int, list[RoundGame]] = defaultdict(list)
    for game in games:
        if game.HasField("result"):
            found[game.round_number].append(game)
    return [found[number] for number in sorted(found)]


def _standing(standing: Standing) -> dict[str, Any]:
    rating = standing.rating
    return {
        "place": standing.place,
        "band": standing.band or None,
        "name": standing.name,
        "rating": [rating.value, rating.low, rating.high] if standing.HasField("rating") else None,
        "points": standing.points,
        "tieBreaks": {each.name: each.value for each in standing.tie_breaks},
        "games": standing.game_count,
        "wins": standing.win_count,
        "ties": standing.tie_count,
        "losses": standing.loss_count,
        "failures": standing.failure_count,
        "withdrawn": standing.withdrawn,
        "unplayed": standing.unplayed,
    }


def _result(players: Sequence[tuple[str, str | None]], result: GameResult) -> dict[str, Any]:
    """Return how a game ended for its players, names and links by seat."""
    places = {one.seat: place for place, group in enumerate(result.ranking, start=1) for one in group.players}
    scores = {one.seat: one.score for group in result.ranking for one in group.players}
    return {
        "players": [
            {
                "seat": seat,
                "name": name,
                "link": link,
                "place": places.get(seat),
                "score": scores.get(seat),
            }
            for seat, (name, link) in enumerate(players)
        ],
        "failures": [_failure(misconduct) for misconduct in result.misconducts],
        "aborted": result.aborted or None,
    }


def _failure(misconduct: Misconduct) -> dict[str, Any]:
    try:
        found = message_json(misconduct)
    except ValueError:  # a request or reply of a game that is not installed here
        kept = Misconduct()
        kept.CopyFrom(misconduct)
        kept.ClearField("request")
        kept.ClearField("reply")
        kept.rule_break.ClearField("legal_replies")
        found = message_json(kept)
    return {**found, "callNumber": misconduct.call_number, "reason": describe_cause(misconduct)}
