"""Cases about RulesService: what it says of states of all kinds, of each seat there, and of right and wrong replies."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import failure
from fairplay.conformance.games.positions import Source, find_position
from fairplay.conformance.servers.cases.services import ask_if_there
from fairplay.conformance.servers.compare import difference, same
from fairplay.conformance.servers.context import ALL_GAMES, GAMES, OPEN, ServerContext, server_case
from fairplay.conformance.servers.courses import legal_difference
from fairplay.conformance.servers.drawn import MAX_DECISIONS, situations_of, unusual
from fairplay.conformance.servers.scenes import UNKNOWN_FIELD, draw_state
from fairplay.games.conformance import find_conformance
from fairplay.games.envelopes import pack, wrap
from fairplay.games.game import Game, find
from fairplay.games.steps import Call, CallKind
from fairplay.player.handlers import reply_of
from fairplay.server.game.rules import apply_reply, check_reply, list_legal_replies, read_position
from fairplay.server.net.errors import Refusal, reason_of
from fairplay.v1 import rules_pb2 as rules
from fairplay.v1.game_pb2 import GameSettings, GameState
from fairplay.v1.misconduct_pb2 import RuleBreak
from fairplay.v1.rules_pb2 import Position

SITUATIONS, VARIATIONS = 6, 6
"""So many situations that players get wrong, and games under unusual settings, are asked about."""
SHARES = (0.0, 0.3, 0.6, 0.9, 1.0)
"""After these shares of a game."""
WIDE_SHARE, WIDE_DECISIONS = 0.6, 60
"""After this share of the first decisions of a long game there may be more legal replies than are listed."""
WHOLE, ONE_MORE = {"rows": 10, "columns": 10}, {"rows": 10, "columns": 11, "holes": 9}
"""As many penguins' places to begin with as are listed, and one more."""
STEPS = 2
"""So many replies are given from each state, one after another."""
WRONG, RIGHT = 2, 1
"""So many wrong and legal replies to a question are asked about."""
MAX_SEED = 2**53 - 1
LIMIT_S = 300.0
"""For all questions, each of which has a limit of its own."""


