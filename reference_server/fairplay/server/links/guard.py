"""Run one command so that nothing of it outlives the server. Started as a program; it uses no other file of ours.

    python guard.py COMMAND...

The guard leads the process group of the command. It ends with the command, and kills the whole group, and whatever
left the group, as soon as its standard input is closed: when the server closes it, or dies in whatever way.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys

SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    """Run the command to its end, or to the end of standard input, and return its exit code."""
    if sys.platform == "linux":  # orphans of the command become the guard's children, wherever they went
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake, wakened = os.pipe()
    os.set_blocking(wakened, False)
    signal.set_wakeup_fd(wakened)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        return 127
    while child.poll() is None:
        ready, _, _ = select.select([0, wake], [], [])
        if 0 in ready:
            break
        if signal.SIGTERM in os.read(wake, 64):
            break
    _end_everything(child)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _end_everything(child: "subprocess.Popen[bytes]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if child.poll() is None:
        child.kill()
        child.wait()
    while True:
        for pid in _descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _descendants() -> list[int]:
    """Return the children of this process, which adopts what its descendants leave behind."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:  # noqa: PTH123 - few imports
            return [int(pid) for pid in file.read().split()]
    except OSError:  # no /proc: the process group is all that is known
        return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
