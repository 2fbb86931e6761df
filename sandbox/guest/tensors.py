"""Torch tensors in place of arrays, for runs that stand on a device.

Imported only where such a run is asked for; torch is imported nowhere else.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy.typing as npt

from sandbox.wire import Decoder, Encoder, Json


class Device:
    """Where tensors live, and how they cross.

    Args:
        name: As torch has it: `cuda`, `cuda:1`, `cpu`.

    Raises:
        ImportError: torch is not installed.
        RuntimeError: There is no such device.
    """

    def __init__(self, name: str) -> None:
        torch: Any = importlib.import_module("torch")
        self._torch = torch
        self._device = torch.empty(0, device=name).device
        torch.set_num_threads(1)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        self.tensor_type: type = torch.Tensor
        self.layouts: Final[Mapping[str, Callable[[npt.NDArray[Any]], Any]]] = {
            "contiguous": self._put,
            "strided": self._strided,
            "reversed": self._put,  # torch has no negative strides
            "transposed": self._transposed,
        }

    def encode(self, encoder: Encoder, tensor: Any, depth: int) -> Json:
        """Writes a tensor as the name of its device and its values."""
        if tensor.layout is not self._torch.strided or tensor.is_quantized:
            return encoder.opaque(tensor, "not a dense tensor")
        try:
            array = tensor.detach().resolve_conj().resolve_neg().cpu().numpy()
        except (TypeError, RuntimeError):  # bfloat16 and other dtypes that numpy lacks
            return encoder.opaque(tensor, f"dtype {tensor.dtype}")
        encoded = encoder.encode(array)
        return ["g", str(tensor.device), encoded] if encoded[0] == "a" else encoded

    def decode(self, decoder: Decoder, value: list[Json], depth: int) -> Any:
        """Reads an array as a tensor on the device."""
        return self._put(decoder.array(value, depth))

    def write(self, tensor: Any, value: Any, at: Any) -> None:
        """Overwrites cells of a tensor in place."""
        tensor.detach()[... if at is None else at] = value

    def _put(self, array: npt.NDArray[Any]) -> Any:
        return self._torch.from_numpy(array.copy()).to(self._device)

    def _strided(self, array: npt.NDArray[Any]) -> Any:
        if array.ndim == 0:
            return self._put(array)
        narrow = self._put(array)
        return narrow.repeat_interleave(2, dim=-1)[..., ::2]

    def _transposed(self, array: npt.NDArray[Any]) -> Any:
        axes = tuple(reversed(range(array.ndim)))
        return self._put(array.T).permute(axes)
