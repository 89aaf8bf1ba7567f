"""The conversation of Fish: which calls are made, and in which order (fish.md, sections 3, 4, 6 and 8).

PlayAs to all, PlayWith to all; Setup once for every penguin, in rounds; TakeTurn until nobody can move.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

from fairplay.fish.v1 import fish_pb2, fish_player_pb2
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import codec
from fairplay.games.kit.judging import CAUSES, judge_reply, notify
from fairplay.games.kit.wire import Heads, write_field
from fairplay.games.steps import (
    Call,
    CallKind,
    Cause,
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
STATE = write_field(fish_player_pb2.TakeTurnRequest, "state")
"""The field of the state, in both methods that have one."""

Colors: TypeAlias = Sequence[fish_pb2.Color.ValueType]
Part: TypeAlias = Generator[Step, Any, rules.State]


def play(game_id: str, settings: rules.Settings, start: codec.Shown, fresh: bool) -> Conversation:
    """Play a game from the state `start`; the number of penguins follows from the survivors only in a fresh one."""
    state, colors, last = start
    yield Show(start)
    state = yield from _announce(game_id, settings, state, colors)
    if fresh:
        state = rules.fix_penguins(state, settings)
    yield Show(codec.Shown(state, colors, last))
    log, heads = _ActionLog(settings.action_list, len(colors)), Heads(fish_player_pb2.TakeTurnRequest, game_id)
    while (seat := rules.turn(state)) is not None:
        shown = heads[seat] + STATE(codec.state_data(state, colors))
        if rules.placing(state):
            reply = yield Call(seat, SETUP, shown, CallKind.DECISION)
        else:
            reply = yield Call(seat, TAKE_TURN, shown + log.take(seat), log.next_kind(seat))
        verdict = _judge(state, reply)
        if isinstance(verdict, CAUSES):
            yield Eliminate(seat, verdict)
            state, last = rules.eliminate(state, seat), None
            log.clear()
        else:
            before, state = state, rules.apply(state, verdict)
            last = verdict if isinstance(verdict, rules.Move) else None
            log.add(verdict, before, state)
        yield Show(codec.Shown(state, colors, last))
    return Outcome([[(seat, state.scores[seat]) for seat in group] for group in rules.ranking(state)])


def _judge(state: rules.State, reply: Any) -> rules.Action | Cause:
    verdict = judge_reply(
        reply,
        rules.RULES,
        codec.placed if rules.placing(state) else codec.moved,
        partial(rules.violation, state),
        partial(codec.described, state),
        partial(codec.legal_replies, state),
    )
    return cast("rules.Action | Cause", verdict)  # a skip is never legal


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
    request = fish_player_pb2.PlayAsRequest(game_id=game_id, seat=seat, color=colors[seat])
    return Call(seat, PLAY_AS, request, CallKind.NOTIFICATION)


def _play_with(game_id: str, seat: int, seats: Iterable[int], colors: Colors) -> Call:
    """Return the call that tells a player the colours of the others, in turn order (section 8)."""
    others = [colors[other] for other in seats if other != seat]
    request = fish_player_pb2.PlayWithRequest(game_id=game_id, seat=seat, colors=others)
    return Call(seat, PLAY_WITH, request, CallKind.NOTIFICATION)


def _tell(state: rules.State, call: Call) -> Part:
    """Make a call that tells a player something; return the state without the player if it fails."""
    return state if (yield from notify(call)) else rules.eliminate(state, call.seat)


class _ActionLog:
    """The others' actions that each player has not been told yet, and who has had its first turn."""

    def __init__(self, kind: rules.ActionList, seat_count: int) -> None:
        self._kind = kind
        self._untold: list[list[fish_pb2.Action]] = [[] for _ in range(seat_count)]
        self._asked = [False] * seat_count

    def next_kind(self, seat: int) -> CallKind:
        """Return the kind of the call for a player's turn; from now on it has had its first one."""
        first, self._asked[seat] = not self._asked[seat], True
        return CallKind.FIRST_DECISION if first else CallKind.DECISION

    def take(self, seat: int) -> bytes:
        """Return the actions that a player is told now, and forget them; none on its first turn."""
        untold, self._untold[seat] = self._untold[seat], []
        if not self._asked[seat]:
            return b""
        return fish_player_pb2.TakeTurnRequest(actions=untold).SerializeToString()

    def add(self, action: rules.Action, before: rules.State, after: rules.State) -> None:
        """Add the action of the player whose turn it was, and the skips of those that were passed over after it."""
        if self._kind == "none" or not isinstance(action, rules.Move):
            return
        self._add(before.seat, codec.action_message(action))
        if self._kind == "moves_and_skips":
            for passed in rules.skipped(before, after):
                self._add(passed, codec.action_message(None))

    def _add(self, actor: int, action: fish_pb2.Action) -> None:
        for seat, untold in enumerate(self._untold):
            if seat != actor:
                untold.append(action)

    def clear(self) -> None:
        """Forget all actions: after an elimination nobody is told what was before it."""
        for untold in self._untold:
            untold.clear()
