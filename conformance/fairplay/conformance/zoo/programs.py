"""Faults that only show themselves where the player is a program that the server starts."""

from __future__ import annotations

from fairplay.conformance.zoo import ids
from fairplay.conformance.zoo.deeds import GROWS, RAISES, describes
from fairplay.conformance.zoo.describing import put
from fairplay.conformance.zoo.habits import Habits, Nonsense, Start
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.moments import in_decision, in_method, never


def _kind(name: str, sentence: str, case_id: str, habits: Habits) -> Kind:
    return Kind(name, sentence, (case_id,), never, RAISES, program=habits)


KINDS = (
    _kind("ends-at-once", "Ends as soon as it is started.", ids.REACHABLE, Habits(Start.EXITS)),
    _kind("never-comes-up", "Neither serves nor dials in.", ids.REACHABLE, Habits(Start.SLEEPS)),
    Kind(
        "answers-twice",
        "Sends each reply twice.",
        (ids.ONE_REPLY,),
        never,
        RAISES,
        ("rules", "exceptions", "time", "memory", "endings", "robustness"),  # in long games its stream is ended for it
        program=Habits(reply_count=2),
    ),
    _kind(
        "stays-away",
        "Does not dial in again after the server has said goodbye, though it means to come back.",
        ids.RECONNECT,
        Habits(comes_back=False),
    ),
    _kind(
        "dies-when-cancelled",
        "Ends without a word when one of its calls is cancelled.",
        ids.CANCELLED,
        Habits(minds_cancelling=True),
    ),
    _kind(
        "dies-of-nonsense",
        "Ends without a word when a request cannot be read, or has a method that there is not.",
        ids.NONSENSE,
        Habits(nonsense=Nonsense.DIES),
    ),
    _kind(
        "answers-nonsense",
        "Answers requests that nobody can read as if all were well.",
        ids.NONSENSE,
        Habits(nonsense=Nonsense.ANSWERS),
    ),
    Kind(
        "has-two-names",
        "Calls itself something else where it serves than where it dials in.",
        (ids.BOTH_WAYS,),
        in_method("Describe"),
        describes(put(display_name="somebody else")),
        program=Habits(only_served=True),
    ),
    Kind(
        "raises-where-it-serves",
        "Raises an exception in its first decision where it serves, and not where it dials in.",
        (ids.BOTH_WAYS,),
        in_decision(1),
        RAISES,
        program=Habits(only_served=True),
    ),
    Kind(
        "grows",
        "Keeps a mebibyte more with every game.",
        (ids.GROWTH,),
        in_decision(1),
        GROWS,
        program=Habits(),
    ),
    *(
        Kind(
            f"lacks-{name.lower()}",
            f"Has no method {name}.",
            (ids.EVERY_METHOD,),
            never,
            RAISES,
            lacks=(name.lower(),),
            program=Habits(),
        )
        for name in ("Start", "End")
    ),
)
