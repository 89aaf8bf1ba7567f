"""Servers that get wrong what hardly ever counts: the reference server with one place of its source changed.

`python -m tests.conformance.servers.rule_faults NAME` starts one, prints its address, and ends with its input.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import NamedTuple


class RuleFault(NamedTuple):
    """What stands in the place of a right expression, which is there once."""

    game: str
    """The game that is played by a wrong rule; empty: the whole name of the module is given."""
    module: str
    right: str
    wrong: str
    case: str = ""
    """The case that must fail; empty: that of the situations of the game."""


TOWERS = "totals[group.tower] += len(group.tiles)"
FEW_TOWERS = "totals[group.tower] += min(3, len(group.tiles))"
PAID = "sum(along.values()) + sum(across)"
PAID_ONCE = f"min({PAID}, (q_bonus and points(tiles, placements, 0) - len(placements)) + q_bonus or 10**6)"
DIFFERENT_CARDS = "any(red[a] and white[b] and blue[c] for a, b, c in permutations(range(len(cards)), 3))"
RETURNED = "towers[group.tower] += size"
PAID_ON_NET = """for color in changed:
            state = board.with_coins(state, color, before[color], after[color])"""
PAID_FOR_EACH = PAID_ON_NET.replace("changed", "range(COLOR_COUNT)").replace(", before", ", taken(before, got)")
FAULTS = {
    "only-colours-are-a-q": RuleFault("q", "rules.board", "len({tile // 6 for tile in run}) == 6 or ", ""),
    "only-shapes-are-a-q": RuleFault("q", "rules.board", " or len({tile % 6 for tile in run}) == 6", ""),
    "seven-are-a-q": RuleFault("q", "rules.board", "if len(run) != Q_LENGTH:", "if len(run) < Q_LENGTH:"),
    "several-are-paid-as-one": RuleFault("q", "rules.board", PAID, PAID_ONCE),
    "no-holes-are-made": RuleFault(
        "fish", "rules", "rng.sample(range(size), settings.holes)", "rng.sample(range(size), 0)", "games.fish-fresh"
    ),
    "short-evidence": RuleFault(
        "", "fairplay.games.evidence", "reply[:MAX_UNPARSABLE_BYTES]", "reply[:1_024]", "games.fish-failures"
    ),
    "weak-knight": RuleFault("eriantys", "rules.board", "_KNIGHT_BONUS = 2", "_KNIGHT_BONUS = 1"),
    "strong-knight": RuleFault("eriantys", "rules.board", "_KNIGHT_BONUS = 2", "_KNIGHT_BONUS = 3"),
    "towers-of-those-out": RuleFault("eriantys", "rules.board", " and not _is_out(state, group.tower)", ""),
    "three-towers-at-most": RuleFault("eriantys", "rules.board", TOWERS, FEW_TOWERS),
    "one-tower-returns": RuleFault("eriantys", "rules.board", RETURNED, "towers[group.tower] += 1"),
    "two-groups-are-left": RuleFault(
        "eriantys", "rules.board", "len(state.groups) <= FEWEST_GROUPS", "len(state.groups) == FEWEST_GROUPS"
    ),
    "more-towers-than-there-are": RuleFault(
        "eriantys", "rules.board", "max(0, towers[winner] - size)", "towers[winner] - size"
    ),
    "short-messages": RuleFault(
        "", "fairplay.server.links.link", "message[:MAX_MESSAGE_CHARS]", "message[:200]", "blame.message"
    ),
    "games-are-shown-early": RuleFault(
        "",
        "fairplay.server.game.referee",
        "not self._store.has_open(game.tournament_id)",
        "True",
        "tournament.hides",
    ),
    "the-minstrel-pays-for-full-seats": RuleFault("eriantys", "rules.characters", PAID_ON_NET, PAID_FOR_EACH),
    "one-student-too-many": RuleFault(
        "eriantys",
        "rules.invariants",
        "if inside != left",
        "if inside < left",
        "refuses.each-state",
    ),
    "expired-as-wrong": RuleFault(
        "webset", "rules.takes", "settings.penalty_expired if expired else settings.penalty_bad", "settings.penalty_bad"
    ),
    "free-wrong-calls-count": RuleFault("webset", "rules", " * bool(settings.penalty_bad)", ""),
    "free-expiries-count": RuleFault("webset", "rules", " * bool(settings.penalty_expired)", ""),
    "half-is-a-majority": RuleFault("webset", "rules", "2 * votes > voters", "2 * votes >= voters"),
    "points-for-who-joins": RuleFault(
        "webset", "rules", "(*state.players, Player())", "(*state.players, Player(points=1))", "lobby.late-join"
    ),
    "struck-games-count": RuleFault(
        "",
        "fairplay.server.manager.standing",
        "message.plan.withdrawn_games == WithdrawnGames.WITHDRAWN_GAMES_STRUCK",
        "False",
        "format.points-of-withdrawn",
    ),
    "a-price-below-the-floor-is-free": RuleFault(
        "webset",
        "rules.takes",
        "max(points - price, floor)",
        "points if points - price < floor else points - price",
    ),
    "no-floor-at-0": RuleFault("webset", "rules.takes", "if floor is None else", "if not floor else"),
    "who-goes-on-sees-no-hidden-things": RuleFault(
        "",
        "fairplay.server.game.referee",
        "ended=self.revealed(message)",
        "ended=not after and self.revealed(message)",
        "games.q-situations",
    ),
    "who-fails-an-end-that-counts-for-nothing-wins": RuleFault(
        "",
        "fairplay.games.kit.tournament",
        "(silent if failures.allowed == 0",
        "(silent if end_failure_is_failure and failures.allowed == 0",
        "tournament.end-may-fail",
    ),
    "cards-are-never-put-back": RuleFault(
        "webset",
        "rules.takes",
        "sorted(cards) == sorted(state.picked) or ",
        "len(cards) <= len(state.picked) or ",
    ),
    "rounds-end-before-the-first-seat": RuleFault(
        "bazaar", "rules.state", "and state.active == first", "and state.active == 0 * first"
    ),
    "two-cards-are-as-good": RuleFault("bazaar", "rules", DIFFERENT_CARDS, "any(red) * any(white) * any(blue)"),
    "nothing-is-paid-for-three-cards": RuleFault("bazaar", "rules", 'kind == "rwb_distinct"', "not kind"),
    "a-short-pile-pays-for-all": RuleFault(
        "bazaar", "rules", "else:\n            visible = ()", "elif not state.pile:\n            visible = ()"
    ),
    "what-was-given-is-not-there": RuleFault("bazaar", "rules", "bank -= gain", "bank -= exchange.right"),
    "who-fails-later-still-counts": RuleFault(
        "fish",
        "rules",
        "penguins = settings.penguin_base - survivors",
        "penguins = settings.penguin_base - len(state.alive)",
        "games.fish-fresh",
    ),
    "what-was-not-delivered-returns-last": RuleFault(
        "q",
        "rules",
        "pile=state.pile + hand,",
        "pile=state.pile + hand[len(untold or ()) :] + hand[: len(untold or ())],",
        "games.q-fresh",
    ),
    "first-decisions-take-from-the-bank": RuleFault(
        "",
        "fairplay.server.game.running",
        "elapsed_s - self._limits[call.kind]",
        "elapsed_s - self._limits[CallKind.DECISION]",
        "time.bank-spent",
    ),
    "renamed-users-are-called-as-before": RuleFault(
        "",
        "fairplay.server.lobby.table",
        'seat.link = f"dial-in:{new_name}" if seat.link == f"dial-in:{name}" else seat.link',
        "pass",
        "lobby.links",
    ),
    "renamed-users-own-one-table": RuleFault(
        "",
        "fairplay.server.lobby.state",
        "[table for table in self._tables.values() if table.rename(before, name)]",
        "[user.table] if user.table is not None and user.table.rename(before, name) else []",
        "lobby.walk",
    ),
    "tables-start-before-all-are-ready": RuleFault(
        "",
        "fairplay.server.lobby.table",
        "not self.missing_count and all(seat.ready or seat.bot for seat in self.seats)",
        "sum(seat.ready or seat.bot for seat in self.seats) >= self.min_seat_count",
        "lobby.walk",
    ),
    "handicaps-count-for-nothing": RuleFault(
        "webset",
        "protocol.controller",
        "(handicaps[seat] * _MS if seat < len(handicaps) else 0)",
        "0 * len(handicaps)",
        "order.webset-handicaps",
    ),
    "who-is-too-late-is-not-locked-out": RuleFault(
        "webset",
        "protocol.conversation",
        "if status is not Status.GOT_SET:",
        "if status is Status.BAD_SET:",
        "order.webset-lockout",
    ),
    "only-the-first-acts-are-held": RuleFault(
        "webset", "protocol.controller", "self._changed_ns = self._now_ns\n\n", "pass\n\n", "order.webset-held"
    ),
    "each-card-has-a-window": RuleFault(
        "webset",
        "protocol.controller",
        "self._windows_ns.setdefault(call_count, self._now_ns + self._settings.window_ms * _MS)",
        "self._now_ns + self._settings.window_ms * _MS",
        "order.webset-window",
    ),
    "cards-are-put-back-for-ever": RuleFault(
        "webset", "protocol.controller", " or self._selection_count >= MAX_SELECTIONS", ""
    ),
    "picks-are-counted-through-the-game": RuleFault(
        "webset",
        "protocol.controller",
        "if state.call_count != before.call_count:",
        "if state.call_count == 1 != before.call_count:",
    ),
    "who-passes-may-be-refused-anew": RuleFault(
        "webset",
        "protocol.controller",
        "self._passed.add(seat)\n\n    def record_refusal",
        "self._passed.add(seat), self._refusals.pop(seat, None)\n\n    def record_refusal",
    ),
    "wrong-towers-of-others-count": RuleFault(
        "eriantys",
        "protocol.conversation",
        "if attempts[seat] >= self._most_attempts",
        "if sum(attempts) >= self._most_attempts",
        "games.eriantys-wrong-replies",
    ),
    "a-set-locks-out": RuleFault(
        "webset", "protocol.conversation", "if status is not Status.GOT_SET:", "if status:", "order.webset-lockout"
    ),
    "a-card-is-picked-twice": RuleFault(
        "webset", "rules.takes", " or len(set(cards)) < len(cards):", ":", "order.webset-selection"
    ),
    "any-card-is-picked": RuleFault(
        "webset",
        "rules.takes",
        "if not all(card in on_table(state) for card in cards):",
        "if False:",
        "order.webset-selection",
    ),
    "passes-never-deal-where-no-set-would": RuleFault(
        "webset", "rules.takes", 'rule == "if_no_set" and solutions(state)', "solutions(state)"
    ),
    "who-is-late-in-a-round-is-out": RuleFault(
        "webset",
        "protocol.conversation",
        "if isinstance(answer, CallError):\n            yield from _eliminate(game, seat, answer)\n        else:",
        "if isinstance(answer, FAILURES):\n            yield from _eliminate(game, seat, answer)\n        else:",
    ),
    "who-is-locked-out-may-call": RuleFault(
        "webset",
        "rules",
        "\n    if state.players[seat].locked:",
        "\n    if False:",
        "order.webset-lockout",
    ),
    "who-fails-first-is-listed-first": RuleFault(
        "webset",
        "protocol.conversation",
        "for seat in sorted(answers):",
        "for seat in answers:",
        "games.webset-failures",
    ),
    "three-groups-go-on": RuleFault(
        "eriantys", "rules.board", "len(state.groups) <= FEWEST_GROUPS", "len(state.groups) < FEWEST_GROUPS"
    ),
    "no-entry-tiles-pile-up": RuleFault(
        "eriantys", "rules.board", "whole._replace(no_entry=whole.no_entry - surplus)", "whole"
    ),
    "a-thief-without-loot-prolongs-the-game": RuleFault(
        "eriantys", "rules.characters", "if any(removed) and not", "if not"
    ),
    "coins-come-from-nowhere": RuleFault("eriantys", "rules.board", "or not state.reserve or", "or"),
    "a-coin-seat-pays-twice": RuleFault("eriantys", "rules.board", "(once and state.paid_seats[seat] & bit)", "False"),
    "professors-return-when-anybody-leaves": RuleFault(
        "eriantys",
        "rules",
        "if state.active == seat:\n        state = with_pro",
        "if seat is not None:\n        state = with_pro",
    ),
    "level-sides-never-win": RuleFault(
        "eriantys", "rules", ' and state.settings.draw_result == "none"', "", "games.eriantys-endings"
    ),
    "ended-games-may-have-any-best-score": RuleFault(
        "q", "rules.state", "elif state.points[seat] > state.top:", "elif not state.points:", "refuses.each-state"
    ),
    "a-bonus-of-eleven": RuleFault("q", "rules.state", "MAX_BONUS = 10", "MAX_BONUS = 11", "refuses.settings-together"),
    "bands-end-with-their-best": RuleFault(
        "",
        "fairplay.standings.rating",
        "lowest = min(lowest, rating.low)",
        "lowest = max(lowest, rating.low)",
        "format.points",
    ),
    "head-to-head-of-those-who-have-not-met": RuleFault(
        "", "fairplay.standings.points", " and between.min() == between.max() > 0", "", "format.gauntlet"
    ),
    "who-never-played-is-where-its-points-are": RuleFault(
        "", "fairplay.standings.scoreboard", "2 if entrant in conduct.unplayed else ", "", "format.unplayed"
    ),
    "standings-count-at-the-end": RuleFault(
        "",
        "fairplay.server.manager.standing",
        "or self._result is not None)",
        "and self._result is not None)",
        "format.standings",
    ),
    "who-is-away-is-told-once": RuleFault(
        "eriantys",
        "protocol.conversation",
        "self._seats(Standing.AWAY) if self.state.round > self._round else []",
        "self._seats(Standing.AWAY) if self.state.round > self._round < 2 else []",
        "order.eriantys-away",
    ),
    "cards-left-over-are-free": RuleFault(
        "webset",
        "rules.takes",
        "range(0, min(len(cards), MOST_NAMED * DEAL), DEAL)",
        "range(0, min(len(cards), MOST_NAMED * DEAL) - DEAL + 1, DEAL)",
        "games.webset-wrong-replies",
    ),
    "solutions-end-with-the-last": RuleFault(
        "webset",
        "rules",
        "(state.displayed + 1) % len(solutions(state))",
        "min(state.displayed + 1, len(solutions(state)) - 1)",
    ),
    "first-decisions-stay-short": RuleFault(
        "",
        "fairplay.server.game.plans",
        "if seconds(control.decision_limit) > seconds(full.first_decision_limit):",
        "if False:",
        "time.defaults",
    ),
    "overruns-without-the-bank": RuleFault(
        "",
        "fairplay.server.game.running",
        "        del self._open[seat]\n        if self._limits.banked:\n",
        """        del self._open[seat]
        if hasattr(outcome, "limit"):
            outcome.limit.FromNanoseconds(round(1e9 * (self._limits.limit(call) - self._limits.bank_s(call))))
        if self._limits.banked:
