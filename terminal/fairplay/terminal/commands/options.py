"""Commands from functions: an option is said once, as a parameter of the function or a field of a dataclass of options.

A dataclass of options is frozen, and its fields are annotated as parameters are: `listen: Annotated[str,
option("HOST:PORT", "Where to listen.")] = "127.0.0.1:0"` is the option `--listen`. A field whose type is another such
dataclass is a group of options that several commands share.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from fairplay.client.errors import USAGE_REASONS, FailedError, UsageError
from fairplay.games.kit.ending import exit_code
from fairplay.games.kit.files import descriptor_of
from fairplay.games.kit.printable import harmless_text

DONE, FAILED, USAGE = 0, 1, 2

STANDARD_OUTPUT = "-"


def fail(sentence: str, code: int = FAILED) -> typer.Exit:
    """Print what is wrong to standard error, and return what the command has to raise."""
    sys.stderr.write(f"fairplay: {harmless_text(sentence)}\n")
    return typer.Exit(code)


@contextmanager
def outcomes() -> Iterator[None]:
    """Turn every exception that a person can do something about into a sentence and an exit code."""
    try:
        # Imported here and not above: grpc is slow to load, and help does without it.
        import grpc

        from fairplay.server.net.errors import Refusal, reason_of
        from fairplay.server.records.errors import RecordsError
    except KeyboardInterrupt as interrupt:
        raise _stopped(interrupt) from None
    try:
        yield
    except UsageError as error:
        raise fail(str(error), USAGE) from None
    except Refusal as refusal:
        raise fail(refusal.message, USAGE if refusal.reason in USAGE_REASONS else FAILED) from None
    except grpc.RpcError as error:
        reason = reason_of(error)
        sentence = error.details() or error.code().name
        raise fail(sentence, USAGE if reason in USAGE_REASONS else FAILED) from None
    except (FailedError, RecordsError, OSError) as error:
        raise fail(str(error)) from None
    except KeyboardInterrupt as interrupt:
        raise _stopped(interrupt) from None


def _stopped(interrupt: KeyboardInterrupt) -> typer.Exit:
    return fail("stopped", exit_code(interrupt))


def option(metavar: str, help_: str, *flags: str, **more: Any) -> Any:
    """Describe an option. It is called as its field or parameter is, e.g. --start-limit, besides what `flags` say."""
    return typer.Option(..., *flags, metavar=metavar or None, help=help_, **more)


def argument(metavar: str, help_: str, **more: Any) -> Any:
    """Describe an argument, which stands without a name."""
    return typer.Argument(metavar=metavar, help=help_, **more)


def command(function: Callable[..., int | None]) -> Callable[..., None]:
    """Return what typer runs for a command.

    The function takes options, or dataclasses of them, and may return an exit code. What it raises for people to read
    ends the command with a sentence.
    """
    hints = get_type_hints(function, include_extras=True)
    own = [(each.name, hints[each.name], each.default) for each in signature(function).parameters.values()]

    @wraps(function)
    def run(**typed: Any) -> None:
        with outcomes():
            raise typer.Exit(function(**{name: _build(name, hint, typed) for name, hint, _ in own}) or DONE)

    parameters = [found for name, hint, default in own for found in _parameters(name, hint, default)]
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def group(help_: str) -> typer.Typer:
    """Return a command that has commands, with its help."""
    return typer.Typer(help=help_, no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def _group_of(hint: Any) -> Any:
    """Return the dataclass of options that an annotation names; None if it is that of a single option."""
    return next((each for each in (hint, *get_args(hint)) if isinstance(each, type) and is_dataclass(each)), None)


def _parameters(name: str, hint: Any, default: Any) -> Iterator[Parameter]:
    """Yield the parameters of typer for an option or, one after the other, for a group of options."""
    if (group := _group_of(hint)) is None:
        default = Parameter.empty if default is MISSING else default
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=_named(name, hint))
        return
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        yield from _parameters(each.name, hints[each.name], each.default)


def _named(name: str, hint: Any) -> Any:
    """Return the annotation of an option with its name as a flag: typer itself adds --no-NAME to flags."""
    if get_origin(hint) is not Annotated:
        return hint
    kind, *described = get_args(hint)
    found = copy.copy(described[0])
    if isinstance(found, OptionInfo) and not any(flag.startswith("--") for flag in found.param_decls or ()):
        found.param_decls = (f"--{name.strip('_').replace('_', '-')}", *(found.param_decls or ()))
    return Annotated[kind, found]


def _build(name: str, hint: Any, typed: Mapping[str, Any]) -> Any:
    """Return the value of an option, or the group with the values of its options."""
    if (group := _group_of(hint)) is None:
        return typed[name]
    hints = get_type_hints(group, include_extras=True)
    return group(**{each.name: _build(each.name, hints[each.name], typed) for each in fields(group)})


class Command(TyperCommand):
    """A command in which an option with a metavar in brackets, as `--json [FILE]`, may stand without its value.

    It then has the value "-", standard output. Other paths of standard output, such as /dev/stdout, become "-", too:
    commands print nothing else to "-".
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments of the command."""
        return super().parse_args(ctx, self.completed(args))

    def completed(self, arguments: list[str]) -> list[str]:
        """Return the arguments with the values that were left out."""
        optional = {name for each in self.params if (each.metavar or "").startswith("[") for name in each.opts}
        given: list[str] = []
        for index, word in enumerate(arguments):
            before, equals, path = word.rpartition("=")
            is_path = (before if equals else "".join(given[-1:])) in optional
            given.append(f"{before}{equals}{STANDARD_OUTPUT}" if is_path and descriptor_of(path) == 1 else word)
            following = arguments[index + 1 : index + 2]
            if word in optional and (
                not following or (following[0].startswith("-") and following[0] != STANDARD_OUTPUT)
            ):
                given.append(STANDARD_OUTPUT)
        return given
