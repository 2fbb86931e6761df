"""The pages behind the API: they answer what is left, and nothing of the API's."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from grader.api.app import create_app
from grader.api.local_person import new_pages_key
from grader.store.keys import read_key
from tests.api.world import PEPPER

streamlit = pytest.importorskip("streamlit", reason="the extra ui is not installed")


@pytest.fixture(scope="module")
def paged(world, tmp_path_factory):
    """The application with a page of one line."""
    from grader.api.ui_mount import mount_pages

    script = tmp_path_factory.mktemp("pages") / "app.py"
    script.write_text("import streamlit as st\nst.write('hello')\n")
    app = create_app(world.service)
    mount_pages(app, script)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def test_the_root_is_a_page(paged):
    reply = paged.get("/")
    assert reply.status_code == 200
    assert "text/html" in reply.headers["content-type"]


@pytest.mark.parametrize(
    "path", ["/v1", "/v1/", "/v1/nothing", "/healthz", "/healthz/x", "/readyz", "/readyz/"]
)
def test_no_address_of_the_api_is_a_page(paged, path):
    reply = paged.get(path, headers={"Accept": "text/html"})
    assert "json" in reply.headers["content-type"]
    assert "html" not in reply.text


def test_the_figures_are_no_page(paged):
    assert paged.get("/metrics").text.startswith("# HELP")


def test_a_page_is_not_shown_under_a_foreign_name(paged):
    assert paged.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_socket_is_not_opened_from_a_foreign_page(paged):
    headers = {"Origin": "https://evil.example"}
    with (
        pytest.raises(WebSocketDisconnect),
        paged.websocket_connect("/_stcore/stream", headers=headers),
    ):
        pass


def test_the_person_at_this_machine_is_learner_and_instructor_and_no_admin(world, tenant):
    first = new_pages_key(world.database, PEPPER)
    second = new_pages_key(world.database, PEPPER)
    assert world.client(first).get("/v1/questions").status_code == 401
    client = world.client(second)
    assert client.get("/v1/jobs").status_code == 200
    assert client.get("/v1/keys").status_code == 403
    assert read_key(second).test is False
