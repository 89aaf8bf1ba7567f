"""Those who are in the lobby, and the names that are kept for those who are not."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.lobby.limits import Bucket
from fairplay.server.lobby.stream import Stream
from fairplay.server.lobby.table import Table
from fairplay.server.manager.signup import Timer
from fairplay.server.tokens import same
from fairplay.v1.table_pb2 import Part
from fairplay.v1.table_pb2 import User as UserMessage

TOKEN_BYTES = 24


@dataclass(slots=True, eq=False)
class User:
    """A user of the lobby.

    `since` is the sequence number with which it came to its table; `deadline` is when it is lost, if it has no stream.
    `stream_count` counts those too that were replaced and have not ended yet.
    """

    name: str
    token: str
    bucket: Bucket
    table: Table | None = None
    since: int = 0
    stream: Stream | None = None
    stream_count: int = 0
    deadline: Timer | None = None

    @property
    def key(self) -> bytes:
        """What of its token may be written down."""
        return key_of(self.token)

    @property
    def playing(self) -> bool:
        """Whether it has a seat in a game that goes on."""
        return self.table is not None and self.table.running and self.table.seat(self.name) is not None

    def shown(self) -> UserMessage:
        """The user as everybody may see it."""
        if self.table is None:
            return UserMessage(name=self.name)
        part = Part.PART_WATCHER if self.name in self.table.watchers else Part.PART_PLAYER
        return UserMessage(name=self.name, table=self.table.name, part=part)


class Users:
    """All users by name and by token; and keys for names that only their owners may come back to."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._by_name: dict[str, User] = {}
        self._by_token: dict[str, User] = {}
        self._kept: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[User]:
        return iter(self._by_name.values())

    def named(self, name: str) -> User | None:
        """The user of this name."""
        return self._by_name.get(name)

    def known(self, token: str) -> User | None:
        """The user with this token."""
        return self._by_token.get(token)

    def returning(self, name: str, token: str) -> User | None:
        """The user of this name, who is here and shows that it is the one. None: nobody is here under the name.

        Refusal: it is somebody else, or the name is not free for one who has this token.
        """
        user = self._by_name.get(name)
        if user is not None:
            if not same(token, user.token) and not (token and self._hub.holds(name, token)):
                raise _taken(name, token, "is in the lobby already")
        elif name in self._kept:
            if not hmac.compare_digest(key_of(token), self._kept[name]):
                raise _taken(name, token, "is kept for a user who owns a table or plays a game")
        elif self._hub.guards(name) and not (token and self._hub.holds(name, token)):
            raise _taken(name, token, "has dialled in with a token")
        return user

    def admit(self, name: str, token: str, bucket: Bucket) -> User:
        """A new user, or one who comes back to the name that was kept, with its token. Call `returning` before."""
        user = User(name, token if self._kept.pop(name, None) else secrets.token_urlsafe(TOKEN_BYTES), bucket)
        self._by_name[name] = self._by_token[user.token] = user
        self._hub.claim(name, user.token)
        return user

    def dismiss(self, user: User) -> None:
        """The user is gone, and the name is free, unless it is kept."""
        del self._by_name[user.name], self._by_token[user.token]
        self._hub.release(user.name)

    def keep(self, name: str, key: bytes) -> None:
        """Keeps the name of somebody who is not here."""
        self._kept[name] = key

    def forget(self, name: str) -> None:
        """The name need not be kept any more."""
        self._kept.pop(name, None)


def key_of(token: str) -> bytes:
    """What of a token may be written down. Tokens of the lobby are long and random: nobody finds one from this."""
    return sha256(token.encode()).digest()


def _taken(name: str, token: str, why: str) -> Refusal:
    if token:
        return Refusal("WRONG_TOKEN", f"{name} {why}, and the token is not the one of that name", "token")
    return Refusal("NAME_TAKEN", f"{name} {why}: enter with another name, or with the token of that name", "name")
