"""The conversation of Eriantys (eriantys.md sections 3, 6, 8 and 11).

Tower colours, asked of all sides at once; StartGame to all; assistants and actions one at a time, each accepted one
followed by the new board to all; the end to all.

An answer that is malformed or illegal is refused and asked for again; the last of `max_attempts` to one question is
misconduct, and its player is eliminated whatever `on_disconnect` says. A failed call, of any kind, is

- with `end_game` and `eliminate`: misconduct at once;
- with `skip_turns`: no misconduct, the record shows the failure itself. The player is away until it answers the first
  board of a later round, the only call made to it meanwhile. A player that is still away when the game is over, and
  fails ShowEndGame, has committed misconduct by that failure;
- when the game is over: misconduct under all settings. The player is not ranked, and nobody moves up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1 import eriantys_player_pb2 as pb
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.protocol.answers import describe_action, judge, legal_replies, put_options
from fairplay.games.eriantys.protocol.codec import STANDINGS, LastAction, Shown, put_public, reason_number
from fairplay.games.eriantys.rules.legality import choice_violation, playable_assistants
from fairplay.games.eriantys.rules.state import (
    ChooseTowers,
    Phase,
    Settings,
    Standing,
    State,
    choosers,
    free_tower_colors,
)
from fairplay.games.eriantys.rules.turns import choose
from fairplay.games.game import Start
from fairplay.games.kit.judging import MalformedReplyError, build_rule_break
from fairplay.games.kit.wire import Heads, write_field
from fairplay.games.steps import (
    FAILURES,
    Call,
    CallAll,
    CallKind,
    Cause,
    Conversation,
    Eliminate,
    Method,
    Show,
    Step,
    methods_of,
    rank,
)
from fairplay.v1.misconduct_pb2 import RuleBreak

SERVICE = "fairplay.eriantys.v1.EriantysPlayerService"
METHODS = methods_of(pb.DESCRIPTOR.services_by_name["EriantysPlayerService"])
(
    ASK_TOWER_COLOR,
    START_GAME,
    ASK_ASSISTANT_CARD,
    ASK_ACTION,
    UPDATE_GAME_BOARD,
    SHOW_LAST_ROUND,
    SHOW_END_GAME,
    SHOW_DISCONNECTION,
) = METHODS.values()

_BOARD = write_field(pb.UpdateGameBoardRequest, "state")
_GAME_ID = write_field(pb.UpdateGameBoardRequest, "game_id")
_STATE = write_field(pb.AskActionRequest, "state")
_SETTINGS = write_field(pb.AskActionRequest, "settings")

Part: TypeAlias = Generator[Step, Any, None]


class Loss(NamedTuple):
    """A player that is to leave the game, and the cause."""

    seat: int
    cause: Cause


def play(start: Start) -> Conversation:
    """Play a game from any state to its end."""
    game = _Game(start.game_id, start.state, start.names)
    yield Show(Shown(start.state))
    yield from game.choose_towers()
    yield from game.start()
    yield from game.take_turns()
    yield from game.end()
    return rank(rules.ranking(game.state), rules.scores(game.state))


class _Game:
    """The course of a game; each method is a part of the conversation."""

    def __init__(self, game_id: str, state: State, names: Sequence[str]) -> None:
        self.state = state
        self._requests = _Requests(game_id, names, state.settings)
        self._most_attempts = state.settings.max_attempts
        self._asked: set[int] = set()
        self._started = False
        self._last_round_shown = False
        self._round = state.round  # the last one of which those that are away were told

    def choose_towers(self) -> Part:
        """Ask all sides at once until each has a colour. Of those that want the same one the first seat gets it."""
        attempts, refused = [0] * len(self.state.sides), dict[int, RuleBreak]()
        while self.state.phase is Phase.TOWERS:
            offered, seats, losses = self.state, choosers(self.state), list[Loss]()
            requests = {seat: self._requests.tower_color(offered, seat, refused.get(seat)) for seat in seats}
            replies = yield from _together(
                [Call(seat, ASK_TOWER_COLOR, requests[seat], self._kind(seat)) for seat in seats]
            )
            for seat in seats:
                verdict = judge(offered._replace(active=seat), replies[seat])
                if isinstance(verdict, ChooseTowers):
                    if taken := choice_violation(self.state, seat, verdict.color):
                        refused[seat] = build_rule_break(rules.RULES, taken, describe_action(verdict))
                    else:
                        yield from self._show(choose(self.state, seat, verdict.color), LastAction(seat, verdict))
                elif isinstance(verdict, MalformedReplyError):
                    attempts[seat] += 1
                    refused[seat] = build_rule_break(rules.RULES, verdict.rule_id, verdict.given)
                    if attempts[seat] >= self._most_attempts:
                        losses.append(Loss(seat, _misconduct(verdict, offered)))
                elif isinstance(verdict, FAILURES):
                    losses.append(Loss(seat, verdict))
            yield from self._lose(losses)

    def start(self) -> Part:
        """Tell everybody who is present that the game begins, unless it is over already."""
        if self.state.phase is Phase.OVER:
            return
        seats = self._seats(Standing.IN)
        lost = yield from _tell(START_GAME, {seat: self._requests.start(self.state, seat) for seat in seats})
        self._started = True
        yield from self._lose(lost)

    def take_turns(self) -> Part:
        """Ask for assistants and actions until the game is over."""
        while (seat := rules.turn(self.state)) is not None:
            if self.state.last_round and not self._last_round_shown:
                self._last_round_shown = True
                seats = self._seats(Standing.IN)
                reason = reason_number(self.state.last_round)
                requests = self._requests.news(SHOW_LAST_ROUND, seats, reason=reason)
                yield from self._lose((yield from _tell(SHOW_LAST_ROUND, requests)))
            else:
                yield from self._ask(seat)

    def end(self) -> Part:
        """Tell the result to everybody who is present or away."""
        requests = self._requests.news(
            SHOW_END_GAME,
            self._seats(Standing.IN, Standing.AWAY),
            state=self._requests.public(self.state),
            winner_seats=rules.winners(self.state),
            reason=reason_number(self.state.reason),
        )
        yield from self._lose((yield from _tell(SHOW_END_GAME, requests)))

    def _ask(self, seat: int) -> Part:
        """Ask for an assistant or an action until an answer is legal, or until too many were not."""
        state, refused = self.state, None
        method = ASK_ASSISTANT_CARD if state.phase is Phase.ASSISTANT else ASK_ACTION
        for attempt in range(1, self._most_attempts + 1):
            reply = yield Call(seat, method, self._requests.question(state, refused), self._kind(seat))
            verdict = judge(state, reply)
            if isinstance(verdict, FAILURES):
                yield from self._lose([Loss(seat, verdict)])
                return
            if not isinstance(verdict, MalformedReplyError):
                yield from self._show(rules.apply(state, verdict), LastAction(seat, verdict))
                yield from self._update()
                return
            if attempt == self._most_attempts:
                yield from self._lose([Loss(seat, _misconduct(verdict, state))])
            refused = build_rule_break(rules.RULES, verdict.rule_id, verdict.given)

    def _update(self) -> Part:
        """Show the board to everybody, and once a round to those that are away, who are back if they answer."""
        away = self._seats(Standing.AWAY) if self.state.round > self._round else []
        self._round = self.state.round
        seats = self._seats(Standing.IN, Standing.AWAY) if away else self._seats(Standing.IN)
        failed = yield from _tell(UPDATE_GAME_BOARD, dict.fromkeys(seats, self._requests.board(self.state)))
        silent = {loss.seat for loss in failed}
        returned = [seat for seat in away if seat not in silent]
        for seat in returned:
            yield from self._show(rules.reconnect(self.state, seat))
        losses = [loss for loss in failed if loss.seat not in away]
        yield from self._lose(losses)
        if returned and not losses:
            yield from self._update()

    def _lose(self, losses: Iterable[Loss]) -> Part:
        """Take players out of the game, tell the others of each, and show them the board after it."""
        waiting = deque(losses)
        if not waiting:
            return
        was_over = self.state.phase is Phase.OVER
        while waiting:
            loss = waiting.popleft()
            yield from self._remove(loss)
            if not was_over:
                gone = {one.seat for one in waiting}
                seats = [seat for seat in self._seats(Standing.IN) if seat not in gone]
                standing = STANDINGS[self.state.standings[loss.seat]]
                requests = self._requests.news(SHOW_DISCONNECTION, seats, lost_seat=loss.seat, standing=standing)
                waiting.extend((yield from _tell(SHOW_DISCONNECTION, requests)))
        if self._started and not was_over:
            yield from self._update()

    def _remove(self, loss: Loss) -> Part:
        """Take a player out of the game, and name the misconduct if the loss is one."""
        seat, cause = loss
        is_final = isinstance(cause, RuleBreak) or self.state.phase is Phase.OVER
        if is_final or self.state.settings.on_disconnect != "skip_turns":
            yield Eliminate(seat, cause)
        remove = rules.eliminate if is_final else rules.disconnect
        yield from self._show(remove(self.state, seat))

    def _show(self, state: State, last: LastAction | None = None) -> Part:
        self.state = state
        yield Show(Shown(state, last))

    def _seats(self, *standings: Standing) -> list[int]:
        return [seat for seat, standing in enumerate(self.state.standings) if standing in standings]

    def _kind(self, seat: int) -> CallKind:
        """Return the kind of a question, which has a longer limit if it is the first one to a player."""
        if seat in self._asked:
            return CallKind.DECISION
        self._asked.add(seat)
        return CallKind.FIRST_DECISION


def _together(calls: Sequence[Call]) -> Generator[Step, Any, Mapping[int, Any]]:
    """Call several players at once, if any, and return their replies by seat."""
    if not calls:
        return {}
    replies: Mapping[int, Any] = yield CallAll(calls)
    return replies


def _tell(method: Method, requests: Mapping[int, Any]) -> Generator[Step, Any, list[Loss]]:
    """Tell players something at once, and return those whose calls failed, by seat."""
    calls = [Call(seat, method, request, CallKind.NOTIFICATION) for seat, request in requests.items()]
    replies = yield from _together(calls)
    failed = [Loss(seat, reply) for seat, reply in replies.items() if isinstance(reply, FAILURES)]
    return sorted(failed, key=lambda loss: loss.seat)


def _misconduct(wrong: MalformedReplyError, state: State) -> RuleBreak:
    """Return the evidence of a wrong answer, with what would have been legal."""
    return build_rule_break(rules.RULES, wrong.rule_id, wrong.given, legal_replies(state))


# Requests: what stays the same is made once, and each board once


class _Requests:
    """Makes the requests of a game. A board is serialised once for all who are shown it."""

    def __init__(self, game_id: str, names: Sequence[str], settings: Settings) -> None:
        self._game_id = game_id
        self._names = names
        self._settings = codec.build_short_settings(settings)
        self._heads = Heads(pb.AskActionRequest, game_id)
        self._settings_data = _SETTINGS(self._settings.SerializeToString())
        self._state: State | None = None
        self._shown = eriantys_pb2.State()
        self._board = b""

    def board(self, state: State) -> bytes:
        """Return the board, serialised: the same for everybody."""
        self.public(state)
        return _GAME_ID(self._game_id.encode()) + _BOARD(self._board)

    def public(self, state: State) -> eriantys_pb2.State:
        """Return what everybody may see: a message that changes with the next state."""
        if state is not self._state:
            put_public(self._shown, state, self._state)
            self._state, self._board = state, self._shown.SerializeToString()
        return self._shown

    def tower_color(self, state: State, seat: int, refused: RuleBreak | None) -> pb.AskTowerColorRequest:
        """Return the question for a seat's tower colour."""
        request = pb.AskTowerColorRequest(
            game_id=self._game_id, seat=seat, state=self.public(state), settings=self._settings
        )
        request.possible_colors.extend([color + 1 for color in free_tower_colors(state)])  # type: ignore[misc]
        _put_refusal(request, refused)
        return request

    def question(self, state: State, refused: RuleBreak | None) -> bytes:
        """Return the question for the assistant, or the next action, of the seat to decide, serialised."""
        request: Any = pb.AskAssistantCardRequest() if state.phase is Phase.ASSISTANT else pb.AskActionRequest()
        request.hand.extend(state.hands[state.active])
        if state.phase is Phase.ASSISTANT:
            request.possible_cards.extend(playable_assistants(state))
        else:
            put_options(request.possible_actions, state)
        _put_refusal(request, refused)
        rest: bytes = request.SerializeToString()
        self.public(state)
        return self._heads[state.active] + _STATE(self._board) + self._settings_data + rest

    def start(self, state: State, seat: int) -> pb.StartGameRequest:
        """Return the news that the game begins, for a seat."""
        return pb.StartGameRequest(
            game_id=self._game_id,
            seat=seat,
            state=self.public(state),
            settings=self._settings,
            player_names=self._names,
            hand=state.hands[seat],
        )

    def news(self, method: Method, seats: Iterable[int], **fields: Any) -> dict[int, Any]:
        """Return what a method tells these seats, by seat: the same to all of them."""
        return {seat: method.request(game_id=self._game_id, seat=seat, **fields) for seat in seats}


def _put_refusal(request: Any, refused: RuleBreak | None) -> None:
    request.first_request = refused is None
    if refused is not None:
        request.refusal.CopyFrom(eriantys_pb2.Refusal(rule_id=refused.rule_id, explanation=refused.explanation))
