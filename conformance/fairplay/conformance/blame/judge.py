"""Judging trials: what misconduct is due to is found out by playing again, and which case it belongs to.

It may be due to games before it, circumstances, chance, or none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeAlias

from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame.faults import (
    Signature,
    breaks_rule,
    due_to_circumstances,
    evidence_of,
    owning_case,
    same,
    signature,
)
from fairplay.conformance.case import Failure, NotTested
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.guises import each_value
from fairplay.conformance.games.scenarios import write_games
from fairplay.conformance.games.trial import Entry, Exchange, Scenario, Trial
from fairplay.conformance.player.spares import DIALLING, SERVING
from fairplay.conformance.player.transports import ExecTransport
from fairplay.v1.misconduct_pb2 import MisconductKind

Shorten: TypeAlias = Callable[[Entry, int], Entry]
"""Returns an entry with games of at most so many decisions."""
FEW = (1, 2, 3, 5, 8)
"""Numbers of decisions that are tried for games of a history, before their own number."""


def shortest(
    history: Sequence[Entry], shorten: Shorten, shows: Callable[[Sequence[Entry]], bool]
) -> Sequence[Entry] | None:
    """Return the shortest history found that shows a misconduct, or None if not even the whole one does.

    `shows` plays a history, and what followed it, to a player without a past.
    """
    found = next((each for each in _ends(history) if shows(each)), None)
    if found is None:
        return None
    hasty = [shorten(entry, 1) for entry in found]
    if any(new is not old for new, old in zip(hasty, found, strict=True)) and shows(hasty):
        return _fewest(hasty, shows)
    return _shortened(_fewest(found, shows), shorten, shows)


def _ends(history: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield the last entry, the last two, four, eight, …, and all."""
    size = 1
    while size < len(history):
        yield history[-size:]
        size *= 2
    yield history


def _fewest(history: Sequence[Entry], shows: Callable[[Sequence[Entry]], bool]) -> Sequence[Entry]:
    """Return a history without parts that are not needed: halves, then quarters, down to single entries."""
    size = len(history) // 2
    while size:
        start = 0
        while start < len(history) and len(history) > size:
            rest = [*history[:start], *history[start + size :]]
            if shows(rest):
                history = rest
            else:
                start += size
        size //= 2
    return history


def _shortened(history: Sequence[Entry], shorten: Shorten, shows: Callable[[Sequence[Entry]], bool]) -> Sequence[Entry]:
    """Return a history with games of as few decisions as will do."""
    found = list(history)
    for index, entry in enumerate(found):
        for turn_count in FEW:
            new = shorten(entry, turn_count)
            if new is not entry and shows([*found[:index], new, *found[index + 1 :]]):
                found[index] = new
                break
    return found


def answers_differ(one: Trial, other: Trial) -> bool:
    """Return whether the player answered the same request differently in two games from the same situation."""
    for first, second in zip(one.exchanges, other.exchanges, strict=False):
        if _content(first) != _content(second):  # those of other methods are of other types
            return False
        if first.answer != second.answer:
            return True
    return False


def _content(exchange: Exchange) -> Message:
    """Return a request without the id of its game, which is a new one each time."""
    request = exchange.method.request.FromString(exchange.request)
    request.ClearField("game_id")
    return request


Control: TypeAlias = tuple[str, Callable[[], Trial]]
"""The id of a case, and a function that plays a game with what that case is about."""
SEARCH_LIMIT_S = 20.0
"""How long the shortest history is looked for. What was found by then is reported."""
MAX_SEARCHED = 32
"""In how much of the life of a player that is never new a history is looked for."""
MAX_RESTART_CHARS = 2_000
"""How long the games may be, as text, that a player is to be played once it is started anew; or else a whole run."""
MAX_LISTED = 40
"""How many entries of a history evidence lists, the last ones."""


def after_others(context: Context) -> dict[Signature | None, Evidence]:
    """Return the evidence of misconduct that shows only after other games, by its signature, as cases came upon it."""
    return context.once("after others", dict)


