"""Programs that mean harm. Each has hard bounds of its own, so that a failing test does not take the machine along."""

from __future__ import annotations

import shlex
import sys
from textwrap import indent

BOUNDS = """
import os, resource, signal, sys, time
signal.alarm(600)
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
cpu = resource.getrlimit(resource.RLIMIT_CPU)[1]
cpu = 90 if cpu == resource.RLIM_INFINITY else min(90, cpu)
resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
GIVE_UP = time.monotonic() + 300
"""
"""Ten minutes at most, and no process with more than 3 GiB, or with more than 90 s of a processor."""

FORK_BOMB = """
for _ in range(11):  # 2,048 processes at most
    os.fork()
    os.setsid() if os.getpid() != os.getsid(0) else None
    time.sleep(0.02)
time.sleep(60)
"""
ENDLESS_FORK_BOMB = """
while time.monotonic() < GIVE_UP:
    try:
        if not os.fork():
            os.setsid()
    except OSError:
        pass
"""
"""It goes on when the kernel refuses, each process in a session of its own."""
MEMORY_HOG = """
held = []
while len(held) < 200 and time.monotonic() < GIVE_UP:  # 2 GB at most
    held.append(bytearray(b"x") * 10_000_000)
time.sleep(60)
"""
MANY_HOGS = """
for _ in range(19):  # 20 processes with 40 MB each
    if not os.fork():
        break
held = bytearray(b"x") * 40_000_000
time.sleep(60)
"""
SOCKET_HOG = """
import socket
held = []
while len(held) < 2_000:  # 4,000 sockets with 0.2 MB each at most, unless they can be made larger
    pair = socket.socketpair()
    held.append(pair)
    for each in pair:
        each.setblocking(False)
        each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 500_000)
        try:
            while True:
                each.send(b"x" * 65_536)
        except BlockingIOError:
            pass
time.sleep(60)
"""
DISK_FILLER = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for number in range(40):  # 800 MB at most
    with open(f"/tmp/{number}-fill", "wb") as file:
        for _ in range(20):
            file.write(b"x" * 1_000_000)
time.sleep(60)
"""
LARGE_FILE = """
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it
with open(sys.argv[1], "wb") as file:
    for _ in range(100):  # 100 MB at most
        file.write(b"x" * 1_000_000)
time.sleep(60)
"""
CPU_BURNER = """
for _ in range(3):
    os.fork()
while time.monotonic() < GIVE_UP:
    pass
"""
THREADS = """
import threading
for _ in range(200):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)
"""
THREADS_UNTIL_REFUSED = """
import threading
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
except RuntimeError:
    os._exit(0)
time.sleep(60)
"""
OPEN_FILES = """
for _ in range(100):
    os.dup(0)
time.sleep(60)
"""
FLOOD = """
for _ in range(500):  # 500 MB at most
    os.write(2, b"x" * 1_000_000)
time.sleep(60)
"""
IGNORER = """
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass
for _ in range(2):  # out of its session, its group and its parent's reach
    if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(60)
        os._exit(0)
try:
    os.kill(os.getppid(), signal.SIGKILL)  # the guard, where it can be reached
except OSError:
    pass
"""
PLAYER = """
from fairplay.games.game import find
from fairplay.player.command import reach_from, run_player
player = find("fish").player("first")
player.setup = lambda request: attack()
run_player(player, reach_from(os.environ, serves=False))
"""
"""A sound player but for its first decision."""
RAISE = """
raise RuntimeError("still here")
"""
PROBER = """
import ctypes, glob, json, socket
reached = []

def attempt(what, deed):
    try:
        found = deed()
    except OSError:
        return
    if found is None or found:
        reached.append(what)

targets = json.loads(os.environ["TARGETS"])
for address in targets["addresses"]:
    attempt(address, lambda: socket.create_connection(tuple(address.rsplit(":", 1)), timeout=5).close())
attempt("internet", lambda: socket.create_connection(("1.1.1.1", 53), timeout=2).close())
attempt("virtual machines", lambda: socket.socket(40, socket.SOCK_STREAM).close())
for path in targets["paths"]:
    attempt("read " + path, lambda: open(path).read() if os.path.isfile(path) else os.listdir(path))
    attempt("write " + path, lambda: open(os.path.join(path, "x") if os.path.isdir(path) else path, "a").close())
for path in ("/proc/sys/kernel/core_pattern", "/usr/x", "/x", "/etc/x", *targets["files"]):
    attempt("write " + path, lambda: open(path, "a").close())
attempt("the passwords of the system", lambda: open("/etc/shadow").read())
attempt("other processes", lambda: [pid for pid in glob.glob("/proc/[0-9]*") if int(pid[6:]) not in (1, os.getpid())])
attempt("end process 1", lambda: (os.kill(1, signal.SIGKILL), time.sleep(0.2), not os.path.exists("/proc/1"))[2])
attempt("files in memory", lambda: os.close(os.memfd_create("x")))
wide = socket.socketpair()[0]
usual = wide.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
wide.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * usual)
attempt("large sockets", lambda: wide.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) > usual)
attempt("user namespaces", lambda: ctypes.CDLL(None).unshare(0x10000000) == 0)
variables = set(os.environ) - {"PATH", "LANG", "LANGUAGE", "TZ", "HOME", "TMPDIR", "USER", "LOGNAME", "PWD", "TARGETS"}
attempt("variables", lambda: [name for name in variables if not name.startswith(("FAIRPLAY_", "LC_"))])
raise RuntimeError("reached: " + json.dumps(reached))
"""


def in_first_decision(code: str) -> str:
    """Return the code of a player that plays by the rules up to its first decision, and then runs this code."""
    return "def attack():\n" + indent(code, "    ") + PLAYER


def hostile(code: str, *arguments: str) -> str:
    """Return the command of a program that means harm."""
    return shlex.join([sys.executable, "-c", BOUNDS + code, *arguments])


def link(code: str, *arguments: str) -> str:
    """Return the link to a player that is such a program."""
    return f"exec:{hostile(code, *arguments)}"
