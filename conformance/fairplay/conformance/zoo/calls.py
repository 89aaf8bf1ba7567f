"""Mutants that do not stand what may come in a call, with it or beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from functools import partial
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from fairplay.conformance import case_ids
from fairplay.conformance.cases.enums import enum_lists, enum_values, has_enums
from fairplay.conformance.games.guises import names_in
from fairplay.conformance.zoo.mutants import (
    RAISES,
    SAYS_NOTHING,
    InvalidRequests,
    Mutant,
    ProgramBehaviour,
    Symptom,
    adds_to_answer,
    waits,
)
from fairplay.conformance.zoo.player import ReceivedCall
from fairplay.conformance.zoo.triggers import from_decision, never, with_fields
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE, END
from fairplay.games.kit.wire import varint
from fairplay.player.handlers import PROTOCOL_REVISION, snake_case
from fairplay.server.links.link import BANK_KEY, TRACE_KEY
from fairplay.v1.connection_pb2 import Call, DialInResponse

SHORT_BANK_MS, SHORT_MS, LONG_MS = 10, 5, 30 * 60 * 1000
LARGE, LARGEST = 2**15, 2**21
MANY, MOST_ENTRIES = 20, 8
NAME_LENGTHS = (24, 63)
ID_KEY = b"\x0a"
"""With what the field begins that is the first one of every request of a game."""
THOUGHT_FIELD, THOUGHT_BYTES = 62_392, 100 * 1024
FIXED = frozenset((1, 5))
"""The wire types of fields of 8 and of 4 bytes."""


def _refusing(
    name: str,
    sentence: str,
    case_id: str,
    refuses: Callable[[Call, int], bool],
    reaction: InvalidRequests = InvalidRequests.REFUSES,
    related: tuple[str, ...] = (),
) -> Mutant:
    program = ProgramBehaviour(refuses=refuses, invalid_requests=reaction)
    return Mutant(name, sentence, (case_id,), never, RAISES, related, program=program)


def of_enums(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail where a request has an enum value that they do not know, if it can have one."""
    if not any(map(has_enums, game.methods)):
        return
    for kind, sentence in {"notifications": "a call that asks for nothing", "decisions": "a decision"}.items():

        def trigger(call: ReceivedCall, decides: bool = kind == "decisions") -> bool:
            return bool(call.decision) == decides and any(not each.is_known for each in enum_values(call.request))

        yield Mutant(
            f"raises-on-unknown-enums-in-{kind}",
            f"Raises an exception where the request of {sentence} has an enum value that it does not know.",
            (case_ids.UNKNOWN_ENUMS,),
            trigger,
            RAISES,
        )

    paths = {each.path for each in enum_lists(_filled(game.turn.request()), game.state_type)}
    if paths:
        yield Mutant(
            "does-the-last-that-is-listed",
            "Answers nothing where the list of what it may decide ends with a value that it does not know.",
            (case_ids.UNKNOWN_ENUMS,),
            lambda call: bool(call.decision) and _lists_unknown(game, call.request, "", -1),
            SAYS_NOTHING,
        )
    if any(PART in path for path in paths):
        yield Mutant(
            "looks-up-all-that-it-is-offered",
            "Raises an exception where a list in the options of its turn begins with a value that it does not know.",
            (case_ids.UNKNOWN_ENUMS,),
            lambda call: bool(call.decision) and _lists_unknown(game, call.request, PART, 0),
            RAISES,
        )


PART = "."
"""In the path of what is in a message within a request."""


def _filled(request: Message) -> Message:
    """Return a request with all its messages."""
    for field in request.DESCRIPTOR.fields:
        if field.message_type is not None and not field.is_repeated:
            getattr(request, field.name).SetInParent()
    return request


def _lists_unknown(game: Game, request: Any, within: str, place: int) -> bool:
    """Return whether a list of enum values with something in its path has one in a place that no player knows."""
    lists = (each for each in enum_lists(request, game.state_type) if within in each.path)
    return any(each.values and each.values[place] not in each.kind.values_by_number for each in lists)


