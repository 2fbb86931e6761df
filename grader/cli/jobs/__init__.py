"""``grader jobs``: looking at jobs, and ending or repeating them."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "jobs",
    "Look at jobs, end them, or run them again.",
    {
        "ls": Entry("grader.cli.jobs.ls", "List jobs, latest first."),
        "show": Entry("grader.cli.jobs.show", "Show a job and what happened to it."),
        "cancel": Entry("grader.cli.jobs.cancel", "End a job without a grade."),
        "retry": Entry("grader.cli.jobs.retry", "Queue a failed or cancelled job again."),
    },
)
