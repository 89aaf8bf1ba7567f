"""Plans of games: checked, and with every default filled in."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.unknown_fields import UnknownFieldSet

from fairplay.games.envelopes import unwrap, wrap
from fairplay.games.game import Game, find, registered
from fairplay.games.kit.messages import REMEMBERED
from fairplay.server.links.spec import NAME, NAME_ALLOWED
from fairplay.server.net.bounds import check_limits
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.rules_pb2 import SimulateGameRequest
from fairplay.v1.tournament_pb2 import TournamentPlan

ID = re.compile(rf"(?!(.*/)?\.{{0,2}}(/|$)){limit_of('PlayGameRequest.game_id').pattern}")
"""Parts with "/" between them, of which none leads elsewhere where an id is taken for a path."""
TOURNAMENT_GAME = re.compile(r"[^/]+/r[0-9]+g[0-9]+")
"""The ids of the games of tournaments: who could take one for another game would stop the tournament's own."""
MAX_SEED = limit_of("GamePlan.seed").maximum + 1
"""Seeds are below this, so that every language can read them."""
LIMITS = ("decision_limit", "first_decision_limit", "notification_limit")

PlanMessage = TypeVar("PlanMessage", GamePlan, TournamentPlan)
CheckLink = Callable[[Player, Game, str], None]
"""Check a player's link; the last argument names the player's field. Raises Refusal if it cannot be used."""


def checked_id(text: str, field: str) -> str:
    """Return the id. Raises Refusal if it has characters or a length that is not allowed, or could lead elsewhere."""
    if not ID.fullmatch(text):
        allowed = "1 to 128 letters, digits, '-', '_', '.' or '/', and no part of it is empty, '.' or '..'"
        raise Refusal("INVALID_ID", f"{text!r} is not an id: {allowed}", field, given=text, allowed=allowed)
    return text


def checked_single_id(text: str) -> str:
    """Return the id of a game of its own. Raises Refusal if it is not allowed, or that of a game of a tournament."""
    if TOURNAMENT_GAME.fullmatch(checked_id(text, "game_id")):
        message = f"{text!r} is the id of a game of a tournament, and for that alone: choose another one"
        raise Refusal("INVALID_ID", message, "game_id", given=text)
    return text


def any_link(player: Player, game: Game, field: str) -> None:
    """Take every link, as a `CheckLink`: a plan in a record was checked when it was made, and calls nobody."""


def game_of(name: str, field: str, get: Callable[[str], Game] = find) -> Game:
    """Return the game of this name. Raises Refusal if there is none."""
    try:
        return get(name)
    except ValueError as error:
        raise Refusal("UNKNOWN_GAME", str(error), field, given=name, allowed=", ".join(registered())) from None


def full_game_plan(plan: GamePlan, check_link: CheckLink, get: Callable[[str], Game] = find) -> GamePlan:
    """Return the plan with every default filled in. Raises Refusal if it cannot be played.

    Whether the settings fit the number of players is checked when the game begins.
    """
    shared, own = GamePlan(), GamePlan(players=plan.players, seed=seed_of(plan))
    shared.CopyFrom(plan)
    shared.ClearField("players")
    shared.ClearField("seed")
    if plan.HasField("initial_state"):
        own.initial_state.CopyFrom(plan.initial_state)
        shared.ClearField("initial_state")
    refuse_unknown_fields(own, "plan")
    check_limits(own, "plan")
    full = GamePlan.FromString(_full_shared_plan(shared.SerializeToString(deterministic=True), get))
    full.MergeFrom(own)
    clear_identity(full.players)
    game = get(plan.game)
    settings = settings_of(game, full)
    check_players(plan.players, game, check_link)
    _check_state(game, settings, plan)
    check_player_count(game, settings, len(plan.players), "plan.players")
    return full


@lru_cache(maxsize=REMEMBERED)
def _full_shared_plan(data: bytes, get: Callable[[str], Game]) -> bytes:
    """Return what games that differ in seed and players have in common, with every default filled in.

    All games of a tournament have the same, which is checked and filled in once.
    """
    plan = GamePlan.FromString(data)
    refuse_unknown_fields(plan, "plan")
    check_limits(plan, "plan")
    game = game_of(plan.game, "plan.game", get)
    plan.settings.CopyFrom(wrap(GameSettings, game, full_settings(game, plan.settings)))
    plan.time_control.CopyFrom(full_time_control(game, plan.time_control))
    return plan.SerializeToString()


def settings_of(game: Game, plan: GamePlan) -> Message:
    """Return the game's own settings of a plan. Raises ValueError if it has those of another game."""
    return unwrap(plan.settings, game, game.settings_type) or game.settings_type()


def check_player_count(game: Game, settings: Message, count: int, field: str) -> None:
    """Raise Refusal if a game with these settings, every default filled in, is not played by so many."""
    seats = game.seats_with(settings)
    if count not in seats:
        allowed = f"{seats.start} to {seats.stop - 1}"
        message = f"{game.title} is played by {allowed} players, not by {count}"
        raise Refusal("INVALID_PLAYERS", message, field, given=count, allowed=allowed)


