"""Plans of tournaments, checked and with every default filled in; the names that they allow, and their seeds.

The pattern of names is a stranger's regular expression: Python's `re` can take exponential time for a short one, and
would hold up every game of the server. RE2 takes time in proportion to the name.

All randomness of a tournament follows from one secret, which is kept in its record and answered when it is over.
Whoever knows a seed that was used, even every one so far, cannot tell the next one: each is a hash under the secret, of
what it is for.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from random import Random

import re2
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.certificate import frozen
from fairplay.certificate.signing import is_public_key
from fairplay.certificate.terms import matches
from fairplay.formats.format import Terms, chosen, full_format
from fairplay.games.conformance import find_profile, find_profiles
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, find
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.server.game.plans import (
    CheckLink,
    check_players,
    clear_identity,
    full_settings,
    full_time_control,
    game_of,
    overlay,
    refuse_unknown_fields,
)
from fairplay.server.links.spec import NAME, NAME_ALLOWED
from fairplay.server.net.bounds import check_limits
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import (
    AgeOrder,
    ExaminationPolicy,
    SignUpPolicy,
    Tournament,
    TournamentPlan,
    WithdrawnGames,
)

OPTIONS = re2.Options()
OPTIONS.log_errors = False
OPTIONS.max_mem = 1024 * 1024

SECRET_BYTES = 32
COUNTED = WithdrawnGames.WITHDRAWN_GAMES_COUNTED
MAX_ENTRANTS = limit_of("TournamentPlan.entrants").max_items
EXAMINATION_S = 600
OPEN_POLICY = SignUpPolicy(
    max_entrant_count=MAX_ENTRANTS,
    waiting_period=Duration(seconds=30),
    period_count=2,
    age_order=AgeOrder.AGE_ORDER_REVERSE_SIGN_UP,
    name_pattern=limit_of("Player.name").pattern,
)
"""The policy where neither the plan nor the game says anything."""


class NamePattern:
    """A pattern in RE2's syntax that names must match as a whole. Raises ValueError if it cannot be read."""

    def __init__(self, pattern: str) -> None:
        try:
            self._pattern = re2.compile(pattern, OPTIONS)
        except re2.error as error:
            (problem,) = error.args
            raise ValueError(f"it is not a regular expression in RE2's syntax: {problem.decode()}") from None

    def matches(self, name: str) -> bool:
        """Return whether the whole name matches."""
        return self._pattern.fullmatch(name) is not None


def new_secret(seed: int | None) -> bytes:
    """Return the secret of a new tournament: the same for the same seed, or a random one where no seed is named."""
    if seed is None:
        return secrets.token_bytes(SECRET_BYTES)
    return hashlib.sha256(f"fairplay tournament {seed}".encode()).digest()


def derive_seed(secret: bytes, *purpose: str | int) -> int:
    """Return the seed for a purpose, e.g. `derive_seed(secret, "game", 2, 1)`; below 2^53, everywhere alike."""
    message = "/".join(map(str, purpose)).encode()
    return _to_seed(hmac.digest(secret, message, "sha256"))


def derive_seed_1_1(seed: int, round_number: int, table: int) -> int:
    """Return the seed of a game as servers before the secret derived it, to go on with tournaments of theirs."""
    return _to_seed(hashlib.sha256(f"{seed}/{round_number}/{table}".encode()).digest())


