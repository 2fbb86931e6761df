"""The port costs nothing to import: the library behind it is loaded by its adapter alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ADAPTER = Path(__file__).parents[2] / "grader" / "engine" / "dbos_adapter"


@pytest.mark.parametrize("module", ["grader.engine.port", "grader.engine.opening"])
def test_the_library_is_not_loaded_with_the_port(module):
    script = f"import sys, {module}; sys.exit('dbos' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_only_the_adapter_names_the_library():
    tree = ADAPTER.parents[1]
    users = [
        path
        for path in tree.rglob("*.py")
        if ADAPTER not in path.parents and "from dbos" in path.read_text(encoding="utf-8")
    ]
    assert users == []
