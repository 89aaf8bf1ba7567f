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

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_player_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.protocol.answers import judge, judge_tower, misconduct, refusal
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
from fairplay.games.kit.judging import MalformedReplyError
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
    Outcome,
    Show,
    Step,
    build_methods,
)
from fairplay.v1.misconduct_pb2 import RuleBreak

SERVICE = "fairplay.eriantys.v1.EriantysPlayerService"
METHODS = build_methods(
    SERVICE,
    {
        "AskTowerColor": (eriantys_player_pb2.AskTowerColorRequest, eriantys_player_pb2.AskTowerColorResponse),
        "StartGame": (eriantys_player_pb2.StartGameRequest, eriantys_player_pb2.StartGameResponse),
        "AskAssistantCard": (
            eriantys_player_pb2.AskAssistantCardRequest,
            eriantys_player_pb2.AskAssistantCardResponse,
        ),
        "AskAction": (eriantys_player_pb2.AskActionRequest, eriantys_player_pb2.AskActionResponse),
        "UpdateGameBoard": (eriantys_player_pb2.UpdateGameBoardRequest, eriantys_player_pb2.UpdateGameBoardResponse),
        "ShowLastRound": (eriantys_player_pb2.ShowLastRoundRequest, eriantys_player_pb2.ShowLastRoundResponse),
        "ShowEndGame": (eriantys_player_pb2.ShowEndGameRequest, eriantys_player_pb2.ShowEndGameResponse),
        "ShowDisconnection": (
            eriantys_player_pb2.ShowDisconnectionRequest,
            eriantys_player_pb2.ShowDisconnectionResponse,
        ),
    },
)
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

_BOARD = write_field(eriantys_player_pb2.UpdateGameBoardRequest, "state")
_GAME_ID = write_field(eriantys_player_pb2.UpdateGameBoardRequest, "game_id")
_STATE = write_field(eriantys_player_pb2.AskActionRequest, "state")
_SETTINGS = write_field(eriantys_player_pb2.AskActionRequest, "settings")

Part: TypeAlias = Generator[Step, Any, None]


class Loss(NamedTuple):
    """A player that is to leave the game, and the cause."""

    seat: int
    cause: Cause


