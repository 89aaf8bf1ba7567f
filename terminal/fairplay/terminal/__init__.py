"""The command line, `fairplay …`. What a command needs is imported when it runs, so that help is quick."""

import signal
import sys


def main() -> None:
    """Runs the command line."""
    try:
        from fairplay.terminal.app import main as run

        run()
    except KeyboardInterrupt:  # before the command could say so itself
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stderr.write("fairplay: stopped\n")
        sys.exit(130)
    finally:
        # An interrupt that came while Python ran code from text, as dataclasses and gRPC do when they are imported, is
        # remembered as unhandled, and would end the process by a signal after all. Running more text makes it forget.
        exec("")


__all__ = ["main"]
