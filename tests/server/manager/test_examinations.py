"""Tournaments whose server examines players at sign-up: states, places, periods, restarts, turns."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.certificate.signing import new_key, public_text, signed
from fairplay.server.examining.suite import Finding
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.states import CANCELLED, EXAMINING, REFUSED, RUNNING, SIGN_UP, TOO_LATE
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import SignUpResponse
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.tournament_pb2 import CertificatePolicy, ExaminationPolicy, SignUpPolicy, Tournament, TournamentPlan
from tests.server.manager.harness import Environment, Timers, environment, plan
from tests.server.manager.test_certificates import certificate

PASSED = Finding(PlayerDescription(display_name="Ann 2000"))
FAILED = Finding(PlayerDescription(), "time.every-answer", "FAIL: it took too long")


class Suite:
    """A suite that finds what a test says, when the test says it."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        """Whose examinations were broken off."""
        self.secrets: dict[str, str] = {}
        self._told: dict[str, asyncio.Future[Finding]] = {}

    async def examine(self, player: Player, plan: TournamentPlan, secret: str) -> Finding:
        self.begun.append(player.name)
        self.secrets[player.name] = secret
        try:
            return await asyncio.shield(self._of(player.name))
        except asyncio.CancelledError:
            self.ended.append(player.name)
            raise

    def forget(self) -> None:
        """Find something new from now on."""
        self._told.clear()

    def tell(self, name: str, finding: Finding) -> None:
        """Let the examination of a player end."""
        self._of(name).set_result(finding)

    def _of(self, name: str) -> asyncio.Future[Finding]:
        return self._told.setdefault(name, asyncio.get_running_loop().create_future())


def examining(most: int = 10, waiting_s: int = 0, **policy: object) -> TournamentPlan:
    asked = CertificatePolicy(examination=ExaminationPolicy(), **policy)  # type: ignore[arg-type]
    return plan(
        certificate=asked, max_entrant_count=most, min_entrant_count=2, waiting_period=Duration(seconds=waiting_s)
    )


def started(name: str, account: str = "") -> Player:
    return Player(name=name, link="grpc://127.0.0.1:1", account=account)


async def enter(here: Environment, name: str, token: str = "") -> SignUpResponse:
    return await here.manager.sign_up("t", started(name), token)


async def until(here: Environment, kind: str, name: str) -> None:
    """Wait until the watched tournament tells that something has become of a player."""
    async with asyncio.timeout(60):
        async for event in here.manager.watch("t"):
            tournament = here.manager.get("t")
            found = states(tournament)
            found |= {player.name: "entered" for player in tournament.entrants}
            if event and found.get(name) == kind:
                return
    raise AssertionError(f"{name} is {found.get(name)}")


def states(tournament: Tournament) -> dict[str, str]:
    words = {EXAMINING: "examining", REFUSED: "refused"}
    return {each.player.name: words[each.status] for each in tournament.examinations}


async def refused(here: Environment, player: Player, certificate: bytes = b"") -> str:
    with pytest.raises(Refusal) as caught:
        await here.manager.sign_up("t", player, "", certificate)
    return f"{caught.value.reason}: {caught.value.message}"


async def test_a_player_that_passes_enters() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining())
        reply = await enter(here, "ann")
        assert (reply.number, reply.examination.status, reply.entrant_count) == (0, EXAMINING, 0)
        assert states(here.manager.get("t")) == {"ann": "examining"}
        assert (await enter(here, "ann")).examination.status == EXAMINING
        suite.tell("ann", PASSED)
        await until(here, "entered", "ann")
        reply = await enter(here, "ann")
        assert (reply.number, reply.HasField("examination")) == (1, False)
        [entrant] = here.manager.get("t").entrants
        assert entrant.description.display_name == "Ann 2000"
        assert entrant.certificate.examined
        assert not here.manager.get("t").examinations
        assert suite.begun == ["ann"]


async def test_a_player_that_fails_is_refused_and_may_try_again() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining())
        await enter(here, "ann")
        suite.tell("ann", FAILED)
        await until(here, "refused", "ann")
        [examination] = here.manager.get("t").examinations
        assert (examination.case_id, examination.reason) == (FAILED.case_id, FAILED.reason)
        assert not here.manager.get("t").entrants
        suite.forget()
        assert (await enter(here, "ann")).examination.status == EXAMINING
        suite.tell("ann", PASSED)
        await until(here, "entered", "ann")


async def test_who_watches_is_told() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining(most=2))
        events = here.manager.watch("t")
        await anext(events)
        for name in "ab":
            await enter(here, name)
        assert [(await anext(events)).examination.status for _ in "ab"] == [EXAMINING, EXAMINING]
        suite.tell("a", FAILED)
        assert (await anext(events)).examination.case_id == FAILED.case_id
        suite.tell("b", PASSED)
        assert (await anext(events)).signed_up.name == "b"
        await events.aclose()
        assert not here.findings()


async def test_a_name_is_kept_while_its_player_is_examined() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining())
        await enter(here, "ann", "secret")
        assert "NAME_TAKEN" in await refused(here, Player(name="ann", link="grpc://127.0.0.1:2"))
        with pytest.raises(Refusal, match="taken"):
            await enter(here, "ann", "another")


async def test_what_needs_no_examination(tmp_path: Path) -> None:
    key = new_key(tmp_path / "key.pem")
    async with environment(examiner=Examiner(Suite().examine)) as here:
        here.stage.act("cat")
        await here.manager.create("t", examining(signer_keys=[public_text(key)]))
        reply = await here.manager.sign_up("t", Player(name="bob", link="bot:first"), "")
        assert (reply.number, reply.HasField("examination")) == (1, False)
        mine = signed(certificate(player={"name": "Actor", "version": "", "services": []}), key)
        reply = await here.manager.sign_up("t", Player(name="cat", link="exec:x"), "", mine)
        assert (reply.number, reply.HasField("examination")) == (2, False)
        bob, cat = here.manager.get("t").entrants
        assert (bob.certificate.signer_key, cat.certificate.signer_key) == ("", public_text(key))


async def test_a_certificate_of_nobody_who_is_trusted_saves_no_examination() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining())
        reply = await here.manager.sign_up("t", started("ann"), "", certificate())
        assert reply.examination.status == EXAMINING


async def test_a_player_may_withdraw_while_it_is_examined() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining())
        await enter(here, "ann", "secret")
        with pytest.raises(Refusal, match="not the one"):
            await here.manager.withdraw("t", "ann", "other")
        await here.manager.withdraw("t", "ann", "secret")
        assert not here.manager.get("t").examinations
        await asyncio.sleep(0)
        assert suite.ended == ["ann"]
        assert (await enter(here, "ann", "new")).examination.status == EXAMINING
        await here.manager.cancel("t", "")
        assert not here.findings()


async def test_nobody_is_examined_while_too_many_are() -> None:
    async with environment(examiner=Examiner(Suite().examine, at_once=1)) as here:
        made = examining(most=100)
        made.sign_up.name_pattern = ".*"
        await here.manager.create("t", made)
        for number in range(20):
            await here.manager.sign_up("t", started(f"p{number}", "ann"), "")
        assert "TOO_MANY_REQUESTS" in await refused(here, started("p20", "ann"))
        assert len(states(here.manager.get("t"))) == 20


async def test_a_full_tournament_looks_at_no_certificate() -> None:
    async with environment() as here:
        await here.manager.create("t", plan("ab", max_entrant_count=2, certificate=CertificatePolicy()))
        assert "SIGN_UP_CLOSED" in await refused(here, started("cat"), b"{")


async def test_an_examined_player_is_called_with_its_secret_which_is_kept_as_long_as_it_is_in() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine, at_once=4)) as here:
        await here.manager.create("t", examining())
        for name in ("ann", "bob", "cat"):
            player = Player(name=name, link="grpc://127.0.0.1:1", secret=f"the-secret-of-{name}")
            await here.manager.sign_up("t", player, "")
        await enter(here, "dee")
        suite.tell("ann", PASSED)
        await until(here, "entered", "ann")
        suite.tell("bob", FAILED)
        await until(here, "refused", "bob")
        await here.manager.withdraw("t", "cat", "")
        secrets = {name: f"the-secret-of-{name}" for name in ("ann", "bob", "cat")}
        assert suite.secrets == {**secrets, "dee": ""}
        kept = {name: here.stage.secrets.of("t", name) for name in suite.secrets}
        assert kept == {"ann": "the-secret-of-ann", "bob": "", "cat": "", "dee": ""}
        await here.manager.cancel("t", "")
        assert here.stage.secrets.of("t", "ann") == ""


async def test_a_server_that_stops_waits_for_the_ends_of_its_examinations() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine, at_once=2)) as here:
        await here.manager.create("t", examining())
        for name in ("ann", "bob"):
            await enter(here, name)
        async with asyncio.timeout(60):
            while len(suite.begun) < 2:
                await asyncio.sleep(0)
        await here.manager.suspend_all()
        assert suite.ended == ["ann", "bob"]


async def test_an_examination_holds_no_place() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine, at_once=3)) as here:
        await here.manager.create("t", examining(most=2))
        for name in ("slow", "ann", "bob"):
            await enter(here, name)
        suite.tell("ann", PASSED)
        await until(here, "entered", "ann")
        suite.tell("bob", PASSED)
        over = await here.over("t")
        assert {player.name for player in over.entrants} == {"ann", "bob"}
        assert [(each.player.name, each.reason) for each in over.examinations] == [("slow", TOO_LATE)]
        assert not here.findings()


async def test_a_period_lasts_until_its_examinations_are_over() -> None:
    suite, timers = Suite(), Timers()
    async with environment(later=timers.later, examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining(waiting_s=30))
        await here.manager.sign_up("t", Player(name="bot", link="bot:first"), "")
        await enter(here, "ann")
        timers.ring()
        assert here.manager.get("t").status == SIGN_UP
        assert "SIGN_UP_CLOSED" in await refused(here, started("late"))
        suite.tell("ann", PASSED)
        over = await here.over("t")
        assert {player.name for player in over.entrants} == {"ann", "bot"}


async def test_a_period_that_waits_ends_when_the_last_examined_player_withdraws() -> None:
    timers = Timers()
    async with environment(later=timers.later, examiner=Examiner(Suite().examine)) as here:
        await here.manager.create("t", examining(waiting_s=30))
        for name in ("ann", "bob"):
            await here.manager.sign_up("t", Player(name=name, link="bot:first"), "")
        await enter(here, "slow", "secret")
        timers.ring()
        await here.manager.withdraw("t", "slow", "secret")
        assert {player.name for player in (await here.over("t")).entrants} == {"ann", "bob"}


async def test_the_last_place_ends_a_period_that_waits() -> None:
    suite, timers = Suite(), Timers()
    async with environment(later=timers.later, examiner=Examiner(suite.examine, at_once=2)) as here:
        await here.manager.create("t", examining(most=2, waiting_s=30))
        await here.manager.sign_up("t", Player(name="bot", link="bot:first"), "")
        for name in ("ann", "slow"):
            await enter(here, name)
        timers.ring()
        suite.tell("ann", PASSED)
        over = await here.over("t")
        assert {player.name for player in over.entrants} == {"ann", "bot"}
        assert not here.findings()


async def test_a_sign_up_for_which_too_few_pass_goes_on_and_is_given_up() -> None:
    suite, timers = Suite(), Timers()
    async with environment(later=timers.later, examiner=Examiner(suite.examine, at_once=2)) as here:
        await here.manager.create("t", examining(waiting_s=30))
        await enter(here, "ann")
        timers.ring()
        suite.tell("ann", FAILED)
        await until(here, "refused", "ann")
        await enter(here, "bob")
        suite.tell("bob", PASSED)
        await until(here, "entered", "bob")
        timers.ring()
        assert (await here.over("t")).status == CANCELLED


async def test_an_organiser_may_start_without_waiting() -> None:
    suite = Suite()
    async with environment(examiner=Examiner(suite.examine)) as here:
        await here.manager.create("t", examining())
        await enter(here, "slow")
        while not suite.begun:
            await asyncio.sleep(0)
        for name in ("ann", "bob"):
            await here.manager.sign_up("t", Player(name=name, link="bot:first"), "")
        assert (await here.manager.start("t")).status == RUNNING
        assert states(here.manager.get("t")) == {"slow": "refused"}
        await here.over("t")
        assert suite.ended == ["slow"]
        assert not here.findings()


async def test_a_server_that_is_started_again_examines_again(tmp_path: Path) -> None:
    suite, again = Suite(), Suite()
    async with environment(tmp_path, examiner=Examiner(suite.examine, at_once=2)) as here:
        await here.manager.create("t", examining())
        await here.manager.sign_up("t", started("ann"), "token")
        await enter(here, "bob")
        suite.tell("bob", FAILED)
        await until(here, "refused", "bob")
    async with environment(tmp_path, examiner=Examiner(again.examine)) as here:
        await here.manager.resume_all()
        assert states(here.manager.get("t")) == {"ann": "examining", "bob": "refused"}
        again.tell("ann", PASSED)
        await until(here, "entered", "ann")
        assert again.begun == ["ann"]
        await here.manager.cancel("t", "")
        assert not here.findings()


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        (ExaminationPolicy(time_limit=Duration(seconds=1)), "10 s to 3,600 s"),
        (ExaminationPolicy(time_limit=Duration(seconds=7200)), "10 s to 3,600 s"),
        (ExaminationPolicy(cases="contrakt"), "no MUST case of Fish matches 'contrakt'"),
    ],
)
async def test_a_policy_that_makes_no_sense_is_refused(policy: ExaminationPolicy, why: str) -> None:
    async with environment() as here:
        asked = SignUpPolicy(certificate=CertificatePolicy(examination=policy))
        with pytest.raises(Refusal, match=why) as caught:
            await here.manager.create("t", TournamentPlan(game="fish", sign_up=asked))
        assert caught.value.reason == "INVALID_SIGN_UP"


# Turns


async def test_accounts_take_turns() -> None:
    suite = Suite()
    examiner = Examiner(suite.examine, at_once=1)
    names = ["a1", "a2", "a3", "b1", "c1"]
    tasks = [asyncio.create_task(examiner.examine(started(each, each[0]), TournamentPlan(), "")) for each in names]
    await asyncio.sleep(0)  # all of them wait now
    for name in names:
        suite.tell(name, PASSED)
    await asyncio.gather(*tasks)
    assert suite.begun == ["a1", "a2", "b1", "c1", "a3"]


@pytest.mark.parametrize(
    ("account", "count", "said", "retry_s"),
    [
        ("", 1_000, "players are being examined already: ask later", None),
        ("ann", 20, "20 of your players are being examined", 30.0),
    ],
)
async def test_so_many_are_examined_of_an_account_and_of_all_who_have_none(
    account: str, count: int, said: str, retry_s: float | None
) -> None:
    suite = Suite()
    examiner = Examiner(suite.examine, at_once=1)
    players = [started(f"p{number}", account) for number in range(count)]
    many = [asyncio.create_task(examiner.examine(player, TournamentPlan(), "")) for player in players]
    await asyncio.sleep(0)
    with pytest.raises(Refusal, match=said) as caught:
        examiner.turns.check_room(account)
    assert retry_s is None or (caught.value.reason, caught.value.retry_s) == ("TOO_MANY_REQUESTS", retry_s)
    if account:
        examiner.turns.check_room("bob")
    many.pop().cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    examiner.turns.check_room(account)  # one less is being examined
    for task in many:
        task.cancel()
    await asyncio.gather(*many, return_exceptions=True)
    suite.tell("bob", PASSED)
    assert await examiner.examine(started("bob"), TournamentPlan(), "") == PASSED
