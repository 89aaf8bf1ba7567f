"""Traces of games for OpenTelemetry: a span for each game, and within it one for each call to a player."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Thread

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.trace import Span, StatusCode, set_span_in_context
from opentelemetry.util.types import AttributeValue

from fairplay.games.kit.messages import enum_word
from fairplay.games.steps import Call, Failure
from fairplay.server import __version__
from fairplay.server.observing.observer import ANSWERED, link_kinds, outcome_word
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.referee_pb2 import Game

CLOSE_LIMIT_S = 3.0
"""How long the end of a server waits for a collector that does not take what is left."""


class Tracer:
    """Sends spans of a part of the games to a collector, in a thread of its own.

    A collector that is slow or away costs spans, never games: what it does not take in time is dropped.
    """

    def __init__(self, url: str, share: float = 1.0) -> None:
        """Trace a share of the games, 0 to 1, for the collector at a URL, which speaks OTLP over gRPC.

        The URL is http://HOST:PORT or https://HOST:PORT; the rest is said by the variables OTEL_EXPORTER_OTLP_….
        """
        resource = Resource({"service.name": "fairplay", "service.version": __version__})
        self._provider = TracerProvider(TraceIdRatioBased(share), resource, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))
        self._tracer = self._provider.get_tracer("fairplay.server", __version__)
        self._games: dict[str, Span] = {}

    def game_begun(self, game: Game) -> None:
        """Begin the span of a game, if it is one of those that are traced."""
        kinds = link_kinds(game.plan.players)
        attributes: Mapping[str, AttributeValue] = {
            "fairplay.game": game.plan.game,
            "fairplay.game_id": game.game_id,
            "fairplay.tournament_id": game.tournament_id,
            "fairplay.players": [player.name for player in game.plan.players],
            "fairplay.links": kinds,
        }
        span = self._tracer.start_span(f"game of {game.plan.game}", attributes=attributes)
        if span.is_recording():
            self._games[game.game_id] = span

    def trace(self, game_id: str) -> str:
        """Return the span of a game in the W3C's form, for its players; empty if the game is not traced."""
        span = self._games.get(game_id)
        if span is None:
            return ""
        context = span.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"

    def call_settled(self, game_id: str, call: Call, link: str, outcome: bytes | Failure, elapsed_s: float) -> None:
        """Add the span of a call, which has ended just now, to that of its game."""
        game = self._games.get(game_id)
        if game is None:
            return
        ended_ns, word = time.time_ns(), outcome_word(outcome)
        attributes: Mapping[str, AttributeValue] = {
            "fairplay.seat": call.seat,
            "fairplay.link": link,
            "fairplay.outcome": word,
        }
        began_ns = ended_ns - int(elapsed_s * 10**9)
        span = self._tracer.start_span(
            call.method.path, set_span_in_context(game), attributes=attributes, start_time=began_ns
        )
        if word != ANSWERED:
            span.set_status(StatusCode.ERROR, word)
        span.end(ended_ns)

    def game_left(self, game: Game) -> None:
        """End the span of a game, with an event for each player that was eliminated."""
        span = self._games.pop(game.game_id, None)
        if span is None:
            return
        for misconduct in game.result.misconducts:
            kind = enum_word(MisconductKind, misconduct.kind)
            span.add_event("elimination", {"fairplay.player": misconduct.player, "fairplay.kind": kind})
        if not game.HasField("result"):
            span.set_attribute("fairplay.left", True)  # the server stops, and goes on with it after its next start
        elif game.result.aborted:
            span.set_status(StatusCode.ERROR, "aborted")
        span.end()

    def close(self) -> None:
        """Send what is left, unless the collector does not take it at once."""
        closing = Thread(target=self._provider.shutdown, name="fairplay-traces", daemon=True)
        closing.start()
        closing.join(CLOSE_LIMIT_S)
