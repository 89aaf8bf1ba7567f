"""Mutants of the reference server: each has one defect, and the case that names it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pytest

from fairplay.formats import round_robin, schedules
from fairplay.games.kit import tournament
from fairplay.games.kit.player_service import END
from fairplay.games.steps import CallKind
from fairplay.server.game import plans, referee, spectators
from fairplay.server.game.running import Running, TimeLimits
from fairplay.server.links import dial_in
from fairplay.server.links import stream as open_calls
from fairplay.server.links.dial_in import DialInLink, Hub
from fairplay.server.links.link import Clock, OpenCall
from fairplay.server.links.stream import OpenCalls, Stream
from fairplay.server.manager import course, plan, signup
from fairplay.server.manager.signup import SignUp
from fairplay.server.records.chain import chained
from fairplay.server.records.published import published
from fairplay.server.servicers import connection, manager
from fairplay.server.servicers import referee as records
from fairplay.server.servicers import referee as referee_servicer
from fairplay.server.servicers.manager import ManagerServicer
from fairplay.server.servicers.referee import RefereeServicer
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.player_pb2 import EndRequest
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.tournament_pb2 import Knockout, TournamentFormat

Patch: TypeAlias = pytest.MonkeyPatch


@dataclass(frozen=True)
class Mutant:
    """A defect of a server, and the id of the case that names it."""

    name: str
    case: str
    apply: Callable[[Patch], None]


MUTANTS: list[Mutant] = []


def mutant(case: str) -> Callable[[Callable[[Patch], None]], None]:
    """Declare a mutant: the decorated function puts the defect in."""

    def declare(apply: Callable[[Patch], None]) -> None:
        MUTANTS.append(Mutant(apply.__name__, case, apply))

    return declare


def reply_of(kind: type[Any], method: str, case: str) -> Callable[[Callable[[Any], None]], None]:
    """Declare a mutant whose replies to a method of the server are changed."""

    def declare(change: Callable[[Any], None]) -> None:
        def apply(patch: Patch) -> None:
            sound = getattr(kind, method)

            async def wrong(self: Any, request: Any, context: Any) -> Any:
                reply = await sound(self, request, context)
                copy = type(reply)()  # the server keeps its own
                copy.CopyFrom(reply)
                change(copy)
                return copy

            patch.setattr(kind, method, wrong)

        MUTANTS.append(Mutant(change.__name__, case, apply))

    return declare


def played(case: str) -> Callable[[Callable[[Any], None]], None]:
    """Declare a mutant whose answers to PlayGame are changed."""
    return reply_of(RefereeServicer, "PlayGame", case)


def requests(patch: Patch, ending: str, change: Callable[[bytes], bytes]) -> None:
    """Change the requests to players that dialled in, of methods with this ending."""
    sound = OpenCalls.call

    def wrong(self: Any, number: int, method: str, request: bytes, *rest: Any) -> OpenCall:
        return sound(self, number, method, change(request) if method.endswith(ending) else request, *rest)

    patch.setattr(OpenCalls, "call", wrong)


def skip(patch: Patch, ending: str) -> None:
    """Answer calls of methods with this ending in the player's place."""
    sound = DialInLink.call

    def wrong(self: Any, method: str, request: bytes, limit_s: float, done: Any, *rest: Any) -> OpenCall:
        if not method.endswith(ending):
            return sound(self, method, request, limit_s, done, *rest)
        open_call = OpenCall(self._hub._clock, limit_s, done, lambda _: None)
        asyncio.get_running_loop().call_soon(open_call.settle, b"")
        return open_call

    patch.setattr(DialInLink, "call", wrong)


# --- order ---


@mutant("order.fish")
def asks_in_the_wrong_order(patch: Patch) -> None:
    sound = Running.begin
    patch.setattr(Running, "begin", lambda self, links: sound(self, [*links[1:], *links[:1]]))


@mutant("order.fish")
def does_not_tell_the_opponents(patch: Patch) -> None:
    skip(patch, "/PlayWith")


@mutant("order.fish-requests")
def tells_the_wrong_seat(patch: Patch) -> None:
    from fairplay.fish.v1.fish_player_pb2 import PlayAsRequest

    def change(data: bytes) -> bytes:
        request = PlayAsRequest.FromString(data)
        request.seat += 1
        return request.SerializeToString()

    requests(patch, "/PlayAs", change)