def judge(context: Context, found: Trial) -> None:
    """Judge a trial for a case about the game itself. Raises Failure if the misconduct belongs to no other case.

    An exception or a timeout that the most ordinary game shows as well belongs to the case about that kind of
    misconduct; one that shows only after other games belongs to the case about games back to back.
    """
    if found.misconduct is None:
        return
    ordinary = context.ordinary
    if not breaks_rule(found) and same(ordinary, found):
        early = "the game ended early" if found is ordinary else "the game ended early, as any does"
        raise untested(context, early, ordinary)
    confirm(context, found)


def judge_owned(context: Context, case_id: str) -> None:
    """Judge the whole games for the case that owns a kind of misconduct. Raises Failure if one of them shows it.

    Raises NotTested if none does, but some game ended early because of another kind of misconduct.
    """
    ended_early: Trial | None = None
    for found in context.whole_games():
        if found.misconduct is not None:
            if owning_case(found) == case_id:
                confirm(context, found)
            ended_early = ended_early or found
    if ended_early is not None:
        raise untested(context, f"the game {ended_early.scenario.name} ended before all was seen", ended_early)


def untested(context: Context, reason: str, found: Trial, see: str = "") -> NotTested:
    """Return that a case was not tested because of the misconduct of a trial, which belongs to another case."""
    return NotTested(reason, evidence_of(context.game, found), see or owning_case(found))


def confirm(context: Context, found: Trial) -> None:
    """Raise Failure for a misconduct, or NotTested if it is not due to this game: another case owns that."""
    if found.left_out is not None:  # a player without a past would be asked what is left out
        raise Failure(evidence_of(context.game, found))
    if not found.had_past:
        _check_ordinary(context, found)
        raise Failure(_named_way(context, found, evidence_of(context.game, found)))
    again = _again(context, found)
    if again is None or same(again, found):
        _check_ordinary(context, found)
        if again is None:  # nor can it be told from what was there before: all of that shows it again
            raise Failure(_named_way(context, found, _after_restart(context, found)))
        raise Failure(_named_way(context, found, _with_seen_history(context, again, found.life)))
    here, known = signature(found), after_others(context)
    if here not in known and (history := _shortest_history(context, found)):
        known[here] = _with_history(context, found, history)
    if here in known:
        raise NotTested("it fails only after other games", known[here], case_ids.BACK_TO_BACK)
    shown = ("Played again", "The same game on a fresh connection went well.")
    raise Failure(_after_restart(context, found).with_sections(shown))


MAX_WAYS_TRIED = 2
"""For so many kinds of misconduct a game is played again in both ways of reaching the player: each takes two starts."""
ONLY = {
    DIALLING: "Only through the stream that the player opens, and not where it serves",
    SERVING: "Only where the player serves, and not through the stream that it opens",
}


def _named_way(context: Context, found: Trial, evidence: Evidence) -> Evidence:
    """Return the evidence; if the player misbehaves in one way of being reached only, its sentence begins with that."""
    if not isinstance(context.player.transport, ExecTransport):
        return evidence
    tried = context.once("ways tried", dict[Signature | None, str])
    kind = signature(found)
    if kind not in tried and len(tried) < MAX_WAYS_TRIED:
        tried[kind] = ONLY.get(_only_way(context, found), "")
    only = tried.get(kind)
    return evidence.with_sentence(f"{only}: {evidence.sentence}") if only else evidence


def _only_way(context: Context, found: Trial) -> str:
    """Return the only way of being reached in which the player misbehaves like this; "" if there is none."""
    try:
        connections = context.player.open_ways()
    except NotTested:
        return ""
    try:
        offered = {way: each for way, each in connections.items() if not each.lost}
        if len(offered) < len(connections):
            return ""
        trials = {way: context.play(found.scenario, each) for way, each in offered.items()}
    except NotTested:
        return ""
    finally:
        for each in connections.values():
            context.player.loop.run(each.close())
    failed = [way for way, each in trials.items() if same(each, found)]
    well = [way for way, each in trials.items() if each.misconduct is None]
    return failed[0] if (len(failed), len(well)) == (1, 1) else ""


