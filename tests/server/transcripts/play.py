"""Whole games through the public side of the referee, and what comes of them, in simulated time.

A transcript is all that players, spectators, observers and records learn of a game, and what replays, verification and
the questions of rules say about it afterwards. Times of the machine's own clock and versions are left out. What the
players do is drawn here and in `faults`: a probe or a mutation more in a game changes no transcript.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import groupby
from random import Random
from typing import Any, NamedTuple

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.games.envelopes import pack, wrap
from fairplay.games.game import Game, find
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, Failure, Show
from fairplay.player.handlers import reply_of
from fairplay.server.game import rules
from fairplay.server.game.referee import Referee
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Link
from fairplay.server.links.ways import Links
from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.replay import Called, Came, Eliminated, Ended, Shown, replay
from fairplay.server.records.store import Store
from fairplay.server.records.verify import verify
from fairplay.v1 import referee_pb2, rules_pb2
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.record_pb2 import Record, RecordEntry
from tests.server.quick import quick_clock
from tests.server.transcripts.faults import FaultyLink

PAUSE_S = 0.0137
"""How long after a call something else happens: at an instant of its own, so that nothing depends on who is first."""
DELAYS_S = (0.0, 0.0, 0.0, 0.05, 0.05, 0.1, 0.4)
"""Few different ones, so that players are often as fast as each other."""
MOST_CALLS = 150
"""After so many a game is stopped."""
START_NS = 1_000_000_000 * 10**9
STRATEGIES = {"webset": ("first", "random", "solver:reaction=0.05", "solver:reaction=0.1,spread=0")}
QUICK = ("first", "random")
HANDICAP = Duration(nanos=90_000_000)
LONE_SURVIVOR_STOPS = {"lone_survivor": "LONE_SURVIVOR_STOP"}
MORE_SETTINGS: dict[str, Sequence[dict[str, Any]]] = {
    "fish": (
        LONE_SURVIVOR_STOPS,
        {
            "penguin_count_basis": "PENGUIN_COUNT_BASIS_SURVIVORS",
            "announce_order": "ANNOUNCE_ORDER_PER_PLAYER",
            "random_fish": True,
            "holes": 3,
        },
    ),
    "q": (LONE_SURVIVOR_STOPS,),
    "bazaar": (LONE_SURVIVOR_STOPS,),
    "eriantys": (
        {"on_disconnect": "ON_DISCONNECT_ELIMINATE"},
        {"on_disconnect": "ON_DISCONNECT_SKIP_TURNS", "explicit_end_turn": True},
        {"on_disconnect": "ON_DISCONNECT_SKIP_TURNS", "interrupted_turn": "INTERRUPTED_TURN_LEAVE"},
    ),
    "webset": (
        {"aspects": 3, "late_join": True},
        {"aspects": 3, "late_join": True, "min_reaction": Duration(nanos=70_000_000)},
        {"aspects": 3, "late_join": True, "handicaps": [Duration(nanos=40_000_000), Duration(), *[HANDICAP] * 4]},
        {
            "aspects": 3,
            "late_join": True,
            "selection": "SELECTION_SINGLE",
            "more_rule": "MORE_RULE_ANYONE",
            "show_enabled": True,
        },
        {"aspects": 3, "late_join": True, "rounds": "ROUNDS_EARLIEST"},
        {"aspects": 3, "rounds": "ROUNDS_LOT"},
        {"rounds": "ROUNDS_PUZZLE"},
        {"profile": "PROFILE_SEED", "aspects": 3, "act_cap": 60},
    ),
}


class Entry(NamedTuple):
    """A line of a transcript: its text, and bytes that belong to it."""

    text: str
    data: bytes = b""

    def show(self, limit: int = 100) -> str:
        """Return the entry for people."""
        shown = f"{self.text} {self.data.hex()}" if self.data else self.text
        digest = sha256(self.data).hexdigest()[:8]
        return shown if len(shown) <= limit else f"{shown[:limit]}… ({len(self.data)} bytes, {digest})"


@dataclass(slots=True)
class Scenario:
    """A game and what happens to it, all drawn from its number."""

    game: Game
    settings: Message
    state: Message | None
    strategies: Sequence[str]
    shares: Sequence[float]
    """In which share of its calls each player fails."""
    delays_s: Sequence[float]
    """How long players take, one of these for each call."""
    bank_s: int
    suspend_after: list[int]
    """After how many calls the server is started anew, each counted from the start before."""
    stop_after: int
    leave_after: int | None
    join_after: list[int]


def scenario(name: str, number: int) -> Scenario:
    """Return the scenario of this number of a game."""
    rng = Random(f"{name}/{number}")
    game = find(name)
    settings = game.settings_type(**rng.choice(({}, {}, *MORE_SETTINGS[name])))
    count = rng.choice([count for count in game.seats_with(game.full_settings(settings)) if count <= 4])
    fault_share = rng.choice((0.0, 0.02, 0.05, 0.1))
    every = [1] * 60 if number % 10 == 1 else [rng.randrange(1, 60) for _ in range(rng.choice((0, 0, 1, 2)))]
    return Scenario(
        game=game,
        settings=settings,
        state=_middle(game, settings, count, rng) if number % 4 == 0 else None,
        strategies=[rng.choice(STRATEGIES.get(name, QUICK)) for _ in range(count)],
        shares=[fault_share if rng.random() < 0.7 else 0.0 for _ in range(count)],
        delays_s=DELAYS_S[number % 10 == 1 and 3 :],
        bank_s=rng.choice((0, 0, 2)),
        suspend_after=every,
        stop_after=rng.randrange(1, 60) if rng.random() < 0.1 else MOST_CALLS,
        leave_after=rng.randrange(1, 40) if rng.random() < 0.2 else None,
        join_after=[rng.randrange(1, 20) for _ in range(rng.randrange(4))] if joins_late(game, settings) else [],
    )


def _middle(game: Game, settings: Message, count: int, rng: Random) -> Message:
    """Return any state of a game between random players."""
    players = [game.player("random") for _ in range(count)]
    machine = GameMachine(game.play("before", settings, [f"p{seat}" for seat in range(count)], rng, None))
    shown = [
        step.state for step in machine.play(lambda call: reply_of(players[call.seat], call)) if isinstance(step, Show)
    ]
    return game.full_state(rng.choice(shown))


def joins_late(game: Game, settings: Message) -> bool:
    """Return whether players may join games with these settings while they go on."""
    may_join: Callable[[Message], bool] = getattr(game, "may_join_late", lambda _: False)
    return may_join(game.full_settings(settings))


class Stage:
    """One game on a server that is started anew now and then."""

    def __init__(self, name: str, number: int, store: Store) -> None:
        self.scenario = scenario(name, number)
        self.called: list[Entry] = []
        self.observed: list[Entry] = []
        self.seen: list[Entry] = []
        self._game_id = f"{name}-{number}"
        self._rng = Random(f"{self._game_id}/play")
        self._store = store
        self._clock = quick_clock()
        self._count = 0
        self._milestones: list[tuple[int, asyncio.Event]] = []

    # An observer of the referee

    def game_begun(self, game: referee_pb2.Game) -> None:
        self.observed.append(Entry("begun"))

    def trace(self, game_id: str) -> str:
        return ""

    def call_settled(self, game_id: str, call: Call, link: str, outcome: bytes | Failure, elapsed_s: float) -> None:
        data = outcome if isinstance(outcome, bytes) else outcome.SerializeToString()
        text = f"settled {call.seat} {call.method.name} {link} {type(outcome).__name__} {elapsed_s:.9f}"
        self.observed.append(Entry(text, data))
        self._count += 1
        for due, event in self._milestones:
            if self._count >= due:
                event.set()

    def game_left(self, game: referee_pb2.Game) -> None:
        self.observed.append(Entry("left"))

    def note_call(self, text: str, data: bytes) -> None:
        """Note a call to a player, or what became of it."""
        self.called.append(Entry(text, data))

    async def _reach(self, count: int) -> None:
        """Wait until so many calls have been settled from now on, and a moment longer."""
        event = asyncio.Event()
        self._milestones.append((self._count + count, event))
        await event.wait()
        await asyncio.sleep(PAUSE_S)

    # The game

    async def play(self) -> Record:
        """Play the game to its end, and return its record."""
        scenario = self.scenario
        players = zip(scenario.strategies, scenario.shares, strict=True)
        links = [self._link(seat, *player) for seat, player in enumerate(players)]
        for after in [*scenario.suspend_after, None]:
            referee = Referee(Links(Hub(self._clock), self._clock), self._store, [self])
            if await self._play_on(referee, links, after):
                break
            links += [self._link(seat, "first", 0.0) for seat in range(len(links), self._seat_count())]
        for link in links:
            await link.close()
        return self._store.read(self._game_id)

    def _link(self, seat: int, strategy: str, share: float) -> FaultyLink:
        rng, delays = Random(f"{self._game_id}/{seat}"), self.scenario.delays_s
        return FaultyLink(self._clock, self.scenario.game, strategy, share, delays, rng, seat, self.note_call)

    async def _play_on(self, referee: Referee, links: Sequence[Link], after: int | None) -> bool:
        """Play until the game is over, or so many calls have been settled. Return whether it is over."""
        playing = asyncio.create_task(referee.play(self._plan(), self._game_id, links=links))
        await asyncio.sleep(0)
        watching = asyncio.create_task(self._watch(referee))
        others = [asyncio.create_task(each) for each in self._disturbances(referee, after)]
        try:
            self.seen.append(_entry("over", await playing, "end_time", "start_time"))
        except Refusal as refusal:
            self.seen.append(Entry(f"refused {refusal.reason}: {refusal.message}"))
        await watching
        for task in others:
            task.cancel()
        for outcome in await asyncio.gather(*others, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome
        return not self._store.has_open(self._game_id)

    def _seat_count(self) -> int:
        joined = sum(entry.HasField("joined") for entry in parsed(self._store.read(self._game_id)))
        return len(self.scenario.strategies) + joined

    def _plan(self) -> referee_pb2.GamePlan:
        scenario = self.scenario
        limit = Duration(seconds=1)
        plan = referee_pb2.GamePlan(
            game=scenario.game.name,
            players=[Player(name=f"p{seat}", link="bot:first") for seat in range(len(scenario.strategies))],
            seed=Random(self._game_id).randrange(2**40),
            settings=wrap(GameSettings, scenario.game, scenario.settings),
            time_control=TimeControl(
                decision_limit=limit,
                first_decision_limit=Duration(seconds=2),
                notification_limit=limit,
                bank=Duration(seconds=scenario.bank_s),
            ),
        )
        if scenario.state is not None:
            plan.initial_state.CopyFrom(wrap(GameState, scenario.game, scenario.state))
        return plan

    def _disturbances(self, referee: Referee, after: int | None) -> list[Any]:
        scenario, found = self.scenario, [self._stop(referee)]
        if after is not None:
            found.append(self._suspend(referee, after))
        if scenario.leave_after is not None:
            found.append(self._leave(referee, scenario.leave_after))
        if scenario.join_after:
            joining, scenario.join_after = scenario.join_after, []
            found.append(self._join(referee, joining))
        return found

    async def _suspend(self, referee: Referee, after: int) -> None:
        await self._reach(after)
        await referee.suspend_all()

    async def _stop(self, referee: Referee) -> None:
        await self._reach(self.scenario.stop_after - self._count)
        await referee.stop(self._game_id, "enough")

    async def _leave(self, referee: Referee, after: int) -> None:
        await self._reach(after)
        seat = self._rng.randrange(len(self.scenario.strategies))
        referee.leave(self._game_id, seat, "it has left")
        await self._reach(self._rng.randrange(1, 10))
        self.seen.append(Entry(f"come back {seat} {referee.come_back(self._game_id, seat)}"))

    async def _join(self, referee: Referee, joining: Sequence[int]) -> None:
        for number, after in enumerate(joining):
            await self._reach(after)
            if self._game_id in referee.running_ids:
                referee.join(self._game_id, Player(name=f"late{number}", link="bot:first"))
                self.seen.append(Entry(f"seats {referee.seat_count(self._game_id)}"))

    async def _watch(self, referee: Referee) -> None:
        try:
            async for event in referee.watch(self._game_id, 0):
                for player in event.asked.players:
                    player.ClearField("deadline")
                self.seen.append(_entry("seen", event, "time"))
        except Refusal as refusal:
            self.seen.append(Entry(f"unseen {refusal.reason}"))


def _entry(text: str, message: Message, *left_out: str) -> Entry:
    for field in left_out:
        message.ClearField(field)
    return Entry(text, message.SerializeToString(deterministic=True))


def timeless(record: Record) -> Record:
    """Return a record with times and versions that are always the same."""
    entries = []
    for entry in parsed(record):
        if entry.HasField("game"):
            entry.game.start_time.FromNanoseconds(START_NS)
            entry.game.ClearField("server_version")
            entry.game.ClearField("players")
        elif entry.HasField("resumed"):
            entry.resumed.time.CopyFrom(Timestamp(seconds=START_NS // 10**9))
            entry.resumed.ClearField("server_version")
        elif entry.HasField("result"):
            entry.result.end_time.FromNanoseconds(START_NS * 2)
        entries.append(entry.SerializeToString())
    return chained(entries)


async def transcript(name: str, number: int, store: Store) -> list[Entry]:
    """Play a game, and return its transcript."""
    stage = Stage(name, number, store)
    record = timeless(await stage.play())
    entries = [*_settled_order(stage.called), *stage.observed, *stage.seen]
    entries += (Entry(f"entry {at}", each.entry) for at, each in enumerate(record.entries, 1))
    states: list[object] = []
    for event in replay(record):
        if isinstance(event, Shown):
            states.append(event.state)
        entries.append(_replayed(stage.scenario.game, event))
    entries += (Entry(f"found {finding}") for finding in verify(record, finished=True))
    rng = Random(f"{name}/{number}/afterwards")
    for what, changed in _falsified(record, rng):
        findings = "; ".join(_without_detail(str(finding)) for finding in verify(changed, finished=True))
        entries.append(Entry(f"falsified {what}: {findings}"))
    if number % 5 == 2 and states:
        entries += _answers(stage.scenario, rng.choice(states), rng)
    return entries


def _settled_order(called: Sequence[Entry]) -> Iterator[Entry]:
    """Yield entries with the calls that are cancelled at one instant in one order, whichever was cancelled first."""
    for is_cancelled, entries in groupby(called, lambda entry: " cancelled " in entry.text):
        found = list(entries)
        yield from sorted(found) if is_cancelled else found


def _replayed(game: Game, event: object) -> Entry:
    match event:
        case Called():
            data = event.answer.SerializeToString()
            return Entry(f"called {event.entry} {event.number} {event.call!r} {event.elapsed_s:.9f}", data)
        case Shown():
            state = game.full_state(event.state)
            at_s = (event.time_ns - START_NS) / 1e9
            return Entry(
                f"shown {event.entry} {event.sequence} {at_s:.9f}", state.SerializeToString(deterministic=True)
            )
        case Eliminated():
            return Entry(f"eliminated {event.entry} {event.sequence}", event.misconduct.SerializeToString())
        case Came():
            seat, at_s = event.newcomer.seat, (event.newcomer.time_ns - START_NS) / 1e9
            return Entry(f"came {event.entry} {event.sequence} {seat} {at_s:.9f}")
        case Ended():
            return Entry(f"ended {event.entry} {event.sequence}", event.result.SerializeToString())
    raise AssertionError(event)


def _without_detail(problem: str) -> str:
    """Return a finding without what differs between versions of Python."""
    return problem.partition("Error: ")[0]


def _falsified(record: Record, rng: Random) -> list[tuple[str, Record]]:
    """Return records in which something was changed, with sound chains."""
    entries = [RecordEntry.FromString(each.entry) for each in record.entries]
    found = []
    for _ in range(2):
        at = rng.randrange(1, len(entries))
        changed = [RecordEntry.FromString(each.SerializeToString()) for each in entries]
        what = rng.choice(("left out", "twice", "moved", "cut", "reply", "seat", "number", "method", "together"))
        call = changed[at].call
        if what == "left out":
            del changed[at]
        elif what == "twice":
            changed.insert(at, changed[at])
        elif what == "moved":
            changed.insert(at - 1, changed.pop(at)) if at > 1 else None
        elif what == "cut":
            del changed[at:]
        elif entries[at].HasField("call"):
            if what == "reply":
                call.reply = b"\xff"
            elif what == "seat":
                call.seat += 1
            elif what == "number":
                call.number += 1
            elif what == "method":
                call.method_name += "x"
            else:
                call.more_follow = not call.more_follow
        found.append((f"{what} {at}", chained(each.SerializeToString() for each in changed)))
    return found


def _answers(scenario: Scenario, state: object, rng: Random) -> list[Entry]:
    """Return what the questions of rules answer about a state."""
    game = scenario.game
    full = game.full_state(state)
    seat = rng.randrange(len(scenario.strategies))
    asked = rules_pb2.Position(
        game=game.name,
        settings=wrap(GameSettings, game, scenario.settings),
        state=wrap(GameState, game, full),
        seat=seat,
    )
    entries: list[Entry] = []

    def ask(what: str, work: Callable[[], Message]) -> Message | None:
        try:
            answer = work()
        except Refusal as refusal:
            entries.append(Entry(f"{what} refused {refusal.reason}: {refusal.message}"))
            return None
        entries.append(Entry(what, answer.SerializeToString(deterministic=True)))
        return answer

    for other in range(len(scenario.strategies)):
        asked.seat = other
        listed: Any = ask(f"legal {other}", lambda: rules.list_legal_replies(rules.read_position(asked)))
        if listed is None:
            continue
        replies = [*listed.replies[:2], pack(Player())]
        methods = {method.path: method for method in game.methods}
        replies.append(pack(methods[listed.method_name].response()))
        for reply in replies:
            ask("check", partial(rules.check_reply, rules.read_position(asked), reply))
            ask("apply", partial(rules.apply_reply, rules.read_position(asked), reply))
    request = rules_pb2.SimulateGameRequest(
        game=game.name, settings=asked.settings, seed=seat, strategies=["first", "random"]
    )
    ask("simulated", lambda: rules.simulate_game(request))
    return entries
