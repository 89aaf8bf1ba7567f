"""A walk of programs that dial in, are lost, come back and take each other over, as SPECIFICATION.md has it.

What a server must do with each step follows from the requirements DIAL, TOKEN, BYE and RESUME alone. What they leave
open, such as whether a stream is kept without a player in a game, is never asked for, or may go either way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import NamedTuple

GUARDED, PLAIN = 2, 2
"""So many players have a token, and so many have none."""
MOST_HELLOS = 40
"""So many hellos are thought of at each step."""
MOST_ANSWERS = 6
"""A game lasts longer than so many answers of a player."""
MOST_AWAY = 2
"""So many steps are taken while a short window lasts."""
MOST_REFUSALS = 2
"""So many hellos that must be refused come after each step, where they are unlike those before: they change nothing."""
WRONG = "a wrong token"
NEAR: Sequence[Callable[[str], str]] = (
    lambda token: WRONG,
    lambda token: "",
    lambda token: token[:-1],
    lambda token: f"{token} ",
    lambda token: token.upper(),
)
"""What is shown in the place of a token."""


class Window(Enum):
    """The resume windows of hellos, in seconds."""

    NONE = 0.0
    SHORT = 0.9
    LONG = 300.0
    BEYOND = 1_000.0
    """Counts as 300 s."""


class State(Enum):
    """What becomes of a stream."""

    UP = "up"
    LOST = "lost"
    OVER = "over"


class Kind(Enum):
    """What is done in a step."""

    HELLO = "hello"
    MALFORMED = "malformed hello"
    RESET = "reset"
    BREAK = "second hello"
    FLOOD = "flood"
    LEAVE = "half-close"
    WAIT = "wait"
    BEGIN = "begin a game"
    STOP = "stop a game"
    ENTER = "enter a tournament"
    CANCEL = "cancel a tournament"
    ANSWER = "answer"
    INTRUDE = "answer for another"


LOSSES = (Kind.RESET, Kind.BREAK, Kind.FLOOD)
FREEING = (*itertools.product((Kind.LEAVE, *LOSSES), Window),)
"""How streams end that nobody needs to keep, and the windows that they have."""
WEIGHTS = {Kind.HELLO: 10.0, Kind.BEGIN: 6.0, Kind.ENTER: 5.0, Kind.ANSWER: 3.0, Kind.WAIT: 3.0}
WEIGHTS |= {Kind.STOP: 0.5, Kind.CANCEL: 0.5}
"""How likely a kind of step is, where it is not 1: without games little happens."""
ANSWERS = ALONE, TOGETHER, DOUBLED, TWICE, AMONG_STRAYS = (
    "alone",
    "together with the one of its other game",
    "before a failure in the same frame",
    "before a failure in a frame of its own",
    "among strays",
)
"""How a call is answered: the first reply counts."""
WRONGS = ("a player twice", "too long a token", "a negative window", "a name that is none")
"""What hellos have for which they are refused, whoever says them."""


@dataclass(eq=False)
class Person:
    """A player and the name under which it dials in."""

    letter: str
    wish: str
    """The token with which it claims the name; empty: without one."""
    token: str = ""
    """That to which the name is bound."""
    host: Program | None = None
    """The stream that has the name, up or lost."""
    former: Program | None = None
    """The one whose resume token is needed, where the name is kept without a token and without a stream."""
    left: Program | None = None
    """The former one, when it has come back with that: it must not need it any more."""
    ended: Kind | None = None
    """What its last stream ended with."""
    refused: str | None = None
    """The token of its last hello that was refused, since its last one that was not: its name is not bound to that."""
    playing: bool = False
    entered: bool = False
    awaited: bool = False
    """Whether its game waits for it to dial in."""
    answers: int = 0

    @property
    def is_busy(self) -> bool:
        """Return whether it is in a game, or entered in a tournament."""
        return self.playing or self.entered

    @property
    def is_free(self) -> bool:
        """Return whether its name is free: whoever claims it first has it, with whatever token."""
        return self.host is self.former is None and not self.token

    @property
    def tokens(self) -> tuple[str, str]:
        """Return the tokens with which it may claim its name."""
        return self.wish, f"another token of {self.letter}"

    @property
    def claim(self) -> str:
        """Return what it shows where it is to be admitted: not that with which its name was refused."""
        return self.token or (self.tokens[1] if self.wish and self.refused == self.wish else self.wish)


@dataclass(eq=False)
class Program:
    """The stream of a hello, with the players that are left of it."""

    people: list[Person]
    window: Window
    state: State = State.UP
    all: Sequence[Person] = ()
    """Those of its hello, also where they are on another stream by now."""
    certain: bool = True
    """Whether a lost one must be kept, as one of its players has been in a game or tournament all the time."""
    carried_on: bool = False

    def __str__(self) -> str:
        left = " and ".join(each.letter for each in self.people) or "nobody"
        return f"a stream with {left} left, {self.state.value}, window {self.window.value:g} s"


class Step(NamedTuple):
    """What is done, and what must come of it."""

    kind: Kind
    what: str
    """In words."""
    features: Collection[tuple[object, ...]]
    """What of it makes it unlike others."""
    people: Sequence[Person] = ()
    program: Program | None = None
    """The stream to be opened, or on which something is done."""
    shown: Sequence[str] = ()
    """The token of each player of a hello."""
    resume: Program | None = None
    """The stream whose resume token a hello shows."""
    unknown_resume: bool = False
    """Whether it shows a resume token of nobody."""
    admitted: bool = True
    resumed: bool | None = None
    """What the welcome must say; None: either."""
    again: Sequence[Person] = ()
    """Those whose open calls come again."""
    replaced: Sequence[Program] = ()
    """The streams that are told so."""
    failing: Sequence[Person] = ()
    """Those who are disconnected in their games."""
    manner: str = ""
    up: Sequence[Program] = ()
    """The streams that are up afterwards."""
    closing: Sequence[Program] = ()
    """The lost streams whose window is about to be over."""


@dataclass
class Walk:
    """What programs do. `covered` is what other walks have shown."""

    rng: Random
    covered: set[tuple[object, ...]]
    people: list[Person] = field(init=False)
    programs: list[Program] = field(default_factory=list)
    _away: int = 0

    def __post_init__(self) -> None:
        letters = "abcdefgh"[: GUARDED + PLAIN]
        self.people = [Person(each, f"token {each}" if at < GUARDED else "") for at, each in enumerate(letters)]

    def steps(self, count: int) -> Iterator[Step]:
        """Yield so many steps."""
        for _ in range(count):
            yield self._do(self._choose())
            for _ in range(MOST_REFUSALS if not self._closing() else 0):
                refused = [each for each in self._hellos([]) if not each.admitted]
                refused += [each for each in self._others() if each.kind is Kind.MALFORMED]
                step = max(refused, key=self._novelty, default=None)
                if step is None or {*step.features} <= self.covered:
                    break
                yield self._do(step)

    def freeing(self, end: Kind, window: Window) -> Iterator[Step]:
        """Yield the steps in which a name without a token, whose player is in no game, becomes free and is claimed."""
        person = self.people[-1]
        yield self._do(self._hello([person], [""], None, window, admitted=True))
        [program] = self.programs
        yield self._do(Step(end, f"a {end.value} on {program}", (), program=program))
        yield self._do(self._hello([person], [f"a token of {person.letter}"], None, Window.NONE, admitted=True))
        yield self._do(self._hello([person], [""], None, Window.NONE, admitted=False))

    def _do(self, step: Step) -> Step:
        """Take a step, and return it with what comes of it."""
        closing = self._closing()
        self.covered.update(step.features)
        failing, replaced = self._take(step)
        up = [each for each in self.programs if each.state is State.UP]
        return step._replace(failing=failing, replaced=replaced, up=up, closing=closing)

    def _novelty(self, step: Step) -> float:
        return len({*step.features} - self.covered) + self.rng.random()

    def _choose(self) -> Step:
        awaited = [each for each in self.people if each.awaited]
        closing = self._closing()
        self._away = self._away + 1 if closing else 0
        if self._away > MOST_AWAY:
            return self._wait()
        steps = self._hellos(awaited)
        if not awaited:
            steps += [self._wait()] if closing else self._others()
        kinds = [*dict.fromkeys(each.kind for each in steps)]
        kind = self.rng.choices(kinds, [WEIGHTS.get(each, 1.0) for each in kinds])[0]
        return max(
            (each for each in steps if each.kind is kind),
            key=lambda each: self._novelty(each) * (1 + each.admitted),
        )

    # --- hellos ---

    def _hellos(self, awaited: Collection[Person]) -> list[Step]:
        known: list[Program | None] = [each for each in self.programs[-6:] if not each.carried_on]
        known += [each.left for each in self.people if each.left is not None]
        found: list[Step] = []
        for _ in range(MOST_HELLOS):
            people = self.rng.sample(self.people, self.rng.choice((1, 1, 2, 2, 3)))
            resume = self.rng.choice([None, None, *known])
            if resume is not None and resume.people and self.rng.random() < 0.5:
                people = self.rng.sample(resume.people, len(resume.people))
            odd = self.rng.choice((None, None, *people))
            shown = [self._show(each, each is odd) for each in people]
            verdicts = [_admits(each, token, resume) for each, token in zip(people, shown, strict=True)]
            if (False not in verdicts and None in verdicts) or verdicts.count(False) > 1:
                continue  # nobody knows what comes of it, or for which of two reasons
            admitted = False not in verdicts
            if admitted:
                shown = [each.claim if each.is_free else token for each, token in zip(people, shown, strict=True)]
            if awaited and not (admitted and {*awaited} <= {*people}):
                continue
            step = self._hello(people, shown, resume, self.rng.choice([*Window]), admitted)
            found.append(step)
        return found or self._plain_hello(awaited)

    def _plain_hello(self, awaited: Collection[Person]) -> list[Step]:
        """Return the hello of one person that shows all that it has."""
        for one in awaited or self.people:
            resume, shown = one.host or one.former, one.claim
            if _admits(one, shown, resume):
                return [self._hello([one], [shown], resume, Window.LONG, admitted=True)]
        return []

    def _show(self, person: Person, odd: bool) -> str:
        if person.is_free:
            return self.rng.choice(person.tokens)
        if not odd:
            return person.claim
        return self.rng.choice(NEAR)(person.token) if person.token else WRONG

    def _hello(
        self, people: Sequence[Person], shown: Sequence[str], resume: Program | None, window: Window, admitted: bool
    ) -> Step:
        unknown = resume is None and self.rng.random() < 0.25
        resumed, relation = _resumed(people, resume)
        named = ", ".join(_named(one, token) for one, token in zip(people, shown, strict=True))
        with_token = f"the resume token of {resume}" if resume else "a resume token of nobody" if unknown else "none"
        again = [each for each in people if each.playing and not each.awaited]
        left = {each.host for each in people if each.host is not None and {*each.host.people} - {*people}}
        features: set[tuple[object, ...]] = {
            (_admits(one, token, resume), *_situation(one), _showing(one, token), _relation(one, resume))
            for one, token in zip(people, shown, strict=True)
        }
        features |= {
            (_admits(one, token, resume), one.is_busy, one.ended, _showing(one, token))
            for one, token in zip(people, shown, strict=True)
            if one.host is None or one.host.state is not State.UP
        }
        if not admitted:
            [at] = [at for at, one in enumerate(people) if _admits(one, shown[at], resume) is False]
            features |= {(bool(one.wish), number < at) for number, one in enumerate(people) if one.is_free}
            features |= {(near,) for near in NEAR if near(people[at].token) == shown[at]}
        features.add((admitted, relation, resume.state if resume else unknown, resumed))
        if admitted:
            features.add((window, bool(again), relation))
            features |= {
                (each.state, each.window, any(one.playing for one in each.people if one not in people), relation)
                for each in left
            }
        return Step(
            Kind.HELLO,
            f"a hello of {named}, with {with_token}, window {window.value:g} s",
            features,
            people,
            Program([*people], window, all=people),
            shown,
            resume,
            unknown,
            admitted,
            resumed,
            again,
        )

    # --- all else ---

    def _others(self) -> Iterator[Step]:
        for program in self.programs:
            if program.state is State.UP:
                situation = sorted({(each.playing, each.entered, bool(each.token)) for each in program.people})
                for kind in (*LOSSES, Kind.LEAVE):
                    features = {(kind, program.window, *situation)}
                    yield Step(kind, f"a {kind.value} on {program}", features, program=program)
            if program.state is not State.OVER and program.certain:
                shown = [each.token or each.wish for each in program.people]
                for wrong in WRONGS:
                    yield Step(
                        Kind.MALFORMED,
                        f"a hello with {wrong}, and with the resume token of {program}",
                        {(Kind.MALFORMED, wrong, program.state, program.certain)},
                        [*program.people],
                        shown=shown,
                        resume=program,
                        manner=wrong,
                    )
        for person in self.people:
            for wrong in WRONGS if person.is_free else ():
                shown = [self.rng.choice(person.tokens)]
                features = {(Kind.MALFORMED, wrong, bool(person.wish))}
                what = f"a hello with {wrong}, and of {person.letter}, whose name is free"
                yield Step(Kind.MALFORMED, what, features, [person], shown=shown, manner=wrong)
        for person in self.people:
            yield from self._of_person(person)

    def _wait(self) -> Step:
        programs = [(certain, each) for certain in (True, False) for each in self._closing(certain=certain)]
        situation = {(certain, one.playing, bool(one.token)) for certain, each in programs for one in each.people}
        return Step(Kind.WAIT, "the end of the window", {(Kind.WAIT, *sorted(situation))})

    def _closing(self, *, certain: bool = True) -> list[Program]:
        """Return the lost streams whose window is about to be over; not `certain`: those that need not be kept."""
        lost = (each for each in self.programs if each.state is State.LOST and each.window is Window.SHORT)
        return [each for each in lost if each.certain is certain]

    def _of_person(self, person: Person) -> Iterator[Step]:
        host = person.host
        state: State | None = host.state if host is not None else None
        is_up, letter = state is State.UP, person.letter
        kept = bool(person.token), person.playing, person.entered, state

        def about(kind: Kind, what: str, *more: object, manner: str = "") -> Step:
            return Step(kind, what, {(kind, *kept, *more)}, [person], host, manner=manner)

        if not person.playing and (is_up or (state is None and not person.entered)):
            yield about(Kind.BEGIN, f"games of {letter} begin")
        if is_up and not person.entered:
            yield about(Kind.ENTER, f"{letter} is entered in a tournament")
        if host is None or host.certain:
            if person.playing:
                yield about(Kind.STOP, f"the games of {letter} are stopped")
            if person.entered:
                yield about(Kind.CANCEL, f"the tournament of {letter} is cancelled")
        if person.playing and is_up and person.answers < MOST_ANSWERS:
            for manner in ANSWERS:
                yield about(Kind.ANSWER, f"{letter} answers, {manner}", manner, manner=manner)
        for program in self.programs:
            if person.playing and program.state is State.UP and program is not host:
                what = f"{program} answers the open calls of {letter}"
                yield about(Kind.INTRUDE, what)._replace(program=program)

    # --- what becomes of it ---

    def _take(self, step: Step) -> tuple[list[Person], list[Program]]:
        """Change what is, and return who fails in a game, and which streams are replaced."""
        person = step.people[0] if step.people else None
        match step.kind:
            case Kind.HELLO if step.admitted:
                return self._admit(step)
            case Kind.HELLO | Kind.MALFORMED:
                for one, shown in zip(step.people, step.shown, strict=True):
                    one.refused = shown
                return [], []
            case Kind.RESET | Kind.BREAK | Kind.FLOOD:
                assert step.program is not None
                return _lose(step.program, step.kind), []
            case Kind.LEAVE:
                assert step.program is not None
                return _end(step.program, step.kind), []
            case Kind.WAIT:
                return self._elapse(), []
        assert person is not None
        match step.kind:
            case Kind.BEGIN:
                person.playing, person.awaited, person.answers = True, person.host is None, 0
            case Kind.STOP:
                person.playing = False
            case Kind.ENTER:
                person.entered = True
            case Kind.CANCEL:
                person.entered, person.former = False, None
            case Kind.ANSWER:
                person.answers += 1
        if person.host is not None:
            _doubt(person.host)
        return [], []

    def _elapse(self) -> list[Person]:
        """End the lost streams whose window is over; return who fails."""
        for program in self._closing(certain=False):
            _end(program, Kind.WAIT)
            program.carried_on = True  # nobody shows its resume token: it might still be kept for a moment
        return [each for program in self._closing() for each in _end(program, Kind.WAIT)]

    def _admit(self, step: Step) -> tuple[list[Person], list[Program]]:
        assert step.program is not None
        failing, replaced = [], []
        if step.resume is not None and step.resume.state is not State.OVER:
            step.resume.carried_on |= {*step.resume.people} == {*step.people}
        olds = [*dict.fromkeys(each.host for each in step.people if each.host is not None)]
        for person, shown in zip(step.people, step.shown, strict=True):
            if person.host is not None:
                person.host.people.remove(person)
            elif person.former is None and not person.token:
                person.token = shown
            person.left = person.former or person.left
            person.host, person.former, person.awaited = step.program, None, False
            person.refused = person.ended = None
        for old in olds:
            if old.state is State.UP:
                replaced.append(old)
                failing += _lose(old, step.kind)
            elif not old.people:
                old.state = State.OVER
            _doubt(old)
        self.programs.append(step.program)
        return failing, replaced


def _doubt(program: Program) -> None:
    """Note that a lost stream need not be kept any more where none of its players is in a game."""
    program.certain &= program.state is State.UP or any(each.is_busy for each in program.people)


def _lose(program: Program, by: Kind) -> list[Person]:
    """Lose a stream; return who fails at once."""
    if program.window is Window.NONE or not any(each.is_busy for each in program.people):
        return _end(program, by)
    for person in program.people:
        person.ended = by
    program.state = State.LOST
    return []


def _end(program: Program, by: Kind) -> list[Person]:
    """End a stream; return who fails."""
    program.state = State.OVER
    failing = [each for each in program.people if each.playing]
    for person in program.people:
        person.host, person.playing, person.ended = None, False, by
        person.former = program if person.entered and not person.token else None
    return failing


def _admits(person: Person, shown: str, resume: Program | None) -> bool | None:
    """Return whether a hello may have the name of a person; None: nothing says so."""
    resumes = resume is not None and resume is person.host
    doubtful = person.host is not None and person.host.state is State.LOST and not person.host.certain
    if person.token:
        return shown == person.token or (resumes and (None if doubtful else True))
    if person.host is None:
        return person.former is None or resume is person.former
    if doubtful:  # it may be free: then the token that is shown is from now on its own
        return True if resumes and not shown else None
    return resumes


def _resumed(people: Sequence[Person], resume: Program | None) -> tuple[bool | None, str]:
    """Return what the welcome says of a hello, and how its players are related to those of the resume token."""
    if resume is None:
        return False, "none"
    left = {*resume.people}
    if resume.state is State.OVER:
        return (None if any(each.former is resume for each in people) else False), "over"
    if left == {*people}:
        return (True if resume.certain else None), "same"
    kinds = {left < {*people}: "more", left > {*people}: "fewer", not left & {*people}: "others"}
    return False, kinds.get(True, "some")


def _situation(person: Person) -> tuple[object, ...]:
    """Return what is to be known of a name."""
    host = person.host
    where = (host.state, host.certain) if host is not None else (None, person.former is not None)
    return (bool(person.token), where, person.playing, person.entered)


def _relation(person: Person, resume: Program | None) -> str:
    """Return what the stream of a resume token is to a player."""
    if resume is None:
        return "none"
    return "its own" if person.host is resume else "a former one" if person in resume.all else "that of others"


def _named(person: Person, shown: str) -> str:
    """Return in words who shows what, and what its last stream has ended with."""
    ended = f" after a {person.ended.value}" if person.ended is not None else ""
    return f"{person.letter}{ended} {_showing(person, shown)}" + (f" {shown!r}" if shown else "")


def _showing(person: Person, shown: str) -> str:
    """Return in words which token of a name is shown."""
    if not shown:
        vain = " after a hello that was refused" if person.refused else ""
        return "without its token" if person.token else f"without a token{vain}"
    return "with its token" if person.is_free or shown == person.token else "with a wrong token"
