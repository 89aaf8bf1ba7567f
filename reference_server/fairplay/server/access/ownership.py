"""Whose names, games and tournaments are. What an account owns is changed by nobody else but an operator."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from fairplay.server.access.caller import CALLER, Caller
from fairplay.server.links.spec import NAME as ALLOWED
from fairplay.server.links.spec import parse_link
from fairplay.server.net.errors import Refusal
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.store import Store
from fairplay.v1.game_pb2 import Player

NAME = "name"
MAX_NAMES = 1_000
"""The most names of one account: nobody takes all the good ones."""


class Ownership:
    """Whose everything is. `database` None: a server without accounts, where nothing belongs to anybody."""

    def __init__(self, database: AccountsDatabase | None, store: Store) -> None:
        self._database = database
        self._store = store
        self._owners = database.owners() if database is not None else {}
        self._name_counts = Counter(account for (kind, _), account in self._owners.items() if kind == NAME)

    @property
    def known(self) -> bool:
        """Return whether anything can belong to anybody here."""
        return self._database is not None

    def owner(self, kind: str, id_: str) -> str:
        """Return whose something is, empty if it is nobody's. A game of a tournament is the tournament's owner's."""
        if kind == "game" and (kind, id_) not in self._owners:
            listing = self._store.find(id_)
            if listing is not None and listing.parent:
                return self.owner("tournament", listing.parent)
        return self._owners.get((kind, _key(kind, id_)), "")

    def exists(self, id_: str) -> bool:
        """Return whether there is a game or a tournament of this id, running or over."""
        return self._store.find(id_) is not None

    def check(self, kind: str, id_: str) -> None:
        """Check that the caller may change something, if there is such a thing. Raises Refusal if it is another's."""
        if self.exists(id_):
            self._check_own(kind, id_, CALLER.get())

    def _check_own(self, kind: str, id_: str, caller: Caller) -> None:
        if not caller.operator and (not caller.account or self.owner(kind, id_) != caller.account):
            message = f"the {kind} {id_[:128]} belongs to somebody else, who alone may change it"
            raise Refusal("NOT_OWNER", message, given=id_)

    @asynccontextmanager
    async def making(self, kind: str, id_: str) -> AsyncIterator[None]:
        """Give the caller what it makes now, a game or a tournament, if it can be made.

        Raises Refusal if there is one of this id that is not the caller's.
        """
        caller = CALLER.get()
        if self._database is None:
            yield
            return
        if (kind, id_) in self._owners or self.exists(id_):
            self._check_own(kind, id_, caller)
            yield
            return
        await self._give(kind, [id_], caller.account)
        try:
            yield
        except Refusal:
            if not self.exists(id_):
                await self._take_back(kind, id_)
            raise

    async def claim_names(self, names: Sequence[str], field: str = "") -> None:
        """Give the caller names to play under, all or none; names that nobody may have are left to who refuses them.

        Raises Refusal if one is another's, or the caller would have too many.
        """
        caller = CALLER.get()
        if self._database is None:
            return
        free = [name for name in names if not self.owner(NAME, name) and ALLOWED.fullmatch(name)]
        for name in names:
            if self.owner(NAME, name) and not self._may_use(name, caller):
                raise _taken(name, field)
        if caller.account and self._name_counts[caller.account] + len(free) > MAX_NAMES:
            message = f"your account would have more than {MAX_NAMES:,} names: take those that it has"
            raise Refusal("NAME_TAKEN", message, field, limit=MAX_NAMES)
        await self._give(NAME, free, caller.account)

    def check_name(self, name: str, field: str = "") -> None:
        """Check that a name is the caller's. Raises Refusal if it is not."""
        if self._database is not None and not self._may_use(name, CALLER.get()):
            raise _taken(name, field)

    def check_players(self, players: Iterable[Player], field: str) -> None:
        """Check that nobody plays in another's name, and nobody's player under a name that is not its account's.

        A name that belongs to another account may only be that of a player that has dialled in from that account, and
        such a player has no name of another account. Raises Refusal, which names the player's field under `field`, if
        that is not so.
        """
        if self._database is None:
            return
        for index, player in enumerate(players):
            owner, link_owner = self.owner(NAME, player.name), self.link_owner(player.link)
            if owner and not self._may_use(player.name, CALLER.get()) and link_owner != owner:
                raise _taken(player.name, f"{field}[{index}].name")
            if owner and link_owner != owner:
                self.check_link(player.link, f"{field}[{index}].link")

    def check_link(self, link: str, field: str) -> None:
        """Check that a link is not that of another's player. Raises Refusal, which names the field, if it is."""
        owner = self.link_owner(link)
        if owner and not CALLER.get().operator and owner != CALLER.get().account:
            raise Refusal("NOT_OWNER", "the player that has dialled in with this name belongs to somebody else", field)

    def link_owner(self, link: str) -> str:
        """Return whose player a link reaches, as far as that is known; empty if it is not."""
        try:
            spec = parse_link(link)
        except ValueError:
            return ""
        return self.owner(NAME, spec.value) if spec.kind == "dial-in" else ""

    def _may_use(self, name: str, caller: Caller) -> bool:
        return caller.operator or (caller.account != "" and self.owner(NAME, name) == caller.account)

    async def _give(self, kind: str, ids: Iterable[str], account: str) -> None:
        assert self._database is not None
        keys = sorted({_key(kind, id_) for id_ in ids})
        if not keys or not account:
            return
        for key in keys:
            self._owners[kind, key] = account  # at once: the next request must find it
        self._name_counts[account] += len(keys) if kind == NAME else 0
        try:
            await asyncio.to_thread(self._database.set_owner, kind, keys, account)
        except RecordsError:
            for key in keys:
                self._forget(kind, key)
            raise

    async def _take_back(self, kind: str, id_: str) -> None:
        assert self._database is not None
        self._forget(kind, id_)
        await asyncio.to_thread(self._database.remove_owner, kind, id_)

    def _forget(self, kind: str, id_: str) -> None:
        account = self._owners.pop((kind, id_), "")
        self._name_counts[account] -= kind == NAME


def _key(kind: str, id_: str) -> str:
    """Return how an owner is found: names that differ only in capital letters are the same."""
    return id_.lower() if kind == NAME else id_


def _taken(name: str, field: str) -> Refusal:
    message = f"the name {name[:64]} belongs to another account: choose another one"
    return Refusal("NAME_TAKEN", message, field, given=name)
