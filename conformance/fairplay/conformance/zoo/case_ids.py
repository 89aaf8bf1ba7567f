"""The ids of the cases that the common mutants name; a test checks that these cases exist."""

from __future__ import annotations

REACHABLE = "contract.reachable"
DESCRIBES = "contract.describes-itself"
EVERY_METHOD = "contract.every-method"
VOID = "contract.void-methods-return"
READABLE = "contract.replies-readable"
UNKNOWN_FIELDS = "contract.unknown-fields-ignored"
ONE_REPLY = "contract.one-reply-per-call"
BOTH_WAYS = "contract.both-ways-agree"

WHOLE_GAMES = "rules.whole-games"
"""Stands for the cases of whole games, one for each seat and number of players: at least one of them fails."""
EVERY_WHOLE_GAME = "rules.whole-game"
DRAWN_STATES = "rules.drawn-states"
RIVAL_LEAVES = "rules.rival-leaves"
ONLY_RIVAL = "rules.only-rival-leaves"
ONE_BY_ONE = "rules.rivals-leave-one-by-one"
RIVALS_AT_ONCE = "rules.rivals-leave-at-once"
NEIGHBOUR = "rules.neighbour-leaves"

NO_EXCEPTION = "exceptions.whole-games"
ALIVE = "exceptions.stays-alive"
UNUSUAL_SETTINGS = "exceptions.unusual-settings"
LATE = "time.unusual-settings"
LONG_GAME = "rules.long-game"
LARGE_NUMBERS = "rules.large-numbers"
UNUSUAL_IDS = "exceptions.unusual-ids"

FIRST_ANSWER = "time.first-answer"
EVERY_ANSWER = "time.every-answer"
UNDER_LOAD = "time.under-load"
SLOW_RIVALS = "time.slow-rivals"

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

TOURNAMENT = "endings.tournament"
WIN_AND_LOSE = "endings.win-and-lose"
GAME_WON = "endings.game-won"
GAME_LOST = "endings.game-lost"
GAME_TIED = "endings.game-tied"
ENDS_OF_GAMES = (GAME_WON, GAME_LOST, GAME_TIED)
"""Cases of games that are played to their end: a broken rule shows in them, too."""

IN_TOURNAMENTS = "identity.in-tournaments"
DESCRIPTION_STAYS = "identity.description-stays"
HELLO = "identity.hello"
OFFERED = "identity.offered-games"
REACHED_AGAIN = "identity.reached-again"
REPLACED = "identity.replaced"
ENDS = "identity.ends"

GROWING_MEMORY = "growth.memory"
GROWING_THREADS = "growth.threads"
GROWING_FILES = "growth.files"
GROWING_PROCESSES = "growth.processes"
OUTPUT = "growth.output"

NONSENSE = "robustness.out-of-contract"
RECONNECT = "robustness.reconnect"
GROWTH = "robustness.memory-growth"

UNUSUAL_GAMES = ("rules.unusual-settings", UNUSUAL_SETTINGS, LATE, LONG_GAME, LARGE_NUMBERS)
"""Cases that play games unlike most."""

POSITIONS = ("rules.drawn-states", "exceptions.drawn-states", "time.drawn-states")
"""Cases that start many games in the middle."""
