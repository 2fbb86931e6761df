"""Proves at start-up, from inside a sandbox, that its limits hold.

The probe is an ordinary submission, run the ordinary way, so that what is proved is what
submissions meet. A backend that fails refuses to run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any, Final

from sandbox.backends.base import Backend
from sandbox.box import Box
from sandbox.errors import RunEnded, SandboxUnavailable
from sandbox.limits import MIB, Limits
from sandbox.observation import Kind
from sandbox.ops import Call
from sandbox.outcome import Outcome
from sandbox.run import Run
from sandbox.syscalls import TABLES

_MEMORY: Final = 96 * MIB
_EVERYTHING: Final = ("/",)
_CAPABILITY_SETS: Final = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
_AF: Final = {"AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16, "AF_PACKET": 17, "AF_VSOCK": 40}
_CLONE_NEWUSER: Final = 0x10000000
# Every one of these must be refused to the whole sandbox, arguments as harmless as can be.
DENIED_CALLS: Final[Mapping[str, tuple[int, ...]]] = {
    "ptrace": (0, 0, 0, 0),
    "process_vm_readv": (1, 0, 0, 0, 0, 0),
    "process_vm_writev": (1, 0, 0, 0, 0, 0),
    "kcmp": (1, 1, 0, 0, 0),
    "pidfd_open": (1, 0),
    "pidfd_getfd": (0, 0, 0),
    "io_uring_setup": (1, 0),
    "io_uring_enter": (0, 0, 0, 0, 0),
    "io_uring_register": (0, 0, 0, 0),
    "unshare": (_CLONE_NEWUSER,),
    "setns": (0, 0),
    "clone": (_CLONE_NEWUSER, 0, 0, 0, 0),
    "mount": (0, 0, 0, 0, 0),
    "umount2": (0, 0),
    "pivot_root": (0, 0),
    "chroot": (0,),
    "fsopen": (0, 0),
    "open_tree": (0, 0, 0),
    "move_mount": (0, 0, 0, 0, 0),
    "prlimit64": (1, 7, 0, 0),  # the limits of another process
    "keyctl": (0, -3, 0),
    "add_key": (0, 0, 0, 0, 0),
    "request_key": (0, 0, 0, 0),
    "bpf": (0, 0, 0),
    "perf_event_open": (0, 0, 0, 0, 0),
    "userfaultfd": (0,),
    "memfd_create": (0, 0),
    "execveat": (0, 0, 0, 0, 0),
    "shmget": (0, 4096, 0o1600),
    "semget": (0, 1, 0o1600),
    "msgget": (0, 0o1600),
    "mq_open": (0, 0, 0, 0),
    "personality": (0xFFFFFFFF,),
    "open_by_handle_at": (0, 0, 0),
    "name_to_handle_at": (0, 0, 0, 0, 0),
    "fanotify_init": (0, 0),
    "inotify_init1": (0,),
    "setuid": (0,),
    "setgroups": (0, 0),
    "mknodat": (-100, 0, 0, 0),
    "symlinkat": (0, -100, 0),
    "syslog": (3, 0, 0),
    "kexec_load": (0, 0, 0, 0),
    "init_module": (0, 0, 0),
    "reboot": (0, 0, 0, 0),
    "swapon": (0, 0),
    "clock_settime": (0, 0),
    "sethostname": (0, 0),
    "mlockall": (0,),
    "quotactl": (0, 0, 0, 0),
    "acct": (0,),
}


@dataclass(frozen=True, slots=True)
class Proof:
    """One limit that was tried and held.

    Args:
        name: Which limit.
        evidence: What was tried and what came of it.
    """

    name: str
    evidence: str

    def __str__(self) -> str:
        return f"{self.name}: {self.evidence}"


class _Broken(Exception):  # noqa: N818  caught in this module
    """A limit does not hold."""


def prove(backend: Backend, limits: Limits) -> tuple[Proof, ...]:
    """Tries every limit of a backend.

    Args:
        backend: The backend.
        limits: What its sandboxes will be started with.

    Raises:
        SandboxUnavailable: A limit does not hold; untrusted code must not be run.
        InfraError: A sandbox did not start.
    """
    proofs = []
    try:
        with Box(backend.start(limits), limits) as box:
            for check in (_with_filter, _without_filter, _memory, _time):
                proofs += check(box, limits)
        if backend.accounting == "cgroup":
            proofs.append(_kernel_memory(backend))
    except _Broken as broken:
        raise SandboxUnavailable(
            f"backend {backend.name} does not hold: {broken}",
            remedy="nothing is run on it; use another backend or repair this one",
        ) from None
    except RunEnded as ended:
        raise SandboxUnavailable(
            f"backend {backend.name} failed its self-check: {ended}", remedy="use another backend"
        ) from None
    return tuple(proofs)


class _Probe:
    """Asks the probe, one call after the other."""

    def __init__(self, run: Run) -> None:
        self._run = run
        if not run.load().ok:
            raise _Broken("the probe could not be imported")

    def ask(self, name: str, *arguments: Any) -> Any:
        observation = self._run.call(Call(name, arguments))
        if observation.kind is not Kind.VALUE:
            raise _Broken(f"probe {name} said {observation.raised or observation.note}")
        return observation.value


def _source() -> bytes:
    return (resources.files("sandbox") / "probe.py").read_bytes()


def _demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise _Broken(complaint)


def _with_filter(box: Box, limits: Limits) -> list[Proof]:
    """What an ordinary submission meets."""
    with box.start(_source(), "probe", replace(limits, threads=False)) as run:
        probe = _Probe(run)
        fork, thread = probe.ask("fork_once"), probe.ask("thread_once")
        _demand(fork == "EPERM" and thread == "refused", f"fork {fork}, thread {thread}")
        opened = probe.ask("attack_supervisor")
        _demand(not opened, f"the supervisor or own process can be opened: {opened}")
        # An answer after five signals to PID 1 is the proof that it survived them.
        return [
            *_identity(probe.ask("status")),
            Proof("processes", "a submission's fork gives EPERM and its thread is refused"),
            Proof("supervisor", "PID 1 ignores signals; its memory and descriptors are closed"),
            *_disk(probe, limits),
        ]


def _identity(status: Mapping[str, str]) -> list[Proof]:
    held = {name: status[name] for name in _CAPABILITY_SETS if int(status[name], 16)}
    _demand(not held, f"capabilities are held: {held}")
    _demand(status["NoNewPrivs"] == "1", "new privileges can be had")
    _demand(status["Seccomp"] == "2", "no seccomp filter is in force")
    users = {int(text) for text in status["Uid"].split()}
    _demand(0 not in users, "submissions run as root")
    return [Proof("capabilities", f"none in any set, no new privileges, user {min(users)}")]


def _disk(probe: _Probe, limits: Limits) -> list[Proof]:
    found = probe.ask("writable", _EVERYTHING)
    if not limits.scratch_bytes:
        _demand(not found, f"files can be made in {found[:5]}")
        return [
            Proof("read-only root", "no file could be made in any directory"),
            Proof("disk", "there is nothing to write to"),
        ]
    _demand(found == ["/tmp"], f"files can be made in {found[:5]}")  # noqa: S108
    written, reason = probe.ask("fill", "/tmp/fill", 2 * limits.scratch_bytes)  # noqa: S108
    _demand(bool(reason), f"{written} bytes could be written to a scratch space that is smaller")
    return [
        Proof("read-only root", "files can be made in /tmp only"),
        Proof("disk", f"{reason} after {written} bytes in /tmp"),
    ]


def _without_filter(box: Box, limits: Limits) -> list[Proof]:
    """What the sandbox itself denies, to a process that did not deny it to itself."""
    with box.start(_source(), "probe", replace(limits, threads=True)) as run:
        probe = _Probe(run)
        found = probe.ask("interfaces")
        _demand(set(found) <= {"lo"}, f"network interfaces {found}")
        table = TABLES[box.machine]
        calls = {name: (table[name], arguments) for name, arguments in DENIED_CALLS.items()}
        for family, number in _AF.items():
            calls[f"socket({family})"] = (table["socket"], (number, 2, 0))
        allowed = {
            name: answer
            for name, (number, arguments) in calls.items()
            if (answer := probe.ask("system_call", number, arguments)) != "EPERM"
        }
        _demand(not allowed, f"system calls are not denied: {allowed}")
        proofs = [
            Proof("network", "no interface but lo, and no socket but AF_UNIX can be made"),
            Proof("seccomp", f"{len(calls)} calls tried, each EPERM"),
        ]
        return proofs + _process_count(probe, box, limits)


def _process_count(probe: _Probe, box: Box, limits: Limits) -> list[Proof]:
    if not box.counts_processes:
        return []
    count, reason = probe.ask("fork_many", limits.processes + 8)
    _demand(reason == "EAGAIN", f"{count} processes could be had")
    return [Proof("processes", f"EAGAIN after {count} children of an unfiltered process")]


def _memory(box: Box, limits: Limits) -> list[Proof]:
    ended = _ends(box, replace(limits, memory_bytes=_MEMORY), Call("grab", (4 * _MEMORY,)))
    _demand(ended.outcome is Outcome.MEMORY_LIMIT, f"memory: {ended}")
    return [Proof("memory", f"{ended.detail}, and ended")]


def _time(box: Box, limits: Limits) -> list[Proof]:
    ended = _ends(box, replace(limits, cpu_s=0.1), Call("spin"))
    _demand(ended.outcome is Outcome.TIMEOUT, f"CPU time: {ended}")
    return [Proof("cpu time", f"{ended.detail}, and ended")]


def _kernel_memory(backend: Backend) -> Proof:
    """Goes beyond the control group, which the supervisor's own limit never lets happen."""
    limits = Limits(memory_bytes=16 * MIB)
    careless = replace(limits, memory_bytes=4096 * MIB, threads=True)
    with Box(backend.start(limits), limits) as box:
        unlimited: Callable[..., Run] = box.start_unchecked
        ended = _ends_in(unlimited(_source(), "probe", careless), Call("grab", (1024 * MIB,)))
    _demand(ended.outcome is Outcome.MEMORY_LIMIT, f"control group memory: {ended}")
    return Proof(
        "memory", f"beyond the control group's {limits.sandbox_bytes} bytes: {ended.detail}"
    )


def _ends(box: Box, limits: Limits, op: Call) -> RunEnded:
    return _ends_in(box.start(_source(), "probe", limits), op)


def _ends_in(run: Run, op: Call) -> RunEnded:
    """Does an operation that must not come back."""
    with run:
        _Probe(run)
        try:
            run.call(op)
        except RunEnded as ended:
            return ended
    raise _Broken(f"{op.name} came back")
