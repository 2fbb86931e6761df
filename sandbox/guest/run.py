"""One child from fork to reaping, as the supervisor sees it: relay, measure, limit, end."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Mapping
from typing import Any, Final, Protocol

from sandbox import wire
from sandbox.guest import child
from sandbox.guest.meter import Meter, memory_kills
from sandbox.stream import CHUNK, DATA, MAX_REPLY_HEADERS

_LOOK_EVERY_S: Final = 0.02
_CPU_PROGRESS_S: Final = 0.001
_GONE: Final = select.POLLHUP | select.POLLERR | select.POLLNVAL


class Host(Protocol):
    """What a run needs of the host's link."""

    def fileno(self) -> int:
        """Descriptor to poll for the end of the stream."""

    def receive(self, most: int, /) -> bytes:
        """Between 1 and `most` bytes."""

    def send(self, kind: int, data: bytes, /) -> None:
        """Sends one record."""


class Ended(Exception):  # noqa: N818  how a run ends, not an error
    """The run is over before its time."""

    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(outcome, detail)
        self.outcome = outcome
        self.detail = detail


class Output:
    """What the child prints on one descriptor: counted in full, kept in part.

    Args:
        descriptor: Reading end of the pipe; owned by this object.
        keep: Bytes that are kept.
    """

    def __init__(self, descriptor: int, keep: int) -> None:
        self.descriptor = descriptor
        self.count = 0
        self.kept = bytearray()
        self._keep = keep
        os.set_blocking(descriptor, False)

    def drain(self) -> bool:
        """Takes one pipe-full without waiting; False at the end of the stream."""
        try:
            data = os.read(self.descriptor, CHUNK)
        except BlockingIOError:
            return True
        self.count += len(data)
        self.kept += data[: self._keep - len(self.kept)]
        return bool(data)

    def text(self) -> str:
        """What was kept."""
        return self.kept.decode("utf-8", "replace")


class ReplyGauge:
    """Follows the frames of one reply through the byte stream without decoding them.

    Args:
        payload_limit: Bytes of payload that the whole reply may have.
    """

    def __init__(self, payload_limit: int) -> None:
        self._payload_left = payload_limit
        self._header_left = MAX_REPLY_HEADERS
        self._head = b""
        self._skip = 0
        self._last = False

    def feed(self, data: bytes) -> bool:
        """Takes the next bytes; True when they end the reply.

        Raises:
            wire.ProtocolError: Malformed, over its limits, or longer than one reply.
        """
        at = 0
        while at < len(data):
            if self._last and not self._skip:
                raise wire.ProtocolError("bytes after the end of the reply")
            if self._skip:
                step = min(self._skip, len(data) - at)
                self._skip -= step
                at += step
                continue
            step = wire.HEAD.size - len(self._head)
            self._head += data[at : at + step]
            at += step
            if len(self._head) == wire.HEAD.size:
                self._next_frame()
        return self._last and not self._skip

    def _next_frame(self) -> None:
        header, payload, more = wire.lengths(self._head, self._payload_left)
        self._head = b""
        self._header_left -= header
        self._payload_left -= payload
        if self._header_left < 0 or not header:
            raise wire.ProtocolError("reply with too many headers or an empty one")
        self._skip = header + payload
        self._last = not more


