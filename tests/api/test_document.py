"""The document describes the API, and the API keeps to it."""

import re
import shutil

import jsonschema
import pytest

from grader.api.openapi import MEDIA_TYPE
from grader.store.database import Database
from tests.api.drawn import document, draw
from tests.api.operations import operations
from tests.api.world import World


def contents(op):
    """Every body that an operation takes or gives: where, media type, content."""
    for kind, content in op.spec.get("requestBody", {}).get("content", {}).items():
        yield "request", kind, content
    for status, reply in op.spec["responses"].items():
        for kind, content in reply.get("content", {}).items():
            yield status, kind, content


def test_it_is_openapi_3_1(world):
    assert world.app.openapi()["openapi"] == "3.1.0"
    assert world.client().get("/v1/openapi.json").json() == world.app.openapi()


def test_every_request_reply_and_problem_has_an_example_of_its_schema(world):
    components = world.app.openapi()["components"]
    for op in operations(world.app):
        for where, kind, content in contents(op):
            found = content.get("example")
            if found is None:
                found = next(iter(content.get("examples", {}).values()), {}).get("value")
            assert found is not None, (op.name, where, kind)
            if "json" in kind and kind != "application/x-ndjson":
                schema = {**content["schema"], "components": components}
                jsonschema.Draft202012Validator(schema).validate(found)


def test_every_operation_tells_what_may_go_wrong(world):
    for op in operations(world.app):
        problems = {
            status
            for status, reply in op.spec["responses"].items()
            if MEDIA_TYPE in reply.get("content", {})
        }
        assert {"421", "500"} <= problems, op.name
        if op.scopes is not None:
            assert {"401", "403", "429", "503"} <= problems, op.name
        if "{" in op.path:
            assert "404" in problems, op.name


def test_every_operation_says_what_it_does(world):
    for op in operations(world.app):
        assert len(op.spec["description"]) > 10, op.name
    names = [op.spec["operationId"] for op in operations(world.app)]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)


@pytest.fixture(scope="module")
def brief(sqlite_file, tmp_path_factory):
    """A service that holds no reply for long."""
    folder = tmp_path_factory.mktemp("brief")
    shutil.copy(sqlite_file, folder / "grader.db")
    made = World(Database(f"sqlite:///{folder / 'grader.db'}"), folder, hold_s=0.05)
    yield made
    made.service.engine.close()


def test_drawn_requests_meet_no_fault_and_get_what_the_document_says(brief):
    assert draw(document(brief.app, brief.tenant().furnish().admin), examples=3) >= 100
