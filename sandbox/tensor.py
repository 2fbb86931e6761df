"""Tensors of a submission, as the host sees them: an array, and the device it lay on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy.typing as npt

from sandbox.wire import Decoder, Json, ProtocolError, Reader


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """A value that was exactly a `torch.Tensor`.

    Args:
        array: Its values, dtype and shape.
        device: Where it lay, as torch names it: `cuda:0`, `cpu`.
    """

    array: npt.NDArray[Any]
    device: str


def _tensor(decoder: Decoder, value: list[Json], depth: int) -> Tensor:
    if len(value) != 3 or type(value[1]) is not str or len(value[1]) > 20:
        raise ProtocolError("malformed tensor")
    array = value[2]
    if type(array) is not list or not array or array[0] != "a":
        raise ProtocolError("malformed tensor")
    return Tensor(decoder.array(array, depth), value[1])


TENSOR_TAGS: Final[Mapping[str, Reader]] = {"g": _tensor}
