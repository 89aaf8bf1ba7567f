"""The reference server: referee, links, manager, records and the command line."""

from importlib.metadata import version

__version__ = version("fairplay")
