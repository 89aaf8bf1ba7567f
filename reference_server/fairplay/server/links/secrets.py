"""The secrets of players that serve: taken out of requests as they come, and kept apart from all that is shown."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping

from fairplay.player.channels import PLAIN, SECURE
from fairplay.player.secrets import SecretError, check_secret
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.secrets import SecretsDatabase
from fairplay.v1.game_pb2 import Player

log = logging.getLogger("fairplay.links")


def checked_secret(link: str, secret: str, field: str) -> str:
    """Return the secret of a player with this link. Raises Refusal, which names the field, if it cannot be used."""
    if not secret:
        return ""
    if not link.startswith((PLAIN, SECURE)):
        message = "a secret is for a player that serves (grpc:// or grpcs://): leave it out for one with another link"
        raise Refusal("INVALID_SECRET", message, field)
    try:
        return check_secret(secret, "the secret")
    except SecretError as error:
        raise Refusal("INVALID_SECRET", str(error), field) from None


def take_secret(player: Player, field: str) -> str:
    """Remove the secret from a player and return it. Raises Refusal if it cannot be used."""
    secret = checked_secret(player.link, player.secret, f"{field}.secret")
    player.ClearField("secret")
    return secret


def take_secrets(players: Iterable[Player], field: str) -> dict[str, str]:
    """Remove the secrets from players and return them by the players' names. Raises Refusal if one cannot be used."""
    taken = {player.name: take_secret(player, f"{field}[{number}]") for number, player in enumerate(players)}
    return {name: secret for name, secret in taken.items() if secret}


class Secrets:
    """The secrets of the players of games and tournaments that are not over, and of tables.

    With a database, a server that is started again knows them. A database that fails is logged: the server goes on, and
    knows the secrets until it ends.
    """

    def __init__(self, database: SecretsDatabase | None = None) -> None:
        self._database = database
        self._known: dict[str, dict[str, str]] = {}

    def load(self, unfinished: Collection[str]) -> None:
        """Load the secrets of these games, tournaments and tables, and remove all others."""
        if self._database is None:
            return
        try:
            found = self._database.all()
            if over := [key for key in found if key[0] not in unfinished]:
                self._database.remove(over)
        except RecordsError as error:
            log.error("secrets of players are not known any more: %s", error)
            return
        for (record_id, name), secret in found.items():
            if record_id in unfinished:
                self._known.setdefault(record_id, {})[name] = secret

    def of(self, record_id: str, name: str) -> str:
        """Return the secret of a player of a game or tournament; "" if it has none."""
        return self._known.get(record_id, {}).get(name, "")

    def keep(self, record_id: str, secrets: Mapping[str, str]) -> None:
        """Keep secrets of players of a game or tournament, by their names."""
        if not secrets:
            return
        self._known.setdefault(record_id, {}).update(secrets)
        if self._database is not None:
            try:
                self._database.add(record_id, secrets)
            except RecordsError as error:
                log.error("secrets of players will not be known after a restart: %s", error)

    def replace(self, record_id: str, secrets: Mapping[str, str]) -> None:
        """Keep these secrets of players of a game, tournament or table, and no others of it."""
        known = self._known.get(record_id, {})
        for name in [name for name in known if name not in secrets]:
            self.forget(record_id, name)
        self.keep(record_id, {name: secret for name, secret in secrets.items() if known.get(name) != secret})

    def forget(self, record_id: str, name: str | None = None) -> None:
        """Forget the secret of one player of a game or tournament, or of all its players."""
        known = self._known.get(record_id, {})
        names = [each for each in known if name in (None, each)]
        for each in names:
            del known[each]
        if not known:
            self._known.pop(record_id, None)
        if names and self._database is not None:
            try:
                self._database.remove([(record_id, each) for each in names])
            except RecordsError as error:
                log.error("secrets of players that are over cannot be removed: %s", error)

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            self._database.close()
