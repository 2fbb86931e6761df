"""Who may do what: every operation against every scope and every role."""

import pytest

from grader.store.records.tenancy import Role
from tests.api.operations import operations

# The contract, written down once more: a change of a right must be made in two places.
NEEDED = {
    "POST /v1/submissions": ("submissions:write",),
    "POST /v1/submissions:batch": ("submissions:write",),
    "POST /v1/submissions:spoken": ("submissions:write",),
    "GET /v1/submissions": ("submissions:read",),
    "GET /v1/submissions/{submission_id}": ("submissions:read",),
    "GET /v1/submissions/{submission_id}/follow-ups": ("submissions:read",),
    "POST /v1/submissions/{submission_id}/follow-ups": ("submissions:read", "submissions:write"),
    "GET /v1/submissions/{submission_id}/grades": ("grades:read",),
    "POST /v1/submissions/{submission_id}:regrade": ("grades:read", "grades:write"),
    "GET /v1/submissions/{submission_id}/overrides": ("grades:read",),
    "POST /v1/submissions/{submission_id}/overrides": ("grades:read", "grades:write"),
    "DELETE /v1/overrides/{override_id}": ("grades:read", "grades:write"),
    "GET /v1/submissions/{submission_id}/review": ("submissions:read",),
    "GET /v1/contests": ("grades:read",),
    "GET /v1/submissions/{submission_id}/contests": ("submissions:read",),
    "POST /v1/submissions/{submission_id}/contests": ("submissions:write",),
    "POST /v1/contests/{contest_id}:resolve": ("grades:read", "grades:write"),
    "GET /v1/jobs": ("grades:read",),
    "GET /v1/jobs/{job_id}": ("submissions:read",),
    "POST /v1/jobs/{job_id}:cancel": ("jobs:write",),
    "POST /v1/jobs/{job_id}:retry": ("jobs:write",),
    "GET /v1/jobs/{job_id}/events": ("submissions:read",),
    "GET /v1/jobs/{job_id}/history": ("submissions:read",),
    "GET /v1/questions": ("questions:read",),
    "GET /v1/questions/{question_id}": ("questions:read",),
    "GET /v1/rubrics/{question_id}": ("rubrics:read",),
    "PUT /v1/rubrics/{question_id}": ("rubrics:write",),
    "GET /v1/rubrics/{question_id}/versions": ("rubrics:read",),
    "GET /v1/attempts": ("attempts:write",),
    "POST /v1/attempts": ("attempts:write",),
    "GET /v1/attempts/{attempt_id}": ("attempts:write",),
    "PUT /v1/attempts/{attempt_id}/draft": ("attempts:write",),
    "GET /v1/attempts/{attempt_id}/draft": ("attempts:write",),
    "POST /v1/attempts/{attempt_id}/hints": ("attempts:write",),
    "POST /v1/attempts/{attempt_id}/submissions": ("attempts:write",),
    "POST /v1/attempts/{attempt_id}:finish": ("attempts:write",),
    "POST /v1/attempts/{attempt_id}:abandon": ("attempts:write",),
    "GET /v1/users": ("cohorts:read",),
    "POST /v1/users": ("users:write",),
    "GET /v1/users/{user_id}": ("cohorts:read",),
    "DELETE /v1/users/{user_id}": ("admin",),
    "PUT /v1/users/{user_id}/roles": ("users:write",),
    "POST /v1/users/{user_id}:disable": ("users:write",),
    "GET /v1/cohorts": ("cohorts:read",),
    "POST /v1/cohorts": ("cohorts:write",),
    "GET /v1/cohorts/{cohort_id}": ("cohorts:read",),
    "POST /v1/cohorts/{cohort_id}:archive": ("cohorts:write",),
    "GET /v1/cohorts/{cohort_id}/members": ("cohorts:read",),
    "POST /v1/cohorts/{cohort_id}/roster": ("cohorts:write",),
    "DELETE /v1/cohorts/{cohort_id}/members/{user_id}": ("cohorts:write",),
    "POST /v1/cohorts/{cohort_id}/invitation": ("cohorts:write",),
    "DELETE /v1/cohorts/{cohort_id}/invitation": ("cohorts:write",),
    "POST /v1/cohorts:join": ("attempts:write",),
    "GET /v1/assignments": ("questions:read",),
    "POST /v1/assignments": ("cohorts:write",),
    "GET /v1/assignments/{assignment_id}": ("questions:read",),
    "PUT /v1/assignments/{assignment_id}": ("cohorts:write",),
    "GET /v1/webhooks": ("webhooks:write",),
    "POST /v1/webhooks": ("webhooks:write",),
    "GET /v1/webhooks/{webhook_id}": ("webhooks:write",),
    "DELETE /v1/webhooks/{webhook_id}": ("webhooks:write",),
    "POST /v1/webhooks/{webhook_id}:rotate": ("webhooks:write",),
    "POST /v1/webhooks/{webhook_id}:enable": ("webhooks:write",),
    "POST /v1/webhooks/{webhook_id}:disable": ("webhooks:write",),
    "GET /v1/webhooks/{webhook_id}/deliveries": ("webhooks:write",),
    "POST /v1/deliveries/{delivery_id}:redeliver": ("webhooks:write",),
    "GET /v1/usage": ("usage:read",),
    "GET /v1/usage/lines": ("usage:read",),
    "GET /v1/keys": ("keys:write",),
    "POST /v1/keys": ("keys:write",),
    "GET /v1/keys/{key_id}": ("keys:write",),
    "DELETE /v1/keys/{key_id}": ("keys:write",),
    "POST /v1/keys/{key_id}:rotate": ("keys:write",),
    "GET /v1/capabilities": ("questions:read",),
    "GET /healthz": None,
    "GET /readyz": None,
    "GET /metrics": None,
}