def full_settings(game: Game, settings: GameSettings, field: str = "plan.settings") -> Message:
    """Return the game's settings with every default filled in. Raises Refusal if a value is not allowed."""
    try:
        given = unwrap(settings, game, game.settings_type) or game.settings_type()
        for message in (given, settings):  # those of a game of another package are packed
            refuse_unknown_fields(message, field)
        return game.full_settings(given)
    except ValueError as error:
        problem = str(error)
        allowed = [each.allowed for each in game.settings if problem.startswith(f"{each.name} is ")]
        raise Refusal("INVALID_SETTINGS", problem, field, allowed="".join(allowed)) from None


def refuse_unknown_fields(message: Message, field: str) -> None:
    """Raise Refusal if a message, or one within it, has a field that this server does not know.

    What such a field asks for would not be done, and nobody would notice.
    """
    unknown = UnknownFieldSet(message)
    if len(unknown):
        name, number = message.DESCRIPTOR.full_name, unknown[0].field_number
        problem = f"this server does not know field {number} of {name}: leave it out"
        raise Refusal("UNKNOWN_FIELDS", problem, field, given=number)
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for part in [value] if isinstance(value, Message) else value:
            refuse_unknown_fields(part, f"{field}.{descriptor.name}")


def seed_of(message: GamePlan | SimulateGameRequest) -> int:
    """Return the seed of a message, or a fresh one if it names none."""
    return message.seed if message.HasField("seed") else secrets.randbelow(MAX_SEED)


def same_plan(given: PlanMessage, kept: PlanMessage, full: PlanMessage) -> bool:
    """Return whether a request asks for a plan that is kept already, both `full`; one without a seed fits any."""
    if given.HasField("seed"):
        return full == kept
    copy = type(full)()
    copy.CopyFrom(full)
    if kept.HasField("seed"):
        copy.seed = kept.seed
    else:
        copy.ClearField("seed")
    return copy == kept


def clear_identity(players: Iterable[Player]) -> None:
    """Drop what only the server may say of players."""
    for player in players:
        player.ClearField("description")
        player.ClearField("account")
        player.ClearField("certificate")


def checked_state(game: Game, settings: Message, state: GameState, field: str) -> tuple[Message, int]:
    """Return a state from outside, and how many players it has. Raises Refusal if no game can go on from it.

    Numbers that mean nothing may fail in a game before it has a sentence for them.
    """
    try:
        given = unwrap(state, game, game.state_type) or game.state_type()
        return given, game.check_state(settings, given)
    except ValueError as error:
        raise Refusal("INVALID_STATE", str(error), field) from None
    except (LookupError, ArithmeticError, TypeError) as error:
        raise Refusal("INVALID_STATE", f"no game can go on from this state: {error!r}", field) from error


def _check_state(game: Game, settings: Message, plan: GamePlan) -> None:
    if not plan.HasField("initial_state"):
        return
    _, seat_count = checked_state(game, settings, plan.initial_state, "plan.initial_state")
    if seat_count != len(plan.players):
        message = f"the state has {seat_count} players, but {len(plan.players)} are named"
        raise Refusal("INVALID_PLAYERS", message, "plan.players", given=len(plan.players), allowed=seat_count)


def check_players(players: Sequence[Player], game: Game, check_link: CheckLink, field: str = "plan.players") -> None:
    """Check names and links of players.

    Raises Refusal if a name is not allowed or there twice, or a link cannot be used.
    """
    seen: set[str] = set()
    for index, player in enumerate(players):
        where = f"{field}[{index}]"
        if not NAME.fullmatch(player.name):
            message = f"{player.name!r} is not a name: {NAME_ALLOWED}"
            raise Refusal("NAME_INVALID", message, f"{where}.name", given=player.name, allowed=NAME_ALLOWED)
        if player.name in seen:
            message = f"two players are called {player.name}: names must differ"
            raise Refusal("INVALID_PLAYERS", message, where, given=player.name)
        seen.add(player.name)
        check_link(player, game, where)


def full_time_control(game: Game, control: TimeControl) -> TimeControl:
    """Return the time control with the game's defaults filled in. Raises Refusal if a limit is out of its range."""
    check_limits(control, "plan.time_control")
    full = TimeControl()
    full.CopyFrom(game.time_control)
    if control.HasField("decision_limit"):
        # A decision limit of one's own stands for all decisions: the game's own longer first limit need not fit it.
        full.ClearField("notification_limit")
        if seconds(control.decision_limit) > seconds(full.first_decision_limit):
            full.ClearField("first_decision_limit")
    overlay(full, control)
    given = {field.name for field, _ in full.ListFields()}
    for name in LIMITS:
        if name not in given:
            getattr(full, name).CopyFrom(full.decision_limit)
    full.bank.SetInParent()  # every default is said
    return full


def overlay(full: Message, given: Message) -> None:
    """Set all fields that are given, each as a whole: a duration takes no nanos from the one that it replaces."""
    for field, _ in given.ListFields():
        full.ClearField(field.name)
    full.MergeFrom(given)


def seconds(duration: Duration) -> float:
    """Return a google.protobuf.Duration in seconds."""
    return duration.seconds + duration.nanos / 1e9


def now() -> Timestamp:
    """Return the time of day."""
    time = Timestamp()
    time.GetCurrentTime()
    return time
