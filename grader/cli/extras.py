"""One line where the packages of an extra are missing: what, why, and the command."""

from collections.abc import Iterator
from contextlib import contextmanager

from grader.errors import ExtraMissingError


@contextmanager
def needs_extra(extra: str, why: str) -> Iterator[None]:
    """Turns a failed import inside the block into a message that says what to install.

    Raises:
        ExtraMissingError: A package of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ExtraMissingError(
            f"the package {error.name!r} is not installed ({why})",
            remedy=f"pip install 'interview-grader[{extra}]'",
        ) from error
