"""Webset for people: a race, in which a complete reply is sent at once and silence is an answer, too."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.games.frontends import Choice, Frontend, GameView, IllegalChoiceError, Key, Offer, TableContext
from fairplay.games.kit.lettering import literally
from fairplay.games.kit.person import UNDO, Draft, Marks, Person
from fairplay.games.webset.guide import GUIDE
from fairplay.games.webset.rules import RULES
from fairplay.games.webset.rules.cards import CARDS, card_name
from fairplay.games.webset.views import text, words
from fairplay.games.webset.views.svg import svg
from fairplay.games.webset.views.words import ROWS, Scene, slot_part
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1 import webset_player_pb2 as messages

WINDOW_S = 3.0
"""The time for cards until Deal has told another."""
MARGIN_S = 0.5
"""How long before the end of its time limit a question is answered, at most half of the limit."""
GUARD_S = 1.0
"""How long keys do nothing after the time for cards has run out: they would be taken for something else."""

KEYS = {"space": "call-set", "m": "more-cards", "s": "show-solutions", "r": "end-solutions"}
"""The parts of the actions by their keys."""
NAMED_KEYS = {"comma": ",", "full_stop": "."}

Question: TypeAlias = messages.ActRequest | messages.PickCardsRequest
WithNews: TypeAlias = Question | messages.ReportRequest | messages.GameOverRequest


# What may be chosen in each question. A reply is sent as soon as it is complete: this is a race

ACTIONS = {
    "call-set": (messages.ACTION_CALL_SET, "SET!"),
    "more-cards": (messages.ACTION_MORE_CARDS, "more cards"),
    "show-solutions": (messages.ACTION_SHOW_SOLUTIONS, "show solutions"),
    "end-solutions": (messages.ACTION_END_SOLUTIONS, "remove them"),
}
"""What can be done with an open table, by its part in pictures: the action, and its name."""
PASS = "pass"
TRIPLE = 3


class Acting(NamedTuple):
    """The reply to Act."""

    actions: frozenset[int]
    """Those that may be tried."""
    part: str = ""

    @property
    def prompt(self) -> str:
        """Return what to do."""
        return "Say SET! as soon as you see a set."

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the actions that may be tried."""
        return () if self.part else action_choices(self.actions)

    @property
    def chosen(self) -> frozenset[str]:
        """Return the action, if it is chosen."""
        return frozenset([self.part] if self.part else [])

    @property
    def reply(self) -> messages.ActResponse | None:
        """Return the action, if it is chosen."""
        return messages.ActResponse(action=ACTIONS[self.part][0]) if self.part else None

    def choose(self, part: str) -> Acting:
        """Choose an action. Raises IllegalChoiceError if it may not be tried."""
        if part not in ACTIONS:
            raise IllegalChoiceError("Call SET! first, then pick three cards.")
        if ACTIONS[part][0] not in self.actions:
            raise IllegalChoiceError("That is not possible at the moment.")
        return self._replace(part=part)


def action_choices(actions: frozenset[int]) -> list[Choice]:
    """Return these actions as choices. Who may end a showing sees one: showing goes on to the next solution."""
    labels = {"show-solutions": "next solution"} if messages.ACTION_END_SOLUTIONS in actions else {}
    offered = [(part, labels.get(part, label)) for part, (action, label) in ACTIONS.items() if action in actions]
    return [Choice(part, label, float(place), ROWS) for place, (part, label) in enumerate(offered)]


