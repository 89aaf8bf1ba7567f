"""Whether games, tournaments and tables are found in lists: in pages of any size, also while more come."""

from __future__ import annotations

import asyncio
import copy
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.conformance.case import NotApplicable, failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.cases.formats import everybody_meets, league
from fairplay.conformance.servers.cases.tables import User
from fairplay.conformance.servers.cases.tournaments import make_request, play
from fairplay.conformance.servers.compare import difference, same
from fairplay.conformance.servers.context import HIDDEN, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.facts.requests import LARGEST_PAGE, listed_in
from fairplay.conformance.servers.scenes import FAILED, NAMES, PATIENT, any_of, at, control, hang, reply
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    GetStandingsRequest,
    GetTournamentRequest,
    ListTournamentGamesRequest,
    ListTournamentsRequest,
)
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    Game,
    GameStatus,
    GameSummary,
    GetGameRequest,
    ListGamesRequest,
    StopGameRequest,
)
from fairplay.v1.tournament_pb2 import Tournament, TournamentSummary

PAUSE_S = 0.4
METHOD = "TakeTurn"
"""A method of both games."""
PAGE_SIZES = (1, 2, 3, 0)
TELLING = ("game", "player", "status", "oldest_first", "tournament_id")
"""The conditions of a list of games that a sentence about it names."""


def _id(entry: Any) -> str:
    """Return the id or the name of an entry of a list."""
    return str(getattr(entry, "name" if hasattr(entry, "name") else entry.DESCRIPTOR.fields[0].name))


async def _read(
    context: ServerContext,
    method: str,
    request: Any,
    size: int,
    wanted: Collection[str] | None = None,
    between: Callable[[], Awaitable[object]] | None = None,
) -> list[Any]:
    """Return what a method lists in pages of a size, up to the last one that is wanted; None: to the end.

    `between` is done once, behind the first page.
    """
    found, asked = list[Any](), copy.copy(request)
    asked.page_size = size
    async with aclosing(context.pages(method, asked)) as pages:  # type: ignore[type-var]
        async for page in pages:
            found += listed_in(page)
            if wanted is not None and {*wanted} <= {*map(_id, found)}:
                break
            if between is not None and page.next_page_token:
                await between()
                between = None
    return found


def _check_ids(where: str, wanted: Sequence[str], found: Sequence[Any]) -> None:
    """Check that a list has what is wanted in this order, each once, whatever else it has."""
    came = [each for each in map(_id, found) if each in wanted]
    if missing := [each for each in wanted if each not in came]:
        raise failure(f"{where} must have {missing[0]}; the list, over all its pages, lacks it.")
    if twice := [each for each in wanted if came.count(each) > 1]:
        raise failure(f"{where} must have {twice[0]} once, over all its pages; it has it {came.count(twice[0])} times.")
    same(where, wanted, came)


# Games


@server_case("watch.listed-conditions", "ASK-10")
async def listed_conditions(context: ServerContext) -> None:
    """Whoever looks for some games finds all of them, each once, and no others, also while others begin."""
    failing = any_of(at(0, METHOD, reply(b"")), at(1, METHOD, FAILED))
    slow_one = replace(ordinary(OPEN, at(0, METHOD, hang)), control=control(PAUSE_S, PAUSE_S))
    scenes = (ordinary(OPEN, count=3), ordinary(OPEN, count=2), ordinary(HIDDEN, failing, count=3), slow_one)
    cup = (await play(context, change=everybody_meets, count=3)).tournament
    ids = [game.game_id for each in cup.rounds for game in each.games]
    ids += [(await context.play(scene)).game_id for scene in scenes]
    for game in (OPEN, HIDDEN):
        async with _begun(context, game) as game_id:
            ids.append(game_id)
    async with _begun(context, OPEN) as running_id:
        asked = [context.ask("GetGame", GetGameRequest(game_id=each)) for each in (*ids, running_id)]
        games = sorted((each.game for each in await asyncio.gather(*asked)), key=_start_ns)
        for conditions, size, grows in _conditions(games, cup.tournament_id):
            await _check_list(context, games, conditions, size, grows=grows)


@asynccontextmanager
async def _begun(context: ServerContext, game: str) -> AsyncIterator[str]:
    """Begin a game between players that are not there, yield its id, and stop it."""
    request = context.request(replace(ordinary(game), control=PATIENT))
    await context.ask("CreateGame", CreateGameRequest(game_id=request.game_id, plan=request.plan))
    try:
        yield request.game_id
    finally:
        await context.ask("StopGame", StopGameRequest(game_id=request.game_id))


def _start_ns(game: Game) -> int:
    return game.start_time.ToNanoseconds()


