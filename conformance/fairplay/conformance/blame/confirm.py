"""Finding out, by playing again, what misconduct is due to: games before it, circumstances, chance, or none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.history import due_to_circumstances, shortest
from fairplay.conformance.case import Failure, NotTested
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.scenarios import OrdinaryGames, write_games
from fairplay.conformance.games.trial import Entry, Scenario, Trial
from fairplay.conformance.player.player import PlayerUnderTest
from fairplay.conformance.player.transports import gets_new_players
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

Control: TypeAlias = tuple[str, Callable[[], Trial]]
"""The id of a case, and a function that plays a game with what that case is about."""
SEARCH_LIMIT_S = 20.0
"""How long the shortest history is looked for. What was found by then is reported."""
MAX_LISTED = 40
"""How many entries of a history evidence lists, the last ones."""


class Context(Protocol):
    """What is played with: see `games.context.Context`."""

    after_others: dict[faults.Signature | None, Evidence]
    """The evidence of misconduct that shows only after other games, by its signature."""

    @property
    def game(self) -> Game:
        """Return the game."""

    @property
    def player(self) -> PlayerUnderTest:
        """Return the player under test."""

    @property
    def ordinary(self) -> Trial:
        """Return the most ordinary game, played first of all."""

    @property
    def ordinary_games(self) -> OrdinaryGames:
        """Return the ordinary games of the run."""

    def alone(self, scenario: Scenario) -> Trial:
        """Play a game on a fresh connection."""

    def same_whole_game(self, found: Trial) -> Trial:
        """Return the whole game of which a trial is a beginning."""

    def games(self, scenarios: Sequence[Scenario]) -> Entry:
        """Return the entry of games at the same time in the history of a player."""

    def replay(self, history: Sequence[Entry]) -> Sequence[Trial]:
        """Ask a player on a fresh connection what a history says, and return the trials of its last entry."""

    def untested(self, reason: str, found: Trial, see: str = "") -> NotTested:
        """Return that a case was not tested because of the misconduct of a trial."""


def confirm(context: Context, found: Trial) -> None:
    """Raise Failure for a misconduct, or NotTested if it is not due to this game: another case owns that."""
    if not found.had_past:
        _check_ordinary(context, found)
        raise Failure(faults.evidence(context.game, found))
    again = _again(context, found)
    if again is None or faults.same(again, found):
        _check_ordinary(context, found)
        raise Failure(_with_seen_history(context, again or found))
    here = faults.signature(found)
    if here not in context.after_others and (history := _shortest_history(context, found)):
        context.after_others[here] = _with_history(context, found, history)
    if here in context.after_others:
        raise NotTested("it fails only after other games", context.after_others[here], case_ids.BACK_TO_BACK)
    shown = ("Played again", "The same game on a fresh connection went well.")
    raise Failure(_with_seen_history(context, found).with_sections(shown))


def _check_ordinary(context: Context, found: Trial) -> None:
    """Raise NotTested if the most ordinary game, which went well before, fails in the same way by now.

    The player has changed since, or it fails by chance: then this game has nothing to do with it. Broken rules depend
    on the game, and a player that hangs would cost its whole limit once more.
    """
    assert found.misconduct is not None
    if found.misconduct.kind != MisconductKind.MISCONDUCT_KIND_EXCEPTION or found.scenario == context.ordinary.scenario:
        return
    now = _again(context, context.ordinary)
    if now is not None and faults.same(now, found):
        raise context.untested("by now any game fails like this", now)


def judge_condition(context: Context, found: Trial, controls: Sequence[Control]) -> None:
    """Judge a trial for a case about its circumstances: see `Context.judge_condition`."""
    if found.misconduct is None:
        return
    alone: Control = ("", lambda: context.same_whole_game(found))
    for case_id, control in (alone, *controls):
        plain = control()
        if plain is not found and faults.same(plain, found):
            raise context.untested("it fails without that as well", plain, case_id)
    if not _is_due_to_circumstances(context, found):
        raise context.untested("it fails now and then, whatever the circumstances are", found)
    history = _shortest_history(context, found)
    raise Failure(_with_history(context, found, history) if history else faults.evidence(context.game, found))


def _again(context: Context, found: Trial) -> Trial | None:
    """Return the same game, played by a player without a past; None if the player is not asked any more."""
    try:
        return context.alone(found.scenario)
    except NotTested:
        return None


def _is_due_to_circumstances(context: Context, found: Trial) -> bool:
    """Return whether misconduct shows again in the same circumstances, and not without them."""
    assert found.misconduct is not None
    if found.entry is None:  # it cannot be played again in the same way
        return True
    try:
        if found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT:  # each time costs the whole limit
            return _shows(context, found, found.past)
        return due_to_circumstances(lambda: _shows(context, found, found.past), lambda: _shows_without(context, found))
    except NotTested:
        return True


def _shows(context: Context, found: Trial, past: Sequence[Entry]) -> bool:
    """Return whether a misconduct shows again after some history, in any of the games at the same time."""
    assert found.entry is not None
    return any(faults.same(each, found) for each in context.replay([*past, found.entry]))


def _shows_without(context: Context, found: Trial) -> bool:
    """Return whether a misconduct shows in the whole game alone, or in games at the same time one after the other."""
    scenarios = () if found.entry is None else found.entry.scenarios
    if len(scenarios) < 2:
        return faults.same(context.alone(context.same_whole_game(found).scenario), found)
    return any(faults.same(context.alone(each), found) for each in scenarios)


# --- the games before ---


def _shortest_history(context: Context, found: Trial) -> Sequence[Entry]:
    """Return the shortest history that shows a misconduct; empty if none does, or new players cannot be had."""
    if found.entry is None or not found.past or not gets_new_players(context.player.transport):
        return ()
    budget = context.player.budget
    end_s = budget.elapsed_s + SEARCH_LIMIT_S

    def shows(history: Sequence[Entry]) -> bool:
        return budget.elapsed_s < end_s and _shows(context, found, history)

    try:
        history = shortest(found.past, lambda entry, count: _shortened(context, entry, count), shows) or ()
        plain = [_plain(context, entry) for entry in history]
        return plain if plain and shows(plain) else history
    except NotTested:
        return ()


def _plain(context: Context, entry: Entry) -> Entry:
    """Return an entry with the most ordinary game instead of each of its games, for as many decisions."""
    ordinary = context.ordinary.scenario
    lengths = [each.situation.turn_count for each in entry.scenarios]
    games = [ordinary._replace(situation=ordinary.situation._replace(turn_count=length)) for length in lengths]
    return context.games(games) if games else entry


def _shortened(context: Context, entry: Entry, turn_count: int) -> Entry:
    """Return an entry with games of at most so many decisions; the entry itself if they are not longer."""
    if all(0 < each.situation.turn_count <= turn_count for each in entry.scenarios):
        return entry
    cut = [each._replace(situation=each.situation._replace(turn_count=turn_count)) for each in entry.scenarios]
    return context.games(cut)


def _with_history(context: Context, found: Trial, history: Sequence[Entry]) -> Evidence:
    """Return the evidence of misconduct that shows after other games, with the option that plays them again."""
    evidence = faults.evidence(context.game, found)
    before = ("Games before", f"{_listed(history)}\nThis is the shortest history found that shows it.")
    assert found.entry is not None
    written = write_games(context.ordinary_games, [*history, found.entry])
    return evidence.with_sections(before).with_history(written)


def _with_seen_history(context: Context, found: Trial) -> Evidence:
    """Return the evidence of misconduct; if no player without a past is to be had, with what it was asked before."""
    evidence = faults.evidence(context.game, found)
    if gets_new_players(context.player.transport) or not found.past:
        return evidence
    sentence = "No new process of this player can be had here: if it goes well after a new start, it is due to these."
    return evidence.with_sections(("Games before", f"{_listed(found.past)}\n{sentence}"))


def _listed(history: Sequence[Entry]) -> str:
    """Return the entries of a history, a line each."""
    lines = [f"{number}. {entry.text}" for number, entry in enumerate(history, 1)]
    left_out = len(lines) - MAX_LISTED
    return "\n".join([*([f"… ({left_out} more)"] if left_out > 0 else []), *lines[-MAX_LISTED:]])
