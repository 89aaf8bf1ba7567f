"""Names that are kept for players that are away: how many, and which are forgotten first."""

from __future__ import annotations

from collections import Counter, defaultdict

MAX_NAMES = 100_000
MAX_HOST_NAMES = 10_000


class KeptNames:
    """The names of players that are away, each kept for the token of its player.

    A name that is pinned plays or is to play: it is never forgotten. Of the others one host has at most MAX_HOST_NAMES,
    and all have at most MAX_NAMES; those that have been away longest are forgotten first.
    """

    def __init__(self) -> None:
        self._pins: Counter[str] = Counter()
        self._hosts: dict[str, str] = {}
        self._by_host: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def pin(self, name: str) -> None:
        """Keep a name for as long as it is pinned, whether its player is here or away."""
        self._pins[name] += 1
        self.discard(name)

    def pinned(self, name: str) -> bool:
        """Return whether a name plays or is to play."""
        return name in self._pins

    def unpin(self, name: str) -> bool:
        """Take one pin off, and return whether none is left."""
        self._pins[name] -= 1
        if self._pins[name] > 0:
            return False
        del self._pins[name]
        return True

    def add(self, name: str, host: str) -> list[str]:
        """Keep the name of a player of this host that is away now, and return the names that are forgotten for it."""
        if name in self._pins:
            return []
        self.discard(name)
        self._hosts[name] = host
        own = self._by_host[host]
        own[name] = None
        forgotten = []
        if len(own) > MAX_HOST_NAMES:
            forgotten.append(next(iter(own)))
        elif len(self._hosts) > MAX_NAMES:
            forgotten.append(next(iter(self._hosts)))
        for each in forgotten:
            self.discard(each)
        return forgotten

    def discard(self, name: str) -> None:
        """Drop a name whose player is back, or that is free again."""
        host = self._hosts.pop(name, None)
        if host is not None:
            own = self._by_host[host]
            del own[name]
            if not own:
                del self._by_host[host]
