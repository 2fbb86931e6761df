"""Torch tensors in place of arrays, on whatever device torch has here."""

import importlib.util

import numpy as np
import pytest

from sandbox.limits import Limits
from sandbox.ops import Buffer, Call, Read, Ref, Write
from sandbox.tensor import TENSOR_TAGS, Tensor
from sandbox.testing import trusted_box
from sandbox.wire import Decoder, ProtocolError

SOURCE = b"""
import torch

class Mine(torch.Tensor):
    pass

def kind(x):
    return type(x).__name__, str(x.dtype), tuple(x.stride()), x.device.type

def double(x):
    return 2 * x

def in_place(x):
    x *= 2

def pair(x):
    return x, [x.t()]

def odd():
    return torch.zeros(2, dtype=torch.bfloat16)

def mine():
    return torch.zeros(2).as_subclass(Mine)

def threads():
    return torch.get_num_threads()
"""

needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="lifted where torch is installed"
)


@pytest.fixture
def run():
    limits = Limits(memory_bytes=4 << 30, threads=True, bounded_address_space=False)
    with trusted_box(limits) as box, box.start(SOURCE, "m", limits, device="cpu") as started:
        assert started.load().ok
        yield started


@needs_torch
def test_arrays_go_in_as_tensors_and_come_out_as_tensors(run):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert run.call(Call("kind", (array,))).value == ("Tensor", "torch.float32", (3, 1), "cpu")
    doubled = run.call(Call("double", (array,))).value
    assert isinstance(doubled, Tensor)
    assert doubled.device == "cpu"
    assert doubled.array.dtype == np.float32
    assert np.array_equal(doubled.array, 2 * array)
    first, (second,) = run.call(Call("pair", (array,))).value
    assert np.array_equal(first.array.T, second.array)


@needs_torch
@pytest.mark.parametrize(
    ("layout", "strides"), [("contiguous", (3, 1)), ("strided", (6, 2)), ("transposed", (1, 2))]
)
def test_buffers_have_their_layout(run, layout, strides):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    trace = [
        Call("kind", (Buffer(array, layout, into="b"),)),
        Call("in_place", (Ref("b"),)),
        Read("b"),
        Write("b", 7.0, at=(0, 1)),
        Read("b"),
    ]
    seen = run.trace(trace).observations
    assert seen[0].value[2] == strides
    assert np.array_equal(seen[2].value.array, 2 * array)
    assert seen[4].value.array[0, 1] == 7.0


@needs_torch
def test_what_is_not_exactly_a_dense_tensor_is_opaque(run):
    assert "bfloat16" in run.call(Call("odd")).value.note
    assert run.call(Call("mine")).value.type_name == "m.Mine"


@needs_torch
def test_one_thread(run):
    assert run.call(Call("threads")).value == 1


@pytest.mark.parametrize(
    "value",
    [
        ["g"],
        ["g", "cpu"],
        ["g", 1, ["a", "<f4", 1]],
        ["g", "x" * 30, ["a", "<f4", 1]],
        ["g", "cpu", ["l"]],
        ["g", "cpu", []],
        ["g", "cpu", ["a", "<f4", 99]],
    ],
)
def test_a_malformed_tensor_is_a_protocol_error(value):
    with pytest.raises(ProtocolError):
        Decoder(memoryview(bytes(16)), TENSOR_TAGS).decode(value)


def test_tensors_are_unknown_to_an_ordinary_run():
    with pytest.raises(ProtocolError, match="unknown tag"):
        Decoder(memoryview(bytes(16))).decode(["g", "cpu", ["a", "<f4", 1]])


def test_without_torch_a_run_on_a_device_does_not_load(trusted):
    if importlib.util.find_spec("torch") is not None:
        pytest.skip("lifted where torch is not installed")
    with trusted.start(b"x = 1", "m", Limits(), device="cuda") as run:
        raised = run.load().raised
    assert raised.is_a("ModuleNotFoundError")


@pytest.mark.docker
@pytest.mark.parametrize("pool", [pytest.param("docker")], indirect=True)
def test_without_image_or_device_a_gpu_pool_says_so(pool):
    from sandbox.errors import SandboxUnavailable
    from sandbox.gpu import open_gpu_pool

    with pytest.raises(SandboxUnavailable):
        open_gpu_pool("GPU-none")
