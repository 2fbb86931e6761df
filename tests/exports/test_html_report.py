"""The page of graded answers."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from grader.domain.answer import Answer
from grader.domain.grade import Grade
from grader.domain.question import Question
from grader.domain.verdict import Evidence, Outcome, Verdict
from grader.exports.html_report import GradedAnswer, html_report, marked_answer

QUESTION = Question.model_validate(
    {
        "id": "q",
        "topic": "t",
        "prompt": "Why <b>?",
        "signals": [
            {"id": "a", "statement": "A & B", "weight": 2, "kind": "positive"},
            {"id": "n", "statement": "Wrong", "weight": 1, "kind": "negative"},
        ],
    }
)


def grade_of(text, spans, outcome=Outcome.MET):
    evidence = tuple(Evidence.of(text, a, b) for a, b in spans)
    verdicts = (
        Verdict(signal_id="a", outcome=outcome, evidence=evidence, judge="offline-1"),
        Verdict(signal_id="n", outcome=Outcome.NOT_MET, judge="offline-1"),
    )
    return Grade(
        question_id="q", rubric_version="sha256:" + "0" * 64, score=100, low=100, high=100,
        provisional=False, verdicts=verdicts,
    )  # fmt: skip


class Text(HTMLParser):
    """Collects text without superscripts, and the tags used."""

    def __init__(self):
        super().__init__()
        self.text, self.tags, self._sup = "", [], False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._sup = self._sup or tag == "sup"

    def handle_endtag(self, tag):
        self._sup = self._sup and tag != "sup"

    def handle_data(self, data):
        if not self._sup:
            self.text += data


def parsed(html):
    parser = Text()
    parser.feed(html)
    parser.close()
    return parser


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r"), max_size=80), st.data()
)
def test_marking_evidence_changes_no_character_of_the_answer(text, data):
    bound = st.integers(0, len(text))
    spans = [tuple(sorted(p)) for p in data.draw(st.lists(st.tuples(bound, bound), max_size=4))]
    assert parsed(marked_answer(text, grade_of(text, spans))).text == text


def test_markup_in_an_answer_stays_text():
    answer = "<script>alert(1)</script> & more"
    item = GradedAnswer("strong", QUESTION, Answer.of(answer), grade_of(answer, [(0, 8)]))
    page = html_report("R", [item])
    tags = {tag for tag, _ in parsed(page).tags}
    assert "script" not in tags
    assert "&lt;script&gt;" in page


def test_the_page_asks_no_host_for_anything():
    item = GradedAnswer("strong", QUESTION, Answer.of("x"), grade_of("x", [(0, 1)]))
    page = html_report("R", [item])
    attributes = {name for _, attrs in parsed(page).tags for name in attrs}
    assert not attributes & {"src", "href", "srcset", "action"}
    assert not re.search(r"https?:|@import|url\(", page)


def test_a_held_misconception_reads_as_a_loss():
    grade = grade_of("x", [(0, 1)])
    held = grade.verdicts[1].model_copy(update={"outcome": Outcome.MET})
    page = html_report("R", [GradedAnswer("wrong", QUESTION, Answer.of("x"),
        grade.model_copy(update={"verdicts": (grade.verdicts[0], held)}))])  # fmt: skip
    assert '<td class="not_met">! held</td>' in page
