"""Figures for Prometheus; none of them names a tenant, a learner or a question."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.process_collector import ProcessCollector

from grader.engine.port import Health

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The figures of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "grader_http_requests_total",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "grader_http_request_seconds",
            "Seconds until a request was answered, long polls and streams left out.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._accepted = Counter(
            "grader_submissions_accepted_total",
            "Submissions accepted.",
            ("kind",),
            registry=self.registry,
        )
        self._jobs = Gauge("grader_jobs", "Open jobs.", ("queue", "status"), registry=self.registry)
        self._oldest = Gauge(
            "grader_oldest_queued_seconds",
            "Age of the oldest waiting job.",
            ("queue",),
            registry=self.registry,
        )
        self._executors = Gauge(
            "grader_executors", "Living processes that run jobs.", ("pool",), registry=self.registry
        )

    def answered(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Counts a request; without ``seconds`` its time is left out."""
        self._requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(method, route).observe(seconds)

    def accepted(self, kind: str, number: int = 1) -> None:
        """Counts submissions taken in."""
        self._accepted.labels(kind).inc(number)

    def page(self, health: Health, oldest_s: dict[str, float]) -> bytes:
        """All figures, those of the engine as they are now."""
        for gauge in (self._jobs, self._oldest, self._executors):
            gauge.clear()
        for queue, status, number in _depths(health):
            self._jobs.labels(queue, status).set(number)
        for queue, age in oldest_s.items():
            self._oldest.labels(queue).set(age)
        for pool, number in health.executors.items():
            self._executors.labels(pool).set(number)
        return generate_latest(self.registry)


def _depths(health: Health) -> Iterator[tuple[str, str, int]]:
    for status, depths in (("queued", health.queued), ("running", health.running)):
        for queue, number in depths.items():
            yield queue, status, number
