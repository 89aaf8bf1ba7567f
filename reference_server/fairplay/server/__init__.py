"""The reference server: referee, links, manager, records, lobby and their gRPC services."""

from importlib.metadata import version

__version__ = version("fairplay")
