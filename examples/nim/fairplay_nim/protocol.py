"""Between the rules of Nim and its messages: settings, states, and the order of the calls."""

from __future__ import annotations

from typing import Any

from fairplay.games import steps
from fairplay.games.kit import messages
from fairplay.games.kit.judging import build_rule_break
from fairplay.games.kit.settings import find_problem
from fairplay.games.steps import FAILURES, Call, CallAll, CallKind, Conversation, Eliminate, Outcome, Show
from fairplay_nim import rules
from fairplay_nim.v1 import nim_pb2 as pb

SERVICE = "fairplay_nim.v1.NimPlayerService"
TYPES = {"PlayAs": (pb.PlayAsRequest, pb.PlayAsResponse), "Take": (pb.TakeRequest, pb.TakeResponse)}
METHODS = steps.build_methods(SERVICE, TYPES)
PLAY_AS, TAKE = METHODS.values()


def read_settings(message: pb.Settings) -> rules.Settings:
    """Return the settings of a message, defaults filled in. Raises ValueError if a value is not allowed."""
    settings: rules.Settings = messages.read_settings(message, rules.Settings, find_problem)
    return settings


def build_settings(settings: rules.Settings) -> pb.Settings:
    """Return the message of settings, every field set."""
    return messages.fill(pb.Settings(), settings)


def read_state(message: pb.State) -> rules.State:
    """Return the state of a message."""
    return rules.State(tuple(message.heaps), message.most, tuple(message.players), message.revision)


def build_state(state: rules.State) -> pb.State:
    """Return the message of a state."""
    return pb.State(**state._asdict())


def play(game_id: str, state: rules.State) -> Conversation:
    """Return the conversation of a game that begins in this state."""
    yield Show(state)
    requests = {seat: pb.PlayAsRequest(game_id=game_id, seat=seat) for seat in sorted(state.players)}
    answers = yield CallAll([Call(seat, PLAY_AS, requests[seat], CallKind.NOTIFICATION) for seat in requests])
    for seat in requests:
        if isinstance(answers[seat], FAILURES):
            yield Eliminate(seat, answers[seat])
            state = rules.eliminate(state, seat)
            yield Show(state)
    while (player := rules.turn(state)) is not None:
        request = pb.TakeRequest(game_id=game_id, seat=player, state=build_state(state))
        verdict = judge(state, (yield Call(player, TAKE, request, CallKind.DECISION)))
        if isinstance(verdict, rules.Take):
            state = rules.apply(state, verdict)
        else:
            yield Eliminate(player, verdict)
            state = rules.eliminate(state, player)
        yield Show(state)
    return Outcome(rules.ranking(state))


def judge(state: rules.State, reply: Any) -> Any:
    """Return the legal action of a reply to Take, or the cause for which its player is eliminated."""
    if isinstance(reply, FAILURES):
        return reply
    if reply.HasField("heap") and reply.HasField("match_count"):
        take = rules.Take(reply.heap, reply.match_count)
        broken, given = rules.violation(state, take), f"{take.match_count} from heap {take.heap}"
        if broken is None:
            return take
    else:
        broken, given = "nim.take.required", "an incomplete answer"
    legal = [pb.TakeResponse(**each._asdict()) for each in rules.legal(state)]
    return build_rule_break(rules.RULES, broken, given, legal)
