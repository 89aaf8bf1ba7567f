"""What a server has told so far, in whatever answer, event or record: all that it tells must fit together.

Each message that any case is sent is held against that, whatever the case asks besides.
"""

from __future__ import annotations

import itertools
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from math import inf
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same, short_text
from fairplay.conformance.servers.players import Received, Stream
from fairplay.games.evidence import without_evidence
from fairplay.games.kit.messages import enum_word
from fairplay.server.net.errors import DOMAIN, STATUS
from fairplay.server.net.limits import METHODS, limit_of
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2 import AttendResponse
from fairplay.v1.manager_pb2 import GameFinished, WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind
from fairplay.v1.record_pb2 import GameHeader, RecordedCall, RecordedResult, RecordEntry
from fairplay.v1.record_service_pb2 import GetRecordRequest, GetRecordResponse
from fairplay.v1.referee_pb2 import Game, GameStatus, GameSummary, WatchGameResponse
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Table, TableStatus
from fairplay.v1.tournament_pb2 import (
    Round,
    RoundGame,
    RoundGameStatus,
    Standings,
    Tournament,
    TournamentResult,
    TournamentStatus,
    TournamentSummary,
    WithdrawnGames,
)

GAME_OVER = (GameStatus.GAME_STATUS_FINISHED, GameStatus.GAME_STATUS_ABORTED)
TOURNAMENT_OVER = (TournamentStatus.TOURNAMENT_STATUS_FINISHED, TournamentStatus.TOURNAMENT_STATUS_CANCELLED)
SKIPPED = RoundGameStatus.ROUND_GAME_STATUS_SKIPPED
COUNTED, STRUCK = WithdrawnGames.WITHDRAWN_GAMES_COUNTED, WithdrawnGames.WITHDRAWN_GAMES_STRUCK
CAUSES = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: "rule_break",
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: "call_error",
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: "overrun",
}
NEWEST_FIRST: Mapping[type[Any], str] = {
    GameSummary: "start_time",
    TournamentSummary: "create_time",
    Table: "create_time",
}
"""What lists have -> the field by which they are sorted."""
USUAL_PAGE, LARGEST_PAGE = 50, limit_of("ListGamesRequest.page_size").clamp
MAX_TOKEN_CHARS = limit_of("ListGamesResponse.next_page_token").max_characters
MAX_FRAME_BYTES = 4 * 2**20
MAX_CALL_ID = 2**53
BY_GRPC = (
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.UNKNOWN,
)
"""What gRPC says by itself, without a reason."""
KEY, VALUE = re.compile(r"(?!grpc-)[a-z0-9_.-]{1,64}(?<!-bin)"), re.compile(r"[ -~]{0,256}")
"""Metadata of a call."""
HIDDEN_WHEN_OVER = ("players", "entrants")
HIDDEN = (*HIDDEN_WHEN_OVER, "seed", "initial_state")
"""What answers have elsewhere, or without the links; and what they have when all is over."""
ONE_LOSS, STRIKING = ("knockout", "double_elimination"), ("round_robin", "gauntlet")
"""Formats in which no failure is allowed, and those in which games of withdrawn entrants are struck, by default."""
NAMES_A_FIELD = (
    "INVALID_ID",
    "INVALID_LINK",
    "INVALID_PAGE_TOKEN",
    "INVALID_SEED",
    "INVALID_TIME_CONTROL",
    "NAME_INVALID",
    "TEXT_INVALID",
)
"""Reasons for which one field is wrong."""


