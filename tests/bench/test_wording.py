"""The search for word runs that the bank shares with other texts."""

from bench.wording import SharedRun, index_of, longest_run, shared_runs, texts_of, words_of

QUESTION = """\
id: floor
topic: decode
prompt: What bounds a step?
signals:
  - id: reads
    statement: Each step reads every weight once, whatever the size of the batch may be.
    weight: 1
    kind: positive
references: [{title: each step reads every weight once whatever the size}]
"""


def test_the_longest_run_ignores_case_and_punctuation():
    source = index_of(words_of("Said before: each STEP reads (every) weight, twice. Each step."))
    run = longest_run(words_of("So each step reads every weight once."), source)
    assert run == ("each", "step", "reads", "every", "weight")


def test_no_common_word_is_an_empty_run():
    assert longest_run(words_of("nothing here"), index_of(words_of("other words"))) == ()


def test_texts_are_found_at_their_key_paths_without_references():
    data = {
        "prompt": "p",
        "signals": [{"id": "x", "accept": ["a"]}],
        "references": [{"title": "t"}],
    }
    assert list(texts_of(data)) == [("prompt", "p"), ("signals.0.accept.0", "a")]


def test_a_copied_sentence_is_reported_with_file_and_key(tmp_path):
    (tmp_path / "bank").mkdir()
    (tmp_path / "sources").mkdir()
    (tmp_path / "bank" / "floor.yaml").write_text(QUESTION)
    (tmp_path / "sources" / "a.txt").write_text("a step reads every weight once, whatever the size")
    worst = shared_runs(tmp_path / "bank", tmp_path / "sources")[0]
    assert worst.place == "floor.yaml: signals.0.statement"
    assert worst.text == "step reads every weight once whatever the size"
    assert worst.too_long


def test_seven_words_and_fixed_phrases_are_let_pass():
    eight = "to first token and time per output token".split()
    assert not SharedRun("p", "s", tuple("a b c d e f g".split())).too_long
    assert not SharedRun("p", "s", tuple(eight)).too_long
    assert SharedRun("p", "s", tuple("a b c d e f g h".split())).too_long
