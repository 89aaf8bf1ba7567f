"""The reference server: referee, links, manager, records, lobby and their gRPC services."""

from importlib.metadata import version

from fairplay.games.distribution import DISTRIBUTION

__version__ = version(DISTRIBUTION)