def _conditions(games: Sequence[Game], cup: str) -> Sequence[tuple[Mapping[str, Any], int, bool]]:
    """Return conditions of lists, each with the size of its pages and whether a game begins behind the first one."""
    begin, end, middle = Timestamp(), Timestamp(), games[len(games) // 2].start_time
    begin.CopyFrom(games[0].start_time)
    end.FromNanoseconds(_start_ns(games[-1]) + 1)
    spans = ((begin, end), (begin, None), (begin, middle), (middle, end))
    wanted = itertools.product(("", OPEN, HIDDEN), ("", NAMES[2], "nobody-of-this-name"), GameStatus.values())
    besides = [*itertools.product(("", cup), spans, (False, True), PAGE_SIZES, (False, False, False, True))]
    rng, made = Random("lists"), list[tuple[Mapping[str, Any], int, bool]]()
    drawn = zip(wanted, rng.sample(besides, len(besides)), strict=False)
    for (game, player, status), (tournament_id, (since, until), oldest, size, grows) in drawn:
        given = {"game": game, "player": player, "status": status, "tournament_id": tournament_id}
        given |= {"start_time_from": since, "start_time_to": until, "oldest_first": oldest}
        made.append(({name: value for name, value in given.items() if value}, size, grows))
    return made


async def _check_list(
    context: ServerContext, games: Sequence[Game], given: Mapping[str, Any], size: int, *, grows: bool
) -> None:
    """Check that the list under these conditions has those of some games that fulfil them, each once, and no others."""
    text = ", ".join(f"{name} {_condition(name, value)}" for name, value in given.items() if name in TELLING)
    where = f"The list of games with {text or 'no condition but the time'}, in pages of {size or 'the usual size'}"
    found = await _read(
        context, "ListGames", ListGamesRequest(**given), size, between=partial(_begin, context) if grows else None
    )
    for each in found:
        if wrong := _unfulfilled(each, given):
            raise failure(f"The list of games with {text} has one whose {wrong}.", ("Game", readable(each)))
        for game in games:
            if game.game_id == each.game_id and (wrong := difference(_summary(game), each)):
                raise failure(f"ListGames shows a game in another way than GetGame: {wrong}.")
    wanted = [game.game_id for game in games if not _unfulfilled(game, given)]
    _check_ids(
        f"{where}{', while another one begins' * grows}", wanted if given.get("oldest_first") else wanted[::-1], found
    )
    if len({*map(_id, found)}) < len(found):
        raise failure(f"{where} has a game twice.")


async def _begin(context: ServerContext) -> None:
    async with _begun(context, OPEN):
        pass


def _summary(game: Game) -> GameSummary:
    """Return what a list of games has of one."""
    return GameSummary(
        game_id=game.game_id,
        game=game.plan.game,
        players=[each.name for each in game.players],
        status=game.status,
        start_time=game.start_time,
        end_time=game.end_time if game.HasField("end_time") else None,
        tournament_id=game.tournament_id,
        ranking=game.result.ranking,
        misconduct_count=len(game.result.misconducts),
    )


def _condition(name: str, value: Any) -> str:
    return GameStatus.Name(value) if name == "status" else str(value)


def _unfulfilled(game: Any, given: Mapping[str, Any]) -> str:
    """Return which condition a game does not fulfil, with its own value; empty: it fulfils all."""
    is_line = isinstance(game, GameSummary)
    name = game.game if is_line else game.plan.game
    players = [*game.players] if is_line else [each.name for each in game.players]
    start_ns, end = game.start_time.ToNanoseconds(), given.get("start_time_to")
    unfulfilled = {
        f"game is {name}": given.get("game", name) != name,
        f"players are {', '.join(players)}": given.get("player", players[0]) not in players,
        f"status is {GameStatus.Name(game.status)}": given.get("status", game.status) != game.status,
        f"tournament is {game.tournament_id or 'none'}": given.get("tournament_id", game.tournament_id)
        != game.tournament_id,
        "start time is too early": start_ns < given["start_time_from"].ToNanoseconds(),
        "start time is too late": end is not None and start_ns >= end.ToNanoseconds(),
    }
    return next((text for text, is_so in unfulfilled.items() if is_so), "")


@server_case("watch.listed", "ASK-10")
async def listed(context: ServerContext) -> None:
    """Games can be found without knowing their ids."""
    played = await context.whole_game(OPEN)
    games = await _read(context, "ListGames", ListGamesRequest(), 100, [played.game_id])
    found = next((each for each in games if each.game_id == played.game_id), None)
    if found is None:
        raise failure(f"ListGames does not have the game {played.game_id}, which was played.")
    same("The ranking in the list", list(played.expected.result.ranking), list(found.ranking))
    same("The players in the list", list(played.scene.names), list(found.players))


# Tournaments and tables


@server_case("tournament.listed", "TOUR-20")
async def tournaments(context: ServerContext) -> None:
    """Tournaments can be found without knowing their ids, also while others are created."""
    ids = [(await league(context)).tournament.tournament_id]

    async def create() -> None:
        request = make_request(context)
        request.plan.title = context.new_id("title")
        await context.ask("CreateTournament", request)
        ids.append(request.tournament_id)

    for _ in range(3):
        await create()
    await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=ids[-2], reason="scripted end"))
    for size, between in ((1, None), (2, create), (3, None), (0, create), (LARGEST_PAGE + 1, None)):
        wanted = ids[::-1]
        found = await _read(context, "ListTournaments", ListTournamentsRequest(), size, wanted, between)
        _check_ids(f"The tournaments in ListTournaments, newest first, in pages of {size}", wanted, found)
    for each in (each for each in found if each.tournament_id in ids):
        shown = (await context.ask("GetTournament", GetTournamentRequest(tournament_id=each.tournament_id))).tournament
        if wrong := difference(_tournament_summary(shown), each):
            raise failure(f"ListTournaments shows a tournament in another way than GetTournament: {wrong}.")


