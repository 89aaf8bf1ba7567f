"""The options of a run: how they are typed, and the command that judges a case again in the same way."""

from __future__ import annotations

import shlex
from dataclasses import replace

from fairplay.conformance.run.options import OPTIONS, Options, repeat_command

PLAIN = Options("fish", "exec:./me --fast")
EVERYTHING = Options(
    "fish",
    "exec:./me",
    level="must",
    only="memory",
    seed=7,
    nonce="a word",
    limit_s=0.5,
    first_limit_s=120.0,
    budget_s=60.0,
    start_limit_s=90.0,
    listen="127.0.0.1:50",
    tls_cert="cert.pem",
    tls_key="key.pem",
    insecure=True,
    ca="ca.pem",
    sandbox="off",
    program_limits="memory=1GiB",
    program_folders="/a:/b",
    jobs=4,
    fail_fast=True,
    known_failures="known.txt",
    secret="a secret",
    examples=3,
)
NAMES = {option.name: option for option in OPTIONS}


def test_what_is_as_usual_need_not_be_typed_again() -> None:
    wanted = ["fairplay", "certify", "fish", "exec:./me --fast", "--only", "memory.early-end", "--seed", "1"]
    assert shlex.split(repeat_command(PLAIN, "memory.early-end")) == wanted


def test_a_repeat_command_has_all_that_a_verdict_depends_on_and_nothing_else() -> None:
    assert repeat_command(EVERYTHING, "a.b") == (
        "fairplay certify fish exec:./me --only a.b --seed 7 --nonce 'a word' --limit 0.5s --first-limit 2m"
        " --start-limit 90s --listen 127.0.0.1:50 --tls-cert cert.pem --tls-key key.pem --insecure --ca ca.pem"
        " --sandbox off --program-limits memory=1GiB --program-folders /a:/b"
    )


def test_a_repeat_command_names_the_games_to_judge() -> None:
    assert repeat_command(PLAIN, "a.b", "seat-0-of-2").endswith(" --only a.b --seed 1 --history seat-0-of-2")
    with_history = replace(PLAIN, history="seat-1-of-2")
    assert repeat_command(with_history, "a.b").endswith(" --history seat-1-of-2")
    assert repeat_command(with_history, "a.b", "seat-0-of-2").endswith(" --history seat-0-of-2")


def test_nobody_can_type_a_player_that_is_an_object() -> None:
    assert repeat_command(Options("fish", object), "a.b") == ""


def test_nobody_can_type_a_secret_or_the_number_of_drawn_states() -> None:
    assert NAMES.keys().isdisjoint({"game", "player", "secret", "examples"})
    assert "a secret" not in repr(EVERYTHING)


def test_what_is_drawn_follows_from_the_seed_and_the_nonce() -> None:
    assert PLAIN.drawn_seed == 1
    # Whoever checks a certificate draws the same with any later version: the first 64 bits of sha256 of "7/a word".
    assert EVERYTHING.drawn_seed == 5_937_353_204_684_761_170
