"""Webset for people: a player whose answers come from keys, for `fairplay.games.frontends`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.games.frontends import GameView, Key, TableContext
from fairplay.games.webset.views import board
from fairplay.games.webset.views.board import Scene
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1 import webset_player_pb2 as messages

WINDOW_S = 3.0
"""The time for cards until Deal has told another."""
MARGIN_S = 0.5
"""How long before the end of its time limit a question is answered, at most half of the limit."""
GUARD_S = 1.0
"""How long keys do nothing after the time for cards has run out: they would be taken for something else."""

ACTIONS = {
    "space": (messages.ACTION_CALL_SET, "SET!"),
    "m": (messages.ACTION_MORE_CARDS, "more cards"),
    "s": (messages.ACTION_SHOW_SOLUTIONS, "solutions"),
    "r": (messages.ACTION_END_SOLUTIONS, "remove them"),
}
NAMED_KEYS = {"comma": ",", "full_stop": "."}

Question: TypeAlias = messages.ActRequest | messages.PickCardsRequest
Told: TypeAlias = Question | messages.ReportRequest | messages.GameOverRequest


class _Asked(NamedTuple):
    """A question, and when its time limit is over."""

    request: Question
    end_s: float


class Person:
    """A person at a table. A question that the person does not answer is answered with "nothing" in time."""

    game = "webset"
    name = "a person"

    def __init__(self, table: TableContext) -> None:
        self._table = table
        self._margin_s = min(MARGIN_S, table.limit_s / 2)
        self._window_s = WINDOW_S
        self._names: Sequence[str] = ()
        self._state: webset_pb2.State | None = None
        self._seat = 0
        self._asked: _Asked | None = None
        self._told_revision = 0
        self._told_status = messages.STATUS_UNSPECIFIED
        self._actions: frozenset[int] = frozenset()
        self._act: asyncio.Future[messages.Action.ValueType] | None = None
        self._early: tuple[messages.Action.ValueType, Sequence[int]] | None = None
        self._picked: list[int] = []
        self._take: asyncio.Future[list[int]] | None = None
        self._may_skip = False
        self._until = 0.0
        self._guarded_until = 0.0
        self._ranks: Sequence[int] = ()

    # --- the methods of the game ---

    async def deal(self, request: messages.DealRequest) -> None:
        """Begin a game."""
        self._window_s = request.settings.window.ToMilliseconds() / 1000 or WINDOW_S
        self._ranks, self._early, self._names, self._asked = (), None, (), None
        self._told_revision, self._told_status = request.state.revision, messages.STATUS_UNSPECIFIED
        self._look(request.seat, request.state)

    async def act(self, request: messages.ActRequest) -> messages.ActResponse:
        """Return what the person does, or "nothing" shortly before the time limit."""
        self._actions = frozenset(request.actions)
        self._take_news(request)
        left_s = self._time_left(request, self._table.limit_s) - self._margin_s
        action = self._early_action(request) or await self._wait_for_action(left_s)
        self._settle()
        return messages.ActResponse(action=action)

    def _time_left(self, request: Question, limit_s: float) -> float:
        """Return the seconds until a question must be answered.

        A question that was cancelled comes again after a lost connection. Its limit goes on from the first time, unless
        it is over: then the server itself was started again, and asks anew.
        """
        now = self._table.clock()
        if self._asked is None or self._asked.request != request or self._asked.end_s <= now:
            self._asked = _Asked(request, now + limit_s)
        return self._asked.end_s - now

    def _settle(self) -> None:
        """Record that the last question is answered, so that what it told is not told again."""
        self._asked, self._told_status = None, messages.STATUS_UNSPECIFIED

    def _early_action(self, request: messages.ActRequest) -> messages.Action.ValueType | None:
        """Return the action of a key that was pressed between two questions, if the table is as it was then."""
        early, self._early = self._early, None
        if early is None or early[0] not in request.actions or early[1] != list(request.state.slots):
            return None
        return early[0]

    async def _wait_for_action(self, left_s: float) -> messages.Action.ValueType:
        self._act = asyncio.get_running_loop().create_future()
        self._table.on_change()
        try:
            async with asyncio.timeout(left_s):
                return await self._act
        except TimeoutError:
            return messages.ACTION_NOTHING
        finally:
            self._act = None
            self._table.on_change()

    async def pick_cards(self, request: messages.PickCardsRequest) -> messages.PickCardsResponse:
        """Return the three cards that the person picks, or none when the time is over."""
        self._picked, self._may_skip = [], request.may_skip
        self._take = asyncio.get_running_loop().create_future()
        self._take_news(request)
        left_s = self._time_left(request, self._window_s)
        self._until = self._table.clock() + left_s
        try:
            async with asyncio.timeout(left_s):
                cards = await self._take
        except TimeoutError:
            cards = []
        finally:
            if len(self._picked) < 3:
                self._guarded_until = self._table.clock() + GUARD_S
            self._take, self._picked = None, []
            self._table.on_change()
        self._settle()
        return messages.PickCardsResponse(cards=cards)

    async def report(self, request: messages.ReportRequest) -> None:
        """Take news."""
        self._take_news(request)
        self._settle()

    async def game_over(self, request: messages.GameOverRequest) -> None:
        """Take the result of the game."""
        self._ranks = request.ranks
        self._take_news(request)

    # --- what is seen ---

    def _take_news(self, request: Told) -> None:
        """Show the state, and report the news of a call, except what a cancelled call has told already."""
        self._look(request.seat, request.state)
        scene = Scene(request.state, request.seat, self._names)
        for event in request.events:
            if event.revision > self._told_revision and (line := board.event_line(event, scene)):
                self._table.report(line)
        if request.status != self._told_status and (line := board.STATUSES.get(request.status, "")):
            self._table.report(line)
        self._told_revision = max([self._told_revision, *(event.revision for event in request.events)])
        self._told_status = request.status

    def update(self, state: Message) -> None:
        """Take what spectators see: it comes also while the person is asked nothing, as when a player is lost."""
        if not isinstance(state, webset_pb2.State) or self._state is None:
            return
        if state.revision > self._state.revision:
            self._look(self._seat, state)

    def _look(self, seat: int, state: webset_pb2.State) -> None:
        before = None if self._state is None else board.caller(self._state)
        if board.caller(state) not in (None, before):
            self._until = self._table.clock() + self._window_s
        self._names = self._names or tuple(self._table.names())  # of this game, whoever leaves its table later
        self._seat, self._state = seat, state
        self._table.on_change()

    def view(self) -> GameView:
        """Return the table, the players, and what may be done."""
        if self._state is None:
            return GameView("", "", "You have a seat. The game begins when somebody starts it.")
        scene = Scene(self._state, self._seat, self._names, tuple(self._picked))
        letters = self._take is not None or self._guarded
        ticking = letters or board.caller(self._state) is not None
        return GameView(board.draw(scene), board.describe(scene), self._status(scene), self._keys(), letters, ticking)

    @property
    def _guarded(self) -> bool:
        """Return whether a letter may still be meant for a card, as the time for cards has just run out."""
        return self._table.clock() < self._guarded_until

    def _status(self, scene: Scene) -> str:
        left_s = self._until - self._table.clock()
        if self._guarded and self._take is None:
            return "Too late."
        if self._take is not None:
            return board.picking_line(scene, left_s, self._window_s)
        if board.caller(scene.state) is not None:
            return board.called_line(scene, left_s, self._window_s)
        if scene.state.phase == webset_pb2.PHASE_SHOWING:
            return board.showing_line(scene.state)
        if scene.state.phase == webset_pb2.PHASE_OVER:
            return board.end_line(scene, self._ranks)
        return "Press Space as soon as you see a set." if self._act is not None else "Wait for the others."

    def _keys(self) -> list[Key]:
        if self._take is not None:
            return [Key("letter", "pick or put back"), *([Key("enter", "pass")] if self._may_skip else [])]
        if self._act is None or self._guarded:
            return []
        return [Key(key, label) for key, (action, label) in ACTIONS.items() if action in self._actions]

    # --- keys ---

    def press(self, key: str) -> bool:
        """Take a key, and return whether it means anything now."""
        if self._take is not None:
            return self._pick(self._take, key)
        if self._guarded:
            return True
        if key not in ACTIONS or self._state is None or self._state.phase == webset_pb2.PHASE_OVER:
            return False
        action, _ = ACTIONS[key]
        if self._act is None:
            self._remember(action)
        elif action in self._actions and not self._act.done():
            self._act.set_result(action)
        return True

    def _remember(self, action: messages.Action.ValueType) -> None:
        """Keep a key that is pressed between two questions about an open table; in the call of another it is rash."""
        if self._state is not None and self._state.phase == webset_pb2.PHASE_OPEN:
            self._early = (action, list(self._state.slots))

    def _pick(self, take: asyncio.Future[list[int]], key: str) -> bool:
        if take.done() or self._state is None:
            return True
        if key == "enter" and self._may_skip:
            take.set_result([])
            return True
        card = board.card_at(self._state, NAMED_KEYS.get(key, key))
        if card is None:
            return False
        (self._picked.remove if card in self._picked else self._picked.append)(card)
        if len(self._picked) == 3:
            take.set_result(list(self._picked))
        self._table.on_change()
        return True


class WebsetFrontend:
    """The front end of Webset."""

    settings = "more_rule=if_no_set show_enabled=true"
    limit = "1m"
    help = (
        "Space calls a set: nobody else may touch the table then, and within a few seconds you pick three cards by the "
        "keys in their boxes. The same key again puts a card back. A right set is a point; a wrong one, or none in "
        "time, costs one. Where the table allows it m deals three more cards, s shows the solutions one after the "
        "other, and r ends the showing and removes them."
    )

    def view_of(self, state: Message, names: Sequence[str]) -> GameView:
        """Return the table as a spectator sees it."""
        if not isinstance(state, webset_pb2.State):
            return GameView("", "", "")
        scene = Scene(state, -1, names)
        return GameView(board.draw(scene), board.describe(scene), board.spectator_line(scene))

    def create_player(self, table: TableContext) -> Person:
        """Return a player for a person at a table."""
        return Person(table)


FRONTEND = WebsetFrontend()
