"""Which games of a case are judged, and by which controls what goes wrong in them may belong to another case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from fairplay.conformance import attribution, enlarging, owners, silence
from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotTested, SuiteError
from fairplay.conformance.cases import beside, exceptions, fresh, games, memory, numbers, outcomes, probes, seats, time
from fairplay.conformance.cases import endings as ends
from fairplay.conformance.confirming import Control
from fairplay.conformance.evidence import Evidence
from fairplay.conformance.interleaving import TO_THE_END
from fairplay.conformance.joining import Joining
from fairplay.conformance.transports import PlayerServer
from fairplay.conformance.trial import Scenario, Trial
from fairplay.conformance.variations import unusual_part
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import find
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, context_of
from tests.conformance.test_played_games import Asked, Recorder, ordinary

FISH = find("fish")
RAISED = Misconduct(kind=MisconductKind.MISCONDUCT_KIND_EXCEPTION)


class Judged(NamedTuple):
    """A game that was judged, and the controls; None: it was judged without its circumstances."""

    found: Trial
    controls: Sequence[Control] | None

    @property
    def owners(self) -> tuple[str, ...] | None:
        return None if self.controls is None else tuple(owner for owner, _ in self.controls)


class JudgedRecorder(Recorder):
    """Keeps which games are played and judged. `wrong`: the numbers, from 1, of the games that go wrong."""

    def __init__(self, game: str = "fish", *, slow: bool = False, wrong: Sequence[int] = ()) -> None:
        super().__init__(game, slow)
        self.judged: list[Judged] = []
        self.count = 0
        self._wrong = wrong

    def _add(self, connection: Any, scenarios: Sequence[Scenario], *more: Any) -> list[Trial]:
        super()._add(connection, scenarios, *more)
        return [self._trial(each) for each in scenarios]

    def _trial(self, scenario: Scenario) -> Trial:
        self.count += 1
        return Trial(scenario, misconduct=RAISED if self.count in self._wrong else None)

    @contextmanager
    def judging(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        """Yield a context that keeps what is to be judged."""

        def play_in_turn(_: Any, scenarios: Any, connection: Any, shares: Any = None, ids: Any = None) -> Any:
            return self._add(connection, scenarios, shares, ids)

        def judge(found: Trial) -> None:
            self.judged.append(Judged(found, None))

        def judge_condition(found: Trial, *controls: Control) -> None:
            self.judged.append(Judged(found, controls))

        monkeypatch.setattr(seats, "play_in_turn", play_in_turn)
        monkeypatch.setattr(memory, "_cancel", lambda *_: 1)
        with self.recording(monkeypatch) as context:
            monkeypatch.setattr(type(context), "ordinary", property(lambda _: ordinary(self._game.name)))
            context.judge, context.judge_condition = judge, judge_condition
            yield context


AFTER, ASIDE = owners.AFTER_OTHERS, owners.AT_ONCE


@pytest.mark.parametrize(
    ("case", "game", "controls"),
    [
        (memory.early_end, "fish", {(AFTER,)}),
        (memory.never_ended, "fish", {(AFTER,)}),
        (memory.cancelled_call, "fish", {(AFTER,)}),
        (exceptions.unusual_ids, "fish", {(AFTER,)}),
        (ends.tournament, "fish", {(AFTER,)}),
        (ends.win_and_lose, "fish", {(AFTER,)}),
        (beside.many_games_at_once, "fish", {("", AFTER, ASIDE)}),
        (beside.one_ends_first, "fish", {("", AFTER, ASIDE)}),
        (
            beside.similar_ids,
            "fish",
            {("", AFTER, ASIDE, beside.MANY), (owners.UNUSUAL_SETTINGS, AFTER, ASIDE, beside.MANY)},
        ),
        (fresh.fresh_process, "fish", {("", AFTER)}),
        (numbers.large_numbers, "fish", {None}),
        (games.rival_leaves, "fish", {None}),
        (games.cases(FISH)[0], "fish", {None}),
        (games.cases(FISH)[-1], "fish", {None}),
        (outcomes.game_won, "q", {None}),
        (outcomes.game_lost, "q", {None}),
        (outcomes.game_tied, "eriantys", {None}),
    ],
    ids=lambda value: value.id if isinstance(value, Case) else "",
)
def test_each_game_of_a_case_is_judged(case: Case, game: str, controls: set[Any], monkeypatch: Any) -> None:
    recorder = JudgedRecorder(game)
    with recorder.judging(monkeypatch) as context:
        late = [context.scenario(0, 2), context.scenario(1, 2)]
        monkeypatch.setattr(outcomes, "find_endings", lambda *_: iter(late))
        context.ask = Asked()
        case.run(context)
    played = [scenario for each in recorder.played for scenario in each.scenarios]
    assert [each.found.scenario for each in recorder.judged] == played
    assert {each.owners for each in recorder.judged} == controls


def test_games_with_nearly_the_same_ids_may_have_unusual_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        beside.similar_ids.run(context)
        for each in recorder.judged:
            assert each.owners is not None
            is_usual = each.found.scenario.situation.settings == context.settings
            assert each.owners[0] == ("" if is_usual else owners.UNUSUAL_SETTINGS)


def test_what_goes_wrong_beside_games_with_similar_ids_is_tried_with_ordinary_ids(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        beside.similar_ids.run(context)
        mixed = recorder.played[-1]
        recorder.played.clear()
        controls = recorder.judged[-1].controls
        assert controls is not None
        owner, control = controls[-1]
        assert owner == beside.MANY
        assert control().scenario == mixed.scenarios[0], "all go well"
        recorder.count, recorder._wrong = 0, (3, 5)
        assert control().scenario == mixed.scenarios[2], "the first that goes wrong"
    assert [list(each.scenarios) for each in recorder.played] == [list(mixed.scenarios)] * 2
    assert [each.ids or None for each in recorder.played] == [None] * 2
    assert len({each.connection for each in recorder.played} | {mixed.connection}) == 3


@pytest.mark.parametrize(
    ("exchanges", "share", "more"), [(1, 1, 0), (2, 1, 1), (3, 1, 1), (9, 4, 4), (48, 24, 24), (90, 24, 24)]
)
def test_another_game_begins_halfway_through_an_ordinary_one_at_the_latest_after_24_calls(
    exchanges: int, share: int, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        monkeypatch.setattr(type(context), "ordinary", SimpleNamespace(exchanges=[None] * exchanges))
        beside.one_ends_first.run(context)
    assert {each.shares for each in recorder.played} == {(share, TO_THE_END)}
    assert {each.seatings[0] for each in recorder.played} == {(0, 2, 12 + more)}


def test_the_settings_of_games_with_similar_ids_are_those_that_differ_most(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        beside.similar_ids.run(context)
        sizes = sorted(
            (len(unusual_part(FISH, each.settings).ListFields()) for each in context.variations), reverse=True
        )
    others = [each.situation for each in recorder.played[-1].scenarios[1::2]]
    assert [len(unusual_part(FISH, each.settings).ListFields()) for each in others] == sizes[: len(others)]


# One seat in two games


def test_games_of_one_seat_are_held_against_games_in_another_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder(slow=True, wrong=range(1, 100))
    with recorder.judging(monkeypatch) as context:
        seats.same_seat.run(context)
        assert len(recorder.judged) == 12, "six alone, and six in pairs"
        assert {each.owners for each in recorder.judged[:6]} == {("exceptions.drawn-states", seats.NEVER_ENDED)}
        assert {each.owners for each in recorder.judged[6:]} == {("exceptions.drawn-states", ASIDE)}
        recorder.played.clear()
        for number in (0, 6, 7):
            controls = recorder.judged[number].controls
            assert controls is not None
            assert controls[1][1]().scenario == recorder.judged[number].found.scenario
    after, same, first, second = recorder.played
    assert (after.seatings, same.scenarios) == ([(1, 2, 1)], [recorder.judged[0].found.scenario])
    assert after.connection == same.connection
    one, other = (recorder.judged[number].found.scenario for number in (6, 7))
    assert first.scenarios[0] == one
    assert second.scenarios[1] == other
    assert first.seatings[1] == second.seatings[0] == (1, 2, 2)


def test_games_of_one_seat_that_go_well_need_no_controls(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder(slow=True, wrong=(2, 9))
    with recorder.judging(monkeypatch) as context:
        seats.same_seat.run(context)
    assert len(recorder.judged) == 2


# Memory


def test_back_to_back_is_judged_in_the_sequence_and_by_what_other_cases_came_upon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        memory.back_to_back.run(context)
        assert [each.owners for each in recorder.judged] == [()]
        assert [each.found for each in recorder.judged] == [context.sequence()]
        context.after_others[None] = Evidence("It failed later.")
        with pytest.raises(Failure, match="It failed later"):
            memory.back_to_back.run(context)


def test_two_games_at_once_are_judged_by_the_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        memory.two_games_at_once.run(context)
        assert [(each.found, each.owners) for each in recorder.judged] == [(context.pair(), (AFTER,))]


@pytest.mark.parametrize("is_cheap", [False, True])
def test_what_is_cancelled_are_the_calls_of_the_game_before(is_cheap: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    unread: list[Any] = []
    received: list[Any] = []

    async def cancel_unread(connection: Any, last: Any) -> None:
        unread.append((connection, last))

    async def cancel_received(connection: Any, opening: Any, new_id: Any, late_count: Any) -> int:
        received.append((connection, opening, new_id(), late_count()))
        return 7

    monkeypatch.setattr(memory, "cancel_unread", cancel_unread)
    monkeypatch.setattr(memory, "cancel_received", cancel_received)
    opened = Opened(player)
    monkeypatch.setattr(PlayerServer, "late_reply_count", 5)
    transport = opened.as_objects() if is_cheap else opened.as_started()
    with context_of(transport) as context, context.player.fresh() as connection:
        found = context.play(context.scenario(0, 2, turn_count=1), connection)
        assert memory._cancel(context, connection, found) == 7
        assert unread == [(connection, found.exchanges[-1])]
        [(reached, opening, game_id, late)] = received
        assert (reached, opening, late) == (connection, found.exchanges, 0 if is_cheap else 5)
        assert game_id != context.new_id()
        after = context.play(context.scenario(0, 2, turn_count=1), connection)
    assert after.past[-1].text == "calls that were cancelled"


# Players that come in later


def test_what_goes_wrong_in_a_game_that_is_come_into_is_tried_from_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        fresh.fresh_process.run(context)
        asked_again, joined = recorder.judged[-1], recorder.judged[0]
        assert joined.found.scenario.joins == Joining("TakeTurn", 3)
        assert asked_again.found.scenario.asked_again == 3
        recorder.played.clear()
        for each in (joined, asked_again):
            assert each.controls is not None
            each.controls[0][1]()
    for each, played in zip((joined, asked_again), recorder.played, strict=True):
        assert list(played.scenarios) == [each.found.scenario._replace(joins=None, asked_again=0)]


@pytest.mark.parametrize("also_plain", [True, False])
def test_what_goes_wrong_after_other_games_without_coming_in_is_judged_as_such(
    also_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = JudgedRecorder(wrong=(3, 6) if also_plain else (3,))
    with recorder.judging(monkeypatch) as context:
        fail = context.judge_condition

        def judge_condition(found: Trial, *controls: Control) -> None:
            fail(found, *controls)
            if found.misconduct is not None:
                raise Failure(Evidence("It failed."))

        context.judge_condition = judge_condition
        monkeypatch.setattr(attribution, "same", lambda one, other: one.misconduct == other.misconduct)
        with pytest.raises(Failure, match="It failed"):
            fresh.fresh_process.run(context)
    begun = [each.found.scenario._replace(joins=None, asked_again=0) for each in recorder.judged[:3]]
    again = recorder.played[3:]
    assert [each.scenarios for each in again] == [[each] for each in begun]
    assert len({each.connection for each in again}) == 1
    assert [each.found.scenario for each in recorder.judged[3:]] == begun[2:] * also_plain


def test_a_player_comes_into_the_end_of_a_game_to_be_told_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder("q")
    with recorder.judging(monkeypatch) as context:
        fresh.fresh_process.run(context)
    joined = [each.scenarios[0] for each in recorder.played if each.scenarios[0].joins]
    assert {each.joins.method for each in joined if each.situation.state is not None and each.joins} == {"Win"}
    assert {each.joins.method for each in joined if each.situation.state is None and each.joins} == {
        method.name for method in find("q").methods if method.name != "Win"
    }


def test_games_before_are_played_again_until_one_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder(wrong=(2,))
    with recorder.judging(monkeypatch) as context:
        scenarios = [context.scenario(0, 2), context.scenario(1, 2), context.scenario(0, 3)]
        assert fresh._one_after_another(context, scenarios).scenario == scenarios[1]
    assert len(recorder.played) == 2


# Ends


@pytest.mark.parametrize(("number", "is_enough"), [(0, False), (1, False), (2, True), (3, True)])
def test_an_end_that_reference_players_hardly_reach_is_an_error_of_the_suite(
    number: int, is_enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        late = [context.scenario(0, 2)] * number
        monkeypatch.setattr(outcomes, "find_endings", lambda *_: iter(late))
        if is_enough:
            outcomes.game_won.run(context)
            assert len(recorder.played) == 2 + 1
            return
        with pytest.raises(SuiteError, match=f"so that another one has won: {number}$"):
            outcomes.game_won.run(context)


# Time


def test_games_under_load_are_judged_where_they_go_wrong_and_their_like_was_played_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = JudgedRecorder(wrong=(2, 5))
    before: list[tuple[int, int]] = []
    with recorder.judging(monkeypatch) as context:
        context.whole_game = lambda *seating: before.append(seating)
        time.under_load.run(context)
    [played] = recorder.played
    assert [each.found.scenario for each in recorder.judged] == [played.scenarios[1], played.scenarios[4]]
    assert {each.owners for each in recorder.judged} == {(AFTER, ASIDE)}
    assert before == [each[:2] for each in played.seatings]


@pytest.mark.parametrize(("method", "is_told"), [("setup", True), ("", False)])
def test_a_case_that_owns_what_went_wrong_fails_and_another_is_not_tested(method: str, is_told: bool) -> None:
    broken = trial_of(FISH, player(**({method: raises} if method else {})))
    with context_of(Opened(player).as_objects()) as context:
        context.whole_games = lambda: iter([broken])  # type: ignore[method-assign]
        for case in (time.first_answer, time.every_answer):
            if is_told:
                with pytest.raises(NotTested, match=r"see exceptions\.whole-games"):
                    case.run(context)
            else:
                case.run(context)


@pytest.mark.parametrize(
    ("kind", "is_there", "said"),
    [
        ("objects", True, ["begin", "finish"]),
        ("started", True, ["begin", "finish"]),
        ("started", False, ["begin", "finish", "play"]),
        ("served", True, ["play"]),
    ],
)
def test_rivals_are_slow_while_other_cases_are_judged_unless_the_player_has_a_past(
    kind: str, is_there: bool, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    sound = trial_of(FISH, player())

    def ask(word: str, answer: Any) -> Any:
        asked.append(word)
        return answer

    monkeypatch.setattr(silence, "begin", lambda context: ask("begin", "begun"))
    monkeypatch.setattr(silence, "finish", lambda context, begun: ask("finish", sound if is_there else None))
    monkeypatch.setattr(silence, "play", lambda context: ask("play", sound))
    judged: list[Any] = []

    def judge_condition(found: Trial, *controls: Control) -> None:
        judged.append((found, [owner for owner, _ in controls]))

    for is_prepared in (True, False):
        asked.clear()
        opened = Opened(player)
        open_as = {"objects": opened.as_objects, "started": opened.as_started, "served": opened.as_served}[kind]
        with context_of(open_as()) as context:
            monkeypatch.setattr(context, "judge_condition", judge_condition)
            assert time.slow_rivals.prepare is not None
            if is_prepared:
                time.slow_rivals.prepare(context)
                assert asked == [each for each in said if each == "begin"]
            time.slow_rivals.run(context)
            assert len(opened.links) > 0, "it is not the first to ask the player"
        assert asked == said
    assert judged == [(sound, [AFTER])] * 2


# Numbers of many digits, and games from the middle


@pytest.mark.parametrize("names", [["random"], ["nobody", "random"]])
def test_states_to_go_on_from_are_those_of_the_last_of_the_quick_strategies(
    names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = JudgedRecorder()
    with recorder.judging(monkeypatch) as context:
        for module in (enlarging, games, numbers):
            monkeypatch.setattr(module, "rival_names", lambda _: names)
        for case in (numbers.large_numbers, games.cases(FISH)[-1]):
            case.run(context)
    assert len(recorder.played) == 4 + 1
    allows_large_scores = enlarging.allows_large_scores.__wrapped__
    assert allows_large_scores("fish")
    assert not allows_large_scores("webset")


# Probes


@pytest.mark.parametrize(
    ("differ", "wrong", "rounds"),
    [(False, (), 1.5), (True, (), 8), (True, (1,), 0.5), (True, (2,), 1), (True, (6,), 3)],
)
def test_the_two_draws_of_a_probe_are_played_until_it_is_clear_what_is_answered(
    differ: bool, wrong: Sequence[int], rounds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = find_conformance("fish").probes[0]._replace(draws=2)
    monkeypatch.setattr(probes, "find_conformance", lambda _: SimpleNamespace(probes=[drawn]))
    asked: list[list[str]] = []

    def answers_differ(*trials: Trial) -> bool:
        assert trials[0] is not trials[1]
        asked.append([each.scenario.name for each in trials])
        return differ

    monkeypatch.setattr(probes, "answers_differ", answers_differ)
    recorder = JudgedRecorder(wrong=wrong)
    with recorder.judging(monkeypatch) as context:
        [case] = probes.cases(FISH)
        case.run(context)
        case.run(context)
    names = [each.scenarios[0].name for each in recorder.played]
    assert names == ([drawn.id, f"{drawn.id}-2"] * 8)[: round(2 * rounds)]
    assert asked == [[drawn.id] * 2] * (rounds > 1)
    assert len({each.connection for each in recorder.played}) == 1
    assert [each.found.scenario.name for each in recorder.judged] == names * 2, (
        "played once, and judged as often as asked"
    )
    first, second = (recorder.played[index].scenarios[0] for index in (0, min(1, len(names) - 1)))
    assert (first.seed != second.seed) is (len(names) > 1)
    assert {each.scenarios[0].level for each in recorder.played} == {drawn.level}


def test_a_slow_player_plays_a_probe_with_those_of_its_level_that_were_not_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels = (Level.MUST, Level.SHOULD) * 3
    drawn = [each._replace(level=level) for each, level in zip(find_conformance("fish").probes, levels, strict=False)]
    monkeypatch.setattr(probes, "find_conformance", lambda _: SimpleNamespace(probes=drawn))
    recorder = JudgedRecorder(slow=True)
    batches: list[list[int]] = []
    ids = [each.id for each in drawn]
    with recorder.judging(monkeypatch) as context:

        def play_each(scenarios: Iterator[Scenario]) -> list[Trial]:
            trials = [Trial(each) for each in scenarios]
            batches.append([ids.index(each.scenario.name) for each in trials])
            return trials

        context.play_each = play_each
        cases = probes.cases(FISH)
        for number in (2, 0, 1, 5, 4, 3):
            cases[number].run(context)
    assert batches == [[2, 4], [0], [1, 3, 5]]


def test_a_slow_player_plays_each_probe_once_with_those_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = JudgedRecorder(slow=True)
    batches: list[list[str]] = []
    with recorder.judging(monkeypatch) as context:

        def play_each(scenarios: Iterator[Scenario]) -> list[Trial]:
            trials = [Trial(each) for each in scenarios]
            batches.append([each.scenario.name for each in trials])
            return trials

        context.play_each = play_each
        for case in (cases := probes.cases(FISH)):
            case.run(context)
    assert [each.found.scenario.name for each in recorder.judged] == [each.id for each in cases]
    levels = dict.fromkeys(each.level for each in cases)
    rows = {level: [each.id for each in cases if each.level is level] for level in levels}
    wanted = [row[at : at + 8] for row in rows.values() for at in range(0, len(row), 8)]
    assert sorted(batches) == sorted(wanted)
