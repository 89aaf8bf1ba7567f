"""Accounts, and the tokens and invitations by which they are known."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TypeVar

from fairplay.server.access.caller import NAMES, Caller
from fairplay.server.links.spec import NAME
from fairplay.server.records.accounts import AccountRow, AccountsDatabase, InvitationRow, TokenRow
from fairplay.server.records.errors import RecordExists

TOKEN, INVITATION = "fpt", "fpi"
"""How tokens and invitations begin: whoever finds one in a file or a log knows what it is."""
SECRET_BYTES = 32
MAX_CHARS = 256
REFRESH_S = 0.5
"""How soon the server notices what commands have changed."""

Row = TypeVar("Row", TokenRow, InvitationRow)


class AccountError(Exception):
    """Raised, with one sentence, if an account, token or invitation cannot be had."""


class NameTakenError(AccountError):
    """Raised, with one sentence, if there is an account of a name already."""


class Accounts:
    """The accounts of a directory. `now_s` returns the time of day; `monotonic_s` one that nobody sets."""

    def __init__(
        self,
        database: AccountsDatabase,
        now_s: Callable[[], float] = time.time,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._now_s = now_s
        self._monotonic_s = monotonic_s
        self._version = -1
        self._fresh_until_s = -1.0
        self._accounts: dict[str, AccountRow] = {}
        self._tokens: dict[str, TokenRow] = {}
        self._invitations: dict[str, InvitationRow] = {}

    # --- who somebody is ---

    def find(self, token: str) -> Caller | None:
        """Return whose token this is; None if it is nobody's, or has expired."""
        self._refresh()
        found = self._valid(self._tokens, TOKEN, token)
        return self._caller(found.account) if found is not None else None

    def of(self, key: str) -> Caller | None:
        """Return the owner of an account; None if there is no such account."""
        self._refresh()
        return self._caller(key)

    def find_by_subject(self, subject: str) -> Caller | None:
        """Return who has certificates with this common name; None if nobody has."""
        self._refresh()
        keys = [each.key for each in self._accounts.values() if subject and each.subject == subject]
        return self._caller(keys[0]) if len(keys) == 1 else None

    def _caller(self, key: str) -> Caller | None:
        account = self._accounts.get(key)
        return Caller(key, NAMES[account.role], account.name) if account is not None else None

    def _valid(self, rows: Mapping[str, Row], kind: str, text: str) -> Row | None:
        """Return the row of a text that was told once. Takes as long for a wrong secret as for the right one."""
        parts = text.split("_", 2)
        if len(text) > MAX_CHARS or len(parts) != 3 or parts[0] != kind:
            return None
        row = rows.get(parts[1])
        digest = row.digest if row is not None else b""
        same = hmac.compare_digest(sha256(text.encode()).digest(), digest)
        if row is None or not same or (row.expires_s is not None and row.expires_s <= self._now_s()):
            return None
        return row

    # --- what operators and invited people change ---

    @property
    def accounts(self) -> list[AccountRow]:
        """Return all accounts, by name."""
        return self._database.accounts()

    @property
    def tokens(self) -> list[TokenRow]:
        """Return all tokens, by account and id."""
        return sorted(self._database.tokens(), key=lambda row: row.account)

    @property
    def invitations(self) -> list[InvitationRow]:
        """Return all invitations, by id."""
        return self._database.invitations()

    def add(self, name: str, role: str, subject: str = "") -> None:
        """Add an account. Raises AccountError if its name or role is not allowed, or the name or subject is taken."""
        row = AccountRow(_key(name), name, _role(role), subject)
        if subject and any(each.subject == subject for each in self._database.accounts()):
            raise AccountError(f"the subject {subject!r} belongs to another account")
        try:
            self._database.add_account(row)
        except RecordExists as error:
            raise NameTakenError(str(error)) from None
        self._stale()

    def change(self, name: str, role: str) -> None:
        """Give an account another role. Raises AccountError if there is no such account or role."""
        if not self._database.change_account(_key(name), role=_role(role)):
            raise AccountError(f"there is no account {name}")
        self._stale()

    def remove(self, name: str) -> None:
        """Remove an account and its tokens. Raises AccountError if there is none of this name."""
        if not self._database.remove_account(_key(name)):
            raise AccountError(f"there is no account {name}")
        self._stale()

    def new_token(self, name: str, lasts_s: float | None) -> tuple[str, int | None]:
        """Return a new token of an account, and when it expires. Raises AccountError if there is no such account."""
        key = _key(name)
        if key not in {row.key for row in self._database.accounts()}:
            raise AccountError(f"there is no account {name}")
        id_, token = _secret(TOKEN)
        row = TokenRow(id_, sha256(token.encode()).digest(), key, self._end_s(lasts_s))
        self._database.add_token(row)
        self._stale()
        return token, row.expires_s

    def invite(self, role: str, count: int, lasts_s: float | None) -> str:
        """Return a new invitation, for so many accounts of a role. Raises AccountError if there is no such role."""
        id_, invitation = _secret(INVITATION)
        digest = sha256(invitation.encode()).digest()
        self._database.add_invitation(InvitationRow(id_, digest, _role(role), count, self._end_s(lasts_s)))
        self._stale()
        return invitation

    def redeem(self, name: str, invitation: str) -> Caller | None:
        """Add an account for somebody who was invited; None if the invitation does not serve.

        Raises AccountError if the name is not allowed, NameTakenError if it is taken.
        """
        self._refresh()
        found = self._valid(self._invitations, INVITATION, invitation)
        if found is None:
            return None
        row = AccountRow(_key(name), name, found.role)
        try:
            added = self._database.add_invited(row, found.id)
        except RecordExists as error:
            raise NameTakenError(str(error)) from None
        self._stale()
        return Caller(row.key, NAMES[row.role], name) if added else None

    def revoke(self, id_: str) -> None:
        """Revoke a token or an invitation by its id. Raises AccountError if there is none."""
        if not self._database.remove_token(id_):
            raise AccountError(f"there is no token and no invitation with the id {id_[:40]!r}")
        self._stale()

    def _end_s(self, lasts_s: float | None) -> int | None:
        return None if lasts_s is None else int(self._now_s() + lasts_s)

    # --- what is read from the database ---

    def _stale(self) -> None:
        self._fresh_until_s = -1.0

    def _refresh(self) -> None:
        """Read the tables again if they have changed, which is looked at now and then."""
        now_s = self._monotonic_s()
        if now_s < self._fresh_until_s:
            return
        version = self._database.version()
        if version != self._version:
            self._accounts = {row.key: row for row in self._database.accounts()}
            self._tokens = {row.id: row for row in self._database.tokens()}
            self._invitations = {row.id: row for row in self._database.invitations()}
            self._version = version
        self._fresh_until_s = now_s + REFRESH_S


def _secret(kind: str) -> tuple[str, str]:
    """Return an id, and the text that begins with it and holds 256 random bits."""
    id_ = secrets.token_hex(4)
    return id_, f"{kind}_{id_}_{secrets.token_urlsafe(SECRET_BYTES)}"


def _key(name: str) -> str:
    if not NAME.fullmatch(name):
        raise AccountError(f"{name[:80]!r} is not a name: 1 to 64 letters, digits, '-', '_' or '.', not '.' or '..'")
    return name.lower()


def _role(role: str) -> str:
    if role not in NAMES:
        raise AccountError(f"{role[:80]!r} is not a role: give {', '.join(NAMES)}")
    return role
