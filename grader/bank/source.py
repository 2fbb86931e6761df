"""YAML text with the line of every value, so that an error can say where it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from grader.errors import RubricError

_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class YamlSource:
    """A parsed file.

    Attributes:
        name: How errors call it, usually its path.
        data: The plain value.
        lines: Line (from 1) of each value, by its path of keys and indexes.
    """

    name: str
    data: Any
    lines: dict[KeyPath, int]

    def line_of(self, path: Sequence[str | int]) -> int:
        """Line of the value at the path, or of the nearest value that encloses it."""
        for length in range(len(path), -1, -1):
            if (line := self.lines.get(tuple(path[:length]))) is not None:
                return line
        return 1


def parse_yaml(text: str, name: str) -> YamlSource:
    """Parses one YAML document.

    Raises:
        RubricError: The text is not YAML, or a mapping repeats a key.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        data = None if node is None else loader.construct_document(node)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RubricError(
            f"{name}{_place(error)}: not valid YAML: {_problem(error)}",
            remedy="mend the syntax; quote texts that hold ': ' or start with a special character",
        ) from error
    finally:
        loader.dispose()
    lines: dict[KeyPath, int] = {}
    if node is not None:
        _refuse_aliases(node, name)
        _record(node, (), lines, name)
    return YamlSource(name, data, lines)


def _refuse_aliases(root: Any, name: str) -> None:
    """Aliases let a small text stand for an endless one, and no rubric needs them."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, yaml.CollectionNode):
            continue
        if id(node) in seen:
            raise RubricError(
                f"{name}:{node.start_mark.line + 1}: not valid YAML for a rubric: an alias",
                remedy="write the value out where it is used",
            )
        seen.add(id(node))
        waiting += [part for item in node.value for part in _parts(item)]


def _parts(item: Any) -> tuple[Any, ...]:
    return item if isinstance(item, tuple) else (item,)


def _record(node: Any, path: KeyPath, lines: dict[KeyPath, int], name: str) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            key = key_node.value
            place = (*path, key)
            if place in lines:
                raise RubricError(
                    f"{name}:{key_node.start_mark.line + 1}: the key {key!r} stands twice",
                    remedy="keep one of the two",
                )
            lines[place] = key_node.start_mark.line + 1
            _record(value_node, place, lines, name)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _record(item, (*path, index), lines, name)


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f":{mark.line + 1}" if mark is not None else ""


def _problem(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0]
