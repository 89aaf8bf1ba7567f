"""Mutants whose defect only a program can have, or that say different things about themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

import grpc
import psutil

from fairplay.conformance import case_ids
from fairplay.conformance.games.endings import Ending
from fairplay.conformance.games.phases import has_races
from fairplay.conformance.zoo.methods import put
from fairplay.conformance.zoo.mutants import (
    GROWS,
    RAISES,
    SAYS_NOTHING,
    BrokenPlayerError,
    InvalidRequests,
    Mutant,
    Others,
    ProgramBehaviour,
    Start,
    Symptom,
    adds,
    describes,
    read_limit,
    waits,
    waits_meanwhile,
)
from fairplay.conformance.zoo.player import TOLD_S, ReceivedCall, Trigger
from fairplay.conformance.zoo.triggers import (
    always,
    at_ending,
    from_decision,
    in_decision,
    in_late_seat,
    in_method,
    in_other_seat,
    never,
    with_settings,
)
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find, registered
from fairplay.games.kit.player_service import PLAYER_SERVICE
from fairplay.player.dialing import DETAILS, REASON, refuses
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.server.links.link import BANK_KEY
from fairplay.v1.connection_pb2 import Call
from fairplay.v1.player_pb2 import GameService, PlayerDescription

NO_EXCEPTION = (case_ids.NO_EXCEPTION,)
THOUGHT_S, AHEAD_S, OPENING_S, UNLIMITED_S = 0.1, 0.3, 0.6, 1.5
DESCRIPTION_STAYS = (case_ids.DESCRIPTION_STAYS,)


def of_identity(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that are sound in some games only, or describe themselves wrongly at times."""
    positions = (*case_ids.POSITIONS, case_ids.SETTINGS_RAISE)
    anywhere = ("rules", game.name, case_ids.FRESH_PROCESS, *positions, *case_ids.ENDS_OF_GAMES)
    yield Mutant(
        "raises-unless-certified",
        'Raises an exception in its first decision of a game, unless the id of the game begins with "certify".',
        NO_EXCEPTION,
        lambda call: call.decision == 1 and not call.request.game_id.startswith("certify"),
        RAISES,
        anywhere,
    )
    yield Mutant(
        "raises-unless-tested",
        'Raises an exception in its first decision of a game, unless it is to dial in as "tested".',
        NO_EXCEPTION,
        lambda call: call.decision == 1 and not os.environ.get("FAIRPLAY_NAME", "").startswith("tested"),
        RAISES,
        anywhere,
        program=ProgramBehaviour(),
    )
    yield Mutant(
        "raises-in-tournaments",
        "Raises an exception in its first decision of a game of a tournament that was told by Start.",
        (case_ids.IN_TOURNAMENTS,),
        _in_tournament,
        RAISES,
    )
    yield Mutant(
        "changes-its-version",
        "Says another version when it has been in a game.",
        DESCRIPTION_STAYS,
        _described_after_game,
        describes(put(software_version="2")),
        (case_ids.DESCRIBED_WHILE_ASKED,),
    )
    yield Mutant(
        "raises-in-describe-during-games",
        "Raises an exception in Describe when it has been in a game.",
        DESCRIPTION_STAYS,
        _described_after_game,
        RAISES,
        (case_ids.DESCRIBED_WHILE_ASKED,),
    )
    yield Mutant(
        "offers-a-game-it-lacks",
        "Names the service of another game, too, and has none of its methods.",
        (case_ids.OFFERED,),
        in_method("Describe"),
        describes(_offering_another_than(game)),
    )
    yield Mutant(
        "dies-in-games-it-lacks",
        "Ends without a word when it is called for a game that it does not play.",
        (case_ids.OFFERED,),
        never,
        RAISES,
        (case_ids.NONSENSE,),
        program=ProgramBehaviour(refuses=partial(_is_of_another, game), invalid_requests=InvalidRequests.DIES),
    )


def _is_of_another(game: Game, call: Call, _: int) -> bool:
    return not call.method_name.startswith((f"/{PLAYER_SERVICE}/", f"/{game.service}/"))


HURRIED_S = 0.6


