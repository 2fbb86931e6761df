"""The command line: one command per file, each imported only when it runs."""

from grader.cli.lazy import Entry, run_group

_COMMANDS = {
    "grade": Entry("grader.cli.grade", "Grade one answer against its rubric."),
    "grade-batch": Entry("grader.cli.grade_batch", "Grade a JSON-lines file of answers."),
    "check": Entry("grader.cli.check", "Grade a submission to a coding exercise in a sandbox."),
    "check-batch": Entry("grader.cli.check_batch", "Grade a folder of submissions."),
    "autograde": Entry("grader.cli.autograde", "Grade for Gradescope, GitHub and other runners."),
    "exercise": Entry("grader.cli.exercise", "Write coding exercises and prove them."),
    "agreement": Entry("grader.cli.agreement", "Compare verdicts with labels or another judge's."),
    "calibrate": Entry("grader.cli.calibrate", "Fit release thresholds from labelled verdicts."),
    "stability": Entry("grader.cli.stability", "Judge answers twice and report flips."),
    "bias": Entry("grader.cli.bias", "Change answers in form alone and report the shift."),
    "bank": Entry("grader.cli.bank", "Lint, list and show the questions of a bank."),
    "sandbox": Entry("grader.cli.sandbox", "Make and prove the sandbox that runs submissions."),
    "serve": Entry("grader.cli.serve", "Serve the API, the workers and the pages."),
    "api": Entry("grader.cli.api", "Serve the API alone, as part of a deployment."),
    "worker": Entry("grader.cli.worker", "Run jobs, as part of a deployment."),
    "jobs": Entry("grader.cli.jobs", "Look at jobs, end them, or run them again."),
    "admin": Entry("grader.cli.admin", "Tenants and keys of a deployment."),
    "demo": Entry("grader.cli.demo", "Grade the shipped sample answers and write a report."),
}


def main() -> None:
    """Entry point of the ``grader`` command."""
    run_group("grader", "Grade interview answers against rubrics, offline by default.", _COMMANDS)