@mutant("order.q-requests")
def leaks_a_hand(patch: Patch) -> None:
    from fairplay.q.v1.q_player_pb2 import TakeTurnRequest

    def change(data: bytes) -> bytes:
        request = TakeTurnRequest.FromString(data)
        request.state.players[-1].hand.extend(request.state.players[0].hand)
        return request.SerializeToString()

    requests(patch, "QPlayerService/TakeTurn", change)


@mutant("order.time-limits")
def tells_half_the_limit(patch: Patch) -> None:
    sound = open_calls._time_limit
    patch.setattr(open_calls, "_time_limit", lambda limit_s: sound(limit_s / 2))


# --- results ---


@played("results.fish")
def lets_the_last_win(reply: Any) -> None:
    groups = list(reply.game.result.ranking)[::-1]
    del reply.game.result.ranking[:]
    reply.game.result.ranking.extend(groups)


@played("results.tie")
def pays_out_a_tie_wrongly(reply: Any) -> None:
    for group in list(reply.game.result.ranking):
        for player in list(group.players)[1:]:
            reply.game.result.ranking.add(players=[player])
        del group.players[1:]


@played("results.status")
def does_not_say_when_a_game_ended(reply: Any) -> None:
    reply.game.ClearField("end_time")


@played("results.plan-with-defaults")
def leaves_defaults_out(reply: Any) -> None:
    reply.game.plan.settings.fish.ClearField("rows")


@played("results.drawn-seed")
def keeps_the_seed(reply: Any) -> None:
    reply.game.plan.ClearField("seed")


# --- blame ---


@played("blame.exception")
def blames_another(reply: Any) -> None:
    for each in reply.game.result.misconducts:
        each.seat, each.player = (each.seat + 1) % 3, "bert"


@played("blame.notification")
def forgets_a_misconduct(reply: Any) -> None:
    del reply.game.result.misconducts[:]


@played("time.decision")
def takes_timeouts_for_exceptions(reply: Any) -> None:
    for each in reply.game.result.misconducts:
        each.kind = MisconductKind.MISCONDUCT_KIND_EXCEPTION


@played("blame.fish-rules")
def names_the_wrong_rule(reply: Any) -> None:
    for each in reply.game.result.misconducts:
        if each.HasField("rule_break"):
            each.rule_break.rule_id = "fish.move.wrong"


@played("blame.several")
def lists_the_last_failure_first(reply: Any) -> None:
    found = list(reply.game.result.misconducts)[::-1]
    del reply.game.result.misconducts[:]
    reply.game.result.misconducts.extend(found)


@played("blame.evidence")
def keeps_no_evidence(reply: Any) -> None:
    for each in reply.game.result.misconducts:
        each.ClearField("request")


@played("blame.message")
def drops_the_message(reply: Any) -> None:
    for each in reply.game.result.misconducts:
        each.call_error.message = ""


@played("blame.ranking-without-the-eliminated")
def ranks_the_eliminated(reply: Any) -> None:
    for each in reply.game.result.misconducts:
        reply.game.result.ranking.add().players.add(seat=each.seat, name=each.player)


# --- time ---


def _deadlines(patch: Patch, change: Callable[[OpenCall, float], float]) -> None:
    sound = Clock.watch
    patch.setattr(Clock, "watch", lambda self, call, deadline: sound(self, call, change(call, deadline)))


@mutant("time.late-reply")
def accepts_a_late_reply(patch: Patch) -> None:
    _deadlines(patch, lambda _, deadline: deadline + 0.8)
    patch.setattr(Clock, "late", property(lambda _: True))


@mutant("time.overrun")
def keeps_no_limit(patch: Patch) -> None:
    _deadlines(patch, lambda _, deadline: deadline + 2.5)


@mutant("time.not-too-early")
def gives_up_too_early(patch: Patch) -> None:
    _deadlines(patch, lambda call, deadline: deadline - 0.75 * call.limit_s)


