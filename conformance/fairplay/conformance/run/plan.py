"""What a run is to do: derived from the options, and checked before anything is started."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path

from fairplay.certificate.limits import LONGEST_S
from fairplay.conformance.case_ids import BACK_TO_BACK
from fairplay.conformance.cases import cases
from fairplay.conformance.games.context import Context, open_context
from fairplay.conformance.games.scenarios import OrdinaryGames, read_games
from fairplay.conformance.games.trial import CallLimits, Scenario
from fairplay.conformance.player.transports import Transport, make_transport
from fairplay.conformance.run.judge import Plan
from fairplay.conformance.run.options import MAX_NONCE_CHARS, Options, repeat_command
from fairplay.conformance.run.report import Run, program_files
from fairplay.conformance.run.selection import choose_cases, find_level, ordered, read_known_failures
from fairplay.games.game import Game, find
from fairplay.player.channels import Credentials
from fairplay.player.exposure import ExposedError, check_exposure
from fairplay.player.secrets import secret_from
from fairplay.player.tls import TlsFiles
from fairplay.server.game.plans import full_time_control
from fairplay.server.links.link import duration
from fairplay.server.links.program import read_program_options
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import TimeControl


def make_plan(options: Options) -> Plan:
    """Return the plan of a run.

    Raises ValueError, with one sentence, if the options make no sense, SandboxMissingError if a sandbox is required and
    there is none.
    """
    game, level = find(options.game), find_level(options.level)
    everything = cases(game)
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
    run = Run(game.name, kind, options.seed, limits, level, options.only, *facts)
    chosen = ordered(game, choose_cases(everything, level, options.only))
    history = _history(options, game)

    def open_player() -> AbstractContextManager[Context]:
        transport = transport_of(game, options)
        return open_context(game, transport, options.drawn_seed, limits, options.examples, history, options.budget_s)

    return Plan(run, chosen, known, open_player, partial(repeat_command, options), options)


def transport_of(game: Game, options: Options) -> Transport:
    """Return a new transport to a player. Raises what `make_plan` raises."""
    if bool(options.tls_cert) != bool(options.tls_key):
        raise ValueError("--tls-cert and --tls-key belong together: the certificate of --listen, and its key")
    tls = TlsFiles(Path(options.tls_cert), Path(options.tls_key)) if options.tls_cert else None
    if isinstance(options.player, str) and options.player.startswith(("dial-in:", "exec:")):
        _check_exposure(options.listen, has_tls=tls is not None, insecure=options.insecure)
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


def _check_exposure(listen: str, *, has_tls: bool, insecure: bool) -> None:
    try:
        check_exposure(listen, {"--tls-cert and --tls-key": has_tls}, insecure=insecure)
    except ExposedError as error:
        raise ValueError(str(error)) from None


def _history(options: Options, game: Game) -> Sequence[Sequence[Scenario]]:
    """Return the games that are to be judged instead of those that a case says. Raises ValueError if there are none."""
    if options.history and options.only != BACK_TO_BACK:
        raise ValueError(f"--history says which games {BACK_TO_BACK} judges: give --only {BACK_TO_BACK}, too")
    return read_games(OrdinaryGames(game, options.drawn_seed), options.history) if options.history else ()


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
