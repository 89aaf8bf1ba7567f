"""Questions about the rules of a game, answered by its own conversation from a given state.

A position is a state in which a seat is asked. The conversation is driven to that call; a reply is sent; what the
conversation does next says whether the reply is legal, and which state it leads to. Nothing is kept between questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import iscoroutinefunction
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError, Message

from fairplay.games.conformance import find_conformance
from fairplay.games.envelopes import pack, wrap
from fairplay.games.game import Game
from fairplay.games.kit.conformance import cause_of
from fairplay.games.kit.judging import MAX_LEGAL_REPLIES
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Arrival, Call, CallKind, Eliminate, Outcome, Race, Show, Step, calls_in, join_answers
from fairplay.player.handlers import reply_of, snake_case
from fairplay.player.simulation import simulate
from fairplay.server.game.plans import (
    check_player_count,
    checked_state,
    full_settings,
    game_of,
    refuse_unknown_fields,
    seed_of,
)
from fairplay.server.net.errors import Refusal
from fairplay.v1 import rules_pb2 as pb
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.misconduct_pb2 import RuleBreak
from fairplay.v1.result_pb2 import RankedPlayer, RankGroup


@dataclass(frozen=True, slots=True)
class Position:
    """A state of a game in which `seat` is asked, hidden things included."""

    game: Game
    settings: Message
    state: Message
    seat: int
    player_count: int

    def begin(self) -> GameMachine:
        """Return a fresh game from the state. Raises Refusal if no game can go on from it."""
        names = [f"player{seat}" for seat in range(self.player_count)]
        try:
            return GameMachine(self.game.play("rules", self.settings, names, Random(0), self.state))
        except ValueError as error:
            raise Refusal("INVALID_STATE", str(error), "position.state") from None


class Asked(NamedTuple):
    """A game that waits for the seat of a position."""

    machine: GameMachine
    step: Step
    call: Call

    def reply(self, answer: Callable[[Call], Message], *, alone: bool = False) -> None:
        """Answer the step; `alone`: in a race only the seat of the position."""
        arrivals = [Arrival(call.seat, answer(call), 0.0) for call in calls_in(self.step)]
        if alone and isinstance(self.step, Race):
            arrivals = [arrival for arrival in arrivals if arrival.seat == self.call.seat]
        self.machine.answer(join_answers(self.step, arrivals))


class Answered(NamedTuple):
    """What followed from a reply, up to the next decision of anybody or the end of the game."""

    rule_break: RuleBreak | None
    shown: Any
    """The last state, as the game shows it; None: none was shown."""
    outcome: Outcome | None


def read_position(message: pb.Position) -> Position:
    """Return the position in a message. Raises Refusal if there is no such game, or its settings or state are wrong."""
    game = game_of(message.game, "position.game")
    settings = full_settings(game, message.settings, "position.settings")
    refuse_unknown_fields(message.state, "position.state")
    state, player_count = checked_state(game, settings, message.state, "position.state")
    if message.seat >= player_count:
        allowed = f"0 to {player_count - 1}"
        problem = f"the state has the seats {allowed}, not {message.seat}"
        raise Refusal("NOT_ASKED", problem, "position.seat", given=message.seat, allowed=allowed)
    return Position(game, settings, state, message.seat, player_count)


def list_legal_replies(position: Position) -> pb.ListLegalRepliesResponse:
    """Return the legal replies of the seat, as the evidence of a broken rule lists them; at most MAX_LEGAL_REPLIES."""
    asked = _ask(position)
    call = asked.call
    request = type(call.request)()
    request.CopyFrom(call.request)
    request.ClearField("game_id")
    found = pb.ListLegalRepliesResponse(method_name=call.method.path, request=pack(request))
    listed = find_conformance(position.game.name).list_legal_replies(position.settings, call)
    if listed is not None:
        found.replies.extend(map(pack, listed[:MAX_LEGAL_REPLIES]))
        found.reply_count = len(listed)
    elif (rule_break := _find_evidence(position, call)) is not None:
        found.replies.extend(rule_break.legal_replies)
        found.reply_count = rule_break.legal_reply_count
    return found


def check_reply(position: Position, reply: Any) -> pb.CheckReplyResponse:
    """Return the rule that a reply breaks, if it breaks one. `reply` is a google.protobuf.Any."""
    asked = _ask(position)
    rule_break = _answer(position, asked, _unpack(reply, asked.call)).rule_break
    return pb.CheckReplyResponse(rule_break=rule_break)


def apply_reply(position: Position, reply: Any) -> pb.ApplyReplyResponse:
    """Return the state that a legal reply leads to. Raises Refusal if the reply is not legal."""
    asked = _ask(position)
    answered = _answer(position, asked, _unpack(reply, asked.call))
    if answered.rule_break is not None:
        broken = answered.rule_break
        raise Refusal("REPLY_REFUSED", f"{broken.rule_id}: {broken.explanation}", "reply", given=broken.rule_id)
    state = position.state if answered.shown is None else position.game.full_state(answered.shown)
    return pb.ApplyReplyResponse(
        state=wrap(GameState, position.game, state), ranking=_ranking(answered.outcome) if answered.outcome else ()
    )


def simulate_game(request: pb.SimulateGameRequest) -> pb.SimulateGameResponse:
    """Play a game between reference strategies. Raises Refusal if there is no such game, or a strategy is unknown."""
    game = game_of(request.game, "game")
    settings = full_settings(game, request.settings, "settings")
    check_player_count(game, settings, len(request.strategies), "strategies")
    seed = seed_of(request)
    players = [_reference_player(game, name, index) for index, name in enumerate(request.strategies)]
    names = [f"{name}-{seat}" for seat, name in enumerate(request.strategies)]
    try:
        simulated = simulate(game, settings, names, players, seed)
    except ValueError as error:
        raise Refusal("INVALID_SETTINGS", str(error), "settings") from None
    return pb.SimulateGameResponse(
        seed=seed,
        ranking=_ranking(simulated.outcome, names),
        state=wrap(GameState, game, game.full_state(simulated.shown)),
        decision_count=simulated.decision_count,
    )


def _ask(position: Position) -> Asked:
    """Play a fresh game up to the call of the seat. Raises Refusal if another seat is asked first, or none."""
    machine = position.begin()
    for step in machine.play(_default):
        decisions = _decisions(step)
        for call in decisions:
            if call.seat == position.seat:
                return Asked(machine, step, call)
        if decisions:
            seats = ", ".join(str(call.seat) for call in decisions)
            message = f"in this state seat {seats} is asked, not seat {position.seat}"
            raise Refusal("NOT_ASKED", message, "position.seat", given=position.seat, allowed=seats)
    raise Refusal("NOT_ASKED", "in this state nobody is asked: the game is over", "position.state")


def _decisions(step: Step) -> list[Call]:
    return [call for call in calls_in(step) if call.kind is not CallKind.NOTIFICATION]


def _default(call: Call) -> Message:
    return call.method.response()


def _answer(position: Position, asked: Asked, reply: Message) -> Answered:
    """Give a reply, and follow the game to the next decision. Others that are asked too play as a bot."""
    infraction = find_conformance(position.game.name).find_infraction(position.settings, asked.call, reply)
    if infraction is not None:
        cause = cause_of(position.game, infraction, reply)
        return Answered(cause if isinstance(cause, RuleBreak) else None, None, None)
    shown: Any = None
    asked.reply(lambda call: reply if call is asked.call else _bystander(position, call), alone=True)
    for step in asked.machine.play(_default):
        match step:
            case Eliminate(seat=position.seat, cause=RuleBreak() as rule_break):
                return Answered(rule_break, shown, None)
            case Show(state=state):
                shown = state
            case _ if _decisions(step):
                return Answered(None, shown, None)
    return Answered(None, shown, asked.machine.outcome)


def _find_evidence(position: Position, call: Call) -> RuleBreak | None:
    """Return the evidence of the first wrong reply that comes with the legal ones; None if no reply does."""
    broken = (_break_rule(position, wrong) for wrong in _wrong_replies(position, call))
    return next((evidence for evidence in broken if evidence is not None and evidence.legal_replies), None)


def _wrong_replies(position: Position, call: Call) -> Iterator[Message]:
    """Yield replies that are likely to be wrong: an empty one, and those of the game's mutations."""
    yield _default(call)
    sound = _bystander(position, call)
    for mutation in find_conformance(position.game.name).mutations:
        if mutation.method == call.method.name:
            wrong = mutation.mutate(call.request, sound, Random(0))
            if wrong is not None:
                yield wrong


