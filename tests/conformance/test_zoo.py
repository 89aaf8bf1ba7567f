"""Each mutant fails the cases that name it and no unrelated one; sound players pass, however odd."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

import pytest

from fairplay.conformance.cases import cases, robustness
from fairplay.conformance.engine import run
from fairplay.conformance.options import Options
from fairplay.conformance.report import Report
from fairplay.conformance.verdicts import Verdict
from fairplay.conformance.zoo.__main__ import main
from fairplay.conformance.zoo.case_ids import EVERY_WHOLE_GAME, WHOLE_GAMES
from fairplay.conformance.zoo.effects import Symptom
from fairplay.conformance.zoo.findings import Finding, compare, examples_for, stands_for
from fairplay.conformance.zoo.mutant_player import MutantPlayer, in_this_process
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.registry import common_mutants, find_mutants, own_mutants
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find, registered
from fairplay.player.handlers import describe, snake_case
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse
from tests.slow import SLOW
from tools.zoo.page import PAGE, PROGRAMS, listed

GAMES = [name for name in registered() if find_conformance(name).mutations]
ALL_GAMES = 5
QUICK = "fish"
QUICK_PROGRAMS = ("answers-nonsense", "answers-twice", "dies-of-nonsense", "has-two-names", "lacks-end", "stays-away")
"""Programs of which `make test` tries the cases: one each of what they say, of how they end, and of where they are."""
LEAST_OWN, LEAST_COMMON = 25, 25
AMPLE_S = 5.0
SHORT_S = (0.15, 1.0)
"""Limits for players that do not keep them. The second one is for machines so busy that sound ones do not either."""
LIMITS_S = {"is-stuck-when-cancelled": (1.0, AMPLE_S)}
"""Limits for programs that let several of them pass."""
CORE = ",".join(
    (
        "contract.describes-itself",
        "contract.unknown-fields-ignored",
        "memory.back-to-back",
        "memory.two-games-at-once",
        "endings",
        EVERY_WHOLE_GAME,
    )
)
"""Quick cases in which few mutations show, and those that the others charge with broken rules."""
EXAMPLES = 30
SEED = 2
MET = {Verdict.PASS, Verdict.NOT_APPLICABLE}


def named(mutant: Mutant) -> str:
    """Return the pattern of the cases that name a mutant."""
    return ",".join(EVERY_WHOLE_GAME if case_id == WHOLE_GAMES else case_id for case_id in mutant.cases)


def strategies_of(game: Game) -> Sequence[str]:
    """Return quick strategies. Some mutations show only in one that acts, or waits, much."""
    return list(game.strategies)[2:0:-1]


@contextmanager
def kept(make: Callable[[], MutantPlayer]) -> Iterator[Callable[[], MutantPlayer]]:
    """Yield a function that makes players, which are released at the end."""
    made: list[MutantPlayer] = []

    def keep() -> MutantPlayer:
        made.append(make())
        return made[-1]

    yield keep
    for player in made:
        player.released.set()


def judged(game: Game, mutant: Mutant, limit_s: float, strategy: str) -> Finding:
    with kept(partial(mutant.make, game, strategy, in_this_process(limit_s))) as make:
        only = f"{named(mutant)},{CORE}"
        options = Options(
            game.name,
            make,
            only=only,
            limit_s=limit_s,
            first_limit_s=limit_s,
            seed=SEED,
            examples=examples_for(mutant, EXAMPLES),
        )
        report = run(options)
        return compare(mutant, report)


def marks_of(name: str) -> Sequence[pytest.MarkDecorator]:
    """Return the marks of tests of a game: what is common to all games is tried quickly in one."""
    return [] if name == QUICK else [SLOW]


def objects() -> Iterable[Any]:
    for name in GAMES:
        for mutant in find_mutants(find(name)).values():
            if mutant.program is None:
                yield pytest.param(name, mutant, id=f"{name}-{mutant.name}", marks=marks_of(name))


@pytest.mark.parametrize(("game", "mutant"), list(objects()))
def test_a_mutant_fails_the_cases_that_name_it_and_no_unrelated_one(game: str, mutant: Mutant) -> None:
    limits = SHORT_S if Symptom.TIMEOUT in mutant.symptoms else (AMPLE_S,)
    found: list[Finding] = []
    for limit_s, strategy in product(limits, strategies_of(find(game))):
        found.append(judged(find(game), mutant, limit_s, strategy))
        if found[-1].is_exact:
            return
    raise AssertionError(found)


def programs() -> Iterable[Any]:
    for mutant in find_mutants(find(GAMES[0])).values():
        if mutant.program is not None:
            yield pytest.param(mutant, id=mutant.name, marks=[] if mutant.name in QUICK_PROGRAMS else [SLOW])


@pytest.mark.parametrize("mutant", list(programs()))
def test_a_mutant_program_fails_the_cases_that_name_it_too(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robustness, "RETURN_LIMIT_S", 2.0)
    game = find("fish")
    link = f"exec:{shlex.join([sys.executable, '-m', 'fairplay.conformance.zoo', game.name, mutant.name])}"
    start_limit_s = {"never-comes-up": 2.0, "comes-up-alone": 8.0}.get(mutant.name, 20.0)
    only = f"{named(mutant)},contract.describes-itself"
    found: list[Finding] = []
    for limit_s in LIMITS_S.get(mutant.name, (AMPLE_S,)):
        options = Options(
            game.name, link, only=only, limit_s=limit_s, first_limit_s=limit_s, start_limit_s=start_limit_s
        )
        found.append(compare(mutant, run(options)))
        if found[-1].is_exact:
            return
    raise AssertionError(found)


def test_every_game_has_mutants() -> None:
    wanted = registered() if len(registered()) >= ALL_GAMES else ("bazaar", "fish", "q")
    for name in wanted:
        assert name in GAMES
        assert len(own_mutants(find(name))) >= LEAST_OWN
        assert len(common_mutants(find(name))) >= LEAST_COMMON


@pytest.mark.parametrize("name", GAMES)
def test_mutants_name_cases_and_methods_and_rules_that_exist(name: str) -> None:
    game = find(name)
    ids = [case.id for case in cases(game)]
    for mutant in find_mutants(game).values():
        assert mutant.cases, mutant.name
        assert mutant.sentence.endswith("."), mutant.name
        assert mutant.rule in {"", *game.rules}, mutant.name
        for case_id in mutant.cases:
            assert any(stands_for(case_id, each) for each in ids), (mutant.name, case_id)
    assert {mutation.method for mutation in find_conformance(game.name).mutations} <= {
        method.name for method in game.methods
    }


@pytest.mark.parametrize("name", GAMES)
def test_every_case_but_those_of_drawn_states_is_named_by_a_mutant(name: str) -> None:
    game = find(name)
    all_mutants = find_mutants(game).values()
    nobody = [
        case.id
        for case in cases(game)
        if not any(stands_for(each, case.id) for mutant in all_mutants for each in mutant.cases)
    ]
    assert [case_id for case_id in nobody if not case_id.startswith(UNNAMED)] == []


UNNAMED = ("rules.resumed-game", "rules.drawn-states", "exceptions.drawn-states", "time.drawn-states")
"""Cases of random positions: what fails there also fails a case of games from the beginning."""


# The command


def test_the_command_lists_all_mutants_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fish", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(find_mutants(find("fish")))
    assert all(line.endswith(".") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["fish", "raise-in-setup"], "did you mean raises-in-setup"),
        (["fish", "raises-in-setup", "--strategy", "best"], "best"),
        (["fish", "raises-in-setup"], "such players are started by a server"),
        (["chess", "raises-in-setup"], "invalid choice"),
    ],
)
def test_the_command_says_what_is_wrong(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


# Sound players


class Odd:
    """A sound player that does what is allowed and unusual."""

    game = "fish"
    name = "n" * 80
    version = "v" * 80

    def __init__(self) -> None:
        self._sound: Any = find(self.game).player("first")
        for method in find(self.game).methods:
            name = snake_case(method.name)
            setattr(self, name, partial(self._answer, getattr(self._sound, name)))

    def _answer(self, sound: Callable[[Any], Any], request: Any) -> bytes:
        reply = sound(request)
        known = b"" if reply is None else reply.SerializeToString()
        return known + b"\xc2\xbb\x1e\x03new"  # a field of a later revision

    async def describe(self, _: DescribeRequest) -> DescribeResponse:
        return DescribeResponse(description=describe(self))

    def start(self, _: object) -> bytes:
        return b"\xc2\xbb\x1e\x03new"


def unmet(report: Report) -> dict[str, str]:
    return {each.id: each.sentence for each in report.judged if each.verdict not in MET}


def test_an_odd_player_without_a_defect_passes_everything() -> None:
    assert unmet(run(Options("fish", Odd, limit_s=AMPLE_S, first_limit_s=AMPLE_S, examples=EXAMPLES))) == {}


def strategies() -> Iterable[Any]:
    for name in registered():
        for each in find(name).strategies:
            yield pytest.param(name, each, id=f"{name}-{each}", marks=marks_of(name))


@pytest.mark.parametrize(("name", "strategy"), list(strategies()))
def test_every_reference_player_passes_everything(name: str, strategy: str) -> None:
    make = partial(find(name).player, strategy)
    assert unmet(run(Options(name, make, limit_s=AMPLE_S, first_limit_s=AMPLE_S, examples=3))) == {}


# The table


def test_the_table_has_all_mutants_with_the_cases_that_name_them() -> None:
    text, programs = PAGE.read_text("utf-8"), dict[str, tuple[str, ...]]()
    for name in GAMES:
        wanted = {mutant.name: mutant.cases for mutant in find_mutants(find(name)).values() if mutant.program is None}
        assert listed(text, find(name).title) == wanted, "run: make zoo"
        programs |= {
            mutant.name: mutant.cases for mutant in find_mutants(find(name)).values() if mutant.program is not None
        }
    assert listed(text, PROGRAMS) == programs, "run: make zoo"