@mutant("time.first-decision")
def has_one_limit_for_all_decisions(patch: Patch) -> None:
    def limit(self: Any, call: Any) -> float:
        return float(self._limits[CallKind.DECISION if call.kind is CallKind.FIRST_DECISION else call.kind])

    patch.setattr(TimeLimits, "limit", limit)


@mutant("time.bank")
def knows_no_bank(patch: Patch) -> None:
    patch.setattr(TimeLimits, "limit", lambda self, call: self._limits[call.kind])


@mutant("time.bank-runs-out")
def never_draws_on_the_bank(patch: Patch) -> None:
    patch.setattr(TimeLimits, "spend", lambda *_: None)


@mutant("time.cancelled")
def does_not_cancel(patch: Patch) -> None:
    patch.setattr(OpenCalls, "_drop", lambda self, call: self._open.pop(call.id, None))


# --- refusals and ids ---


@mutant("refuses.unknown-fields")
def accepts_unknown_fields(patch: Patch) -> None:
    patch.setattr(plans, "refuse_unknown_fields", lambda *_: None)


@mutant("refuses.seed")
def accepts_large_seeds(patch: Patch) -> None:
    patch.setattr(plans, "MAX_SEED", 2**64)


@mutant("refuses.same-name")
def accepts_bad_players(patch: Patch) -> None:
    patch.setattr(plans, "check_players", lambda *_: None)


@mutant("ids.repeat")
def plays_a_game_twice_for_one_id(patch: Patch) -> None:
    sound = RefereeServicer.PlayGame

    async def wrong(self: Any, request: Any, context: Any) -> Any:
        request.game_id += f"-{uuid.uuid4().hex}"
        return await sound(self, request, context)

    patch.setattr(RefereeServicer, "PlayGame", wrong)


@mutant("ids.other-request")
def returns_another_game(patch: Patch) -> None:
    patch.setattr(referee, "same_plan", lambda *_: True)


# --- spectators ---


@mutant("watch.hides")
def shows_hidden_things(patch: Patch) -> None:
    sound = spectators._Spectator.__init__

    def wrong(self: Any, game: Any, *rest: Any) -> None:
        sound(self, replace(game, public_state=game.full_state), *rest)

    patch.setattr(spectators._Spectator, "__init__", wrong)


@mutant("watch.hides-evidence")
def shows_evidence(patch: Patch) -> None:
    def everything(misconduct: Misconduct) -> Misconduct:
        return misconduct

    patch.setattr(spectators, "without_evidence", everything)


@mutant("watch.running-game")
def shows_a_seed(patch: Patch) -> None:
    patch.setattr(referee_servicer, "public_game", lambda game, revealed: game)


@mutant("watch.resume")
def resumes_from_the_beginning(patch: Patch) -> None:
    sound = RefereeServicer.WatchGame

    async def wrong(self: Any, request: Any, context: Any) -> None:
        request.after_sequence = 0
        await sound(self, request, context)

    patch.setattr(RefereeServicer, "WatchGame", wrong)


@reply_of(RefereeServicer, "StopGame", "stop.running")
def blames_for_a_stop(reply: Any) -> None:
    reply.game.result.misconducts.add(player="anna")


# --- connections ---


@mutant("connection.name-taken")
def takes_names_over_with_a_wrong_token(patch: Patch) -> None:
    patch.setattr(Hub, "_check_free", lambda *_: None)


@mutant("connection.same-player-twice")
def accepts_malformed_hellos(patch: Patch) -> None:
    for module in (dial_in, connection):
        patch.setattr(module, "check_players", lambda _: None)


@mutant("connection.one-hello")
def accepts_a_second_hello(patch: Patch) -> None:
    patch.setattr(connection, "_take", lambda stream, pay, frame: stream.calls.take(frame.replies))


@mutant("connection.reply-flood")
def endures_a_flood(patch: Patch) -> None:
    patch.setattr(OpenCalls, "count_stray", lambda *_: None)


@mutant("connection.resume")
def forgets_open_calls(patch: Patch) -> None:
    sound = Stream.attach

    def wrong(self: Any, *rest: Any) -> None:
        held, self.calls._open = self.calls._open, {}
        sound(self, *rest)
        self.calls._open = held

    patch.setattr(Stream, "attach", wrong)


