import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import InputError
from grader.exercises.submission import MAX_SUBMISSION_BYTES, read_submission, submission_of


def test_a_files_name_does_not_matter(tmp_path: Path):
    for name in ("block_manager.py", "answer", "..weird name.txt"):
        (tmp_path / name).write_bytes(b"x = 1\n")
        assert read_submission(tmp_path / name).source == b"x = 1\n"


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        read_submission(tmp_path / "pipe")


@pytest.mark.parametrize("path", [Path("/dev/zero"), Path("/"), Path("/no such file")])
def test_devices_folders_and_missing_files_are_refused(path: Path):
    with pytest.raises(InputError, match=f"submission '{path}'"):
        read_submission(path)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (b"#" * (MAX_SUBMISSION_BYTES + 1), "larger"),
        (b"x = '\xff'", "not UTF-8: byte 5"),
        (b"x = 1\x00", "NUL at character 5"),
    ],
)
def test_bytes_that_are_no_source_text_are_refused(source: bytes, why: str):
    with pytest.raises(InputError, match=why):
        submission_of(source)


def test_a_file_of_exactly_one_mebibyte_is_accepted():
    assert len(submission_of(b"#" * MAX_SUBMISSION_BYTES).source) == 1 << 20


def test_comments_blank_lines_and_spacing_do_not_change_the_program():
    plain = submission_of(b"def f(x):\n    return x+1\n")
    dressed = submission_of(b"# mine\n\ndef f( x ):\n    # add\n    return x + 1  # one\n\n")
    assert plain.token_digest == dressed.token_digest
    assert plain.digest != dressed.digest


def test_any_other_token_changes_the_program():
    assert (
        submission_of(b"def f(x):\n    return x+1\n").token_digest
        != submission_of(b"def f(x):\n    return x+2\n").token_digest
    )


@given(st.text(alphabet=st.characters(exclude_characters="\x00", codec="utf-8"), max_size=200))
def test_every_text_has_a_digest_even_if_it_is_no_python(text: str):
    one, two = submission_of(text.encode()), submission_of(text.encode())
    assert one.token_digest == two.token_digest


def test_tokens_are_those_of_the_text_that_runs_whatever_encoding_the_file_declares():
    hidden = b"# coding: utf-7\n# +AAo-x = 1\n"
    assert submission_of(hidden).token_digest == submission_of(b"\n").token_digest
    assert submission_of(b"# coding: utf-7\n# +AAo-y\n").token_digest == (
        submission_of(hidden).token_digest
    )


def test_a_byte_order_mark_changes_no_token():
    plain, marked = submission_of(b"x = 1\n"), submission_of(b"\xef\xbb\xbfx = 1\n")
    assert plain.token_digest == marked.token_digest
    assert plain.digest != marked.digest