class Picking(NamedTuple):
    """The reply to PickCards: three cards, or none where a player may pass.

    With `one_by_one` each card that is picked or put back is a reply, too: everybody sees it, as they see `known`. With
    `all_sets`, in a puzzle, any number of sets is named, one after the other.
    """

    slots: Sequence[int]
    """The table."""
    may_skip: bool = False
    picked: tuple[int, ...] = ()
    """Slots, in the order in which they were picked."""
    passed: bool = False
    one_by_one: bool = False
    known: frozenset[int] = frozenset()
    """The slots of the cards of which the referee knows that they are picked."""
    all_sets: bool = False
    named: tuple[tuple[int, ...], ...] = ()
    """The slots of the sets that are named, each sorted."""

    @property
    def complete(self) -> bool:
        """Return whether nothing more can be chosen."""
        return self.passed or (not self.all_sets and len(self.picked) == TRIPLE)

    @property
    def prompt(self) -> str:
        """Return what to pick."""
        if self.all_sets:
            return f"All sets, {len(self.named)} named. Three cards of another one, or done:"
        return "Three cards, or pass:" if self.may_skip else "SET! Three cards:"

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the cards that are not picked, and passing."""
        if self.complete:
            return ()
        cards = [
            Choice(slot_part(slot), card_name(card), float(slot // ROWS), float(slot % ROWS))
            for slot, card in enumerate(self.slots)
            if card < CARDS and slot not in self.picked
        ]
        return [*cards, *([Choice(PASS, self.way_out, 0.0, ROWS)] if self.may_skip else [])]

    @property
    def way_out(self) -> str:
        """Return the name of what ends the question without another card."""
        return "done" if self.all_sets else "pass"

    @property
    def chosen(self) -> frozenset[str]:
        """Return the cards that are picked, or that the person passes."""
        return frozenset([*map(slot_part, self.picked), *([PASS] if self.passed else [])])

    @property
    def cards(self) -> list[int]:
        """Return the cards that are picked."""
        return [self.slots[slot] for slot in self.picked]

    @property
    def reply(self) -> messages.PickCardsResponse | None:
        """Return the cards, if there are three of them, the person passes, or each card is to be told."""
        if self.passed:
            return messages.PickCardsResponse(cards=[self.slots[slot] for triple in self.named for slot in triple])
        news = self.one_by_one and frozenset(self.picked) != self.known
        return messages.PickCardsResponse(cards=self.cards) if self.complete or news else None

    def choose(self, part: str) -> Picking:
        """Pick a card, or put one back that is picked; or pass. A third card of a puzzle names a set, right or wrong.

        Raises IllegalChoiceError if that is impossible, or the set is named already.
        """
        if self.complete:
            return self
        if part == PASS and self.may_skip:
            return self._replace(passed=True, picked=())
        slot = next((slot for slot, card in enumerate(self.slots) if card < CARDS and slot_part(slot) == part), None)
        if slot is None:
            raise IllegalChoiceError(RULES["webset.take.on-table"])
        if slot in self.picked:
            return self._replace(picked=tuple(other for other in self.picked if other != slot))
        picked = (*self.picked, slot)
        if not self.all_sets or len(picked) < TRIPLE:
            return self._replace(picked=picked)
        triple = tuple(sorted(picked))
        if triple in self.named:
            raise IllegalChoiceError(RULES["webset.take.once"])
        return self._replace(picked=(), named=(*self.named, triple))


# The person


class WebsetPerson(Person[webset_pb2.State]):
    """A person at a table of Webset. A question that the person does not answer is answered with "nothing" in time."""

    game = "webset"
    state_type = webset_pb2.State

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._margin_s = min(MARGIN_S, table.limit_s / 2)
        self._window_s = WINDOW_S
        self._names: Sequence[str] = ()
        self._seat = 0
        self._reported_revision = 0
        self._reported_status = messages.STATUS_UNSPECIFIED
        self._actions: frozenset[int] = frozenset()
        """What could be tried when the table was open last."""
        self._early: tuple[str, Sequence[int]] | None = None
        """An action that was chosen between two questions, and the table that the person saw."""
        self._selecting = False
        """Whether a card was told that is picked, and the next question about the same call is awaited."""
        self._until = 0.0
        self._guarded_until = 0.0
        self._ranks: Sequence[int] = ()

    # --- the methods of the game ---

    async def deal(self, request: messages.DealRequest) -> None:
        """Begin a game."""
        self.begin()
        self._window_s = request.settings.window.ToMilliseconds() / 1000 or WINDOW_S
        self._ranks, self._early, self._names, self._actions = (), None, (), frozenset()
        self._selecting = False
        self._reported_revision, self._reported_status = request.state.revision, messages.STATUS_UNSPECIFIED
        self._seat = request.seat
        self.look(request.state)

    async def act(self, request: messages.ActRequest) -> messages.ActResponse:
        """Return what the person does, or "nothing" shortly before the time limit."""
        self._actions = frozenset(request.actions)
        self._take_news(request)
        reply: Message | None = self._early_reply(request)
        if reply is None:
            draft = Acting(self._actions)
            reply = await self._in_time(request, draft, self.table.limit_s, self._margin_s)
        self._settle()
        return (
            reply if isinstance(reply, messages.ActResponse) else messages.ActResponse(action=messages.ACTION_NOTHING)
        )

    def _early_reply(self, request: messages.ActRequest) -> messages.ActResponse | None:
        """Return the action that was chosen between two questions, if the table is as it was then."""
        early, self._early = self._early, None
        if early is None or ACTIONS[early[0]][0] not in request.actions or early[1] != list(request.state.slots):
            return None
        return Acting(self._actions, early[0]).reply

    async def pick_cards(self, request: messages.PickCardsRequest) -> messages.PickCardsResponse:
        """Return the three cards that the person picks, or none when the time is over.

        Where they are picked one by one, each is told at once; what was picked since the last question is kept.
        """
        kept, end_s = (self.draft, self._until) if self._selecting else (None, 0.0)
        self._take_news(request)
        self._selecting = False
        if request.all_sets:
            return await self._solve(request)
        draft = _picking(request, kept)
        window_s = end_s - self.table.clock() if kept is not None else self._window_s
        if kept is not None and draft.reply is not None:
            self.ask(request, draft, window_s)
            self._selecting = not draft.complete
            self._settle()
            return draft.reply
        reply = None
        try:
            reply = await self._in_time(request, draft, window_s)
        finally:
            if reply is None:
                self._guarded_until = self.table.clock() + GUARD_S
                self.table.on_change()
                asyncio.get_running_loop().call_later(GUARD_S, self.table.on_change)
        self._settle()
        return reply if isinstance(reply, messages.PickCardsResponse) else messages.PickCardsResponse()

    async def _solve(self, request: messages.PickCardsRequest) -> messages.PickCardsResponse:
        """Return the sets of a puzzle that the person names: what is named when the time is over counts, too."""
        self._window_s = self.table.limit_s
        draft = Picking(list(request.state.slots), may_skip=True, all_sets=True)
        reply = await self._in_time(request, draft, self.table.limit_s, self._margin_s)
        if reply is None and self._question is not None:
            reply = self._question.drafts[-1].choose(PASS).reply
        self._settle()
        return reply if isinstance(reply, messages.PickCardsResponse) else messages.PickCardsResponse()

    async def _in_time(self, request: Question, draft: Draft, limit_s: float, margin_s: float = 0.0) -> Message | None:
        """Return the person's reply, or None if none has come so long before the end of the time limit."""
        left_s = self.ask(request, draft, limit_s)
        try:
            async with asyncio.timeout(left_s - margin_s):
                return await self.wait(request.state)
        except TimeoutError:
            return None

    async def report(self, request: messages.ReportRequest) -> None:
        """Take news."""
        self._take_news(request)
        self._settle()

    async def game_over(self, request: messages.GameOverRequest) -> None:
        """Take the result of the game."""
        self._ranks = request.ranks
        self._take_news(request)

    @property
    def draft(self) -> Draft | None:
        """Return the draft of the reply to the question that waits; between two about one call the draft stays."""
        kept = self._question if self._selecting else None
        return kept.drafts[-1] if kept is not None else super().draft

    def settle(self) -> None:
        """Forget the question, unless it comes again for the next card."""
        if not self._selecting:
            super().settle()

    def send(self) -> bool:
        """Send the reply, and return whether there is one to send."""
        draft = self.draft
        sent = super().send()
        if sent:
            self._selecting = isinstance(draft, Picking) and not draft.complete
        return sent

    def undo(self) -> None:
        """Take the last choice back, and tell it if cards are told one by one."""
        super().undo()
        self.send()

    def _settle(self) -> None:
        """Record that the last question is answered, so that what it told is not told again."""
        self.settle()
        self._reported_status = messages.STATUS_UNSPECIFIED

    # --- what is seen ---

    def _take_news(self, request: WithNews) -> None:
        """Show the state, and report the news of a call, except what a cancelled call has told already."""
        self._seat = request.seat
        self.look(request.state)
        scene = Scene(request.state, request.seat, self._names)
        for event in request.events:
            if event.revision > self._reported_revision and (line := words.event_line(event, scene)):
                self.table.report(line)
        if request.status != self._reported_status and (line := words.own_act_line(request.status, request.rule_id)):
            self.table.report(line)
        self._reported_revision = max([self._reported_revision, *(event.revision for event in request.events)])
        self._reported_status = request.status

    def update(self, state: Message) -> None:
        """Take what spectators see: it comes also while the person is asked nothing, as when a player is lost."""
        if self.state is not None:
            super().update(state)

    def show(self, state: webset_pb2.State) -> None:
        """Show a state."""
        before = None if self.state is None else words.caller(self.state)
        if words.caller(state) not in (None, before):
            self._until = self.table.clock() + self._window_s
        if words.caller(state) != self._seat:
            self._selecting = False
        if len(self._names) < len(state.players):  # of this game, whoever leaves its table later
            self._names = (*self._names, *self.table.names()[len(self._names) :])
        super().show(state)

    def is_over(self, state: webset_pb2.State) -> bool:
        """Return whether a state is the end of its game."""
        return state.phase == webset_pb2.PHASE_OVER

    def draw(self, state: webset_pb2.State, marks: Marks) -> str:
        """Return the table."""
        return text.board_text(self._scene(state))

    def draw_svg(self, state: webset_pb2.State, marks: Marks) -> str:
        """Return the table with its keys, the players, and what can be done, as one SVG document."""
        return svg(state, self._names, marks, self._buttons(state))

    def describe(self, state: webset_pb2.State) -> str:
        """Return the players with their points."""
        return text.side_text(self._scene(state))

    def _scene(self, state: webset_pb2.State) -> Scene:
        return Scene(state, self._seat, self._names, self._picked)

    def _buttons(self, state: webset_pb2.State) -> Sequence[Choice]:
        """Return what can be chosen beside cards; between two questions about an open table it stays."""
        if isinstance(self.draft, Picking):
            return [choice for choice in self.draft.choices if choice.part == PASS]
        may_act = self.draft is not None or state.phase == webset_pb2.PHASE_OPEN
        return action_choices(self._actions) if may_act and not self._guarded else ()

    @property
    def _picked(self) -> Sequence[int]:
        return self.draft.cards if isinstance(self.draft, Picking) else ()

    @property
    def _cursor(self) -> Choice | None:
        """Return None: each card and each action has a key of its own."""
        return None

    @property
    def _guarded(self) -> bool:
        """Return whether a letter may still be meant for a card, as the time for cards has just run out."""
        return self.table.clock() < self._guarded_until and not isinstance(self.draft, Picking)

    def offer(self) -> Offer:
        """Return what the person may do now; no time runs but that for cards."""
        state = self.state
        if state is None or isinstance(self.draft, Picking):
            return super().offer()
        if self._guarded:
            return Offer("Too late.")
        choices = self.draft.choices if self.draft is not None else ()
        if words.caller(state) is not None:
            left_s = self._until - self.table.clock()
            return Offer(words.going_on(self._scene(state)), choices, left_s=max(0.0, left_s))
        if state.phase == webset_pb2.PHASE_OVER:
            return Offer(words.end_line(self._scene(state), self._ranks))
        waiting = self.draft.prompt if self.draft is not None else super().offer().prompt
        return Offer(words.going_on(self._scene(state)) or waiting, choices)

    @property
    def marks(self) -> Marks:
        """Return what is marked in the picture now."""
        offer = self.offer()
        return Marks(frozenset(choice.part for choice in offer.choices), offer.chosen)

    def view(self) -> GameView:
        """Return the table, the players, and what may be done."""
        if self.state is None:
            return super().view()
        letters = isinstance(self.draft, Picking) or self._guarded
        ticking = letters or words.caller(self.state) is not None
        status = text.status_line(self.offer(), words.picked(self._scene(self.state)), self._window_s)
        return GameView(
            self.draw(self.state, self.marks), self.describe(self.state), status, self._keys(), letters, ticking
        )

    def _keys(self) -> list[Key]:
        if isinstance(self.draft, Picking):
            way_out = [Key("enter", self.draft.way_out)] if self.draft.may_skip else []
            undo = [Key(UNDO, "undo")] if self.draft.all_sets else []
            return [Key("letter", "pick or put back"), *way_out, *undo]
        offered = {choice.part: choice.label for choice in self.offer().choices}
        return [Key(key, offered[part]) for key, part in KEYS.items() if part in offered]

    # --- what the person does ---

    def press(self, key: str) -> bool:
        """Take a key, and return whether it means anything now."""
        draft, state = self.draft, self.state
        if isinstance(draft, Picking):
            return self._pick(draft, key)
        if self._guarded:
            return True
        if key not in KEYS or state is None or state.phase == webset_pb2.PHASE_OVER:
            return False
        self._try(KEYS[key])
        return True

    def _pick(self, draft: Picking, key: str) -> bool:
        slot = words.slot_at(self.state, NAMED_KEYS.get(key, key)) if self.state is not None else None
        if key == "enter" and draft.may_skip:
            self.choose(PASS)
        elif key == UNDO and draft.all_sets:
            self.undo()
        elif slot is not None:
            self._try(slot_part(slot))
        else:
            return False
        return True

    def _try(self, part: str) -> None:
        """Choose a part, or say why it may not be chosen."""
        try:
            self.choose(part)
        except IllegalChoiceError as error:
            self.table.report(str(error))

    def choose(self, part: str) -> None:
        """Choose a part, and send the reply once it is complete. Raises IllegalChoiceError if it may not be chosen.

        An action that is chosen between two questions about an open table is kept for the second; in the call of
        another player it would be rash.
        """
        state = self.state
        if part in ACTIONS and state is not None and not isinstance(self.draft, Picking):
            if words.caller(state) == self._seat:
                return
            if words.caller(state) is not None or (self._actions and ACTIONS[part][0] not in self._actions):
                raise IllegalChoiceError(words.why_not(part, self._scene(state)))
            if self.draft is None:
                if state.phase == webset_pb2.PHASE_OPEN:
                    self._early = (part, list(state.slots))
                return
        before = self.draft
        super().choose(part)
        self._report_named(before)
        self.send()

    def _report_named(self, before: Draft | None) -> None:
        """Say which set of a puzzle was named just now."""
        now = self.draft
        if isinstance(now, Picking) and isinstance(before, Picking) and len(now.named) > len(before.named):
            cards = ", ".join(card_name(now.slots[slot]) for slot in now.named[-1])
            self.table.report(f"You name set {len(now.named)}: {cards}.")


