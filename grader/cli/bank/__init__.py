"""``grader bank``: lint, list, show, stats."""

from grader.cli.lazy import Entry, lazy_group

command = lazy_group(
    "bank",
    "Lint, list and show the questions of a bank.",
    {
        "lint": Entry("grader.cli.bank.lint", "Find faults of rubrics, without any model."),
        "list": Entry("grader.cli.bank.list", "List questions."),
        "show": Entry("grader.cli.bank.show", "Show one question with its rubric."),
        "stats": Entry("grader.cli.bank.stats", "Count by topic, kind and difficulty."),
    },
)
