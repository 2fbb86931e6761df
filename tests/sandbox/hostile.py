"""A worker that answers every request with a mutated frame, without any process behind it."""

import json
import random
import struct
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from sandbox import wire
from sandbox.channel import Channel
from sandbox.errors import InfraError, RunEnded
from sandbox.guest.run import ReplyGauge
from sandbox.limits import Limits
from sandbox.ops import Call
from sandbox.outcome import Outcome
from sandbox.run import Run
from sandbox.stream import CHUNK, DATA, RECORD, REPORT, REQUEST

PAYLOAD_LIMIT = 1 << 20
VALUES = [
    None,
    True,
    -7,
    2**80,
    1.5,
    float("nan"),
    "text \u00e9",
    "\ud800",
    b"bytes",
    [1, [2, (3, {"k": 4.0})]],
    {1: "a", (2, b"x"): [None]},
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.zeros((0, 5), np.int64),
    np.array([True, False]),
    np.float16(2.5),
    wire.Opaque("m.T", "why"),
]
RAISED = ["x", ["E", ["submission.E", "builtins.Exception"], "msg", [[3, "f"]]]]
# Put into a header as text, in place of some value.
EVIL = [
    "[]",
    "{}",
    "null",
    "[[]]",
    "NaN",
    "-Infinity",
    "1e999",
    "-0.0",
    "9" * 5000,
    "1" + "0" * 400_000,
    "[" * 3000,
    "[" * 200_000,
    "[" * 40 + "]" * 40,
    '["l",' * 40 + "1" + "]" * 40,
    '["l",' * 1500 + "1" + "]" * 1500,
    '"\\ud800"',
    '"\\u0000"',
    '"' + "x" * 5000 + '"',
    '["i","' + "f" * 4096 + '"]',
    '["i","' + "f" * 4097 + '"]',
    '["i","-0"]',
    '["f","7ff0000000000000"]',
    '["f","zz"]',
    '["u","eda080"]',
    '["b",1000000]',
    '["b",-1]',
    '["b",1e3]',
    '["a","<f4",4611686018427387904]',
    '["a","<f4",65536,65536,65536,65536]',
    '["a","<f4",0,99999999999]',
    '["a","|O",1]',
    '["a","<f8",-1,-1]',
    '["a"]',
    '["s","<f4","0000"]',
    '["d",["l"],1]',
    '["d",1]',
    '["o","x"]',
    '["v"]',
    '["x",[]]',
    '["x",["E",["a"],"m",[[-1,"f"]]]]',
    '["n",5]',
    '["ref","h",["t"]]',
]
BIG = [
    "[" + "[]," * 349_000 + "[]]",
    '["l"' + ',["l"]' * 174_000 + "]",
    '["l"' + ",0.1" * 260_000 + "]",
    '["l"' + ',["d"]' * 174_000 + "]",
    '"' + "x" * 1_048_000 + '"',
    "[" + "0," * 500_000 + "0]",
]


class HostileLink:
    """Stands for supervisor and child: honest reports, hostile answers."""

    def __init__(self, dice):
        self._dice = dice
        self._incoming = bytearray()
        self._outgoing = bytearray()
        self.cut = False
        self.gauge_faults = []
        self._report({"machine": "x86_64", "python": "3", "numpy": "2"})

    def recv_into(self, view):
        size = min(len(view), len(self._outgoing))
        view[:size] = self._outgoing[:size]
        del self._outgoing[:size]
        return size

    def sendall(self, data):
        self._incoming += data
        while len(self._incoming) >= REQUEST.size:
            control_size, frame_size = REQUEST.unpack_from(self._incoming)
            end = REQUEST.size + control_size + frame_size
            if len(self._incoming) < end:
                return
            start = REQUEST.size + control_size
            control = json.loads(self._incoming[REQUEST.size : start])
            frame = bytes(self._incoming[start:end])
            del self._incoming[:end]
            if control["do"] == "exchange":
                self._answer(frame)
            if not self.cut:
                self._report(self._numbers())

    def settimeout(self, seconds):
        pass

    def close(self):
        pass

    def _numbers(self):
        numbers = dict.fromkeys(("cpu", "cpu_total", "wall", "rss_before", "peak", "rss_fork"), 0)
        return {**numbers, "end": None, "stdout": "", "stderr": "", "cut": False, "left": []}

    def _report(self, report):
        data = json.dumps(report).encode()
        self._outgoing += RECORD.pack(REPORT, len(data)) + data

    def _answer(self, request):
        asked = wire.unpack(request)
        data = hostile_reply(self._dice, asked.nonce, asked.sequence, load=asked.body[0] == "load")
        self._try_gauge(data)
        if self._dice.random() < 0.01:
            self.cut = True
            part = data[: self._dice.randrange(len(data) + 1)][: CHUNK - 1]
            self._outgoing += RECORD.pack(DATA, len(part) + 1) + part
            return
        for at in range(0, len(data), CHUNK):
            part = data[at : at + CHUNK]
            self._outgoing += RECORD.pack(DATA, len(part)) + part

    def _try_gauge(self, data):
        """What the supervisor would do with these bytes."""
        gauge = ReplyGauge(PAYLOAD_LIMIT)
        step = self._dice.choice([1 << 18, 4096, 7]) if len(data) < 2000 else 1 << 18
        try:
            for at in range(0, len(data), step):
                if gauge.feed(data[at : at + step]):
                    break
        except wire.ProtocolError:
            pass
        except Exception as error:
            self.gauge_faults.append(repr(error))


