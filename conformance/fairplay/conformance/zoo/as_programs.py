"""Mutants whose defect only a program can have that the server starts."""

from __future__ import annotations

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import GROWS, RAISES, describes
from fairplay.conformance.zoo.in_describe import put
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.program_behaviour import InvalidRequests, ProgramBehaviour, Start
from fairplay.conformance.zoo.triggers import in_decision, in_method, never


def _mutant(name: str, sentence: str, case_id: str, behaviour: ProgramBehaviour) -> Mutant:
    return Mutant(name, sentence, (case_id,), never, RAISES, program=behaviour)


MUTANTS = (
    _mutant("ends-at-once", "Ends as soon as it is started.", case_ids.REACHABLE, ProgramBehaviour(Start.EXITS)),
    _mutant("never-comes-up", "Neither serves nor dials in.", case_ids.REACHABLE, ProgramBehaviour(Start.SLEEPS)),
    Mutant(
        "answers-twice",
        "Sends each reply twice.",
        (case_ids.ONE_REPLY,),
        never,
        RAISES,
        ("rules", "exceptions", "time", "memory", "endings", "robustness"),  # in long games its stream is ended for it
        program=ProgramBehaviour(reply_count=2),
    ),
    _mutant(
        "stays-away",
        "Does not dial in again after the server has said goodbye, though it means to come back.",
        case_ids.RECONNECT,
        ProgramBehaviour(comes_back=False),
    ),
    _mutant(
        "dies-when-cancelled",
        "Ends without a word when one of its calls is cancelled.",
        case_ids.CANCELLED,
        ProgramBehaviour(dies_when_cancelled=True),
    ),
    _mutant(
        "is-stuck-when-cancelled",
        "Answers nothing any more once a call is cancelled that it has received.",
        case_ids.CANCELLED,
        ProgramBehaviour(stuck_when_cancelled=True),
    ),
    _mutant(
        "dies-of-nonsense",
        "Ends without a word when a request cannot be read, or has a method that there is not.",
        case_ids.NONSENSE,
        ProgramBehaviour(invalid_requests=InvalidRequests.DIES),
    ),
    _mutant(
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