def of_hurry(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that break the rules in some states where they are told of a short limit."""
    for name, where, shows in (
        ("under-way", "in its first decision, where others have acted before", in_late_seat),
        ("in-later-seats", "in its first decision, in any seat but the first", in_other_seat),
    ):
        yield Mutant(
            f"hurries-{name}",
            f"Answers {game.turn.name} with an empty message {where}, if the call has less than {HURRIED_S:g} s.",
            (case_ids.DRAWN_STATES,),
            partial(_is_hurried, game.turn.name, shows),
            SAYS_NOTHING,
            program=ProgramBehaviour(),
        )


def _is_hurried(turn: str, shows: Trigger, call: ReceivedCall) -> bool:
    return call.method.name == turn and TOLD_S.get() < HURRIED_S and shows(call)


def _in_tournament(call: ReceivedCall) -> bool:
    tournament_id = call.memory.tournament_id
    return call.decision == 1 and tournament_id != "" and call.request.game_id.startswith(f"{tournament_id}/")


def _told_twice(call: ReceivedCall) -> bool:
    told, request = call.game.notes, call.request.SerializeToString()
    if not call.decision:
        told["is twice"] = told.get("is twice") or told.get("last") == request
    told["last"] = request
    return bool(call.decision and told.get("is twice"))


def _after_winning(call: ReceivedCall) -> bool:
    call.memory.notes["won"] = call.memory.notes.get("won", 0) + getattr(call.request, "won", False)
    return call.method.name == "Describe" and call.memory.notes["won"] > 0


def _described_after_game(call: ReceivedCall) -> bool:
    return call.method.name == "Describe" and any(each.number for each in call.memory.games.values())


def _offering_another_than(game: Game) -> Callable[[PlayerDescription], object]:
    other = next(find(name) for name in registered() if name != game.name)

    def change(said: PlayerDescription) -> None:
        said.services.append(GameService(name=other.service, revision=PROTOCOL_REVISION))

    return change


def _with_number(said: PlayerDescription) -> None:
    said.software_version = f"build {os.getpid()}"


def _with_time(said: PlayerDescription) -> None:
    said.display_name += f", up since {psutil.Process().create_time():.1f}"


def _finds_another_seat(call: ReceivedCall) -> bool:
    """Keep the seat of a game in a file, and return whether another process has put another one there."""
    return _finds_another(call, getattr(call.request, "seat", 0))


def _finds_another_process(call: ReceivedCall) -> bool:
    """Keep the number of this process in a file of the game, and return whether another one is there."""
    return _finds_another(call, os.getpid())


def _finds_another(call: ReceivedCall, own: int) -> bool:
    """Write a number into the file of a game in its first call, and return whether it is another one at a decision."""
    if not {"game_id", "seat"} <= set(call.request.DESCRIPTOR.fields_by_name):
        return False
    file = Path(tempfile.gettempdir()) / f"fairplay-zoo-{sha256(call.request.game_id.encode()).hexdigest()[:16]}"
    if not call.game.notes.get("kept"):
        call.game.notes["kept"] = True
        file.write_text(str(own), "ascii")
    return call.decision > 0 and file.read_text("ascii") != str(own)


def _is_no_lack(error: grpc.aio.AioRpcError) -> bool:
    return error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED and refuses(error)


def _is_no_stranger(error: grpc.aio.AioRpcError) -> bool:
    return error.code() is not grpc.StatusCode.UNAUTHENTICATED and refuses(error)


def _is_full(error: grpc.aio.AioRpcError) -> bool:
    return error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED or refuses(error)


def _has_a_reason(error: grpc.aio.AioRpcError) -> bool:
    return any(key == DETAILS and REASON in value for key, value in error.trailing_metadata() or ()) or refuses(error)


MOST, LONG_S = 0.8, "limit of the last call of the other kind"


def _has_less_time(*, decides: bool) -> Trigger:
    """Trigger in decisions, or in calls that ask for none, with less time than most of what the last of the others had.

    In the others the trigger notes their limit.
    """

    def trigger(call: ReceivedCall) -> bool:
        if not call.game.number:
            return False
        if (call.decision > 0) is not decides:
            call.memory.notes[LONG_S] = TOLD_S.get()
            return False
        return TOLD_S.get() < MOST * call.memory.notes.get(LONG_S, 0.0)

    return trigger


FIRST_S = "limit of the first decision"


def _opens(call: ReceivedCall) -> bool:
    """Trigger in the first decision of each game, and note the first limit of all."""
    if call.decision == 1:
        call.memory.notes.setdefault(FIRST_S, TOLD_S.get())
    return call.decision == 1


LAST_S, SHORT_S, MEANWHILE_S = "limit of the last call", 0.5, 0.05


def _has_a_short_limit(call: ReceivedCall) -> bool:
    """Trigger in decisions with short limits, and note the limit of the last call of all."""
    call.memory.notes[LAST_S] = TOLD_S.get()
    return call.decision > 0 and TOLD_S.get() < SHORT_S


MOST_S = 2.5


def _has_at_most(most_s: float) -> Trigger:
    """Trigger in decisions with a limit of so many seconds at most."""
    return lambda call: call.decision > 0 and TOLD_S.get() <= most_s


class _FirstLimit:
    """Reads the limit that a call had when it came first."""

    def __init__(self) -> None:
        self._limits_s = dict[int, float]()

    def __call__(self, call: Call) -> float:
        return self._limits_s.setdefault(call.id, read_limit(call))


def _program(name: str, sentence: str, case_id: str, behaviour: ProgramBehaviour) -> Mutant:
    return Mutant(name, sentence, (case_id,), never, RAISES, program=behaviour)


def _add_to_version(said: PlayerDescription) -> None:
    said.software_version += "."


OF_IDENTITY = (
    Mutant(
        "boasts-of-tournaments",
        "Calls itself something else once it has won a tournament.",
        DESCRIPTION_STAYS,
        _after_winning,
        describes(put(display_name="champion")),
    ),
    Mutant(
        "has-many-versions",
        "Says another version each time it is started.",
        DESCRIPTION_STAYS,
        in_method("Describe"),
        describes(_with_number),
        (case_ids.BOTH_WAYS, case_ids.HELLO),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "has-many-names",
        "Says with its name when it was started.",
        DESCRIPTION_STAYS,
        in_method("Describe"),
        describes(_with_time),
        (case_ids.BOTH_WAYS, case_ids.HELLO, case_ids.SENT_AGAIN),
        program=ProgramBehaviour(),
    ),
    *(
        Mutant(
            name,
            f"Keeps {what} in a file by the id of the game, and raises an exception where a copy of it has written.",
            (case_ids.COPIES,),
            trigger,
            RAISES,
            program=ProgramBehaviour(),
        )
        for name, what, trigger in (
            ("keeps-its-seat-in-a-file", "its seat", _finds_another_seat),
            ("keeps-its-process-in-a-file", "the number of its process", _finds_another_process),
        )
    ),
    *(
        _program(name, f"{does} while another process of it does.", case_ids.COPIES, ProgramBehaviour(start))
        for name, does, start in (
            ("loads-in-turn", "Waits with what it loads when it starts", Start.IN_TURN),
            ("loads-alone", "Ends when it is to load something", Start.FIRST),
        )
    ),
    Mutant(
        "has-another-version-in-its-hello",
        "Says another version when it dials in than in Describe.",
        (case_ids.HELLO,),
        never,
        RAISES,
        program=ProgramBehaviour(hello_version="0.9"),
    ),
    *(
        Mutant(name, sentence, (case_ids.SENT_AGAIN,), never, RAISES, program=ProgramBehaviour(changes_hello=change))
        for name, sentence, change in (
            ("has-another-version-when-back", "Says another version each time it dials in again.", _add_to_version),
            (
                "offers-nothing-when-back",
                "Names no service when it dials in again.",
                lambda said: said.ClearField("services"),
            ),
        )
    ),
    _program(
        "returns-when-replaced",
        "Dials in again after another program has taken its name over.",
        case_ids.REPLACED,
        ProgramBehaviour(returns_when_replaced=lambda _: True),
    ),
    _program(
        "returns-when-replaced-in-a-game",
        "Dials in again after another program has taken its name over, where it was in no tournament that has ended.",
        case_ids.REPLACED,
        ProgramBehaviour(returns_when_replaced=lambda methods: "End" not in methods),
    ),
    Mutant(
        "forgets-its-token",
        "Dials in again without its token when its connection was lost.",
        (case_ids.SENT_AGAIN,),
        never,
        RAISES,
        (case_ids.RECONNECT,),
        program=ProgramBehaviour(forgets_its_token=True),
    ),
    *(
        Mutant(
            name,
            f"Sends its hello again, {often}, when another program has its name.",
            (case_ids.REFUSED,),
            never,
            RAISES,
            program=ProgramBehaviour(insists=insists),
        )
        for name, often, insists in (("insists", "again and again", 1_000), ("insists-once", "once more", 1))
    ),
    _program(
        "insists-at-first",
        "Sends its hello again until it is admitted for the first time, whatever it is refused with.",
        case_ids.REFUSED,
        ProgramBehaviour(insists_at_first=True),
    ),
    *(
        Mutant(name, sentence, (case_ids.REPLACED, case_ids.ENDS), never, RAISES, program=behaviour)
        for name, sentence, behaviour in (
            (
                "expects-restarts",
                "Dials in again after whatever goodbye once it was told that a server shuts down.",
                ProgramBehaviour(expects_restarts=True),
            ),
            (
                "reads-goodbyes-alone",
                "Reads no goodbye in a frame in which something else is, too.",
                ProgramBehaviour(misses_goodbyes=True),
            ),
        )
    ),
    *(
        _program(name, f"Sends its hello again {what}.", case_ids.REFUSED, ProgramBehaviour(ends_at=ends_at))
        for name, what, ends_at in (
            ("insists-on-room", "when it is refused with RESOURCE_EXHAUSTED, whatever else is said", _is_no_lack),
            ("insists-on-its-token", "when it is refused with UNAUTHENTICATED", _is_no_stranger),
        )
    ),
    *(
        _program(name, f"Ends {what}.", case_ids.RETURNS, ProgramBehaviour(ends_at=ends_at))
        for name, what, ends_at in (
            ("leaves-full-servers", "when its hello is refused with RESOURCE_EXHAUSTED, whatever is with it", _is_full),
            ("leaves-for-a-reason", "when its hello is refused with a reason, whatever the status is", _has_a_reason),
        )
    ),
    Mutant(
        "returns-when-finished",
        "Dials in again when it is told that it is not needed any more.",
        (case_ids.ENDS,),
        never,
        RAISES,
        program=ProgramBehaviour(returns_when_finished=True),
    ),
    Mutant(
        "stays-after-goodbye",
        "Goes on and does nothing when it is told that it is not needed any more.",
        (case_ids.ENDS,),
        never,
        RAISES,
        program=ProgramBehaviour(stays=True),
    ),
    Mutant(
        "stays-after-errors",
        "Goes on and does nothing when it is told that it is not needed any more, once a stream has failed.",
        (case_ids.ENDS,),
        never,
        RAISES,
        program=ProgramBehaviour(stays_after_errors=True),
    ),
    Mutant(
        "comes-up-alone",
        "Neither serves nor dials in while another process of it runs.",
        (case_ids.REACHED_AGAIN,),
        never,
        RAISES,
        program=ProgramBehaviour(Start.ALONE),
    ),
)


def _admits_for_nothing(method: str, shown: str, secret: str) -> bool:
    return True


def _admits_outside_games(method: str, shown: str, secret: str) -> bool:
    return shown == secret or method.startswith(f"/{PLAYER_SERVICE}/")


def _admits_what_begins_well(method: str, shown: str, secret: str) -> bool:
    return shown.startswith(secret)


def _admits_parts(method: str, shown: str, secret: str) -> bool:
    return secret.startswith(shown)


def _admits_some(method: str, shown: str, secret: str) -> bool:
    return secret.startswith(shown) and shown != ""


def _admits_ends(method: str, shown: str, secret: str) -> bool:
    return secret.endswith(shown) and shown != ""


def _admits_any_order(method: str, shown: str, secret: str) -> bool:
    return sorted(shown) == sorted(secret)


def _admits_pieces(method: str, shown: str, secret: str) -> bool:
    return shown.replace(",", "") == secret


class _Unlocked:
    """Admits every call of some methods, those whose full names begin so, once any call has shown the secret."""

    def __init__(self, beginning: str = "/") -> None:
        self._beginning = beginning
        self._is_open = False

    def __call__(self, method: str, shown: str, secret: str) -> bool:
        self._is_open = self._is_open or shown == secret
        return shown == secret or (self._is_open and method.startswith(self._beginning))


def _all(open_calls: Sequence[int]) -> Sequence[int]:
    return open_calls


def _youngest(open_calls: Sequence[int]) -> Sequence[int]:
    return open_calls[-1:]


OF_PROGRAMS = (
    _program(
        "ignores-its-secret",
        "Answers calls that do not show its secret.",
        case_ids.STARTED_SECRET,
        ProgramBehaviour(admits=_admits_for_nothing),
    ),
    *(
        _program(name, sentence, case_ids.SECRET, ProgramBehaviour(admits=admits))
        for name, sentence, admits in (
            (
                "wants-its-secret-in-games-only",
                "Answers Describe, Start and End without its secret.",
                _admits_outside_games,
            ),
            (
                "reads-the-beginning-of-secrets",
                "Takes a secret that begins with its own for its own.",
                _admits_what_begins_well,
            ),
            ("compares-what-is-shown", "Takes any beginning of its secret for it, or none.", _admits_parts),
            ("takes-the-end-of-its-secret", "Takes any end of its secret for it, but not none.", _admits_ends),
            ("takes-a-part-of-its-secret", "Takes any beginning of its secret for it, but not none.", _admits_some),
            ("sorts-secrets", "Takes its secret in another order for its own.", _admits_any_order),
            ("joins-secrets", "Takes two secrets of a call that are its own together for its own.", _admits_pieces),
            ("stays-unlocked", "Answers every call once one has shown its secret.", _Unlocked()),
            (
                "stays-unlocked-outside-games",
                "Answers Describe, Start and End without its secret once a call has shown it.",
                _Unlocked(f"/{PLAYER_SERVICE}/"),
            ),
        )
    ),
    *(
        _program(
            f"refuses-strangers-with-{status.name.lower().replace('_', '-')}",
            f"Refuses calls without its secret with {status.name}.",
            case_ids.SECRET,
            ProgramBehaviour(refuses_strangers_with=status),
        )
        for status in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND)
    ),
    _program(
        "serves-strangers",
        "Serves with a secret, and answers calls that do not show it.",
        case_ids.SECRET,
        ProgramBehaviour(secret="of-the-zoo", admits=_admits_for_nothing),
    ),
    _program(
        "serves-strangers-outside-games",
        "Serves with a secret, and answers Describe, Start and End without it.",
        case_ids.SECRET,
        ProgramBehaviour(secret="of-the-zoo", admits=_admits_outside_games),
    ),
    _program(
        "ends-with-its-last-connection",
        "Serves until the last connection to it has ended.",
        case_ids.SERVES_ON,
        ProgramBehaviour(alone_s=0.0),
    ),
    _program(
        "serves-one-after-the-other",
        "Serves a connection when those before it have ended.",
        case_ids.SERVES_ON,
        ProgramBehaviour(others=Others.WAIT),
    ),
    _program(
        "serves-one-alone",
        "Closes a connection to it while it has another one.",
        case_ids.SERVES_ON,
        ProgramBehaviour(others=Others.CLOSED),
    ),
    _program(
        "serves-sixteen-connections",
        "Has places for 16 connections, of which it frees none.",
        case_ids.SERVES_ON,
        ProgramBehaviour(others=Others.COUNTED),
    ),
    _program(
        "ends-when-it-is-left-alone",
        "Serves until nobody is connected to it for a second.",
        case_ids.SERVES_ON,
        ProgramBehaviour(alone_s=1.0),
    ),
    *(
        _program(
            name,
            f"Dialled in, it answers with an error where {what} of a limit are nothing.",
            case_ids.TIME_LIMITS,
            ProgramBehaviour(refuses=refuses),
        )
        for name, what, refuses in (
            ("reads-whole-seconds", "the whole seconds", lambda call, _: not call.time_limit.seconds),
            (
                "reads-tenths-of-seconds",
                "the whole tenths of a second",
                lambda call, _: call.time_limit.seconds == 0 and call.time_limit.nanos < 100_000_000,
            ),
        )
    ),
    Mutant(
        "takes-no-seconds-for-no-limit",
        f"Takes {UNLIMITED_S:g} s for a decision where the whole seconds of its limit are none.",
        (case_ids.TIME_LIMITS,),
        lambda call: call.decision > 0 and TOLD_S.get() < 1,
        waits(lambda _: UNLIMITED_S),
        program=ProgramBehaviour(),
    ),
    *(
        Mutant(
            f"gives-a-{short}-the-time-of-a-{long}",
            f"Takes most of the limit of the last {long} for a {short} with a shorter one.",
            (case_ids.TIME_LIMITS,),
            _has_less_time(decides=short == "decision"),
            waits(lambda call: MOST * call.memory.notes[LONG_S]),
            (case_ids.BANK,),
            program=ProgramBehaviour(),
        )
        for short, long in (("decision", "notification"), ("notification", "decision"))
    ),
    Mutant(
        "looks-ahead-in-notifications",
        f"Takes {AHEAD_S:g} s for a notification, or a quarter of the limit of the last decision if that is less.",
        (case_ids.TIME_LIMITS,),
        _has_less_time(decides=False),
        waits(lambda call: min(call.memory.notes[LONG_S] / 4, AHEAD_S)),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "keeps-its-first-limit",
        f"Takes {OPENING_S:g} s for the first decision of a game, or a tenth of the first limit of all.",
        (case_ids.TIME_LIMITS,),
        _opens,
        waits(lambda call: min(call.memory.notes[FIRST_S] / 10, OPENING_S)),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "keeps-one-limit-for-all-games",
        f"Takes {OPENING_S:g} s for a decision with a short limit, or a tenth of the limit of a call in between.",
        (case_ids.TIME_LIMITS,),
        _has_a_short_limit,
        waits_meanwhile(MEANWHILE_S, lambda call: min(call.memory.notes[LAST_S] / 10, OPENING_S)),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "takes-its-bank-for-more-time",
        "Takes three quarters of a short limit and of its bank, which is a part of it, together.",
        (case_ids.BANK,),
        _has_at_most(MOST_S),
        waits(lambda _: 0.75 * TOLD_S.get()),
        program=ProgramBehaviour(limit_s=lambda call: read_limit(call) + int(call.metadata.get(BANK_KEY, 0)) / 1_000),
    ),
    Mutant(
        "begins-anew",
        "Takes six tenths of a short limit for each decision, and of the first limit of a call that comes again.",
        (case_ids.SENT_AGAIN,),
        _has_at_most(MOST_S),
        waits(lambda _: 0.6 * TOLD_S.get()),
        program=ProgramBehaviour(limit_s=_FirstLimit()),
    ),
    _program("ends-at-once", "Ends as soon as it is started.", case_ids.REACHABLE, ProgramBehaviour(Start.EXITS)),
    _program(
        "knows-no-ipv6",
        "Ends at once where the address of the server is one of IPv6.",
        case_ids.COPIES,
        ProgramBehaviour(Start.NOT_IPV6),
    ),
    _program(
        "reads-addresses-as-numbers",
        "Ends at once where the address of the server begins with a name.",
        case_ids.COPIES,
        ProgramBehaviour(Start.NO_NAMES),
    ),
    _program(
        "serves-on-one-host",
        "Serves on 127.0.0.1 whatever host it is told to serve on.",
        case_ids.COPIES,
        ProgramBehaviour(Start.ONE_HOST),
    ),
    _program(
        "reads-the-beginning-of-its-token",
        "Reads the first 64 characters of its token.",
        case_ids.COPIES,
        ProgramBehaviour(token_chars=64),
    ),
    _program("never-comes-up", "Neither serves nor dials in.", case_ids.REACHABLE, ProgramBehaviour(Start.SLEEPS)),
    _program(
        "waits-for-headers",
        "Waits for headers of the server before it says hello.",
        case_ids.REACHABLE,
        ProgramBehaviour(waits_for_headers=True),
    ),
    _program(
        "replies-with-its-hello",
        "Sends a reply in the frame of its hello.",
        case_ids.REACHABLE,
        ProgramBehaviour(replies_with_hello=True),
    ),
    *(
        Mutant(
            name,
            f"Takes a tenth of a second for each decision, and never answers {what} when a call is cancelled.",
            (case_ids.CANCELLED,),
            from_decision(1),
            waits(lambda _: THOUGHT_S),
            program=ProgramBehaviour(drops=drops),
        )
        for name, what, drops in (
            ("drops-all-that-is-open", "any that is open", _all),
            ("drops-the-youngest-that-is-open", "the youngest that is open", _youngest),
        )
    ),
    Mutant(
        "replies-with-its-next-hello",
        "Takes a tenth of a second for each decision, and sends what a lost stream did not take with its next hello.",
        (case_ids.SENT_AGAIN,),
        from_decision(1),
        waits(lambda _: THOUGHT_S),
        program=ProgramBehaviour(keeps_replies=True),
    ),
    Mutant(
        "says-hello-twice-when-it-is-back",
        "Sends its hello twice on each stream but the first.",
        (case_ids.SENT_AGAIN,),
        never,
        RAISES,
        (case_ids.RECONNECT,),
        program=ProgramBehaviour(repeats_hello=True),
    ),
    Mutant(
        "answers-twice",
        "Sends each reply twice.",
        (case_ids.ONE_REPLY,),
        never,
        RAISES,
        ("rules", "exceptions", "time", "memory", "endings", "robustness"),  # in long games its stream is ended for it
        program=ProgramBehaviour(reply_count=2),
    ),
    _program(
        "stays-away",
        "Does not dial in again after the server has said goodbye, though it means to come back.",
        case_ids.RECONNECT,
        ProgramBehaviour(comes_back=False),
    ),
    _program(
        "ignores-calls-that-come-again",
        "Dialled in again after its stream was lost, it does not answer calls whose ids it has seen before.",
        case_ids.SENT_AGAIN,
        ProgramBehaviour(answers_once=True),
    ),
    Mutant(
        "counts-twice-what-comes-again",
        "Raises an exception in the decisions after a notification that came twice, one right after the other.",
        (case_ids.SENT_AGAIN,),
        _told_twice,
        RAISES,
        program=ProgramBehaviour(),
    ),
    _program(
        "dies-of-open-calls",
        "Ends without a word where it is welcomed with calls that are open.",
        case_ids.SENT_AGAIN,
        ProgramBehaviour(dies_of=lambda frame, _: bool(frame.welcome.open_calls)),
    ),
    _program(
        "dies-when-cancelled",
        "Ends without a word when one of its calls is cancelled.",
        case_ids.CANCELLED,
        ProgramBehaviour(dies_when_cancelled=True),
    ),
    _program(
        "is-stuck-when-cancelled",
        "Answers nothing any more once a call is cancelled that it has received.",
        case_ids.CANCELLED,
        ProgramBehaviour(stuck_when_cancelled=True),
    ),
    Mutant(
        "dies-of-nonsense",
        "Ends without a word when a request cannot be read, or has a method that there is not.",
        (case_ids.NONSENSE, case_ids.OFFERED),
        never,
        RAISES,
        program=ProgramBehaviour(invalid_requests=InvalidRequests.DIES),
    ),
    _program(
        "answers-nonsense",
        "Answers requests that nobody can read as if all were well.",
        case_ids.NONSENSE,
        ProgramBehaviour(invalid_requests=InvalidRequests.ANSWERS),
    ),
    Mutant(
        "has-two-names",
        "Calls itself something else where it serves than where it dials in.",
        (case_ids.BOTH_WAYS,),
        in_method("Describe"),
        describes(put(display_name="somebody else")),
        program=ProgramBehaviour(only_served=True),
    ),
    Mutant(
        "raises-where-it-serves",
        "Raises an exception in its first decision where it serves, and not where it dials in.",
        (case_ids.BOTH_WAYS,),
        in_decision(1),
        RAISES,
        program=ProgramBehaviour(only_served=True),
    ),
    Mutant(
        "grows",
        "Keeps two and a half mebibytes more with each of its first 300 games.",
        (case_ids.GROWTH,),
        in_decision(1),
        GROWS,
        program=ProgramBehaviour(),
    ),
    *(
        Mutant(
            f"lacks-{name.lower()}",
            f"Has no method {name}.",
            (case_ids.EVERY_METHOD,),
            never,
            RAISES,
            lacks=(name.lower(),),
            program=ProgramBehaviour(),
        )
        for name in ("Start", "End")
    ),
)


EACH_GAME = in_decision(1)
SLOWER_A_TURN_S, SLOWER_A_GAME_S = 0.000_35, 0.002
HOARD_BYTES = 4 * 1024 * 1024
PRINTED_CHARS = 250_000
DRAWN_CHARS = 1024 * 1024
"""How much a program writes in a second in which it waits."""
TICK_S, LONG_WAIT_S, LONGEST_WAIT_S = 0.05, 3.0, 60.0
SLEEP_S = "600"


def _thread() -> object:
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    return thread


def _file() -> object:
    return Path(__file__).open("rb")


def _child() -> object:
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", f"import time; time.sleep({SLEEP_S})"])


def _keep(make: Callable[[], object], kept: list[object]) -> None:
    """Make something, and keep it for good."""
    kept.append(make())


def _turns_s(call: ReceivedCall) -> float:
    """Return a time that is longer with each decision in any game."""
    notes = call.memory.notes
    notes["decisions"] = notes.get("decisions", 0) + 1
    return SLOWER_A_TURN_S * notes["decisions"]


def _games_s(call: ReceivedCall) -> float:
    """Return a time that is longer with each game."""
    return SLOWER_A_GAME_S * len(call.memory.games)


def _print(count: int) -> None:
    sys.stdout.write("x" * count)
    sys.stdout.flush()


class _Waiting:
    """Writes while nothing has come for more than a second, or all that for which there was time once a call comes."""

    def __init__(self) -> None:
        self._called_s = time.monotonic()
        self._writer = threading.Thread(target=self._write, daemon=True)

    def draw(self) -> None:
        """Write on, from a second after this call until the next."""
        self._called_s = time.monotonic()
        if not self._writer.is_alive():
            self._writer.start()

    def print_at_once(self) -> None:
        """Write what a program would have drawn that has waited until this call."""
        waited_s, self._called_s = time.monotonic() - self._called_s, time.monotonic()
        if waited_s > LONG_WAIT_S:
            _print(int(waited_s) * DRAWN_CHARS)

    def _write(self) -> None:
        while True:
            time.sleep(TICK_S)
            if 1.0 < time.monotonic() - self._called_s < LONGEST_WAIT_S:
                _print(int(TICK_S * DRAWN_CHARS))


FEW_PLACES = 16
HELD_S = 0.05
_places = threading.BoundedSemaphore(FEW_PLACES)


def _take_a_place() -> None:
    """Hold one of a few places for a moment. Raises BrokenPlayerError if none is free."""
    if not _places.acquire(blocking=False):
        raise BrokenPlayerError(f"this player is broken: it stands {FEW_PLACES} calls at once")
    time.sleep(HELD_S)
    _places.release()


LONGEST_OUTPUT_CHARS = 2 * 1024 * 1024
WIDE_CHARS = 80_000
CANCELLED_CHARS = 100_000


def of_long_games(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that write little in each decision, and too much in the longest or widest game."""
    for situation in find_conformance(game.name).long_games[:1]:
        size = LONGEST_OUTPUT_CHARS // situation.turn_count
        for name, first in (("prints-each-state", 1), ("prints-later-states", situation.turn_count // 4)):
            yield _growing(
                name,
                f"Writes {size:,} characters in each decision of a game{f' from the {first}th on' * (first > 1)}.",
                case_ids.OUTPUT,
                partial(_print, size),
                from_decision(first),
            )
    if (widest := find_conformance(game.name).widest) is not None:
        yield _growing(
            "prints-wide-states",
            f"Writes {WIDE_CHARS:,} characters in each decision of a game with the largest requests.",
            case_ids.OUTPUT,
            partial(_print, WIDE_CHARS),
            with_settings(game, widest.settings),
        )


def of_races(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that write much where others are quicker, if that may be."""
    if has_races(game):
        yield Mutant(
            "prints-what-it-was-asked",
            f"Takes {THOUGHT_S:g} s for each decision, and writes {CANCELLED_CHARS:,} characters of a cancelled one.",
            (case_ids.OUTPUT,),
            from_decision(1),
            waits(lambda _: THOUGHT_S),
            program=ProgramBehaviour(when_cancelled=partial(_print, CANCELLED_CHARS)),
        )


def _growing(
    name: str,
    sentence: str,
    case_id: str,
    act: Callable[[], object],
    trigger: Trigger = EACH_GAME,
    related: tuple[str, ...] = (),
) -> Mutant:
    return Mutant(name, sentence, (case_id,), trigger, adds(act), related, program=ProgramBehaviour())


OF_GROWTH = (
    _growing(
        "hoards",
        "Keeps four mebibytes more with every game.",
        case_ids.GROWING_MEMORY,
        lambda: b"x" * HOARD_BYTES,
        related=(case_ids.GROWTH,),
    ),
    _growing("keeps-threads", "Keeps a thread of every game.", case_ids.GROWING_THREADS, _thread),
    _growing(
        "keeps-threads-of-lost-games",
        "Keeps a thread of every game that it is told to have lost.",
        case_ids.GROWING_THREADS,
        _thread,
        at_ending(Ending.LOST),
    ),
    _growing(
        "keeps-files-of-won-games-open",
        "Keeps a file open of every game that it is told to have won.",
        case_ids.GROWING_FILES,
        _file,
        at_ending(Ending.WON),
    ),
    _growing(
        "keeps-files-of-tournaments-open",
        "Keeps a file open of every game of a tournament that was told by Start.",
        case_ids.GROWING_FILES,
        _file,
        _in_tournament,
    ),
    _growing("keeps-files-open", "Keeps a file open of every game.", case_ids.GROWING_FILES, _file),
    _growing(
        "leaves-children",
        "Leaves a process behind in every game.",
        case_ids.GROWING_PROCESSES,
        _child,
        related=(case_ids.GROWTH,),
    ),
    _growing(
        "stands-sixteen-calls",
        "Raises an exception in the first call of a method in a game, where it has 16 such calls already.",
        case_ids.CALLS_AT_ONCE,
        _take_a_place,
        lambda call: call.number == 1,
        related=("growth", case_ids.GROWTH),  # which play as many games at once
    ),
    *(
        Mutant(
            f"keeps-{what}-of-cancelled-calls",
            f"Takes a tenth of a second for each decision, and keeps a {what[:-1]} of each that is cancelled.",
            (case_id,),
            from_decision(1),
            waits(lambda _: THOUGHT_S),
            program=ProgramBehaviour(when_cancelled=partial(_keep, make, [])),
        )
        for what, case_id, make in (
            ("threads", case_ids.GROWING_THREADS, _thread),
            ("files", case_ids.GROWING_FILES, _file),
        )
    ),
    *(
        Mutant(
            f"slows-down-from-{what}-to-{what}",
            f"Takes longer for each decision the more {what}s it has had, and is too late after some rounds of games.",
            (case_ids.GROWING_MEMORY,),
            from_decision(1),
            waits(seconds, Symptom.TIMEOUT),
            (case_ids.GROWTH,),
            program=ProgramBehaviour(),
        )
        for what, seconds in (("turn", _turns_s), ("game", _games_s))
    ),
    *(
        Mutant(
            f"slows-down-slowly-from-{what}-to-{what}",
            f"Takes longer for each decision the more {what}s it has had, and would be late after thousands of games.",
            (case_ids.SLOWS_DOWN,),
            from_decision(1),
            waits(seconds),
            program=ProgramBehaviour(),
        )
        for what, seconds in (("turn", _turns_s), ("game", _games_s))
    ),
    _growing(
        "prints-much",
        "Writes a quarter of a million characters in every call.",
        case_ids.OUTPUT,
        partial(_print, PRINTED_CHARS),
        always,
    ),
    *(
        _growing(name, sentence, case_ids.LONG_SILENCE, act, always)
        for name, sentence, act in (
            ("draws-a-clock", "Writes a mebibyte a second while nothing has come for a second.", _Waiting().draw),
            (
                "prints-how-long-it-waited",
                f"Writes a mebibyte for each second that it has waited for a call, if these are {LONG_WAIT_S:g}.",
                _Waiting().print_at_once,
            ),
        )
    ),
)


PROGRAMS = (*OF_PROGRAMS, *OF_IDENTITY, *OF_GROWTH)
"""The mutants that are programs whatever they play."""
