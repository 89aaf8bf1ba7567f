"""What misconduct is due to: the same game is played again, with and without what came before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from fairplay.conformance import owners
from fairplay.conformance.budget import Budget
from fairplay.conformance.case_errors import Failure, NotTested
from fairplay.conformance.confirming import confirm, judge_condition
from fairplay.conformance.connection import Connection
from fairplay.conformance.context import Context
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.trial import Trial
from fairplay.fish.v1.fish_player_pb2 import TakeTurnResponse
from fairplay.v1.misconduct_pb2 import MisconductKind, Overrun
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, context_of

AGAIN_WELL = ("Played again", "The same game on a fresh connection went well.")
FIRST = 2
"""The number of the player that plays first: the one before it has only said what it is."""
NO_NEW_PLAYER = "No new process of this player can be had here: if it goes well after a new start, it is due to these."


class Games:
    """Makes players that go wrong in their turns where a test says so; counts players and games."""

    def __init__(self, wrong: Callable[[Any, int, int], Any]) -> None:
        """`wrong` returns the wrong answer, or None for a sound one: by request, number of the game, of the player."""
        self.players = 0
        self.games = 0
        self._wrong = wrong

    def __call__(self) -> object:
        ids: list[str] = []
        self.players += 1
        player_number = self.players

        def begin(sound: Any, request: Any) -> Any:
            ids.append(request.game_id)
            self.games += 1
            return sound(request)

        def turn(sound: Any, request: Any) -> Any:
            wrong = self._wrong(request, ids.index(request.game_id) + 1, player_number)
            return sound(request) if wrong is None else raises(sound, request) if wrong == "raises" else wrong

        return player(play_as=begin, take_turn=turn)


def outcome(work: Callable[[], object]) -> Failure | NotTested | None:
    try:
        work()
    except (Failure, NotTested) as error:
        return error
    return None


def failed(work: Callable[[], object]) -> Evidence:
    error = outcome(work)
    assert isinstance(error, Failure), error
    return error.evidence


def untested(work: Callable[[], object]) -> NotTested:
    error = outcome(work)
    assert isinstance(error, NotTested), error
    return error


def sections(evidence: Evidence | None) -> dict[str, str]:
    assert evidence is not None
    return dict(evidence.sections)


def games_of_three(context: Context, *turn_counts: int) -> list[Trial]:
    """Play games one after the other on one connection, the last one of three players."""
    with context.player.fresh() as connection:
        *first, last = turn_counts
        before = [context.play(context.scenario(0, 2, count), connection) for count in first]
        return [*before, context.play(context.scenario(0, 3, last), connection)]


def of_three(wrong: Any, *, games: int = 1) -> Callable[[Any, int, int], Any]:
    """Return what goes wrong in games of three players, from the game with a number on."""
    return lambda request, game, _: wrong if len(request.state.players) == 3 and game >= games else None


# The same game again


def test_misconduct_without_a_past_is_a_failure_at_once() -> None:
    games = Games(of_three(TakeTurnResponse()))
    with context_of(Opened(games).as_objects()) as context:
        [found] = games_of_three(context, 0)
        played = games.games
        evidence = failed(lambda: confirm(context, found))
        assert list(evidence.rules) == ["fish.action.required"]
        assert games.games == played
        assert {"Games before", "Played again"}.isdisjoint(sections(evidence))


def test_an_exception_is_a_failure_where_the_most_ordinary_game_still_goes_well() -> None:
    games = Games(of_three("raises"))
    with context_of(Opened(games).as_objects()) as context:
        assert context.ordinary.misconduct is None
        [found] = games_of_three(context, 0)
        played = games.games
        failed(lambda: confirm(context, found))
        assert games.games == played + 1, "the most ordinary one"


def test_misconduct_that_a_player_without_a_past_shows_too_is_a_failure() -> None:
    games = Games(of_three(TakeTurnResponse()))
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 1, 0)[-1]
        played = games.games
        evidence = failed(lambda: confirm(context, found))
        assert games.games == played + 1
        assert {"Games before", "Played again"}.isdisjoint(sections(evidence))
    with context_of(Opened(games).as_served()) as context:
        found = games_of_three(context, 1, 0)[-1]
        evidence = failed(lambda: confirm(context, found))
        assert {"Games before", "Played again"}.isdisjoint(sections(evidence)), "what is shown is the game alone"


def test_misconduct_that_shows_only_after_other_games_belongs_to_the_case_about_that_and_is_looked_into_once() -> None:
    games = Games(of_three("raises", games=2))
    with context_of(Opened(games).as_objects()) as context:
        _, _, found = games_of_three(context, 4, 4, 0)
        error = untested(lambda: confirm(context, found))
        assert error.see == owners.AFTER_OTHERS
        assert error.reason == "it fails only after other games: see memory.back-to-back"
        before = sections(error.evidence)["Games before"]
        assert before == ("1. the game seat-0-of-2, 1 decision\nThis is the shortest history found that shows it.")
        assert error.evidence is not None
        assert error.evidence.history == "seat-0-of-2:1,seat-0-of-3"
        played = games.games
        again = untested(lambda: confirm(context, found))
        assert again.evidence == error.evidence
        assert games.games == played + 1, "only the game alone"


def test_a_game_before_that_is_short_already_is_tried_once_and_once_more_as_an_ordinary_one() -> None:
    games = Games(of_three("raises", games=2))
    with context_of(Opened(games).as_objects()) as context:
        assert context.ordinary.misconduct is None
        found, played = games_of_three(context, 1, 0)[-1], games.games
        untested(lambda: confirm(context, found))
        assert games.games == played + 1 + 2 + 2


@pytest.mark.parametrize(("game_s", "count"), [(9.9, 1 + 2 + 2), (10.0, 1 + 2)])
def test_the_shortest_history_is_looked_for_no_longer_than_20_seconds(game_s: float, count: int) -> None:
    games = Games(of_three("raises", games=2))
    with context_of(Opened(games).as_objects()) as context:
        assert context.ordinary.misconduct is None
        found, played = games_of_three(context, 1, 0)[-1], games.games
        context.player.budget = Budget(600.0, lambda: 7.0 + game_s * games.games)
        untested(lambda: confirm(context, found))
        assert games.games == played + count


@pytest.mark.parametrize(("needed", "text"), [(None, "seat-0-of-2"), (3, "seat-1-of-3")])
def test_the_games_before_are_as_ordinary_as_they_can_be(needed: int | None, text: str) -> None:
    first: dict[int, int] = {}

    def wrong(request: Any, game: int, number: int) -> Any:
        count = first.setdefault(number, len(request.state.players))
        return "raises" if game > 1 and count == (needed or count) else None

    with context_of(Opened(Games(wrong)).as_objects()) as context, context.player.fresh() as connection:
        context.play(context.scenario(1, 3, 9), connection)
        found = context.play(context.scenario(0, 4), connection)
        error = untested(lambda: confirm(context, found))
        before = sections(error.evidence)["Games before"].splitlines()[0]
        assert before.startswith(f"1. the game {text}, ")
        assert error.evidence is not None
        assert error.evidence.history.startswith(f"{text}:")
        assert error.evidence.history.endswith(",seat-0-of-4")


def test_a_game_before_that_went_to_its_end_is_shortened_too() -> None:
    with context_of(Opened(Games(of_three("raises", games=2))).as_objects()) as context:
        found = games_of_three(context, 0, 0)[-1]
        error = untested(lambda: confirm(context, found))
        assert error.evidence is not None
        assert error.evidence.history == "seat-0-of-2:1,seat-0-of-3"


def test_misconduct_that_nothing_shows_again_is_a_failure_all_the_same() -> None:
    games = Games(lambda request, game, number: "raises" if (game, number) == (2, FIRST) else None)
    with context_of(Opened(games).as_objects()) as context:
        found, played = games_of_three(context, 1, 0)[-1], games.games
        evidence = failed(lambda: confirm(context, found))
        assert evidence.sections[-1] == AGAIN_WELL
        assert "Games before" not in sections(evidence)
        assert context.after_others == {}
        assert games.games == played + 1 + 2, "the game alone, and once after the game before it"


def test_of_a_player_of_which_no_new_one_is_to_be_had_all_that_came_before_is_listed() -> None:
    games = Games(lambda request, game, number: "raises" if (game, number) == (42, FIRST) else None)
    with context_of(Opened(games).as_served()) as context:
        found = games_of_three(context, *[1] * 41, 0)[-1]
        evidence = failed(lambda: confirm(context, found))
        assert evidence.sections[-1] == AGAIN_WELL
        lines = sections(evidence)["Games before"].splitlines()
        assert lines[0] == "… (1 more)"
        assert lines[1] == "2. the game seat-0-of-2, 1 decision"
        assert lines[40] == "41. the game seat-0-of-2, 1 decision"
        assert lines[41:] == [NO_NEW_PLAYER]


def test_what_came_before_is_not_listed_where_it_is_not_known() -> None:
    games = Games(lambda request, game, number: "raises" if (game, number) == (2, FIRST) else None)
    with context_of(Opened(games).as_served()) as context, context.player.fresh() as connection:
        connection.repeatable = False
        context.play(context.scenario(0, 2, 1), connection)
        found = context.play(context.scenario(0, 3), connection)
        assert found.had_past
        assert "Games before" not in sections(failed(lambda: confirm(context, found)))


def test_up_to_forty_games_are_all_listed() -> None:
    games = Games(lambda request, game, number: "raises" if (game, number) == (41, FIRST) else None)
    with context_of(Opened(games).as_served()) as context:
        found = games_of_three(context, *[1] * 40, 0)[-1]
        lines = sections(failed(lambda: confirm(context, found)))["Games before"].splitlines()
        assert (lines[0], len(lines)) == ("1. the game seat-0-of-2, 1 decision", 41)


def test_where_by_now_the_most_ordinary_game_fails_in_the_same_way_this_game_has_nothing_to_do_with_it() -> None:
    for before in ((), (1,)):
        begun: list[int] = []

        def wrong(request: Any, game: int, number: int, begun: list[int] = begun) -> Any:
            if len(request.state.players) == 3:
                begun.append(1)
            return "raises" if begun else None

        with context_of(Opened(Games(wrong)).as_objects()) as context:
            assert context.ordinary.misconduct is None
            found = games_of_three(context, *before, 0)[-1]
            error = untested(lambda found=found, context=context: confirm(context, found))  # type: ignore[misc]
            assert error.reason == "by now any game fails like this: see exceptions.whole-games"
            assert "seat-0-of-2" in sections(error.evidence)["Game"]


def test_a_broken_rule_depends_on_the_game_whatever_others_show() -> None:
    begun: list[int] = []

    def wrong(request: Any, game: int, number: int) -> Any:
        if len(request.state.players) == 3:
            begun.append(1)
        return TakeTurnResponse() if begun else None

    games = Games(wrong)
    with context_of(Opened(games).as_objects()) as context:
        assert context.ordinary.misconduct is None
        [found] = games_of_three(context, 0)
        played = games.games
        failed(lambda: confirm(context, found))
        assert games.games == played


def test_the_most_ordinary_game_is_not_held_against_itself() -> None:
    games = Games(lambda request, game, number: "raises")
    with context_of(Opened(games).as_objects()) as context:
        found, played = context.ordinary, games.games
        failed(lambda: confirm(context, found))
        assert games.games == played


@pytest.mark.parametrize("wrong", ["raises", TakeTurnResponse()], ids=["raises", "breaks a rule"])
def test_where_no_time_is_left_to_play_again_misconduct_is_a_failure(wrong: Any) -> None:
    games = Games(of_three(wrong))
    with context_of(Opened(games).as_objects()) as context:
        now = [0.0]
        context.player.budget = Budget(100.0, lambda: now[0])
        assert context.ordinary.misconduct is None
        found = games_of_three(context, 1, 0)[-1]
        now[0], played = 100.0, games.games
        failed(lambda: confirm(context, found))
        assert games.games == played


# Circumstances


def condition(context: Context, found: Trial, *controls: tuple[str, Callable[[], Trial]]) -> Callable[[], None]:
    return lambda: judge_condition(context, found, controls)


def test_a_game_that_goes_well_under_its_circumstances_passes() -> None:
    with context_of(Opened(player).as_objects()) as context:
        [found] = games_of_three(context, 1)
        assert outcome(condition(context, found)) is None


def test_what_the_whole_game_alone_shows_too_is_not_due_to_the_circumstances() -> None:
    games = Games(of_three("raises"))
    with context_of(Opened(games).as_objects()) as context:
        [found] = games_of_three(context, 9)
        error = untested(condition(context, found))
        assert error.reason == "it fails without that as well: see exceptions.whole-games"


def test_what_a_control_shows_too_belongs_to_the_case_about_that_control() -> None:
    games = Games(lambda request, game, number: "raises" if game > 1 else None)
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 1, 9)[-1]
        sound = context.whole_game(0, 2)
        for control, see in ((lambda: games_of_three(context, 1, 9)[-1], "a.b"), (lambda: sound, None)):
            error = outcome(condition(context, found, ("x.y", lambda: sound), ("a.b", control)))
            assert isinstance(error, NotTested if see else Failure)
            assert see is None or getattr(error, "see", "") == see
        assert isinstance(outcome(condition(context, found, ("a.b", lambda: found))), Failure), "it is no control"


def test_what_shows_only_after_other_games_is_shown_with_the_shortest_history() -> None:
    games = Games(lambda request, game, number: "raises" if game > 1 else None)
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 5, 5, 9)[-1]
        evidence = failed(condition(context, found))
        assert sections(evidence)["Games before"].startswith("1. the game seat-0-of-2, 1 decision\n")
        assert evidence.history == "seat-0-of-2:1,seat-0-of-3:9"


def test_no_history_is_looked_for_where_no_new_player_is_to_be_had() -> None:
    games = Games(lambda request, game, number: "raises" if game > 1 else None)
    with context_of(Opened(games).as_served()) as context:
        found = games_of_three(context, 1, 9)[-1]
        assert "Games before" not in sections(failed(condition(context, found)))


def test_what_shows_at_no_other_time_is_due_to_chance() -> None:
    games = Games(lambda request, game, number: "raises" if (game, number) == (2, FIRST) else None)
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 1, 9)[-1]
        error = untested(condition(context, found))
        assert error.reason.startswith("it fails now and then, whatever the circumstances are: see exceptions")


def test_what_cannot_be_played_again_in_the_same_way_is_due_to_the_circumstances() -> None:
    games = Games(lambda request, game, number: "raises" if (game, number) == (2, FIRST) else None)
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 1, 9)[-1]
        found.entry = None
        evidence = failed(condition(context, found))
        assert "Games before" not in sections(evidence)


def test_what_a_player_is_not_asked_again_is_due_to_the_circumstances() -> None:
    def refuse(connection: Connection) -> Sequence[Trial]:
        raise NotTested("it is not called any more")

    games = Games(lambda request, game, number: "raises" if (game, number) == (2, FIRST) else None)
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 1, 9)[-1]
        assert found.entry is not None
        found.entry = found.entry._replace(replay=refuse)
        evidence = failed(condition(context, found))
        assert "Games before" not in sections(evidence)


def test_games_at_the_same_time_are_compared_with_the_same_games_one_after_the_other() -> None:
    games = Games(lambda request, game, number: "raises" if game > 1 else None)
    with context_of(Opened(games).as_objects()) as context:
        found = context.pair()
        assert found.misconduct is not None
        evidence = failed(condition(context, found))
        assert "Games before" not in sections(evidence)
        assert evidence.history == ""
        # Both; the whole game alone; both again three times, and in between twice each of them alone.
        assert games.games == 2 + 1 + 3 * 2 + 2 * 2


def test_a_player_that_hangs_is_tried_once_more_and_no_oftener() -> None:
    games = Games(lambda request, game, number: None)
    with context_of(Opened(games).as_objects()) as context:
        found = games_of_three(context, 1, 9)[-1]
        assert found.misconduct is None
        found.misconduct = misconduct_of(context)
        found.misconduct.kind = MisconductKind.MISCONDUCT_KIND_TIMEOUT
        found.misconduct.overrun.CopyFrom(Overrun())
        played = games.games
        error = untested(condition(context, found))
        assert error.reason.startswith("it fails now and then")
        assert games.games - played == 1 + 2, "the whole game, and the game after the one before it"


def test_a_player_that_hangs_once_more_fails_because_of_the_circumstances() -> None:
    with context_of(Opened(Games(lambda request, game, number: None)).as_objects()) as context:
        found = games_of_three(context, 1, 9)[-1]
        assert found.entry is not None
        found.misconduct = misconduct_of(context)
        found.misconduct.kind = MisconductKind.MISCONDUCT_KIND_TIMEOUT
        found.misconduct.overrun.CopyFrom(Overrun())
        found.entry = found.entry._replace(replay=lambda connection: [found])
        evidence = failed(condition(context, found))
        assert sections(evidence)["Games before"].startswith("1. the game seat-0-of-2, 1 decision\n")


def test_what_the_whole_game_shows_later_is_not_due_to_the_circumstances() -> None:
    turns: list[tuple[int, int]] = []

    def wrong(request: Any, game: int, number: int) -> Any:
        turns.append((game, number))
        goes_on = {each for each in turns if turns.count(each) > 2}
        return "raises" if game > 1 or (len(goes_on) > 1 and (game, number) in goes_on) else None

    with context_of(Opened(Games(wrong)).as_objects()) as context:
        found = games_of_three(context, 1, 4)[-1]
        assert found.misconduct is not None
        error = untested(condition(context, found))
        assert error.reason.startswith("it fails now and then")


def test_what_one_of_two_games_shows_alone_is_not_due_to_their_being_played_at_the_same_time() -> None:
    games = Games(lambda request, game, number: "raises" if game > 1 or number >= FIRST + 3 else None)
    with context_of(Opened(games).as_objects()) as context:
        found = context.pair()
        assert found.misconduct is not None
        error = untested(condition(context, found))
        assert error.reason.startswith("it fails now and then")


def misconduct_of(context: Context) -> Any:
    """Return a misconduct in a turn."""
    broken_one = Games(lambda request, game, number: TakeTurnResponse())
    with context_of(Opened(broken_one).as_objects()) as other:
        found = other.ordinary.misconduct
    assert found is not None
    return found
