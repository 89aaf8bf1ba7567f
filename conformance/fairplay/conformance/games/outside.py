"""What is called outside games, Start, Describe and End, in the unusual manners in which games are played."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import Message

from fairplay.conformance.blame.judge import where
from fairplay.conformance.case import failure
from fairplay.conformance.evidence import readable, sent
from fairplay.conformance.games.context import Context
from fairplay.conformance.player.player import Connection, parse_description
from fairplay.games.kit.player_service import DESCRIBE, END, START
from fairplay.games.steps import Failure, Method
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import NO_EXTRA, Metadata
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import DescribeRequest, EndRequest, StartRequest


def judge_outside_games(
    context: Context,
    connection: Connection,
    what: str,
    encode: Callable[[Message, int], bytes] = lambda request, _: request.SerializeToString(),
    extra: Metadata = NO_EXTRA,
    more_s: float = 0.0,
) -> None:
    """Call each method that belongs to no game, and judge it. `what` begins the sentence of a failure.

    `encode` returns the bytes of a request, of such a number, and `extra` is metadata of the calls. Raises Failure if a
    call fails twice, or Describe says something else, and not where it is called as usual. The second time it has a
    limit that is so much longer.
    """
    name = context.new_tournament_id()
    requests: list[tuple[Method, Message]] = [
        (START, StartRequest(tournament_id=name)),
        (DESCRIBE, DescribeRequest()),
        (END, EndRequest(tournament_id=name, won=True)),
    ]
    for number, (method, request) in enumerate(requests):
        data = encode(request, number)
        outcome, _ = context.ask(method, data, connection, extra=extra)
        if not _problem(context, method, outcome):
            continue
        with context.player.fresh() as other:
            usual, _ = context.ask(method, request, other)
            if _problem(context, method, usual):  # that is what other cases ask
                continue
            outcome, _ = context.ask(method, data, other, context.limits.notification_s + more_s, extra)
        if problem := _problem(context, method, outcome):
            shown = outcome if isinstance(outcome, bytes) else readable(outcome)
            sections = ("Request", sent(method.request, data)), ("Answer", str(shown))
            with where(what):
                raise failure(f"{method.name}, {len(data):,} bytes, {problem}, and not without that.", *sections)


def _problem(context: Context, method: Method, outcome: bytes | Failure) -> str:
    """Return what is wrong with the answer to a call; empty if nothing is."""
    if isinstance(outcome, Overrun):
        return f"is not read and answered within {seconds(outcome.limit):g} s"
    if not isinstance(outcome, bytes):
        return f"fails ({outcome.message})"
    is_as_before = method is not DESCRIBE or parse_description(outcome) == context.description
    return "" if is_as_before else "says something else about the player"