LEARNER = {"questions:read", "submissions:read", "submissions:write", "attempts:write"}
GRADER = LEARNER | {
    "rubrics:read",
    "grades:read",
    "grades:write",
    "jobs:write",
    "cohorts:read",
    "exports:read",
}
MAY = {
    Role.LEARNER: LEARNER,
    Role.GRADER: GRADER,
    Role.INSTRUCTOR: GRADER | {"cohorts:write", "users:write", "usage:read"},
    Role.AUTHOR: LEARNER | {"rubrics:read", "rubrics:write"},
    Role.ADMIN: {scope for scopes in NEEDED.values() for scope in scopes or ()},
}


def lacks_scope(reply):
    """Whether a reply says that the key may not do this at all."""
    return reply.status_code == 403 and "lacks the scope" in reply.json()["detail"]


def test_every_operation_demands_what_the_contract_says(world):
    assert {op.name: op.scopes for op in operations(world.app)} == NEEDED


def test_without_a_key_nothing_is_answered(world, furnished):
    client = world.client()
    for op in operations(world.app):
        if op.scopes is not None:
            reply = op.call(client, furnished.ids)
            assert reply.status_code == 401, op.name
            assert reply.headers["WWW-Authenticate"].startswith("Bearer"), op.name


def test_a_key_with_every_scope_but_one_is_refused(world, furnished):
    everything = MAY[Role.ADMIN] - {"admin"}
    for op in operations(world.app):
        for scope in op.scopes or ():
            client = world.client(furnished.key(sorted(everything - {scope})))
            assert lacks_scope(op.call(client, furnished.ids)), op.name


def test_a_key_with_just_the_scope_is_let_in(world):
    tenant = world.tenant().furnish()
    for op in sorted(operations(world.app), key=lambda op: op.method == "delete"):
        if op.scopes is not None and not op.path.endswith("/events"):
            client = world.client(tenant.key(op.scopes))
            assert not lacks_scope(op.call(client, tenant.ids)), op.name


