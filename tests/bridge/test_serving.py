"""Our server of a course: it waits as the course's does, plays, blames, and lets nothing hold it up."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fairplay.bridge.serving import TooFewError
from fairplay.client.wording import describe_cause
from fairplay.server.records.place import at
from fairplay.server.records.verify import verify
from fairplay.terminal.records.sources import open_source
from tests.bridge.course_servers import Client, program, serve
from tests.bridge.playing import CLIENT, face_of

GAMES = ["bazaar", "fish", "q"]
BRIDGE = [sys.executable, "-m", "fairplay.terminal", "bridge"]


def raw(text: str, after_s: float = 0.0) -> Client:
    """Return a client that sends a text after so long, and nothing more."""

    async def client(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            await asyncio.sleep(after_s)
            writer.write(text.encode())
            await reader.read()
        finally:
            writer.close()

    return client


@pytest.mark.parametrize("game", GAMES)
async def test_programs_of_a_course_play_with_each_other_and_the_record_is_sound(game: str, tmp_path: Path) -> None:
    clients = [program(game, name, fault) for name, fault in (("ann", "none"), ("bob", "trickled"), ("cid", "none"))]
    run = await serve(game, clients, records=tmp_path)
    assert set(run.played.winners) <= {"ann", "bob", "cid"}
    assert (bool(run.played.winners), run.played.failed, run.played.aborted) == (True, [], "")
    with open_source(at(tmp_path)) as source:
        listings = list(source.listings(["game"]))
        assert [verify(source.read(listing)) for listing in listings] == [[] for _ in listings]
        assert listings


@pytest.mark.parametrize(
    ("game", "fault", "sentence"),
    [
        ("fish", "bare-void", 'raised an exception: The program answered void: a string needs quotes, "void".'),
        ("fish", "twice", "nobody had asked for it."),
        ("fish", "closes", "The program closed its connection."),
        ("fish", "hangs-once", "took longer than 1 s"),
    ],
)
async def test_what_a_program_does_wrong_is_said_and_the_others_play_on(game: str, fault: str, sentence: str) -> None:
    began_s = time.monotonic()
    run = await serve(game, [program(game, "ann", fault), program(game, "bob")], limit_s=1)
    assert (run.played.winners, run.played.failed) == (["bob"], ["ann"])
    assert [sentence in describe_cause(each) for each in run.played.misconducts] == [True]
    told = sentence.removeprefix("raised an exception: ") if "took longer" not in sentence else "was not waited for"
    assert any(said.startswith("ann ") and told in said for said in run.said)
    assert time.monotonic() - began_s < 20


async def test_who_breaks_a_rule_is_hung_up_on_at_once() -> None:
    ended = list[bytes]()

    async def client(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'"ann" ')
        await reader.readuntil(b"\n")
        writer.write(b'"void"')
        await reader.readuntil(b"\n")
        writer.write(b'[{"coordinate": {"row": 40, "column": 40}, "1tile": {"color": "red", "shape": "star"}}]')
        ended.append(await reader.read())
        writer.close()

    run = await serve("q", [client, program("q", "bob")])
    assert (run.played.failed, ended) == (["ann"], [b""])
    assert "broke q." in describe_cause(run.played.misconducts[0])


async def test_who_sends_no_name_or_a_bad_one_is_not_let_in() -> None:
    clients = [raw('"a b"'), raw("ann"), raw("[7]"), raw('"bob"x'), program("q", "cid"), program("q", "dan")]
    run = await serve("q", clients, seats=2)
    assert run.order == ["cid", "dan"]
    assert [sentence for sentence in run.said if "signs up" not in sentence][:4] == [
        'The program signed up wrongly: "a b" is no name here: give 1 to 20 letters from A to z or digits. '
        "It is not let in.",
        'The program sent as its name ann: a string needs quotes, "ann". It is not let in.',
        "The program signed up wrongly: [7] is no name: it must be a string. It is not let in.",
        'The program sent as its name x: a string needs quotes, "x". It is not let in.',
    ]


@pytest.mark.slow
@pytest.mark.parametrize("silent", [raw(""), raw('"ann" ', after_s=2.5)], ids=["never", "late"])
async def test_a_program_that_says_no_name_in_time_takes_no_place_and_is_hung_up_on(silent: Client) -> None:
    run = await serve("q", [silent, program("q", "cid"), program("q", "dan")], seats=2, name_limit_s=2)
    assert run.order == ["cid", "dan"]
    assert run.said[0] == "The program connected and sent no name within 2 s. It is not let in."


async def test_the_order_of_ages_is_that_of_the_course() -> None:
    async def order(game: str) -> list[str]:
        return list((await serve(game, [program(game, name) for name in ("ann", "bob", "cid")])).order)

    assert await order("q") == ["ann", "bob", "cid"]
    assert await order("fish") == ["cid", "bob", "ann"]


async def test_players_of_one_name_have_two_in_the_record_and_one_in_the_result() -> None:
    run = await serve("q", [program("q", "ann"), program("q", "Ann")])
    assert run.order == ["ann", "Ann-2"]
    assert sorted(run.played.winners) == ["Ann", "ann"]
    assert "In the record Ann is called Ann-2: no two names may be the same there." in run.said


@pytest.mark.slow
async def test_a_period_that_ends_with_enough_players_is_the_last_one_and_too_few_wait_for_two() -> None:
    began_s = time.monotonic()
    run = await serve("q", [program("q", "ann"), program("q", "bob")], seats=4, wait_s=2.0)
    assert len(run.order) == 2
    assert time.monotonic() - began_s >= 2
    began_s = time.monotonic()
    with pytest.raises(TooFewError, match="too few have signed up: ann, where at least 2 are needed"):
        await serve("q", [raw('"ann" ')], seats=4, wait_s=0.5)
    assert time.monotonic() - began_s >= 1
    with pytest.raises(TooFewError, match="nobody"):
        await serve("fish", [], seats=4, wait_s=0.1, periods=1)


# --- the command ---


def state_of_q(players: int) -> dict[str, object]:
    """Return what the course calls JState: two tiles on the map, one in the pile."""
    red = {"color": "red", "shape": "star"}
    hand = [{"color": color, "shape": "clover"} for color in ("red", "green", "blue", "yellow", "orange", "purple")]
    listed = [{"score": 0, "name": f"p{number}", "tile*": hand} for number in range(players)]
    return {"map": [[0, [0, red]]], "tile*": [red], "players": listed}


def start(config: dict[str, object], *words: str) -> tuple[subprocess.Popen[str], str]:
    """Start the course's server of Q with a configuration, and return it with its port."""
    command = [*BRIDGE, "q", "--serve", "0", "--stdin", *words]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert server.stdin is not None
    assert server.stderr is not None
    server.stdin.write(json.dumps(config))
    server.stdin.close()
    server.stdin = None
    first = server.stderr.readline()
    assert first.startswith("Programs sign up on port "), first
    return server, first.split()[-1].strip(".")


