"""What a command loads, and the order of folders that imports may follow."""

import subprocess
import sys

import pytest

HEAVY = (
    "litellm", "instructor", "openai", "docker", "hypothesis", "scipy", "torch", "streamlit",
    "fastapi", "sqlalchemy", "dbos",
)  # fmt: skip


def loaded_by(*arguments):
    script = (
        "import sys\n"
        "from grader.cli import main\n"
        f"sys.argv = ['grader', *{list(arguments)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *sorted(m for m in sys.modules if '.' not in m), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    return set(done.stderr.decode().rsplit("LOADED", 1)[1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["bank", "lint"], ["bank", "list", "--json"]])
def test_light_commands_load_no_heavy_package(arguments):
    loaded = loaded_by(*arguments)
    assert not loaded & set(HEAVY)
    assert "numpy" not in loaded


def test_help_loads_no_command():
    assert "pydantic" not in loaded_by("--help")


def test_importing_the_package_loads_nothing_heavy_and_opens_no_socket():
    script = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise AssertionError('a socket at import')\n"
        "socket.socket = refuse\n"
        "import grader\n"
        "print(*sorted(m for m in sys.modules if '.' not in m))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert not set(done.stdout.decode().split()) & set(HEAVY)


@pytest.mark.parametrize("arguments", [["nope"], ["bank", "nope"], ["grade", "--nope"]])
def test_usage_errors_have_status_2(run, arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert b"Error" in done.stderr
