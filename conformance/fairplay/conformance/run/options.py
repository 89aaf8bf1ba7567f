"""The options of a run, spelled once: for library calls, the command, the pytest plugin and repeat commands.

Light: the command line reads it to show its help.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any

MAX_SEED = 2**64 - 1
MAX_JOBS = 64
EXAMPLES = 300
MAX_NONCE_CHARS = 128
BUDGET_S = 600.0


def _option(
    default: Any, metavar: str, help_: str, *, low: int | None = None, high: int | None = None, repeats: bool = False
) -> Any:
    """Return a field that users can set. `repeats`: a command that repeats one case has to name its value."""
    return field(
        default=default, metadata={"metavar": metavar, "help": help_, "min": low, "max": high, "repeats": repeats}
    )


@dataclass(frozen=True, slots=True)
class Options:
    """What to judge, and how. Times are seconds."""

    game: str
    player: str | Callable[[], object]
    """A link, e.g. "exec:./my-player", or a function that returns a new player object each time it is called."""
    level: str = _option("all", "LEVEL", "must, should or all.")
    only: str = _option("", "PATTERN", "Cases by id, e.g. memory, 'rules.*' or a,b; * is anything.")
    seed: int = _option(1, "N", "The same seed, the same cases.", low=0, high=MAX_SEED, repeats=True)
    nonce: str = _option(
        "", "TEXT", "A word of who will check the certificate: other cases for each word.", repeats=True
    )
    profile: str = _option(
        "", "NAME", "Only games of a profile, e.g. standard: fairplay games GAME lists them.", repeats=True
    )
    limit_s: float | None = _option(None, "TIME", "Time for a call, e.g. 1s. Default: the game's.", repeats=True)
    first_limit_s: float | None = _option(None, "TIME", "Time for the first decision of a game.", repeats=True)
    budget_s: float = _option(BUDGET_S, "TIME", "Time for all cases; what it does not suffice for is not tested.")
    start_limit_s: float = _option(10.0, "TIME", "Time to come up.", repeats=True)
    listen: str = _option(
        "127.0.0.1:0", "HOST:PORT", "Where players dial in; port 0: any free one; or unix:PATH.", repeats=True
    )
    tls_cert: str = _option("", "FILE", "The certificate with which --listen speaks TLS, in PEM.", repeats=True)
    tls_key: str = _option("", "FILE", "The key of --tls-cert, in PEM.", repeats=True)
    insecure: bool = _option(False, "", "Let --listen be reached by other machines without TLS.", repeats=True)
    ca: str = _option(
        "", "FILE", "Who vouches for a player at grpcs:, in PEM. Default: FAIRPLAY_CA, or the system.", repeats=True
    )
    sandbox: str = _option(
        "auto", "WORD", "Run a program (exec:) in a sandbox: auto (where it can be), require or off.", repeats=True
    )
    program_limits: str = _option(
        "", "NAME=N,…", "What a program may use, e.g. memory=1GiB,processes=64,cpu=10m.", repeats=True
    )
    program_folders: str = _option(
        "", "DIR:DIR", "Folders that a program in a sandbox may read besides its own.", repeats=True
    )
    jobs: int = _option(1, "N", "Judge so many cases at once; with --roster, so many players.", low=1, high=MAX_JOBS)
    fail_fast: bool = _option(False, "", "Stop at the first MUST that is not met.")
    known_failures: str = _option(
        "", "FILE", "Ids of cases that are known to fail: if no other fails, the exit code is 0."
    )
    history: str = _option("", "GAMES", "Only judge these games, one after the other, as the report names them.")
    secret: str = field(default="", repr=False)
    """The secret of a player that serves. Empty: that of FAIRPLAY_SECRET, if it is set."""
    known: Sequence[str] = ()
    """Ids of cases that are known to fail, besides those in the file."""
    examples: int = EXAMPLES
    """How many states are drawn for each case that draws them."""

    @property
    def drawn_seed(self) -> int:
        """Return the seed of everything that is drawn: it follows from the seed and the nonce."""
        if not self.nonce:
            return self.seed
        return int.from_bytes(hashlib.sha256(f"{self.seed}/{self.nonce}".encode()).digest()[:8])


OPTIONS: Sequence[Field[Any]] = [each for each in fields(Options) if each.metadata]
"""The fields of Options that users can set."""
PYTEST_OPTIONS = [each for each in OPTIONS if each.name not in ("insecure", "jobs")]
"""Those that make sense where pytest runs the cases."""


def is_duration(option: Field[Any]) -> bool:
    """Return whether the value of an option is a number of seconds."""
    return option.name.endswith("_s")


def option_name(option: Field[Any]) -> str:
    """Return the name under which users set an option, e.g. "first-limit"."""
    return option.name.removesuffix("_s").replace("_", "-")


def option_text(option: Field[Any], value: object) -> str:
    """Return the value of an option as users type it, e.g. "0.5s"."""
    return duration_text(value) if isinstance(value, int | float) and is_duration(option) else str(value)


def duration_text(seconds: float) -> str:
    """Return a duration as users type it, e.g. "0.5s" or "10m"."""
    return f"{seconds / 60:g}m" if seconds >= 60 and seconds % 60 == 0 else f"{seconds:g}s"


def repeat_command(options: Options, case_id: str, history: str = "") -> str:
    """Return the command that judges one case again in the same way ("": all), or "" if the player has no link.

    `history` are games that the case is to judge, one after the other; empty: its own.
    """
    from fairplay.player.exposure import UNIX  # noqa: PLC0415 - loads gRPC, which the help of commands does without

    if not isinstance(options.player, str):
        return ""
    only = ["--only", case_id] if case_id else []
    words = ["fairplay", "certify", options.game, options.player, *only, "--seed", str(options.seed)]
    for option in OPTIONS:
        value = getattr(options, option.name)
        if option.name == "listen" and value.startswith(UNIX):
            continue  # of the machine where the suite ran, which may not be the author's
        if option.metadata["repeats"] and option.name != "seed" and value != option.default:
            words += [f"--{option_name(option)}", *([] if value is True else [option_text(option, value)])]
    history = history or options.history
    return shlex.join([*words, *(["--history", history] if history else [])])
