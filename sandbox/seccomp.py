"""Compiles seccomp profiles, in the container engines' JSON form, to classic BPF.

The same `seccomp.json` goes to Docker as text and to bwrap as the program that this module
assembles, so that both backends deny the same calls. See seccomp(2) and
Documentation/userspace-api/seccomp_filter.rst of Linux for the data that a filter sees.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from sandbox.errors import SandboxError
from sandbox.syscalls import TABLES

_AUDIT_ARCH: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT: Final = 0x40000000
_EPERM: Final = 1

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_AND: Final = 0x54  # BPF_ALU | BPF_AND | BPF_K
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST: Final = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_KILL_PROCESS: Final = 0x80000000
_OFFSET_NUMBER: Final = 0
_OFFSET_ARCH: Final = 4
_OFFSET_ARGS: Final = 16

Instruction = tuple[int, int, int, int]


def profile_text(name: str = "seccomp.json") -> str:
    """The profile as it is handed to a container engine."""
    return (resources.files("sandbox") / name).read_text("utf-8")


@cache
def program(name: str, machine: str) -> bytes:
    """A profile as a BPF program, an array of `struct sock_filter`.

    Args:
        name: `seccomp.json` (the whole sandbox) or `seccomp_child.json` (what a child adds).
        machine: Architecture as `uname -m` has it.

    Raises:
        SandboxError: The architecture is not known.
    """
    if machine not in TABLES:
        raise SandboxError(
            f"no system call table for {machine}",
            remedy=f"run on one of {', '.join(sorted(TABLES))}",
        )
    profile = json.loads(profile_text(name))
    return b"".join(struct.pack("<HBBI", *line) for line in _assemble(profile, machine))


def _assemble(profile: Mapping[str, Any], machine: str) -> Iterator[Instruction]:
    yield _LOAD, 0, 0, _OFFSET_ARCH
    yield _EQUAL, 1, 0, _AUDIT_ARCH[machine]
    yield _RETURN, 0, 0, _KILL_PROCESS
    yield _LOAD, 0, 0, _OFFSET_NUMBER
    if machine == "x86_64":
        yield _AT_LEAST, 0, 1, _X32_BIT
        yield _RETURN, 0, 0, _ERRNO | _EPERM
    for rule in profile["syscalls"]:
        for name in rule["names"]:
            number = TABLES[machine].get(name)
            if number is not None:
                yield from _rule(number, rule)
    yield _RETURN, 0, 0, _action(profile["defaultAction"], _EPERM)


def _rule(number: int, rule: Mapping[str, Any]) -> Iterator[Instruction]:
    """The accumulator holds the call's number before and after."""
    inner: list[Instruction] = []
    for argument in rule.get("args", []):
        inner += _argument(argument)
    body = [*inner, (_RETURN, 0, 0, _action(rule["action"], rule.get("errnoRet", _EPERM)))]
    if inner:
        body.append((_LOAD, 0, 0, _OFFSET_NUMBER))
    yield _EQUAL, 0, len(body), number
    # A mismatch of any argument goes to the last line, which restores the number.
    for index, (code, true, false, value) in enumerate(body):
        missed = len(body) - 2 - index if code == _EQUAL else false
        yield code, true, missed, value


def _argument(argument: Mapping[str, Any]) -> list[Instruction]:
    """Compares both halves of a 64-bit argument; the jumps are filled in by the caller."""
    offset = _OFFSET_ARGS + 8 * argument["index"]
    masked = argument["op"] == "SCMP_CMP_MASKED_EQ"
    if not masked and argument["op"] != "SCMP_CMP_EQ":
        raise SandboxError(f"seccomp comparison {argument['op']} is not supported")
    mask = argument["value"] if masked else ~0
    wanted = argument.get("valueTwo", 0) if masked else argument["value"]
    lines: list[Instruction] = []
    for half in (0, 32):
        lines.append((_LOAD, 0, 0, offset + half // 8))
        lines.append((_AND, 0, 0, mask >> half & 0xFFFFFFFF))
        lines.append((_EQUAL, 0, 0, wanted >> half & 0xFFFFFFFF))
    return lines


def _action(name: str, errno: int) -> int:
    return {"SCMP_ACT_ALLOW": _ALLOW, "SCMP_ACT_ERRNO": _ERRNO | errno}[name]
