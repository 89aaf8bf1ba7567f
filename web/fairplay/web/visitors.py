"""Those who have entered the lobby through the pages, each known by a cookie."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hmac
import json
import logging
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import IO, NamedTuple

from fairplay.client.lobby.client import ConnectionState, LobbyClient, LobbyGoneError
from fairplay.client.lobby.controller import LobbyController
from fairplay.client.lobby.tokens import TokenStore
from fairplay.player.channels import Credentials
from fairplay.web.changes import Changes

LOCK = "lock"
VISITOR = "visitor.json"
LOG = logging.getLogger(__name__)
KEY_BYTES = 32
NEWS_LIMIT_S = 10.0
SWEEP_S = 1.0
RETURN_PAUSE_S = 0.5
MAX_BROWSERS = 8
"""In so many a person with an account is the same visitor; the first of them is known again after a new start."""
FULL = "so many people are here already that nobody else can enter through these pages"


def usual_directory(environment: Mapping[str, str]) -> Path:
    """Return the directory in which the pages of whoever runs them keep their visitors."""
    state = environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "fairplay" / "web"


class KeptVisitor(NamedTuple):
    """What is kept of a visitor beside the tokens of its name: the name, and the token of its account, if it has one.

    `address` is the server where it has entered the lobby.
    """

    address: str
    name: str
    account_token: str


class VisitorFiles:
    """A directory with one directory for each visitor, named after the hash of its cookie; None keeps nothing.

    While these pages run they hold the lock of the directory: other pages that share it keep nothing.
    """

    def __init__(self, directory: Path | None) -> None:
        self._lock: IO[str] | None = None
        self._directory: Path | None = None
        if directory is not None:
            try:
                self._lock = _locked(directory)
                self._directory = directory
            except OSError as error:
                LOG.warning("visitors do not outlive these pages: %s: %s", directory, error.strerror)

    def tokens(self, visitor_id: str) -> TokenStore:
        """Return where the tokens of a visitor's name are kept."""
        return TokenStore(self._directory / visitor_id if self._directory is not None else None)

    def load(self, address: str) -> Mapping[str, KeptVisitor]:
        """Return the visitors of the lobby at an address, by their ids. Those that cannot be read are forgotten."""
        found = {}
        for path in self._directory.glob(f"*/{VISITOR}") if self._directory is not None else ():
            try:
                visitor = KeptVisitor(**json.loads(path.read_text("utf-8")))
            except (OSError, ValueError, TypeError):
                self.forget(path.parent.name)
                continue
            if visitor.address == address:
                found[path.parent.name] = visitor
        return found

    def keep(self, visitor_id: str, visitor: KeptVisitor) -> None:
        """Write a visitor down; only whoever runs the pages can read it."""
        if self._directory is None:
            return
        path = self._directory / visitor_id / VISITOR
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                json.dump(visitor._asdict(), file)
        except OSError as error:
            LOG.warning("a visitor does not outlive these pages: %s: %s", path, error.strerror)

    def forget(self, visitor_id: str) -> None:
        """Remove a visitor."""
        if self._directory is not None:
            shutil.rmtree(self._directory / visitor_id, ignore_errors=True)

    def close(self) -> None:
        """Leave the directory to other pages."""
        if self._lock is not None:
            self._lock.close()
        self._lock = self._directory = None


def _locked(directory: Path) -> IO[str]:
    """Return the file whose lock is that of a directory. Raises OSError if other pages hold it."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context((directory / LOCK).open("w"))
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stack.pop_all()
        return file


class Visitor:
    """A person in the lobby. It stays there, and in its seat, as long as one of its pages is open or was lately."""

    def __init__(self, address: str, credentials: Credentials, tokens: TokenStore) -> None:
        self.changes = Changes()
        self.client = LobbyClient(address, self._follow, tokens=tokens, credentials=credentials)
        self._account_token = credentials.token
        self.controller = LobbyController(self.client, self.changes.notify)
        self.notice = ""
        """Why the last thing that was asked for was refused; empty if it was not."""
        self._seen_s = time.monotonic()
        self._pages = 0
        self._attending: asyncio.Task[None] | None = None
        self._table = ""
        """The name of the table where the person was last seen."""

    def _follow(self) -> None:
        here = self.client.lobby.table
        if self._table and here is None and self._table not in self.client.lobby.tables:
            self.notice = f"the table {self._table} was deleted: you are back in the lobby."
        self._table = here.name if here is not None else ""
        self.controller.follow()

    @property
    def name(self) -> str:
        """Return the name in the lobby."""
        return self.client.lobby.me

    @property
    def trouble(self) -> str:
        """Return what is wrong with the connection to the server; empty if nothing is."""
        return "" if self.client.connection.state is ConnectionState.LIVE else self.client.connection.sentence

    def take_notice(self) -> str:
        """Return why the last thing was refused, once."""
        notice, self.notice = self.notice, ""
        return notice

    def is_called(self, name: str, account_token: str) -> bool:
        """Return whether somebody with this name and token of an account is this person, who is here still."""
        known = hmac.compare_digest(account_token.encode(), self._account_token.encode())
        return account_token != "" and known and name.lower() == self.name.lower() and not self.client.over

    async def enter(self, name: str) -> str:
        """Enter the lobby and wait a while until it is known; if that is refused return why. Raises LobbyGoneError."""
        refusal = await self.client.enter(name)
        if not refusal:
            self._attending = asyncio.create_task(self.client.attend())
            await self.until(lambda: bool(self.client.lobby.sequence))
            # Who was let in is in, and sees the lobby as soon as it is known: a busy machine may take its time.
            if self.client.over:
                return self.client.connection.sentence
        return refusal

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until the lobby, as it is known here, fulfils a condition, but not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(NEWS_LIMIT_S):
                while not holds() and not self.client.over:
                    await self.changes.wait(self.changes.version)

    def touch(self) -> None:
        """Record that the person is here."""
        self._seen_s = time.monotonic()

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Count an open page for as long as the context lasts."""
        self._pages += 1
        try:
            yield
        finally:
            self._pages -= 1
            self.touch()

    def is_gone(self, grace_s: float) -> bool:
        """Return whether no page was open for longer than the grace time, or the lobby has ended the connection."""
        return not self._pages and (self.client.over or time.monotonic() - self._seen_s > grace_s)

    async def leave(self, *, keep_seat: bool = False) -> None:
        """Leave the lobby; with `keep_seat`, leave no seat, as the person comes back."""
        await self.controller.close(keep_seat=keep_seat)
        if self._attending is not None:
            self._attending.cancel()
            await asyncio.gather(self._attending, return_exceptions=True)
        self.changes.notify()


