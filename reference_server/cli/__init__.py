"""The command line, `fairplay …`. What a command needs is imported when it runs, so that help is quick."""

from reference_server.cli.app import main

__all__ = ["main"]