def _tournament_summary(shown: Tournament) -> TournamentSummary:
    """Return what a list of tournaments has of one."""
    return TournamentSummary(
        tournament_id=shown.tournament_id,
        game=shown.plan.game,
        status=shown.status,
        entrant_count=len(shown.entrants),
        round_count=shown.round_count,
        winners=shown.result.winners,
        reason=shown.reason,
        create_time=shown.create_time,
        end_time=shown.end_time if shown.HasField("end_time") else None,
        title=shown.plan.title,
    )


@asynccontextmanager
async def _tables(context: ServerContext) -> AsyncIterator[tuple[Sequence[User], list[str]]]:
    """Yield two users, and the names of the tables that they have made in turn, of two games."""
    users, names = [await User.enter(context), await User.enter(context)], list[str]()
    for user, game in itertools.product(users, (OPEN, HIDDEN)):
        names.append((await user.ask("CreateTable", name=context.new_short_name(), game=game)).name)
    yield users, names
    for name, user in zip(names, (users[0], users[0], users[1], users[1]), strict=True):
        if name:
            await user.ask("DeleteTable", table=name)
    for user in users:
        await user.ask("Leave")


@server_case("lobby.listed", "ROLE-6")
async def listed_tables(context: ServerContext) -> None:
    """Whoever looks for a table finds it, newest first, on one of the pages, also while others are deleted."""
    async with _tables(context) as (users, names):
        for user, game in zip(users, ("", HIDDEN), strict=True):
            wanted = [name for name, kind in zip(names, (OPEN, HIDDEN) * 2, strict=True) if game in ("", kind)][::-1]
            for size in (*PAGE_SIZES, LARGEST_PAGE + 1):
                found = await _read(context, "ListTables", user.request("ListTables", game=game), size)
                if others := {each.game for each in found} - {game} if game else ():
                    raise failure(f"ListTables of {game} has tables of {others.pop()}.")
                where = f"ListTables of {game or 'all games'}, in pages of {size or 'the usual size'},"
                _check_ids(where, wanted, found)
        gone, left = names[-1], names[-2::-1]
        names[-1] = ""
        deleting = partial(users[1].ask, "DeleteTable", table=gone)
        found = await _read(context, "ListTables", users[1].request("ListTables"), 1, between=deleting)
        _check_ids("ListTables, while the first one that it lists is deleted,", left, found)


# Page tokens


@server_case("refuses.page-token", "ASK-11")
async def page_token(context: ServerContext) -> None:
    """A page token that does not come from the method gets no page."""
    cup = (await league(context)).tournament.tournament_id
    await context.ask("CreateTournament", make_request(context))
    requests: dict[str, Any] = {
        "ListGames": ListGamesRequest(),
        "ListTournaments": ListTournamentsRequest(),
        "ListTournamentGames": ListTournamentGamesRequest(tournament_id=cup),
        "GetStandings": GetStandingsRequest(tournament_id=cup),
    }
    await _refuse_tokens(context, requests)
    with suppress(NotApplicable):
        async with _tables(context) as (users, _):
            await _refuse_tokens(context, {**requests, "ListTables": users[0].request("ListTables")}, ["ListTables"])


async def _refuse_tokens(context: ServerContext, requests: Mapping[str, Any], only: Collection[str] = ()) -> None:
    """Check that methods refuse tokens of each other; `only` some of them."""
    tokens = {}
    for method, request in requests.items():
        first = copy.copy(request)
        first.page_size = 1
        tokens[method] = (await context.ask(method, first)).next_page_token
        if not tokens[method]:
            raise failure(
                f"{method} must say in next_page_token what gets the next page; there are more, and it is empty."
            )
    for method, request in requests.items():
        wrong = {f"of {other}": token for other, token in tokens.items() if other != method}
        wrong |= {"of nobody": "no-such-page", "with a letter more": f"{tokens[method]}x"}
        for whose, token in wrong.items() if not only or method in only else ():
            asked = copy.copy(request)
            asked.page_token = token
            await context.refused(method, asked, "INVALID_PAGE_TOKEN", about=f"a page token {whose}")


CASES = (listed_conditions, listed, tournaments, listed_tables, page_token)
