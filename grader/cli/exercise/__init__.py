"""``grader exercise``."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "exercise",
    "Write coding exercises and prove them.",
    {
        "list": Entry("grader.cli.exercise.list", "List the coding exercises."),
        "starter": Entry("grader.cli.exercise.starter", "Give the file a learner starts from."),
        "new": Entry("grader.cli.exercise.new", "Write a small working exercise to start from."),
        "verify": Entry("grader.cli.exercise.verify", "Prove reference, mutants and limits."),
        "try": Entry("grader.cli.exercise.try_", "Run the public examples on a file."),
    },
)
