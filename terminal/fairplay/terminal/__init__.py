"""The command line, `fairplay …`. What a command needs is imported when it runs, so that help is quick."""

import os
import sys

from fairplay.games.kit.ending import exit_code, on_end, stop


def main() -> None:
    """Run the command line."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed: files of ours must not take its place
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
    try:
        os.getcwd()  # noqa: PTH109
    except FileNotFoundError:
        sys.stderr.write("fairplay: the current folder is gone: change to another one\n")
        sys.exit(1)
    try:
        with on_end(stop):
            from fairplay.terminal.commands.app import main as run

            run()
    except KeyboardInterrupt as interrupt:  # before the command could say so itself
        sys.stderr.write("fairplay: stopped\n")
        sys.exit(exit_code(interrupt))
    except ModuleNotFoundError as error:
        from fairplay.terminal.commands.extras import missing_extra

        sentence = missing_extra(error, sys.argv[1:])
        if sentence is None:
            raise
        sys.stderr.write(f"fairplay: {sentence}\n")
        sys.exit(2)
    finally:
        # An interrupt that came while Python ran code from text, as dataclasses and gRPC do when they are imported, is
        # remembered as unhandled, and would end the process by a signal after all. Running more text makes it forget.
        exec("")


__all__ = ["main"]
