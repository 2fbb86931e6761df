"""The port says all that may be asked of an engine, as the implementations do it."""

import inspect

from grader.engine.dbos_adapter.client import DbosClientEngine
from grader.engine.port import Engine


def methods(kind):
    """Public methods with the names, defaults and kinds of their parameters."""
    return {
        name: [p.replace(annotation=p.empty) for p in inspect.signature(f).parameters.values()]
        for name, f in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


def test_the_port_and_the_library_behind_it_name_the_same_methods():
    assert methods(DbosClientEngine) == methods(Engine)
