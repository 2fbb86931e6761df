"""The namespace of a bank: several banks side by side whose ids may be the same.

A bank that has a file ``bank.yaml`` with ``namespace: acme`` at its root lists its question
``intro`` as ``acme:intro``.
"""

from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, ValidationError

from grader.bank.source import parse_yaml
from grader.domain.model import FrozenModel
from grader.errors import RubricError

BANK_FILE = "bank.yaml"
_SEPARATOR = ":"


class _BankFile(FrozenModel):
    namespace: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$")]
    title: str = ""


def namespace_of(folder: Path) -> str:
    """The namespace of a bank's folder; empty where it has none.

    Raises:
        RubricError: ``bank.yaml`` is not legal.
    """
    path = folder / BANK_FILE
    if not path.is_file():
        return ""
    source = parse_yaml(path.read_text(encoding="utf-8"), str(path))
    try:
        return _BankFile.model_validate(source.data).namespace
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "bank"
        raise RubricError(
            f"{path}:{source.line_of(first['loc'])}: {field}: {first['msg']}",
            remedy="write namespace: and a short name of letters, digits, _ . -",
        ) from error


def qualified(namespace: str, name: str) -> str:
    """An id as it is listed beside other banks'."""
    return f"{namespace}{_SEPARATOR}{name}" if namespace else name
