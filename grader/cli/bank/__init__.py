"""``grader bank``."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "bank",
    "Lint, list and show the questions of a bank.",
    {
        "lint": Entry("grader.cli.bank.lint", "Find faults of rubrics, without any model."),
        "list": Entry("grader.cli.bank.list", "List questions."),
        "show": Entry("grader.cli.bank.show", "Show one question with its rubric."),
        "coverage": Entry(
            "grader.cli.bank.coverage", "Items of the curriculum and their questions."
        ),
        "stats": Entry("grader.cli.bank.stats", "Count by topic, kind and difficulty."),
    },
)