def test_the_command_prints_what_the_courses_server_prints(tmp_path: Path) -> None:
    records, report = tmp_path / "records", tmp_path / "report.html"
    config = {"server-tries": 1, "server-wait": 20, "ref-spec": {"state0": state_of_q(2), "per-turn": 6}}
    server, port = start(config, "--records", str(records), "--report", str(report))
    programs = [
        subprocess.Popen([sys.executable, CLIENT, "q", port, *words]) for words in (["ann"], ["bob", "bare-void"])
    ]
    out, err = server.communicate(timeout=60)
    assert (server.returncode, json.loads(out)) == (0, [["ann"], ["bob"]])
    assert 'The program answered void: a string needs quotes, "void".' in err
    assert "a string needs quotes" in report.read_text()
    for each in programs:
        each.wait(20)
    verify_command = [*BRIDGE[:-1], "records", "verify", str(records)]
    assert "1 record: 1 ok" in subprocess.run(verify_command, check=True, capture_output=True, text=True).stdout


def test_the_command_says_that_too_few_have_signed_up() -> None:
    server, _ = start({"server-tries": 1, "server-wait": 0, "ref-spec": {"state0": state_of_q(2)}})
    out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (1, "[[], []]\n")
    assert "too few have signed up: nobody, where at least 2 are needed" in err


@pytest.mark.slow
def test_players_join_as_the_configuration_of_the_courses_clients_says(tmp_path: Path) -> None:
    server, port = start({"server-tries": 9, "server-wait": 29, "ref-spec": {"state0": state_of_q(2), "per-turn": 6}})
    clients = tmp_path / "clients.json"
    clients.write_text(json.dumps({"port": 1, "wait": 2, "quiet": True, "players": [["ann", "dag"], ["bob", "ldasg"]]}))
    command = [*BRIDGE, "q", "--join", f"127.0.0.1:{port}", "--stdin", str(clients)]
    joined = subprocess.run(command, check=False, capture_output=True, text=True)
    out, _ = server.communicate(timeout=60)
    assert (joined.returncode, joined.stdout.count(" calls"), server.returncode) == (0, 2, 0), joined.stderr
    assert json.loads(out) in ([["ann"], []], [["bob"], []], [["ann", "bob"], []])


def test_an_interrupted_game_is_over_in_the_record(tmp_path: Path) -> None:
    config = {"server-tries": 1, "ref-spec": {"state0": state_of_q(2), "per-turn": 6}}
    server, port = start(config, "--records", str(tmp_path))
    with contextlib.ExitStack() as stack:
        assert server.stderr is not None
        connections = []
        for name in ("ann", "bob"):  # in this order: who signs up first is asked first
            connections.append(stack.enter_context(socket.create_connection(("127.0.0.1", int(port)), 30)))
            connections[-1].sendall(f'"{name}" '.encode())
            assert f"{name} signs up" in server.stderr.readline()
        assert connections[0].recv(1) == b"["
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out) == (130, ""), err
    with open_source(at(tmp_path)) as source:
        (listing,) = source.listings(["game"])
        assert listing.finished, err


def test_what_a_course_prints() -> None:
    assert face_of("fish").result(["ann"], ["bob", "cid"]) == [1, 2]
    assert face_of("q").result(["cid", "ann"], ["bob"]) == [["ann", "cid"], ["bob"]]