def _check_ordinary(context: Context, found: Trial) -> None:
    """Raise NotTested if the most ordinary game, which went well before, fails in the same way by now.

    The player has changed since, or it fails by chance: then this game has nothing to do with it. Of a player that can
    be new, broken rules depend on the game, and one that hangs would cost its whole limit once more.
    """
    assert found.misconduct is not None
    is_exception = found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_EXCEPTION
    if found.scenario == context.ordinary.scenario or not (is_exception or found.life):
        return
    now = None if same(context.ordinary, found) else _again(context, context.ordinary)
    has_changed = now is not None and now.misconduct is not None and bool(found.life)
    if now is not None and (same(now, found) or (has_changed and context.ordinary.misconduct is None)):
        raise NotTested("by now any game fails like this", _after_restart(context, found), owning_case(now))


def judge_condition(context: Context, found: Trial, *controls: Control, is_repeated: bool = False) -> None:
    """Judge a trial on a fresh connection for a case about its circumstances.

    Raises Failure if the player misbehaved, and not in the same way in any control: a game without the
    circumstances, with the id of the case about it ("": the case that owns the misconduct). Raises NotTested if
    a control shows the same, or if it comes by chance, whatever the circumstances are. `is_repeated`: it has shown
    twice in a row in these circumstances, so that it is not tried once more.
    """
    if found.misconduct is None:
        return
    if found.left_out is not None:
        raise found.left_out
    alone: Control = ("", lambda: context.same_whole_game(found))
    for case_id, control in (alone, *controls):
        plain = control()
        if plain.left_out is not None:
            raise plain.left_out
        if plain is not found and same(plain, found):
            raise untested(context, "it fails without that as well", plain, case_id)
    if context.player.may_try_again and _is_timeout(found):  # the other attempt shows it again, or that others did it
        raise Failure(evidence_of(context.game, found))
    if found.life:
        _check_ordinary(context, found)
    if not is_repeated and not _is_due_to_circumstances(context, found):
        reason = "it fails now and then, whatever the circumstances are"
        raise NotTested(reason, _after_restart(context, found), owning_case(found))
    history = _shortest_history(context, found)
    raise Failure(_with_history(context, found, history) if history else evidence_of(context.game, found))


def judge_guises(context: Context, case_id: str, *scenarios: Scenario) -> None:
    """Judge games with each of the unusual values of which misconduct belongs to a case."""
    with context.player.separate() as connection:
        games = (scenario._replace(guise=each) for each in each_value(case_id) for scenario in scenarios)
        for found in context.play_on(connection, games):
            if found.wrong_in_guise is not None and found.wrong_in_guise.evidence is not None:
                raise Failure(found.wrong_in_guise.evidence)
            judge_after_others(context, found)


@contextmanager
def where(circumstances: str) -> Iterator[None]:
    """Begin the sentence of a failure with the circumstances in which the player has failed."""
    try:
        yield
    except Failure as failed:
        raise Failure(failed.evidence.with_sentence(f"{circumstances}: {failed.evidence.sentence}")) from None


def judge_after_others(context: Context, found: Trial) -> None:
    """Judge a trial after other games: what shows after ordinary ones belongs to the case about games back to back."""
    judge_condition(context, found, (case_ids.BACK_TO_BACK, context.sequence))


def _again(context: Context, found: Trial) -> Trial | None:
    """Return the same game, played by a player without a past; None if the player is not asked any more."""
    try:
        return context.alone(found.scenario)
    except NotTested:
        return None


def _is_due_to_circumstances(context: Context, found: Trial) -> bool:
    """Return whether misconduct shows again in the same circumstances, and not without them."""
    if found.entry is None:  # it cannot be played again in the same way
        return True
    try:
        if _is_timeout(found):  # each time costs the whole limit
            return _shows(context, found, found.past)
        return due_to_circumstances(lambda: _shows(context, found, found.past), lambda: _shows_without(context, found))
    except NotTested:
        return True


def _is_timeout(found: Trial) -> bool:
    return found.misconduct is not None and found.misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT


def _shows(context: Context, found: Trial, past: Sequence[Entry]) -> bool:
    """Return whether a misconduct shows again after some history, in any of the games at the same time."""
    assert found.entry is not None
    return any(same(each, found) for each in context.replay([*past, found.entry]))


