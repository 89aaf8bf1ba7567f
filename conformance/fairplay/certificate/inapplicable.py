"""The cases that need not concern a player, by the kind of transport over which it is reached.

Any other case that is NOT APPLICABLE in a certificate is not met.
"""

from __future__ import annotations

from collections.abc import Mapping

_ALL = frozenset(("grpc", "dial-in", "exec", "bot", "object"))
_NOT_STARTED = _ALL - {"exec"}


INAPPLICABLE: Mapping[str, frozenset[str]] = {
    # what only a player can do that dials in
    "contract.one-reply-per-call": _ALL - {"dial-in", "exec"},
    "identity.hello": _ALL - {"dial-in"},
    # what only a player can do that is started; which may support only one of the ways of being reached
    "contract.both-ways-agree": _ALL,
    # what certificates may name that were made while players could offer a stream
    "contract.stream-agrees": _ALL,
    # what a player need not do
    "identity.ends": _ALL,
    "identity.replaced": _ALL,
    # what only a player can do that does not dial in by itself
    "identity.reached-again": frozenset(("dial-in",)),
    # what is measured where the processes of the player are known
    "growth.files": _NOT_STARTED,
    "growth.memory": _NOT_STARTED,
    "growth.output": _NOT_STARTED,
    "growth.processes": _NOT_STARTED,
    "growth.threads": _NOT_STARTED,
    "robustness.memory-growth": _NOT_STARTED - {"bot"},
    # what needs a connection
    "robustness.reconnect": frozenset(("bot", "object")),
}
"""Case -> the kinds of transport over which the contract does not demand it of every player."""


SERVER = "server"
"""What stands in the place of a game in certificates of servers."""
OPTIONAL_OF_SERVERS = ("records.", "connection.large-frame", "refuses.exec")
"""How the ids of the cases begin about what a server may leave out."""


def may_be_inapplicable(case_id: str, reached_by: str, game: str) -> bool:
    """Return whether a case need not concern every player, or server, that is reached over a kind of transport."""
    if game == SERVER:
        return case_id.startswith(OPTIONAL_OF_SERVERS)
    return reached_by in INAPPLICABLE.get(case_id, ())