def _states(name: str) -> Iterator[Position]:
    """Yield states of a game, without the settings where those are the usual ones.

    There are rare ones, some on the way, also without a player that left, and some with many legal replies.
    """
    game, rng = find(name), Random(name)
    rare = [each for each in situations_of(name).values() if each.state is not None]
    for each in rng.sample(rare, min(SITUATIONS, len(rare))):
        assert each.state is not None
        yield _position(game, each.settings, each.state)
    plain = "random" if "random" in game.strategies else next(iter(game.strategies))
    usual, found = game.full_settings(game.settings_type()), unusual(name)
    scopes = [(usual, game.seats_with(usual).start)]
    scopes += [(settings, count) for _, settings, count, _ in found[:: max(1, len(found) // VARIATIONS)]]
    for number, (settings, count) in enumerate(scopes):
        source = Source(
            settings, count, number, plain, MAX_DECISIONS, leaver_count=number % 2 * (count > game.seats.start)
        )
        late = find_position(game, source, SHARES[number % len(SHARES)])
        if late is not None:
            yield _position(game, settings, late.state)
    for long in find_conformance(name).long_games:
        source = Source(game.full_settings(long.settings), long.player_count, 0, plain, WIDE_DECISIONS)
        late = find_position(game, source, WIDE_SHARE)
        if late is not None:
            yield _position(game, late.settings, late.state)
    for values in (WHOLE, ONE_MORE) if name == OPEN else ():
        settings = game.full_settings(game.settings_type(**values))
        yield _position(game, settings, draw_state(game, settings, game.seats.start, 1))


def _position(game: Game, settings: Message, state: Message) -> Position:
    position = Position(game=game.name, state=wrap(GameState, game, state))
    if settings != game.full_settings(game.settings_type()):  # which others are by default
        position.settings.CopyFrom(wrap(GameSettings, game, settings))
    return position


@server_case("services.rules", "ROLE-6", limit_s=LIMIT_S)
async def the_rules(context: ServerContext) -> None:
    """An author who asks what is legal is told what a referee would say."""
    for name in ALL_GAMES:
        if not await _has_game(context, name):
            continue
        for number, position in enumerate(_states(name)):
            rng = Random(f"{name}/{number}")
            for _ in range(STEPS):
                following = await _ask_about(context, position, rng)
                if following is None:
                    break
                position.state.CopyFrom(following)
    await _check_refused(context)


async def _ask_about(context: ServerContext, position: Position, rng: Random) -> GameState | None:
    """Ask about seats in a state, and about replies of one; return the state that follows; None: nobody is asked."""
    asked: list[Position] = []
    others: list[Position] = []
    for seat in range(read_position(position).player_count + 1):
        of_seat = Position(seat=seat)
        of_seat.MergeFrom(position)
        (asked if _is_asked(of_seat) else others).append(of_seat)
    stranger = rules.ListLegalRepliesRequest(position=rng.choice(others))
    await context.refused(
        "ListLegalReplies", stranger, "NOT_ASKED", about=f"a seat that is not asked {_where(position)}"
    )
    if not asked:
        return None
    of_seat = rng.choice(asked)
    due = await _list(context, of_seat)
    right, wrong = _replies(of_seat, due, rng)
    for reply in (*right, *wrong):
        await _check(context, of_seat, reply)
    if wrong:
        applied = rules.ApplyReplyRequest(position=of_seat, reply=wrong[0])
        await context.refused("ApplyReply", applied, "REPLY_REFUSED", about="a reply that breaks a rule")
    if not right:
        return None
    applied = rules.ApplyReplyRequest(position=of_seat, reply=right[0])
    follows = apply_reply(read_position(of_seat), right[0])
    if wrong_part := difference(follows, await context.ask("ApplyReply", applied)):
        raise failure(f"What follows from a legal reply {_where(position)} is wrong: {wrong_part}.")
    return follows.state


def _where(position: Position) -> str:
    return f"in a position of {find(position.game).title}"


def _is_asked(position: Position) -> bool:
    try:
        list_legal_replies(read_position(position))
    except Refusal as refused:
        if refused.reason != "NOT_ASKED":
            raise
        return False
    return True


async def _list(context: ServerContext, position: Position) -> rules.ListLegalRepliesResponse:
    """Check what is legal for a seat, and return it."""
    due = list_legal_replies(read_position(position))
    got = await context.ask("ListLegalReplies", rules.ListLegalRepliesRequest(position=position))
    if wrong := difference(due, got, free={"replies"}):
        raise failure(f"What is legal {_where(position)} is wrong: {wrong}.")
    if wrong := legal_difference(_listed(due), _listed(got)):
        raise failure(f"What is legal {_where(position)} is wrong: {wrong}.")
    for reply in got.replies if len(due.replies) < due.reply_count else ():
        same(
            f"Whether what is listed as legal {_where(position)} is",
            "",
            check_reply(read_position(position), reply).rule_break.rule_id,
        )
    return due


def _listed(found: rules.ListLegalRepliesResponse) -> RuleBreak:
    return RuleBreak(legal_replies=found.replies, legal_reply_count=found.reply_count)


def _replies(position: Position, asked: rules.ListLegalRepliesResponse, rng: Random) -> tuple[list[Any], list[Any]]:
    """Return legal replies of a seat, and wrong ones, each of which breaks another rule."""
    game = find(position.game)
    method = next(each for each in game.methods if each.path == asked.method_name)
    request = method.request()
    asked.request.Unpack(request)
    sound = reply_of(game.player(next(iter(game.strategies))), Call(position.seat, method, request, CallKind.DECISION))
    mutations = [each for each in find_conformance(game.name).mutations if each.method == method.name]
    mutated = (each.mutate(request, sound, rng) for each in mutations)
    made = [method.response(), sound, *(each for each in mutated if isinstance(each, Message))]
    listed = rng.sample(list(asked.replies), min(RIGHT, len(asked.replies)))
    by_rule: dict[str, list[Any]] = {}
    for reply in (*listed, *map(pack, made)):
        rule_id = check_reply(read_position(position), reply).rule_break.rule_id
        by_rule.setdefault(rule_id, []).append(reply)
    right = by_rule.pop("", [])
    return right[: RIGHT + 1], [rng.choice(each) for each in by_rule.values()][:WRONG]


async def _check(context: ServerContext, position: Position, reply: Any) -> None:
    """Check what a server says of a reply."""
    due = check_reply(read_position(position), reply).rule_break
    got = (await context.ask("CheckReply", rules.CheckReplyRequest(position=position, reply=reply))).rule_break
    same(f"The rule that a reply breaks {_where(position)}", due.rule_id, got.rule_id)
    same(f"How many replies would have been legal {_where(position)}", due.legal_reply_count, got.legal_reply_count)
    if due.legal_reply_count and (wrong := legal_difference(due, got)):
        raise failure(f"What would have been legal {_where(position)} is wrong: {wrong}.")
    if due.rule_id and not got.explanation:
        raise failure(f"The rule that a reply breaks {_where(position)} must come with an explanation.")


async def _has_game(context: ServerContext, name: str) -> bool:
    """Check that a simulated game follows from its seed. Return whether the server has the game."""
    game = find(name)
    strategy = next(iter(game.strategies))
    given = rules.SimulateGameRequest(game=name, strategies=[strategy] * game.seats.start)
    try:
        first = await ask_if_there(context, "SimulateGame", given)
    except grpc.aio.AioRpcError as error:
        if reason_of(error) == "UNKNOWN_GAME" and name not in GAMES:
            return False
        raise
    if (await context.ask("SimulateGame", given)).seed == first.seed:
        raise failure(f"Two simulated games of {game.title} without a seed must have different ones.")
    given.settings.CopyFrom(wrap(GameSettings, game, game.full_settings(game.settings_type())))
    for seed in (first.seed, 0, MAX_SEED):
        given.seed = seed
        again = await context.ask("SimulateGame", given)
        same(f"The seed of a simulated game of {game.title}", seed, again.seed)
        if seed == first.seed:
            same(f"A simulated game of {game.title}, when it is played again from its seed,", first, again)
    seats = sorted(player.seat for group in first.ranking for player in group.players)
    if seats != list(range(game.seats.start)) or not first.decision_count or not first.HasField("state"):
        raise failure("A simulated game must have a ranking of its players, a last state, and decisions.")
    return True


async def _check_refused(context: ServerContext) -> None:
    """Check with what wrong questions are refused."""
    game, position = find(OPEN), next(filter(_is_asked, _states(OPEN)))
    unknown = Position(game="no-such-game", state=position.state)
    stateless, strange, foreign = Position(), Position(), Position()
    for each in (stateless, strange, foreign):
        each.CopyFrom(position)
    stateless.ClearField("state")
    getattr(strange.state, OPEN).MergeFromString(UNKNOWN_FIELD)
    getattr(foreign.settings, OPEN).MergeFromString(UNKNOWN_FIELD)
    refused = {"UNKNOWN_GAME": [unknown], "INVALID_STATE": [stateless], "UNKNOWN_FIELDS": [strange, foreign]}
    for reason, positions in refused.items():
        for each in positions:
            await context.refused("ListLegalReplies", rules.ListLegalRepliesRequest(position=each), reason)
            await context.refused("CheckReply", rules.CheckReplyRequest(position=each), reason)
            await context.refused("ApplyReply", rules.ApplyReplyRequest(position=each), reason)
    given = rules.SimulateGameRequest(game=OPEN, strategies=[next(iter(game.strategies))] * game.seats.start)
    for method, kind in (("CheckReply", rules.CheckReplyRequest), ("ApplyReply", rules.ApplyReplyRequest)):
        for about, asked in (
            ("a message of another type", kind(position=position, reply=pack(given))),
            ("no reply", kind(position=position)),
        ):
            await context.refused(method, asked, "INVALID_REPLY", about=about)
    given.seed = MAX_SEED + 1
    await context.refused("SimulateGame", given, "INVALID_SEED")
    given.ClearField("seed")
    for wrong in (given.strategies[:1], [*given.strategies[1:], "no-such-strategy"]):
        few = rules.SimulateGameRequest(game=OPEN, strategies=wrong)
        await context.refused("SimulateGame", few, "INVALID_PLAYERS")


CASES = (the_rules,)
