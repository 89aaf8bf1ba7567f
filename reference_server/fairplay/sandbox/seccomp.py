"""The system calls that a program in a sandbox does not get: a filter for the kernel, as it reads it.

Left out is memory that no process shows (shared memory of System V, message queues, files in memory), networks that
namespaces do not separate (those of virtual machines), and parts of the kernel that no player needs. The sizes of what
sockets hold stay as they are: the guard counts sockets, and cannot see what is in them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

LOAD, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT, SECOND_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 24, 32
"""Where the kernel puts the number of the call, the kind of processor and the call's arguments."""
ALLOW, NO_SUCH_CALL, NO_SUCH_FAMILY = 0x7FFF0000, 0x00050000 | 38, 0x00050000 | 97
PRETEND = 0x00050000
"""Do nothing, and say that it is done."""
OF_SOCKETS, SIZES = 1, (7, 8, 32, 33)
"""The level of the options of all sockets, and those that say how much one holds: SO_SNDBUF, SO_RCVBUF and ...FORCE."""
X32 = 0x40000000
"""Numbers from here on are those of another set of calls, which do the same."""
FAMILIES = (1, 2, 10, 16)
"""Unix, IPv4, IPv6, and netlink, by which libraries ask for the network's interfaces."""


class Machine(NamedTuple):
    """A kind of processor: its number in the kernel, and the numbers of system calls there."""

    number: int
    socket: int
    set_option: int
    refused: Sequence[int]


MACHINES: Mapping[str, Machine] = {
    # shmget, msgget, memfd_create, memfd_secret, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd,
    # io_uring_setup
    "x86_64": Machine(0xC000003E, 41, 54, (29, 68, 319, 447, 248, 249, 250, 321, 298, 323, 425)),
    "aarch64": Machine(0xC00000B7, 198, 208, (194, 186, 279, 447, 217, 218, 219, 280, 241, 282, 425)),
}


def seccomp_filter(machine: str) -> bytes | None:
    """Return the filter for a kind of processor, as os.uname names it; None where its numbers are not known."""
    known = MACHINES.get(machine)
    if known is None:
        return None
    refuse, allow = _instruction(RETURN, NO_SUCH_CALL), _instruction(RETURN, ALLOW)
    code = [
        *(_instruction(LOAD, MACHINE), _instruction(IF_EQUAL, known.number, 1, 0), refuse),
        *(_instruction(LOAD, NUMBER), _instruction(IF_AT_LEAST, X32, 0, 1), refuse),
    ]
    for number in known.refused:
        code += [_instruction(IF_EQUAL, number, 0, 1), refuse]
    code += _setting_sizes(known.set_option)
    code += [_instruction(IF_EQUAL, known.socket, 1, 0), allow, _instruction(LOAD, FIRST_ARGUMENT)]
    for family in FAMILIES:
        code += [_instruction(IF_EQUAL, family, 0, 1), allow]
    return b"".join([*code, _instruction(RETURN, NO_SUCH_FAMILY)])


def _setting_sizes(set_option: int) -> list[bytes]:
    """Return the part that pretends to set what sockets hold; calls other than `set_option` go on behind it."""
    allow, pretend = _instruction(RETURN, ALLOW), _instruction(RETURN, PRETEND)
    code = [_instruction(LOAD, SECOND_ARGUMENT), _instruction(IF_EQUAL, OF_SOCKETS, 1, 0), allow]
    code.append(_instruction(LOAD, THIRD_ARGUMENT))
    for option in SIZES:
        code += [_instruction(IF_EQUAL, option, 0, 1), pretend]
    code.append(allow)
    return [_instruction(IF_EQUAL, set_option, 0, len(code)), *code]


def own_filter() -> bytes | None:
    """Return the filter for this machine, or None where its numbers are not known."""
    return seccomp_filter(os.uname().machine)


def _instruction(kind: int, value: int, skip_if: int = 0, skip_else: int = 0) -> bytes:
    """Return one instruction; a test skips so many of the next ones if it holds, or so many if it does not."""
    return struct.pack("=HBBI", kind, skip_if, skip_else, value)
