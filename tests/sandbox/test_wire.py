"""Values cross exactly, and whatever is malformed is a protocol error and nothing else."""

import json
import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sandbox import wire
from sandbox.wire import Decoder, EncodeError, Encoder, Opaque, ProtocolError

DTYPES = st.sampled_from(
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 float32 float64 complex64 complex128".split()
).map(np.dtype)
ARRAYS = DTYPES.flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
    )
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(1 << 16384) + 1, (1 << 16384) - 1)
    | st.floats()
    | st.text(st.characters())
    | st.binary(max_size=40)
)
NUMPY_SCALARS = DTYPES.flatmap(hnp.from_dtype)
KEYS = SCALARS | st.tuples(SCALARS, SCALARS)
VALUES = st.recursive(
    SCALARS | ARRAYS | NUMPY_SCALARS | st.builds(Opaque, st.text(max_size=20)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
    ),
    max_leaves=12,
)


def cross(value):
    """Sends a value through a frame and takes it out again."""
    encoder = Encoder()
    body = wire.dumps(encoder.encode(value))
    data = b"".join(bytes(part) for part in wire.pack("ab", 7, body, encoder.chunks))
    frame = wire.unpack(data)
    assert (frame.nonce, frame.sequence, frame.more) == ("ab", 7, False)
    decoder = Decoder(frame.payload)
    decoded = decoder.decode(frame.body)
    decoder.finish()
    return decoded


