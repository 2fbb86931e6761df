"""One run of a submission, as the host sees it.

Everything that arrives here may come from hostile code; whatever is wrong with it ends the run
with `protocol_error`, and a run that has ended stays ended.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from sandbox import seccomp, wire
from sandbox.channel import Channel
from sandbox.errors import InfraError, RunEnded
from sandbox.limits import Limits
from sandbox.observation import (
    LoadResult,
    Observation,
    Reading,
    RunReport,
    TraceResult,
    decode_load,
    decode_observation,
)
from sandbox.ops import Op, packed
from sandbox.outcome import Outcome
from sandbox.tensor import TENSOR_TAGS
from sandbox.wire import Decoder, Encoder, ProtocolError

T = TypeVar("T")
# After these the sandbox is not used again, not even for the same submission.
_SPOILING: Final = (Outcome.PROTOCOL_ERROR, Outcome.MEMORY_LIMIT, Outcome.INFRA_ERROR)


class Run:
    """A fresh process for one submission; use it as a context manager.

    Args:
        channel: To the supervisor, which is idle.
        source: The submission's bytes.
        module_name: Name under which it is imported.
        limits: Of this run.
        memory_kills: Asks the backend how often the kernel killed for memory.
        device: Where torch tensors stand in for arrays; None is plain numpy.
    """

    def __init__(
        self,
        channel: Channel,
        source: bytes,
        module_name: str,
        limits: Limits,
        memory_kills: Callable[[], int],
        *,
        device: str | None = None,
    ) -> None:
        if not module_name.isidentifier() or not module_name.isascii():
            raise ValueError(f"module name {module_name!r} is not an ASCII identifier")
        self._channel = channel
        self._source = source
        self._module_name = module_name
        self._limits = limits
        self._memory_kills = memory_kills
        self._device = device
        self._tags = {} if device is None else TENSOR_TAGS
        self._sequence = 0
        self.outcome: Outcome | None = None
        self.detail = ""
        self.report: RunReport | None = None
        self.clean = False
        channel.ask({"do": "start", "limits": limits.orders(), "child": self._orders()})

    def _orders(self) -> dict[str, Any]:
        """How the child confines itself."""
        program = None
        if self._channel.confined and not self._limits.threads:
            program = seccomp.program("seccomp_child.json", self._channel.machine)
        return {
            "rlimits": self._limits.rlimits() if self._channel.confined else {},
            "memory": self._limits.address_space,
            "device": self._device,
            "filter": None if program is None else base64.b64encode(program).decode("ascii"),
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def load(self) -> LoadResult:
        """Imports the submission; must come first.

        Raises:
            RunEnded: It did not live through its import.
        """
        encoder = Encoder()
        body = ["load", self._module_name, encoder.encode(self._source)]
        frames, reading = self._exchange(wire.dumps(body), encoder.chunks, 0)
        raised, names = self._trust_nothing(lambda: decode_load(_single(frames).body))
        return LoadResult(raised, names, reading)

    def call(self, op: Op) -> Observation:
        """Does one operation in lock-step; the submission sees no later one.

        Raises:
            RunEnded: The run is over, now or before.
        """
        (observation,), reading = self._operate([(False, [op])], snapshot=False)
        return Observation(
            observation.kind, observation.value, observation.raised, observation.note, reading
        )

    def trace(self, ops: Iterable[Op]) -> TraceResult:
        """Does operations in order.

        Raises:
            RunEnded: The run is over, now or before.
        """
        return TraceResult(*self._operate([(False, list(ops))]))

    def batch(self, traces: Sequence[Sequence[Op]]) -> list[TraceResult]:
        """Does independent traces, each with handles of its own.

        Returns:
            One result a trace; they share one reading, the whole batch's.

        Raises:
            RunEnded: The run is over, now or before.
        """
        observations, reading = self._operate([(True, trace) for trace in traces])
        results, at = [], 0
        for trace in traces:
            results.append(TraceResult(observations[at : at + len(trace)], reading))
            at += len(trace)
        return results

    def close(self) -> RunReport:
        """Ends the run and reports on it; may be called twice."""
        if self.report is None:
            self.report = self._stop()
        return self.report

    def _stop(self) -> RunReport:
        if self.outcome is Outcome.INFRA_ERROR:
            return self._nothing_known()
        try:
            report = self._channel.ask({"do": "stop"})
        except (InfraError, ProtocolError) as error:
            self._latch(Outcome.INFRA_ERROR, str(error))
            return self._nothing_known()
        if report["end"] is not None:
            self._latch_end(report["end"])
        self.clean = not report["left"] and self.outcome not in _SPOILING
        return RunReport(
            self.outcome,
            self.detail,
            report["cpu_total"],
            report["peak"],
            report["stdout"],
            report["stderr"],
            report["cut"],
        )

    def _nothing_known(self) -> RunReport:
        return RunReport(self.outcome, self.detail, 0.0, 0, "", "", output_cut=False)

    def _operate(
        self, segments: Sequence[tuple[bool, Sequence[Op]]], *, snapshot: bool = True
    ) -> tuple[tuple[Observation, ...], Reading]:
        observations: list[Observation] = []
        readings: list[Reading] = []
        for text, chunks, count in packed(segments):
            limit = self._limits.result_bytes
            body = f'["ops",{limit},{wire.dumps(snapshot)},{text}]'
            frames, reading = self._exchange(body, chunks, limit)
            observations += self._trust_nothing(partial(_observations, frames, count, self._tags))
            readings.append(reading)
        return tuple(observations), _sum(readings)

    def _exchange(
        self, body: str, chunks: list[Any], payload_limit: int
    ) -> tuple[list[wire.Frame], Reading]:
        """Sends one frame and takes the reply to it."""
        if self.outcome is not None:
            raise RunEnded(self.outcome, self.detail)
        if self.report is not None:
            raise ValueError("the run is closed")
        self._sequence += 1
        nonce = secrets.token_hex(16)
        buffers = wire.pack(nonce, self._sequence, body, chunks)
        try:
            data, report = self._channel.exchange(buffers, payload_limit, self._limits.wall)
        except ProtocolError as error:
            raise self._forged(error) from None
        except InfraError as error:
            raise self._fallen(error) from error
        if report["end"] is not None:
            self._latch_end(report["end"])
            raise RunEnded(self._ended(), self.detail)
        sent = sum(map(len, buffers))
        frames = self._trust_nothing(lambda: _frames(data, nonce, self._sequence, payload_limit))
        return frames, Reading(
            report["cpu"],
            report["wall"],
            report["rss_before"] + sent,
            report["peak"],
            report["rss_fork"],
        )

    def _trust_nothing(self, decode: Callable[[], T]) -> T:
        """Decodes what the child said; a malformed answer ends the run."""
        try:
            return decode()
        except ProtocolError as error:
            raise self._forged(error) from None

    def _forged(self, error: ProtocolError) -> RunEnded:
        self._latch(Outcome.PROTOCOL_ERROR, str(error))
        return RunEnded(self._ended(), self.detail)

    def _fallen(self, error: InfraError) -> BaseException:
        """The sandbox itself is gone: out of memory is the submission's doing, else ours."""
        if self._memory_kills():
            self._latch(Outcome.MEMORY_LIMIT, "the kernel ended the sandbox for want of memory")
            return RunEnded(self._ended(), self.detail)
        self._latch(Outcome.INFRA_ERROR, str(error))
        return error

    def _latch_end(self, end: Sequence[str]) -> None:
        outcome, detail = Outcome(end[0]), end[1]
        if outcome is Outcome.KILLED and self._memory_kills():
            outcome, detail = Outcome.MEMORY_LIMIT, "the kernel ended it for want of memory"
        self._latch(outcome, detail)

    def _latch(self, outcome: Outcome, detail: str) -> None:
        if self.outcome is None:
            self.outcome, self.detail = outcome, detail

    def _ended(self) -> Outcome:
        assert self.outcome is not None
        return self.outcome


