"""Carries operations out on the submission's objects and encodes what came of them.

This runs in the submission's own process. Nothing it says is more than an observation.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from sandbox import wire
from sandbox.wire import Json

if TYPE_CHECKING:
    from sandbox.guest.tensors import Device

MESSAGE_CHARS: Final = 2000
MAX_FRAMES: Final = 20
_NONE: Final = '["v",null]'
# Strings and booleans of an operation stand for themselves; integers are checked by the decoder.
_BARE: Final = frozenset({str, bool})


class _Refused(Exception):  # noqa: N818  caught in this module
    """The trace asks for something that cannot be done; not the submission's error."""


class Objects:
    """The submission's module and the objects held for the host.

    Args:
        module: The imported submission.
        device: Where tensors live that stand in for arrays; None leaves arrays arrays.
    """

    def __init__(self, module: types.ModuleType, device: Device | None = None) -> None:
        self._module = module
        self._held: dict[str, Any] = {}
        self._refusal = ""
        self._tags: dict[str, Callable[[wire.Decoder, list[Json], int], Any]] = {
            "ref": self._ref,
            "buf": self._buffer,
        }
        self._types: dict[type, Callable[[wire.Encoder, Any, int], Json]] = {}
        self._writers = dict(_WRITERS)
        self._layouts = _LAYOUTS if device is None else device.layouts
        if device is not None:
            self._tags["a"] = device.decode
            self._types[device.tensor_type] = device.encode
            self._writers[device.tensor_type] = device.write
        self._verbs: Mapping[str, Callable[..., Any]] = {
            "new": self._new,
            "call": self._call,
            "get": self._get,
            "del": self._del,
            "read": self._read,
            "write": self._write,
        }

    def decoder(self, payload: memoryview) -> wire.Decoder:
        """A decoder that knows references and buffers."""
        return wire.Decoder(payload, self._tags)

    def encoder(self, payload_limit: int, *, snapshot: bool) -> wire.Encoder:
        """An encoder that knows tensors, where there are any."""
        return wire.Encoder(payload_limit, snapshot=snapshot, extra=self._types)

    def clear(self) -> None:
        """Forgets every handle: an independent trace begins."""
        self._held.clear()

    def run(self, op: list[Json], decoder: wire.Decoder, encoder: wire.Encoder) -> str:
        """Does one operation.

        Returns:
            `["v", value]`, `["x", exception]` or `["n", note]` as JSON text.
        """
        self._refusal = ""
        # All arguments are decoded first, so that a refusal leaves the payload at the next one.
        arguments = [
            item if item is None or type(item) in _BARE else decoder.decode(item) for item in op
        ]
        if self._refusal:
            return wire.dumps(["n", self._refusal])
        try:
            value = self._verbs[op[0]](*arguments)
        except _Refused as refused:
            return wire.dumps(["n", str(refused)])
        except BaseException as error:  # SystemExit is an observation like any other
            return wire.dumps(["x", describe(error, self._module)])
        return _NONE if value is None else wire.dumps(["v", encoder.encode(value)])

    def _ref(self, decoder: wire.Decoder, value: list[Json], depth: int) -> Any:
        name, path = value[1], decoder.decode(value[2])
        if name not in self._held:
            self._refusal = f"nothing is held as {name!r}"
            return None
        found = self._held[name]
        for step in path:
            if type(found) not in (list, tuple, dict):
                self._refusal = f"{name!r} has no items at {step!r}"
                return None
            try:
                found = found[step]
            except (LookupError, TypeError):
                self._refusal = f"{name!r} has no item {step!r}"
                return None
        return found

    def _buffer(self, decoder: wire.Decoder, value: list[Json], depth: int) -> Any:
        _, layout, readonly, into, encoded = value
        array = self._layouts[layout](decoder.array(encoded, depth))
        if readonly and type(array) is np.ndarray:
            array.flags.writeable = False
        if into is not None:
            self._held[into] = array
        return array

    def _new(
        self, verb: str, into: str, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._held.pop(into, None)
        self._held[into] = getattr(self._module, name)(*args, **kwargs)

    def _call(  # noqa: PLR0917  the fields of an operation, in order
        self,
        verb: str,
        name: str,
        args: tuple[Any, ...] | None,
        kwargs: dict[str, Any] | None,
        how: str,
        on: Any,
        into: str | None,
        quiet: bool,
    ) -> Any:
        if how == "handle":
            if on not in self._held:
                raise _Refused(f"nothing is held as {on!r}")
            on = self._held[on]
        called = getattr(self._module if how == "module" else on, name)
        result = called(*args or (), **kwargs or {})
        if into is not None:
            self._held[into] = result
        return None if quiet else result

    def _get(self, verb: str, name: str, on: Any, into: str | None) -> Any:
        result = getattr(on, name)
        if into is not None:
            self._held[into] = result
        return result

    def _del(self, verb: str, name: str) -> None:
        if name not in self._held:
            raise _Refused(f"nothing is held as {name!r}")
        del self._held[name]

    def _read(self, verb: str, target: Any) -> Any:
        return target

    def _write(self, verb: str, target: Any, value: Any, at: Any) -> None:
        writer = self._writers.get(type(target))
        if writer is None:
            raise _Refused(f"cannot overwrite a {wire.type_name(type(target))}")
        try:
            writer(target, value, at)
        except (ValueError, LookupError, TypeError, RuntimeError) as error:
            raise _Refused(str(error)[:MESSAGE_CHARS]) from None


def _write_array(target: npt.NDArray[Any], value: Any, at: Any) -> None:
    target[... if at is None else at] = value


def _write_list(target: list[Any], value: Any, at: Any) -> None:
    target[slice(None) if at is None else at] = value


def _write_dict(target: dict[Any, Any], value: Any, at: Any) -> None:
    if at is None:
        target.clear()
        target.update(value)
    else:
        target[at] = value


_WRITERS: Final[Mapping[type, Callable[[Any, Any, Any], None]]] = {
    np.ndarray: _write_array,
    list: _write_list,
    dict: _write_dict,
}


def _contiguous(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array of its own memory; a large one may keep the frame's, which is its alone."""
    return array.copy() if array.nbytes < (1 << 16) else array


def _strided(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.ndim == 0:
        return array.copy()
    wide = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    wide[..., 1::2] = array  # what a view that loses its stride would read: shifted values
    return wide[..., ::2]


def _reversed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.copy() if array.ndim == 0 else array[::-1].copy()[::-1]


def _transposed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return array.T.copy().T


_LAYOUTS: Final[Mapping[str, Callable[[npt.NDArray[Any]], npt.NDArray[Any]]]] = {
    "contiguous": _contiguous,
    "strided": _strided,
    "reversed": _reversed,
    "transposed": _transposed,
}


def describe(error: BaseException, module: types.ModuleType) -> Json:
    """An exception as data: type, ancestry, message and the submission's own frames."""
    mro = ancestry(type(error), module)
    return [mro[0].rsplit(".", 1)[-1], mro, _message(error), list(_frames(error, module))]


def ancestry(kind: type, module: types.ModuleType) -> list[str]:
    """The classes a class derives from, itself first.

    A built-in is `builtins.Name`; a class of the submission is `submission.Name`, where `Name` is
    the top-level name that stands for it; anything else has its module before it.
    """
    named = {id(value): name for name, value in vars(module).items() if isinstance(value, type)}
    return [_class_name(entry, named) for entry in type.mro(kind)[:64]]


def _class_name(kind: type, named: Mapping[int, str]) -> str:
    name = wire.type_name(kind)
    short = name.rsplit(".", 1)[-1]
    if getattr(builtins, short, None) is kind:
        return f"builtins.{short}"
    if id(kind) in named:
        return f"submission.{named[id(kind)]}"[: wire.OPAQUE_CHARS]
    return f"other.{name}"[: wire.OPAQUE_CHARS]


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # __str__ of the submission's own class
        return ""
    return text[:MESSAGE_CHARS].encode("utf-8", "replace").decode("utf-8")


def _frames(error: BaseException, module: types.ModuleType) -> Iterator[Json]:
    """Line and function of the innermost frames inside the submission, outermost first."""
    found: list[Json] = []
    filename = vars(module).get("__file__")
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename == filename:
            found.append([entry.tb_lineno, code.co_qualname[: wire.OPAQUE_CHARS]])
        entry = entry.tb_next
    yield from found[-MAX_FRAMES:]
