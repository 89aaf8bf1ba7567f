"""The first program in a sandbox: it hands sockets of its network out to the guard, and becomes the command.

    python gate.py SOCKET COUNT MAX_TASKS COMMAND...

The program finds its server at FAIRPLAY_CONNECT, whose host may be one of IPv6; where there is no IPv6, at HOST.

SOCKET is the descriptor of the connection to the guard, COUNT how many sockets are made, MAX_TASKS a limit that the
kernel keeps where it can. It uses no other file of ours: nothing else of the server is in a sandbox.
"""

import os
import resource
import socket
import sys

GATE = "/run/fairplay/gate.py"
"""Where this file is in a sandbox."""
TEMP_FOLDERS = ("/tmp", "/dev/shm")
"""The folders in a sandbox that a program may write to."""
HOST, HOST_2, HOST_6 = "127.0.0.1", "127.0.0.2", "[::1]"
CONNECT_PORT, LISTEN_PORT = 50_050, 50_051
"""Where the program finds its server, and where it may serve, unless it is told other ports."""


def main(words: "list[str]") -> int:
    """Open the way out, and run the command in the place of this program. Return an exit code if it cannot be run."""
    guard = socket.socket(fileno=int(words[0]))
    count, max_tasks, command = int(words[1]), int(words[2]), words[3:]
    listener = way_out()
    listener.listen()
    made = [socket.socket() for _ in range(count)]
    for each in made:
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    socket.send_fds(guard, [b"open"], [listener.fileno(), *(each.fileno() for each in made)])
    for each in (guard, listener, *made):
        each.close()
    if max_tasks:
        resource.setrlimit(resource.RLIMIT_NPROC, (max_tasks, max_tasks))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
    return 127


def way_out() -> socket.socket:
    """Return a socket that is bound to where the program finds its server."""
    host, _, number = os.environ.get("FAIRPLAY_CONNECT", "").rpartition(":")
    port = int(number or CONNECT_PORT)
    if host == HOST_6:
        try:
            listener = socket.socket(socket.AF_INET6)
            listener.bind((HOST_6.strip("[]"), port))
        except OSError:
            os.environ["FAIRPLAY_CONNECT"] = f"{HOST}:{port}"
        else:
            return listener
    listener = socket.socket()
    listener.bind(("", port))  # nobody else is in the sandbox
    return listener


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
