"""Pages behind a proxy that speaks HTTPS with the browsers, before a real server."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from fairplay.client.errors import UsageError
from fairplay.web.middleware import parse_hosts, parse_networks
from tests.web.harness import Pages, pages_of

SAYS = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "games.example", "X-Forwarded-For": "203.0.113.9"}
HERE = "10.0.0.0/8, 127.0.0.1, ::1"


async def enter(pages: Pages, headers: dict[str, str]) -> httpx.Response:
    async with pages.person() as browser:
        return await browser.post("/enter", data={"name": "ann"}, headers=headers, follow_redirects=False)


@pytest.mark.parametrize(
    ("trusted", "proto", "secure"),
    [
        ("", "https", False),
        (HERE, "https", True),
        (HERE, "http", False),
        (HERE, "https, http", False),
    ],
)
async def test_cookies_are_for_https_only_where_a_trusted_proxy_says_https(
    trusted: str, proto: str, secure: bool
) -> None:
    async with pages_of(change=lambda options: replace(options, trusted_proxies=parse_networks(trusted))) as pages:
        answer = await enter(pages, {**SAYS, "X-Forwarded-Proto": proto})
        assert answer.status_code == 303
        assert ("secure" in answer.headers["set-cookie"].lower()) == secure


@pytest.mark.parametrize(
    ("trusted", "host", "status"),
    [
        (HERE, "games.example", 303),
        (HERE, "evil.example", 403),
        (HERE, "games.example/@evil.example", 403),
        ("", "games.example", 403),
    ],
)
async def test_forms_are_taken_from_the_host_that_a_trusted_proxy_names(trusted: str, host: str, status: int) -> None:
    async with pages_of(change=lambda options: replace(options, trusted_proxies=parse_networks(trusted))) as pages:
        sent = {**SAYS, "X-Forwarded-Host": host, "Origin": "https://games.example"}
        assert (await enter(pages, sent)).status_code == status


async def test_links_and_redirects_behind_a_proxy_name_no_host() -> None:
    networks = parse_networks(HERE)
    async with pages_of(root_path="/play", change=lambda each: replace(each, trusted_proxies=networks)) as pages:
        answer = await enter(pages, SAYS)
        assert answer.headers["location"] == "/play/"
        assert "path=/play/" in answer.headers["set-cookie"].lower()
        async with pages.person() as browser:
            text = (await browser.get("/games", headers=SAYS)).text
        assert "http" not in text.replace('http-equiv="refresh"', "").replace("http://www.w3.org/", "")
        assert 'href="/play/tournaments"' in text


def test_networks_that_are_none_are_refused() -> None:
    for text in ["10.0.0.0/99", "nowhere", "10.0.0.1/8"]:
        with pytest.raises(UsageError, match="--trusted-proxies"):
            parse_networks(text)


def test_hosts_are_names_without_a_port() -> None:
    assert parse_hosts("games.example.org, [2001:db8::1],") == ["games.example.org", "[2001:db8::1]"]
    for text in ("games.example.org:8443", "https://games.example.org", "::1"):
        with pytest.raises(UsageError, match="--hosts"):
            parse_hosts(text)
