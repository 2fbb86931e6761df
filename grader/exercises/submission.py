"""Taking a learner's file in: what is accepted, and what makes two files the same submission."""

import hashlib
import io
import os
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path

from grader.errors import ErrorCode, InputError

MAX_SUBMISSION_BYTES = 1 << 20
_LAYOUT = frozenset({tokenize.NL, tokenize.COMMENT})


class SubmissionError(InputError):
    """The file is not something that can be graded."""

    code = ErrorCode.SUBMISSION_INVALID


@dataclass(frozen=True)
class Submission:
    """A learner's source text.

    Attributes:
        source: The bytes as given; they enter the sandbox unchanged.
        digest: ``sha256:`` and the hash of the bytes, for the receipt.
        token_digest: Hash of the token stream: comments, blank lines and spacing inside a line
            do not change it, so that the same program always meets the same hidden cases.
    """

    source: bytes
    digest: str
    token_digest: bytes


def read_submission(path: Path) -> Submission:
    """Reads a file without following what it is called; only its content matters.

    Raises:
        SubmissionError: Not a regular file, unreadable, over 1 MiB, not UTF-8, or holding NUL.
    """
    return submission_of(_regular_bytes(path))


def submission_of(source: bytes) -> Submission:
    """Accepts source bytes.

    Raises:
        SubmissionError: Over 1 MiB, not UTF-8, or holding a NUL.
    """
    if len(source) > MAX_SUBMISSION_BYTES:
        raise SubmissionError(
            f"the submission is larger than {MAX_SUBMISSION_BYTES} bytes",
            remedy="hand in one Python source file of at most 1 MiB",
        )
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SubmissionError(
            f"the submission is not UTF-8: byte {error.start} cannot be read",
            remedy="save the file as UTF-8",
        ) from error
    if "\x00" in text:
        raise SubmissionError(
            f"the submission holds a NUL at character {text.index(chr(0))}",
            remedy="hand in Python source text",
        )
    return Submission(
        source=source,
        digest="sha256:" + hashlib.sha256(source).hexdigest(),
        token_digest=_token_digest(text.removeprefix("\ufeff")),
    )


def _regular_bytes(path: Path) -> bytes:
    """The bytes of a regular file; a pipe or device is refused without reading from it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SubmissionError(
            f"the submission {str(path)!r} cannot be opened: {error.strerror}",
            remedy="give the path of a readable file",
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise SubmissionError(
                f"the submission {str(path)!r} is not a regular file",
                remedy="give the path of a Python source file",
            )
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_SUBMISSION_BYTES + 1)
    finally:
        os.close(descriptor)


def _token_digest(text: str) -> bytes:
    """Hash over (type, text) of the tokens; of the whole text where they cannot be told.

    The text is what runs: the sandbox reads UTF-8, whatever encoding the file declares.
    """
    digest = hashlib.sha256()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in _LAYOUT:
                own = b"" if token.type == tokenize.NEWLINE else token.string.encode()
                digest.update(b"%d:%d:" % (token.type, len(own)) + own)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return hashlib.sha256(b"raw:" + text.encode()).digest()
    return digest.digest()
