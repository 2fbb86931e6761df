"""Taking raw text in."""

from hypothesis import given
from hypothesis import strategies as st

from grader.domain.answer import Answer


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_text_is_storable_and_keeps_its_length(raw):
    answer = Answer.of(raw)
    assert len(answer.text) == len(raw)
    answer.text.encode("utf-8")
    assert "\x00" not in answer.text
    assert answer.text_repaired == (answer.text != raw)


def test_each_lone_surrogate_and_nul_becomes_one_replacement_character():
    assert Answer.of("a\ud800b\x00c\U0001f600").text == "a�b�c\U0001f600"
