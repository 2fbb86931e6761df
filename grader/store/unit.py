"""A unit of work: the repositories within one transaction."""

from datetime import datetime
from functools import cached_property

from sqlalchemy.orm import Session

from grader.store.repositories.accounts import IdempotencyKeys, Quotas, UsageLedger
from grader.store.repositories.deployment import Deployment, Executors
from grader.store.repositories.grades import Grades
from grader.store.repositories.jobs import Jobs
from grader.store.repositories.operations import BlobIndex, Deliveries, Webhooks
from grader.store.repositories.opinions import Contests, Overrides
from grader.store.repositories.teaching import Assignments, Cohorts, Rubrics
from grader.store.repositories.tenancy import ApiKeys, Users
from grader.store.repositories.work import Attempts, Submissions


class TenantStore:
    """The repositories of one tenant; nothing of another can be reached through them.

    Args:
        session: Of the unit of work.
        tenant_id: Whose rows may be seen.
        now: Time of what is written.
    """

    def __init__(self, session: Session, tenant_id: str, now: datetime) -> None:
        self.id = tenant_id
        self.users = Users(session, tenant_id, now)
        self.api_keys = ApiKeys(session, tenant_id, now)
        self.cohorts = Cohorts(session, tenant_id, now)
        self.assignments = Assignments(session, tenant_id, now)
        self.rubrics = Rubrics(session, tenant_id, now)
        self.attempts = Attempts(session, tenant_id, now)
        self.submissions = Submissions(session, tenant_id, now)
        self.jobs = Jobs(session, tenant_id, now)
        self.grades = Grades(session, tenant_id, now)
        self.overrides = Overrides(session, tenant_id, now)
        self.contests = Contests(session, tenant_id, now)
        self.usage = UsageLedger(session, tenant_id, now)
        self.quotas = Quotas(session, tenant_id, now)
        self.idempotency = IdempotencyKeys(session, tenant_id, now)
        self.webhooks = Webhooks(session, tenant_id, now)
        self.deliveries = Deliveries(session, tenant_id, now)
        self.blobs = BlobIndex(session, tenant_id, now)


class Unit:
    """What happens together or not at all.

    Args:
        session: An open transaction; the engine enqueues in it, too.
        now: Time of what is written.
    """

    def __init__(self, session: Session, now: datetime) -> None:
        self.session = session
        self.now = now

    def of(self, tenant_id: str) -> TenantStore:
        """The store as one tenant sees it."""
        return TenantStore(self.session, tenant_id, self.now)

    @cached_property
    def deployment(self) -> Deployment:
        """What belongs to no tenant."""
        return Deployment(self.session, self.now)

    @cached_property
    def executors(self) -> Executors:
        """The processes that run jobs."""
        return Executors(self.session)
