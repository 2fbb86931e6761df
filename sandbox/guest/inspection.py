"""Imports a submission and lists what it defines."""

from __future__ import annotations

import inspect
import linecache
import sys
import types
from collections.abc import Mapping
from typing import Any, Final

from sandbox import wire
from sandbox.guest.operations import ancestry
from sandbox.wire import Json

MAX_NAMES: Final = 500
_KINDS: Final = {kind: kind.name.lower() for kind in inspect._ParameterKind}


def execute(module: types.ModuleType, source: bytes) -> None:
    """Runs the submission's top level in its module, which tracebacks and imports then know."""
    name = module.__name__
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    text = source.decode("utf-8-sig")  # a byte order mark is legal, as in any Python file
    lines = text.splitlines(keepends=True)
    linecache.cache[module.__file__] = (len(text), None, lines, module.__file__)
    exec(compile(text, module.__file__, "exec", dont_inherit=True), vars(module))


def survey(module: types.ModuleType) -> Json:
    """Public top-level names: `[[name, kind, mro, parameters, members], ...]`.

    What the submission defines itself comes first: `from numpy import *` alone brings some
    five hundred names, and no more than `MAX_NAMES` are told.
    """
    namespace = dict(vars(module))
    own = {name: value for name, value in namespace.items() if _is_own(value, module)}
    return _entries({**own, **namespace}, module, members=True)


def _is_own(value: Any, module: types.ModuleType) -> bool:
    """Whether a class or function was defined in the submission itself."""
    defined = isinstance(value, (type, types.FunctionType))
    return defined and getattr(value, "__module__", None) == module.__name__


def _entries(namespace: Mapping[str, Any], module: types.ModuleType, *, members: bool) -> Json:
    names = [name for name in namespace if type(name) is str and not name.startswith("_")]
    return [_entry(name, namespace[name], module, members=members) for name in names[:MAX_NAMES]]


def _entry(name: str, value: Any, module: types.ModuleType, *, members: bool) -> Json:
    name = name[: wire.OPAQUE_CHARS].encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, type):
        inner = _entries(dict(vars(value)), module, members=False) if members else []
        return [name, "class", ancestry(value, module), _parameters(value), inner]
    if isinstance(value, property):
        return [name, "property", [], None, []]
    if isinstance(value, types.ModuleType):
        return [name, "module", [], None, []]
    if callable(value):
        return [name, "function", [], _parameters(value), []]
    return [name, "value", [], None, []]


def _parameters(value: Any) -> Json:
    try:
        signature = inspect.signature(value)
    except Exception:  # no signature, or one the submission invented
        return None
    return [
        [
            parameter.name[: wire.OPAQUE_CHARS],
            _KINDS[parameter.kind],
            parameter.default is not inspect._empty,
        ]
        for parameter in list(signature.parameters.values())[:64]
    ]