def play(game_id: str, state: State, names: Sequence[str]) -> Conversation:
    """Play a game from any state to its end; `names` are the players' by seat."""
    game = _Game(game_id, state, names)
    yield Show(Shown(state))
    yield from game.choose_towers()
    yield from game.start()
    yield from game.take_turns()
    yield from game.end()
    scores = rules.scores(game.state)
    return Outcome([[(seat, scores[seat]) for seat in group] for group in rules.ranking(game.state)])


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
            offered, seats = self.state, choosers(self.state)
            replies = yield from _together([self._tower_call(seat, refused.get(seat)) for seat in seats])
            losses = []
            for seat in seats:
                verdict = judge_tower(offered, seat, replies[seat])
                if isinstance(verdict, ChooseTowers):
                    if taken := choice_violation(self.state, seat, verdict.color):
                        refused[seat] = refusal(MalformedReplyError(taken, answers.described(verdict)))
                    else:
                        yield from self._show(choose(self.state, seat, verdict.color), LastAction(seat, verdict))
                elif isinstance(verdict, MalformedReplyError):
                    attempts[seat] += 1
                    refused[seat] = refusal(verdict)
                    if attempts[seat] >= self._most_attempts:
                        losses.append(Loss(seat, misconduct(verdict, offered)))
                else:
                    losses.append(Loss(seat, verdict))
            yield from self._lose(losses)

    def start(self) -> Part:
        """Tell everybody who is present that the game begins, unless it is over already."""
        if self.state.phase is Phase.OVER:
            return
        seats = self._present()
        replies = yield from _together(
            [self._tell(seat, START_GAME, self._requests.start(self.state, seat)) for seat in seats]
        )
        self._started = True
        yield from self._lose(_failed(replies))

    def take_turns(self) -> Part:
        """Ask for assistants and actions until the game is over."""
        while (seat := rules.turn(self.state)) is not None:
            if self.state.last_round and not self._last_round_shown:
                self._last_round_shown = True
                yield from self._show_last_round()
            else:
                yield from self._ask(seat)

    def end(self) -> Part:
        """Tell the result to everybody who is present or away."""
        seats = sorted([*self._present(), *self._away()])
        replies = yield from _together(
            [self._tell(seat, SHOW_END_GAME, self._requests.end(self.state, seat)) for seat in seats]
        )
        yield from self._lose(_failed(replies))

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
                yield from self._lose([Loss(seat, misconduct(verdict, state))])
            refused = refusal(verdict)

    def _update(self) -> Part:
        """Show the board to everybody, and once a round to those that are away, who are back if they answer."""
        away = self._away() if self.state.round > self._round else []
        self._round = self.state.round
        request = self._requests.board(self.state)
        seats = sorted([*self._present(), *away]) if away else self._present()
        replies = yield from _together(
            [Call(seat, UPDATE_GAME_BOARD, request, CallKind.NOTIFICATION) for seat in seats]
        )
        losses = _failed(replies)
        if away or losses:
            yield from self._updated(away, losses)

    def _updated(self, away: Sequence[int], failed: Sequence[Loss]) -> Part:
        """Take back those that were away and have answered, and lose those that were present and have not."""
        silent = {loss.seat for loss in failed}
        returned = [seat for seat in away if seat not in silent]
        for seat in returned:
            yield from self._show(rules.reconnect(self.state, seat))
        losses = [loss for loss in failed if loss.seat not in away]
        yield from self._lose(losses)
        if returned and not losses:
            yield from self._update()

    # Players that are lost

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
                requests = {
                    seat: self._requests.disconnection(self.state, seat, loss.seat)
                    for seat in self._present()
                    if seat not in gone
                }
                replies = yield from _together(
                    [self._tell(seat, SHOW_DISCONNECTION, requests[seat]) for seat in requests]
                )
                waiting.extend(_failed(replies))
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

    # Steps

    def _show(self, state: State, last: LastAction | None = None) -> Part:
        self.state = state
        yield Show(Shown(state, last))

    def _present(self) -> list[int]:
        return [seat for seat, standing in enumerate(self.state.standings) if standing is Standing.IN]

    def _away(self) -> list[int]:
        return [seat for seat, standing in enumerate(self.state.standings) if standing is Standing.AWAY]

    def _kind(self, seat: int) -> CallKind:
        """Return the kind of a question, which has a longer limit if it is the first one to a player."""
        if seat in self._asked:
            return CallKind.DECISION
        self._asked.add(seat)
        return CallKind.FIRST_DECISION

    def _tower_call(self, seat: int, refused: RuleBreak | None) -> Call:
        request = self._requests.tower_color(self.state, seat, refused)
        return Call(seat, ASK_TOWER_COLOR, request, self._kind(seat))

    def _tell(self, seat: int, method: Method, request: Any) -> Call:
        return Call(seat, method, request, CallKind.NOTIFICATION)

    def _show_last_round(self) -> Part:
        seats, state = self._present(), self.state
        replies = yield from _together(
            [self._tell(seat, SHOW_LAST_ROUND, self._requests.last_round(state, seat)) for seat in seats]
        )
        yield from self._lose(_failed(replies))


def _together(calls: Sequence[Call]) -> Generator[Step, Any, Mapping[int, Any]]:
    """Call several players at once, if any, and return their replies by seat."""
    if not calls:
        return {}
    replies: Mapping[int, Any] = yield CallAll(calls)
    return replies


def _failed(replies: Mapping[int, Any]) -> list[Loss]:
    """Return the players whose calls failed, by seat."""
    return sorted([Loss(seat, reply) for seat, reply in replies.items() if isinstance(reply, FAILURES)], key=_seat)


def _seat(loss: Loss) -> int:
    return loss.seat


# Requests: what stays the same is made once, and each board once