def honest_reply(dice, nonce, sequence, *, load):
    """Head fields, header text and payload of a reply as a worker sends it."""
    encoder = wire.Encoder(PAYLOAD_LIMIT)
    if load:
        names = [["f", "function", [], [["x", "positional_or_keyword", False]], []]]
        body = dice.choice([["v", names], RAISED])
    else:
        body = [["v", encoder.encode(dice.choice(VALUES))]]
        if dice.random() < 0.2:
            body = [RAISED]
    header = json.dumps([nonce, sequence, body]).encode()
    return header, b"".join(bytes(chunk) for chunk in encoder.chunks)


def frame(header, payload, flags=0, magic=wire.MAGIC):
    return wire.HEAD.pack(magic, len(header), len(payload), flags) + header + payload


def hostile_reply(dice, nonce, sequence, *, load):
    """One reply: an honest one, mutated once to three times."""
    header, payload = honest_reply(dice, nonce, sequence, load=load)
    way = dice.random()
    if way < 0.45:
        header = mutate_json(dice, header)
        data = frame(header, payload)
    elif way < 0.55:
        data = mutate_protocol(dice, header, payload, nonce, sequence)
    else:
        data = frame(header, payload)
    if way >= 0.55 or dice.random() < 0.2:
        for _ in range(dice.randint(1, 3)):
            data = mutate_bytes(dice, data)
    return data


def mutate_json(dice, header):
    """Replaces one value of a header by something evil."""
    text = header.decode()
    spots = [i for i, c in enumerate(text) if c in ",[" and i + 1 < len(text)]
    at = dice.choice(spots) + 1
    end = at
    while end < len(text) and text[end] not in ",]":
        end += 1
    evil = dice.choice(BIG) if dice.random() < 0.002 else dice.choice(EVIL)
    if len(evil) > 10_000 and dice.random() < 0.9:
        evil = dice.choice(EVIL[:6])
    return (text[:at] + evil + text[end:]).encode()


def mutate_protocol(dice, header, payload, nonce, sequence):
    """Breaks the rules of the exchange rather than of the frame."""
    good = frame(header, payload)
    more = frame(header, payload, flags=wire.MORE)
    other = json.dumps(["0" * 32, sequence, []]).encode()
    early = json.dumps([nonce, sequence + 1, []]).encode()
    many = frame(json.dumps([nonce, sequence, []]).encode(), b"", flags=wire.MORE)
    return dice.choice(
        [
            good + good,
            more,
            more + good,
            b"",
            frame(other, b""),
            frame(early, b""),
            many * 50 + good,
            frame(header, payload + bytes(16)),
            frame(header, payload, flags=dice.randrange(2**32)),
            frame(header, payload, magic=dice.randrange(2**32)),
            wire.HEAD.pack(wire.MAGIC, len(header), 2**32 - 1, 0) + header,
            wire.HEAD.pack(wire.MAGIC, 2**32 - 1, 0, 0) + header,
            wire.HEAD.pack(wire.MAGIC, 0, 0, 0),
            wire.HEAD.pack(wire.MAGIC, 0, 0, wire.MORE) * 200 + good,
        ]
    )


def mutate_bytes(dice, data):
    """Flips, cuts, repeats, inserts, overwrites."""
    if not data:
        return dice.randbytes(8)
    at, other = sorted((dice.randrange(len(data)), dice.randrange(len(data) + 1)))
    way = dice.randrange(7)
    if way == 0:
        return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]
    if way == 1:
        return data[:at] + data[other:]
    if way == 2:
        return data[:other] + data[at:]
    if way == 3:
        return data[:at] + dice.randbytes(dice.randint(1, 64)) + data[at:]
    if way == 4:
        return data[:at]
    if way == 5:
        number = dice.choice([0, 1, 15, 16, 2**16, 2**20, 2**20 + 1, 2**31, 2**32 - 1])
        place = 4 * dice.randrange(4)
        return data[:place] + struct.pack("<I", number) + data[place + 4 :]
    return data + dice.randbytes(dice.randint(1, 64))


@dataclass
class Tally:
    """What came of the frames."""

    counts: Counter = field(default_factory=Counter)
    faults: list = field(default_factory=list)
    slowest_s: float = 0.0


def run_trials(count, seed, tally=None):
    """Sends `count` mutated frames to the trusted side and notes how it takes them."""
    tally = tally or Tally()
    dice = random.Random(seed)
    limits = Limits(result_bytes=PAYLOAD_LIMIT)
    for trial in range(count):
        link = HostileLink(dice)
        started = time.perf_counter()
        run = Run(Channel(link), b"", "m", limits, lambda: 0)
        try:
            run.load() if dice.random() < 0.15 else run.call(Call("f"))
            result = "accepted"
        except RunEnded as ended:
            result = str(ended.outcome)
            if ended.outcome is not Outcome.PROTOCOL_ERROR:
                tally.faults.append((seed, trial, repr(ended)))
        except InfraError as error:
            result = "stream cut"
            if not link.cut:
                tally.faults.append((seed, trial, repr(error)))
        except Exception as error:
            result = "fault"
            tally.faults.append((seed, trial, repr(error)))
        run.close()
        tally.counts[result] += 1
        tally.faults += [(seed, trial, fault) for fault in link.gauge_faults]
        tally.slowest_s = max(tally.slowest_s, time.perf_counter() - started)
    return tally
