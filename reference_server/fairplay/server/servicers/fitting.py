"""Large tournaments, cut so that an answer fits into a message that every gRPC client reads by default."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import Tournament, TournamentResult

MAX_BYTES = 4 * 1024 * 1024 - 64 * 1024
"""gRPC's default limit, less some room for what is around the tournament."""
MAX_WORDS_CHARS = 100
"""How much is kept of what misconducts say in words, where that is cut."""


def fit_tournament(tournament: Tournament) -> None:
    """Cut a tournament until it fits, a step at a time; the comment of GetTournament says what is left out."""
    for cut in (_cut_all_words, _drop_misconducts_of_games, _drop_descriptions, _drop_lower_ranks):
        if tournament.ByteSize() <= MAX_BYTES:
            return
        cut(tournament)


def fit_result(result: TournamentResult) -> None:
    """Cut a result until it fits."""
    if result.ByteSize() > MAX_BYTES:
        _cut_words_of_failures(result)


def _cut_all_words(tournament: Tournament) -> None:
    for result in _results(tournament):
        for misconduct in result.misconducts:
            _cut_words(misconduct)
    _cut_words_of_failures(tournament.result)


def _cut_words_of_failures(result: TournamentResult) -> None:
    for failure in result.failures:
        _cut_words(failure.misconduct)


def _cut_words(misconduct: Misconduct) -> None:
    if misconduct.HasField("call_error"):
        misconduct.call_error.ClearField("output")
        misconduct.call_error.message = misconduct.call_error.message[:MAX_WORDS_CHARS]
    elif misconduct.HasField("rule_break"):
        misconduct.rule_break.explanation = misconduct.rule_break.explanation[:MAX_WORDS_CHARS]


def _drop_misconducts_of_games(tournament: Tournament) -> None:
    for result in _results(tournament):
        result.ClearField("misconducts")


def _drop_descriptions(tournament: Tournament) -> None:
    for player in tournament.entrants:
        player.ClearField("description")
        player.ClearField("certificate")


def _drop_lower_ranks(tournament: Tournament) -> None:
    for result in _results(tournament):
        del result.ranking[1:]


def _results(tournament: Tournament) -> Iterator[GameResult]:
    """Yield the results of all games that are over."""
    return (game.result for round_ in tournament.rounds for game in round_.games if game.HasField("result"))
