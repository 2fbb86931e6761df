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
        "new": Entry("grader.cli.bank.new", "Write a question to fill in."),
        "import": Entry("grader.cli.bank.import_", "Take questions from CSV or Markdown."),
        "export": Entry("grader.cli.bank.export", "Write the bank as CSV or Markdown."),
        "sets": Entry("grader.cli.bank.sets", "List interview sets."),
        "stats": Entry("grader.cli.bank.stats", "Count by topic, kind and difficulty."),
    },
)
