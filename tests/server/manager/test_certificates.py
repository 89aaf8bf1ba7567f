"""Tournaments that ask for a certificate, over a real channel."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.certificate import FORMAT, CaseResult, frozen, sealed, summary
from fairplay.certificate.signing import new_key, public_text, signed
from fairplay.games.game import find
from fairplay.server.manager.admission import check_certificate, shown
from fairplay.server.net.errors import Refusal
from fairplay.server.server import Config, Server
from fairplay.v1 import manager_pb2 as pb
from fairplay.v1.game_pb2 import AdmissionCertificate, Player, TimeControl
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import CertificatePolicy, SignUpPolicy, TournamentPlan
from tests.server.harness import dialled_in


def certificate(**changes: Any) -> bytes:
    """Return the certificate of the reference player "first", certified a minute ago."""
    ids = sorted(frozen(changes.get("game", "fish"), 1) or ())
    verdicts: Mapping[str, str] = changes.pop("verdicts", {})
    cases = [CaseResult(each, "MUST", verdicts.get(each, "PASS"), False, "", "", 1) for each in ids]
    content = {
        "format": FORMAT,
        "game": "fish",
        "protocol_revision": 1,
        "suite_version": "0",
        "player": {"name": "first", "version": "", "services": [find("fish").service]},
        "reached_by": "exec",
        "seed": "1",
        "issued": (datetime.now(UTC) - timedelta(minutes=1)).isoformat(),
        "limits_ms": {"notification": 1000, "decision": 1000, "first_decision": 3000},
        "level": "must",
        "only": "",
        "complete": True,
        "times": {},
        "decisions": {},
        "nonce": "",
        "program": [],
        "cases": [
            {
                "id": case.id,
                "level": case.level,
                "verdict": case.verdict,
                "known": False,
                "sentence": "",
                "evidence": "",
                "milliseconds": 1,
            }
            for case in cases
        ],
        **changes,
    }
    follows = summary(
        cases,
        content["game"],
        content["protocol_revision"],
        reached_by=content["reached_by"],
        complete=content["complete"],
        profile=content.get("profile", ""),
    )
    return sealed({**content, "summary": follows})


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    running = await Server.start(Config(start_limit_s=0.5))
    yield running
    await running.stop()


@pytest.fixture
async def manager(server: Server) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = ManagerServiceStub(channel)
        policy = SignUpPolicy(
            min_entrant_count=2,
            waiting_period=Duration(),
            certificate=CertificatePolicy(max_age=Duration(seconds=3600)),
        )
        plan = TournamentPlan(
            game="fish", sign_up=policy, time_control=TimeControl(notification_limit=Duration(nanos=300_000_000))
        )
        await stub.CreateTournament(pb.CreateTournamentRequest(tournament_id="t", plan=plan))
        yield stub


def sign_up(manager: Any, data: bytes, link: str = "bot:first", token: str = "secret", name: str = "anna") -> Any:
    player = Player(name=name, link=link)
    return manager.SignUp(pb.SignUpRequest(tournament_id="t", player=player, token=token, certificate=data))


async def refusal(call: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    return str(caught.value.details())


async def test_a_certified_player_may_enter(manager: Any) -> None:
    data = certificate()
    reply = await sign_up(manager, data)
    assert (reply.number, reply.entrant_count) == (1, 1)
    [entrant] = (await manager.GetTournament(pb.GetTournamentRequest(tournament_id="t"))).tournament.entrants
    assert (entrant.description.display_name, entrant.link) == ("first", "")
    assert entrant.certificate.digest == sha256(data).hexdigest()
    assert (entrant.certificate.suite_version, entrant.certificate.signer_key) == ("0", "")
    assert entrant.certificate.issue_time.seconds == int(datetime.fromisoformat(json.loads(data)["issued"]).timestamp())


async def test_what_a_caller_says_of_certificates_itself_is_not_believed(manager: Any) -> None:
    claimed = AdmissionCertificate(examined=True, signer_key="somebody's")
    player = Player(name="anna", link="bot:first", certificate=claimed)
    await manager.CreateTournament(
        pb.CreateTournamentRequest(tournament_id="open", plan=TournamentPlan(game="fish", entrants=[player]))
    )
    player.name = "bob"
    await manager.SignUp(pb.SignUpRequest(tournament_id="open", player=player))
    found = (await manager.GetTournament(pb.GetTournamentRequest(tournament_id="open"))).tournament
    assert [each.name for each in found.entrants] == ["anna", "bob"]
    assert not any(each.HasField("certificate") for each in found.entrants)


async def test_a_repeat_needs_no_second_look(manager: Any) -> None:
    await sign_up(manager, certificate())
    reply = await sign_up(manager, b"")
    assert reply.entrant_count == 1


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "asks for a certificate"),
        (b" " * 2_000_000, "2,000,000 bytes"),
        (certificate().replace(b'"first"', b'"frist"'), "changed after it was issued"),
        (certificate(complete=False), "not every MUST"),
        (certificate(verdicts={"time.every-answer": "FAIL"}), "not every MUST"),
        (certificate(limits_ms={"notification": 1000, "decision": 9000, "first_decision": 9000}), "longer time limits"),
        (certificate(player={"name": "first", "version": "2", "services": []}), "but the player says"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_certificate_that_does_not_serve_is_refused(manager: Any, data: bytes, why: str) -> None:
    assert why in await refusal(sign_up(manager, data))


async def test_a_certificate_of_another_game_is_refused(manager: Any) -> None:
    of_q = certificate(game="q", player={"name": "first", "version": "", "services": [find("q").service]})
    message = await refusal(sign_up(manager, of_q))
    assert message == "the certificate is for q in revision 1, but the tournament is of fish in revision 1"


ISSUED = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "max_age_s", "why"),
    [
        (timedelta(hours=1), 3600, ""),
        (timedelta(hours=1, milliseconds=1), 3600, "too old"),
        (timedelta(days=4000), 0, ""),
        (-timedelta(minutes=5), 3600, ""),  # the clocks of two machines differ
        (-timedelta(minutes=5, milliseconds=1), 3600, "in the future"),
    ],
)
def test_a_certificate_serves_for_its_time(age: timedelta, max_age_s: float, why: str) -> None:
    plan = TournamentPlan(game="fish")
    plan.sign_up.certificate.max_age.FromTimedelta(timedelta(seconds=max_age_s))
    data = certificate(issued=ISSUED.isoformat())
    if not why:
        assert check_certificate(data, plan, ISSUED + age).issued == ISSUED.isoformat()
    else:
        with pytest.raises(Refusal, match=why) as caught:
            check_certificate(data, plan, ISSUED + age)
        assert (caught.value.reason, caught.value.field) == ("CERTIFICATE_REQUIRED", "certificate")


@pytest.mark.parametrize(
    ("profile", "asked", "why"),
    [
        ("", "", ""),
        ("", "course-2020", ""),
        ("course-2020", "course-2020", ""),
        ("course-2020", "", "one for the whole game is asked for"),
        ("standard", "course-2020", "one for the profile course-2020 or the whole game is asked for"),
    ],
)
def test_a_certificate_for_a_profile_serves_where_that_is_enough(profile: str, asked: str, why: str) -> None:
    plan = TournamentPlan(game="fish")
    plan.sign_up.certificate.profile = asked
    data = certificate(issued=ISSUED.isoformat(), **({"profile": profile} if profile else {}))
    if not why:
        found = check_certificate(data, plan, ISSUED)
        assert shown(found, data).profile == profile
    else:
        with pytest.raises(Refusal, match=why) as caught:
            check_certificate(data, plan, ISSUED)
        assert (caught.value.reason, caught.value.field) == ("CERTIFICATE_REQUIRED", "certificate")


async def test_a_player_that_does_not_answer_is_refused(manager: Any) -> None:
    message = await refusal(sign_up(manager, certificate(), link="grpc://127.0.0.1:1"))
    assert "describe itself" in message


async def test_a_player_that_dialled_in_is_asked_through_its_stream(manager: Any, server: Server) -> None:
    player = find("fish").player("first")
    async with dialled_in(server, ("anna", player)):
        reply = await sign_up(manager, certificate(), link="dial-in:anna", token="token")
        assert reply.entrant_count == 1


async def test_what_would_be_refused_anyway_is_refused_first(manager: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await sign_up(manager, certificate(), name="not a name")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_tournament_may_trust_some_signers_only(server: Server, tmp_path: Path) -> None:
    key, other = new_key(tmp_path / "key.pem"), new_key(tmp_path / "other.pem")
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = ManagerServiceStub(channel)
        policy = SignUpPolicy(certificate=CertificatePolicy(signer_keys=["nobody"]))
        request = pb.CreateTournamentRequest(tournament_id="t", plan=TournamentPlan(game="fish", sign_up=policy))
        with pytest.raises(grpc.aio.AioRpcError, match="is not the public key"):
            await stub.CreateTournament(request)
        request.plan.sign_up.certificate.signer_keys[:] = [public_text(key)]
        await stub.CreateTournament(request)
        assert "nobody has signed it" in await refusal(sign_up(stub, certificate()))
        assert "whom this tournament trusts" in await refusal(sign_up(stub, signed(certificate(), other)))
        await sign_up(stub, signed(certificate(), key))
