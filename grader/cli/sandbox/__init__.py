"""``grader sandbox``: build, check, prune."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "sandbox",
    "Make and prove the sandbox that runs submissions.",
    {
        "build": Entry("grader.cli.sandbox.build", "Build the worker image."),
        "check": Entry("grader.cli.sandbox.check", "Prove every limit and print what held."),
        "prune": Entry("grader.cli.sandbox.prune", "Remove images and containers of older runs."),
    },
)
