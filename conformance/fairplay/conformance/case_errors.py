"""The ways in which a case can end other than by passing."""

from __future__ import annotations

from fairplay.conformance.evidence import Evidence


class Failure(Exception):  # noqa: N818 - a verdict on the player, not an error of the suite
    """Raised by a case if the player does not do what the case asks."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__(evidence.sentence)
        self.evidence = evidence


class NotTested(Exception):  # noqa: N818 - likewise
    """Raised by a case that could not be tried. It never counts as passed. `reason` is one sentence.

    If the player is the reason, `evidence` shows what it did wrong, and `see` is the id of the case that this belongs
    to: `blame.charge` has some case fail for it. `given_up`: another attempt would show nothing else, because
    the player is not asked any more.
    """

    def __init__(self, reason: str, evidence: Evidence | None = None, see: str = "", *, given_up: bool = False) -> None:
        super().__init__(f"{reason}: see {see}" if see else reason)
        self.reason = str(self)
        self.evidence = evidence
        self.see = see
        self.given_up = given_up


class NotApplicable(Exception):  # noqa: N818 - likewise
    """Raised by a case that does not concern this player or this transport. `reason` is one sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SuiteError(Exception):
    """Raised if the suite or a game is wrong: a reference player breaks a rule, a probe has an invalid state."""


def failure(sentence: str, *sections: tuple[str, str]) -> Failure:
    """Return a failure with a sentence and sections of text as its evidence."""
    return Failure(Evidence(sentence, sections=sections))