class _Requests:
    """Makes the requests of a game. A board is serialised once for all who are shown it."""

    def __init__(self, game_id: str, names: Sequence[str], settings: Settings) -> None:
        self._game_id = game_id
        self._names = names
        self._settings = codec.build_short_settings(settings)
        self._heads = Heads(eriantys_player_pb2.AskActionRequest, game_id)
        self._settings_data = _SETTINGS(self._settings.SerializeToString())
        self._state: State | None = None
        self._shown = eriantys_pb2.State()
        self._board = b""

    def board(self, state: State) -> bytes:
        """Return the board, serialised: the same for everybody."""
        return _GAME_ID(self._game_id.encode()) + _BOARD(self._board_data(state))

    def _board_data(self, state: State) -> bytes:
        self._public(state)
        return self._board

    def _public(self, state: State) -> eriantys_pb2.State:
        """Return what everybody may see: a message that changes with the next state."""
        if state is not self._state:
            put_public(self._shown, state, self._state)
            self._state, self._board = state, self._shown.SerializeToString()
        return self._shown

    def tower_color(
        self, state: State, seat: int, refused: RuleBreak | None
    ) -> eriantys_player_pb2.AskTowerColorRequest:
        """Return the question for a seat's tower colour."""
        request = eriantys_player_pb2.AskTowerColorRequest(
            game_id=self._game_id, seat=seat, state=self._public(state), settings=self._settings
        )
        request.possible_colors.extend([color + 1 for color in free_tower_colors(state)])  # type: ignore[misc]
        _put_refusal(request, refused)
        return request

    def question(self, state: State, refused: RuleBreak | None) -> bytes:
        """Return the question for the assistant, or the next action, of the seat to decide, serialised."""
        kind = eriantys_player_pb2
        request: Any = kind.AskAssistantCardRequest() if state.phase is Phase.ASSISTANT else kind.AskActionRequest()
        request.hand.extend(state.hands[state.active])
        if state.phase is Phase.ASSISTANT:
            request.possible_cards.extend(playable_assistants(state))
        else:
            answers.put_options(request.possible_actions, state)
        _put_refusal(request, refused)
        board = _STATE(self._board_data(state))
        rest: bytes = request.SerializeToString()
        return self._heads[state.active] + board + self._settings_data + rest

    def start(self, state: State, seat: int) -> eriantys_player_pb2.StartGameRequest:
        """Return the news that the game begins, for a seat."""
        return eriantys_player_pb2.StartGameRequest(
            game_id=self._game_id,
            seat=seat,
            state=self._public(state),
            settings=self._settings,
            player_names=self._names,
            hand=state.hands[seat],
        )

    def last_round(self, state: State, seat: int) -> eriantys_player_pb2.ShowLastRoundRequest:
        """Return the news that this round is the last one, for a seat."""
        reason = reason_number(state.last_round)
        return eriantys_player_pb2.ShowLastRoundRequest(game_id=self._game_id, seat=seat, reason=reason)

    def end(self, state: State, seat: int) -> eriantys_player_pb2.ShowEndGameRequest:
        """Return the result, for a seat."""
        return eriantys_player_pb2.ShowEndGameRequest(
            game_id=self._game_id,
            seat=seat,
            state=self._public(state),
            winner_seats=rules.winners(state),
            reason=reason_number(state.reason),
        )

    def disconnection(self, state: State, seat: int, lost: int) -> eriantys_player_pb2.ShowDisconnectionRequest:
        """Return the news that the player of the seat `lost` was lost, for a seat."""
        standing = STANDINGS[state.standings[lost]]
        return eriantys_player_pb2.ShowDisconnectionRequest(
            game_id=self._game_id, seat=seat, lost_seat=lost, standing=standing
        )


def _put_refusal(request: Any, refused: RuleBreak | None) -> None:
    request.first_request = refused is None
    if refused is not None:
        request.refusal.CopyFrom(eriantys_pb2.Refusal(rule_id=refused.rule_id, explanation=refused.explanation))
