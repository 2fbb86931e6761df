"""Jobs and what happened to them, in replies."""

from datetime import datetime
from typing import Any

from pydantic import Field

from grader.api.schemas.base import Output, examples
from grader.store.records.grading import JobKind, JobStatus


class JobOut(Output):
    """One grading of one submission."""

    model_config = examples(
        {
            "id": "sub_06f3q8z1",
            "submission_id": "sub_06f3q8z1",
            "kind": "grade",
            "status": "running",
            "stage": "judging",
            "cause": "",
            "queue": "judge",
            "judge": "offline",
            "dry_run": False,
            "executions": 1,
            "created_at": "2026-11-30T18:00:00Z",
            "started_at": "2026-11-30T18:00:01Z",
            "finished_at": None,
        }
    )

    id: str
    submission_id: str
    kind: JobKind
    status: JobStatus
    stage: str
    cause: str
    queue: str
    judge: str
    dry_run: bool
    executions: int = Field(description="How often a process has taken it up.")
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class JobEventOut(Output):
    """Something that happened to a job; numbers have no gaps."""

    model_config = examples(
        {
            "seq": 3,
            "kind": "stage",
            "data": {"stage": "judging"},
            "at": "2026-11-30T18:00:01Z",
        }
    )

    seq: int
    kind: str
    data: dict[str, Any]
    at: datetime
