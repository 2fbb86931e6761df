"""The names that a submission must define, read from the exercise's starter file."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.exercises.source import ExerciseError


@dataclass(frozen=True)
class RequiredName:
    """A top-level name, or a member of a class.

    Attributes:
        kind: ``class``, ``function`` or ``property``.
        parameters: Names of the parameters after ``self``; None where they do not matter.
        members: Public methods and properties of a class.
        is_error: Whether it is an exception class.
    """

    kind: str
    parameters: tuple[str, ...] | None = None
    members: Mapping[str, "RequiredName"] = field(default_factory=dict)
    is_error: bool = False


def required_names(starter: str) -> dict[str, RequiredName]:
    """The public classes and functions of a starter file, with their members and parameters.

    Raises:
        ExerciseError: The starter is not Python or defines nothing.
    """
    try:
        body = ast.parse(starter).body
    except SyntaxError as error:
        raise ExerciseError(
            f"starter.py:{error.lineno}: {error.msg}", remedy="mend the starter"
        ) from error
    found = {
        node.name: _required(node)
        for node in body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
    }
    if not found:
        raise ExerciseError(
            "starter.py defines no public class or function",
            remedy="write the signatures that the learner fills in",
        )
    return found


def _required(node: ast.ClassDef | ast.FunctionDef) -> RequiredName:
    if isinstance(node, ast.FunctionDef):
        return RequiredName("function", _parameters(node, skip=0))
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    members = {m.name: _member(m) for m in methods if not m.name.startswith("_")}
    constructor = next((m for m in methods if m.name == "__init__"), None)
    parameters = _parameters(constructor, skip=1) if constructor else None
    bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
    return RequiredName("class", parameters, members, is_error="Exception" in bases)


def _member(node: ast.FunctionDef) -> RequiredName:
    decorators = {d.id for d in node.decorator_list if isinstance(d, ast.Name)}
    if "property" in decorators:
        return RequiredName("property")
    return RequiredName("function", _parameters(node, skip=1))


def _parameters(node: ast.FunctionDef, skip: int) -> tuple[str, ...]:
    arguments = node.args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][skip:]
    return (*positional, *(a.arg for a in arguments.kwonlyargs))
