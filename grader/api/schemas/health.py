"""Health, readiness and capabilities in replies."""

from grader.api.schemas.base import Output, examples

_CAPABILITIES = {
    "answers": True,
    "sandbox_cpu": True,
    "sandbox_gpu": False,
    "speech": False,
    "llm": False,
    "judges": ["offline"],
}


class HealthOut(Output):
    """The process answers."""

    model_config = examples({"status": "ok", "version": "0.1.0"})

    status: str = "ok"
    version: str


class CapabilitiesOut(Output):
    """What can be graded here now."""

    model_config = examples(_CAPABILITIES)

    answers: bool
    sandbox_cpu: bool
    sandbox_gpu: bool
    speech: bool
    llm: bool
    judges: tuple[str, ...]


class ReadinessOut(Output):
    """Whether jobs can run, and how many wait."""

    model_config = examples(
        {
            "ready": True,
            "problem": "",
            "executors": {"all": 1},
            "queued": {"judge": 3},
            "running": {"judge": 1},
            "capabilities": _CAPABILITIES,
        }
    )

    ready: bool
    problem: str
    executors: dict[str, int]
    queued: dict[str, int]
    running: dict[str, int]
    capabilities: CapabilitiesOut
