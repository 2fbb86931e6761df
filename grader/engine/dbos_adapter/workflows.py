"""The workflows: what is done in which order, with one recorded step for each outside effect.

The order of the steps depends on nothing but the job's unchanging fields, so that a run that is
taken up again replays what was recorded and goes on after it. Whatever is pure is not recorded:
doing it again costs less than the record. The outputs of steps are plain JSON; a fault travels as
a value, because an exception would come back from a replay as another one.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, StepOptions

from grader.domain.grade import Grade
from grader.engine.courier import Courier
from grader.engine.dbos_adapter import system
from grader.engine.errors import JobFaultError
from grader.engine.grading import GradingDesk, Work, grade_of_code
from grader.engine.queues import QueueName
from grader.exercises.result import CheckResult
from grader.store.patience import patiently
from grader.store.records.work import SubmissionKind
from grader.store.repositories.jobs import FencedError

RECORDED = "recorded"
FENCED = "fenced"
SETTLED = "settled"
FAILED = "failed"
INTERNAL = "internal"

_VALUE, _FAULT = "value", "fault"
_log = logging.getLogger(__name__)
Again = Callable[[str, str, float, int], None]


def register(desk: GradingDesk, courier: Courier, again: Again) -> None:
    """Registers the workflows with DBOS, once for each launch.

    Args:
        desk: Does the work.
        courier: Sends webhook messages.
        again: Queues another try of a message: tenant, message, seconds to wait, number.
    """

    @DBOS.workflow(name=system.RUN_CODE, max_recovery_attempts=None)
    async def run_code(tenant_id: str, job_id: str) -> dict[str, Any]:
        async def run() -> Any:
            result = await desk.run_code(tenant_id, job_id)
            return result.model_dump(mode="json")

        return await _step("sandbox", run)

    @DBOS.workflow(name=system.GRADE, max_recovery_attempts=None)
    async def grade(tenant_id: str, job_id: str) -> str:
        work = await patiently(desk.take_up, tenant_id, job_id)
        if work is None:
            return SETTLED
        try:
            if work.submission.kind is SubmissionKind.CODE:
                return await _grade_code(desk, work, run_code)
            return await _grade_answer(desk, work)
        except FencedError:
            return FENCED
        except JobFaultError as fault:
            cause = fault.cause
        except Exception:
            _log.exception("job %s failed", job_id)
            cause = INTERNAL
        with suppress(FencedError):
            await patiently(desk.fail, work, cause)
        return FAILED

    @DBOS.workflow(name=system.DELIVER, max_recovery_attempts=None)
    async def deliver(tenant_id: str, delivery_id: str, number: int) -> None:
        async def send() -> float | None:
            return await courier.deliver(tenant_id, delivery_id)

        wait_s = await DBOS.run_step_async(StepOptions(name="send"), send)
        if wait_s is not None:
            await patiently(again, tenant_id, delivery_id, wait_s, number + 1)


async def _grade_answer(desk: GradingDesk, work: Work) -> str:
    text = work.submission.text or ""
    if work.submission.kind is SubmissionKind.SPEECH:
        await patiently(desk.set_stage, work, "transcribing")
        text = _value(await _step("transcribe", lambda: desk.transcribe(work)))
    if desk.is_local(work):
        # In a thread with a loop of its own: it computes, and would hold up every other job.
        grade = await asyncio.to_thread(asyncio.run, desk.judge(work, text))
        return await _record(desk, work, grade)
    await patiently(desk.set_stage, work, "judging")

    async def judge() -> Any:
        return (await desk.judge(work, text)).model_dump(mode="json")

    given = _value(await _step("judge", judge))
    return await _record(desk, work, Grade.model_validate(given))


async def _grade_code(
    desk: GradingDesk,
    work: Work,
    run_code: Callable[[str, str], Coroutine[Any, Any, dict[str, Any]]],
) -> str:
    await patiently(desk.set_stage, work, "running_code")
    with (
        SetWorkflowID(f"{work.job.id}:code"),
        SetEnqueueOptions(priority=work.job.priority, queue_partition_key=work.tenant_id),
    ):
        child = await DBOS.enqueue_workflow_async(
            QueueName.SANDBOX_CPU.value, run_code, work.tenant_id, work.job.id
        )
    result = CheckResult.model_validate(_value(await child.get_result(polling_interval_sec=0.2)))
    return await _record(desk, work, grade_of_code(work, result), result)


async def _record(
    desk: GradingDesk, work: Work, grade: Grade, code: CheckResult | None = None
) -> str:
    """Needs no step of its own: its transaction is its record, and a second one is refused."""
    await patiently(desk.record, work, grade, code)
    return RECORDED


async def _step(name: str, effect: Callable[[], Coroutine[Any, Any, Any]]) -> dict[str, Any]:
    """One recorded step that is stopped when its job is cancelled."""

    async def run() -> dict[str, Any]:
        try:
            return {_VALUE: await effect()}
        except JobFaultError as fault:
            _log.warning("step %s: %s", name, fault.message)
            return {_FAULT: fault.cause}

    return await DBOS.run_step_async(StepOptions(name=name, preemptible=True), run)


def _value(output: dict[str, Any]) -> Any:
    """What a step gave.

    Raises:
        JobFaultError: The step ended in a fault of ours.
    """
    if _FAULT in output:
        raise JobFaultError(output[_FAULT], "a step ended in a fault")
    return output[_VALUE]
