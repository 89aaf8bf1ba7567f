"""Commands that listen: none lets other machines in without what keeps strangers apart."""

from __future__ import annotations

import pytest

from tests.terminal.running import Run

LISTENERS = [
    "serve --listen {}",
    "serve --listen 127.0.0.1:0 --players {}",
    "serve --listen 127.0.0.1:0 --web {}",
    "serve --listen 127.0.0.1:0 --metrics {}",
    "web --listen {}",
    "certify fish dial-in:ann --listen {}",
    "player fish --listen {}",
]


@pytest.mark.parametrize("command", LISTENERS)
def test_no_command_listens_to_other_machines_unless_that_is_asked_for(fairplay: Run, command: str) -> None:
    for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0"):
        ran = fairplay(*command.format(address).split())
        assert ran.code in (1, 2)
        assert f"{address} can be reached from other machines: add " in ran.err
        assert "--insecure" in ran.err
        assert ran.out == ""


def test_players_of_a_server_under_test_are_not_shown_to_other_machines_either(fairplay: Run) -> None:
    ran = fairplay("certify-server", "127.0.0.1:1", "--players-host", "0.0.0.0")
    assert (ran.code, "can be reached from other machines" in ran.err) == (2, True)


def test_pages_for_other_machines_want_a_server_with_accounts(fairplay: Run) -> None:
    fairplay("tls", "new", "tls", "--host", "localhost")
    tls = ("--tls", "tls/server.pem", "tls/server-key.pem")
    ran = fairplay("web", "--server", "127.0.0.1:1", "--listen", "0.0.0.0:0", *tls)
    assert (ran.code, "no server answers on 127.0.0.1:1" in ran.err) == (1, True)
