"""The ids of cases: those that misconduct belongs to, whichever case comes upon it, and those that mutants name."""

from __future__ import annotations

REACHABLE = "contract.reachable"
DESCRIBES = "contract.describes-itself"
EVERY_METHOD = "contract.every-method"
VOID = "contract.void-methods-return"
READABLE = "contract.replies-readable"
UNKNOWN_FIELDS = "contract.unknown-fields-ignored"
ONE_REPLY = "contract.one-reply-per-call"
BOTH_WAYS = "contract.both-ways-agree"
UNKNOWN_ENUMS = "contract.unknown-enum-values"
KNOWN_ENUMS = "contract.known-enum-values"
LONG_NAMES = "contract.long-names"
BANK = "contract.bank"
METADATA = "contract.unknown-metadata"
CALL_IDS = "contract.call-ids"
LARGE_REQUESTS = "contract.large-requests"
TIME_LIMITS = "contract.time-limits"
SECRET = "contract.secret"
UNUSUAL_CALLS = (UNKNOWN_ENUMS, KNOWN_ENUMS, LONG_NAMES, BANK, METADATA, CALL_IDS, LARGE_REQUESTS, TIME_LIMITS)
"""Cases about what may come in a call or with it: several games are played, one after another."""

WHOLE_GAMES = "rules.whole-games"
"""Stands for the cases of whole games, one for each seat and number of players: at least one of them fails."""
EVERY_WHOLE_GAME = "rules.whole-game"
"""Begins the ids of the cases of whole games, one for each seat and number of players."""
RESUMED_GAMES = "rules.resumed-game"
"""Begins the ids of the cases of games that go on from a state, and stands for them: at least one of them fails."""
DRAWN_STATES = "rules.drawn-states"
RIVAL_LEAVES = "rules.rival-leaves"
ONLY_RIVAL = "rules.only-rival-leaves"
ONE_BY_ONE = "rules.rivals-leave-one-by-one"
RIVALS_AT_ONCE = "rules.rivals-leave-at-once"
NEIGHBOUR = "rules.neighbour-leaves"
IN_ANY_PHASE = "rules.rivals-leave-in-any-phase"
SETTINGS_IN_PHASES = "rules.settings-in-any-phase"
SOUGHT = (DRAWN_STATES, IN_ANY_PHASE, SETTINGS_IN_PHASES)
"""Cases for which another process seeks something while others are judged."""

NO_EXCEPTION = "exceptions.whole-games"
ALIVE = "exceptions.stays-alive"
UNUSUAL_SETTINGS = "rules.unusual-settings"
SETTINGS_RAISE = "exceptions.unusual-settings"
LATE = "time.unusual-settings"
LONG_GAME = "rules.long-game"
LARGE_NUMBERS = "rules.large-numbers"
UNUSUAL_IDS = "exceptions.unusual-ids"

FIRST_ANSWER = "time.first-answer"
EVERY_ANSWER = "time.every-answer"
HEADROOM = "time.headroom"
UNDER_LOAD = "time.under-load"
CALLS_AT_ONCE = "time.calls-at-once"
SLOW_RIVALS = "time.slow-rivals"
LONG_SILENCE = "time.long-silence"
SIDE_BY_SIDE = (UNDER_LOAD, CALLS_AT_ONCE, SLOW_RIVALS, LONG_SILENCE)
"""Cases about time in which the player is in several games at once."""

BACK_TO_BACK = "memory.back-to-back"
AT_ONCE = "memory.two-games-at-once"
EARLY_END = "memory.early-end"
CANCELLED = "memory.cancelled-call"
NEVER_ENDED = "memory.never-ended"
FRESH_PROCESS = "memory.fresh-process"
MANY_AT_ONCE = "memory.many-games-at-once"
ENDS_BESIDE = "memory.one-ends-first"
SIMILAR_IDS = "memory.similar-ids"
SAME_SEAT = "memory.same-seat"
OTHER_SETTINGS = "memory.other-settings"
COPIES = "memory.copies-at-once"

TOURNAMENT = "endings.tournament"
UNUSUAL_TOURNAMENTS = "endings.unusual-tournaments"
WIN_AND_LOSE = "endings.win-and-lose"
GAME_WON = "endings.game-won"
GAME_LOST = "endings.game-lost"
GAME_TIED = "endings.game-tied"
ENDS_OF_GAMES = (GAME_WON, GAME_LOST, GAME_TIED)
"""Cases of games that are played to their end: a broken rule shows in them, too."""

IN_TOURNAMENTS = "identity.in-tournaments"
DESCRIPTION_STAYS = "identity.description-stays"
DESCRIBED_WHILE_ASKED = "identity.described-while-asked"
HELLO = "identity.hello"
OFFERED = "identity.offered-games"
REACHED_AGAIN = "identity.reached-again"
SERVES_ON = "identity.serves-on"
REPLACED = "identity.replaced"
REFUSED = "identity.refused"
ENDS = "identity.ends"

GROWING_MEMORY = "growth.memory"
GROWING_THREADS = "growth.threads"
GROWING_FILES = "growth.files"
GROWING_PROCESSES = "growth.processes"
OUTPUT = "growth.output"

NONSENSE = "robustness.out-of-contract"
STARTED_SECRET = "robustness.secret"
RECONNECT = "robustness.reconnect"
RETURNS = "robustness.returns"
SENT_AGAIN = "contract.sent-again"
SLOWS_DOWN = "robustness.slows-down"
GROWTH = "robustness.memory-growth"

TELLING = (
    EVERY_METHOD,
    VOID,
    READABLE,
    UNKNOWN_FIELDS,
    NO_EXCEPTION,
    ALIVE,
    FIRST_ANSWER,
    EVERY_ANSWER,
    DRAWN_STATES,
    "exceptions.drawn-states",
    "time.drawn-states",
    UNUSUAL_SETTINGS,
    SETTINGS_RAISE,
    LATE,
    IN_ANY_PHASE,
    BACK_TO_BACK,
    AT_ONCE,
    SIMILAR_IDS,
    FRESH_PROCESS,
    TOURNAMENT,
    WIN_AND_LOSE,
)
"""Cases that show most defects for the time for which they keep a player thinking."""
UNUSUAL_GAMES = (UNUSUAL_SETTINGS, SETTINGS_RAISE, LATE, LONG_GAME, LARGE_NUMBERS)
"""Cases that play games unlike most."""

POSITIONS = (DRAWN_STATES, "exceptions.drawn-states", "time.drawn-states")
"""Cases that start many games in the middle."""
FROM_THE_MIDDLE = (*POSITIONS, IN_TOURNAMENTS, SIMILAR_IDS, FRESH_PROCESS)
"""Cases with games that start in the middle, or from which some decisions are asked."""

_OUTSIDE_GAMES = {"Describe": DESCRIBES, "Start": TOURNAMENT, "End": TOURNAMENT}
"""The ids of the cases that methods belong to which no game calls."""


def whole_game(seat: int, player_count: int) -> str:
    """Return the id of the case of whole games in a seat."""
    return f"{EVERY_WHOLE_GAME}.seat-{seat}-of-{player_count}"


def of_overrun(method_name: str) -> str:
    """Return the id of the case that a call without an answer belongs to."""
    return _OUTSIDE_GAMES.get(method_name, EVERY_ANSWER)


def of_death(method_name: str) -> str:
    """Return the id of the case that a call in which the player ended belongs to."""
    return _OUTSIDE_GAMES.get(method_name, ALIVE)