def _shows_without(context: Context, found: Trial) -> bool:
    """Return whether a misconduct shows in the whole game alone, or in games at the same time one after the other."""
    scenarios = () if found.entry is None else found.entry.scenarios
    if len(scenarios) < 2:
        return same(context.alone(context.same_whole_game(found).scenario), found)
    return any(same(context.alone(each), found) for each in scenarios)


# --- the games before ---


def _shortest_history(context: Context, found: Trial) -> Sequence[Entry]:
    """Return the shortest history that shows a misconduct; empty if none does.

    A player that is never new has to show it twice, so that no chance is taken for a history, and all its searches
    together have the time of one: each changes the player.
    """
    past = found.life[-MAX_SEARCHED:] or found.past
    if found.entry is None or not past:
        return ()
    budget, began_s = context.player.budget, context.player.budget.elapsed_s
    rounds, left_s = 1, [SEARCH_LIMIT_S]
    if found.life:
        rounds, left_s = 2, context.once("seconds left for searches", lambda: [SEARCH_LIMIT_S])
    end_s = began_s + left_s[0]

    def shows(history: Sequence[Entry]) -> bool:
        return budget.elapsed_s < end_s and all(_shows(context, found, history) for _ in range(rounds))

    try:
        history = shortest(past, lambda entry, count: _shortened_entry(context, entry, count), shows) or ()
        plain = [_plain(context, entry) for entry in history]
        is_new = any(new is not old for new, old in zip(plain, history, strict=True))
        return plain if is_new and shows(plain) else history
    except NotTested:
        return ()
    finally:
        left_s[0] -= budget.elapsed_s - began_s


def _plain(context: Context, entry: Entry) -> Entry:
    """Return an entry with the most ordinary game instead of each of its games, for as many decisions."""
    ordinary = context.ordinary.scenario
    lengths = [each.situation.turn_count for each in entry.scenarios]
    games = [ordinary._replace(situation=ordinary.situation._replace(turn_count=length)) for length in lengths]
    return context.games(games) if games else entry


def _shortened_entry(context: Context, entry: Entry, turn_count: int) -> Entry:
    """Return an entry with games of at most so many decisions; the entry itself if they are not longer."""
    if all(0 < each.situation.turn_count <= turn_count for each in entry.scenarios):
        return entry
    cut = [each._replace(situation=each.situation._replace(turn_count=turn_count)) for each in entry.scenarios]
    return context.games(cut)


def _with_history(context: Context, found: Trial, history: Sequence[Entry]) -> Evidence:
    """Return the evidence of misconduct that shows after other games, with the option that plays them again.

    The games come first: who reads of the call alone looks for the fault in it.
    """
    evidence = evidence_of(context.game, found)
    sentence = "Alone this game does not fail so: it does after these, the shortest history found that shows it."
    before = ("Games before", f"{_listed(history)}\n{sentence}")
    assert found.entry is not None
    written = write_games(context.ordinary_games, [*history, found.entry])
    return replace(evidence, sections=(before, *evidence.sections)).with_history(written)


def _with_seen_history(context: Context, found: Trial, life: Sequence[Entry]) -> Evidence:
    """Return the evidence of misconduct; if no player without a past is to be had, with what it was asked before."""
    evidence = evidence_of(context.game, found)
    if not life:
        return evidence
    sentence = "No new process of this player can be had here: if it goes well after a new start, it is due to these."
    return evidence.with_sections(("Games before", f"{_listed(life)}\n{sentence}"))


def _after_restart(context: Context, found: Trial) -> Evidence:
    """Return the evidence of misconduct that a player shows no more, or always by now: it was different at first.

    Of a player that is never new, the whole of its life is what shows it again, once it is started anew.
    """
    evidence = _with_seen_history(context, found, found.life)
    if not found.life or found.entry is None:
        return evidence
    history = write_games(context.ordinary_games, [*found.life, found.entry], MAX_RESTART_CHARS)
    return evidence.with_history(history, restarts=True)


def _listed(history: Sequence[Entry]) -> str:
    """Return the entries of a history, a line each."""
    lines = [f"{number}. {entry.text}" for number, entry in enumerate(history, 1)]
    left_out = len(lines) - MAX_LISTED
    return "\n".join([*([f"… ({left_out} more)"] if left_out > 0 else []), *lines[-MAX_LISTED:]])