""",
        "time.overrun",
    ),
    "some-watches-never-end": RuleFault(
        "",
        "fairplay.server.game.spectators",
        "        self._catch_up()\n        self._ended = True",
        """        self._catch_up()
        _Spectator.ends = getattr(_Spectator, "ends", 0) + 1
        self._ended = _Spectator.ends % 16 > 0""",
        "games.fish-situations",
    ),
    "tournaments-start-with-one-too-few": RuleFault(
        "",
        "fairplay.server.manager.signup",
        "if entered >= needed:",
        "if entered >= needed - 1:",
        "tournament.next-period",
    ),
    "who-withdrew-counts-for-the-start": RuleFault(
        "",
        "fairplay.server.manager.signup",
        "            del self._links[name]",
        "            del self._links[name]\n            self._named |= {name}",
        "tournament.too-few",
    ),
    "results-count-as-they-come": RuleFault(
        "", "fairplay.games.kit.tournament", "for place in sorted(games))", "for place in games)", "tournament.rounds"
    ),
    "slow-watchers-miss-what-happens": RuleFault(
        "",
        "fairplay.server.manager.tournament",
        "                self._behind = True\n                self._events.clear()",
        "                self._events.popleft()",
        "tournament.watch",
    ),
    "strays-hide-the-replies-behind-them": RuleFault(
        "",
        "fairplay.server.links.stream",
        "self._count_unasked(reply.id)\n                continue",
        "self._count_unasked(reply.id)\n                break",
        "connection.walk",
    ),
    "a-resume-token-opens-all-names": RuleFault(
        "",
        "fairplay.server.links.dial_in",
        "known.stream is resumed)",
        "known.stream)",
        "connection.walk",
    ),
    "deadlines-begin-with-their-spectators": RuleFault(
        "",
        "fairplay.server.game.spectators",
        "open_call.limit_s - open_call.elapsed_s)",
        "open_call.limit_s)",
        "watch.deadlines",
    ),
    "who-watched-a-game-of-a-tournament-sees-the-evidence": RuleFault(
        "",
        "fairplay.server.game.referee",
        "single=not message.tournament_id",
        "single=True",
        "watch.hidden-in-tournament",
    ),
    "each-part-of-a-record-is-a-chain": RuleFault(
        "",
        "fairplay.server.servicers.referee",
        "GetRecordResponse(entries=part)",
        """GetRecordResponse(
                entries=__import__("fairplay.server.records.chain", fromlist=("",))
                .chained([each.entry for each in part])
                .entries
            )""",
        "records.long",
    ),
    "only-seeds-are-named": RuleFault(
        "",
        "fairplay.server.net.errors",
        "        if self.field:",
        '        if "seed" in self.field:',
        "refuses.names-the-field",
    ),
    "only-broken-rules-are-counted": RuleFault(
        "",
        "fairplay.server.servicers.public",
        "misconduct_count=len(game.result.misconducts)",
        'misconduct_count=sum(each.HasField("rule_break") for each in game.result.misconducts)',
        "watch.listed-conditions",
    ),
    "passes-deal": RuleFault("webset", "rules.takes", ' or rule == "auto"', ""),
    "the-first-seat-is-the-earliest": RuleFault(
        "webset",
        "rules.takes",
        "winner, cards = right[place]",
        "winner, cards = right[place] if place else min(right)",
        "order.webset-earliest",
    ),
    "the-longest-request-is-too-long": RuleFault(
        "bazaar", "protocol.codec", "if len(steps) > max_exchanges:", "if len(steps) >= max_exchanges:"
    ),
    "only-the-first-card-of-a-price-is-the-top-one": RuleFault(
        "bazaar",
        "rules",
        'if settings.price_takes_from == "bottom" else',
        'if settings.price_takes_from == "bottom" or pile != state.pile else',
    ),
    "a-farmer-gives-all-back": RuleFault(
        "eriantys",
        "rules.board",
        "if state.dining_rooms[lender][color] >= state.dining_rooms[state.active][color]:",
        "if color < COLOR_COUNT:",
    ),
    "the-last-row-is-too-far": RuleFault("q", "rules", "-FARTHEST <= row <= FARTHEST", "-FARTHEST <= row < FARTHEST"),
    "what-passed-before-a-loss-is-free": RuleFault(
        "",
        "fairplay.server.links.stream",
        "self._outbox.put(call, len(call.request))\n",
        "self._outbox.put(call, len(call.request))\n            open_call.sent_at = self._clock.time()\n",
        "connection.time-left",
    ),
    "others-move-penguins-among-three": RuleFault(
        "fish",
        "rules",
        "    if source not in state.places[state.seat]:",
        "    if source not in (sum(state.places, ()) if len(state.places) > 2 else state.places[state.seat]):",
        "games.fish-wrong-replies",
    ),
    "long-replies-of-who-serves-are-taken": RuleFault(
        "",
        "fairplay.server.links.dial_out",
        "reply if len(reply) <= MAX_REPLY_BYTES else too_large(len(reply)), grpc",
        "reply, grpc",
        "blame.too-large-reply",
    ),
    "calls-to-who-serves-are-compressed": RuleFault(
        "",
        "fairplay.server.links.dial_out",
        '("grpc.enable_retries", 0),',
        '("grpc.enable_retries", 0), ("grpc.default_compression_algorithm", 2),',
        "order.served-players",
    ),
    "former-resume-tokens-last": RuleFault(
        "",
        "fairplay.server.links.dial_in",
        'known.host, known.account, known.resume_token = host, account, b""',
        "known.host, known.account = host, account",
        "connection.walk",
    ),
    "who-is-lost-fails-at-once": RuleFault(
        "",
        "fairplay.server.links.stream",
        "self._outbox.put(call, len(request))\n",
        """self._outbox.put(call, len(request))
        else:
            asyncio.get_running_loop().call_soon(open_call.fail, disconnected("lost"))
