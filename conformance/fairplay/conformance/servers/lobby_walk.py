"""A walk through a lobby: what people ask for one after the other, and what each is answered by lobby.proto."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple, TypeAlias

from fairplay.conformance.servers.scenes import NOBODY
from fairplay.conformance.servers.texts import LARGEST
from fairplay.server.net.limits import limit_of
from fairplay.v1.table_pb2 import Seat as SeatMessage
from fairplay.v1.table_pb2 import Table as TableMessage
from fairplay.v1.table_pb2 import TableStatus

OPEN, RUNNING, OVER = (
    TableStatus.TABLE_STATUS_OPEN,
    TableStatus.TABLE_STATUS_RUNNING,
    TableStatus.TABLE_STATUS_OVER,
)
STATUS = {OPEN: "an open table", RUNNING: "a running table", OVER: "a table whose game is over"}
PLAYERS, GUESTS = 3, 4
"""So many people have players that have dialled in, and so many have none: they watch, own tables and bring bots."""
MOST_TABLES, MOST_OWNED = 4, 2
LONGEST_GAME = 30
"""After so many steps a game is played to its end."""
WRONG = "no-such-token"
ASKED_BY_USERS: dict[str, dict[str, Any]] = {
    "Rename": {"name": "zora"},
    "ListTables": {},
    "CreateTable": {"name": "zora"},
    "WatchTable": {"table": "zora"},
    "JoinTable": {"table": "zora"},
    "SetBots": {},
    "SetReady": {},
    "LeaveTable": {},
    "DeleteTable": {"table": "zora"},
    "StartTable": {},
    "Say": {"text": "hello"},
    "Leave": {},
    "Attend": {},
}
"""Each method that only a user may call -> a request of it, without the token."""
BAD_NAMES = ("", "a b", "ä", "a/b", "x" * 21, "bot-1", "anna\n", "\nanna", "anna\N{FULLWIDTH DIGIT ONE}")
BAD_TABLE_NAMES = ("", " a", "a ", "a/b", "ä", "x" * 21, "a\n", "\na", "a\N{FULLWIDTH DIGIT ONE}")
BAD_TEXTS = ("", "  ", "a\nb", "a\u202eb", "x" * 501)
LONGEST_TEXT = LARGEST * limit_of("SayRequest.text").max_characters
SEATING = ("SetBots", "JoinTable", "SetReady", "StartTable")
"""What is asked for at each kind of table."""
CHANCES = {
    ("JoinTable", True): 4.0,
    ("StartTable", True): 4.0,
    ("StartTable", False): 4.0,
    ("SetReady", True): 4.0,
    ("JoinTable", False): 0.2,
    **dict.fromkeys(itertools.product(("LeaveTable", "WatchTable", "Leave"), (True, False)), 0.3),
    **dict.fromkeys(itertools.product(("DeleteTable",), (True, False)), 0.1),
}
"""What is asked for, and whether by somebody with a player -> how likely that is, where it is not 1: games are played
before what they need is gone again."""


SCRIPT = (
    *((number, "Enter", "") for number in range(PLAYERS + GUESTS - 1)),
    (0, "CreateTable", "for any number"),
    (0, "JoinTable", ""),
    (1, "JoinTable", ""),
    (2, "JoinTable", ""),
    (0, "StartTable", ""),
    (1, "LeaveTable", ""),
    (2, "Leave", ""),
    (0, "DeleteTable", ""),
    (2, "Enter", ""),
    (3, "CreateTable", "for any number"),
    (0, "JoinTable", ""),
    (1, "JoinTable", ""),
    (3, "SetBots", "one bot more"),
    (0, "SetReady", "(ready"),
    (0, "SetReady", "(not ready"),
    (0, "SetReady", "(ready"),
    (1, "SetReady", "when all others"),
    (0, "", ""),
    (3, "SetBots", "999 bots"),
    (3, "SetBots", "one bot fewer, with another link"),
    (1, "StartTable", ""),
    (1, "LeaveTable", ""),
    (3, "Rename", "another name"),
    (3, "Leave", ""),
    (0, "", ""),
    (1, "JoinTable", ""),
    (4, "CreateTable", "for any number"),
    (4, "SetBots", "one bot more"),
    (4, "SetBots", "one bot more, with another link"),
    (2, "JoinTable", ""),
    (4, "SetBots", "as many bots as there are, with another link"),
    (4, "CreateTable", "for any number"),
    (4, "Rename", "another name"),
    (4, "DeleteTable", "about another one"),
    (0, "LeaveTable", ""),
    (0, "CreateTable", "for 2"),
    (0, "SetBots", "one bot more, with no link"),
    (0, "JoinTable", "the last free seat"),
    (0, "", ""),
    (0, "SetBots", "one bot fewer, with no link"),
    (0, "SetBots", "one bot more, with no link"),
)
"""Who asks for what, in these words: states that a walk hardly comes to by itself. Without a method, games end."""


@dataclass(eq=False)
class Person:
    """Somebody with a name and a token; `plays` says whether a player has dialled in under the name."""

    name: str
    plays: bool
    token: str = ""
    here: bool = False
    table: Table | None = None
    former: list[str] = field(default_factory=list)
    """Names that the person had before, and that are free."""
    had: bool = False
    """Whether something is gone or over for which its name was kept: a table, or the game of one."""
    asked: int = 0
    """How often it has asked for something."""

    @property
    def playing(self) -> bool:
        """Return whether the person has a seat in a running game."""
        return self.table is not None and self.table.status == RUNNING and self.table.seat(self) is not None


@dataclass(eq=False)
class Seat:
    """The seat of a person or, without one, of a bot."""

    person: Person | None
    bot: str = ""
    ready: bool = False
    left: bool = False


@dataclass(eq=False)
class Table:
    """A table as the requests so far have made it, with the sizes of its game."""

    name: str
    owner: Person
    seat_count: int
    sizes: range
    seats: list[Seat] = field(default_factory=list)
    watchers: list[Person] = field(default_factory=list)
    status: TableStatus.ValueType = OPEN
    steps: int = 0
    """How many steps its game takes already."""
    games: list[Sequence[str]] = field(default_factory=list)
    """The names of the players of each game, in turn order."""

    @property
    def smallest(self) -> int:
        """Return the fewest seats with which a game starts."""
        return self.seat_count or self.sizes.start

    @property
    def largest(self) -> int:
        """Return the most seats."""
        return self.seat_count or self.sizes.stop - 1

    @property
    def taken(self) -> Sequence[Seat]:
        """Return the seats of people, those who have left included."""
        return [seat for seat in self.seats if seat.person is not None]

    @property
    def playable(self) -> bool:
        """Return whether the players of all who have seats are there, so that it is known how a game goes."""
        return bool(self.taken) and all(seat.person is not None and seat.person.plays for seat in self.taken)

    def seat(self, person: Person) -> Seat | None:
        """Return the seat of a person, or None if it has none or has left it."""
        return next((seat for seat in self.seats if seat.person is person and not seat.left), None)

    def has_left(self, person: Person) -> bool:
        """Return whether a person has left the running game."""
        return any(seat.person is person and seat.left for seat in self.seats)

    def is_ready(self, seats: Sequence[Seat]) -> bool:
        """Return whether these are enough, and all of them ready."""
        return len(seats) >= self.smallest and all(seat.ready or seat.person is None for seat in seats)

    def people(self) -> Sequence[Person]:
        """Return who is here."""
        return [*self.watchers, *(seat.person for seat in self.taken if seat.person is not None and not seat.left)]

    def message(self) -> TableMessage:
        """Return what must be told of the table."""
        told = TableMessage(name=self.name, owner=self.owner.name, status=self.status, seat_count=self.seat_count)
        told.min_seat_count, told.max_seat_count = self.smallest, self.largest
        told.watchers.extend(sorted(each.name for each in self.watchers))
        for name, seat in zip(self.names(), self.seats, strict=True):
            ready = seat.ready or seat.person is None
            told.seats.append(SeatMessage(name=name, present=not seat.left, ready=ready, bot=seat.bot))
        return told

    def names(self) -> Sequence[str]:
        """Return the names of those who have seats, in turn order."""
        numbers = itertools.count(1)
        return [f"bot-{next(numbers)}" if seat.person is None else seat.person.name for seat in self.seats]

    def kind(self) -> str:
        """Return what kind of table it is, in words with an article."""
        words = [STATUS[self.status]]
        words += [f"for {self.seat_count}"] * bool(self.seat_count)
        words += ["with bots"] * (len(self.taken) < len(self.seats))
        words += ["without a free seat"] * (len(self.seats) >= self.largest)
        words += ["that somebody has left"] * any(seat.left for seat in self.seats)
        return " ".join(words)


class Step(NamedTuple):
    """One request, and what must come of it."""

    person: Person
    method: str
    """Empty: no request, but the end of the game at the table."""
    fields: dict[str, Any]
    what: str
    """What is asked for, and by whom, in words."""
    reason: str
    """Why it must be refused; empty: it must be granted."""
    table: Table | None
    """The table, where the reply tells one."""
    label: tuple[object, ...]
    """What is asked for, and in which class of states."""
    effect: Callable[[], object] | None
    """None: it changes nothing."""


Ask: TypeAlias = Callable[..., Step]


class Walk:
    """People who ask for tables, seats and games. `new_name` gives a name that nobody has with each call.

    A step that could be refused for two reasons, or whose outcome nothing says, is never taken.
    """

    def __init__(self, seed: int, new_name: Callable[[], str], sizes: range, bots: Sequence[str]) -> None:
        self.people = [Person(new_name(), number < PLAYERS) for number in range(PLAYERS + GUESTS)]
        self.tables: list[Table] = []
        self.covered: set[tuple[object, ...]] = set()
        self._rng = Random(seed)
        self._new_name = new_name
        self._sizes = sizes
        self._bots = bots
        """The links of the bots, first that of the first strategy."""
        self.deleted = [new_name()]
        """Names of tables that are deleted."""

    def steps(self, count: int) -> Iterator[Step]:
        """Yield the steps of SCRIPT, with all that is fresh in between and changes nothing, and then so many others."""
        for number, method, what in SCRIPT:
            if method:
                steps = [*self._steps_of(self.people[number])]
                forced = [step for step in steps if step.method == method and what in step.what and step.effect]
                yield self._take(self._rng.choice(forced))
            else:
                yield from (self._take(self._end(table)) for table in self.tables if table.status == RUNNING)
            while fresh := next(self._fresh(), None):
                yield self._take(fresh)
        for _ in range(count):
            yield self._take(self._choose())
        while self.tables:
            yield from self._clear_away(self.tables[0])

    def _take(self, step: Step) -> Step:
        self.covered.add(step.label)
        step.person.asked += 1
        for table in self.tables:
            table.steps += table.status == RUNNING
        if step.effect:
            step.effect()
        return step

    def _fresh(self) -> Iterator[Step]:
        """Yield what nobody has asked for in such a state, and what changes nothing."""
        for person in sorted(self.people, key=lambda each: (each.asked, self._rng.random())):
            steps = list(self._steps_of(person))
            yield from (step for step in steps if not step.effect and step.label not in self.covered)

    def _choose(self) -> Step:
        """Return what nobody has asked for in such a state or, if there is nothing, what changes something."""
        for table in self.tables:
            if table.status == RUNNING and table.steps > LONGEST_GAME:
                return self._end(table)
        known: list[Step] = []
        for person in sorted(self.people, key=lambda each: (each.asked, self._rng.random())):
            steps = list(self._steps_of(person))
            if fresh := [step for step in steps if step.label not in self.covered]:
                return self._draw(fresh)
            known += [step for step in steps if step.effect]
        return self._draw([*known, *(self._end(table) for table in self.tables if table.status == RUNNING)])

    def _clear_away(self, table: Table) -> Iterator[Step]:
        if table.status == RUNNING:
            yield self._take(self._end(table))
        for method in [*["Enter"] * (not table.owner.here), "DeleteTable"]:
            steps = (step for step in self._steps_of(table.owner) if step.method == method and step.effect)
            yield self._take(
                next(step for step in steps if step.fields.get("table", table.name).lower() == table.name.lower())
            )

    def _draw(self, steps: Sequence[Step]) -> Step:
        return self._rng.choices(steps, [CHANCES.get((step.method, step.person.plays), 1.0) for step in steps])[0]

    def _end(self, table: Table) -> Step:
        """Return the step in which a game is played to its end."""

        def end() -> None:
            for person in (table.owner, *(seat.person for seat in table.taken if seat.person is not None)):
                person.had = True
            table.status, table.seats = OVER, [seat for seat in table.seats if not seat.left]

        asking = next(person for person in (*table.people(), *self.people) if person.here)
        return Step(asking, "", {}, f"the end of the game of {table.kind()}", "", table, ("",), end)

    # --- what a person may ask for ---

    def _steps_of(self, person: Person) -> Iterator[Step]:
        if not person.here:
            yield from self._entering(person)
            return
        table = person.table
        ask = self._asking(person, table)
        yield from self._of_wrong_texts(person)
        yield from self._of_names(person, ask)
        yield from self._creating(person, ask)
        reason = "" if table is not None else "NOT_AT_TABLE"
        yield ask("Say", "a text of the largest letters", text=LONGEST_TEXT, reason=reason)
        if not self._empties(person, table):
            yield ask("LeaveTable", "", effect=lambda: self._leave(person))
            if not any(each.owner is person and not {*each.people()} - {person} for each in self.tables):
                yield ask("Leave", "", effect=lambda: self._go(person))
        if table is None:
            yield from self._at_none(person, ask)
        else:
            yield from self._at_own(person, table, ask)
        for each in self.tables:
            yield from self._at_named(person, each, self._asking(person, each, self._letters(each.name)))
        for method in ("WatchTable", "JoinTable", "DeleteTable"):
            yield ask(method, "a deleted table", table=self.deleted[-1], reason="TABLE_NOT_FOUND")

    def _asking(self, person: Person, table: Table | None, name: str = "") -> Ask:
        """Return what makes steps of a person at a table; with a name, that is the table which is asked about."""
        own = person.table
        part = "who is at no table" if own is None else f"who {_part(person, own)} {own.kind()}"
        part = f"{part}{', its own' * (own is not None and own.owner is person)}"
        where = f"a user {part}"
        if name and table is not own and table is not None:
            where += f", about another one, {table.kind()}{', its own' * (table.owner is person)}"
            where += ", which the user has left" * table.has_left(person)
        state: tuple[object, ...] = ()
        filling: tuple[object, ...] = ()
        if table is not None:
            state = (_part(person, table), table.owner is person, table.status)
            filling = (table.seat_count, len(table.taken) < len(table.seats), len(table.seats) >= table.largest)
            if name:
                state += (person.playing, own is None, own is table, any(seat.left for seat in table.seats))

        def ask(
            method: str, what: str, *, reason: str = "", effect: Callable[[], object] | None = None, **fields: Any
        ) -> Step:
            fields |= {"table": name} if name else {}
            told = None if method in ("Say", "Rename", "LeaveTable", "Leave", "DeleteTable", "Enter") else table
            label = (method, what, reason, *state, *(filling if method in SEATING and not reason else ()))
            asked = f"{method}{f' ({what})' if what else ''}, asked for by {where},"
            return Step(person, method, fields, asked, reason, told, label, effect)

        return ask

    def _letters(self, name: str) -> str:
        """Return a name, or that name in capital letters."""
        return self._rng.choice([name, name, name.upper()])

    def _entering(self, person: Person) -> Iterator[Step]:
        kept = self._keeps_name(person)
        what = "a user who has left"
        what = f"{what} and owns a table or has a seat in a running game" if kept else what
        owns = any(table.owner is person for table in self.tables)
        label = ("Enter", kept, owns, person.had)

        def enter(name: str, token: str, about: str, reason: str = "") -> Step:
            asked = f"Enter ({about}), asked for by {what if person.token else 'a new user'},"
            fields = {"name": name, "token": token}
            made = Step(person, "Enter", fields, asked, reason, None, (*label, about, reason), None)
            return made if reason else made._replace(effect=lambda: self._enter(person, name))

        if not person.token:
            free = [name for other in self.people for name in other.former if not person.plays]
            if free:
                yield enter(self._letters(free[0]), "", "a name that another user had before")
            else:
                yield enter(person.name, "", "a name")
            return
        yield enter(person.name, person.token, "its name and its token")
        if not kept:
            yield enter(person.name, "", "its name, which is free, without a token")
            yield enter(person.name, WRONG, "its name, which is free, with another token")
        else:
            yield enter(self._letters(person.name), "", "its name without a token", "NAME_TAKEN")
            yield enter(self._letters(person.name), WRONG, "its name with another token", "WRONG_TOKEN")
        method = self._rng.choice([*ASKED_BY_USERS])
        asked = f"{method}, asked for by {what},"
        token = self._rng.choice([person.token, WRONG])  # that of nobody
        yield Step(
            person,
            method,
            {**ASKED_BY_USERS[method], "token": token},
            asked,
            "UNKNOWN_USER",
            None,
            (method, WRONG),
            None,
        )

    def _of_wrong_texts(self, person: Person) -> Iterator[Step]:
        """Yield requests with names and texts that nobody may have, each once."""
        wrong = itertools.chain(
            (("Enter", "name", name, "NAME_INVALID") for name in BAD_NAMES),
            (("Rename", "name", name, "NAME_INVALID") for name in BAD_NAMES if not person.playing),
            (("CreateTable", "name", name, "NAME_INVALID") for name in BAD_TABLE_NAMES if not person.playing),
            (("Say", "text", text, "TEXT_INVALID") for text in BAD_TEXTS if person.table is not None),
        )
        for method, name, text, reason in wrong:
            if (method, text) not in self.covered:
                asked = f"{method} with the {name} {text[:9]!r}"
                yield Step(person, method, {name: text}, asked, reason, None, (method, text), None)

    def _of_names(self, person: Person, ask: Ask) -> Iterator[Step]:
        own = self._letters(person.name)
        yield ask("Enter", "the user's own name and token", name=own, token=person.token)
        yield ask("Enter", "the user's own name without a token", reason="NAME_TAKEN", name=own, token="")
        yield ask("Enter", "the user's own name and another token", reason="WRONG_TOKEN", name=own, token=WRONG)
        if person.playing:
            yield ask("Rename", "another name", reason="SEATED", name=self._new_name())
            return
        yield ask("Rename", "the name that the user has", name=person.name)
        for other in self.people:
            if other is not person and (other.here or self._keeps_name(other)):
                whose = "somebody else" if other.here else "somebody who has left and owns a table or plays"
                yield ask("Rename", f"the name of {whose}", reason="NAME_TAKEN", name=self._letters(other.name))
        if not person.plays and not any(table.has_left(person) for table in self.tables):
            for what, name in (
                ("another name", self._new_name()),
                ("the name that the user has, in other letters", person.name.swapcase()),
            ):
                yield ask("Rename", what, effect=lambda name=name: self._rename(person, name), name=name)

    def _creating(self, person: Person, ask: Ask) -> Iterator[Step]:
        for seat_count, size in ((0, "for any number"), (2, "for 2")):
            if person.playing:
                yield ask("CreateTable", size, reason="SEATED", name=self._new_name(), seat_count=seat_count)
                continue
            for table in self.tables[:1]:
                taken = self._letters(table.name)
                what = f"{size}, of the name of another one"
                yield ask("CreateTable", what, reason="NAME_TAKEN", name=taken, seat_count=seat_count)
            owned = sum(each.owner is person for each in self.tables)
            if owned == MOST_OWNED or len(self.tables) == MOST_TABLES or self._empties(person, person.table):
                continue
            for what, name in ((size, self._new_name()), (f"{size}, of the name of a deleted one", self.deleted[-1])):
                made = Table(name, person, seat_count, self._sizes)
                step = ask(
                    "CreateTable",
                    what,
                    effect=lambda made=made: self._create(person, made),
                    name=name,
                    seat_count=seat_count,
                )
                yield step._replace(table=made)

    def _at_none(self, person: Person, ask: Ask) -> Iterator[Step]:
        yield ask("SetBots", "a bot", reason="NOT_AT_TABLE", count=1)
        yield ask("JoinTable", "", reason="NOT_AT_TABLE")
        yield ask("SetReady", "", reason="NOT_SEATED", ready=True)
        if not any(table.owner is person for table in self.tables):
            yield ask("StartTable", "", reason="NOT_SEATED")

    def _at_own(self, person: Person, table: Table, ask: Ask) -> Iterator[Step]:
        seat, running = table.seat(person), table.status == RUNNING
        if seat is None and not running:
            yield ask("SetReady", "", reason="NOT_SEATED", ready=True)
        if seat is not None:
            yield from self._of_readiness(table, seat, ask)
        if running and (seat is not None or table.owner is person):
            yield ask("SetBots", "a bot", reason="TABLE_RUNNING", count=1)
            yield ask("StartTable", "", reason="TABLE_RUNNING")
        elif seat is None and table.owner is not person and not running:
            yield ask("SetBots", "a bot", reason="NOT_SEATED", count=1)
            if len(table.seats) >= table.smallest:
                yield ask("StartTable", "", reason="NOT_SEATED")
        elif not running:
            yield ask("SetBots", "the link of no bot", reason="INVALID_LINK", count=1, link="dial-in:anna")
            yield from self._of_bots(table, ask)
            if len(table.seats) < table.smallest:
                yield ask("StartTable", "", reason="TOO_FEW_SEATS")
            elif table.playable:
                yield ask("StartTable", "", effect=lambda: self._start(table))

    def _of_readiness(self, table: Table, seat: Seat, ask: Ask) -> Iterator[Step]:
        if table.status == RUNNING:
            yield ask("SetReady", "", reason="TABLE_RUNNING", ready=True)
            return
        for ready in (True, False):
            after = [Seat(each.person, ready=ready if each is seat else each.ready) for each in table.seats]
            starts = ready and not seat.ready and table.is_ready(after)
            if starts and not table.playable:
                continue
            what = f"{'ready' if ready else 'not ready'}{', as before' * (seat.ready == ready)}"
            what += ", when all others are" * starts

            def set_ready(ready: bool = ready, starts: bool = starts) -> None:
                seat.ready = ready
                if starts:
                    self._start(table)

            yield ask("SetReady", what, effect=None if seat.ready == ready else set_ready, ready=ready)

    def _of_bots(self, table: Table, ask: Ask) -> Iterator[Step]:
        users = list(table.taken)
        now, room = len(table.seats) - len(users), table.largest - len(users)
        counts = {999: "999 bots", room + 1: "more bots than there are free seats", room: "bots for all free seats"}
        counts |= {0: "no bots", now - 1: "one bot fewer", now + 1: "one bot more", now: "as many bots as there are"}
        was_full = now == room
        for count, many in counts.items():
            for link in ("", *self._bots) if count >= 0 else ():
                due = link or self._bots[0]
                other = bool(now) and due != table.seats[-1].bot
                made = [*users, *(Seat(None, due) for _ in range(min(count, room)))]
                full = len(made) == table.largest
                starts = full and not was_full and table.seat_count > 0
                if starts and not table.playable:
                    continue
                if full and was_full and other and table.seat_count:
                    continue  # whether the last seat is taken then is not said
                if not starts and any(seat.ready for seat in users) and table.is_ready(made):
                    continue  # nor whether a game starts then
                what = f"{many}{', with no link' if not link else ', with another link' if other else ''}"

                def set_bots(made: list[Seat] = made, starts: bool = starts) -> None:
                    table.seats = made
                    if starts:
                        self._start(table)

                yield ask("SetBots", what, effect=set_bots, count=count, link=link)

    def _at_named(self, person: Person, table: Table, ask: Ask) -> Iterator[Step]:
        running, owns, seat = table.status == RUNNING, table.owner is person, table.seat(person)
        others = [each for each in table.seats if not each.left and each.person is not person]
        if not owns and not running:
            yield ask("DeleteTable", "", reason="NOT_OWNER")
        if owns and running and any(each.person is not None for each in others):
            yield ask("DeleteTable", "", reason="TABLE_RUNNING")
        if owns and not (running and others):  # whether bots are others is not said
            yield ask("DeleteTable", "", effect=lambda: self._delete(table))
        if person.playing:
            yield ask("WatchTable", "", reason="SEATED")
        elif table is person.table or not self._empties(person, person.table):
            is_there = person in table.watchers
            yield ask("WatchTable", "", effect=None if is_there else lambda: self._watch(person, table))
        if not table.has_left(person):  # else the rules of the game say whether it may come back
            yield from self._joining(person, table, ask, seat)

    def _joining(self, person: Person, table: Table, ask: Ask, seat: Seat | None) -> Iterator[Step]:
        link = "" if person.plays else NOBODY
        faults = {
            "TABLE_RUNNING": table.status == RUNNING,
            "TABLE_FULL": len(table.seats) >= table.largest,
            "SEATED": person.playing,
        }
        wrong = [reason for reason, is_so in faults.items() if is_so and seat is None]
        if wrong:
            if len(wrong) == 1:
                yield ask("JoinTable", "", reason=wrong[0], link=link)
            return
        yield ask("JoinTable", "a link of no kind", reason="INVALID_LINK", link="pigeon:anna")
        if not person.plays:
            yield ask("JoinTable", "a player that has not dialled in", reason="NOT_DIALLED_IN")
        for other in self.people:
            if other.plays and other is not person and other.here:
                other_link = f"dial-in:{other.name}"
                yield ask("JoinTable", "the player of somebody else", reason="WRONG_TOKEN", link=other_link)
        starts = table.seat_count > 0 and seat is None and len(table.seats) + 1 == table.largest
        if seat is not None:
            yield ask("JoinTable", "", link=link)
        elif (table is person.table or not self._empties(person, person.table)) and (
            not starts or (person.plays and (not table.taken or table.playable))
        ):
            what = "the last free seat" if starts else ""
            yield ask("JoinTable", what, effect=lambda: self._join(person, table, starts=starts), link=link)

    # --- what holds ---

    def _keeps_name(self, person: Person) -> bool:
        """Return whether the name of somebody who has left is still kept: it owns a table or has a seat in a game."""
        return any(
            table.owner is person or (table.status == RUNNING and any(seat.person is person for seat in table.seats))
            for table in self.tables
        )

    def _empties(self, person: Person, table: Table | None) -> bool:
        """Return whether nobody else plays at the table of a person, or is there at all while its owner is away.

        A game without people ends at any time, and such a table is deleted at any time.
        """
        if table is None:
            return False
        playing = [seat.person for seat in table.taken if not seat.left]
        return (table.status == RUNNING and playing == [person]) or (
            [*table.people()] == [person] and not table.owner.here
        )

    # --- what comes of it ---

    def _enter(self, person: Person, name: str) -> None:
        person.name, person.here = name, True
        for other in self.people:
            other.former = [each for each in other.former if each.lower() != name.lower()]

    def _rename(self, person: Person, name: str) -> None:
        person.former += [person.name] * (name.lower() != person.name.lower())
        person.name = name

    def _go(self, person: Person) -> None:
        self._leave(person)
        person.here = False

    def _leave(self, person: Person) -> None:
        table, person.table = person.table, None
        if table is None:
            return
        seat = table.seat(person)
        if seat is None:
            table.watchers.remove(person)
        elif table.status == RUNNING:
            seat.left = True
        else:
            table.seats.remove(seat)

    def _create(self, person: Person, table: Table) -> None:
        self.tables.append(table)
        self.deleted = [each for each in self.deleted if each != table.name] or [self._new_name()]
        self._watch(person, table)

    def _watch(self, person: Person, table: Table) -> None:
        if person not in table.watchers:
            self._leave(person)
            table.watchers.append(person)
            person.table = table

    def _join(self, person: Person, table: Table, *, starts: bool) -> None:
        self._leave(person)
        table.seats.insert(len(table.taken), Seat(person))
        person.table = table
        if starts:
            self._start(table)

    def _start(self, table: Table) -> None:
        table.status, table.steps = RUNNING, 0
        table.games.append(table.names())
        for seat in table.seats:
            seat.ready = False

    def _delete(self, table: Table) -> None:
        for person in table.people():
            person.table = None
        table.owner.had = True
        self.tables.remove(table)
        self.deleted.append(table.name)


def _part(person: Person, table: Table) -> str:
    """Return what a person is at a table, in words."""
    return "has a seat at" if table.seat(person) else "watches" if person in table.watchers else "is not at"
