"""The command line, `fairplay …`. What a command needs is imported when it runs, so that help is quick."""

import signal
import sys


def main() -> None:
    """Runs the command line."""
    try:
        from reference_server.cli.app import main as run

        run()
    except KeyboardInterrupt:  # before the command could say so itself
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.stderr.write("fairplay: stopped\n")
        sys.exit(130)


__all__ = ["main"]
