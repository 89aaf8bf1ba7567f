"""All mutants of any game, and how well the suite catches one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple
from xml.etree import ElementTree as Xml

from fairplay.certificate import Verdict
from fairplay.certificate.terms import matches
from fairplay.conformance.blame.verdicts import leads_to_failure
from fairplay.conformance.case_ids import DRAWN_STATES, ENDS_OF_GAMES, EVERY_WHOLE_GAME, WHOLE_GAMES
from fairplay.conformance.run.options import EXAMPLES
from fairplay.conformance.run.report import Report
from fairplay.conformance.writers.files import junit
from fairplay.conformance.zoo.departures import of_departures
from fairplay.conformance.zoo.memory import of_games_at_once, of_introductions, of_past_games
from fairplay.conformance.zoo.methods import OF_DESCRIBE, of_decisions, of_endings, of_methods
from fairplay.conformance.zoo.mutants import Mutant, mutates
from fairplay.conformance.zoo.player import MutantPlayer, in_this_process
from fairplay.conformance.zoo.programs import PROGRAMS, of_identity
from fairplay.conformance.zoo.settings import of_other_settings, of_settings, of_situations
from fairplay.conformance.zoo.triggers import in_method
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import Game

_PROGRAMS = {mutant.name: mutant for mutant in PROGRAMS}


def find_mutants(game: Game) -> Mapping[str, Mutant]:
    """Return the mutants of a game by name: the common ones, then its own. Raises ValueError if two have one name."""
    found: dict[str, Mutant] = {}
    for mutant in (*common_mutants(game), *own_mutants(game)):
        if mutant.name in found:
            raise ValueError(f"there are two mutants called {mutant.name}")
        found[mutant.name] = mutant
    return found


def common_mutants(game: Game) -> list[Mutant]:
    """Return the mutants that every game has, made for one of them."""
    in_turns = (*of_methods(game), *of_decisions(game))
    in_play = (*in_turns, *of_situations(game), *of_settings(game), *of_departures(game))
    across = (*of_past_games(game), *of_introductions(game), *of_games_at_once(game), *of_other_settings(game))
    of_objects = (*OF_DESCRIBE, *in_play, *across, *of_endings(game), *of_identity(game))
    return [*of_objects, *_PROGRAMS.values()]


def own_mutants(game: Game) -> list[Mutant]:
    """Return the mutants of the mutations that a game declares."""
    related = ("rules", game.name, *ENDS_OF_GAMES)
    return [
        Mutant(each.name, each.sentence, each.cases, in_method(each.method), mutates(each), related, rule=each.rule)
        for each in find_conformance(game.name).mutations
    ]


def make_player(game: Game, name: str, strategy: str = "", limit_s: float = 1.0, after: int = 0) -> MutantPlayer:
    """Return a mutant for this process: see `Mutant.make`. Raises ValueError if the mutant or strategy is unknown."""
    chosen = strategy or next(iter(game.strategies))
    return find_mutant(game, name).make(game, chosen, in_this_process(limit_s), after)


def find_mutant(game: Game, name: str) -> Mutant:
    """Return the mutant of this name. Raises ValueError, with a suggestion, if there is none."""
    if name in _PROGRAMS:  # found without making the other mutants, for which games are played
        return _PROGRAMS[name]
    found = find_mutants(game)
    if name not in found:
        close = get_close_matches(name, list(found), n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(close)}?" if close else ""
        raise ValueError(f"there is no mutant {name!r} of {game.title}{hint}")
    return found[name]


class Finding(NamedTuple):
    """What a report says about a mutant."""

    caught_by: Sequence[str]
    """The cases that failed."""
    missed_by: Sequence[str]
    """The cases that name the mutant and did not fail."""
    unrelated: Sequence[str]
    """The cases that failed although the mutation does not show in them."""
    suite_errors: Sequence[str]
    """The cases in which the suite itself failed."""
    contradictions: Sequence[str]
    """What does not fit together in the report."""

    @property
    def is_exact(self) -> bool:
        """Return whether exactly the right cases failed, and the report says the same everywhere."""
        return not (self.missed_by or self.unrelated or self.suite_errors or self.contradictions)


def compare(mutant: Mutant, report: Report) -> Finding:
    """Compare a report with the declaration of its mutant. Cases that were not chosen have missed nothing."""
    caught, judged = report.failed(), [each.id for each in report.judged]
    missed = [
        case_id
        for case_id in mutant.cases
        if any(stands_for(case_id, each) for each in judged)
        and not any(stands_for(case_id, each) or each == mutant.instead for each in caught)
    ]
    named = [each for each in caught if each == mutant.instead or any(stands_for(one, each) for one in mutant.cases)]
    unrelated = [each for each in caught if each not in named and not any(matches(each, one) for one in mutant.related)]
    errors = [each.id for each in report.judged if each.verdict is Verdict.SUITE_ERROR]
    return Finding(caught, missed, unrelated, errors, contradictions(report))


def contradictions(report: Report) -> list[str]:
    """Return what does not fit together in a report, a sentence each; empty if all fits.

    A player is refused exactly if a MUST has failed, with evidence. What was not tested says to see a case that has
    failed, through others or not. The JUnit file is red exactly if the exit code is 1.
    """
    verdicts = {each.id: each for each in report.judged}
    failed = [each for each in report.judged if each.verdict is Verdict.FAIL]
    refused = any(each.level is Level.MUST and not each.met for each in report.judged)
    root = Xml.fromstring(junit(report))
    found = [f"{each.id} failed without evidence" for each in failed if not (each.evidence and each.evidence.sections)]
    if refused != bool(failed):
        found.append("it is refused and no case has failed" if refused else "a case has failed and it is not refused")
    if refused and not report.exit_code:
        found.append("it is refused and the exit code is 0")
    if bool(int(root.get("failures", "")) + int(root.get("errors", ""))) != bool(report.exit_code):
        found.append("the JUnit file says something else than the exit code")
    untested = (each for each in report.judged if each.verdict is Verdict.NOT_TESTED)
    return [*found, *(f"{each.id} leads to no failure" for each in untested if not leads_to_failure(each, verdicts))]


def stands_for(case_id: str, found: str) -> bool:
    """Return whether a case id of a mutant's declaration stands for the case `found`."""
    return found == case_id or (case_id == WHOLE_GAMES and matches(found, EVERY_WHOLE_GAME))


def examples_for(mutant: Mutant, few: int) -> int:
    """Return how many states are to be drawn for a mutant: as many as for players if only these show it."""
    return EXAMPLES if mutant.cases == (DRAWN_STATES,) else few