def _to_seed(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big") >> 11


def checked_tournament_id(text: str) -> str:
    """Return the id. Raises Refusal if it has characters or a length that is not allowed."""
    if not NAME.fullmatch(text):
        message = f"{text!r} is not an id: {NAME_ALLOWED}"
        raise Refusal("INVALID_ID", message, "tournament_id", given=text, allowed=NAME_ALLOWED)
    return text


def check_distinct(names: Iterable[str]) -> None:
    """Raise Refusal if two names differ in capital letters only: people take them for one."""
    known: dict[str, str] = {}
    for name in names:
        if (other := known.setdefault(name.lower(), name)) != name:
            message = f"{name} and {other} differ in capital letters only: choose another name"
            raise Refusal("INVALID_PLAYERS", message, "plan.entrants", given=name)


def full_tournament_plan(plan: TournamentPlan, check_link: CheckLink) -> TournamentPlan:
    """Return the plan with every default filled in. Raises Refusal if it cannot be played."""
    refuse_unknown_fields(plan, "plan")
    check_limits(plan, "plan")
    game = game_of(plan.game, "plan.game")
    full = TournamentPlan()
    full.CopyFrom(plan)
    clear_identity(full.entrants)
    settings = full_settings(game, plan.settings)
    full.settings.CopyFrom(wrap(GameSettings, game, settings))
    full.time_control.CopyFrom(full_time_control(game, plan.time_control))
    _fill_format(full, game)
    check_players(plan.entrants, game, check_link, "plan.entrants")
    full.sign_up.CopyFrom(_full_policy(game, plan.sign_up, len(plan.entrants)))
    _check_profile(game, full.sign_up.certificate.profile, settings)
    if full.entrants and len(full.entrants) == full.sign_up.max_entrant_count:
        check_format(full, full.entrants, "plan.format")
    for count in game.seats:  # any of these may come up, and e.g. the board may be too small for it
        if count <= full.sign_up.max_entrant_count:
            try:
                game.play("", settings, [str(seat) for seat in range(count)], Random(0), None).close()
            except ValueError as error:
                message = f"a game of {count} players, which may come up, cannot be played: {error}"
                raise Refusal("INVALID_SETTINGS", message, "plan.settings") from None
    return full


def _fill_format(plan: TournamentPlan, game: Game) -> None:
    """Fill in the format, and what depends on it. Raises Refusal if something of it is not allowed."""
    try:
        plan.format.CopyFrom(full_format(plan.format, game.seats))
    except ValueError as error:
        raise Refusal("INVALID_FORMAT", str(error), "plan.format") from None
    format_ = chosen(plan.format).format
    if not plan.HasField("failures_allowed"):
        plan.failures_allowed = format_.failures_allowed
    if plan.withdrawn_games not in WithdrawnGames.values():
        message = f"there is no way {plan.withdrawn_games} to count games of withdrawn entrants"
        allowed = ", ".join(WithdrawnGames.keys())
        raise Refusal(
            "INVALID_FORMAT", message, "plan.withdrawn_games", given=int(plan.withdrawn_games), allowed=allowed
        )
    if not plan.withdrawn_games:
        struck = WithdrawnGames.WITHDRAWN_GAMES_STRUCK if format_.strikes_withdrawn else COUNTED
        plan.withdrawn_games = struck


def terms_of(plan: TournamentPlan, entrants: Sequence[Player]) -> Terms:
    """Return what the format of a tournament is given."""
    struck = plan.withdrawn_games == WithdrawnGames.WITHDRAWN_GAMES_STRUCK
    return Terms([player.name for player in entrants], find(plan.game).seats, plan.deal_count, struck)


def check_format(plan: TournamentPlan, entrants: Sequence[Player], field: str = "") -> None:
    """Check that these entrants can play in the format of the plan. Raises Refusal, about a `field`, if they cannot."""
    format_, settings = chosen(plan.format)
    try:
        format_.check(settings, terms_of(plan, entrants))
    except ValueError as error:
        problem = f"{format_.title}: {error}"
        raise Refusal("FORMAT_DOES_NOT_FIT", problem, field, given=len(entrants)) from None


def _full_policy(game: Game, policy: SignUpPolicy, entrant_count: int) -> SignUpPolicy:
    full = SignUpPolicy(min_entrant_count=game.seats.start)
    for given in (OPEN_POLICY, game.sign_up, policy):
        overlay(full, given)
    # A bound that the plan names moves the other one, where that is only a default.
    if not policy.HasField("max_entrant_count"):
        full.max_entrant_count = max(full.max_entrant_count, full.min_entrant_count, entrant_count)
    if not policy.HasField("min_entrant_count"):
        full.min_entrant_count = min(full.min_entrant_count, full.max_entrant_count)
    _check_policy(game, full, entrant_count)
    return full


def _check_policy(game: Game, policy: SignUpPolicy, entrant_count: int) -> None:
    few, many, least = policy.min_entrant_count, policy.max_entrant_count, game.seats.start
    for field, count in (("max_entrant_count", many), ("min_entrant_count", few)):
        if count < least:
            problem = f"it is {count}, but a tournament of {game.title} needs at least {least} entrants"
            _refuse(field, problem, given=count, limit=least)
    if few > many:
        problem = f"it is {many}; it must be at least {few} (min_entrant_count)"
        _refuse("max_entrant_count", problem, given=many, limit=few)
    if entrant_count > many:
        problem = f"it is {many}, but the plan names {entrant_count} entrants already"
        _refuse("max_entrant_count", problem, given=many, limit=entrant_count)
    if not all(map(is_public_key, policy.certificate.signer_keys)):
        _refuse("certificate.signer_keys", "one is not the public key that `fairplay certificate keys` prints")
    if policy.certificate.HasField("examination"):
        _check_examination(game, policy.certificate.examination)
    if policy.age_order not in AgeOrder.values():
        problem = f"there is no age order {policy.age_order}"
        _refuse("age_order", problem, given=int(policy.age_order), allowed=", ".join(AgeOrder.keys()))
    try:
        NamePattern(policy.name_pattern)
    except ValueError as error:
        _refuse("name_pattern", str(error), given=policy.name_pattern)


def _check_profile(game: Game, name: str, settings: Message) -> None:
    """Check that certificates for a profile, if one is named, are for games with these settings."""
    field = "certificate.profile"
    try:
        profile = find_profile(game, name) if name else None
    except ValueError as error:
        _refuse(field, str(error), given=name, allowed=", ".join(find_profiles(game)))
    if profile is not None and not profile.allows(game.full_settings(game.settings_type()), settings):
        _refuse(field, f"the games of the tournament are outside the profile {name}: {profile.sentence}", given=name)


def _check_examination(game: Game, policy: ExaminationPolicy) -> None:
    """Check how players are examined, and fill in the time where it is not said."""
    field = "certificate.examination"
    if not policy.HasField("time_limit"):
        policy.time_limit.seconds = EXAMINATION_S
    known = frozen(game.name, PROTOCOL_REVISION)
    if known is None:
        _refuse(field, f"there is no conformance suite for {game.title}")
    elif policy.cases and not any(matches(each, policy.cases) for each in known):
        problem = f"no MUST case of {game.title} matches {policy.cases!r}"
        _refuse(f"{field}.cases", problem, given=policy.cases)


def _refuse(field: str, problem: str, *, given: object = "", limit: object = "", allowed: object = "") -> None:
    message = f"the sign-up policy cannot be used: {field}: {problem}"
    raise Refusal("INVALID_SIGN_UP", message, f"plan.sign_up.{field}", given=given, limit=limit, allowed=allowed)


def seated(plan: TournamentPlan, entrants: Sequence[Player]) -> list[Player]:
    """Return the list of entrants, youngest first (fish.md section 8), from the entrants in order of sign-up."""
    if plan.sign_up.age_order == AgeOrder.AGE_ORDER_SIGN_UP:
        return [*entrants]
    named, signed_up = entrants[: len(plan.entrants)], entrants[len(plan.entrants) :]
    return [*reversed(signed_up), *named]


def game_id_of(tournament_id: str, round_number: int, table: int) -> str:
    """Return the id of a game, as plans.TOURNAMENT_GAME matches it; rounds and tables count from 1."""
    return f"{tournament_id}/r{round_number}g{table}"


def game_plan_of(message: Tournament, players: Sequence[Player], round_number: int, table: int, deal: int) -> GamePlan:
    """Return the plan of a game. Its seed follows from the tournament's secret and the deal; 0: a deal of its own."""
    plan = message.plan
    if deal:
        seed = derive_seed(message.secret, "deal", deal)
    elif message.secret:
        seed = derive_seed(message.secret, "game", round_number, table)
    else:
        seed = derive_seed_1_1(plan.seed, round_number, table)
    return GamePlan(game=plan.game, settings=plan.settings, players=players, seed=seed, time_control=plan.time_control)


def plan_rng(message: Tournament) -> Random:
    """Return the source of all that the format of a tournament draws by lot."""
    return Random(derive_seed(message.secret, "format"))
