"""A small exercise, the block manager, and pools for code that we wrote ourselves."""

import shutil
from pathlib import Path

import pytest

from grader.exercises.exercise import Exercise, load_exercise
from grader.exercises.kit.scaffold import new_exercise
from grader.exercises.kit.trusted import TrustedPool

SECRET = b"a secret of the tests"
BLOCK_MANAGER = Path(__file__).parents[2] / "rubrics" / "coding" / "block_manager"


@pytest.fixture(scope="session")
def total_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank") / "total"
    new_exercise(folder)
    return folder


@pytest.fixture(scope="session")
def total(total_folder: Path) -> Exercise:
    return load_exercise(total_folder)


@pytest.fixture(scope="session")
def block_manager() -> Exercise:
    return load_exercise(BLOCK_MANAGER)


@pytest.fixture
def copied(total_folder: Path, tmp_path: Path) -> Path:
    """A copy of the small exercise that a test may spoil."""
    return shutil.copytree(total_folder, tmp_path / "total")


@pytest.fixture(scope="session")
def pool() -> TrustedPool:
    return TrustedPool()
