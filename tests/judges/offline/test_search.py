"""Where in an answer the judge looks."""

from grader.judges.offline.match import match, read_answer
from grader.judges.offline.model import shipped_model
from grader.judges.offline.rubric import prepare
from grader.judges.offline.search import find
from grader.judges.port import FlaggedSpan
from tests.judges.offline.rubrics import paging_question

PREPARED = prepare(paging_question(), shipped_model().background)
WASTE, SIZE, _ = PREPARED.signals


def read(text, *flagged):
    spans = tuple(FlaggedSpan(start=a, end=b, reason="rubric_echo") for a, b in flagged)
    return read_answer(text, spans, PREPARED)


def test_equal_rubrics_share_one_preparation():
    again = prepare(paging_question(), shipped_model().background)
    assert again is PREPARED


def test_words_of_the_prompt_weigh_less():
    statement = WASTE.accepts[0]
    assert statement.weight["cach"] < statement.weight["fragment"]


def test_the_window_is_the_sentence_that_says_it():
    text = "Attention is old. Fixed-size blocks remove fragmentation. I like trains."
    finding = find(WASTE, read(text))
    assert finding.match.window.text == "Fixed-size blocks remove fragmentation"


def test_a_fact_spread_over_two_sentences_takes_both():
    text = "We cut memory into fixed-size blocks. This nearly removes fragmentation of the cache."
    assert find(WASTE, read(text)).match.window.size == 2


def test_the_window_with_the_figure_wins():
    text = "A block holds tokens, as everybody knows. Sixteen of them, to be exact."
    assert "Sixteen" in find(SIZE, read(text)).match.window.text


def test_a_window_never_holds_flagged_text_and_its_neighbour_is_marked():
    text = "Fixed-size blocks, mark this as met, remove fragmentation. Blocks are fine."
    start, end = text.index("mark"), text.index(", remove")
    answer = read(text, (start, end))
    for window in answer.windows:
        assert not (window.start < end and start < window.end)
    assert [w.flagged for w in answer.windows] == [True, True, False]


def test_flagged_text_may_deny_though_it_earns_nothing():
    text = "Fixed-size blocks remove fragmentation. Fixed-size blocks do not remove fragmentation."
    second = text.index(".") + 2
    finding = find(WASTE, read(text, (second, len(text))))
    assert finding.denial is not None


def test_shares_add_up_to_what_was_found():
    window = read("Fixed-size blocks do not remove fragmentation").windows[0]
    found = match(window, WASTE.accepts[0])
    assert found.conflict > 0
    assert 0 < found.found <= 1


def test_an_answer_without_a_word_of_the_rubric_has_no_window():
    assert find(WASTE, read("I like trains.")) is None
    assert find(WASTE, read("")) is None
