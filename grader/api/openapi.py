"""The description of the API (OpenAPI 3.1): problems and examples on every operation."""

import json
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from grader.api.problems import MEDIA_TYPE, STATUS, TITLES
from grader.api.schemas.problems import Problem
from grader.api.schemas.submissions import BatchIn
from grader.errors import ErrorCode

_ALWAYS = (421, 500)
_SIGNED_IN = (401, 403, 429, 503)
_WITH_BODY = (400, 413)
_REFS = "#/components/schemas/"
_NDJSON = "application/x-ndjson"
_OTHER_EXAMPLES: dict[str, Any] = {
    "multipart/form-data": {"question_id": "attention-sinks", "recording": "(bytes of a file)"},
    "text/event-stream": 'event: done\nid: 4\ndata: {"seq": 4, "kind": "done", "data": {}}\n\n',
    "text/plain": 'grader_executors{pool="all"} 1.0\n',
}


def describe(app: FastAPI) -> None:
    """Has an application describe itself."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = get_openapi(
                title=app.title,
                version=app.version,
                openapi_version="3.1.0",
                summary=app.summary,
                routes=app.routes,
            )
            app.openapi_schema = completed(found)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def completed(document: dict[str, Any]) -> dict[str, Any]:
    """A document with bodies, problems and examples filled in."""
    schemas = document["components"]["schemas"]
    for name, schema in _models():
        schemas.setdefault(name, schema)
    for path, method, operation in _operations(document):
        _describe_batch(operation)
        _add_problems(path, method, operation)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for _, _, operation in _operations(document):
        for media_type, content in _contents(operation):
            _add_example(media_type, content, schemas)
    return document


def _models() -> Iterator[tuple[str, dict[str, Any]]]:
    for model in (Problem, BatchIn):
        schema = model.model_json_schema(ref_template=_REFS + "{model}")
        yield from schema.pop("$defs", {}).items()
        yield model.__name__, schema


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def _describe_batch(operation: dict[str, Any]) -> None:
    if operation.pop("x-body", None) is None:
        return
    example = BatchIn.model_json_schema()["examples"][0]
    operation["requestBody"] = {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": f"{_REFS}BatchIn"}},
            _NDJSON: {
                "schema": {"type": "string", "description": "One submission a line."},
                "example": "\n".join(_line(item) for item in example["items"]),
            },
        },
    }


def _line(item: Any) -> str:
    return json.dumps(item)


def _add_problems(path: str, method: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    responses.pop("422", None)
    for status in sorted(_statuses(path, method, operation)):
        responses.setdefault(
            str(status),
            {
                "description": TITLES[status],
                "content": {
                    MEDIA_TYPE: {
                        "schema": {"$ref": f"{_REFS}Problem"},
                        "example": _example(status),
                    }
                },
            },
        )


def _statuses(path: str, method: str, operation: dict[str, Any]) -> set[int]:
    found = set(_ALWAYS)
    if operation.get("security"):
        found |= set(_SIGNED_IN)
    if operation.get("requestBody") or method in ("post", "put"):
        found |= {*_WITH_BODY, 409}
    if operation.get("requestBody") or operation.get("parameters"):
        found.add(422)
    if "{" in path:
        found.add(404)
    if path.endswith(":batch") or "multipart/form-data" in str(operation.get("requestBody")):
        found.add(415)
    if any(p["name"] == "If-Match" for p in operation.get("parameters", ())):
        found |= {412, 428}
    return found


def _example(status: int) -> dict[str, Any]:
    code = next(code for code in ErrorCode if STATUS[code] == status)
    return {
        "type": f"urn:grader:problem:{code.value}",
        "title": TITLES[status],
        "status": status,
        "code": code.value,
        "detail": "what is wrong, naming the field and the value",
        "remedy": "what to do about it",
        "request_id": "req_06f3q8",
        "errors": [{"pointer": "#/text", "detail": "is missing"}] if status == 422 else [],
    }


def _contents(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from operation.get("requestBody", {}).get("content", {}).items()
    for response in operation["responses"].values():
        yield from response.get("content", {}).items()


def _add_example(media_type: str, content: dict[str, Any], schemas: dict[str, Any]) -> None:
    if "example" in content or "examples" in content:
        return
    found = _OTHER_EXAMPLES.get(media_type) or _example_of(content.get("schema", {}), schemas)
    if found is not None:
        content["example"] = found


def _example_of(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """The example of a schema, of its first variant, or of a list made of its items."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].removeprefix(_REFS)]
    if schema.get("examples"):
        return schema["examples"][0]
    for variants in ("oneOf", "anyOf"):
        if variants in schema:
            return _example_of(schema[variants][0], schemas)
    items = schema.get("properties", {}).get("items", {}).get("items")
    if items is not None:
        return {"items": [_example_of(items, schemas)], "next_cursor": None}
    return None