def _break_rule(position: Position, wrong: Message) -> RuleBreak | None:
    """Give a reply, and return the evidence if it is wrong and eliminates."""
    asked = _ask(position)
    asked.reply(lambda each: wrong if each.seat == position.seat else _bystander(position, each))
    match asked.machine.step:
        case Eliminate(cause=RuleBreak() as rule_break):
            return rule_break
        case _:
            return None


def _bystander(position: Position, call: Call) -> Message:
    return reply_of(position.game.player(next(iter(position.game.strategies))), call)


def _reference_player(game: Game, strategy: str, index: int) -> object:
    try:
        player = game.player(strategy)
    except ValueError as error:
        allowed = ", ".join(game.strategies)
        raise Refusal("INVALID_PLAYERS", str(error), f"strategies[{index}]", given=strategy, allowed=allowed) from None
    if any(iscoroutinefunction(getattr(player, snake_case(method.name), None)) for method in game.methods):
        message = f"{strategy} waits before it answers: simulate a strategy that does not"
        raise Refusal("INVALID_PLAYERS", message, f"strategies[{index}]", given=strategy)
    return player


def _unpack(reply: Any, call: Call) -> Message:
    message = call.method.response()
    try:
        fits = reply.Unpack(message)
    except DecodeError:
        fits = False
    if not fits:
        wanted = call.method.response.DESCRIPTOR.full_name
        problem = f"the reply is not a {wanted}, with which {call.method.name} is answered"
        raise Refusal("INVALID_REPLY", problem, "reply", given=reply.type_url, allowed=wanted)
    return message


def _ranking(outcome: Outcome, names: Sequence[str] = ()) -> list[RankGroup]:
    return [
        RankGroup(
            players=[
                RankedPlayer(seat=seat, name=names[seat] if names else f"player{seat}", score=score)
                for seat, score in group
            ]
        )
        for group in outcome.ranking
    ]
