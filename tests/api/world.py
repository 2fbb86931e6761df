"""Two tenants with one of everything, seen through the API of one process that runs no jobs."""

from dataclasses import dataclass, field, replace
from datetime import timedelta

from starlette.testclient import TestClient

from grader.api.app import create_app
from grader.api.catalogue import Catalogue
from grader.api.new_tenants import add_tenant
from grader.api.options import ApiOptions
from grader.api.service import Capabilities, Service
from grader.domain.grade import Grade
from grader.domain.question import SignalKind
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.engine.dbos_adapter.client import DbosClientEngine
from grader.settings import Settings
from grader.store.blobs import LocalBlobs
from grader.store.keys import make_key
from grader.store.records.tenancy import Role
from grader.store.records.work import AttemptState

PEPPER = b"a secret of thirty-two characters"
EXECUTOR = "tests"
ANSWER = "Softmax weights must sum to one, so the mass is dumped on the first tokens."


class World:
    """A service and its clients."""

    def __init__(self, database, folder, **options):
        self.database = database
        self.service = Service(
            settings=replace(Settings.from_environment({}), data_dir=folder),
            options=replace(ApiOptions(burst_per_s=100_000), **options),
            engine=DbosClientEngine(database),
            database=database,
            blobs=LocalBlobs(folder / "blobs"),
            catalogue=Catalogue(Settings.from_environment({}).bank_dirs),
            pepper=PEPPER,
            capabilities=Capabilities(speech=True),
        )
        self.service = replace(self.service, burst=_no_burst())
        self.app = create_app(self.service)
        with database.writing() as unit:
            unit.executors.register(EXECUTOR, pool="all", host="here", ttl_s=3600)

    def client(self, key=None):
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return TestClient(
            self.app,
            base_url="http://localhost",
            headers=headers,
            raise_server_exceptions=True,
        )

    def tenant(self, name="Acme"):
        tenant, key = add_tenant(self.database, name, "standard", PEPPER)
        return TenantWorld(self, tenant.id, key)

    def grade(self, tenant_id, submission_id, outcome=Outcome.MET, job_id=None):
        """What a worker would do: takes the job up and records a grade."""
        with self.database.writing() as unit:
            store = unit.of(tenant_id)
            claim = store.jobs.claim(job_id or submission_id, EXECUTOR)
            submission = store.submissions.get(submission_id)
            question = store.rubrics.question(submission.file_version)
            asked = submission.signals or [s.id for s in question.signals]
            text = submission.text or ""
            verdicts = [
                Verdict(
                    signal_id=signal_id,
                    outcome=_of(question.signal(signal_id), outcome),
                    confidence=0.9,
                    evidence=(Evidence.of(text, 0, 7),) if text else (),
                    judge="offline-1",
                    comment=question.signal(signal_id).statement,
                )
                for signal_id in asked
            ]
            scored = score_verdicts(question, verdicts)
            grade = Grade(
                question_id=question.id,
                rubric_version=submission.rubric_version,
                score=scored.score.score,
                low=scored.score.low,
                high=scored.score.high,
                provisional=False,
                verdicts=tuple(verdicts) if submission.signals else scored.verdicts,
            )
            store.jobs.set_stage(claim, "judging")
            store.jobs.record(claim, grade)
            store.usage.bill(claim.job_id, "grade", 1)


def _of(signal, outcome):
    """A strong answer makes no negative signal."""
    return outcome if signal.kind is SignalKind.POSITIVE else Outcome.NOT_MET


def _no_burst():
    from grader.api.limits import Burst

    return Burst(1_000_000)


