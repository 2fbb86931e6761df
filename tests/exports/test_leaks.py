"""No export tells a learner a word of a rubric or of a hidden check."""

import ast
import csv
import io
import re
from html import unescape
from xml.etree import ElementTree

import pytest

from grader.bank.load import load_bank
from grader.domain.grade import Grade
from grader.domain.scoring import score_verdicts
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.exercises.exercise import load_exercise
from grader.exercises.kit.trusted import TrustedPool
from grader.exercises.result import Reveal
from grader.exercises.submission import submission_of
from grader.exercises.suite import SuiteRun
from grader.exports.canvas import fill_gradebook
from grader.exports.github import classroom_results, step_summary
from grader.exports.gradescope import gradescope_results
from grader.exports.junit import junit_xml
from grader.exports.plain_csv import grades_csv
from grader.exports.report import report_of_answer, report_of_code
from grader.settings import shipped_bank
from tests.api.test_leaks import SECRET_FIELDS, fields_of, public_of, secrets_of, texts_of

CODING = sorted(f.parent for f in (shipped_bank() / "coding").glob("*/question.yaml"))
GRADEBOOK = "Student,ID,Section,Work (1)\n    Points Possible,,,10\nA,7,S,\n"
# Words of no rubric.
ANSWER = "Zzyzx quokka jamboree."


def exported(report):
    """Every export of a report, read back as its reader would, by format."""
    gradescope, classroom = gradescope_results(report), classroom_results(report)
    assert not SECRET_FIELDS & {*fields_of(gradescope), *fields_of(classroom)}
    xml = ElementTree.fromstring(junit_xml(report).encode())
    summary = unescape(re.sub(r"\\(?=[^\w\s])", "", step_summary(report)))
    cells = csv.reader(io.StringIO(grades_csv([("anna", report)]), newline=""))
    return {
        "gradescope": "\n".join(texts_of(gradescope)),
        "classroom": "\n".join(texts_of(classroom)),
        "junit": "\n".join([*xml.itertext(), *(v for e in xml.iter() for v in e.attrib.values())]),
        "summary": summary,
        "csv": "\n".join(cell for row in cells for cell in row),
        "canvas": fill_gradebook(GRADEBOOK, "1", {"7": report}).text,
    }


def flat(text):
    return re.sub(r"\s+", " ", text).lower().strip()


def demand_no_leak(report, secrets, where):
    for name, text in exported(report).items():
        said = flat(text)
        for secret in secrets:
            assert flat(secret) not in said, (where, name, secret)


def chatty_grade(question, outcome):
    """A grade whose judge has written the rubric into every comment."""
    verdicts = [
        Verdict(
            signal_id=signal.id,
            outcome=outcome,
            evidence=(Evidence.of(ANSWER, 0, 5),) if outcome is Outcome.MET else (),
            judge="llm-1",
            comment=" ".join([signal.statement, signal.probe, *signal.accept, *signal.reject]),
        )
        for signal in question.signals
    ]
    scored = score_verdicts(question, verdicts)
    return Grade(
        question_id=question.id,
        rubric_version="sha256:00",
        score=scored.score.score,
        low=scored.score.low,
        high=scored.score.high,
        provisional=scored.score.provisional,
        verdicts=scored.verdicts,
    )


@pytest.mark.parametrize("outcome", Outcome)
def test_no_export_of_an_answer_says_a_word_of_its_rubric(outcome):
    seen = 0
    for file in load_bank(shipped_bank()):
        question = file.question
        public = flat(public_of(question))
        secrets = [*secrets_of(question), *(s.id for s in question.signals if s.id not in public)]
        report = report_of_answer(question, chatty_grade(question, outcome))
        demand_no_leak(report, secrets, question.id)
        seen += 1
    assert seen >= 100


def hidden_lines(folder):
    """Lines of an exercise that only its author has: checks, models, operations, reference."""
    public = flat("\n".join((folder / n).read_text() for n in ("starter.py", "public.py")))
    public += flat((folder / "question.yaml").read_text())
    for path in sorted(folder.glob("*.py")):
        if path.name not in ("starter.py", "public.py"):
            for line in code_lines(path.read_text()):
                if len(line) >= 24 and not line.startswith("from ") and flat(line) not in public:
                    yield line


def code_lines(source):
    """The lines of a file but those of texts in it: such are written to be shown to a learner."""
    tree = ast.parse(source)
    shown = set()
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
    }
    for node in ast.walk(tree):
        text = isinstance(node, ast.JoinedStr | ast.Constant)
        if text and id(node) not in docstrings:
            shown |= set(range(node.lineno + 1, node.end_lineno + 1))
    for number, line in enumerate(source.splitlines(), start=1):
        if number not in shown:
            yield line.strip()


def submissions(folder, starter):
    """The starter, of which every call fails, and wrong ones that run."""
    yield starter.encode()
    for path in sorted((folder / "mutants").glob("*.py"))[:2]:
        yield path.read_bytes()


@pytest.mark.parametrize("folder", CODING, ids=lambda f: f.name)
def test_no_export_of_a_submission_says_a_word_of_its_checks(folder):
    exercise = load_exercise(folder)
    secrets = [*secrets_of(exercise.question, exercise.starter), *hidden_lines(folder)]
    assert len(secrets) > 100
    examples = 0
    for source in submissions(folder, exercise.starter):
        run = SuiteRun(exercise, submission_of(source), TrustedPool(), b"a secret of the tests")
        result = run.result(Reveal.COUNTEREXAMPLES)
        examples += sum(item.counterexample is not None for item in result.invariants)
        report = report_of_code(
            result, title=exercise.question.title, reveal=Reveal.COUNTEREXAMPLES
        )
        # Where an error arose, the learner's own line is quoted, and a mutant has the reference's.
        own = flat(source.decode())
        demand_no_leak(report, [s for s in secrets if flat(s) not in own], folder.name)
    assert examples >= 1