@pytest.mark.parametrize("role", sorted(Role, key=lambda r: r is Role.ADMIN))
def test_a_role_allows_what_the_contract_says_and_no_more(world, role):
    tenant = world.tenant().furnish()
    client = tenant.client(role.value) if role is not Role.ADMIN else _admin_person(tenant)
    for op in sorted(operations(world.app), key=lambda op: op.method == "delete"):
        if op.scopes is None or op.path.endswith("/events"):
            continue
        allowed = set(op.scopes) <= MAY[role]
        reply = op.call(client, {**tenant.ids, "user_id": tenant.ids["author_id"]})
        if reply.status_code == 401:
            client = tenant.client(role.value)
        assert lacks_scope(reply) is not allowed, (role, op.name)


def _admin_person(tenant):
    return tenant.world.client(tenant.keys["admin"])


class TestKeys:
    """What opens, and for how long."""

    @pytest.mark.parametrize(
        "shown",
        ["", "x", "grd_live_abc", "grd_live_aaaaaaaa_" + "a" * 43 + "_00000000", "Bearer " * 50],
    )
    def test_what_is_no_key_opens_nothing(self, world, shown):
        reply = world.client(shown or " ").get("/v1/questions")
        assert reply.status_code == 401

    def test_a_key_with_another_secret_opens_nothing(self, world, tenant):
        from grader.store.keys import make_key

        known, other = tenant.admin.split("_"), make_key(b"another pepper of this test").text
        forged = world.client(other.replace(other.split("_")[2], known[2]))
        assert forged.get("/v1/questions").status_code == 401

    def test_an_expired_key_opens_nothing(self, world, tenant):
        from datetime import timedelta

        key = tenant.key(["admin"], expires_in=timedelta(seconds=-1))
        assert world.client(key).get("/v1/questions").status_code == 401

    def test_a_revoked_key_opens_nothing_from_then_on(self, world, tenant):
        made = tenant.client().post("/v1/keys", json={"name": "x", "scopes": ["questions:read"]})
        client = world.client(made.json()["key"])
        assert client.get("/v1/questions").status_code == 200
        assert tenant.client().delete(f"/v1/keys/{made.json()['id']}").status_code == 204
        assert client.get("/v1/questions").status_code == 401

    def test_both_keys_work_while_they_overlap(self, world, tenant):
        made = tenant.client().post("/v1/keys", json={"name": "x", "scopes": ["questions:read"]})
        path = f"/v1/keys/{made.json()['id']}:rotate"
        new = tenant.client().post(path, json={"overlap_hours": 1}).json()
        for key in (made.json()["key"], new["key"]):
            assert world.client(key).get("/v1/questions").status_code == 200

    def test_without_overlap_the_old_key_is_shut_at_once(self, world, tenant):
        made = tenant.client().post("/v1/keys", json={"name": "x", "scopes": ["questions:read"]})
        tenant.client().post(f"/v1/keys/{made.json()['id']}:rotate", json={"overlap_hours": 0})
        assert world.client(made.json()["key"]).get("/v1/questions").status_code == 401

    def test_nobody_gives_away_a_right_they_lack(self, world, tenant):
        client = world.client(tenant.key(["keys:write", "questions:read"]))
        given = {"name": "x", "scopes": ["grades:read"]}
        assert client.post("/v1/keys", json=given).status_code == 403
        given = {"name": "x", "scopes": ["questions:read"]}
        assert client.post("/v1/keys", json=given).status_code == 201

    def test_a_key_made_with_a_test_key_is_one(self, world, tenant):
        client = world.client(tenant.key(["admin"], test=True))
        made = client.post("/v1/keys", json={"name": "x", "scopes": ["questions:read"]}).json()
        assert made["test"] is True
        assert made["key"].startswith("grd_test_")

    def test_a_persons_key_follows_their_roles_at_once(self, world, tenant):
        user_id = tenant.person(Role.GRADER)
        assert tenant.client("grader").get("/v1/jobs").status_code == 200
        tenant.client().put(f"/v1/users/{user_id}/roles", json={"roles": ["learner"]})
        assert tenant.client("grader").get("/v1/jobs").status_code == 403
        tenant.client().post(f"/v1/users/{user_id}:disable")
        assert tenant.client("grader").get("/v1/questions").status_code == 401
