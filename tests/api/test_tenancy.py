"""Two tenants: over every route and every id, nothing of one is read or written by the other."""

import hashlib

from sqlalchemy import inspect, text

from tests.api.operations import operations
from tests.api.world import ANSWER

MARK = "zebra-striped"


def rows_of(world, tenant_id):
    """A digest of everything that a tenant has, over all tables that know tenants."""
    digest = hashlib.sha256()
    with world.database.reading() as unit:
        names = inspect(unit.session.connection()).get_table_names()
        for name in sorted(names):
            columns = [c["name"] for c in inspect(unit.session.connection()).get_columns(name)]
            # When a key was last used is noted at every use, by whomever.
            kept = ", ".join(f'"{c}"' for c in columns if c != "last_used_at")
            if "tenant_id" not in columns:
                continue
            found = unit.session.execute(
                text(f'SELECT {kept} FROM "{name}" WHERE tenant_id = :t'), {"t": tenant_id}
            )
            for row in sorted(map(repr, found)):
                digest.update(row.encode())
    return digest.hexdigest()


def test_nothing_of_another_tenant_is_read_or_written(world):
    victim = world.tenant(f"{MARK} victim").furnish()
    victim.submit(text=f"{MARK} {ANSWER}", external_id=MARK)
    intruder = world.tenant("intruder")
    before = rows_of(world, victim.id)
    client = intruder.client()
    for op in operations(world.app):
        if op.scopes is None:
            continue
        reply = op.call(client, victim.ids)
        named = [name for name in victim.ids if f"{{{name}}}" in op.path]
        if named and reply.status_code < 400:
            assert reply.json() == {"items": [], "next_cursor": None}, op.name
        if named:
            assert reply.status_code in (200, 403, 404, 412, 422), (op.name, reply.text)
        assert MARK not in reply.text, op.name
    assert rows_of(world, victim.id) == before


def test_ids_of_another_tenant_in_bodies_and_questions_find_nothing(world):
    victim = world.tenant("victim").furnish()
    client = world.tenant("intruder").client()
    ids, answer = victim.ids, {"question_id": "attention-sinks", "text": "x"}
    with world.database.reading() as unit:
        version = unit.of(victim.id).rubrics.head(ids["question_id"]).file_version
    mine = client.post("/v1/submissions", json=answer).json()["id"]
    cohort = client.post("/v1/cohorts", json={"name": "mine"}).json()["id"]
    before = rows_of(world, victim.id)
    tries = [
        ("post", "/v1/submissions", {**answer, "user_id": ids["user_id"]}),
        ("post", "/v1/submissions", {**answer, "assignment_id": ids["assignment_id"]}),
        ("post", "/v1/submissions", {**answer, "parent_id": ids["submission_id"]}),
        ("post", "/v1/submissions", {"question_id": ids["question_id"], "text": "x"}),
        ("post", f"/v1/submissions/{mine}:regrade", {"file_version": version}),
        ("post", "/v1/attempts", {"question_id": ids["question_id"]}),
        (
            "post",
            "/v1/attempts",
            {"question_id": "attention-sinks", "assignment_id": ids["assignment_id"]},
        ),
        ("post", "/v1/keys", {"name": "x", "scopes": ["admin"], "user_id": ids["user_id"]}),
        (
            "post",
            "/v1/assignments",
            {"cohort_id": ids["cohort_id"], "title": "x", "question_ids": ["attention-sinks"]},
        ),
        (
            "post",
            "/v1/assignments",
            {"cohort_id": cohort, "title": "x", "question_ids": [ids["question_id"]]},
        ),
    ]
    for method, path, body in tries:
        reply = client.request(method, path, json=body)
        assert reply.status_code == 422, (path, body, reply.text)
    for name in ("user_id", "assignment_id", "attempt_id", "question_id"):
        listed = client.get("/v1/submissions", params={name: ids[name]}).json()["items"]
        assert listed == [], name
    assert rows_of(world, victim.id) == before


def test_a_learner_finds_nothing_of_another_learner(world):
    tenant = world.tenant().furnish()
    from grader.store.records.tenancy import Role

    before = tenant.ids.copy()
    tenant.person(Role.LEARNER)
    other = tenant.client("learner")
    for op in operations(world.app):
        named = {"submission_id", "job_id", "attempt_id"} & {
            n for n in before if f"{{{n}}}" in op.path
        }
        if named:
            reply = op.call(other, before)
            assert reply.status_code in (403, 404), (op.name, reply.text)
    assert other.get("/v1/submissions").json()["items"] == []
    assert other.get("/v1/attempts").json()["items"] == []
    assert other.get("/v1/assignments").json()["items"] == []
