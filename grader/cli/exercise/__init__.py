"""``grader exercise``: new, verify, try."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "exercise",
    "Write coding exercises and prove them.",
    {
        "new": Entry("grader.cli.exercise.new", "Write a small working exercise to start from."),
        "verify": Entry("grader.cli.exercise.verify", "Prove reference, mutants and limits."),
        "try": Entry("grader.cli.exercise.try_", "Run the public examples on a file."),
    },
)
