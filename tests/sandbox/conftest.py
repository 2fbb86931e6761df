"""Pools on every backend; absent ones are a failure in CI and a named skip elsewhere."""

import os

import pytest

from sandbox.errors import SandboxUnavailable
from sandbox.pool import open_pool
from sandbox.testing import trusted_box

BACKENDS = [
    pytest.param("bwrap", marks=pytest.mark.bwrap),
    pytest.param("docker", marks=pytest.mark.docker),
]


@pytest.fixture(scope="session", params=BACKENDS)
def pool(request):
    """A pool on a real backend, which has just proved its limits."""
    try:
        opened = open_pool(request.param)
    except SandboxUnavailable as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {request.param}: {error}")
        pytest.skip(f"lifted where {request.param} works: {error}")
    with opened:
        yield opened


@pytest.fixture
def box(pool):
    """A fresh sandbox."""
    with pool.lease() as lease:
        yield lease


@pytest.fixture
def trusted():
    """A box without walls, for the tests' own code."""
    with trusted_box() as opened:
        yield opened
