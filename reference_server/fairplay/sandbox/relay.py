"""Joins connections inside a sandbox to Unix sockets outside, in both directions."""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

CHUNK_BYTES = 64 * 1024
MAX_WAITING_BYTES = 4 * CHUNK_BYTES
"""Of what one side has not read yet, so much is taken from the other side."""
MAX_JOINTS = 64
RETRY_S = 0.02

Close = Callable[["Joint"], None]


class Joint:
    """Two connections: what comes from one goes to the other, and so does the end."""

    def __init__(
        self, selector: selectors.BaseSelector, one: socket.socket, other: socket.socket, closed: Close
    ) -> None:
        self._selector = selector
        self._closed = closed
        self._peers = {one: other, other: one}
        self._waiting = {one: bytearray(), other: bytearray()}  # what is still to be sent to each of them
        self._ended: set[socket.socket] = set()  # those from which nothing comes any more
        self._shut: set[socket.socket] = set()  # those to which nothing is sent any more
        for each in self._peers:
            each.setblocking(False)
            selector.register(each, selectors.EVENT_READ, partial(self._turn, each))

    def _turn(self, side: socket.socket, events: int) -> None:
        if side.fileno() < 0:  # closed since the selector saw it
            return
        try:
            if events & selectors.EVENT_READ:
                self._read(side)
            if events & selectors.EVENT_WRITE:
                self._write(side)
        except OSError:
            self.close()
            return
        if len(self._shut) == len(self._peers):
            self.close()
            return
        for each in self._peers:
            self._select(each)

    def _read(self, side: socket.socket) -> None:
        try:
            chunk = side.recv(CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._ended.add(side)
        self._waiting[self._peers[side]] += chunk
        self._write(self._peers[side])

    def _write(self, side: socket.socket) -> None:
        waiting = self._waiting[side]
        if waiting:
            try:
                del waiting[: side.send(waiting)]
            except BlockingIOError:
                return
        if not waiting and self._peers[side] in self._ended and side not in self._shut:
            self._shut.add(side)
            side.shutdown(socket.SHUT_WR)

    def _select(self, side: socket.socket) -> None:
        """Wait for what can be done with one side: read while the other side keeps up, write while something waits."""
        reads = side not in self._ended and len(self._waiting[self._peers[side]]) < MAX_WAITING_BYTES
        events = (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if self._waiting[side] else 0)
        known = self._selector.get_map().get(side)
        if not events:
            if known is not None:
                self._selector.unregister(side)
        elif known is None:
            self._selector.register(side, events, partial(self._turn, side))
        elif known.events != events:
            self._selector.modify(side, events, known.data)

    def close(self) -> None:
        """Close both connections."""
        for each in self._peers:
            if each in self._selector.get_map():
                self._selector.unregister(each)
            each.close()
        self._closed(self)


class Relay:
    """All connections of one sandbox.

    The program reaches the server: `inside` listens in the sandbox, and each connection that comes is joined to one to
    the Unix socket `server`. The server reaches the program: each connection to the Unix socket `player` is joined to
    one to `address` in the sandbox, by one of the sockets that were made there, `spare`.
    """

    def __init__(self, selector: selectors.BaseSelector, server: str, player: str, address: tuple[str, int]) -> None:
        self._selector = selector
        self._server = server
        self._player = player
        self._address = address
        self._spare: deque[socket.socket] = deque()
        self._wanted: deque[tuple[socket.socket, float]] = deque()
        self._joints: set[Joint] = set()

    def open(self, inside: socket.socket, spare: Sequence[socket.socket]) -> None:
        """Take connections from now on. Raises OSError if the Unix socket cannot be made."""
        self._spare.extend(spare)
        outside = socket.socket(socket.AF_UNIX)
        outside.bind(self._player)
        for listener, take in ((inside, self._take_from_program), (outside, self._take_from_server)):
            listener.listen(MAX_JOINTS)
            listener.setblocking(False)
            self._selector.register(listener, selectors.EVENT_READ, partial(self._accept, listener, take))

    def _accept(self, listener: socket.socket, take: Callable[[socket.socket], None], _: int) -> None:
        try:
            connection, _address = listener.accept()
        except OSError:  # whoever came has gone again
            return
        if len(self._joints) + len(self._wanted) >= MAX_JOINTS:
            connection.close()
            return
        take(connection)

    def _take_from_program(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        other = socket.socket(socket.AF_UNIX)
        try:
            other.connect(self._server)
        except OSError:  # the server is gone
            other.close()
            connection.close()
            return
        self._join(connection, other)

    def _take_from_server(self, connection: socket.socket) -> None:
        self._wanted.append((connection, time.monotonic()))
        self.turn()

    def _join(self, one: socket.socket, other: socket.socket) -> None:
        self._joints.add(Joint(self._selector, one, other, self._joints.discard))

    def turn(self) -> float | None:
        """Try to reach the program for those that wait for it, and return in how many seconds to try again, if ever."""
        now = time.monotonic()
        for _ in range(len(self._wanted)):
            connection, due = self._wanted.popleft()
            if due > now:
                self._wanted.append((connection, due))
            elif _is_gone(connection):
                connection.close()
            elif not self._reach(connection):
                self._wanted.append((connection, now + RETRY_S))
        return RETRY_S if self._wanted else None

    def _reach(self, connection: socket.socket) -> bool:
        """Join a connection to the program, and return whether that was possible, or never will be."""
        if not self._spare:
            connection.close()
            return True
        other = self._spare.popleft()
        other.setblocking(False)
        code = other.connect_ex(self._address)
        if code == errno.ECONNREFUSED:  # it does not listen yet; the socket can be used again
            self._spare.append(other)
            return False
        if code not in (0, errno.EINPROGRESS):
            other.close()
            return False
        self._join(connection, other)
        return True

    def close(self) -> None:
        """Remove the Unix sockets with their folder: the server may have died and cannot do it."""
        for path in (self._player, self._server):
            try:
                os.unlink(path)  # noqa: PTH108 - few imports
            except FileNotFoundError:
                continue
        with contextlib.suppress(OSError):  # there is something else in it, or the server was faster
            os.rmdir(os.path.dirname(self._player))  # noqa: PTH106, PTH120


def _is_gone(connection: socket.socket) -> bool:
    """Return whether the other side has closed a connection on which it has not been answered."""
    connection.setblocking(False)
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
