"""Fish: the sequence diagram (fish.md, sections 3, 4, 6 and 8).

play-as to all, play-with to all; setup once for every penguin, in rounds; take-turn until nobody can move.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any, TypeAlias

from fairplay.fish.v1 import fish_pb2, fish_player_pb2
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import codec
from fairplay.games.kit.judging import MalformedReplyError, build_rule_break
from fairplay.games.steps import (
    FAILURES,
    Call,
    CallKind,
    Conversation,
    Eliminate,
    Outcome,
    Show,
    Step,
    build_methods,
)

SERVICE = "fairplay.fish.v1.FishPlayerService"
METHODS = build_methods(
    SERVICE,
    {
        "PlayAs": (fish_player_pb2.PlayAsRequest, fish_player_pb2.PlayAsResponse),
        "PlayWith": (fish_player_pb2.PlayWithRequest, fish_player_pb2.PlayWithResponse),
        "Setup": (fish_player_pb2.SetupRequest, fish_player_pb2.SetupResponse),
        "TakeTurn": (fish_player_pb2.TakeTurnRequest, fish_player_pb2.TakeTurnResponse),
    },
)
PLAY_AS, PLAY_WITH, SETUP, TAKE_TURN = METHODS.values()

ACTIONS = (rules.Move, rules.Place)
Colors: TypeAlias = Sequence[fish_pb2.Color.ValueType]
Part: TypeAlias = Generator[Step, Any, rules.State]


def play(game_id: str, settings: rules.Settings, start: codec.Shown, fresh: bool) -> Conversation:
    """A game from the state `start`; the number of penguins follows from the survivors only in a fresh one."""
    state, colors, last = start
    yield Show(start)
    state = yield from _announce(game_id, settings, state, colors)
    if fresh:
        state = rules.fix_penguins(state, settings)
    yield Show(codec.Shown(state, colors, last))
    log = _ActionLog(settings.action_list, len(colors))
    while (seat := rules.turn(state)) is not None:
        if rules.placing(state):
            setup = fish_player_pb2.SetupRequest(game_id=game_id)
            codec.put_state(setup.state, state, colors)
            reply = yield Call(seat, SETUP, setup, CallKind.DECISION)
        else:
            turn = fish_player_pb2.TakeTurnRequest(game_id=game_id, actions=log.told(seat))
            codec.put_state(turn.state, state, colors)
            reply = yield Call(seat, TAKE_TURN, turn, log.clock(seat))
        verdict = _judge(state, reply)
        if isinstance(verdict, ACTIONS):
            before, state = state, rules.apply(state, verdict)
            last = verdict if isinstance(verdict, rules.Move) else None
            log.note(verdict, before, state)
        else:
            yield Eliminate(seat, verdict)
            state, last = rules.eliminate(state, seat), None
            log.clear()
        yield Show(codec.Shown(state, colors, last))
    return Outcome([[(seat, state.scores[seat]) for seat in group] for group in rules.ranking(state)])


def _judge(state: rules.State, reply: Any) -> rules.Action | Any:
    """The legal action of a reply, or why its player is out."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = codec.placed(reply) if rules.placing(state) else codec.moved(reply)
    except MalformedReplyError as malformed:
        return build_rule_break(rules.RULES, malformed.rule_id, malformed.given, codec.legal_replies(state))
    if rule_id := rules.violation(state, action):
        return build_rule_break(rules.RULES, rule_id, codec.described(state, action), codec.legal_replies(state))
    return action


def _announce(game_id: str, settings: rules.Settings, state: rules.State, colors: Colors) -> Part:
    everyone = [seat for seat in range(len(colors)) if state.alive[seat]]
    if settings.announce_order == "per_player":
        for seat in everyone:
            state = yield from _tell(state, _play_as(game_id, seat, colors))
            if state.alive[seat]:
                state = yield from _tell(state, _play_with(game_id, seat, everyone, colors))
        return state
    for seat in everyone:
        state = yield from _tell(state, _play_as(game_id, seat, colors))
    for seat in everyone:
        if state.alive[seat]:
            survivors = [other for other in everyone if state.alive[other]]
            state = yield from _tell(state, _play_with(game_id, seat, survivors, colors))
    return state


def _play_as(game_id: str, seat: int, colors: Colors) -> Call:
    request = fish_player_pb2.PlayAsRequest(game_id=game_id, color=colors[seat])
    return Call(seat, PLAY_AS, request, CallKind.NOTIFICATION)


def _play_with(game_id: str, seat: int, seats: Iterable[int], colors: Colors) -> Call:
    """Tells a player the colours of the others, in turn order (section 8)."""
    others = [colors[other] for other in seats if other != seat]
    request = fish_player_pb2.PlayWithRequest(game_id=game_id, colors=others)
    return Call(seat, PLAY_WITH, request, CallKind.NOTIFICATION)


def _tell(state: rules.State, call: Call) -> Part:
    reply = yield call
    if isinstance(reply, FAILURES):
        yield Eliminate(call.seat, reply)
        state = rules.eliminate(state, call.seat)
    return state


class _ActionLog:
    """What each player has not been told yet of the others' actions, and who has had its first turn."""

    def __init__(self, kind: rules.ActionList, seat_count: int) -> None:
        self._kind = kind
        self._news: list[list[fish_pb2.Action]] = [[] for _ in range(seat_count)]
        self._asked = [False] * seat_count

    def clock(self, seat: int) -> CallKind:
        """Which limit holds for a player's turn; from now on it has had its first one."""
        first, self._asked[seat] = not self._asked[seat], True
        return CallKind.FIRST_DECISION if first else CallKind.DECISION

    def told(self, seat: int) -> list[fish_pb2.Action]:
        """The news of a player, which it is told now; none on its first turn."""
        news, self._news[seat] = self._news[seat], []
        return news if self._asked[seat] else []

    def note(self, action: rules.Action, before: rules.State, after: rules.State) -> None:
        """An action of the player whose turn it was, after which others may have been passed over."""
        if self._kind == "none" or not isinstance(action, rules.Move):
            return
        self._add(before.seat, codec.action_message(action))
        if self._kind == "moves_and_skips":
            for passed in rules.skipped(before, after):
                self._add(passed, codec.action_message(None))

    def _add(self, actor: int, action: fish_pb2.Action) -> None:
        for seat, news in enumerate(self._news):
            if seat != actor:
                news.append(action)

    def clear(self) -> None:
        """After an elimination nobody is told what was before it."""
        for news in self._news:
            news.clear()