def _single(frames: list[wire.Frame]) -> wire.Frame:
    if len(frames) != 1:
        raise ProtocolError("more frames than one")
    return frames[0]


def _frames(data: bytearray, nonce: str, sequence: int, payload_limit: int) -> list[wire.Frame]:
    """Cuts a reply into its frames and checks that they answer this request."""
    view = memoryview(data).toreadonly()
    frames: list[wire.Frame] = []
    while not frames or frames[-1].more:
        header, payload, _ = wire.lengths(view[: wire.HEAD.size], payload_limit)
        size = wire.HEAD.size + header + payload
        frame = wire.unpack(view[:size], payload_limit)
        if frame.nonce != nonce or frame.sequence != sequence:
            raise ProtocolError("answer to another request")
        frames.append(frame)
        view = view[size:]
    if view:
        raise ProtocolError("bytes after the answer")
    return frames


def _observations(
    frames: list[wire.Frame], count: int, tags: Mapping[str, wire.Reader]
) -> list[Observation]:
    """Decodes the observations of one exchange, which must be `count`."""
    found: list[Observation] = []
    for frame in frames:
        if type(frame.body) is not list:
            raise ProtocolError("answer is not a list")
        decoder = Decoder(frame.payload, tags)
        found += [decode_observation(item, decoder) for item in frame.body]
        decoder.finish()
    if len(found) != count:
        raise ProtocolError(f"{len(found)} observations of {count} operations")
    return found


def _sum(readings: Sequence[Reading]) -> Reading:
    """Readings of exchanges that followed each other, as one."""
    first = readings[0]
    if len(readings) == 1:
        return first
    return Reading(
        sum(reading.cpu_s for reading in readings),
        sum(reading.wall_s for reading in readings),
        first.rss_before,
        readings[-1].peak,
        first.rss_fork,
    )
