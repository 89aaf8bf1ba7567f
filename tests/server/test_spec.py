"""The texts that say how players are reached."""

from __future__ import annotations

import pytest

from fairplay.server.links.spec import Spec, parse_link


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("grpc://host.example:1", Spec("grpc", "host.example:1")),
        ("grpc://[::1]:65535", Spec("grpc", "[::1]:65535")),
        ("grpc:host:50051", Spec("grpc", "host:50051")),
        ("grpcs://host:50051", Spec("grpc", "host:50051", secure=True)),
        ("dial-in:x-1.y_Z", Spec("dial-in", "x-1.y_Z")),
        ("dial-in:" + "n" * 64, Spec("dial-in", "n" * 64)),
        ("exec:./run 'it now' //", Spec("exec", "./run 'it now' //")),
        ("bot:minimax:depth=2", Spec("bot", "minimax:depth=2")),
    ],
)
def test_a_link_is_read_as_its_kind_and_what_is_behind_it(text: str, spec: Spec) -> None:
    assert parse_link(text) == spec
    assert parse_link(text).secure is text.startswith("grpcs")


@pytest.mark.parametrize("text", ["", "bot", "bot:", "grpcs", "http://x:1", "Bot:first", ":first", "player:x"])
def test_what_is_no_link_is_refused_with_all_that_are(text: str) -> None:
    forms = r"grpc://HOST:PORT, grpcs://HOST:PORT, dial-in:NAME, exec:COMMAND or bot:STRATEGY"
    with pytest.raises(ValueError, match=f"is not a way to reach a player: give {forms}"):
        parse_link(text)


@pytest.mark.parametrize("target", ["host", "host:", "host:0", "host:65536", "host:999999", "a b:1", "a/b:1", ":1"])
@pytest.mark.parametrize("kind", ["grpc", "grpcs"])
def test_an_address_needs_a_host_and_a_port(kind: str, target: str) -> None:
    with pytest.raises(ValueError, match="is not an address: give grpc://HOST:PORT, or grpcs://HOST:PORT for TLS"):
        parse_link(f"{kind}://{target}")


@pytest.mark.parametrize("name", ["two words", "n" * 65, "é", "a/b"])
def test_a_name_to_dial_in_with_has_a_form(name: str) -> None:
    with pytest.raises(ValueError, match="is not a name to dial in with: 1 to 64 letters"):
        parse_link(f"dial-in:{name}")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (" ", "exec: needs a command: give exec:COMMAND"),
        ("run 'it", """the command "run 'it" cannot be read: no closing quotation"""),
    ],
)
def test_a_command_has_to_be_one(command: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="command") as refused:
        parse_link(f"exec:{command}")
    assert str(refused.value) == sentence
