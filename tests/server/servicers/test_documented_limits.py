"""The limits that strangers are told on the pages and in the contract are those that the server has."""

from __future__ import annotations

import re
from pathlib import Path

from fairplay.games import evidence
from fairplay.player.secrets import SECRET
from fairplay.server.links import dial_in, link, program, stream
from fairplay.server.lobby import events, lobby, users
from fairplay.server.manager import plan
from fairplay.server.net import connections, listeners, peers, text
from fairplay.server.net.limits import limit_of
from fairplay.server.records import writer
from fairplay.server.servicers import interceptor, public, rules

ROOT = Path(__file__).resolve().parents[3]
COMMENT = re.compile(r"\s+(?://\s+)?")
LOBBY = users.LobbyLimits()
TIME, PERIOD = limit_of("TimeControl.decision_limit"), limit_of("SignUpPolicy.waiting_period")


def read(page: str) -> str:
    """Return the text of a page with its lines joined, and its comments without their marks."""
    return COMMENT.sub(" ", (ROOT / page).read_text(encoding="utf-8"))


def kib(size: int, power: int = 1) -> str:
    """Return a number of bytes in KiB, or in MiB with the power 2; not rounded."""
    return f"{size / 1024**power:.9g}"


OPERATE = (
    f"| a frame of a dialled-in program | {kib(stream.MAX_FRAME_BYTES, 2)} MiB |",
    f"| a reply | {kib(link.MAX_REPLY_BYTES, 2)} MiB |",
    f"| players of one program | {stream.MAX_PLAYERS_PER_STREAM:,} |",
    f"| replies that nobody asked for and frames without any, on one stream | {stream.MAX_STRAY_REPLIES:,} at once, "
    f"{stream.MAX_STRAY_REPLIES / stream.STRAY_S * 60:,g} a minute for long |",
    f"| the hello or the request, after a call was opened | {interceptor.FIRST_LIMIT_S:g} s |",
    f"| calls of one host that have sent neither after {interceptor.AT_ONCE_S:g} s | {interceptor.MAX_SILENT:,} |",
    f"| such calls of all hosts; one more ends the oldest | {interceptor.MAX_ALL_SILENT:,} |",
    f"| calls that are open on one connection; others wait | {listeners.MAX_CALLS:,} |",
    f"| connections in all | {connections.MAX_CONNECTIONS:,}, ",
    f"| connections of one host other than this machine | {connections.MAX_HOST_CONNECTIONS:,}, ",
    f"| how long a connection may take until it speaks HTTP/2, and TLS where there is TLS | "
    f"{listeners.HANDSHAKE_LIMIT_S:g} s |",
    f"| how long a connection may have no calls | {listeners.IDLE_LIMIT_S / 60:g} min, more or less |",
    f"| headers of a call | {kib(listeners.MAX_HEADER_BYTES)} KiB |",
    f"| calls of one host that are taken back before they are answered | {connections.RESETS_PER_SECOND} a second, "
    f"{connections.RESET_BURST} at once; one more ends its connection |",
    f"| how long a stream may stay unread | {interceptor.UNREAD_LIMIT_S:g} s |",
    f"| names with a token that the server remembers while they are away | {dial_in.MAX_NAMES:,}; "
    f"{dial_in.MAX_HOST_NAMES:,} of one host;",
    f"| how long a lost stream may be resumed | {dial_in.MAX_RESUME_S} s |",
    f"| a time limit | {TIME.minimum_seconds * 1000:g} ms to {TIME.maximum_seconds / 3600:g} h |",
    f"| entrants of a tournament | {plan.MAX_ENTRANTS:,} |",
    f"| a sign-up period | {PERIOD.maximum_seconds / 86400:g} days, "
    f"and {limit_of('SignUpPolicy.period_count').maximum:,} of them |",
    f"| questions to `RulesService` | {rules.MAX_QUESTIONS} at once, {rules.LIMIT_S:g} s and "
    f"{kib(rules.MAX_QUESTION_BYTES)} KiB each |",
    f"| a request or reply that is kept with a misconduct | {kib(evidence.MAX_EVIDENCE_BYTES)} KiB;",
    f"| a page of `ListGames`, `ListTournaments`, `ListTables` | {public.MAX_PAGE_SIZE:,} |",
    f"| {link.MAX_MESSAGE_CHARS:,} characters; {program.MAX_OUTPUT_CHARS:,} characters; "
    f"{evidence.MAX_UNPARSABLE_BYTES:,} bytes |",
)
OF_THE_LOBBY = (
    f"| how long a user may be without a stream | {LOBBY.grace_s:g} s |",
    f"| requests of a user | {LOBBY.requests_per_second} a second, and those of two seconds at once |",
    f"| requests without the token of a user, from one host | as many a second, {LOBBY.enter_burst} at once |",
    f"| users | {LOBBY.max_user_count:,}, {LOBBY.max_host_user_count} of one host |",
    f"| tables | {LOBBY.max_table_count:,} |",
    f"| tables of one owner | {LOBBY.max_owned_count} |",
    f"| settings of a table | {kib(limit_of('CreateTableRequest.settings').max_bytes)} KiB |",
    f"| streams of a user that are still open on its side | {lobby.MAX_STREAMS} |",
)


TOLD = (
    *(("docs/operate.md", row) for row in OPERATE),
    *(("docs/lobby.md", row) for row in OF_THE_LOBBY),
    ("docs/lobby.md", f"up to {'a' if peers.MAX_WAIT_S == 1 else peers.MAX_WAIT_S} second."),
)


def test_each_limit_is_the_one_that_is_told() -> None:
    assert [(page, sentence) for page, sentence in TOLD if sentence not in read(page)] == []


def test_the_burst_of_a_user_is_what_two_seconds_allow() -> None:
    assert LOBBY.burst == 2 * LOBBY.requests_per_second


def test_limits_that_only_refusals_name() -> None:
    assert peers.MAX_PEERS == 10_000
    assert (text.MAX_NAME_CHARS, LOBBY.empty_s) == (20, 60.0)


def test_the_players_kit_takes_the_secrets_that_the_server_takes() -> None:
    assert limit_of("Player.secret").pattern == SECRET.pattern


def test_what_is_cut_is_cut_where_the_comments_say() -> None:
    for message in ("Failure", "CallError"):
        assert limit_of(f"{message}.message").cut_characters == link.MAX_MESSAGE_CHARS
    assert limit_of("CallError.output").max_characters == program.MAX_OUTPUT_CHARS
    assert limit_of("Misconduct.request").max_bytes == evidence.MAX_EVIDENCE_BYTES
    assert limit_of("Misconduct.unparsable_reply").cut_bytes == evidence.MAX_UNPARSABLE_BYTES


def test_replies_are_on_disk_in_milliseconds_and_events_of_the_lobby_under_way() -> None:
    assert "on disk some 20 milliseconds after it came" in read("docs/operate.md")
    assert writer.DELAY_S <= 0.02
    assert max(events.MIN_REST_S, link.CROWDED_S / 4) <= 0.005
    assert writer.BEHIND_S < 1