class Facts:
    """What a server has told so far."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[Any, str]] = {}
        self._over_s: dict[str, float] = {}
        """When it was first told of a game or a tournament that it is over."""
        self._calls: dict[int, Received] = {}

    def take(self, name: str, request: Any, reply: Any, sent_s: float) -> None:
        """Take what has come of a method that was called at a time."""
        for part in _parts(reply):
            CHECKS[type(part)](self, part, name, sent_s)
        if hasattr(request, "page_size"):
            _check_page(name, request, reply)
        if hasattr(request, "plan"):
            _check_plan(name, request, reply)
        if hasattr(reply, "standings") and reply.HasField("standings"):
            self._take_order(request.tournament_id, reply.standings, name)

    def watcher(self, name: str, request: Any) -> Callable[[Any, float], None]:
        """Return what takes the messages of a stream, each with when the stream was asked for."""
        watching: Callable[[Any], None] = WATCHERS[name](self, request).take if name in WATCHERS else lambda _: None

        def take(message: Any, sent_s: float) -> None:
            watching(message)
            if name != "GetRecord":
                self.take(name, request, message, sent_s)

        return take

    def agree(self, of: tuple[str, ...], value: Any, where: str) -> None:
        """Take a fact that never changes, e.g. ("the start of the game", ID)."""
        known, before = self._known.setdefault(of, (value, where))
        if known != value:
            same(f"{of[0].capitalize()} {of[1]} in {where}, which it tells otherwise in {before},", known, value)

    def take_calls(self, stream: Stream) -> None:
        """Take the calls that have come on a connection."""
        ids = [each.call_id for each in stream.calls]
        if len({*ids}) < len(ids):
            raise failure("A call has come twice on one connection.")
        for each in stream.calls:
            known = self._calls.setdefault(each.call_id, each)
            if (known.path, known.request) != (each.path, each.request):
                raise failure(f"{each.method} has the id of another call, of {known.method}.")
            # A program in JavaScript cannot read larger ids.
            if not 0 <= each.call_id < MAX_CALL_ID or each.limit_s <= 0:
                raise failure(
                    f"{each.method} has the id {each.call_id:,}, below 2^53, and {each.limit_s:g} s, more than 0."
                )
            if any(not KEY.fullmatch(key) or not VALUE.fullmatch(value) for key, value in each.metadata.items()):
                raise failure(f"{each.method} has metadata that it must not have: {dict(each.metadata)}.")
        for each, other in stream.overlapping:
            if other.cancelled_after_s is None:
                raise failure(f"{each.method} was called while another call of the game to the same player was open.")
        if stream.largest_frame_bytes > MAX_FRAME_BYTES:
            raise failure(f"The server sent a frame of {stream.largest_frame_bytes:,} bytes.")
        if stream.goodbye is not None and stream.status not in (None, grpc.StatusCode.OK):
            raise failure(f"A connection must end with OK after the goodbye; it ended with {stream.status}.")

    def _is_over(self, of: str, id_: str, over: bool, where: str, sent_s: float) -> None:
        if over:
            self._over_s.setdefault(id_, time.monotonic())
        elif self._over_s.get(id_, inf) < sent_s:
            raise failure(f"{where} says of the {of} {id_}, which is over, that it is not.")

    # --- games ---

    def _player(self, player: Player, name: str, _: float) -> None:
        if player.link or player.secret:
            raise failure(f"{name} tells how {player.name} is reached, or its secret.")

    def _misconduct(self, each: Misconduct, name: str, _: float) -> None:
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

    def _result(self, result: GameResult, name: str, _: float) -> None:
        ranked = [each for group in result.ranking for each in group.players]
        seats = [each.seat for each in ranked]
        out = [each.seat for each in result.misconducts]
        if len({*seats, *out}) < len(seats) + len(out):
            raise failure(f"{name} tells a result in which a player is ranked twice, or both ranked and eliminated.")
        if not all(group.players for group in result.ranking[1:]):
            raise failure(f"{name} tells a ranking in which a group behind the first one is empty.")
        if any(
            [each.seat for each in group.players] != sorted(each.seat for each in group.players)
            for group in result.ranking
        ):
            raise failure(f"{name} tells a ranking with a group whose players are not in turn order.")
        if result.aborted and ranked:
            raise failure(f"{name} tells of a game that was aborted that somebody has won it.")

    def end(self, game_id: str, result: GameResult, where: str) -> None:
        """Take the result of a game."""
        self.agree(("the ranking of the game", game_id), list(result.ranking), where)
        self.agree(("the reason for the end of the game", game_id), result.aborted, where)
        self.agree(("misconducts of the game", game_id), [*map(without_evidence, result.misconducts)], where)

    def _game(self, game: Game, name: str, sent_s: float) -> None:
        over, names = game.status in GAME_OVER, [each.name for each in game.players]
        what = f"The game {game.game_id} in {name}"
        self._is_over("game", game.game_id, over, name, sent_s)
        if over is not game.HasField("end_time") or over is not game.HasField("result"):
            raise failure(f"{what} must have an end and a result if, and only if, it is over.")
        same(
            f"The players in the plan of the game {game.game_id} in {name}",
            names,
            [each.name for each in game.plan.players],
        )
        if not over and (game.plan.HasField("seed") or game.plan.HasField("initial_state")):
            raise failure(f"{what} is running; its seed and first state must not be told.")
        self._begun(game, game.plan.game, name)
        self.agree(("the settings of the game", game.game_id), game.plan.settings, name)
        self.agree(("the time control of the game", game.game_id), game.plan.time_control, name)
        if game.plan.HasField("seed"):
            self.agree(("the seed of the game", game.game_id), game.plan.seed, name)
        if not over:
            return
        if not game.tournament_id and not game.plan.HasField("seed"):
            raise failure(f"{what} is over, and must tell its seed.")
        if (game.status == GameStatus.GAME_STATUS_ABORTED) is not bool(game.result.aborted):
            raise failure(
                f"{what} is {GameStatus.Name(game.status)}; in its result `aborted` is {game.result.aborted!r}."
            )
        self.end(game.game_id, game.result, name)
        self._ended(game, names, name)
        named = [(each.seat, each.name) for group in game.result.ranking for each in group.players]
        for seat, player in [*named, *((each.seat, each.player) for each in game.result.misconducts)]:
            if names[seat : seat + 1] != [player]:
                raise failure(f"{what} has a result with {player} in seat {seat}; its players are {', '.join(names)}.")

    def _begun(self, game: Game | GameSummary, kind: str, name: str) -> None:
        self.agree(("the name of the game", game.game_id), kind, name)
        self.agree(("the start of the game", game.game_id), game.start_time.ToNanoseconds(), name)
        self.agree(("the tournament of the game", game.game_id), game.tournament_id, name)
        if not game.start_time.ToNanoseconds():
            raise failure(f"The game {game.game_id} in {name} must say when it began.")
        of = game.game_id.rpartition("/")[0]
        if game.tournament_id and game.tournament_id != of:
            raise failure(f"The game {game.game_id} in {name} must belong to {of}; it belongs to {game.tournament_id}.")

    def _ended(self, game: Game | GameSummary, players: Sequence[str], name: str) -> None:
        self.agree(("the end of the game", game.game_id), game.end_time.ToNanoseconds(), name)
        self.agree(("the status of the game", game.game_id), GameStatus.Name(game.status), name)
        self.agree(("the players of the game", game.game_id), list(players), name)
        if game.end_time.ToNanoseconds() < game.start_time.ToNanoseconds():
            raise failure(f"The game {game.game_id} in {name} ended before it began.")

    def _game_summary(self, game: GameSummary, name: str, sent_s: float) -> None:
        over = game.status in GAME_OVER
        self._is_over("game", game.game_id, over, name, sent_s)
        self._begun(game, game.game, name)
        if over is not game.HasField("end_time"):
            raise failure(f"The game {game.game_id} in {name} must have an end if, and only if, it is over.")
        if over:
            self._ended(game, game.players, name)
            self.agree(("the ranking of the game", game.game_id), list(game.ranking), name)
            self.agree(("the number of misconducts of the game", game.game_id), game.misconduct_count, name)

    def _table(self, table: Table, name: str, _: float) -> None:
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
        if any(
            seat.bot and not (seat.ready or table.status == TableStatus.TABLE_STATUS_RUNNING) for seat in table.seats
        ):
            raise failure(f"{what} has a bot that is not ready.")
        if table.HasField("result"):
            self.agree(("the ranking of the game", table.game_id), list(table.result.ranking), name)

    # --- tournaments ---

    def _tournament(self, shown: Tournament, name: str, sent_s: float) -> None:
        id_, over = shown.tournament_id, shown.status in TOURNAMENT_OVER
        what = f"The tournament {id_} in {name}"
        self._is_over("tournament", id_, over, name, sent_s)
        finished = shown.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
        if over is not shown.HasField("end_time") or finished is not shown.HasField("result"):
            raise failure(f"{what} must have an end if it is over, a result if it is finished, and neither before.")
        if over is not (len(shown.secret) == 32) or (not over and (shown.secret or shown.plan.HasField("seed"))):
            raise failure(
                f"{what} must tell its secret of 32 bytes when it is over, and neither that nor its seed before."
            )
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
            self.agree(("the entrants of the tournament", id_), names, name)
        self._of_tournament(shown, len(names), shown.result.winners, shown.plan.title, shown.plan.game, name)
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
                    raise failure(
                        f"The game {game.game_id} in {name} has the player {strangers.pop()}, who is no entrant."
                    )
        if finished and numbers[:1] == [1]:
            self._check_finished(shown, games, names, name)

    def _take_order(self, tournament_id: str, shown: Standings, name: str) -> None:
        """Take the order of a tournament from whole standings at its end."""
        if not shown.complete or len(shown.standings) < shown.entrant_count:
            return
        withdrawn = sorted(each.name for each in shown.standings if each.withdrawn)
        self.agree(("who was withdrawn from the tournament", tournament_id), withdrawn, name)
        won, _ = self._known.get(("the winners of the tournament", tournament_id), ([], ""))
        if not won:
            return
        first = sorted(each.name for each in shown.standings if each.place == 1)
        same(f"Who is first in the standings of the tournament {tournament_id} in {name}", sorted(won), first)
        others = [each.name for each in shown.standings if each.place > 1 and not each.withdrawn]
        self.agree(("the others of the tournament", tournament_id), others, name)

    def _check_finished(self, shown: Tournament, games: Sequence[RoundGame], names: Sequence[str], name: str) -> None:
        """Check that the result of a tournament fits the results of its games."""
        id_, result = shown.tournament_id, shown.result
        if waiting := [game.game_id for game in games if not game.HasField("result")]:
            raise failure(f"The tournament {id_} in {name} is finished; its game {waiting[0]} is not.")
        failed = [(game.game_id, each.player, each.seat) for game in games for each in game.result.misconducts]
        told = [
            (each.game_id, each.misconduct.player, each.misconduct.seat) for each in result.failures if each.game_id
        ]
        same(
            f"Who failed in which games of the tournament {id_}, and in which seats, in {name}",
            sorted(failed),
            sorted(told),
        )
        count = Counter(each.misconduct.player for each in result.failures)
        for each in result.failures:
            if not each.game_id and names[each.misconduct.seat : each.misconduct.seat + 1] != [each.misconduct.player]:
                raise failure(
                    f"The failure of {each.misconduct.player} in {name} must have its place among the entrants."
                )
        withdrawn = {each for each in names if count[each] > shown.plan.failures_allowed}
        ranked = [*result.winners, *result.others]
        same(
            f"Who is named in the result of the tournament {id_} in {name}",
            sorted({*names} - withdrawn),
            sorted(ranked),
        )
        if result.winners:
            self.agree(("the others of the tournament", id_), list(result.others), name)
        self.agree(("who was withdrawn from the tournament", id_), sorted(withdrawn), name)
        order = [each for each in names if each in result.winners]
        same(
            f"The winners of the tournament {id_} in {name}, in the order of the entrants,", order, list(result.winners)
        )

    def _of_tournament(
        self,
        shown: Tournament | TournamentSummary,
        count: int,
        winners: Sequence[str],
        title: str,
        game: str,
        name: str,
    ) -> None:
        """Take what the tournament and its line in a list have in common."""
        id_, over = shown.tournament_id, shown.status in TOURNAMENT_OVER
        self.agree(("the creation of the tournament", id_), shown.create_time.ToNanoseconds(), name)
        self.agree(("the game and the title of the tournament", id_), (game, title), name)
        if over:
            self.agree(("the number of entrants of the tournament", id_), count, name)
            self.agree(("the end of the tournament", id_), shown.end_time.ToNanoseconds(), name)
            self.agree(("the status of the tournament", id_), TournamentStatus.Name(shown.status), name)
            self.agree(("the winners of the tournament", id_), list(winners), name)
            self.agree(("the reason for the end of the tournament", id_), shown.reason, name)

    def _tournament_summary(self, shown: TournamentSummary, name: str, sent_s: float) -> None:
        over = shown.status in TOURNAMENT_OVER
        self._is_over("tournament", shown.tournament_id, over, name, sent_s)
        if over is not shown.HasField("end_time"):
            raise failure(
                f"The tournament {shown.tournament_id} in {name} must have an end if, and only if, it is over."
            )
        self._of_tournament(shown, shown.entrant_count, shown.winners, shown.title, shown.game, name)

    def _tournament_result(self, result: TournamentResult, name: str, _: float) -> None:
        named = [*result.winners, *result.others]
        if len({*named}) < len(named):
            raise failure(f"{name} tells a result in which an entrant is named twice.")
        if any(each.misconduct != without_evidence(each.misconduct) for each in result.failures):
            raise failure(f"{name} tells the evidence of a failure in the result of a tournament.")

    def _round(self, shown: Round, name: str, _: float) -> None:
        if any(game.round_number for game in shown.games):
            raise failure(f"{name} must tell the round of a game only where games are listed without their rounds.")

    def _round_game(self, game: RoundGame, name: str, _: float) -> None:
        what = f"The game {game.game_id} in {name}"
        skipped = game.status == SKIPPED
        if game.HasField("result") is not (skipped or not game.status):
            raise failure(f"{what} must have a result if, and only if, it is over or skipped; it is {game.status}.")
        if skipped and not game.result.aborted:
            raise failure(f"{what} was skipped; its result must say so in `aborted`.")
        self.agree(("the deal of the game", game.game_id), game.deal, name)
        if game.round_number and not game.game_id.rpartition("/")[2].startswith(f"r{game.round_number}g"):
            raise failure(f"{what} is not of round {game.round_number}.")
        if game.HasField("result"):
            self.agree(("the players of the game", game.game_id), list(game.players), name)
            self.end(game.game_id, game.result, name)

    def _standings(self, shown: Standings, name: str, _: float) -> None:
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
                raise failure(
                    f"{each.name} in {name} must have a band if, and only if, it has a rating, and has played."
                )
        behind = [(each.unplayed, each.withdrawn) for each in lines]
        if behind != sorted(behind):
            raise failure(f"Withdrawn entrants must be behind all others in {name}, and last who has not played.")


CHECKS: Mapping[type[Any], Callable[[Facts, Any, str, float], None]] = {
    Player: Facts._player,
    Misconduct: Facts._misconduct,
    GameResult: Facts._result,
    Game: Facts._game,
    GameSummary: Facts._game_summary,
    Tournament: Facts._tournament,
    TournamentSummary: Facts._tournament_summary,
    TournamentResult: Facts._tournament_result,
    Round: Facts._round,
    RoundGame: Facts._round_game,
    Standings: Facts._standings,
    Table: Facts._table,
}
"""The type of a message, wherever it comes -> what checks it."""
CHECKED = {kind.DESCRIPTOR for kind in CHECKS}


@cache
def _leading(kind: Descriptor) -> Sequence[FieldDescriptor]:
    """Return the fields of a message in which there may be something to check."""
    if kind is Table.DESCRIPTOR:  # a part only of its result
        return []
    return [field for field in kind.fields if field.message_type is not None and _leads(field.message_type)]


@cache
def _leads(kind: Descriptor) -> bool:
    if kind.name in ("GameState", "GameSettings", "TournamentFormat") or kind.full_name.startswith("google."):
        return False
    return kind in CHECKED or bool(_leading(kind))


def _parts(message: Any) -> Iterator[Any]:
    """Yield a message and those in it, as far as there is something to check of them."""
    if message.DESCRIPTOR in CHECKED:
        yield message
    for field in _leading(message.DESCRIPTOR):
        value = getattr(message, field.name)
        if field.is_repeated:
            for each in value:
                yield from _parts(each)
        elif message.HasField(field.name):
            yield from _parts(value)


def _check_plan(name: str, request: Any, reply: Any) -> None:
    """Check that a game or a tournament has the id and the plan that were asked for, with defaults that follow."""
    shown = getattr(reply, reply.DESCRIPTOR.fields[0].name)
    field = shown.DESCRIPTOR.fields[0].name
    if getattr(request, field) not in ("", getattr(shown, field)):
        raise failure(f"{name} with the {field} {getattr(request, field)} has returned {getattr(shown, field)}.")
    over = shown.status in (GAME_OVER if name != "CreateTournament" else TOURNAMENT_OVER)
    if wrong := _lost(request.plan, shown.plan, HIDDEN_WHEN_OVER if over else HIDDEN):
        raise failure(f"{name} must return the plan that was asked for; in it {wrong}.")
    if name != "CreateTournament":
        players = [each.name for each in request.plan.players]
        same(f"The players of the plan that {name} returns", players, [each.name for each in shown.plan.players])
        return
    kind = request.plan.format.WhichOneof("format") or "knockout"
    usual = 0 if kind in ONE_LOSS else 3
    allowed = request.plan.failures_allowed if request.plan.HasField("failures_allowed") else usual
    same(f"The failures_allowed of the plan that {name} returns", allowed, shown.plan.failures_allowed)
    games = request.plan.withdrawn_games or (STRUCK if kind in STRIKING else COUNTED)
    same(f"The withdrawn_games of the plan that {name} returns", games, shown.plan.withdrawn_games)


def _lost(asked: Message, got: Message, hidden: Collection[str], path: str = "") -> str:
    """Return which value of a plan is not in another one; empty: all are."""
    for field, value in asked.ListFields():
        name, other = f"{path}{field.name}", getattr(got, field.name)
        if name in hidden:
            continue
        if field.message_type is None:
            if value != other:
                return f"{name} must be {short_text(value)}; it is {short_text(other)}"
            continue
        ones, others = (value, other) if field.is_repeated else ([value], [other])
        if len(ones) != len(others) or (not field.is_repeated and not got.HasField(field.name)):
            return f"{name} must be there; it is not"
        found = (_lost(one, other, hidden, f"{name}.") for one, other in zip(ones, others, strict=True))
        if wrong := next(filter(None, found), ""):
            return wrong
    return ""


def _check_page(name: str, request: Any, reply: Any) -> None:
    """Check that a page is no larger than asked for, and in its order."""
    listed = (
        reply.standings.standings if hasattr(reply, "standings") else getattr(reply, reply.DESCRIPTOR.fields[0].name)
    )
    most = min(request.page_size, LARGEST_PAGE) or USUAL_PAGE
    if len(listed) > most:
        raise failure(f"{name} must return at most {most} on a page; it has returned {len(listed)}.")
    if len(reply.next_page_token) > MAX_TOKEN_CHARS:
        raise failure(f"{name} has returned a page token of {len(reply.next_page_token)} characters.")
    field = NEWEST_FIRST.get(type(next(iter(listed), None)))
    if field is None:
        return
    times = [getattr(each, field).ToNanoseconds() for each in listed]
    oldest_first = getattr(request, "oldest_first", False)
    if times != sorted(times, reverse=not oldest_first):
        raise failure(f"{name} must list the {'oldest' if oldest_first else 'newest'} first.")


# Streams


class GameEvents:
    """What a spectator of a game has been told."""

    def __init__(self, facts: Facts, request: Any) -> None:
        self._facts = facts
        self._game_id = request.game_id
        self._after = self._last = request.after_sequence
        self._begun = self._ended = False
        self._eliminated: list[Misconduct] = []

    def take(self, event: WatchGameResponse) -> None:
        """Take an event."""
        kind, what = event.WhichOneof("event"), f"The event {event.sequence} of the game {self._game_id}"
        if kind is None or not event.HasField("time"):
            raise failure(f"{what} must say what happened, and when.")
        if self._ended:
            raise failure(f"{what} has come behind the result, which must be the last event.")
        if not self._begun and not self._after and kind != "state":
            raise failure(f"{what} is the first one; it must be the state, and is {kind}.")
        self._number(event, kind, what)
        self._begun = True
        if kind == "eliminated":
            self._eliminated.append(without_evidence(event.eliminated))
        elif kind == "finished":
            self._ended = True
            self._finish(event.finished)
        for each in event.asked.players:
            if not each.method_name.startswith("/") or not each.HasField("deadline"):
                raise failure(f"{what} must tell the full name of each open call, and when its time is over.")

    def _number(self, event: WatchGameResponse, kind: str, what: str) -> None:
        if kind in ("asked", "joined"):
            return
        if event.sequence <= self._last:
            raise failure(f"{what} has come behind the event {self._last}: the numbers must grow.")
        self._last = event.sequence
        if kind in ("eliminated", "finished"):
            number = event.eliminated.call_number
            told = f"elimination for call {number}" if number else "result"
            self._facts.agree(
                (f"the number of the {told} among the events of the game", self._game_id), self._last, "WatchGame"
            )

    def _finish(self, result: GameResult) -> None:
        self._facts.end(self._game_id, result, "WatchGame")
        listed = [*map(without_evidence, result.misconducts)]
        last = listed[
            len(listed) - len(self._eliminated) :
        ]  # of those before the first state a spectator hears nothing
        same(f"The last eliminations of the game {self._game_id}, as WatchGame tells them,", last, self._eliminated)


class TournamentEvents:
    """What a spectator of a tournament has been told."""

    def __init__(self, facts: Facts, request: Any) -> None:
        self._facts = facts
        self._id = request.tournament_id
        self._games: dict[str, str] = {}
        """The state of each game that was named."""
        self._entrants: list[str] = []
        self._kinds: list[str] = []

    def take(self, event: WatchTournamentResponse) -> None:
        """Take an event."""
        kind, what = event.WhichOneof("event") or "", f"of the tournament {self._id}"
        if self._kinds[-1:] in (["finished"], ["cancelled"]):
            raise failure(f"The last event {what} is its end; {kind} has come behind that.")
        if not self._kinds and kind != "tournament":
            raise failure(f"The first event {what} must be the whole of it; it is {kind}.")
        self._kinds.append(kind)
        match kind:
            case "tournament":
                self._games = {game.game_id: _state(game) for each in event.tournament.rounds for game in each.games}
                self._entrants = [each.name for each in event.tournament.entrants]
            case "signed_up":
                self._enter(event.signed_up.name, enters=True)
            case "withdrawn":
                self._enter(event.withdrawn, enters=False)
            case "started":
                names = [each.name for each in event.started.entrants]
                same(f"The entrants with whom the tournament {self._id} starts", sorted(self._entrants), sorted(names))
                self._facts.agree(("the entrants of the tournament", self._id), names, "WatchTournament")
            case "round_started":
                self._games.update((game.game_id, _state(game)) for game in event.round_started.games)
            case "game_started":
                self._go_on(event.game_started, ("waiting",), "running")
            case "game_finished":
                self._take_finished(event.game_finished)
            case "finished":
                self._take_result(event.finished)

    def _enter(self, name: str, *, enters: bool) -> None:
        if (name in self._entrants) is enters or "started" in self._kinds:
            raise failure(
                f"WatchTournament tells that {name} enters or leaves, who {'is' if enters else 'is not'} an entrant."
            )
        if enters:
            self._entrants.append(name)
        else:
            self._entrants.remove(name)

    def _go_on(self, game_id: str, before: Sequence[str], after: str) -> None:
        known = self._games.get(game_id, "unknown")
        if known not in before:
            raise failure(f"WatchTournament tells that the game {game_id}, which was {known} so far, is {after}.")
        self._games[game_id] = after

    def _take_finished(self, game: GameFinished) -> None:
        self._go_on(game.game_id, ("waiting",) if game.skipped else ("waiting", "running"), "over")
        if game.skipped and not game.result.aborted:
            raise failure(f"The game {game.game_id} was skipped; its result must say so in `aborted`.")
        self._facts.agree(("the players of the game", game.game_id), list(game.players), "WatchTournament")
        self._facts.end(game.game_id, game.result, "WatchTournament")

    def _take_result(self, result: TournamentResult) -> None:
        if left := [game_id for game_id, state in self._games.items() if state != "over"]:
            raise failure(
                f"WatchTournament tells that the tournament is finished, and that {left[0]} is {self._games[left[0]]}."
            )
        self._facts.agree(("the winners of the tournament", self._id), list(result.winners), "WatchTournament")


class LobbyEvents:
    """What a user has been told of the lobby."""

    def __init__(self, _: Facts, request: Any) -> None:
        self._last = request.after_sequence or -1

    def take(self, response: AttendResponse) -> None:
        """Take the events that are due at one time."""
        if not response.events:
            raise failure("Attend must send at least one event at a time.")
        for event in response.events:
            if event.sequence <= self._last or not event.HasField("time"):
                raise failure(
                    f"The event {event.sequence} of the lobby must have a time, and a number above {self._last}."
                )
            if self._last < 0 and not event.HasField("lobby"):
                raise failure("The first that a new stream of Attend tells must be the whole lobby.")
            self._last = event.sequence
            names = [each.name for each in event.lobby.users]
            if names not in (sorted({*names}), sorted({*names}, key=str.lower)):
                raise failure(f"The whole lobby must list each user once, by name; it lists {', '.join(names)}.")
            times = [each.create_time.ToNanoseconds() for each in event.lobby.tables]
            if times != sorted(times, reverse=True):
                raise failure("The whole lobby must list its tables newest first.")


def _state(game: RoundGame) -> str:
    if game.HasField("result"):
        return "over"
    return "running" if game.status == RoundGameStatus.ROUND_GAME_STATUS_RUNNING else "waiting"


# Records


class Entries:
    """What a record has been told to have."""

    def __init__(self, facts: Facts, request: Any) -> None:
        self._facts = facts
        self._id = request.record_id
        self._hash = bytes(32)
        self._game = Game()
        self._number = 0
        self._ended = False
        self._calls: dict[int, RecordedCall] = {}
        self._misconducts: list[Misconduct] = []

    def take(self, part: GetRecordResponse) -> None:
        """Take some entries."""
        for linked in part.entries:
            self._number += 1
            self._hash = sha256(self._hash + linked.entry).digest()
            what = f"Entry {self._number} of the record {self._id}"
            if self._hash != linked.chain_hash:
                raise failure(f"{what} does not have the hash of what is before it and of itself.")
            try:
                self._take(RecordEntry.FromString(linked.entry), what)
            except DecodeError:
                raise failure(f"{what} cannot be read.") from None

    def _take(self, entry: RecordEntry, what: str) -> None:
        kind = entry.WhichOneof("entry")
        if self._ended or (self._number == 1) is not (kind in ("game", "tournament")):
            raise failure(f"{what} must not be there: the header is the first one, and the result of a game the last.")
        for each in _parts(entry):
            if isinstance(each, Player) and (each.link or each.secret):
                raise failure(f"{what} tells how {each.name} is reached, or its secret.")
        match kind:
            case "game":
                self._take_header(entry.game)
            case "call":
                self._take_call(entry.call, what)
            case "misconduct":
                self._take_misconduct(entry.misconduct, what)
            case "joined":
                self._game.players.append(entry.joined.player)
            case "result":
                self._ended = True
                self._take_result(entry.result)
            case "played":
                self._facts.end(entry.played.game_id, entry.played.result, "a record")

    def _take_header(self, header: GameHeader) -> None:
        same(f"The id in the header of the record {self._id}", self._id, header.game_id)
        self._game = Game(
            **{name: getattr(header, name) for name in ("game_id", "plan", "start_time", "tournament_id", "players")}
        )

    def _take_call(self, call: RecordedCall, what: str) -> None:
        if not call.number or call.number in self._calls or call.WhichOneof("outcome") is None:
            raise failure(f"{what} must be a call with a number of its own and an outcome.")
        if not call.method_name.startswith("/") or not call.HasField("elapsed"):
            raise failure(f"{what} must say the full name of the method, and how long the call took.")
        self._calls[call.number] = call

    def _take_misconduct(self, each: Misconduct, what: str) -> None:
        call = self._calls.get(each.call_number, RecordedCall())
        if (call.seat, call.method_name) != (each.seat, each.method_name):
            raise failure(f"{what} must be behind the call {each.call_number}, for which {each.player} was eliminated.")
        self._misconducts.append(without_evidence(each))

    def _take_result(self, recorded: RecordedResult) -> None:
        game, listed = self._game, [*map(without_evidence, recorded.result.misconducts)]
        same(f"The eliminations in the record {self._id}", listed, self._misconducts)
        game.result.CopyFrom(recorded.result)
        game.end_time.CopyFrom(recorded.end_time)
        aborted = bool(recorded.result.aborted)
        game.status = GameStatus.GAME_STATUS_ABORTED if aborted else GameStatus.GAME_STATUS_FINISHED
        del game.plan.players[:]
        game.plan.players.extend(game.players)
        self._facts.take("GetRecord", GetRecordRequest(), game, time.monotonic())


WATCHERS: Mapping[str, Any] = {
    "WatchGame": GameEvents,
    "WatchTournament": TournamentEvents,
    "GetRecord": Entries,
    "Attend": LobbyEvents,
}
"""Streaming method -> what takes what comes of it."""


# Errors and calls


def check_error(method: str, request: Any, error: grpc.aio.AioRpcError) -> None:
    """Check that an error says what went wrong, as the contract says it: `method` is a full name without a slash."""
    status, info, fields = rpc_status.from_call(error), error_details_pb2.ErrorInfo(), list[str]()
    for detail in status.details if status is not None else ():
        wrong = error_details_pb2.BadRequest()
        if detail.Unpack(wrong):
            fields += [each.field for each in wrong.field_violations]
        elif detail.Is(info.DESCRIPTOR):
            detail.Unpack(info)
    what = f"The error {error.code().name} of {method.rpartition('.')[2]}"
    if not info.reason and error.code() in BY_GRPC:
        return
    if info.domain != DOMAIN or STATUS.get(info.reason) is not error.code():
        raise failure(
            f"{what} must have a reason of that status in the domain {DOMAIN}; it has {info.reason!r}, {info.domain!r}."
        )
    if info.reason not in METHODS[method].reasons:
        raise failure(f"{what} has the reason {info.reason}, with which this method does not fail.")
    if not error.details() or "Traceback" in error.details():
        raise failure(f"{what} must have one sentence for people.")
    known = {field.name.replace("_", "") for field in request.DESCRIPTOR.fields}
    named = {re.split(r"[.\[]", field)[0].replace("_", "").lower() for field in fields}
    if info.reason in NAMES_A_FIELD and (not named or named - known):
        raise failure(
            f"{what} must name the field of its request that is wrong; it names {', '.join(fields) or 'none'}."
        )