class Visitors:
    """All visitors, by the hashes of the keys in their cookies.

    Those who stay away longer than the grace time leave the lobby.
    """

    def __init__(self, address: str, credentials: Credentials, grace_s: float, most: int, files: VisitorFiles) -> None:
        self._address = address
        self._credentials = credentials
        self._grace_s = grace_s
        self._most = most
        self._files = files
        self._by_id: dict[str, Visitor] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def changes(self) -> Sequence[Changes]:
        """Return the changes of all visitors."""
        return [visitor.changes for visitor in self._by_id.values()]

    def find(self, key: str) -> Visitor | None:
        """Return the visitor with a key, or None; it is here now."""
        visitor = self._by_id.get(visitor_id(key))
        if visitor is not None:
            visitor.touch()
        return visitor

    async def enter(self, name: str, token: str) -> tuple[str, str]:
        """Enter under a name, with the token of an account if there is one.

        Returns the key of the new visitor, or why it is refused as the second. Raises LobbyGoneError if there is no
        lobby.
        """
        if len(self._by_id) >= self._most:
            return "", FULL
        key = secrets.token_urlsafe(KEY_BYTES)
        refusal = await self._admit(visitor_id(key), KeptVisitor(self._address, name, token))
        return ("", refusal) if refusal else (key, "")

    async def _admit(self, each: str, kept: KeptVisitor) -> str:
        """Have a visitor enter; return why that is refused, or an empty text. Raises LobbyGoneError."""
        here = [known for known, other in self._by_id.items() if other.is_called(kept.name, kept.account_token)]
        if here:
            self._by_id[each] = self._by_id[here[0]]
            for longest in here[1 : 2 - MAX_BROWSERS]:
                del self._by_id[longest]
            return ""
        # Never with the token of the pages: who enters without a token of its own would be whoever runs them.
        credentials = replace(self._credentials, token=kept.account_token)
        visitor = Visitor(self._address, credentials, self._files.tokens(each))
        refusal = "the pages end just now"
        try:
            refusal = await visitor.enter(kept.name)
        finally:
            if refusal:
                await visitor.leave(keep_seat=True)
        if not refusal:
            self._by_id[each] = visitor
            self._files.keep(each, kept)
        return refusal

    async def bring_back(self) -> None:
        """Have those enter again who were here when the pages ended; they are waited for as long as the grace time."""
        kept = self._files.load(self._address)
        await asyncio.gather(*(self._bring_back(each, visitor) for each, visitor in kept.items()))

    async def _bring_back(self, each: str, kept: KeptVisitor) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._grace_s):
                while True:
                    try:
                        if await self._admit(each, kept):
                            break
                        return
                    except LobbyGoneError:
                        await asyncio.sleep(RETURN_PAUSE_S)
        self._files.forget(each)

    async def leave(self, visitor: Visitor) -> None:
        """Have a visitor leave, and forget its key."""
        for each in [each for each, known in self._by_id.items() if known is visitor]:
            del self._by_id[each]
            self._files.forget(each)
        await visitor.leave()

    async def sweep(self) -> None:
        """Have those leave who are gone, again and again, until this task is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_S)
            gone = [visitor for visitor in set(self._by_id.values()) if visitor.is_gone(self._grace_s)]
            await asyncio.gather(*(self.leave(visitor) for visitor in gone))

    async def close(self) -> None:
        """End all connections. Who has a seat keeps it for when the pages are there again."""
        await asyncio.gather(*(visitor.leave(keep_seat=True) for visitor in set(self._by_id.values())))
        self._by_id.clear()
        self._files.close()


def visitor_id(key: str) -> str:
    """Return the hash of the key in a visitor's cookie, under which it may be written down."""
    return sha256(key.encode()).hexdigest()