@mutant("blame.disconnected")
def waits_for_the_dead(patch: Patch) -> None:
    patch.setattr(Stream, "_close", lambda self: self._closed(self))


# --- tournaments ---


@mutant("tournament.start")
def skips_start(patch: Patch) -> None:
    skip(patch, "PlayerService/Start")


@mutant("tournament.end")
def tells_losers_the_end_first(patch: Patch) -> None:
    sound = tournament._tell

    def tell(seats: Any, method: Any, request: Any, *, blame: bool = True) -> Any:
        if method is END and request.won:
            held.append((seats, request))
            return set()
        failed = yield from sound(seats, method, request, blame=blame)
        for late, won in held:
            failed |= yield from sound(late, method, won, blame=blame)
        held.clear()
        return failed

    held: list[Any] = []
    patch.setattr(tournament, "_tell", tell)


@mutant("tournament.end")
def tells_everybody_that_it_has_won(patch: Patch) -> None:
    def change(data: bytes) -> bytes:
        request = EndRequest.FromString(data)
        request.won = True
        return request.SerializeToString()

    requests(patch, "PlayerService/End", change)


@reply_of(ManagerServicer, "GetTournament", "tournament.rounds")
def forgets_a_winner(reply: Any) -> None:
    del reply.tournament.result.winners[:1]


@mutant("tournament.hides")
def shows_the_seed_of_a_tournament(patch: Patch) -> None:
    patch.setattr(manager, "public_tournament", lambda tournament: tournament)


@mutant("tournament.sign-up")
def lets_anybody_withdraw_a_player(patch: Patch) -> None:
    patch.setattr(signup, "same", lambda *_: True)


@mutant("tournament.too-few")
def starts_with_too_few(patch: Patch) -> None:
    patch.setattr(SignUp, "check_enough", lambda _: None)


# --- formats ---


@mutant("format.round-robin")
def leaves_out_a_meeting(patch: Patch) -> None:
    sound = schedules.schedule
    patch.setattr(round_robin, "schedule", lambda *args: [*sound(*args)][:-1])


@mutant("format.deals")
def gives_each_game_a_deal_of_its_own(patch: Patch) -> None:
    def game_plan_of(message: Any, players: Any, round_number: int, table: int, _: int) -> Any:
        return plan.game_plan_of(message, players, round_number, table, 0)

    patch.setattr(course, "game_plan_of", game_plan_of)


@mutant("format.failure")
def withdraws_whoever_fails_once(patch: Patch) -> None:
    patch.setattr(course, "Failures", lambda _: tournament.Failures(0))


@mutant("format.withdrawn")
def withdraws_nobody(patch: Patch) -> None:
    patch.setattr(tournament.Failures, "count", lambda *_: None)


@reply_of(ManagerServicer, "GetStandings", "format.standings")
def forgets_the_last(reply: Any) -> None:
    del reply.standings.standings[-1:]


@mutant("format.unknown")
def plays_knockout_instead(patch: Patch) -> None:
    knockout = TournamentFormat(knockout=Knockout(end_failure_is_failure=True, games_per_match=1))
    patch.setattr(plan, "full_format", lambda *_: knockout)


# --- records ---


def _recorded(patch: Patch, change: Callable[[list[bytes]], list[bytes]]) -> None:
    def wrong(record: Record) -> Record:
        return chained(change([each.entry for each in published(record).entries]))

    patch.setattr(records, "published", wrong)


@mutant("records.complete")
def leaves_a_call_out_of_the_record(patch: Patch) -> None:
    _recorded(patch, lambda entries: [*entries[:3], *entries[4:]])


@mutant("records.verify")
def breaks_the_chain(patch: Patch) -> None:
    def wrong(record: Record) -> Record:
        found = published(record)
        found.entries[1].chain_hash = bytes(32)
        return found

    patch.setattr(records, "published", wrong)


@mutant("records.header")
def keeps_the_start_state(patch: Patch) -> None:
    def change(entries: list[bytes]) -> list[bytes]:
        header = RecordEntry.FromString(entries[0])
        header.game.ClearField("start_state")
        return [header.SerializeToString(), *entries[1:]]

    _recorded(patch, change)
