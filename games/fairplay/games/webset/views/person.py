"""A person as a player of Webset: its answers come from keys. The front end of the game for `fairplay.games.fronts`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from google.protobuf.message import Message

from fairplay.games.fronts import Chair, Key, View
from fairplay.games.webset.views import board
from fairplay.games.webset.views.board import Seen
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1 import webset_player_pb2 as messages

WINDOW_S = 3.0
"""The time for cards where no Deal has said another."""
MARGIN_S = 0.5
"""So much before the end of its time limit a question is answered, at most half of the limit."""

GUARD_S = 1.0
"""How long keys do nothing after the time for cards has run out: they would be taken for something else."""

ACTIONS = {
    "space": (messages.ACTION_CALL_SET, "SET!"),
    "m": (messages.ACTION_MORE_CARDS, "more cards"),
    "s": (messages.ACTION_SHOW_SOLUTIONS, "solutions"),
    "r": (messages.ACTION_END_SOLUTIONS, "remove them"),
}
NAMED_KEYS = {"comma": ",", "full_stop": "."}


class Request(Protocol):
    """What Act, PickCards, Report and GameOver have in common."""

    @property
    def seat(self) -> int:
        """Its own seat."""

    @property
    def state(self) -> webset_pb2.State:
        """What everybody may see."""

    @property
    def status(self) -> messages.Status.ValueType:
        """What became of its last act."""

    @property
    def events(self) -> Sequence[messages.Event]:
        """What has happened."""


class Person:
    """A person at a table. A question that nobody answers is answered with "nothing" just before its time is over."""

    game = "webset"
    name = "a person"

    def __init__(self, chair: Chair) -> None:
        self._chair = chair
        self._patience_s = chair.limit_s - min(MARGIN_S, chair.limit_s / 2)
        self._window_s = WINDOW_S
        self._names: Sequence[str] = ()
        self._state: webset_pb2.State | None = None
        self._seat = 0
        self._actions: frozenset[int] = frozenset()
        self._question: asyncio.Future[messages.Action.ValueType] | None = None
        self._early: tuple[messages.Action.ValueType, Sequence[int]] | None = None
        self._picked: list[int] = []
        self._take: asyncio.Future[list[int]] | None = None
        self._may_skip = False
        self._until = 0.0
        self._still = 0.0
        self._ranks: Sequence[int] = ()

    # --- the methods of the game ---

    async def deal(self, request: messages.DealRequest) -> None:
        """A game begins."""
        self._window_s = request.settings.window.ToMilliseconds() / 1000 or WINDOW_S
        self._ranks, self._early, self._names = (), None, ()
        self._look(request.seat, request.state)

    async def act(self, request: messages.ActRequest) -> messages.ActResponse:
        """What the person wants, or nothing when the time is nearly over."""
        self._actions = frozenset(request.actions)
        self._hear(request)
        action = self._wanted_early(request) or await self._asked()
        return messages.ActResponse(action=action)

    def _wanted_early(self, request: messages.ActRequest) -> messages.Action.ValueType | None:
        """A key that was pressed after the last question was over, if the table is as it was."""
        early, self._early = self._early, None
        if early is None or early[0] not in request.actions or early[1] != list(request.state.slots):
            return None
        return early[0]

    async def _asked(self) -> messages.Action.ValueType:
        self._question = asyncio.get_running_loop().create_future()
        self._chair.changed()
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._question
        except TimeoutError:
            return messages.ACTION_NOTHING
        finally:
            self._question = None
            self._chair.changed()

    async def pick_cards(self, request: messages.PickCardsRequest) -> messages.PickCardsResponse:
        """The three cards that the person picks; none when the time is over."""
        self._picked, self._may_skip = [], request.may_skip
        self._take = asyncio.get_running_loop().create_future()
        self._hear(request)
        self._until = self._chair.clock() + self._window_s
        try:
            async with asyncio.timeout(self._window_s):
                return messages.PickCardsResponse(cards=await self._take)
        except TimeoutError:
            return messages.PickCardsResponse()
        finally:
            if len(self._picked) < 3:
                self._still = self._chair.clock() + GUARD_S
            self._take, self._picked = None, []
            self._chair.changed()

    async def report(self, request: messages.ReportRequest) -> None:
        """Something has happened."""
        self._hear(request)

    async def game_over(self, request: messages.GameOverRequest) -> None:
        """The game is over."""
        self._ranks = request.ranks
        self._hear(request)

    # --- what is seen ---

    def _hear(self, request: Request) -> None:
        self._look(request.seat, request.state)
        seen = Seen(request.state, request.seat, self._names)
        for event in request.events:
            if line := board.happened(event, seen):
                self._chair.tell(line)
        if line := board.STATUSES.get(request.status, ""):
            self._chair.tell(line)

    def show(self, state: Message) -> None:
        """What spectators see: it comes also when the person is not asked anything, as when a player is lost."""
        if not isinstance(state, webset_pb2.State) or self._state is None:
            return
        if state.revision > self._state.revision:
            self._look(self._seat, state)

    def _look(self, seat: int, state: webset_pb2.State) -> None:
        before = None if self._state is None else board.caller(self._state)
        if board.caller(state) not in (None, before):
            self._until = self._chair.clock() + self._window_s
        self._names = self._names or tuple(self._chair.names())  # of this game, whoever leaves its table later
        self._seat, self._state = seat, state
        self._chair.changed()

    def view(self) -> View:
        """The table, the players, and what may be done."""
        if self._state is None:
            return View("", "", "You have a seat. The game begins when somebody starts it.")
        seen = Seen(self._state, self._seat, self._names, tuple(self._picked))
        letters = self._take is not None or self._guarded
        ticking = letters or board.caller(self._state) is not None
        return View(board.drawn(seen), board.beside(seen), self._status(seen), self._keys(), letters, ticking)

    @property
    def _guarded(self) -> bool:
        """Whether a letter may still be meant for a card, as the time for cards has only just run out."""
        return self._chair.clock() < self._still

    def _status(self, seen: Seen) -> str:
        left_s = self._until - self._chair.clock()
        if self._guarded and self._take is None:
            return "Too late."
        if self._take is not None:
            return board.picking(seen, left_s, self._window_s)
        if board.caller(seen.state) is not None:
            return board.called(seen, left_s, self._window_s)
        if seen.state.phase == webset_pb2.PHASE_SHOWING:
            return board.showing(seen.state)
        if seen.state.phase == webset_pb2.PHASE_OVER:
            return board.ended(seen, self._ranks)
        return "Press Space as soon as you see a set." if self._question is not None else "Wait for the others."

    def _keys(self) -> list[Key]:
        if self._take is not None:
            return [Key("letter", "pick or put back"), *([Key("enter", "pass")] if self._may_skip else [])]
        if self._question is None or self._guarded:
            return []
        return [Key(key, label) for key, (action, label) in ACTIONS.items() if action in self._actions]

    # --- keys ---

    def press(self, key: str) -> bool:
        """Takes a key."""
        if self._take is not None:
            return self._pick(self._take, key)
        if self._guarded:
            return True
        if key not in ACTIONS or self._state is None or self._state.phase == webset_pb2.PHASE_OVER:
            return False
        action, _ = ACTIONS[key]
        if self._question is None:
            self._remember(action)
        elif action in self._actions and not self._question.done():
            self._question.set_result(action)
        return True

    def _remember(self, action: messages.Action.ValueType) -> None:
        """Between two questions about an open table a key is kept; while somebody has called it would be rash."""
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
        self._chair.changed()
        return True


class WebsetFront:
    """Webset for people (`games.fronts.Front`)."""

    settings = "more_rule=if_no_set show_enabled=true"
    limit = "1m"
    help = (
        "Space calls a set: nobody else may touch the table then, and within a few seconds you pick three cards by the "
        "keys in their boxes. The same key again puts a card back. A right set is a point; a wrong one, or none in "
        "time, costs one. Where the table allows it m deals three more cards, s shows the solutions one after the "
        "other, and r ends the showing and removes them."
    )

    def watch(self, state: Message, names: Sequence[str]) -> View:
        """The table as a watcher sees it."""
        if not isinstance(state, webset_pb2.State):
            return View("", "", "")
        seen = Seen(state, -1, names)
        return View(board.drawn(seen), board.beside(seen), board.watched(seen))

    def sit(self, chair: Chair) -> Person:
        """A person at a table."""
        return Person(chair)


FRONT = WebsetFront()