@dataclass
class TenantWorld:
    """One tenant: keys by role, and the id of one thing of each kind."""

    world: World
    id: str
    admin: str
    keys: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def client(self, role="admin"):
        return self.world.client(self.admin if role == "admin" else self.keys[role])

    def key(self, scopes, *, user_id=None, test=False, expires_in=None):
        made = make_key(PEPPER, test=test)
        with self.world.database.writing() as unit:
            store = unit.of(self.id)
            store.api_keys.add(
                made,
                name="made by a test",
                scopes=scopes,
                user_id=user_id,
                expires_at=unit.now + expires_in if expires_in is not None else None,
            )
        return made.text

    def person(self, role):
        """A person of that role with a key that allows all the role does."""
        with self.world.database.writing() as unit:
            user = unit.of(self.id).users.add(role.value, roles=[role])
        self.ids[f"{role.value}_id"] = user.id
        self.keys[role.value] = self.key(["admin"], user_id=user.id)
        return user.id

    def submit(self, role="admin", **fields):
        given = {"question_id": "attention-sinks", "text": ANSWER, **fields}
        reply = self.client(role).post("/v1/submissions", json=given)
        assert reply.status_code == 202, reply.text
        return reply.json()

    def furnish(self):
        """One of everything that has an id."""
        for role in Role:
            self.person(role)
        client = self.client()
        learner_id = self.ids["learner_id"]
        self.ids["cohort_id"] = client.post("/v1/cohorts", json={"name": "Autumn"}).json()["id"]
        with self.world.database.writing() as unit:
            unit.of(self.id).cohorts.put_member(self.ids["cohort_id"], learner_id)
        self.ids["assignment_id"] = client.post(
            "/v1/assignments",
            json={
                "cohort_id": self.ids["cohort_id"],
                "title": "Week 1",
                "question_ids": ["attention-sinks"],
            },
        ).json()["id"]
        learner = self.client("learner")
        attempt = learner.post("/v1/attempts", json={"question_id": "attention-sinks"}).json()
        self.ids["attempt_id"] = attempt["id"]
        reply = learner.post(f"/v1/attempts/{attempt['id']}/submissions", json={"text": ANSWER})
        self.ids["submission_id"] = self.ids["job_id"] = reply.json()["id"]
        self._hook(client)
        self.world.grade(self.id, self.ids["submission_id"], Outcome.NOT_MET)
        self._opinions(client, learner)
        rubric = _own_question(self.id)
        client.put(f"/v1/rubrics/{rubric['id']}", json=rubric, headers={"If-Match": "*"})
        self.ids["question_id"] = rubric["id"]
        self.ids["user_id"] = learner_id
        key = client.post("/v1/keys", json={"name": "spare", "scopes": ["questions:read"]})
        self.ids["key_id"] = key.json()["id"]
        return self

    def _hook(self, client):
        hook = client.post(
            "/v1/webhooks",
            json={"url": "https://example.org/hook", "events": ["submission.graded"]},
        ).json()
        self.ids["webhook_id"] = hook["id"]
        with self.world.database.writing() as unit:
            sent = unit.of(self.id).deliveries.publish("submission.graded", {"score": 1})
        self.ids["delivery_id"] = sent[0].id

    def _opinions(self, client, learner):
        submission = self.ids["submission_id"]
        signal = client.get(f"/v1/submissions/{submission}").json()["grade"]["verdicts"][0]
        made = client.post(
            f"/v1/submissions/{submission}/overrides",
            json={"signal_id": signal["signal_id"], "outcome": "met", "reason": "It is said."},
        )
        self.ids["override_id"] = made.json()["id"]
        contest = learner.post(
            f"/v1/submissions/{submission}/contests", json={"signal_id": "s2", "text": "I said it."}
        )
        self.ids["contest_id"] = contest.json()["id"]

    def close_attempt(self, attempt_id):
        with self.world.database.writing() as unit:
            unit.of(self.id).attempts.close(attempt_id, AttemptState.SUBMITTED)


def _own_question(owner):
    return {
        "id": f"own-{owner[-6:]}",
        "topic": "memory",
        "prompt": "Why is a key-value cache kept in pages?",
        "signals": [
            {
                "id": "blocks",
                "statement": "The cache is split into fixed-size blocks.",
                "weight": 1,
                "kind": "positive",
            }
        ],
    }


AN_HOUR = timedelta(hours=1)
