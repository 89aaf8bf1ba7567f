"""How links are opened, and what is known of a player before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.player.handlers import Handlers
from fairplay.player.serving import start_server
from fairplay.server.errors import Refusal
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import DialInLink, Hub
from fairplay.server.links.dial_out import DialOutLink
from fairplay.server.links.link import Clock, DeadLink, Link
from fairplay.server.links.networks import DialNetworks
from fairplay.server.links.opening import Links
from fairplay.server.links.secrets import Secrets
from fairplay.v1.connection_pb2 import Hello, HostedPlayer
from fairplay.v1.game_pb2 import Player

FISH = find("fish")
DESCRIBE = "/fairplay.v1.PlayerService/Describe"


def links(**options: Any) -> tuple[Links, Hub]:
    clock = Clock()
    hub = Hub(clock)
    return Links(hub, clock, **options), hub


async def dial_in(hub: Hub, name: str) -> None:
    hello = Hello(players=[HostedPlayer(name=name, token="token")])
    hello.players[0].description.display_name = name.upper()

    async def write(_: object) -> None:
        """Take all frames."""

    hub.admit(hello, write, lambda: None)


async def outcome(link: Link) -> Any:
    answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    link.call(DESCRIBE, b"", 30.0, lambda outcome, _: answered.set_result(outcome))
    return await answered


@pytest.mark.parametrize(
    ("link", "reason", "sentence"),
    [
        ("nonsense", "INVALID_LINK", "is not a way to reach a player"),
        ("bot:nobody", "INVALID_LINK", "nobody"),
        ("grpc://11.0.0.1:1", "ADDRESS_NOT_ALLOWED", "does not call players at 11.0.0.1:1"),
        ("exec:true", "EXEC_NOT_ALLOWED", "or start the server with --allow-exec"),
    ],
)
async def test_a_link_that_cannot_be_used_is_refused_by_its_field(link: str, reason: str, sentence: str) -> None:
    found, _ = links(networks=DialNetworks.parse("10.0.0.0/8"))
    with pytest.raises(Refusal) as refused:
        found.check(Player(name="a", link=link), FISH, "plan.players[0]")
    assert (refused.value.reason, refused.value.field) == (reason, "plan.players[0].link")
    assert sentence in refused.value.message


@pytest.mark.parametrize("link", ["bot:first", "dial-in:ann", "grpc://10.0.0.1:1", "grpc://host:1"])
async def test_a_link_that_can_be_used_is_none_to_be_refused(link: str) -> None:
    found, _ = links(networks=DialNetworks.parse("10.0.0.0/8"))
    found.check(Player(name="a", link=link), FISH, "plan.players[0]")


async def test_a_player_is_identified_by_its_name_and_what_the_server_knows_of_it() -> None:
    found, hub = links()
    await dial_in(hub, "ann")
    known = {
        link: found.identify(Player(name="a", link=link, secret="secret"), FISH)
        for link in ("bot:first", "dial-in:ann", "dial-in:bob", "grpc://host:1")
    }
    assert {(each.name, each.link, each.secret) for each in known.values()} == {("a", "", "")}
    assert [each.description.display_name for each in known.values()] == ["first", "ANN", "", ""]
    assert [each.HasField("description") for each in known.values()] == [True, True, False, False]


async def test_each_kind_of_link_is_opened_in_its_way() -> None:
    found, hub = links(start_limit_s=30.0)
    await dial_in(hub, "ann")
    served, port = await start_server(Handlers(FISH.player("first")), "127.0.0.1:0")
    kinds = {"bot:first": BotLink, "dial-in:ann": DialInLink, f"grpc://127.0.0.1:{port}": DialOutLink}
    for text, kind in kinds.items():
        link = await found.open(Player(name="a", link=text), FISH)
        assert isinstance(link, kind)
        assert not found.lost(link)
        await link.close()
    await served.stop(0)


async def test_a_player_whose_address_may_not_be_called_is_not_connected() -> None:
    found, _ = links(networks=DialNetworks.parse("10.0.0.0/8"))
    link = await found.open(Player(name="a", link="grpc://127.0.0.1:1"), FISH)
    assert found.lost(link)
    assert (await outcome(link)).message.startswith("this server does not call players at 127.0.0.1:1")


async def test_secrets_may_be_given_and_are_kept_apart_otherwise() -> None:
    secrets = Secrets()
    assert links(secrets=secrets)[0].secrets is secrets
    assert links()[0].secrets is not links()[0].secrets


async def test_who_waits_for_a_player_may_stop_and_hears_of_it() -> None:
    found, _ = links(start_limit_s=600.0)
    opening = asyncio.create_task(found.open(Player(name="a", link="dial-in:nobody"), FISH))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening


async def test_a_server_that_shuts_down_waits_for_no_player() -> None:
    found, _ = links(start_limit_s=600.0)
    opening = asyncio.create_task(found.open(Player(name="a", link="dial-in:nobody"), FISH))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    found.give_up()
    async with asyncio.timeout(30):
        link = await opening
    assert isinstance(link, DeadLink)
    assert (await outcome(link)).message == "the server shuts down"
