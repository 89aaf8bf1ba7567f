"""What a run is to do: derived from the options, and checked before anything is started."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from fairplay.certificate.terms import LONGEST_S, matches
from fairplay.conformance.case import Case
from fairplay.conformance.case_ids import BACK_TO_BACK, BANK, NEVER_ENDED, SOUGHT, UNKNOWN_ENUMS
from fairplay.conformance.cases import cases
from fairplay.conformance.games.context import Context, open_context
from fairplay.conformance.games.scenarios import OrdinaryGames, read_games
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.player.transports import Transport, make_transport
from fairplay.conformance.run.judge import Plan
from fairplay.conformance.run.options import MAX_NONCE_CHARS, Options, repeat_command
from fairplay.conformance.run.report import Run, program_files
from fairplay.games.conformance import Level, find_conformance, find_profile
from fairplay.games.game import Game, find
from fairplay.games.kit.files import read_text
from fairplay.player.channels import Credentials
from fairplay.player.exposure import ExposedError, check_exposure
from fairplay.player.secrets import secret_from
from fairplay.player.tls import TlsFiles
from fairplay.server.game.plans import full_time_control
from fairplay.server.links.link import duration
from fairplay.server.links.program import read_program_options
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import TimeControl

LEVELS = {"must": Level.MUST, "should": Level.SHOULD, "all": Level.MAY}
"""The names of levels in options. Each level includes the graver ones."""
_RANK = {level: rank for rank, level in enumerate(Level)}


def find_level(name: str) -> Level:
    """Return the level of this name. Raises ValueError if there is none."""
    if name not in LEVELS:
        raise ValueError(f"there is no level {name!r}: give must, should or all")
    return LEVELS[name]


def choose_cases(cases: Sequence[Case], level: Level, only: str = "") -> list[Case]:
    """Return the cases that match a pattern, down to a level. Raises ValueError if there are none."""
    found = [case for case in cases if not only or matches(case.id, only)]
    if not found:
        raise ValueError(f"no case matches {only!r}{suggest(only, [case.id for case in cases])}")
    within = [case for case in found if _RANK[case.level] <= _RANK[level]]
    if not within:
        raise ValueError(f"{only!r} is a {found[0].level}: give --level {found[0].level.lower()}")
    return within


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that suggests the most similar known ids, or "" if there are none."""
    close = get_close_matches(word, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def ordered(game: Game, cases: Iterable[Case]) -> list[Case]:
    """Return cases in the order of judging, within which the order of declaration is kept.

    Graver levels come first; within a level, who the player is, the most ordinary game and games that are left,
    then the bank, as who takes that for more time is late in every game with one, then the probes, most of which
    leave one after one decision, then the rest, but for unknown values, which many a fault comes upon that other
    cases name, and last what can be prepared while the others are judged, unless it calls no player.
    """
    ordinary = f"rules.whole-game.seat-0-of-{game.seats.start}"
    first = ("contract.reachable", "contract.describes-itself", ordinary, NEVER_ENDED)
    probes = {probe.id for probe in find_conformance(game.name).probes}

    def key(case: Case) -> tuple[int, int]:
        usual = case.id in SOUGHT or (case.prepare is None and case.id != UNKNOWN_ENUMS)
        stages = (case.id in first, case.id == BANK, case.id in probes, usual, case.prepare is None, True)
        return _RANK[case.level], stages.index(True)

    return sorted(cases, key=key)


class OutdatedError(ValueError):
    """A list of known failures names a case that there is not, any more; one sentence."""


def read_known_failures(file: Path, case_ids: Collection[str]) -> frozenset[str]:
    """Return the ids in a file. Raises ValueError if it cannot be read, OutdatedError if it names no case."""
    return read_all_known_failures(file, case_ids, [""])[""]


def read_all_known_failures(
    file: Path, case_ids: Collection[str], players: Collection[str]
) -> Mapping[str, frozenset[str]]:
    """Return the ids in a file for each player: those behind its name, and those without a name.

    Raises ValueError if it cannot be read, or names an unknown player, OutdatedError if it names an unknown case.
    """
    try:
        lines = read_text(file).splitlines()
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    found: dict[str, set[str]] = {name: set() for name in players}
    for words in filter(None, (line.partition("#")[0].split() for line in lines)):
        *before, case_id = words
        name = " ".join(before)
        if case_id not in case_ids:
            close = suggest(case_id, case_ids)
            raise OutdatedError(f"{file} names {case_id!r}, and there is no such case: take it off the list{close}")
        if name and name not in found:
            raise ValueError(f"{file} names the player {name!r}, and there is none{suggest(name, players)}")
        for each in [name] if name else players:
            found[each].add(case_id)
    return {name: frozenset(ids) for name, ids in found.items()}


def make_plan(options: Options) -> Plan:
    """Return the plan of a run.

    Raises ValueError, with one sentence, if the options make no sense, SandboxMissingError if a sandbox is required and
    there is none.
    """
    game, level = find(options.game), find_level(options.level)
    everything = cases(game)
    if options.profile:
        find_profile(game, options.profile)
    kind = transport_of(game, options).kind
    if options.jobs > 1:
        _check_jobs(options, kind)
    if not options.budget_s > 0:
        raise ValueError("--budget is a time longer than 0, e.g. 10m")
    if len(options.nonce) > MAX_NONCE_CHARS or not options.nonce.isprintable():
        raise ValueError(f"--nonce is at most {MAX_NONCE_CHARS} characters that can be printed")
    try:
        limits = limits_of(game, options.limit_s, options.first_limit_s)
    except Refusal as refusal:
        raise ValueError(refusal.message) from None
    ids = [case.id for case in everything]
    known = frozenset(options.known)
    if options.known_failures:  # read once: it may be a pipe, and other processes may have other files
        known |= read_known_failures(Path(options.known_failures), ids)
        options = replace(options, known_failures="", known=sorted(known))
    facts = (options.nonce, program_files(options.player), options.budget_s)
    run = Run(game.name, kind, options.seed, limits, level, options.only, *facts, profile=options.profile)
    chosen = ordered(game, choose_cases(everything, level, options.only))
    if options.history and options.only != BACK_TO_BACK:
        raise ValueError(f"--history says which games {BACK_TO_BACK} judges: give --only {BACK_TO_BACK}, too")
    history = read_games(OrdinaryGames(game, options.drawn_seed), options.history) if options.history else ()

    def open_player() -> AbstractContextManager[Context]:
        transport = transport_of(game, options)
        drawn = options.drawn_seed, limits, options.examples, history
        return open_context(game, transport, *drawn, options.budget_s, options.profile)

    remade = partial(make_plan, replace(options, jobs=1))
    again = partial(repeat_command, options)
    return Plan(run, chosen, known, open_player, again, remade, options, fail_fast=options.fail_fast)


def transport_of(game: Game, options: Options) -> Transport:
    """Return a new transport to a player. Raises what `make_plan` raises."""
    if bool(options.tls_cert) != bool(options.tls_key):
        raise ValueError("--tls-cert and --tls-key belong together: the certificate of --listen, and its key")
    tls = TlsFiles(Path(options.tls_cert), Path(options.tls_key)) if options.tls_cert else None
    if isinstance(options.player, str) and options.player.startswith(("dial-in:", "exec:")):
        try:
            check_exposure(options.listen, {"--tls-cert and --tls-key": tls is not None}, insecure=options.insecure)
        except ExposedError as error:
            raise ValueError(str(error)) from None
    started = isinstance(options.player, str) and options.player.startswith("exec:")
    sandbox = "off" if options.sandbox == "auto" and not started else options.sandbox
    programs, _ = read_program_options(sandbox, options.program_limits, options.program_folders, os.environ)
    return make_transport(
        game,
        options.player,
        options.listen,
        options.start_limit_s,
        options.drawn_seed,
        tls=tls,
        insecure=options.insecure,
        programs=programs,
        credentials=Credentials.from_environment(os.environ, Path(options.ca) if options.ca else None),
        secret=options.secret or secret_from(os.environ),
    )


def _check_jobs(options: Options, kind: str) -> None:
    if kind == "dial-in":
        raise ValueError("--jobs is for players that can be there several times: one that dials in is one player")
    if kind == "object":
        raise ValueError("--jobs is for players that other processes can reach: give a link instead of an object")
    if kind == "exec" and not options.listen.endswith(":0"):
        raise ValueError("--jobs has a server for each job: give --listen an address with port 0")


def limits_of(game: Game, limit_s: float | None, first_limit_s: float | None) -> CallLimits:
    """Return the default limits of a game, at most LONGEST_S, replaced by the limits that are given.

    Raises Refusal if they make no sense.
    """
    control = TimeControl()
    if limit_s is not None:
        control.decision_limit.CopyFrom(duration(limit_s))
    if first_limit_s is not None:
        control.first_decision_limit.CopyFrom(duration(first_limit_s))
    limits = CallLimits.of(full_time_control(game, control))
    longest_s = max([LONGEST_S, *(each for each in (limit_s, first_limit_s) if each is not None)])
    return CallLimits(*(min(each, longest_s) for each in astuple(limits)))
