"""The compiled filters, run by a small interpreter of classic BPF."""

import struct

import pytest

from sandbox import seccomp
from sandbox.errors import SandboxError
from sandbox.selfcheck import DENIED_CALLS
from sandbox.syscalls import TABLES

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000


def verdict(name, machine, call, *arguments, arch=None):
    """What a filter answers to a call."""
    number = TABLES[machine][call] if isinstance(call, str) else call
    wide = [argument % 2**64 for argument in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number, arch or ARCH[machine], 0, *wide)
    lines = list(struct.iter_unpack("<HBBI", seccomp.program(name, machine)))
    at = accumulator = 0
    while True:
        code, true, false, value = lines[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x15:
            at += true if accumulator == value else false
        elif code == 0x35:
            at += true if accumulator >= value else false
        elif code == 0x06:
            return value
        else:
            raise AssertionError(f"unknown instruction {code:#x}")


MACHINES = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])


@MACHINES
@pytest.mark.parametrize("call", ["read", "write", "mmap", "exit_group", "wait4", "futex"])
def test_what_the_worker_needs_is_allowed(machine, call):
    assert verdict("seccomp.json", machine, call) == ALLOW


@MACHINES
@pytest.mark.parametrize("call", DENIED_CALLS)
def test_what_nobody_needs_is_denied(machine, call):
    assert verdict("seccomp.json", machine, call, *DENIED_CALLS[call]) == EPERM


@MACHINES
def test_an_unknown_call_is_denied(machine):
    assert verdict("seccomp.json", machine, 5000) == EPERM


@MACHINES
def test_only_local_sockets_are_allowed(machine):
    for family in range(64):
        expected = ALLOW if family == 1 else EPERM
        assert verdict("seccomp.json", machine, "socket", family) == expected
    assert verdict("seccomp.json", machine, "socket", 1 | 1 << 32) == EPERM


@MACHINES
def test_no_namespace_flag_passes_clone(machine):
    assert verdict("seccomp.json", machine, "clone", 17) == ALLOW
    for bit in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict("seccomp.json", machine, "clone", 17 | bit) == EPERM
    assert verdict("seccomp.json", machine, "clone3") == ENOSYS


@MACHINES
def test_another_architecture_is_killed(machine):
    assert verdict("seccomp.json", machine, "read", arch=0x40000003) == KILL


def test_x32_is_denied():
    assert verdict("seccomp.json", "x86_64", 0x40000000) == EPERM
    assert verdict("seccomp_child.json", "x86_64", 0x40000000 | 57) == EPERM


@MACHINES
@pytest.mark.parametrize("call", ["clone", "execve", "socket", "setitimer"])
def test_a_child_denies_itself_processes_and_more(machine, call):
    assert verdict("seccomp_child.json", machine, call, 17) == EPERM


@MACHINES
def test_a_child_cannot_become_dumpable_again(machine):
    assert verdict("seccomp_child.json", machine, "prctl", 4, 1) == EPERM
    assert verdict("seccomp_child.json", machine, "prctl", 4 | 1 << 32, 1) == EPERM
    assert verdict("seccomp_child.json", machine, "prctl", 15) == ALLOW


def test_every_name_in_the_profiles_is_known():
    import json

    for name in ("seccomp.json", "seccomp_child.json"):
        for rule in json.loads(seccomp.profile_text(name))["syscalls"]:
            unknown = [call for call in rule["names"] if call not in TABLES["x86_64"]]
            assert not unknown


def test_an_unknown_machine_is_an_error_that_says_so():
    with pytest.raises(SandboxError, match="riscv64"):
        seccomp.program("seccomp.json", "riscv64")