""",
        "connection.due-while-lost",
    ),
    "who-comes-back-misses-eliminations": RuleFault(
        "",
        "fairplay.server.game.referee",
        "if running is None or after:",
        "if running is None:",
        "watch.resumed-running",
    ),
    "no-bank-for-who-joins": RuleFault(
        "",
        "fairplay.server.game.running",
        "self._bank.append(self._whole_bank)",
        "self._bank.append(0.0)",
        "lobby.late-join",
    ),
    "second-replies-to-what-came-again-are-stray": RuleFault(
        "",
        "fairplay.server.links.stream",
        "            if again and reply.id in again:",
        "            if False:",
        "connection.resumed",
    ),
    "windows-begin-again-when-others-return": RuleFault(
        "",
        "fairplay.server.links.stream",
        "        given = self.calls.give_up(self.numbers.pop(name))",
        "        given = self.calls.give_up(self.numbers.pop(name))\n"
        "        if self._window is not None:\n"
        "            self._window.cancel()\n"
        "            self._window = self._loop.call_later(self._resume_s, self._close)",
        "connection.window-over",
    ),
    "stray-replies-are-forgiven-in-a-second": RuleFault(
        "", "fairplay.server.links.stream", "STRAY_S = 60.0", "STRAY_S = 1.0", "connection.late-replies"
    ),
    "no-secret-at-the-end": RuleFault(
        "",
        "fairplay.server.links.dial_out",
        "if self.secret else ()",
        "if self.secret and not method.endswith('/ShowEndGame') else ()",
        "games.eriantys-situations",
    ),
    "who-serves-late-has-left": RuleFault(
        "",
        "fairplay.server.links.dial_out",
        "        task = asyncio.create_task(self._answer(make, open_call, limit_s))",
        "        asyncio.get_running_loop().call_later(limit_s - 0.002, open_call.fail, disconnected('late'))\n"
        "        task = asyncio.create_task(self._answer(make, open_call, limit_s))",
        "time.overrun",
    ),
    "one-open-call-is-cancelled": RuleFault(
        "",
        "fairplay.server.game.running",
        "        for open_call in self._open.values():\n            open_call.cancel()",
        "        for open_call in [*self._open.values()][:1]:\n            open_call.cancel()",
        "stop.cancels",
    ),
    "records-forget-what-calls-took": RuleFault(
        "", "fairplay.games.transcript", "call.elapsed.nanos = int(elapsed_s % 1 * 1e9)", "", "games.q-settings"
    ),
    "one-bank-for-all": RuleFault(
        "",
        "fairplay.server.game.running",
        "self._bank[call.seat] = max(0.0, self._bank[call.seat] - beyond)",
        "self._bank = [max(0.0, left_s - beyond) for left_s in self._bank]",
        "games.q-failures",
    ),
    "what-comes-again-names-no-bank": RuleFault(
        "",
        "fairplay.server.links.stream",
        "call.time_limit.CopyFrom(duration(open_call.left_s))",
        "call.time_limit.CopyFrom(duration(open_call.left_s)); call.metadata.clear()",
        "games.q-settings",
    ),
    "one-open-call-is-named": RuleFault(
        "",
        "fairplay.server.links.stream",
        "open_calls=self.calls.ids",
        "open_calls=[*self.calls.ids][:1]",
        "games.eriantys-failures",
    ),
    "a-token-makes-a-repeat": RuleFault(
        "",
        "fairplay.server.manager.signup",
        "self._links.get(player.name) == player.link",
        "player.name in self._links and player.name in self._tokens",
        "tournament.sign-up",
    ),
    "any-way-to-count": RuleFault(
        "",
        "fairplay.server.manager.plan",
        "if plan.withdrawn_games not in WithdrawnGames.values():",
        "if False:",
        "refuses.plan-limits",
    ),
    "the-same-winners-go-on": RuleFault(
        "", "fairplay.games.kit.knockout", "final or (number > 1 and winners == players)", "final", "format.ties"
    ),
    "what-falls-due-waits-for-ever": RuleFault(
        "",
        "fairplay.server.links.stream",
        "self._window = self._loop.call_later(wait_s, self._close)",
        "self._window = self._loop.call_later(wait_s if self.calls.ids else 1e6, self._close)",
        "connection.window-over",
    ),
    "own-towers-count-for-a-centaur": RuleFault(
        "eriantys",
        "rules.board",
        "played != CENTAUR and",
        "(played != CENTAUR or group.tower == sides[state.active]) and",
    ),
    "all-no-entry-tiles-return": RuleFault("eriantys", "rules.board", "no_entry=group.no_entry - 1", "no_entry=0"),
    "the-minstrel-loses-professors": RuleFault(
        "eriantys", "rules.characters", " if state.settings.professor_recheck_on_removal else state", ""
    ),
    "turns-without-a-cloud-end-by-themselves": RuleFault(
        "eriantys",
        "rules.turns",
        "if state.settings.explicit_end_turn:",
        "if state.settings.explicit_end_turn and not state.clouds_closed:",
    ),
    "the-lowest-of-a-hand-that-others-have-played": RuleFault(
        "eriantys", "rules.legality", "if value not in played]) or hand", "if value not in played]) or hand[:1]"
    ),
    "characters-begin-no-turn": RuleFault("eriantys", "rules", "bool(state.played) or state.to_move", "state.to_move"),
    "who-is-away-hears-of-the-last-round": RuleFault(
        "eriantys",
        "protocol.conversation",
        "seats = self._seats(Standing.IN)\n                reason",
        "seats = self._seats(Standing.IN, Standing.AWAY)\n                reason",
    ),
    "colours-that-are-lost-count-as-impossible": RuleFault(
        "eriantys",
        "protocol.conversation",
        "refused[seat] = build_rule_break(rules.RULES, taken, describe_action(verdict))",
        "attempts[seat] += 1\n"
        "                        refused[seat] = build_rule_break(rules.RULES, taken, describe_action(verdict))\n"
        "                        if attempts[seat] >= self._most_attempts:\n"
        '                            losses.append(Loss(seat, _misconduct(MalformedReplyError(taken, ""), offered)))',
        "games.eriantys-fresh",
    ),
    "the-first-rule-is-named-again": RuleFault(
        "eriantys",
        "protocol.conversation",
        "refused = build_rule_break(rules.RULES, verdict.rule_id",
        "refused = refused or build_rule_break(rules.RULES, verdict.rule_id",
        "games.eriantys-wrong-replies",
    ),
    "who-fails-has-no-bonus": RuleFault(
        "bazaar",
        "rules",
        "bonus(state.settings.bonus, player.cards) for player in state.players)",
        "bonus(state.settings.bonus, player.cards) * (player.standing is Standing.IN) for player in state.players)",
    ),
    "no-more-turns-than-usual": RuleFault(
        "bazaar", "rules.state", "state.turns >= settings.turn_cap", "state.turns >= min(5000, settings.turn_cap)"
    ),
    "no-more-passes-than-usual": RuleFault(
        "webset",
        "protocol.controller",
        "if self._idle_count >= self.state.settings.idle_rounds:",
        "if self._idle_count >= min(10, self.state.settings.idle_rounds):",
    ),
    "no-more-acts-than-usual": RuleFault(
        "webset",
        "rules.state",
        "state.act_count >= state.settings.act_cap or",
        "state.act_count >= min(10_000, state.settings.act_cap) or",
    ),
    "one-status-cannot-be-parsed": RuleFault(
        "",
        "fairplay.server.links.stream",
        "return call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, message, code=code)",
        'return unparsable("") if code == 4 else '
        "call_error(CallErrorReason.CALL_ERROR_REASON_STATUS, message, code=code)",
        "blame.each-status",
    ),
    "no-tile-no-setup": RuleFault(
        "fish",
        "rules",
        "return placed if alive[after] and",
        "return placed._replace(over=True) if taken + 1 == 1 << board.geometry.size else placed if alive[after] and",
        "games.fish-fresh",
    ),
    "unknown-fields-within-settings": RuleFault(
        "",
        "fairplay.server.game.plans",
        "if descriptor.message_type is None:",
        'if descriptor.message_type is None or field.count(".") > 0:',
        "refuses.each-setting",
    ),
    "a-bank-for-the-window": RuleFault(
        "",
        "fairplay.server.game.running",
        "return call.limit_s\n",
        "return call.limit_s + self._bank[call.seat]\n",
        "order.webset",
    ),
    "the-window-is-taken-from-the-bank": RuleFault(
        "",
        "fairplay.server.game.running",
        "if call.kind is not CallKind.NOTIFICATION and call.limit_s is None:",
        "if call.kind is not CallKind.NOTIFICATION:",
        "order.webset-window",
    ),
    "what-is-listed-is-counted": RuleFault(
        "",
        "fairplay.server.game.rules",
        "found.reply_count = rule_break.legal_reply_count",
        "found.reply_count = len(found.replies)",
        "services.rules",
    ),
    "what-follows-is-the-state-before": RuleFault(
        "",
        "fairplay.server.game.rules",
        "                shown = state\n",
        "                shown = shown or state\n",
        "services.rules",
    ),
    "wallets-return-in-their-turn-alone": RuleFault(
        "bazaar",
        "rules",
        "if state.settings.kick_returns_pebbles else",
        "if state.settings.kick_returns_pebbles and seat == state.active else",
        "games.bazaar-failures",
    ),
    "no-end-between-the-calls-of-a-turn": RuleFault(
        "bazaar",
        "rules",
        "    if state.phase is Phase.CARDS and seat != active:\n        return settled(state)",
        "    if state.phase is Phase.CARDS and seat != active:\n        return state",
        "games.bazaar-failures",
    ),
    "all-but-the-first-two-are-no-obstacles": RuleFault(
        "fish",
        "rules",
        "not any(move.target in own for own in state.places):",
        "not any(move.target in own for own in state.places[:2]):",
        "games.fish-settings",
    ),
    "the-last-colour-for-who-is-away": RuleFault(
        "eriantys", "rules", "free_tower_colors(state)[0]", "free_tower_colors(state)[-1]", "games.eriantys-failures"
    ),
    "who-sits-last-is-lost-first": RuleFault(
        "eriantys",
        "protocol.conversation",
        "            yield from self._lose(losses)\n\n    def start",
        "            yield from self._lose(losses[::-1])\n\n    def start",
        "games.eriantys-fresh",
    ),
    "lower-seats-act-first": RuleFault(
        "eriantys",
        "rules.turns",
        "key=lambda seat: state.assistants[seat])",
        "key=lambda seat: (state.assistants[seat], seat))",
    ),
    "full-replies-are-too-large": RuleFault(
        "",
        "fairplay.server.links.stream",
        "len(response) <= MAX_REPLY_BYTES",
        "len(response) < MAX_REPLY_BYTES",
        "blame.too-large-reply",
    ),
    "leagues-strike-games": RuleFault(
        "",
        "fairplay.server.manager.standing",
        "self._struck = message.plan.withdrawn_games ==",
        "self._struck = chosen(message.plan.format).format.strikes_withdrawn or message.plan.withdrawn_games ==",
        "format.points-of-withdrawn",
    ),
    "decks-are-not-shuffled": RuleFault("q", "rules", "rng.shuffle(tiles)", "rng.random()", "games.q-fresh"),
    "links-of-who-signed-up": RuleFault(
        "", "fairplay.server.records.published", "entry.change.signed_up, ", "", "tournament.endings"
    ),
    "no-end-for-who-has-failed": RuleFault(
        "",
        "fairplay.server.manager.course",
        "sorted(self._started - self._failures.withdrawn)",
        "sorted(self._started - self._failures.counts.keys())",
        "format.failure",
    ),
    "no-end-for-who-failed-its-last-call": RuleFault(
        "",
        "fairplay.games.kit.tournament",
        "rest = [seat for seat in everyone if seat not in failures.withdrawn and seat not in best]",
        "rest = [seat for seat in everyone if seat not in failures.counts and seat not in best]",
        "format.failure",
    ),
    "one-point-for-a-bye": RuleFault(
        "",
        "fairplay.formats.swiss",
        "tuple(entrant for entrant in out for _ in range(self.meetings.length(self._seats)))",
        "tuple(out)",
        "format.swiss",
    ),
    "no-point-for-a-skipped-game": RuleFault(
        "", "fairplay.formats.swiss", "skipped_are_won=True", "skipped_are_won=False", "format.swiss-withdrawn"
    ),
    "who-failed-in-a-stopped-game-goes-on": RuleFault(
        "",
        "fairplay.games.kit.knockout",
        "{game[misconduct.seat] for misconduct in result.misconducts}",
        "set()",
        "tournament.fails-in-a-game",
    ),
    "the-lowest-sits-out-again": RuleFault(
        "",
        "fairplay.formats.swiss",
        "(self._sat_out[entrant], -places[entrant])",
        "-places[entrant]",
        "format.swiss-withdrawn",
    ),
    "a-swiss-comes-to-a-dead-end": RuleFault(
        "",
        "fairplay.formats.pairing",
        "if is_safe(round_.count, round_.least_degree - 1, rounds - 1):",
        "if True:",
        "format.swiss",
    ),
    "stages-play-knockouts-in-list-order": RuleFault(
        "",
        "fairplay.formats.stages",
        "if place == 1 or format_.ranks else spread(left, terms.sizes)",
        "",
        "format.stages",
    ),
    "each-period-ends-with-the-first": RuleFault(
        "",
        "fairplay.server.manager.signup",
        "end_ns = time.time_ns() +",
        'end_ns = self.__dict__.setdefault("_begun", time.time_ns()) +',
        "tournament.next-period",
    ),
    "seed-0-is-none": RuleFault(
        "",
        "fairplay.server.manager.manager",
        'plan.seed if plan.HasField("seed") else None',
        "plan.seed or None",
        "tournament.fails-in-a-game",
    ),
    "a-gauntlet-without-its-challenger": RuleFault(
        "",
        "fairplay.server.manager.course",
        " and pairing.needed in (None, *pairing.entrants)",
        "",
        "format.gauntlet-withdrawn",
    ),
    "winners-in-the-order-of-a-stage": RuleFault(
        "",
        "fairplay.games.kit.tournament",
        "[seat for seat in everyone if seat in order.winners and seat not in failures.withdrawn]",
        "[seat for seat in order.winners if seat not in failures.withdrawn]",
        "format.stages",
    ),
    "any-list-takes-a-page-token": RuleFault(
        "",
        "fairplay.server.servicers.public",
        "kind != request.DESCRIPTOR.name or not is_number",
        "not is_number",
        "refuses.page-token",
    ),
    "one-seat-three-times-more-often": RuleFault(
        "", "fairplay.formats.pairing", "max(0, worst - 2)", "max(0, worst - 3)", "format.swiss"
    ),
    "halves-of-quarters-are-rounded-up": RuleFault(
        "",
        "fairplay.formats.ranking",
        "round(4 * self._points[entrant] / (self._unit * games))",
        "int(4 * self._points[entrant] / (self._unit * games) + 0.5)",
        "format.swiss",
    ),
    "stopped-games-stay-open": RuleFault(
        "",
        "fairplay.server.servicers.referee",
        "if not listing.finished:",
        'if not listing.finished or (listing.kind == "game" and pb.Game.FromString(listing.summary).result.aborted):',
        "records.running",
    ),
}


class _Changed(SourceFileLoader):
    def __init__(self, name: str, path: str, fault: RuleFault) -> None:
        super().__init__(name, path)
        self._fault = fault

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_source(fullname) or ""
        assert source.count(self._fault.right) == 1, self._fault
        return compile(source.replace(self._fault.right, self._fault.wrong), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def __init__(self, fault: RuleFault) -> None:
        self._fault = fault

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module that is changed; None for every other one."""
        if fullname not in (self._fault.module, f"fairplay.games.{self._fault.game}.{self._fault.module}"):
            return None
        spec = PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Changed(fullname, spec.origin, self._fault)
        return spec


def main() -> None:
    """Serve until the input ends."""
    sys.meta_path.insert(0, _Finder(FAULTS[sys.argv[1]]))
    from tests.conformance.servers.harness import serving  # with it come the rules

    with serving() as server:
        sys.stdout.write(f"{server.address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