def of_outcomes(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail where they are told a rare outcome, one for each end of what a method may tell."""
    methods = {method.name: method for method in game.methods}
    for told in find_conformance(game.name).outcomes:
        if told.of_broken_rules:
            yield _looking_up_rules(game, told.method)
        if not told.values:
            continue
        [path, *_], numbers = told.paths, sorted(filter(None, told.values))
        method = methods[told.method]
        kind: Any = method.request.DESCRIPTOR.fields_by_name[path].enum_type
        names = kind.values_by_number
        for number in {numbers[0], numbers[-1]}:
            yield Mutant(
                f"raises-at-{names[number].name.lower()}-in-{snake_case(told.method)}".replace("_", "-"),
                f"Raises an exception where {told.method} tells it {names[number].name}.",
                (case_ids.KNOWN_ENUMS,),
                with_fields(told.method, **{path: number}),
                RAISES,
                ("rules", "exceptions", "endings", "memory", "time", game.name),
                "" if method.asks else case_ids.VOID,
            )


def _looking_up_rules(game: Game, method: str) -> Mutant:
    return Mutant(
        f"looks-up-rules-in-{snake_case(method)}".replace("_", "-"),
        f"Raises an exception where {method} tells it of a rule that it does not know.",
        (case_ids.UNKNOWN_ENUMS,),
        lambda call: call.method.name == method and call.request.rule_id not in {"", *game.rules},
        RAISES,
    )


def of_names(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that do not stand long names, where players are told names."""
    for length in NAME_LENGTHS if any(any(names_in(each.request.DESCRIPTOR)) for each in game.methods) else ():
        yield Mutant(
            f"has-room-for-names-of-{length}",
            f"Raises an exception where it is told a name of more than {length} characters.",
            (case_ids.LONG_NAMES,),
            lambda call, length=length: any(  # type: ignore[misc]
                len(name) > length
                for field in names_in(call.request.DESCRIPTOR)
                for name in getattr(call.request, field)
            ),
            RAISES,
        )


def of_forms(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that read requests by hand, as our libraries write them."""
    methods = {method.path: method for method in game.methods}

    def refuses(call: Call, _: int) -> bool:
        method = methods.get(call.method_name)
        return method is not None and method.request.FromString(call.request).ByteSize() != len(call.request)

    yield _refusing(
        "reads-the-id-of-a-game-first",
        "Raises an exception where a request of a game begins with another field than the id of the game.",
        case_ids.UNKNOWN_FIELDS,
        lambda call, _: call.method_name in methods and not call.request.startswith(ID_KEY),
    )
    yield _refusing(
        "reads-packed-lists-only",
        "Raises an exception where a list of numbers in a request is not packed, or comes in pieces.",
        case_ids.UNKNOWN_FIELDS,
        refuses,
    )


def of_times(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that take a time of the settings for the time that they have, where the usual one is none."""
    usual: Any = game.full_settings(game.settings_type())
    times = (each for each in usual.DESCRIPTOR.fields if each.message_type is Duration.DESCRIPTOR)
    for name in (each.name for each in times if not each.is_repeated):
        if not getattr(usual, name).ToNanoseconds():
            yield Mutant(
                f"waits-for-its-{name}".replace("_", "-"),
                f"Takes the {name} of the settings for each decision.",
                (case_ids.TIME_LIMITS,),
                partial(_is_told_to_wait, name),
                waits(lambda call: call.game.notes[WAIT], Symptom.TIMEOUT),
            )


WAIT = "time of the settings, in seconds"


def _is_told_to_wait(name: str, call: ReceivedCall) -> bool:
    """Note a time of the settings where they are told; trigger in decisions of games in which it is one."""
    if "settings" in call.request.DESCRIPTOR.fields_by_name:
        call.game.notes[WAIT] = getattr(call.request.settings, name).ToTimedelta().total_seconds()
    return call.decision > 0 and call.game.notes.get(WAIT, 0.0) > 0


def _is_described_beside(call: Call, open_count: int) -> bool:
    return call.method_name == DESCRIBE.path and open_count > 0


def _own_ms(call: Call) -> float:
    """Return the limit of a call without what is told of the bank, in milliseconds."""
    limit = call.time_limit
    return limit.seconds * 1_000 + limit.nanos / 1_000_000 - int(call.metadata.get(BANK_KEY, 0))


def _dying_of(name: str, sentence: str, case_id: str, dies_of: Callable[[DialInResponse, Set[int]], bool]) -> Mutant:
    return Mutant(name, sentence, (case_id,), never, RAISES, program=ProgramBehaviour(dies_of=dies_of))


def _has_unknown(message: Message) -> bool:
    return len(UnknownFieldSet(message)) > 0


def _unknown_types(message: Message) -> set[int]:
    """Return the wire types of the fields of a message that are not known."""
    fields = UnknownFieldSet(message)
    return {fields[place].wire_type for place in range(len(fields))}


class _Noted:
    """Ends where a welcome names an open call that has never come."""

    def __init__(self) -> None:
        self._ids = set[int]()

    def __call__(self, frame: DialInResponse, _: Set[int]) -> bool:
        is_strange = not self._ids.issuperset(frame.welcome.open_calls)
        self._ids.update(call.id for call in frame.calls)
        return is_strange


OF_FRAMES = (
    _dying_of(
        "dies-of-open-calls-that-never-came",
        "Ends without a word where a welcome names an open call that has never come.",
        case_ids.SENT_AGAIN,
        _Noted(),
    ),
    _dying_of(
        "dies-at-smaller-ids",
        "Ends without a word at a call whose id is smaller than one that it has answered.",
        case_ids.CALL_IDS,
        lambda frame, answered: any(call.id < max(answered, default=0) for call in frame.calls),
    ),
    _dying_of(
        "dies-of-calls-beside-a-welcome",
        "Ends without a word where calls come in the frame of the welcome.",
        case_ids.SENT_AGAIN,
        lambda frame, _: frame.HasField("welcome") and bool(frame.calls),
    ),
    _dying_of(
        "dies-at-another-number",
        "Ends without a word at a call to a player of another number than 0.",
        case_ids.CALL_IDS,
        lambda frame, _: any(call.player for call in frame.calls),
    ),
    Mutant(
        "hosts-number-0",
        "Refuses calls to a player of another number than 0.",
        (case_ids.CALL_IDS,),
        never,
        RAISES,
        program=ProgramBehaviour(refuses=lambda call, _: call.player != 0),
    ),
    _dying_of(
        "dies-of-unknown-fields-in-frames",
        "Ends without a word when a frame of its stream has a field that it does not know beside calls.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: bool(frame.calls) and _has_unknown(frame),
    ),
    _dying_of(
        "dies-of-unknown-fields-in-calls",
        "Ends without a word when a call in a frame has a field that it does not know.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: any(map(_has_unknown, frame.calls)),
    ),
    _dying_of(
        "dies-of-unknown-fields-of-fixed-size",
        "Ends without a word when a frame of its stream has a field of 4 or 8 bytes that it does not know.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: bool(FIXED & _unknown_types(frame)),
    ),
    _dying_of(
        "dies-of-unknown-fields-in-its-welcome",
        "Ends without a word when its welcome has a field that it does not know.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: _has_unknown(frame.welcome),
    ),
    _dying_of(
        "dies-of-later-revisions",
        "Ends without a word when its welcome names a later revision of a service.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: any(service.revision > PROTOCOL_REVISION for service in frame.welcome.services),
    ),
    _dying_of(
        "reads-limits-of-32-bits",
        "Ends without a word when its welcome has a limit of more than 32 bits.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: frame.welcome.max_frame_bytes >= 2**32,
    ),
    _dying_of(
        "ends-where-nothing-is-resumed",
        "Ends without a word when its welcome names open calls, and says that it is none of a stream that was resumed.",
        case_ids.SENT_AGAIN,
        lambda frame, _: bool(frame.welcome.open_calls) and not frame.welcome.resumed,
    ),
    _dying_of(
        "dies-of-unknown-frames",
        "Ends without a word when a frame of its stream has nothing but fields that it does not know.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: not frame.ListFields() and _has_unknown(frame),
    ),
    _dying_of(
        "dies-of-empty-frames",
        "Ends without a word when a frame of its stream is empty.",
        case_ids.UNKNOWN_FIELDS,
        lambda frame, _: not frame.ByteSize(),
    ),
    _dying_of(
        "dies-of-late-cancellations",
        "Ends without a word when a call is cancelled that it has answered.",
        case_ids.CANCELLED,
        lambda frame, answered: not answered.isdisjoint(frame.cancelled),
    ),
    _dying_of(
        "dies-of-cancellations-beside-calls",
        "Ends without a word when a frame has a call, and cancels one that was answered.",
        case_ids.CANCELLED,
        lambda frame, answered: bool(frame.calls) and not answered.isdisjoint(frame.cancelled),
    ),
)

OF_CALLS = (
    *OF_FRAMES,
    Mutant(
        "thinks-aloud",
        f"Adds {THOUGHT_BYTES // 1024} KiB in a field of its own to the answer to each decision.",
        (case_ids.UNKNOWN_FIELDS,),
        from_decision(1),
        adds_to_answer(varint(THOUGHT_FIELD << 3 | 2) + varint(THOUGHT_BYTES) + b"." * THOUGHT_BYTES),
        program=ProgramBehaviour(),
    ),
    _refusing(
        "raises-with-a-bank",
        "Raises an exception where it is told of its bank.",
        case_ids.BANK,
        lambda call, _: BANK_KEY in call.metadata,
    ),
    _refusing(
        "raises-when-its-bank-is-short",
        f"Raises an exception where less than {SHORT_BANK_MS} ms of its bank are left.",
        case_ids.BANK,
        lambda call, _: 0 < int(call.metadata.get(BANK_KEY, 0)) < SHORT_BANK_MS,
    ),
    _refusing(
        "raises-where-it-has-an-hour",
        f"Raises an exception where a call has a limit of more than {LONG_MS // 60_000} minutes.",
        case_ids.TIME_LIMITS,
        lambda call, _: _own_ms(call) > LONG_MS,
    ),
    _refusing(
        "raises-where-it-has-to-use-its-bank",
        f"Raises an exception where a call has a limit of less than {SHORT_MS} ms besides the bank.",
        case_ids.TIME_LIMITS,
        lambda call, _: BANK_KEY in call.metadata and _own_ms(call) < SHORT_MS,
    ),
    _refusing(
        "dies-of-a-short-limit",
        f"Ends without a word where a call has a limit of less than {SHORT_MS} ms and no bank.",
        case_ids.TIME_LIMITS,
        lambda call, _: BANK_KEY not in call.metadata and 0 < _own_ms(call) < SHORT_MS,
        InvalidRequests.DIES,
        (case_ids.NONSENSE, case_ids.OFFERED),
    ),
    _refusing(
        "raises-on-unknown-metadata",
        "Raises an exception where the metadata of a call has a key that it does not know.",
        case_ids.METADATA,
        lambda call, _: not {BANK_KEY, TRACE_KEY}.issuperset(call.metadata),
    ),
    _refusing(
        "raises-where-it-is-traced",
        "Raises an exception where the metadata of a call names the span of its game.",
        case_ids.METADATA,
        lambda call, _: TRACE_KEY in call.metadata,
    ),
    Mutant(
        "knows-one-library",
        "Raises an exception, where it serves, if the user-agent of its caller is not that of grpcio.",
        (case_ids.METADATA,),
        never,
        RAISES,
        program=ProgramBehaviour(knows_library=lambda agent: agent.startswith("grpc-python")),
    ),
    _refusing(
        "refuses-much-metadata",
        f"Raises an exception where the metadata of a call has more than {MOST_ENTRIES} entries.",
        case_ids.METADATA,
        lambda call, _: len(call.metadata) > MOST_ENTRIES,
    ),
    Mutant(
        "answers-by-the-ids-of-calls",
        "Gives a call the answer that it has given to an earlier one of the same id, on whatever stream.",
        (case_ids.CALL_IDS,),
        never,
        RAISES,
        program=ProgramBehaviour(keeps_answers=True),
    ),
    _refusing(
        "misses-the-id-0",
        "Raises an exception where the id of a call is 0, which it takes for none.",
        case_ids.CALL_IDS,
        lambda call, _: not call.id,
    ),
    _refusing(
        "reads-ids-of-32-bits",
        "Raises an exception where the id of a call has more than 32 bits.",
        case_ids.CALL_IDS,
        lambda call, _: call.id >= 2**32,
    ),
    _refusing(
        "reads-ids-of-52-bits",
        "Raises an exception where the id of a call has more than 52 bits.",
        case_ids.CALL_IDS,
        lambda call, _: call.id >= 2**52,
    ),
    _refusing(
        "refuses-large-requests",
        f"Raises an exception where a request has more than {LARGE // 1024} KiB.",
        case_ids.LARGE_REQUESTS,
        lambda call, _: len(call.request) > LARGE,
    ),
    _refusing(
        "dies-of-the-largest-requests",
        f"Ends without a word where a request has more than {LARGEST // 2**20} MiB.",
        case_ids.LARGE_REQUESTS,
        lambda call, _: len(call.request) > LARGEST,
        InvalidRequests.DIES,
        (case_ids.NONSENSE, case_ids.OFFERED),
    ),
    _refusing(
        "raises-in-describe-beside-a-call",
        "Raises an exception in Describe while another call is open.",
        case_ids.DESCRIBED_WHILE_ASKED,
        _is_described_beside,
    ),
    _refusing(
        "says-nothing-of-itself-beside-a-call",
        "Answers Describe with nothing while another call is open.",
        case_ids.DESCRIBED_WHILE_ASKED,
        _is_described_beside,
        InvalidRequests.ANSWERS,
        (case_ids.NONSENSE, case_ids.OFFERED),
    ),
    _refusing(
        "raises-in-end-beside-a-call",
        "Raises an exception in End while another call is open.",
        case_ids.UNUSUAL_TOURNAMENTS,
        lambda call, open_count: call.method_name == END.path and open_count > 0,
    ),
    _refusing(
        "stands-twenty-calls",
        f"Raises an exception where {MANY} other calls are open.",
        case_ids.CALLS_AT_ONCE,
        lambda _, open_count: open_count >= MANY,
        related=(case_ids.GROWTH, case_ids.GROWING_MEMORY, case_ids.MANY_AT_ONCE),
    ),
    *(
        Mutant(
            f"dies-when-{name.lower()}-is-cancelled",
            f"Ends without a word when a call of {name} is cancelled.",
            (case_ids.CANCELLED,),
            never,
            RAISES,
            program=ProgramBehaviour(dies_when_cancelled_in=name),
        )
        for name in ("Describe", "Start")
    ),
    Mutant(
        "reads-one-call-a-frame",
        "Answers only the first call of each frame.",
        (case_ids.CALLS_AT_ONCE,),
        never,
        RAISES,
        ("memory", "growth", *case_ids.SIDE_BY_SIDE, case_ids.DESCRIBED_WHILE_ASKED, case_ids.GROWTH),
        program=ProgramBehaviour(one_call_a_frame=True),
    ),
)