class Run:
    """One child.

    Args:
        host: Link to the host.
        null: Descriptor of /dev/null.
        control: The host's `start` request: `limits`, `child`, `guest_path`.
    """

    def __init__(self, host: Host, null: int, control: Mapping[str, Any]) -> None:
        self._host = host
        self._limits = control["limits"]
        self._link, theirs = socket.socketpair()
        pipes = [os.pipe(), os.pipe()]
        self._pid = os.fork()
        if self._pid == 0:
            orders = {**control["child"], "guest_path": control["guest_path"]}
            child.live(theirs.fileno(), null, pipes[0][1], pipes[1][1], orders)
        theirs.close()
        for _, writing in pipes:
            os.close(writing)
        self._link.setblocking(False)
        self._outputs = [Output(reading, self._limits["output_keep"]) for reading, _ in pipes]
        self._meter = Meter(self._pid)
        self._kills_before = memory_kills()
        self._rss, self._peak = self._meter.memory()
        self._rss_fork = self._rss
        self._cpu = self._cpu_before = self._wall = 0.0
        self._started = self._next_look = self._progress_at = 0.0
        self._progress_cpu = 0.0
        self._end: Ended | None = None
        self._reaped = False
        self._poll = self._poller()

    def _poller(self) -> select.poll:
        poll = select.poll()
        poll.register(self._host.fileno(), 0)
        poll.register(self._link.fileno(), select.POLLIN)
        for output in self._outputs:
            poll.register(output.descriptor, select.POLLIN)
        return poll

    def begun(self) -> Mapping[str, Any]:
        """What the host learns of a fresh run."""
        return {"rss_fork": self._rss_fork}

    def exchange(self, payload_limit: int, size: int) -> Mapping[str, Any]:
        """Relays one frame of `size` bytes to the child and its reply to the host."""
        now = time.monotonic()
        self._started = self._progress_at = now
        self._next_look = now + _LOOK_EVERY_S
        self._progress_cpu = self._cpu_before = self._cpu
        rss, left = self._rss, size
        try:
            if self._end is not None:
                raise self._end
            self._assert_quiet()
            while left:
                left -= self._push(self._host.receive(left))
            self._relay_reply(payload_limit)
            self._drain()
            self._look(time.monotonic(), peak=True)
        except Ended as ended:
            self._close(ended)
            while left:
                left -= len(self._host.receive(left))
        wall = time.monotonic() - now
        self._wall += wall
        return self._readings(wall, rss)

    def stop(self) -> Mapping[str, Any]:
        """Ends, reaps and reports on the whole run."""
        try:
            if self._end is None:
                self._assert_quiet()
                self._drain()
                self._look(time.monotonic(), peak=True)
            self._close(None)
        except Ended as ended:
            self._close(ended)
        self._link.close()
        self._meter.close()
        report = {
            **self._readings(0.0, 0),
            "stdout": self._outputs[0].text(),
            "stderr": self._outputs[1].text(),
            "cut": any(output.count > len(output.kept) for output in self._outputs),
            "left": _left_over(),
        }
        for output in self._outputs:
            os.close(output.descriptor)
        return report

    def _readings(self, wall: float, rss: int) -> dict[str, Any]:
        return {
            "cpu": self._cpu - self._cpu_before,
            "cpu_total": self._cpu,
            "wall": wall,
            "rss_before": rss,
            "peak": self._peak,
            "rss_fork": self._rss_fork,
            "end": None if self._end is None else [self._end.outcome, self._end.detail],
        }

    def _assert_quiet(self) -> None:
        """A child that speaks without being asked is not ours to believe."""
        try:
            data = self._link.recv(1)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        raise Ended("protocol_error", "spoke without being asked") if data else self._death()

    def _push(self, data: bytes) -> int:
        """Writes to the child, watching it meanwhile."""
        view = memoryview(data)
        while view:
            try:
                view = view[self._link.send(view) :]
            except BlockingIOError:
                self._wait(select.POLLOUT)
            except ConnectionError:
                raise self._death() from None
        return len(data)

    def _relay_reply(self, payload_limit: int) -> None:
        gauge = ReplyGauge(payload_limit)
        complete = False
        while not complete:
            self._wait(select.POLLIN)
            try:
                data = self._link.recv(CHUNK)
            except BlockingIOError:
                continue
            except ConnectionError:
                data = b""
            if not data:
                raise self._death()
            try:
                complete = gauge.feed(data)
            except wire.ProtocolError as error:
                raise Ended("protocol_error", str(error)) from None
            self._host.send(DATA, data)

    def _wait(self, events: int) -> None:
        """Waits until the child's link is ready; ends the run that goes over a limit.

        Raises:
            Ended: Over a limit.
        """
        link = self._link.fileno()
        self._poll.modify(link, events)
        while True:
            ready = self._poll.poll(_LOOK_EVERY_S * 1000)
            now = time.monotonic()
            if now >= self._next_look:
                self._look(now)
            self._hear(ready)
            if any(descriptor == link for descriptor, _ in ready):
                return

    def _hear(self, ready: list[tuple[int, int]]) -> None:
        for descriptor, flags in ready:
            if descriptor == self._host.fileno() and flags & _GONE:
                os._exit(0)
            for output in self._outputs:
                if descriptor == output.descriptor and not self._take(output):
                    self._poll.unregister(descriptor)

    def _take(self, output: Output) -> bool:
        more = output.drain()
        if sum(each.count for each in self._outputs) > self._limits["output_kill"]:
            raise Ended("killed", f"printed more than {self._limits['output_kill']} bytes")
        return more

    def _drain(self) -> None:
        """Takes what was printed up to now, until nothing more is there."""
        self._poll.modify(self._link.fileno(), 0)
        ready = self._poll.poll(0)
        while any(flags & select.POLLIN for _, flags in ready):
            self._hear(ready)
            ready = self._poll.poll(0)

    def _look(self, now: float, *, peak: bool = False) -> None:
        """Reads the meters and compares them with the limits."""
        self._next_look = now + _LOOK_EVERY_S
        try:
            self._cpu = max(self._cpu, self._meter.cpu_s())
            resident = self._peak_now() if peak else self._meter.resident()
        except OSError:  # gone; the link will tell
            return
        if resident > self._limits["memory"]:
            raise Ended("memory_limit", f"used {resident} of {self._limits['memory']} bytes")
        if self._cpu > self._limits["cpu_s"]:
            raise Ended("timeout", f"over {self._limits['cpu_s']} s of CPU time")
        if self._wall + now - self._started > self._limits["wall_s"]:
            raise Ended("timeout", f"over {self._limits['wall_s']} s of wall time")
        if self._cpu - self._progress_cpu > _CPU_PROGRESS_S:
            self._progress_cpu, self._progress_at = self._cpu, now
        elif now - self._progress_at > self._limits["idle_s"]:
            self._assert_idle(now)

    def _assert_idle(self, now: float) -> None:
        """A child that only waits for its turn on a busy machine is not idle."""
        try:
            runnable = self._meter.runnable()
        except OSError:
            return
        if not runnable:
            raise Ended("timeout", f"idle for {self._limits['idle_s']} s with an answer due")
        self._progress_at = now

    def _peak_now(self) -> int:
        """The highest VmHWM; notes VmRSS as what the next exchange starts from."""
        self._rss, peak = self._meter.memory()
        self._peak = max(self._peak, peak)
        return self._peak

    def _death(self) -> Ended:
        """Why the child's link closed."""
        for _ in range(500):
            pid, status, usage = os.wait4(self._pid, os.WNOHANG)
            if pid:
                return self._post_mortem(status, usage)
            time.sleep(0.001)
        return Ended("protocol_error", "closed its link")

    def _post_mortem(self, status: int, usage: Any) -> Ended:
        self._reaped = True
        self._account(usage)
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            return Ended("killed", f"ended itself with exit status {code}")
        if code == -signal.SIGXCPU or self._cpu > self._limits["cpu_s"]:
            return Ended("timeout", f"over {self._limits['cpu_s']} s of CPU time")
        if self._peak > self._limits["memory"]:
            return Ended("memory_limit", f"used {self._peak} of {self._limits['memory']} bytes")
        if memory_kills() > self._kills_before:
            return Ended("memory_limit", "the kernel ended it for want of memory")
        return Ended("killed", f"ended by signal {signal.Signals(-code).name}")

    def _account(self, usage: Any) -> None:
        """Takes the kernel's last word on the child."""
        self._cpu = max(self._cpu, usage.ru_utime + usage.ru_stime)
        self._peak = max(self._peak, usage.ru_maxrss * 1024)

    def _close(self, ended: Ended | None) -> None:
        """Latches why the run ended and makes sure that nothing of it is alive."""
        self._end = self._end or ended
        if not self._reaped:
            os.kill(self._pid, signal.SIGKILL)
            self._account(os.wait4(self._pid, 0)[2])
            self._reaped = True


def _left_over() -> list[int]:
    """Processes besides this one. Only PID 1 of its own namespace can tell."""
    if os.getpid() != 1:
        return []
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]
