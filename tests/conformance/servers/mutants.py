"""Mutants of a server, each with one defect: what the defect makes of the messages of a sound server.

A mutant is a function that is given each message of the types that its first parameter names, with the RPC in which
it passes: those from and to the server, a Call or Reply in a frame, the request of a call, the Status of an error.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, get_args, get_type_hints

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status

from fairplay.bazaar.v1.bazaar_player_pb2 import RequestCardsRequest, RequestCardsResponse
from fairplay.bazaar.v1.bazaar_player_pb2 import WinRequest as BazaarWin
from fairplay.conformance.servers.context import ALL_GAMES
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionRequest, UpdateGameBoardRequest
from fairplay.fish.v1.fish_player_pb2 import PlayAsRequest
from fairplay.fish.v1.fish_player_pb2 import TakeTurnRequest as FishTurn
from fairplay.games.bazaar.rules.pieces import points
from fairplay.q.v1.q_pb2 import Tile
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest
from fairplay.server.records.chain import chained
from fairplay.v1.access_pb2 import Role
from fairplay.v1.account_pb2 import GetAccountResponse
from fairplay.v1.certification_pb2 import CreateCertificationRequest
from fairplay.v1.connection_pb2 import Call, DialInRequest, DialInResponse, Hello, Reply
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.lobby_pb2 import (
    AttendResponse,
    CreateTableRequest,
    DeleteTableRequest,
    EnterRequest,
    JoinTableRequest,
    LeaveRequest,
    LeaveTableRequest,
    ListTablesResponse,
    SetBotsRequest,
)
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    CancelTournamentResponse,
    CreateTournamentRequest,
    CreateTournamentResponse,
    GetStandingsResponse,
    GetTournamentResponse,
    ListTournamentGamesResponse,
    ListTournamentsResponse,
    SignUpRequest,
    WatchTournamentResponse,
    WithdrawRequest,
)
from fairplay.v1.misconduct_pb2 import CallErrorReason, MisconductKind
from fairplay.v1.player_pb2 import EndRequest
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.record_service_pb2 import GetRecordResponse
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    GameStatus,
    GetGameRequest,
    GetGameResponse,
    ListGamesRequest,
    ListGamesResponse,
    PlayGameRequest,
    PlayGameResponse,
    StopGameResponse,
    WatchGameRequest,
    WatchGameResponse,
)
from fairplay.v1.rules_pb2 import (
    CheckReplyResponse,
    ListLegalRepliesRequest,
    ListLegalRepliesResponse,
    SimulateGameRequest,
)
from fairplay.v1.server_pb2 import GetServerInfoRequest, GetServerInfoResponse
from fairplay.v1.tournament_pb2 import AgeOrder, RoundGameStatus
from fairplay.webset.v1.webset_player_pb2 import ActRequest, DealRequest, GameOverRequest, PickCardsRequest
from tests.conformance.servers.proxy import Change, Changes, HalfClose, Rpc

GameRequest = CreateGameRequest | PlayGameRequest
STRAY = 2**52
"""No call has an id as large."""
OPENINGS = 2**40
"""Ids that are given anew begin behind this one."""
NONE: Sequence[Message] = ()
"""Nothing passes in the place of a message."""


@dataclass(frozen=True)
class Mutant:
    """A defect of a server, and the ids of the cases that it fails."""

    name: str
    cases: Sequence[str]
    changes: Changes


MUTANTS: list[Mutant] = []


def of_each_game(*kinds: str) -> Sequence[str]:
    """Return the ids of the cases of these kinds, one for each game."""
    return [f"games.{game}-{kind}" for kind in kinds for game in ALL_GAMES]


def mutant(*cases: str) -> Callable[[Change], Change]:
    """Declare a mutant, named as the decorated function, which changes messages."""

    def declare(change: Change) -> Change:
        [kind, *_] = (each for name, each in get_type_hints(change).items() if name != "return")
        MUTANTS.append(Mutant(change.__name__, cases, dict.fromkeys(get_args(kind) or (kind,), change)))
        return change

    return declare


# --- order ---


@mutant("order.fish", "order.q", "order.served-players", "order.served-once")
def asks_in_the_wrong_order(request: GameRequest, _: Rpc) -> None:
    links = [player.link for player in request.plan.players]
    for player, link in zip(request.plan.players, [*links[1:], *links[:1]], strict=True):
        player.link = link


@mutant("order.fish")
def does_not_tell_the_opponents(call: Call, rpc: Rpc) -> Sequence[Message] | None:
    return rpc.settle(call) if call.method_name.endswith("/PlayWith") else None


@mutant("order.fish-requests")
def tells_the_wrong_seat(request: PlayAsRequest, _: Rpc) -> None:
    request.seat += 1


@mutant("order.q-requests")
def leaks_a_hand(request: TakeTurnRequest, _: Rpc) -> None:
    request.state.players[-1].hand.extend(request.state.players[0].hand)


@mutant("order.game-id", "format.one-game-at-a-time")
def forgets_which_game_it_is(request: PlayAsRequest, _: Rpc) -> None:
    request.game_id = "another-game"


@mutant("format.one-game-at-a-time")
def plays_one_game_more_at_once(part: CreateTournamentRequest | CreateTournamentResponse, _: Rpc) -> None:
    plan = part.plan if isinstance(part, CreateTournamentRequest) else part.tournament.plan
    if plan.concurrent_game_limit:
        plan.concurrent_game_limit += 1 if isinstance(part, CreateTournamentRequest) else -1


@mutant("format.points")
def does_not_tell_the_last_standings(event: WatchTournamentResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.standings.complete else None


@mutant("order.without-the-eliminated")
def calls_the_eliminated(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    known, failed = rpc.own.setdefault("calls", {}), rpc.own.setdefault("failed", [])
    if isinstance(frame, DialInRequest):
        failed += [known[reply.id] for reply in frame.replies if reply.HasField("failure")]
    else:
        known.update((call.id, copy.deepcopy(call)) for call in frame.calls)
        frame.calls.extend(failed)
        failed.clear()


@mutant("order.one-call-at-a-time")
def asks_everything_twice(call: Call, _: Rpc) -> Sequence[Message]:
    again = copy.deepcopy(call)
    again.id += OPENINGS
    return [call, again]


@mutant("order.frame-size")
def sends_large_frames(frame: DialInResponse, _: Rpc) -> None:
    if frame.HasField("welcome"):
        frame.welcome.server_version = "x" * 5 * 2**20


@mutant("order.call-ids")
def numbers_the_calls_of_each_stream(part: Call | Reply, rpc: Rpc) -> None:
    if isinstance(part, Call):
        rpc.own[len(rpc.own)] = part.id
        part.id = len(rpc.own) - 1
    else:
        part.id = rpc.own[part.id]


@mutant(
    "order.time-limits",
    "order.bazaar",
    "order.eriantys",
    "order.eriantys-again",
    "order.eriantys-away",
    "order.webset",
    "order.webset-rounds",
)
def tells_half_the_limit(call: Call, _: Rpc) -> None:
    _set(call.time_limit, _seconds(call.time_limit) / 2)


# --- results ---


@mutant(
    "results.fish",
    "results.q",
    "connection.two-games",
    "connection.one-fails",
    "connection.create-waits",
    *of_each_game("situations", "settings", "endings", "fresh"),
)
def lets_the_last_win(reply: PlayGameResponse, _: Rpc) -> None:
    groups = list(reply.game.result.ranking)[::-1]
    reply.game.result.ClearField("ranking")
    reply.game.result.ranking.extend(groups)


@mutant("results.tie")
def pays_out_a_tie_wrongly(reply: PlayGameResponse, _: Rpc) -> None:
    for group in list(reply.game.result.ranking):
        for player in list(group.players)[1:]:
            reply.game.result.ranking.add(players=[player])
        del group.players[1:]


@mutant("results.all-eliminated", "blame.ranking-without-the-eliminated", "blame.winner-fails-win", "order.bazaar-win")
def ranks_the_eliminated(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        reply.game.result.ranking.add().players.add(seat=each.seat, name=each.player)


@mutant("results.status")
def does_not_say_when_a_game_ended(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.ClearField("end_time")


@mutant("results.same-by-get")
def forgets_results(reply: GetGameResponse, _: Rpc) -> None:
    reply.game.ClearField("result")


@mutant("results.plan-with-defaults")
def leaves_defaults_out(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.plan.settings.fish.ClearField("rows")


@mutant("results.drawn-seed")
def keeps_the_seed(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.plan.ClearField("seed")


@mutant("results.drawn-seed", "services.rules")
def draws_nothing(request: PlayGameRequest | SimulateGameRequest, _: Rpc) -> None:
    drawn = request.plan if isinstance(request, PlayGameRequest) else request
    if not drawn.HasField("seed"):
        drawn.seed = 0


@mutant("services.rules")
def has_other_settings_by_default(request: ListLegalRepliesRequest, _: Rpc) -> None:
    if not request.position.HasField("settings"):
        request.position.settings.fish.rows = 3


@mutant("results.same-seed-same-game", "refuses.largest-seed")
def ignores_the_seed(request: GameRequest, rpc: Rpc) -> None:
    request.plan.seed = rpc.kept["seed"] = rpc.kept.get("seed", 0) + 1


# --- blame ---


@mutant("blame.exception", "blame.each-status")
def blames_another(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.seat, each.player = (each.seat + 1) % 3, "bert"


@mutant("order.webset-wrong-cards")
def blames_for_lost_points(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.result.misconducts.add(player="anna")


@mutant("order.webset-handicaps", "order.webset-lockout", "order.webset-held")
def delays_no_acts(request: PlayGameRequest, _: Rpc) -> None:
    for name in ("handicaps", "lockout", "min_reaction"):
        request.plan.settings.webset.ClearField(name)


@mutant("order.webset-window")
def begins_the_window_anew(call: Call, _: Rpc) -> None:
    if call.method_name.endswith("/PickCards"):
        call.time_limit.FromSeconds(3)


@mutant("order.webset-earliest")
def shows_the_points_of_others(request: PickCardsRequest, _: Rpc) -> None:
    points = [player.points for player in request.state.players]
    for player, shown in zip(request.state.players, points[::-1], strict=True):
        player.points = shown


@mutant("order.webset-selection")
def counts_no_calls(request: PickCardsRequest, _: Rpc) -> None:
    request.state.call_count = 1


@mutant("blame.notification", *of_each_game("failures"))
def forgets_a_misconduct(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.result.ClearField("misconducts")


@mutant("time.decision", "time.notification")
def takes_timeouts_for_exceptions(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.kind = MisconductKind.MISCONDUCT_KIND_EXCEPTION


@mutant(
    "blame.no-outcome",
    "blame.unparsable-reply",
    "blame.too-large-reply",
    "blame.disconnected",
    "connection.window-over",
    "connection.nobody-waits",
)
def takes_every_failure_for_a_status(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.call_error.reason = CallErrorReason.CALL_ERROR_REASON_STATUS


@mutant("blame.fish-rules", "blame.q-rules", "blame.empty-reply", "blame.unknown-value")
def names_the_wrong_rule(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        if each.HasField("rule_break"):
            each.rule_break.rule_id = "fish.move.wrong"


@mutant("blame.several")
def lists_the_last_failure_first(reply: PlayGameResponse, _: Rpc) -> None:
    found = list(reply.game.result.misconducts)[::-1]
    reply.game.result.ClearField("misconducts")
    reply.game.result.misconducts.extend(found)


@mutant("blame.evidence")
def keeps_no_evidence(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.ClearField("request")


@mutant(*of_each_game("wrong-replies"))
def leaves_out_a_legal_reply(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        del each.rule_break.legal_replies[-1:]


@mutant("blame.message")
def drops_the_message(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.call_error.message = ""


@mutant("blame.message")
def cuts_messages_after_so_many_bytes(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.call_error.message = each.call_error.message.encode()[:2_000].decode(errors="ignore")


# --- time ---


@mutant("time.late-reply", "time.overrun", "time.only-the-first")
def gives_more_time_than_planned(request: GameRequest, _: Rpc) -> None:
    _add(request.plan.time_control, "decision_limit", 2.5)
    _add(request.plan.time_control, "first_decision_limit", 2.5)


@mutant("time.not-too-early", "time.others-unhurried")
def gives_up_too_early(request: GameRequest, _: Rpc) -> None:
    _add(request.plan.time_control, "decision_limit", -0.45)
    _add(request.plan.time_control, "first_decision_limit", -0.45)


@mutant("time.first-decision", "time.first-decision-of-q")
def has_one_limit_for_all_decisions(request: GameRequest, _: Rpc) -> None:
    request.plan.time_control.first_decision_limit.CopyFrom(request.plan.time_control.decision_limit)


@mutant("time.defaults")
def notifies_within_a_second(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.plan.time_control.notification_limit.seconds = 1


@mutant("time.bank", "time.own-bank")
def knows_no_bank(request: GameRequest, _: Rpc) -> None:
    request.plan.time_control.ClearField("bank")


@mutant("time.told-bank")
def says_nothing_of_the_bank(call: Call, _: Rpc) -> None:
    call.ClearField("metadata")


@mutant("time.bank-spent")
def fills_the_bank_up_again(call: Call, _: Rpc) -> None:
    if call.metadata.get("fairplay-bank-ms"):
        left_s = int(call.metadata["fairplay-bank-ms"]) / 1000
        call.metadata["fairplay-bank-ms"] = "7500"
        _set(call.time_limit, _seconds(call.time_limit) - left_s + 7.5)


@mutant("blame.metadata")
def drops_metadata_unread(reply: Reply, _: Rpc) -> None:
    reply.ClearField("metadata")


@mutant("blame.metadata")
def drops_metadata_of_failures_unread(reply: Reply, _: Rpc) -> None:
    if reply.HasField("failure"):
        reply.ClearField("metadata")


@mutant("time.bank-runs-out")
def has_a_bank_that_lasts(request: GameRequest, _: Rpc) -> None:
    _add(request.plan.time_control, "bank", 2.0)


@mutant("time.cancelled", "stop.cancels", "order.webset-cancelled")
def does_not_cancel(frame: DialInResponse, _: Rpc) -> None:
    frame.ClearField("cancelled")


# --- what is particular to a game ---


@mutant("games.fish-settings")
def lists_one_action_too_few(request: FishTurn, _: Rpc) -> None:
    del request.actions[-1:]


@mutant("games.fish-situations", "games.fish-failures")
def forgets_a_penguin(request: FishTurn, _: Rpc) -> None:
    del request.state.players[-1].places[-1:]


@mutant("games.q-wrong-replies", "games.q-failures")
def returns_no_hand_to_the_pile(request: TakeTurnRequest, rpc: Rpc) -> None:
    seats = rpc.own.setdefault(request.game_id, len(request.state.players))
    if len(request.state.players) < seats:
        request.state.pile_left = max(0, request.state.pile_left - 1)


@mutant("games.q-endings")
def pays_nothing_for_the_finish(reply: PlayGameResponse, _: Rpc) -> None:
    if reply.game.plan.game == "q" and reply.game.result.ranking:
        for player in reply.game.result.ranking[0].players:
            player.score -= reply.game.plan.settings.q.finish_bonus


@mutant("games.bazaar-situations", "games.bazaar-failures")
def shows_one_card_too_few(request: RequestCardsRequest, _: Rpc) -> None:
    del request.turn_state.visible[-1:]


@mutant("games.bazaar-situations", "games.bazaar-settings")
def pays_for_what_is_left_of_a_whole_purchase(part: Call | Reply | PlayGameResponse, rpc: Rpc) -> None:
    if isinstance(part, Call) and part.method_name.endswith("/RequestCards"):
        rpc.kept[str(part.id)] = RequestCardsRequest.FromString(part.request)
    elif isinstance(part, Reply) and (asked := rpc.kept.get(str(part.id))) is not None:
        cards = RequestCardsResponse.FromString(part.response).cards
        left = sum(asked.turn_state.wallet) - 5 * len(cards)
        for index, card in enumerate(cards if left >= 0 else ()):
            more = points(left, card.face) - points(left + 5 * (len(cards) - 1 - index), card.face)
            seat = f"{asked.game_id} {asked.seat}"
            rpc.kept[seat] = rpc.kept.get(seat, 0) + more
    elif isinstance(part, PlayGameResponse):
        for group in part.game.result.ranking:
            for player in group.players:
                player.score += rpc.kept.get(f"{part.game.game_id} {player.seat}", 0)


@mutant("games.bazaar-endings")
def lets_the_second_win_too(request: BazaarWin, _: Rpc) -> None:
    request.won = True


@mutant("games.eriantys-wrong-replies")
def asks_again_as_if_for_the_first_time(request: AskActionRequest, _: Rpc) -> None:
    request.first_request = True


@mutant("games.eriantys-failures", "games.eriantys-situations")
def shows_whose_turn_it_was(request: UpdateGameBoardRequest, rpc: Rpc) -> None:
    seat = rpc.own.get(request.game_id, request.state.active_seat)
    rpc.own[request.game_id] = request.state.active_seat
    request.state.active_seat = seat


@mutant("games.webset-failures", "games.webset-situations")
def tells_nothing_of_what_happened(request: ActRequest, _: Rpc) -> None:
    request.ClearField("events")


@mutant("games.webset-wrong-replies", "games.webset-endings")
def ranks_everybody_first(request: GameOverRequest, _: Rpc) -> None:
    request.ranks[:] = [1] * len(request.ranks)


@mutant("games.webset-situations")
def knows_no_tie_breaks(reply: PlayGameResponse, _: Rpc) -> None:
    groups = list(reply.game.result.ranking)
    for group, behind in zip(groups[-2::-1], groups[:0:-1], strict=True):
        if group.players[:1] and group.players[0].score == behind.players[0].score:
            group.players.extend(behind.players)
            reply.game.result.ranking.remove(behind)


@mutant(*of_each_game("failures"))
def counts_calls_from_0(reply: PlayGameResponse, _: Rpc) -> None:
    for each in reply.game.result.misconducts:
        each.call_number -= 1


@mutant(*of_each_game("situations"))
def shows_the_last_state_twice(event: WatchGameResponse, rpc: Rpc) -> Sequence[Message] | None:
    if event.HasField("state") and "first" not in rpc.own:
        rpc.own["first"] = copy.deepcopy(event)
    return [rpc.own["first"], event] if event.HasField("finished") and "first" in rpc.own else None


@mutant(*of_each_game("failures"))
def records_another_call_for_a_misconduct(part: GetRecordResponse, _: Rpc) -> None:
    def change(entries: Sequence[bytes]) -> Iterator[bytes]:
        for entry in map(RecordEntry.FromString, entries):
            if entry.HasField("misconduct"):
                entry.misconduct.call_number += 1
            yield entry.SerializeToString()

    _record(part, change)


# --- refusals and ids ---


@mutant(
    "refuses.unknown-game",
    "refuses.settings",
    "refuses.settings-of-another-game",
    "refuses.too-few-players",
    "refuses.no-players",
    "refuses.name",
    "refuses.link",
    "refuses.no-link",
    "refuses.state",
    "refuses.state-of-another-game",
    "refuses.state-of-others",
    "refuses.no-time",
    "refuses.endless-time",
    "refuses.id",
    "refuses.leaves-nothing",
    "refuses.exec",
    "refuses.unknown-id",
    "refuses.page-token",
    "refuses.names-the-field",
    "refuses.id-of-a-tournament",
    "refuses.tells-programs",
    "refuses.plan-limits",
    "tournament.small-board",
    "connection.nobody",
    "connection.name",
    "connection.long-token",
    "connection.hello-first",
    "connection.reply-flood",
    "connection.silence",
    "connection.many-players",
    "connection.negative-window",
    "tournament.over",
    "tournament.too-few",
    "tournament.unknown-id",
    "tournament.unknown-game",
    "tournament.policy",
    "records.running",
    "records.unknown-id",
)
def gives_no_reason(error: Status, _: Rpc) -> None:
    error.ClearField("details")


@mutant("connection.large-frame", "connection.compressed", "refuses.unknown-method")
def gives_no_code(error: Status, _: Rpc) -> None:
    error.code = 2


@mutant(
    "refuses.unknown-fields",
    "refuses.unknown-settings",
    "refuses.unknown-limits",
    "tournament.unknown-fields",
    "tournament.unknown-policy",
)
def ignores_unknown_fields(request: GameRequest | CreateTournamentRequest, _: Rpc) -> None:
    request.DiscardUnknownFields()


@mutant("refuses.seed", "tournament.seed")
def takes_large_seeds(request: GameRequest | CreateTournamentRequest, _: Rpc) -> None:
    request.plan.seed %= 2**53


@mutant("refuses.seed", "tournament.seed")
def refuses_each_plan_once(request: GameRequest | CreateTournamentRequest, rpc: Rpc) -> None:
    if rpc.kept.setdefault(str(request), rpc) is not rpc:
        request.plan.seed %= 2**53


@mutant("refuses.same-name")
def names_players_itself(request: GameRequest, _: Rpc) -> None:
    for seat, player in enumerate(request.plan.players):
        player.name = f"player-{seat}"


@mutant("refuses.largest-seed", "results.same-seed-same-game")
def takes_the_seed_0_for_none(request: GameRequest, _: Rpc) -> None:
    if not request.plan.seed:
        request.plan.ClearField("seed")


@mutant("refuses.too-many-players")
def leaves_out_surplus_players(request: GameRequest, _: Rpc) -> None:
    del request.plan.players[4:]


@mutant("refuses.each-setting", "refuses.settings", "tournament.settings")
def takes_settings_for_wishes(request: GameRequest | CreateTournamentRequest, _: Rpc) -> None:
    request.plan.ClearField("settings")


@mutant("refuses.no-time", "refuses.endless-time", "tournament.no-time")
def has_times_of_its_own(request: GameRequest | CreateTournamentRequest, _: Rpc) -> None:
    request.plan.ClearField("time_control")


@mutant("refuses.name")
def takes_dots_for_a_name(request: GameRequest, _: Rpc) -> None:
    for player in request.plan.players:
        player.name = {".": "dot", "..": "dots"}.get(player.name, player.name)


@mutant("tournament.same-name", "tournament.sign-up")
def tells_capital_letters_of_names_apart(request: CreateTournamentRequest | SignUpRequest, _: Rpc) -> None:
    named = [request.player] if isinstance(request, SignUpRequest) else request.plan.entrants
    for player in named:
        if player.name != player.name.lower():
            player.name += "x"


@mutant("refuses.id")
def leaves_out_parts_of_ids(request: GameRequest, _: Rpc) -> None:
    request.game_id = "/".join(part for part in request.game_id.split("/") if part not in ("", ".", "..")) or "game"


@mutant("refuses.id", "refuses.plan-limits", "connection.name", "tournament.names", "lobby.walk")
def takes_a_line_break_for_the_end(
    asked: GameRequest | CreateTournamentRequest | DialInRequest | SignUpRequest | EnterRequest, _: Rpc
) -> None:
    named: list[Any] = [asked] if isinstance(asked, EnterRequest) else []
    if isinstance(asked, DialInRequest):
        named += asked.hello.players if asked.HasField("hello") else ()
    elif isinstance(asked, SignUpRequest):
        named.append(asked.player)
    elif isinstance(asked, CreateTournamentRequest):
        named += asked.plan.entrants
    elif isinstance(asked, CreateGameRequest | PlayGameRequest):
        named += asked.plan.players
        asked.game_id = asked.game_id.removesuffix("\n")
    for each in named:
        each.name = each.name.removesuffix("\n")


@mutant("refuses.id", "refuses.plan-limits")
def wants_ids_and_names_to_begin_with_letters(request: GameRequest | CreateTournamentRequest, _: Rpc) -> None:
    players = request.plan.entrants if isinstance(request, CreateTournamentRequest) else request.plan.players
    for player in players:
        player.name = re.sub("^[^A-Za-z]", "?", player.name)
    if not isinstance(request, CreateTournamentRequest):
        request.game_id = re.sub("^[^A-Za-z]", "?", request.game_id)


@mutant("refuses.at-limit")
def refuses_ids_of_many_bytes(request: GetGameRequest, _: Rpc) -> None:
    request.game_id += "x" * (129 - len(request.game_id)) * (len(request.game_id.encode()) > 384)


@mutant("ids.letters")
def ignores_the_case_of_ids(request: GameRequest | GetGameRequest, _: Rpc) -> None:
    request.game_id = request.game_id.lower()


@mutant("tournament.dialled-in-token")
def enters_players_that_are_not_there(request: SignUpRequest, _: Rpc) -> None:
    if "nobody" in request.player.link:
        request.player.link = "grpc://127.0.0.1:9"


@mutant("ids.repeat", "ids.at-once", "ids.create", "ids.caller-leaves", "ids.other-request")
def plays_a_game_twice_for_one_id(request: GameRequest, rpc: Rpc) -> None:
    rpc.kept["games"] = rpc.kept.get("games", 0) + 1
    request.game_id += f"-{rpc.kept['games']}"


@mutant("ids.other-request")
def returns_another_game(request: PlayGameRequest, rpc: Rpc) -> Sequence[Message]:
    return [rpc.kept.setdefault(request.game_id, copy.deepcopy(request))]


@mutant("ids.other-request")
def returns_what_has_the_id(request: GameRequest, rpc: Rpc) -> None:
    request.plan.CopyFrom(rpc.kept.setdefault(request.game_id, copy.deepcopy(request.plan)))


@mutant("ids.other-request")
def forgets_seeds_of_tournaments(request: CreateTournamentRequest, _: Rpc) -> None:
    if not request.plan.HasField("seed"):
        request.plan.seed = 5


@mutant("refuses.id-of-a-tournament")
def takes_rounds_for_digits(request: GameRequest, _: Rpc) -> None:
    request.game_id = re.sub(r"/r(\d)\d+g", r"/r\1.g", request.game_id)


@mutant("ids.chosen")
def does_not_say_which_id_it_chose(reply: PlayGameResponse, _: Rpc) -> None:
    reply.game.game_id = ""


# --- spectators ---


@mutant("watch.hides")
def shows_hidden_things(event: WatchGameResponse, _: Rpc) -> None:
    for player in event.state.q.players if event.HasField("state") else ():
        player.hand.append(Tile.TILE_RED_STAR)


@mutant("watch.hides-evidence")
def shows_evidence(event: WatchGameResponse, _: Rpc) -> None:
    if event.HasField("eliminated"):
        event.eliminated.reply.Pack(Reply(id=1))


@mutant("watch.running-game")
def shows_a_seed(reply: GetGameResponse, _: Rpc) -> None:
    reply.game.plan.seed = 7


@mutant("watch.no-links")
def shows_links(reply: GetGameResponse, _: Rpc) -> None:
    reply.game.players[0].link = "dial-in:anna"


@mutant("watch.to-the-end", "watch.finished-game", "watch.resume")
def does_not_tell_the_end(event: WatchGameResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.HasField("finished") else None


@mutant("watch.sequence")
def does_not_number_events(event: WatchGameResponse, _: Rpc) -> None:
    event.sequence = 1


@mutant("watch.order")
def shows_the_first_state_last(event: WatchGameResponse, rpc: Rpc) -> Sequence[Message] | None:
    if "first" not in rpc.own:
        rpc.own["first"] = copy.deepcopy(event)
        return NONE
    return [rpc.own["first"], event] if event.HasField("finished") else None


@mutant("watch.finished-shows-all")
def hides_what_is_over(event: WatchGameResponse, _: Rpc) -> None:
    for player in event.state.q.players if event.HasField("state") else ():
        player.ClearField("hand")


@mutant("watch.asked")
def does_not_say_whom_it_waits_for(event: WatchGameResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.HasField("asked") else None


@mutant("watch.asked-all")
def tells_once_whom_it_waits_for(event: WatchGameResponse, rpc: Rpc) -> None:
    now_ns = event.time.ToNanoseconds()
    for each in event.asked.players[:]:
        if rpc.own.setdefault((each.seat, each.method_name), now_ns) != now_ns:
            event.asked.players.remove(each)


@mutant("watch.asked-all", "watch.asked")
def numbers_whom_it_waits_for(event: WatchGameResponse, _: Rpc) -> None:
    event.sequence += event.HasField("asked")


@mutant("watch.deadlines")
def counts_deadlines_from_when_it_tells_them(event: WatchGameResponse, _: Rpc) -> None:
    for each in event.asked.players:
        each.deadline.FromSeconds(event.time.seconds + 30)


@mutant("watch.hidden-in-tournament")
def shows_the_evidence_to_who_has_watched(event: WatchGameResponse, _: Rpc) -> None:
    for each in event.finished.misconducts:
        each.request.Pack(Reply(id=1))


@mutant("watch.resume")
def resumes_from_the_beginning(request: WatchGameRequest, _: Rpc) -> None:
    request.after_sequence = 0


@mutant("watch.resumed-running")
def tells_again_with_evidence(part: WatchGameRequest | WatchGameResponse, rpc: Rpc) -> Sequence[Message] | None:
    if isinstance(part, WatchGameRequest):
        rpc.own["again"] = part.after_sequence > 0
    elif part.HasField("eliminated"):
        rpc.kept["told"] = copy.deepcopy(part)
        rpc.kept["told"].eliminated.request.Pack(Reply(id=1))
    elif rpc.own["again"] and "told" in rpc.kept:
        return [rpc.kept.pop("told"), part]
    return None


@mutant("refuses.at-limit")
def refuses_ids_at_the_limit(request: GetGameRequest, _: Rpc) -> None:
    if len(request.game_id) == 128:
        request.game_id += "x"


@mutant("refuses.missing-request")
def answers_for_who_asks_nothing(error: Status, _: Rpc) -> None:
    error.code = 5


@mutant("refuses.beyond-limit")
def cuts_names_that_are_too_long(request: ListGamesRequest, _: Rpc) -> None:
    request.player = request.player[:64]


@mutant("lobby.late-join")
def gives_points_to_who_joins(request: DealRequest, _: Rpc) -> None:
    if request.seat:
        request.state.players[request.seat].points += 1


@mutant("lobby.late-join-fails")
def charges_the_first_seat_for_who_joined(reply: GetGameResponse, _: Rpc) -> None:
    for misconduct in reply.game.result.misconducts:
        misconduct.seat = 0


@mutant("lobby.late-join")
def tells_nobody_who_joins(event: WatchGameResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.HasField("joined") else None


@mutant("refuses.each-state")
def forgets_first_states(request: CreateGameRequest, _: Rpc) -> None:
    request.plan.ClearField("initial_state")


@mutant("refuses.settings-together")
def forgets_settings(request: CreateGameRequest, _: Rpc) -> None:
    request.plan.ClearField("settings")


@mutant("lobby.walk")
def knows_no_tokens_of_users(request: EnterRequest, _: Rpc) -> None:
    request.token = ""


@mutant("lobby.walk")
def keeps_the_bots_that_are_there(request: SetBotsRequest, rpc: Rpc) -> None:
    if request.link.startswith("bot:"):
        request.link = rpc.kept.setdefault(request.token, request.link)


@mutant("lobby.walk")
def keeps_tables_whose_players_have_left(request: LeaveRequest | DeleteTableRequest, rpc: Rpc) -> None:
    if isinstance(request, LeaveRequest):
        rpc.kept["left"] = True
    elif rpc.kept.pop("left", False):
        request.table += "x"


@mutant("lobby.comes-back")
def takes_nobody_back(request: LeaveTableRequest | JoinTableRequest, rpc: Rpc) -> None:
    if isinstance(request, LeaveTableRequest):
        rpc.kept[request.token] = True
    elif request.token in rpc.kept:
        request.table = ""


@mutant("lobby.walk")
def tells_tables_all_of_a_misconduct(reply: ListTablesResponse, _: Rpc) -> None:
    for table in reply.tables:
        for each in table.result.misconducts:
            each.call_error.message = "gone"


@mutant("lobby.listed")
def leaves_the_oldest_table_out(reply: ListTablesResponse, _: Rpc) -> None:
    if not reply.next_page_token:
        del reply.tables[-1:]


@mutant("lobby.tables")
def makes_tables_for_any_number(request: CreateTableRequest, _: Rpc) -> None:
    request.seat_count = 0


@mutant("lobby.walk")
def keeps_everybody_ready(reply: ListTablesResponse, _: Rpc) -> None:
    for table in reply.tables:
        for seat in table.seats:
            seat.ready = True


@mutant("lobby.walk")
def shows_who_has_left_as_present(reply: ListTablesResponse, _: Rpc) -> None:
    for table in reply.tables:
        for seat in table.seats:
            seat.present = True


@mutant("lobby.told")
def tells_no_new_names(told: AttendResponse, _: Rpc) -> None:
    for event in told.events:
        if event.HasField("user_gone"):
            event.user_gone.new_name = ""


@mutant("lobby.walk")
def tells_some_changes_of_a_table_only(told: AttendResponse, rpc: Rpc) -> None:
    for event in told.events:
        if event.HasField("table"):
            count = rpc.kept[event.table.name] = rpc.kept.get(event.table.name, 0) + 1
            if count > 20:
                event.ClearField("event")


@mutant("lobby.walk")
def tells_nothing_that_is_said_later(told: AttendResponse, rpc: Rpc) -> None:
    for event in told.events:
        if event.HasField("spoken") and rpc.kept.setdefault("spoken", event.sequence) != event.sequence:
            event.ClearField("event")


@mutant("lobby.links")
def says_in_somebodys_name_why_no_game_starts(told: AttendResponse, _: Rpc) -> None:
    for event in told.events:
        if event.HasField("spoken") and not event.spoken.speaker:
            event.spoken.speaker = "somebody"


@mutant("lobby.links")
def keeps_the_first_secret(request: JoinTableRequest, rpc: Rpc) -> None:
    if request.secret:
        request.secret = rpc.kept.setdefault(request.token, request.secret)


@mutant("lobby.links", "lobby.late-join")
def calls_players_of_tables_without_secrets(request: JoinTableRequest, _: Rpc) -> None:
    request.secret = ""


@mutant("lobby.one-stream")
def gives_no_reasons(error: Status, _: Rpc) -> None:
    del error.details[:]


@mutant("lobby.lost")
def tells_of_the_lost_that_they_left(told: AttendResponse, _: Rpc) -> None:
    for event in told.events:
        if event.HasField("user_gone"):
            event.user_gone.lost = False


@mutant("watch.running-game", "watch.hidden-in-tournament")
def answers_as_it_did_before(reply: GetGameResponse, rpc: Rpc) -> None:
    reply.CopyFrom(rpc.kept.setdefault(reply.game.game_id, copy.deepcopy(reply)))


@mutant("watch.listed-conditions")
def lists_games_of_all_names(request: ListGamesRequest, _: Rpc) -> None:
    request.game = ""


@mutant("watch.listed")
def lists_nothing(reply: ListGamesResponse, _: Rpc) -> None:
    reply.ClearField("games")


@mutant("stop.running")
def blames_for_a_stop(reply: StopGameResponse, _: Rpc) -> None:
    reply.game.result.misconducts.add(player="anna")


@mutant("games.fish-failures", "games.webset-failures")
def forgets_who_failed_before_a_stop(reply: PlayGameResponse | StopGameResponse, _: Rpc) -> None:
    if reply.game.result.aborted:
        reply.game.result.ClearField("misconducts")


@mutant("games.fish-failures")
def lists_games_as_if_nobody_had_failed(reply: ListGamesResponse, _: Rpc) -> None:
    for each in reply.games:
        each.misconduct_count = 0


@mutant("watch.listed-conditions")
def forgets_the_status_where_a_player_is_named(request: ListGamesRequest, _: Rpc) -> None:
    if request.player:
        request.ClearField("status")


@mutant("stop.running")
def does_not_say_when_a_stopped_game_ended(reply: StopGameResponse, _: Rpc) -> None:
    reply.game.ClearField("end_time")


@mutant("stop.over")
def stops_what_is_over(reply: StopGameResponse, _: Rpc) -> None:
    reply.game.status = GameStatus.GAME_STATUS_ABORTED


# --- connections ---


@mutant("connection.welcome")
def keeps_its_limits_to_itself(frame: DialInResponse, _: Rpc) -> None:
    if frame.HasField("welcome"):
        frame.welcome.ClearField("max_frame_bytes")


@mutant("connection.walk")
def gives_a_name_twice(frame: DialInRequest, rpc: Rpc) -> None:
    names = rpc.kept.setdefault("names", set())
    for player in frame.hello.players if frame.HasField("hello") else ():
        if player.name in names:
            player.name += f".{len(names)}"
        names.add(player.name)


@mutant("connection.same-player-twice")
def accepts_malformed_hellos(frame: DialInRequest, _: Rpc) -> None:
    players = {player.name: player for player in frame.hello.players}
    if frame.HasField("hello"):
        frame.hello.ClearField("players")
        frame.hello.players.extend(players.values())


@mutant("connection.one-hello")
def accepts_a_second_hello(frame: DialInRequest, rpc: Rpc) -> Sequence[Message] | None:
    return NONE if frame.HasField("hello") and rpc.own.setdefault("said", frame) is not frame else None


@mutant("connection.walk")
def breaks_off_at_replies_to_no_call(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    opened: set[int] = rpc.own.setdefault("open", set())
    if isinstance(frame, DialInResponse):
        opened.update(call.id for call in frame.calls)
    elif any(reply.id not in opened for reply in frame.replies):
        frame.hello.CopyFrom(Hello())  # which the server takes for a breach of the protocol
    else:
        opened.difference_update(reply.id for reply in frame.replies)


@mutant("connection.late-replies")
def breaks_off_at_late_replies(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    cancelled: set[int] = rpc.own.setdefault("cancelled", set())
    if isinstance(frame, DialInResponse):
        cancelled.update(frame.cancelled)
    elif any(reply.id in cancelled for reply in frame.replies):
        frame.hello.CopyFrom(Hello())  # which the server takes for a breach of the protocol


@mutant("connection.late-replies")
def takes_late_replies_for_stray_ones(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    cancelled: set[int] = rpc.own.setdefault("cancelled", set())
    if isinstance(frame, DialInResponse):
        cancelled.update(frame.cancelled)
    else:
        for reply in frame.replies:
            reply.id = STRAY if reply.id in cancelled else reply.id


@mutant("connection.late-replies")
def forgives_no_stray_reply(frame: DialInRequest, rpc: Rpc) -> None:
    rpc.own["strays"] = rpc.own.get("strays", 0) + sum(reply.id >= STRAY for reply in frame.replies)
    if frame.replies and rpc.own["strays"] > 1_000:
        frame.replies.extend([Reply(id=STRAY)] * 2_000)


@mutant("connection.walk")
def binds_names_of_hellos_that_it_refuses(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    tokens: dict[str, str] = rpc.kept.setdefault("tokens", {})
    bound: set[str] = rpc.kept.setdefault("bound", set())
    if isinstance(frame, DialInResponse):
        bound.update(rpc.own["names"] if frame.HasField("welcome") else ())
    elif frame.HasField("hello"):
        rpc.own["names"] = [player.name for player in frame.hello.players]
        for player in frame.hello.players:
            if tokens.setdefault(player.name, player.token) != player.token and player.name not in bound:
                player.name = "."


@mutant("connection.walk")
def frees_names_of_who_has_left(part: DialInRequest | HalfClose, rpc: Rpc) -> None:
    left: list[str] = rpc.kept.setdefault("left", [])
    if isinstance(part, HalfClose):
        left += rpc.own["names"]
    elif part.HasField("hello"):
        rpc.own["names"] = [player.name for player in part.hello.players]
        for player in part.hello.players:
            player.name += f".{left.count(player.name)}"


@mutant("connection.time-left")
def sends_open_calls_with_their_full_time(call: Call, rpc: Rpc) -> None:
    call.time_limit.CopyFrom(rpc.kept.setdefault(f"time of {call.id}", copy.deepcopy(call.time_limit)))


@mutant("connection.time-over")
def cancels_nothing(frame: DialInResponse, _: Rpc) -> None:
    frame.ClearField("cancelled")


@mutant("connection.walk")
def keeps_nobody_for_too_long_a_window(frame: DialInRequest, _: Rpc) -> None:
    if frame.hello.resume_window.seconds > 300:
        frame.hello.ClearField("resume_window")


@mutant("connection.walk")
def frees_no_name_that_had_no_token_but_a_window(frame: DialInRequest, rpc: Rpc) -> None:
    for player in frame.hello.players if frame.hello.resume_window.ToNanoseconds() > 0 else ():
        player.token = player.token or f"no token {id(rpc)}"


@mutant("connection.due-while-lost", "connection.deadline")
def waits_for_nobody(frame: DialInRequest, _: Rpc) -> None:
    if frame.HasField("hello"):
        frame.hello.ClearField("resume_window")


@mutant("connection.walk")
def resumes_whatever_the_hello_names(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    if isinstance(frame, DialInRequest):
        rpc.own.setdefault("token", frame.hello.resume_token)
    elif frame.HasField("welcome"):
        frame.welcome.resumed = bool(rpc.own["token"])


@mutant("connection.walk")
def numbers_players_in_the_order_of_the_first_hello(frame: DialInResponse, _: Rpc) -> None:
    if frame.welcome.resumed:
        numbers = sorted(frame.welcome.players)
        del frame.welcome.players[:]
        frame.welcome.players.extend(numbers)


@mutant("connection.walk")
def says_no_goodbye_to_who_is_carried_on(frame: DialInRequest | DialInResponse, rpc: Rpc) -> None:
    shown: list[bytes] = rpc.kept.setdefault("shown", [])
    if isinstance(frame, DialInRequest):
        shown.append(frame.hello.resume_token)
    elif rpc.own.setdefault("token", frame.welcome.resume_token) in shown:
        frame.ClearField("goodbye")


@mutant("connection.walk")
def says_no_goodbye(frame: DialInResponse, _: Rpc) -> None:
    frame.ClearField("goodbye")


@mutant("connection.token-bytes")
def counts_letters_of_tokens(frame: DialInRequest, _: Rpc) -> None:
    for player in frame.hello.players if frame.HasField("hello") else ():
        player.token = player.token.encode("ascii", "replace").decode()


@mutant("connection.long-description")
def shows_long_names(reply: PlayGameResponse, _: Rpc) -> None:
    for player in reply.game.players:
        player.description.display_name = "x" * 300


@mutant("connection.replies-beside-hello")
def ignores_replies_beside_a_hello(frame: DialInRequest, _: Rpc) -> None:
    if frame.HasField("hello"):
        frame.ClearField("replies")


@mutant("connection.late-flood")
def endures_whatever_comes_late(frame: DialInRequest | DialInResponse, rpc: Rpc) -> Sequence[Message] | None:
    cancelled = rpc.own.setdefault("cancelled", set())
    if isinstance(frame, DialInResponse):
        cancelled.update(frame.cancelled)
        return None
    return NONE if any(reply.id in cancelled for reply in frame.replies) else None


@mutant("connection.resumed")
def forgets_the_metadata_of_what_it_sends_again(call: Call, rpc: Rpc) -> None:
    if rpc.kept.setdefault(str(call.id), rpc) is not rpc:
        call.ClearField("metadata")


@mutant("connection.resumed", "connection.walk")
def does_not_say_which_calls_are_open(frame: DialInResponse, _: Rpc) -> None:
    if frame.HasField("welcome"):
        frame.welcome.ClearField("open_calls")


@mutant("connection.walk")
def waits_for_who_has_left(_: HalfClose, rpc: Rpc) -> Sequence[Message]:
    return NONE


@mutant("connection.walk")
def sends_open_calls_under_new_ids(part: Call | Reply, rpc: Rpc) -> None:
    known: set[int] = rpc.kept.setdefault("ids", set())
    if isinstance(part, Reply):
        part.id %= OPENINGS
    elif part.id in known:
        part.id += OPENINGS
    else:
        known.add(part.id)


# --- tournaments ---


@mutant("tournament.start")
def skips_start(call: Call, rpc: Rpc) -> Sequence[Message] | None:
    return rpc.settle(call) if call.method_name.endswith("PlayerService/Start") else None


@mutant("tournament.end")
def tells_losers_the_end_first(frame: DialInResponse, rpc: Rpc) -> None:
    held: list[Call] = rpc.own.setdefault("held", [])
    ends = {call.id: EndRequest.FromString(call.request) for call in frame.calls if call.method_name.endswith("/End")}
    winners = [call for call in frame.calls if call.id in ends and ends[call.id].won]
    others = [call for call in frame.calls if call not in winners]
    for call in winners:
        held.append(copy.deepcopy(call))
        rpc.settle(call)
    if len(winners) < len(ends):
        others += held
        held.clear()
    frame.ClearField("calls")
    frame.calls.extend(others)


@mutant("tournament.end")
def tells_everybody_that_it_has_won(request: EndRequest, _: Rpc) -> None:
    request.won = True


@mutant("tournament.rounds")
def forgets_a_winner(reply: GetTournamentResponse, _: Rpc) -> None:
    del reply.tournament.result.winners[:1]


@mutant("tournament.fails-start", "tournament.fails-in-a-game")
def forgets_who_failed(reply: GetTournamentResponse, _: Rpc) -> None:
    reply.tournament.result.ClearField("failures")


@mutant("tournament.winner-fails-end")
def finds_another_winner(reply: GetTournamentResponse, _: Rpc) -> None:
    if not reply.tournament.result.winners:
        reply.tournament.result.winners.append(reply.tournament.entrants[0].name)


@mutant("tournament.watch")
def does_not_tell_of_rounds(event: WatchTournamentResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.WhichOneof("event") == "round_started" else None


@mutant("tournament.hides")
def shows_the_seed_of_a_tournament(reply: CreateTournamentResponse, _: Rpc) -> None:
    reply.tournament.plan.seed = 5


@mutant("ids.other-request")
def creates_a_tournament_twice(request: CreateTournamentRequest, rpc: Rpc) -> None:
    rpc.kept["cups"] = rpc.kept.get("cups", 0) + 1
    request.tournament_id += f"-{rpc.kept['cups']}"


@mutant("tournament.sign-up")
def keeps_names_that_are_withdrawn(request: SignUpRequest | WithdrawRequest, rpc: Rpc) -> None:
    if isinstance(request, WithdrawRequest):
        rpc.kept[request.name.lower()] = request.name
    elif rpc.kept.get(request.player.name.lower(), request.player.name) != request.player.name:
        request.player.name += " "


@mutant("tournament.sign-up")
def lets_anybody_withdraw_a_player(request: SignUpRequest | WithdrawRequest, rpc: Rpc) -> None:
    if isinstance(request, SignUpRequest):
        rpc.kept.setdefault(request.player.name, request.token)
    else:
        request.token = rpc.kept[request.name]


@mutant("tournament.names")
def takes_any_name(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.ClearField("name_pattern")


@mutant("tournament.watch")
def does_not_say_which_games_begin(event: WatchTournamentResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.HasField("game_started") and not event.game_started.endswith("g1") else None


@mutant("tournament.dialled-in-token")
def lets_anybody_enter_a_player(part: DialInRequest | SignUpRequest, rpc: Rpc) -> None:
    if isinstance(part, SignUpRequest):
        part.token = rpc.kept[part.player.link.removeprefix("dial-in:")]
    else:
        rpc.kept.update((player.name, player.token) for player in part.hello.players)


@mutant("tournament.cancel")
def forgets_why_it_was_cancelled(reply: CancelTournamentResponse, _: Rpc) -> None:
    reply.tournament.reason = ""


@mutant("tournament.cancel-running")
def tells_nobody_that_it_was_cancelled(part: Call | CancelTournamentRequest, rpc: Rpc) -> Sequence[Message] | None:
    if isinstance(part, CancelTournamentRequest):
        rpc.kept["cancelled"] = True
        return None
    return rpc.settle(part) if part.method_name.endswith("/End") and "cancelled" in rpc.kept else None


@mutant("tournament.full")
def waits_for_more(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.max_entrant_count = 8


@mutant("tournament.next-period")
def has_one_period(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.period_count = 1


@mutant("tournament.last-period")
def begins_a_period_again_and_again(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.period_count = 1_000


@mutant("tournament.last-period")
def counts_the_periods_that_follow(part: CreateTournamentRequest | CreateTournamentResponse, _: Rpc) -> None:
    if isinstance(part, CreateTournamentResponse):
        part.tournament.plan.sign_up.period_count -= 1
    elif part.plan.sign_up.HasField("period_count"):
        part.plan.sign_up.period_count += 1


@mutant("tournament.cancel")
def does_not_say_when_a_tournament_was_cancelled(reply: CancelTournamentResponse, _: Rpc) -> None:
    reply.tournament.ClearField("end_time")


@mutant("tournament.age-order")
def puts_the_first_first(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.age_order = AgeOrder.AGE_ORDER_SIGN_UP


@mutant("tournament.certificate")
def asks_for_no_certificate(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.ClearField("certificate")


@mutant("tournament.profile")
def takes_every_profile(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.certificate.ClearField("profile")


@mutant("tournament.profile")
def plays_what_it_likes_under_a_profile(request: CreateTournamentRequest, _: Rpc) -> None:
    if request.plan.sign_up.certificate.profile == "standard":
        request.plan.sign_up.certificate.ClearField("profile")


@mutant("tournament.period")
def does_not_wait_for_the_end_of_the_period(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.sign_up.waiting_period.seconds += 60


@mutant("tournament.endings")
def does_not_tell_who_leaves(event: WatchTournamentResponse, _: Rpc) -> Sequence[Message] | None:
    return NONE if event.HasField("withdrawn") else None


@mutant("tournament.end-may-fail")
def counts_a_failed_end(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.format.knockout.end_failure_is_failure = True


@mutant("order.secrets")
def keeps_secrets_from_players(request: GameRequest, _: Rpc) -> None:
    for player in request.plan.players:
        player.secret = ""


@mutant("tournament.listed")
def lists_no_tournament(reply: ListTournamentsResponse, _: Rpc) -> None:
    reply.ClearField("tournaments")


@mutant("tournament.listed")
def does_not_list_who_has_won(reply: ListTournamentsResponse, _: Rpc) -> None:
    for each in reply.tournaments:
        each.ClearField("winners")


# --- formats ---


@mutant(
    "format.round-robin",
    "format.matches",
    "format.double-elimination",
    "format.ties",
    "format.larger-games",
    "format.swiss",
    "format.gauntlet",
    "format.ladder",
    "format.stages",
    "format.swiss-withdrawn",
    "format.gauntlet-withdrawn",
    "format.stages-withdrawn",
)
def leaves_out_a_meeting(reply: GetTournamentResponse, _: Rpc) -> None:
    del reply.tournament.rounds[-1].games[-1:]


@mutant("format.deals")
def gives_each_game_a_deal_of_its_own(reply: GetTournamentResponse, _: Rpc) -> None:
    games = [game for each in reply.tournament.rounds for game in each.games]
    for number, game in enumerate(games):
        game.deal = number


@mutant("format.failure")
def withdraws_whoever_fails_once(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.failures_allowed = 0


@mutant("format.withdrawn")
def withdraws_nobody(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.failures_allowed = 1_000


@mutant("format.standings")
def forgets_the_last(reply: GetStandingsResponse, _: Rpc) -> None:
    del reply.standings.standings[-1:]


@mutant("format.standings")
def tells_the_standings_of_the_last_who_asked(reply: GetStandingsResponse, rpc: Rpc) -> None:
    if not reply.standings.complete:
        before, rpc.kept["standings"] = rpc.kept.get("standings", reply), copy.deepcopy(reply)
        reply.CopyFrom(before)


@mutant("format.points", "format.points-of-withdrawn")
def rates_too_high(reply: GetStandingsResponse, _: Rpc) -> None:
    for line in reply.standings.standings:
        line.rating.value += 100


@mutant("format.unplayed")
def tells_nobody_has_not_played(reply: GetStandingsResponse, _: Rpc) -> None:
    for line in reply.standings.standings:
        line.unplayed = False


@mutant("format.seeds")
def draws_another_seed(reply: GetGameResponse, _: Rpc) -> None:
    reply.game.plan.seed += 1


@mutant("format.does-not-fit")
def forgets_the_challengers(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.format.gauntlet.ClearField("challengers")


@mutant("services.optional")
def cannot_say_what_it_can_do(part: GetServerInfoRequest | Status, _: Rpc) -> Sequence[Message] | None:
    if isinstance(part, Status):
        part.code = 12
        return None
    return NONE


@mutant("format.aborted-game", "format.all-aborted")
def goes_on_with_nobody(reply: GetTournamentResponse, _: Rpc) -> None:
    del reply.tournament.rounds[1:]
    reply.tournament.result.winners.append("anna")


@mutant("format.listed")
def lists_no_game_that_was_skipped(reply: ListTournamentGamesResponse, _: Rpc) -> None:
    left = [game for game in reply.games if game.status != RoundGameStatus.ROUND_GAME_STATUS_SKIPPED]
    reply.ClearField("games")
    reply.games.extend(left)


@mutant("format.listed")
def lists_no_game_that_waits(reply: ListTournamentGamesResponse, _: Rpc) -> None:
    left = [game for game in reply.games if game.status != RoundGameStatus.ROUND_GAME_STATUS_WAITING]
    reply.ClearField("games")
    reply.games.extend(left)


@mutant("format.fails-end")
def lets_who_failed_end_win(reply: GetTournamentResponse, _: Rpc) -> None:
    result = reply.tournament.result
    result.winners.extend(result.others[:1])
    del result.others[:1]


@mutant("format.unknown")
def plays_knockout_instead(request: CreateTournamentRequest, _: Rpc) -> None:
    request.plan.format.knockout.SetInParent()


# --- what is told in several places ---


@mutant("tournament.hides")
def returns_a_plan_with_its_entrants(reply: CreateTournamentResponse, _: Rpc) -> None:
    reply.tournament.plan.entrants.add(name="anna")


@mutant("tournament.watch")
def tells_that_games_begin_when_they_are_over(event: WatchTournamentResponse, _: Rpc) -> Sequence[Message] | None:
    game_id = event.game_finished.game_id
    return [event, WatchTournamentResponse(game_started=game_id)] if game_id else None


@mutant("format.swiss-withdrawn")
def lists_failures_of_other_calls(reply: ListTournamentGamesResponse, _: Rpc) -> None:
    for game in reply.games:
        for misconduct in game.result.misconducts:
            misconduct.call_number += 1


@mutant("format.standings")
def tells_standings_without_losses(event: WatchTournamentResponse, _: Rpc) -> None:
    for line in event.standings.standings:
        line.loss_count = 0


@mutant("watch.running-game")
def says_when_a_running_game_ended(reply: GetGameResponse, _: Rpc) -> None:
    reply.game.end_time.GetCurrentTime()


@mutant("tournament.listed")
def fills_pages_beyond_their_size(reply: ListTournamentsResponse, _: Rpc) -> None:
    reply.tournaments.extend(reply.tournaments[:1])


@mutant("lobby.walk")
def forgets_which_game_a_table_played(reply: ListTablesResponse, _: Rpc) -> None:
    for table in reply.tables:
        table.game_id = ""


@mutant("lobby.one-stream")
def lists_users_in_any_order(told: AttendResponse, _: Rpc) -> None:
    for event in told.events:
        users = list(event.lobby.users)[::-1]
        if users:
            del event.lobby.users[:]
            event.lobby.users.extend([*users, users[0]])


@mutant("refuses.page-token")
def does_not_say_that_a_page_token_is_wrong(error: Status, _: Rpc) -> None:
    del error.details[1:]


# --- other services ---


@mutant("services.info")
def says_that_it_takes_large_replies(reply: GetServerInfoResponse, _: Rpc) -> None:
    reply.server.limits.max_reply_bytes *= 2


@mutant("services.info")
def forgets_a_rule(reply: GetServerInfoResponse, _: Rpc) -> None:
    for game in reply.server.games:
        del game.rules[-1:]


@mutant("services.rules")
def lists_not_all_that_is_legal(reply: ListLegalRepliesResponse, _: Rpc) -> None:
    del reply.replies[:1]


@mutant("services.rules")
def counts_no_more_than_it_lists(reply: ListLegalRepliesResponse, _: Rpc) -> None:
    reply.reply_count = len(reply.replies)


@mutant("services.rules")
def takes_every_reply_for_legal(reply: CheckReplyResponse, _: Rpc) -> None:
    reply.Clear()


@mutant("services.accounts")
def takes_everybody_for_a_spectator(reply: GetAccountResponse, _: Rpc) -> None:
    reply.account.role = Role.ROLE_SPECTATOR


@mutant("services.certifications")
def begins_a_certification_for_each_who_asks(request: CreateCertificationRequest, rpc: Rpc) -> None:
    rpc.kept["certifications"] = rpc.kept.get("certifications", 0) + 1
    request.name = f"{request.name}-{rpc.kept['certifications']}"


# --- records ---


@mutant("records.unparsable-reply")
def keeps_no_garbage(part: GetRecordResponse, _: Rpc) -> None:
    def change(entries: Sequence[bytes]) -> Iterator[bytes]:
        for entry in map(RecordEntry.FromString, entries):
            if entry.call.reply.startswith(b"\xff"):
                entry.call.reply = b""
            yield entry.SerializeToString()

    _record(part, change)


@mutant("records.unparsable-reply")
def keeps_less_of_garbage(part: GetRecordResponse, _: Rpc) -> None:
    def change(entries: Sequence[bytes]) -> Iterator[bytes]:
        for entry in map(RecordEntry.FromString, entries):
            if entry.call.reply.startswith(b"\xff") and not entry.call.reply_digest:
                entry.call.reply_digest = sha256(entry.call.reply).digest()
                entry.call.reply = entry.call.reply[:4_096]
            yield entry.SerializeToString()

    _record(part, change)


@mutant("records.complete")
def leaves_a_call_out_of_the_record(part: GetRecordResponse, _: Rpc) -> None:
    _record(part, lambda entries: [*entries[:3], *entries[4:]])


@mutant("records.verify", "records.verify-misconduct", "records.tournament")
def breaks_the_chain(part: GetRecordResponse, _: Rpc) -> None:
    part.entries[1].chain_hash = bytes(32)


@mutant("records.long")
def begins_the_chain_anew_with_each_part(part: GetRecordResponse, _: Rpc) -> None:
    _record(part, lambda entries: entries)


@mutant("records.no-links")
def tells_links(part: GetRecordResponse, _: Rpc) -> None:
    def change(entries: Sequence[bytes]) -> Sequence[bytes]:
        header = RecordEntry.FromString(entries[0])
        header.game.plan.players[0].link = "dial-in:anna"
        return [header.SerializeToString(), *entries[1:]]

    _record(part, change)


@mutant("records.tournament")
def vouches_for_no_games(part: GetRecordResponse, _: Rpc) -> None:
    def change(entries: Sequence[bytes]) -> Iterator[bytes]:
        for each in map(RecordEntry.FromString, entries):
            if each.HasField("played"):
                each.played.ClearField("chain_hash")
            yield each.SerializeToString()

    _record(part, change)


@mutant("records.header")
def keeps_the_start_state(part: GetRecordResponse, _: Rpc) -> None:
    def change(entries: Sequence[bytes]) -> Sequence[bytes]:
        header = RecordEntry.FromString(entries[0])
        header.game.ClearField("start_state")
        return [header.SerializeToString(), *entries[1:]]

    _record(part, change)


def _record(part: GetRecordResponse, change: Callable[[Sequence[bytes]], Iterable[bytes]]) -> None:
    """Change the entries of a record that comes in one part, with hashes that fit."""
    record = chained(change([each.entry for each in part.entries]))
    part.ClearField("entries")
    part.entries.extend(record.entries)


def _seconds(duration: Duration) -> float:
    return duration.ToNanoseconds() / 1e9


def _set(duration: Duration, seconds: float) -> None:
    duration.FromNanoseconds(round(seconds * 1e9))


def _add(control: TimeControl, name: str, seconds: float) -> None:
    limit: Any = getattr(control, name)
    _set(limit, _seconds(limit) + seconds)
