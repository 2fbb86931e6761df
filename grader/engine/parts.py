"""What the workflows need from outside, each behind a port."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from grader.domain.answer import Transcript
from grader.domain.question import Question
from grader.engine.errors import JobFaultError
from grader.exercises.result import CheckResult
from grader.judges.port import Judge
from grader.settings import Settings
from grader.store.blobs import BlobStore, open_blobs
from grader.store.database import Database
from grader.store.records.operations import Delivery, Webhook

JUDGE_UNKNOWN = "judge_unknown"
SPEECH_UNAVAILABLE = "speech_unavailable"
SANDBOX_UNAVAILABLE = "sandbox_unavailable"


class JudgeSource(Protocol):
    """Gives judges by name.

    A judge that calls a model puts ``tenant_id`` and ``job_id`` into its requests as tenant and
    run, so that the ledger's rows say what a job has cost.
    """

    def is_local(self, name: str) -> bool:
        """Whether judging needs nothing from outside: such a step need not be recorded."""
        ...

    def judge(self, name: str, *, tenant_id: str, job_id: str) -> Judge:
        """The judge of that name.

        Raises:
            JobFaultError: There is none here.
        """
        ...


class Recogniser(Protocol):
    """Turns speech into text."""

    async def transcribe(self, audio: bytes, question: Question) -> Transcript:
        """What was said; the question lends its glossary."""
        ...


class CodeRunner(Protocol):
    """Runs code submissions in a sandbox."""

    async def check(self, question: Question, source: bytes) -> CheckResult:
        """Runs the whole suite; cancelling it kills the container.

        Raises:
            JobFaultError: Nothing here can run it.
        """
        ...


@dataclass(frozen=True)
class Sent:
    """How sending a message went; ``status`` is that of HTTP, None without a reply."""

    delivered: bool
    status: int | None = None
    error: str = ""


class Messenger(Protocol):
    """Sends webhook messages: signs, guards against private addresses, never raises."""

    async def send(self, webhook: Webhook, delivery: Delivery) -> Sent:
        """Sends one message once."""
        ...


class LocalJudges:
    """The judges that need no account: the offline one.

    Args:
        others: Further judges by name, made anew for each job.
    """

    def __init__(self, others: Mapping[str, "JudgeMaker"] | None = None) -> None:
        self._others = dict(others or {})
        self._offline: Judge | None = None

    def is_local(self, name: str) -> bool:
        """Whether it is the offline judge."""
        return name not in self._others

    def judge(self, name: str, *, tenant_id: str, job_id: str) -> Judge:
        """The judge of that name."""
        if name in self._others:
            return self._others[name].make(tenant_id=tenant_id, job_id=job_id)
        if name != "offline":
            raise JobFaultError(JUDGE_UNKNOWN, f"there is no judge {name!r} here")
        if self._offline is None:
            from grader.judges.offline import OfflineJudge

            self._offline = OfflineJudge()
        return self._offline


class JudgeMaker(Protocol):
    """Makes a judge for one job."""

    def make(self, *, tenant_id: str, job_id: str) -> Judge:
        """A judge that calls on behalf of that tenant and job."""
        ...


@dataclass(frozen=True)
class Parts:
    """Everything a worker is built from; what is None is not there.

    Attributes:
        recogniser: For spoken answers.
        code: For code submissions.
        messenger: For webhooks.
    """

    database: Database
    blobs: BlobStore
    judges: JudgeSource = field(default_factory=LocalJudges)
    recogniser: Recogniser | None = None
    code: CodeRunner | None = None
    messenger: Messenger | None = None

    @classmethod
    def of(cls, settings: Settings, database: Database) -> "Parts":
        """The parts that a deployment has without further installation."""
        from grader.engine.sandboxing import SandboxRunner

        return cls(database=database, blobs=open_blobs(settings), code=SandboxRunner.of(settings))
