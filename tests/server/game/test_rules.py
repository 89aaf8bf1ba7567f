"""RulesService: it says what real games say, and a simulation is the game that the referee plays."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.protobuf.wrappers_pb2 import Int64Value

from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.fish.v1 import fish_player_pb2
from fairplay.games.envelopes import pack, unwrap, wrap
from fairplay.games.game import find
from fairplay.games.steps import (
    Arrival,
    Call,
    CallAll,
    CallKind,
    Race,
    Show,
    Step,
    answer_step,
    calls_in,
    join_answers,
)
from fairplay.player.handlers import Handlers
from fairplay.server.game.rules import (
    Position,
    apply_reply,
    list_legal_replies,
    read_position,
)
from fairplay.server.net.errors import Refusal
from fairplay.v1 import rules_pb2 as pb
from fairplay.v1.game_pb2 import GameSettings, GameState, Player
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.rules_pb2_grpc import RulesServiceStub
from fairplay.webset.v1 import webset_pb2
from tests.server.harness import ONE_MOVE, serving
from tests.server.records.nim import NIM

GAMES = ("fish", "q", "bazaar", "eriantys", "webset")


@pytest.mark.parametrize("name", GAMES)
async def test_a_simulation_is_the_game_that_the_referee_plays(name: str) -> None:
    game = find(name)
    request = pb.SimulateGameRequest(game=name, seed=5, strategies=["first", "random"])
    request.settings.CopyFrom(wrap(GameSettings, game, game.tournament_settings))
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        rules: Any = RulesServiceStub(channel)
        simulated = await rules.SimulateGame(request)
        assert simulated == await rules.SimulateGame(request)
        assert simulated.decision_count
        request.ClearField("seed")
        assert (await rules.SimulateGame(request)).seed < 2**53
        if name == "webset":
            return  # who answers first there is a matter of time
        bots = [Player(name=f"p{seat}", link=f"bot:{each}") for seat, each in enumerate(request.strategies)]
        plan = GamePlan(game=name, settings=request.settings, players=bots, seed=5)
        played = await server.referee.play(plan, "g")
    ranking = [[(player.seat, player.score) for player in group.players] for group in simulated.ranking]
    assert ranking == [[(player.seat, player.score) for player in group.players] for group in played.result.ranking]


def one_move() -> Position:
    """Return a position in Fish in which red moves once, after which nobody can."""
    return read_position(pb.Position(game="fish", state=GameState(fish=ONE_MOVE)))


def test_the_last_reply_of_a_game_leads_to_its_ranking_and_nobody_is_asked_afterwards() -> None:
    listed = list_legal_replies(one_move())
    assert listed.method_name == "/fairplay.fish.v1.FishPlayerService/TakeTurn"
    asked: Any = unpacked(listed.request, fish_player_pb2.TakeTurnRequest())
    assert (asked.game_id, len(asked.state.players)) == ("", 2)
    assert listed.reply_count == len(listed.replies) > 0
    applied = apply_reply(one_move(), listed.replies[0])
    ranking = [[(player.seat, player.name, player.score) for player in group.players] for group in applied.ranking]
    assert ranking == [[(0, "player0", 3)], [(1, "player1", 0)]]
    over = read_position(pb.Position(game="fish", state=applied.state))
    with pytest.raises(Refusal, match="nobody is asked: the game is over") as refusal:
        list_legal_replies(over)
    assert (refusal.value.reason, refusal.value.field) == ("NOT_ASKED", "position.state")


def test_a_state_from_which_no_game_goes_on_is_refused() -> None:
    with pytest.raises(Refusal, match="not by 9") as refusal:
        Position(NIM, Int64Value(value=12), Int64Value(value=3), seat=0, player_count=9).begin()
    assert (refusal.value.reason, refusal.value.field) == ("INVALID_STATE", "position.state")


def unpacked(packed: AnyMessage, message: Message) -> Message:
    assert packed.Unpack(message)
    return message


VARIANTS: dict[str, tuple[Message, ...]] = {
    "eriantys": (eriantys_settings_pb2.Settings(mode=eriantys_settings_pb2.Mode.MODE_EXPERT),),
    "webset": (
        webset_pb2.Settings(rounds=webset_pb2.Rounds.ROUNDS_EARLIEST),
        webset_pb2.Settings(more_rule=webset_pb2.MoreRule.MORE_RULE_MAJORITY, show_enabled=True),
    ),
}


class Reached(NamedTuple):
    """A decision that a random game reached: the state as the referee knows it, and who is asked for what."""

    settings: Message
    state: Message
    step: Step
    call: Call
    seat: int
    """The seat in the state, which in Fish lists whose turn it is first."""
    after: Message | None
    """What the game showed after the reply of a reference player, where it was the only one that was asked."""
    reply: Message


def answers(game: str, strategy: str) -> Any:
    handlers = Handlers(find(game).player(strategy))

    def answer(call: Call) -> Any:
        path, request = call.method.path, call.request.SerializeToString()
        return call.method.response.FromString(handlers.call_now(path, request))

    return answer


def walk(name: str, settings: Message, count: int, seed: int) -> Iterator[Reached]:
    """Yield the decisions of a game between random players."""
    game, answer, rng = find(name), answers(name, "random"), Random(seed)
    conversation = game.play("g", game.full_settings(settings), list("abcdefgh"[:count]), Random(seed), None)
    shown: Any = None
    waiting: list[Reached] = []
    step = next(conversation)
    while True:
        decisions = [call for call in calls_in(step) if call.kind is not CallKind.NOTIFICATION]
        if decisions:
            for reached in waiting:
                yield reached._replace(after=game.full_state(shown))
            replies = {call.seat: answer(call) for call in calls_in(step)}
            state = game.full_state(shown)
            waiting = [
                Reached(settings, state, step, call, 0 if name == "fish" else call.seat, None, replies[call.seat])
                for call in decisions
            ]
            if isinstance(step, Race | CallAll):
                yield from waiting
                waiting = []
            arrivals = [Arrival(seat, reply, 0.0) for seat, reply in replies.items()]
            sent = join_answers(step, [rng.choice(arrivals)] if isinstance(step, Race) else arrivals)
        else:
            sent = answer_step(step, answer)
        if isinstance(step, Show):
            shown = step.state
        try:
            step = conversation.send(sent)
        except StopIteration:
            for reached in waiting:
                yield reached._replace(after=game.full_state(shown))
            return


@cache
def reached(name: str) -> list[Reached]:
    """Return some decisions of games of each kind, at most two of every method and phase of each game."""
    game = find(name)
    found: list[Reached] = []
    variants = (game.full_settings(game.tournament_settings), *VARIANTS.get(name, ()))
    for number, settings in enumerate(variants):
        full = game.full_settings(settings)
        decisions = list(walk(name, full, game.seats[min(1, len(game.seats) - 1)], seed=number))
        by_method: dict[str, list[Reached]] = {}
        for each in decisions:
            by_method.setdefault(each.call.method.name, []).append(each)
        for those in by_method.values():
            found += Random(number).sample(those, min(6, len(those)))
    return found


@pytest.fixture
async def rules() -> AsyncIterator[Any]:
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        yield RulesServiceStub(channel)


def position(name: str, at: Reached) -> pb.Position:
    game = find(name)
    return pb.Position(
        game=name,
        settings=wrap(GameSettings, game, at.settings),
        state=wrap(GameState, game, at.state),
        seat=at.seat,
    )


async def rule_of(rules: Any, asked: pb.Position, reply: AnyMessage) -> str:
    found = await rules.CheckReply(pb.CheckReplyRequest(position=asked, reply=reply))
    return str(found.rule_break.rule_id)


@pytest.mark.parametrize("name", GAMES)
async def test_a_reply_leads_where_a_real_game_goes(rules: Any, name: str) -> None:
    compared = 0
    for at in reached(name):
        if at.after is None or await rule_of(rules, position(name, at), pack(at.reply)):
            continue
        applied = await rules.ApplyReply(pb.ApplyReplyRequest(position=position(name, at), reply=pack(at.reply)))
        assert unwrap(applied.state, find(name), find(name).state_type) == at.after
        compared += 1
    assert compared or name == "webset"  # there everybody is asked at once
