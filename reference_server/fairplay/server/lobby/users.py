"""The users who are in the lobby, and the names that are kept for those who are not."""

from __future__ import annotations

import hmac
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from fairplay.server.links.dial_in import Hub, same
from fairplay.server.lobby.events import EventStream
from fairplay.server.lobby.table import Table
from fairplay.server.manager.signup import Timer
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import TokenBucket
from fairplay.server.net.text import fold
from fairplay.v1.table_pb2 import Part
from fairplay.v1.table_pb2 import User as UserMessage

TOKEN_BYTES = 24
HERE = "is in the lobby already"


@dataclass(frozen=True, slots=True)
class LobbyLimits:
    """The limits of a lobby.

    A user without a stream is lost after `grace_s`. A table where nobody is, and whose owner is not in the lobby
    either, is deleted after `empty_s`; after a new start of the server, seats are kept for so long. A user may make
    `requests_per_second` in the long run and `burst` at once; those who are not users yet, as many together for each
    host, and `enter_burst` at once; of one host at most `max_host_user_count` are in the lobby.
    """

    grace_s: float = 10.0
    empty_s: float = 60.0
    requests_per_second: int = 20
    burst: int = 40
    enter_burst: int = 100
    max_user_count: int = 5_000
    max_host_user_count: int = 500
    max_table_count: int = 1_000
    max_owned_count: int = 10


@dataclass(slots=True, eq=False)
class User:
    """A user of the lobby.

    `since` is the sequence number with which it came to its table; `deadline` is when it is lost, if it has no stream.
    `stream_count` counts replaced streams too that have not ended yet.
    """

    name: str
    token: str
    bucket: TokenBucket
    table: Table | None = None
    since: int = 0
    stream: EventStream | None = None
    stream_count: int = 0
    deadline: Timer | None = None
    host: str = ""

    @property
    def key(self) -> bytes:
        """Return the hash of the token, which may be recorded."""
        return hash_token(self.token)

    @property
    def playing(self) -> bool:
        """Return whether the user has a seat in a running game."""
        return self.table is not None and self.table.running and self.table.seat(self.name) is not None

    def to_message(self) -> UserMessage:
        """Return the user as everybody may see it."""
        if self.table is None:
            return UserMessage(name=self.name)
        part = Part.PART_WATCHER if self.name in self.table.watchers else Part.PART_PLAYER
        return UserMessage(name=self.name, table=self.table.name, part=part)


class _KeptName(NamedTuple):
    """A name that only the user with the token of this key may enter with."""

    name: str
    key: bytes


class Users:
    """All users by name and by token, and the names that are kept. Names are found in capital and small letters."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._by_name: dict[str, User] = {}
        self._by_token: dict[str, User] = {}
        self._kept: dict[str, _KeptName] = {}
        self._by_host: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[User]:
        return iter(self._by_name.values())

    def find(self, name: str) -> User | None:
        """Return the user of a name, or None if it is not here."""
        return self._by_name.get(fold(name))

    def find_by_token(self, token: str) -> User | None:
        """Return the user with a token, or None if there is none."""
        return self._by_token.get(token)

    def find_returning(self, name: str, token: str) -> User | None:
        """Return the user of a name who is here and has this token, or None if nobody is here under the name.

        Raises Refusal if the name is another user's, or is not free for somebody with this token.
        """
        user = self.find(name)
        if user is None:
            self._check_unused(name, token)
        elif not same(token, user.token) and not (token and self._hub.holds(user.name, token)):
            raise _taken(name, token, HERE)
        return user

    def _check_unused(self, name: str, token: str) -> None:
        """Raise Refusal if the name of nobody here is not free for somebody with this token."""
        kept = self._kept.get(fold(name))
        if kept is not None:
            if not hmac.compare_digest(hash_token(token), kept.key):
                raise _taken(name, token, "is kept for a user who owns a table or plays a game")
        elif self._hub.guards(name) and not self._hub.holds(name, token):
            raise _taken(name, token, "has dialled in with a token")

    def check_free(self, user: User, name: str) -> None:
        """Raise Refusal if a user cannot be called by a name: it is another's, or kept for another."""
        other = self.find(name)
        try:
            if other is None:
                self._check_unused(name, user.token)
        except Refusal as refusal:
            raise Refusal("NAME_TAKEN", f"{name} is not free: choose another name", "name", given=name) from refusal
        if other not in (None, user):
            raise Refusal("NAME_TAKEN", f"{name} {HERE}: choose another name", "name", given=name)

    def host_count(self, host: str) -> int:
        """Return how many users of this host are here."""
        return self._by_host[host]

    def admit(self, name: str, token: str, bucket: TokenBucket, host: str = "") -> User:
        """Admit a new user, or one who comes back to a kept name as it was spelled; see `find_returning` before."""
        kept = self._kept.pop(fold(name), None)
        user = User(kept.name, token, bucket) if kept else User(name, secrets.token_urlsafe(TOKEN_BYTES), bucket)
        user.host = host
        self._by_host[host] += 1
        self._by_name[fold(user.name)] = self._by_token[user.token] = user
        self._hub.claim(user.name, user.token)
        return user

    def rename(self, user: User, name: str) -> None:
        """Give a user a name that is free for it; see `check_free` before."""
        del self._by_name[fold(user.name)]
        self._hub.release(user.name)
        self._kept.pop(fold(name), None)
        user.name = name
        self._by_name[fold(name)] = user
        self._hub.claim(name, user.token)

    def remove(self, user: User) -> None:
        """Remove a user who is gone; its name is free, unless it is kept."""
        del self._by_name[fold(user.name)], self._by_token[user.token]
        self._by_host[user.host] -= 1
        if not self._by_host[user.host]:
            del self._by_host[user.host]
        self._hub.release(user.name)

    def keep(self, name: str, key: bytes) -> None:
        """Keep the name of a user who is not here for the token of this key."""
        self._kept[fold(name)] = _KeptName(name, key)

    def free(self, name: str) -> None:
        """Keep a name no longer."""
        self._kept.pop(fold(name), None)


def hash_token(token: str) -> bytes:
    """Return the hash of a token. Tokens of the lobby are long and random: nobody finds one from its hash."""
    return sha256(token.encode()).digest()


def _taken(name: str, token: str, why: str) -> Refusal:
    if token:
        return Refusal("WRONG_TOKEN", f"{name} {why}, and the token is not the one of that name", "token")
    message = f"{name} {why}: enter with another name, or with the token of that name"
    return Refusal("NAME_TAKEN", message, "name", given=name)