def _picking(request: messages.PickCardsRequest, kept: Draft | None) -> Picking:
    """Return the draft of a reply: with the cards of the one that was kept, or those that are known to be picked."""
    slots = list(request.state.slots)
    known = tuple(slots.index(card) for card in request.state.picked if card in slots)
    picked = kept.picked if isinstance(kept, Picking) else known
    return Picking(slots, request.may_skip, picked, one_by_one=request.one_by_one, known=frozenset(known))


def _watched(state: webset_pb2.State, names: Sequence[str]) -> GameView:
    """Return the table as a spectator sees it."""
    scene = Scene(state, -1, names)
    return GameView(text.board_text(scene), text.side_text(scene), literally(words.going_on(scene) or "You watch."))


FRONTEND = Frontend(
    settings="more_rule=if_no_set show_enabled=true selection=single window=10s",
    main_settings={
        "aspects": "In how many ways cards differ (4: 81 cards, 3: 27)",
        "window": "Time to pick three cards after a call",
        "more_rule": "Who decides that three more cards are dealt",
        "show_enabled": "Solutions may be shown",
    },
    limit="1m",
    bot="solver:reaction=20",
    help=(
        "Space calls a set, the keys in the boxes of cards pick them, and the same key again puts a card back. Where "
        "the table allows it m deals three more cards, s shows the solutions one after the other, and r ends the "
        "showing and removes them. In a puzzle Backspace takes the last card back, and Enter ends it."
    ),
    guide=GUIDE,
    view_of=_watched,
    create_player=WebsetPerson,
)