def same(a, b):
    """Equal in value and in exact type, at any depth, to the bit."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return struct.pack(">d", a) == struct.pack(">d", b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    return a == b


@given(VALUES)
@settings(max_examples=400, deadline=None)
def test_a_value_comes_out_as_it_went_in(value):
    assert same(value, cross(value))


@pytest.mark.parametrize(
    "value",
    [True, 1, 1.0, -0.0, 2**53, 2**53 + 1, "", "\ud800\udc00", b"", [], (), {}],
    ids=repr,
)
def test_types_that_compare_equal_stay_apart(value):
    assert same(value, cross(value))


def test_infinities_and_nan_bits_are_exact():
    odd = struct.unpack(">d", bytes.fromhex("7ff8000000000abc"))[0]
    assert struct.pack(">d", cross(odd)) == bytes.fromhex("7ff8000000000abc")
    assert cross(math.inf) == math.inf
    assert cross(-math.inf) == -math.inf


class Sub(int):
    pass


class SubArray(np.ndarray):
    pass


@pytest.mark.parametrize(
    ("value", "type_name"),
    [
        (Sub(3), "Sub"),
        (np.zeros(2).view(SubArray), "SubArray"),
        ({1, 2}, "builtins.set"),
        (object(), "builtins.object"),
        (np.zeros(2, object), "numpy.ndarray"),
        (np.zeros(2, ">f4"), "numpy.ndarray"),
        (np.zeros(2, "M8[s]"), "numpy.ndarray"),
        pytest.param(1 << 16384, "builtins.int", id="too long an int"),
        ({frozenset(): 1}, "builtins.dict"),
        ({object(): 1}, "builtins.dict"),
    ],
)
def test_what_has_no_exact_encoding_is_opaque(value, type_name):
    crossed = cross(value)
    assert isinstance(crossed, Opaque)
    assert crossed.type_name.endswith(type_name)


def test_lists_deeper_than_the_limit_are_cut_with_a_note():
    value = inner = []
    for _ in range(100):
        inner.append([])
        inner = inner[0]
    crossed = cross(value)
    for _ in range(wire.MAX_DEPTH):
        (crossed,) = crossed
    assert crossed == Opaque("builtins.list", "deeper than 32")


def test_a_list_that_holds_itself_is_cut_as_well():
    value = []
    value.append(value)
    crossed = cross(value)
    for _ in range(wire.MAX_DEPTH):
        (crossed,) = crossed
    assert crossed == Opaque("builtins.list", "deeper than 32")


def test_arrays_of_any_layout_cross_by_value():
    base = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (base[:, ::2], base[::-1], base.T, np.broadcast_to(base, (2, 2, 3, 4))):
        crossed = cross(view)
        assert np.array_equal(crossed, view)
        assert crossed.flags.c_contiguous


def test_a_payload_of_exactly_the_limit_crosses():
    assert Encoder(payload_limit=1 << 20).encode(np.zeros(1 << 17))[0] == "a"


def test_payload_beyond_the_limit_is_opaque_and_adds_nothing():
    encoder = Encoder(payload_limit=100)
    assert encoder.encode(np.zeros(100))[0] == "o"
    assert encoder.encode(bytes(99))[0] == "o"
    assert encoder.chunks == []


def test_our_own_side_may_not_send_what_cannot_cross():
    with pytest.raises(EncodeError, match="set"):
        Encoder(strict=True).encode([1, {2}])


def frame(body, payload=b"", *, nonce="ab", sequence=7, header=None):
    """A frame with any header whatever."""
    text = header if header is not None else json.dumps([nonce, sequence, body]).encode()
    return wire.HEAD.pack(wire.MAGIC, len(text), len(payload), 0) + text + payload


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[",
        b"{}",
        b"[1,2,3]",
        b'["ab",1.0,null]',
        b'["ab",true,null]',
        b'["ab",7]',
        b"\xff\xfe",
        b'["ab",7,NaN]',
        b'["ab",7,Infinity]',
        b'["ab",' + b"9" * 6000 + b",null]",
        b"[" * 100_000,
        b'["ab",7,' + b"[" * 200_000 + b"]" * 200_000 + b"]",
    ],
)
def test_a_malformed_header_is_a_protocol_error(header):
    with pytest.raises(ProtocolError):
        wire.unpack(frame(None, header=header))


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        [1, 2],
        ["no such tag"],
        ["l", [1]],
        ["l", {}],
        2**53 + 1,
        ["i", "1"],
        ["i", "0020000000000001"],
        ["i", "-"],
        ["i", "20000000000001 "],
        ["i", "2_0000000000001"],
        ["i", "f" * 4097],
        ["i", 5],
        ["f", "3ff0000000000000"],
        ["f", "7FF8000000000000"],
        ["f", "7ff8"],
        ["u", "61"],
        ["u", "6"],
        ["u", "ff"],
        "\ud800",
        ["b", 17],
        ["b", -1],
        ["b", 1.0],
        ["b", True],
        ["b", 10**30],
        ["a"],
        ["a", "<f4", 5],
        ["a", "<f4", -1],
        ["a", "<f4", 1.0],
        ["a", "<f4", True],
        ["a", "<f4", 2**40],
        ["a", "<f4", *[2] * 33],
        ["a", "|O", 1],
        ["a", ">f4", 1],
        ["a", "<U1", 1],
        ["a", ["<f4"], 1],
        ["a", "|b1", 1],
        ["s", "<f4", "00"],
        ["s", "|b1", "02"],
        ["s", "|O", "00"],
        ["d", 1],
        ["d", 1, 2, 1, 3],
        ["d", 1, 2, True, 3],
        ["d", ["l"], 2],
        ["d", ["o", "x", ""], 2],
        ["o", "x"],
        ["o", "x" * 201, ""],
        ["o", 1, ""],
        ["ref", "x", ["t"]],
        ["buf", "contiguous", False, None, ["a", "<f4", 1]],
    ],
)
def test_a_malformed_value_is_a_protocol_error(body):
    with pytest.raises(ProtocolError):
        Decoder(memoryview(b"\x02" + bytes(15))).decode(body)


def test_depth_is_limited():
    body = 1
    for _ in range(wire.MAX_DEPTH + 1):
        body = ["l", body]
    with pytest.raises(ProtocolError, match="deeper"):
        Decoder(memoryview(b"")).decode(body)


def test_payload_must_be_used_up():
    decoder = Decoder(memoryview(bytes(32)))
    decoder.decode(["b", 3])
    with pytest.raises(ProtocolError, match="surplus"):
        decoder.finish()


@pytest.mark.parametrize(
    "head",
    [
        (0, 2, 0, 0),
        (wire.MAGIC, wire.MAX_HEADER + 1, 0, 0),
        (wire.MAGIC, 2, 2**31, 0),
        (wire.MAGIC, 2, 17, 0),
        (wire.MAGIC, 2, 0, 2),
    ],
)
def test_a_frame_is_refused_from_its_head(head):
    with pytest.raises(ProtocolError):
        wire.lengths(wire.HEAD.pack(*head), payload_limit=16)


@given(st.binary(max_size=200))
def test_random_bytes_are_a_protocol_error(data):
    with pytest.raises(ProtocolError):
        wire.unpack(data)


@pytest.mark.parametrize("cut", [1, 15, 17, 40])
def test_a_truncated_frame_is_a_protocol_error(cut):
    data = frame(["b", 16], bytes(16))
    with pytest.raises(ProtocolError):
        wire.unpack(data[:-cut])
