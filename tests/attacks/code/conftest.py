"""One room a backend; absent ones are a failure in CI and a named skip elsewhere."""

import os
from contextlib import ExitStack

import pytest

from grader.exercises.checking import SandboxFaultError
from tests.attacks.code.room import Room


@pytest.fixture(scope="session")
def rooms():
    """Gives the room of a backend, opened when it is first asked for."""
    opened = {}
    with ExitStack() as stack:

        def room(backend):
            if backend not in opened:
                opened[backend] = stack.enter_context(Room(backend))
            return opened[backend]

        yield room


@pytest.fixture
def room(rooms, request):
    """The room of the backend that the test names."""
    backend = request.param
    try:
        return rooms(backend)
    except SandboxFaultError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {backend}: {error}")
        pytest.skip(f"lifted where {backend} works: {error}")
