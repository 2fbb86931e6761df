"""Hostile files: what is handed in may not be what it seems, and must never be followed or run."""

import os
import socket

import pytest

from grader.exercises.submission import SubmissionError, read_submission, submission_of

MIB = 1 << 20


def test_a_link_to_a_device_is_refused(tmp_path):
    (tmp_path / "kv_cache.py").symlink_to("/dev/zero")
    with pytest.raises(SubmissionError, match="not a regular file"):
        read_submission(tmp_path / "kv_cache.py")


def test_a_pipe_does_not_hang_the_reader(tmp_path):
    os.mkfifo(tmp_path / "kv_cache.py")
    with pytest.raises(SubmissionError, match="not a regular file"):
        read_submission(tmp_path / "kv_cache.py")


def test_a_folder_a_socket_and_a_loop_are_refused(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    (tmp_path / "loop").symlink_to("loop")
    for name in (".", "socket", "loop", "absent"):
        with pytest.raises(SubmissionError):
            read_submission(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"x = 1\n" * MIB, "larger than"),
        (b"x = '\xff'", "not UTF-8"),
        (b"# coding: latin-1\nx = '\xe9'", "not UTF-8"),
        ("x = 1".encode("utf-16"), "not UTF-8"),
        (b"\xed\xa0\x80", "not UTF-8"),
        (b"\xc0\xaf", "not UTF-8"),
        (b"x = 1\0import os", "NUL"),
        (b"\x1f\x8b\x08\x00", "not UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(content, reason):
    with pytest.raises(SubmissionError, match=reason):
        submission_of(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xef\xbb\xbfx = 1",
        b"# coding: utf-7\n+AAo-",
        b"# coding: no_such_encoding\n",
        b"# coding: rot13\n",
        b"(" * 5000,
        b"x = '''" + b"y" * 1000,
        "ｘ = 1\u2028y = 2\x0c".encode(),
        b"\tx\n        y\n",
        b"\\" * 10_000,
        b"9" * 100_000,
        b"\n" * 500_000,
    ],
)
def test_any_other_text_is_taken_as_it_is(content):
    submission = submission_of(content)
    assert submission.source == content
    assert submission.token_digest == submission_of(content).token_digest
