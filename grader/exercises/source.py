"""Loading the Python of an exercise folder by its path, never by a name on the search path.

A folder becomes a package of an unguessable name, so that its modules may import one another
(``from .operations import histories``) and two banks may hold exercises of one name.
"""

import hashlib
import importlib
import itertools
import sys
from pathlib import Path
from types import ModuleType

from grader.errors import ErrorCode, InputError

_numbers = itertools.count()


class ExerciseError(InputError):
    """An exercise folder does not hold what an exercise needs."""

    code = ErrorCode.EXERCISE_INVALID


class ExerciseSource:
    """The Python files of one folder.

    Args:
        folder: The exercise's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._package = ModuleType(f"_exercise_{next(_numbers)}_{folder.name}")
        self._package.__path__ = [str(folder)]
        sys.modules[self._package.__name__] = self._package

    def module(self, name: str) -> ModuleType:
        """The module ``name.py`` of the folder.

        Raises:
            ExerciseError: It is not there, or fails on import.
        """
        if not (self._folder / f"{name}.py").is_file():
            raise ExerciseError(
                f"{self._folder}: {name}.py is missing", remedy="see docs/exercise-authoring.md"
            )
        importlib.invalidate_caches()
        try:
            return importlib.import_module(f"{self._package.__name__}.{name}")
        except Exception as error:
            raise ExerciseError(
                f"{self._folder / name}.py: cannot be imported: {type(error).__name__}: {error}",
                remedy="mend the file",
            ) from error

    def read(self, relative: str) -> bytes:
        """The bytes of a file of the folder.

        Raises:
            ExerciseError: It is not there or cannot be read.
        """
        try:
            return (self._folder / relative).read_bytes()
        except OSError as error:
            raise ExerciseError(
                f"{self._folder}: {relative} cannot be read: {error.strerror}",
                remedy="see docs/exercise-authoring.md",
            ) from error


def folder_version(folder: Path) -> str:
    """Hash of everything that decides a verdict: all files of the folder but the mutants."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".py", ".yaml") and path.is_file():
            content = path.read_bytes()
            digest.update(f"{path.name}\x00{len(content)}\x00".encode() + content)
    return "sha256:" + digest.hexdigest()
