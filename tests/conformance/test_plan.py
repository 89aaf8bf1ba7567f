"""What a run is to do follows from its options; what makes no sense is refused before anything is started."""

from __future__ import annotations

import asyncio
import math
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairplay.conformance.options import Options
from fairplay.conformance.plan import limits_of, make_plan
from fairplay.conformance.report import Run
from fairplay.conformance.trial import CallLimits
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.sandbox.bubblewrap import SandboxMissingError

FISH = find("fish")
BOT = Options("fish", "bot:first")


def plan(player: Any = "bot:first", **more: Any) -> Any:
    return make_plan(Options("fish", player, **more))


@pytest.mark.parametrize(
    ("player", "options", "complaint"),
    [
        ("dial-in:me", {"jobs": 2}, "one that dials in is one player"),
        (list, {"jobs": 2}, "give a link instead of an object"),
        ("exec:me", {"jobs": 2, "listen": "127.0.0.1:50"}, "give --listen an address with port 0"),
        ("bot:first", {"budget_s": 0.0}, "--budget is a time longer than 0"),
        ("bot:first", {"budget_s": -1.0}, "--budget is a time longer than 0"),
        ("bot:first", {"budget_s": math.nan}, "--budget is a time longer than 0"),
        ("bot:first", {"nonce": "n" * 129}, "--nonce is at most 128 characters that can be printed"),
        ("bot:first", {"nonce": "a\tb"}, "--nonce is at most 128 characters that can be printed"),
        ("bot:first", {"limit_s": 0.0}, "limit"),
        ("bot:first", {"first_limit_s": -1.0}, "limit"),
        ("bot:first", {"tls_cert": "c.pem"}, "--tls-cert and --tls-key belong together"),
        ("bot:first", {"tls_key": "k.pem"}, "--tls-cert and --tls-key belong together"),
        ("dial-in:me", {"listen": "0.0.0.0:50"}, "--tls-cert and --tls-key"),
        ("exec:me", {"listen": "0.0.0.0:0"}, "--tls-cert and --tls-key"),
        ("exec:me", {"program_limits": "nothing=1"}, "nothing"),
        ("exec:me", {"sandbox": "perhaps"}, "perhaps"),
        ("bot:first", {"level": "high"}, "there is no level 'high'"),
        ("bot:first", {"history": "seat-0-of-2"}, "give --only memory.back-to-back"),
        ("bot:first", {"history": "x", "only": "memory.back-to-back"}, "--history: 'x' is no game"),
        ("bot:first", {"known_failures": "/no/such/file"}, "cannot be read"),
    ],
)
def test_options_that_make_no_sense_are_refused(player: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        plan(player, **options)


@pytest.mark.parametrize(
    ("player", "options"),
    [
        ("dial-in:me", {"jobs": 1, "listen": "127.0.0.1:50"}),
        (list, {"jobs": 1}),
        ("exec:me", {"jobs": 1, "listen": "127.0.0.1:50"}),
        ("exec:me", {"jobs": 2}),
        ("grpc://127.0.0.1:50", {"jobs": 2, "listen": "127.0.0.1:50"}),
        ("bot:first", {"budget_s": 0.5}),
        ("bot:first", {"nonce": "n" * 128}),
        ("bot:first", {"tls_cert": "c.pem", "tls_key": "k.pem"}),
        ("dial-in:me", {"listen": "0.0.0.0:50", "insecure": True}),
        ("dial-in:me", {"listen": "0.0.0.0:50", "tls_cert": "c.pem", "tls_key": "k.pem"}),
        ("exec:me", {"listen": "0.0.0.0:0", "insecure": True}),
        ("bot:first", {"listen": "0.0.0.0:50"}),
    ],
)
def test_options_that_make_sense_are_taken(player: Any, options: dict[str, Any]) -> None:
    assert plan(player, **options).cases


@pytest.mark.parametrize(
    ("player", "sandbox", "is_missed"),
    [
        ("exec:me", "auto", True),
        ("exec:me", "off", False),
        ("bot:first", "auto", False),
        ("grpc://127.0.0.1:50", "auto", False),
        (list, "auto", False),
        ("bot:first", "require", True),
    ],
)
def test_a_sandbox_is_looked_for_where_a_program_is_started_or_one_is_asked_for(
    player: Any, sandbox: str, is_missed: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FAIRPLAY_SANDBOX", "require")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxMissingError, match="bubblewrap is not installed") if is_missed else nullcontext():
        plan(player, sandbox=sandbox)


def test_a_plan_says_what_is_judged_and_under_which_conditions(tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text("memory.early-end\n")
    more: dict[str, Any] = {"level": "must", "only": "memory", "seed": 5, "nonce": "word", "budget_s": 60.0}
    made = plan(limit_s=2.0, first_limit_s=4.0, known_failures=str(known), **more)
    limits = CallLimits(made.run.limits.notification_s, 2.0, 4.0)
    assert made.run == Run("fish", "bot", 5, limits, Level.MUST, "memory", "word", (), 60.0)
    assert made.known == {"memory.early-end"}
    assert {case.id.partition(".")[0] for case in made.cases} == {"memory"}
    assert {case.level for case in made.cases} == {Level.MUST}
    assert make_plan(BOT).known == frozenset()
    assert make_plan(BOT).history == ()


def test_cases_work_with_what_the_options_say() -> None:
    history = "seat-1-of-3:2+seat-0-of-2"
    options = replace(BOT, seed=5, nonce="word", examples=7, budget_s=60.0, only="memory.back-to-back", history=history)
    made = make_plan(options)
    with made.open_context() as context:
        assert (context.game, context.seed, context.examples) == (FISH, options.drawn_seed, 7)
        assert context.limits == made.run.limits
        assert context.player.budget.total_s == 60.0
        assert context.history == made.history
        [[first, second]] = context.history
        assert (first.situation.player_count, first.situation.seat, first.situation.turn_count) == (3, 1, 2)
        assert second == context.scenario(0, 2)
        assert context.player.transport.kind == "bot"
    assert made.repeat_command("a.b").startswith("fairplay certify fish bot:first --only a.b --seed 5 --nonce word")


@pytest.mark.parametrize(
    ("limit_s", "first_limit_s", "wanted"),
    [
        (None, None, (1.0, 1.0, 3.0)),
        (0.5, None, None),
        (60.0, None, None),
        (None, 90.0, (1.0, 1.0, 90.0)),
        (60.0, 90.0, None),
    ],
)
def test_limits_are_those_of_the_game_unless_others_are_given(
    limit_s: float | None, first_limit_s: float | None, wanted: tuple[float, float, float] | None
) -> None:
    found = limits_of(FISH, limit_s, first_limit_s)
    if wanted is not None:
        assert found == CallLimits(*wanted)
    assert found.decision_s == (limit_s or 1.0)
    if first_limit_s is not None:
        assert found.first_decision_s == first_limit_s


@pytest.mark.parametrize(
    ("option", "variable", "wanted"), [("mine", "", "mine"), ("mine", "theirs", "mine"), ("", "theirs", "theirs")]
)
def test_the_secret_of_a_player_is_that_of_the_options_or_of_the_environment(
    option: str, variable: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRPLAY_SECRET", variable)
    assert plan("grpc://127.0.0.1:50", secret=option).make_transport().secret == wanted


@pytest.mark.parametrize(("option", "named"), [("mine.pem", "mine"), ("", "theirs")])
async def test_who_vouches_for_a_player_is_said_by_the_options_or_by_the_environment(
    option: str, named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FAIRPLAY_CA", "theirs.pem")
    link = await plan("grpcs://127.0.0.1:9", ca=option).make_transport().open()
    asked = asyncio.get_running_loop().create_future()
    link.call("/fairplay.v1.PlayerService/Describe", b"", 30.0, lambda outcome, _: asked.set_result(outcome))
    assert f"{named}.pem cannot be read" in (await asked).message
    await link.close()
