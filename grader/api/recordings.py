"""Recordings: what they are is told by their content, never by what they are called."""

from grader.api.problems import ApiError
from grader.errors import ErrorCode

_AT_START = (
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\x1a\x45\xdf\xa3", "audio/webm"),
)
_LEAST = 64
_MPEG_SYNC = 0xE0


def media_type_of(data: bytes) -> str:
    """The media type of a recording, by its first bytes.

    Raises:
        ApiError: It is empty, or none of the types that are recognised.
    """
    found = _told(data[:16]) if len(data) >= _LEAST else None
    if found is None:
        raise ApiError(
            ErrorCode.MEDIA_TYPE_UNSUPPORTED,
            "the file is no recording that is read here",
            remedy="send WAV, FLAC, Ogg, WebM, MP3 or M4A",
        )
    return found


def _told(head: bytes) -> str | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[4:8] == b"ftyp":
        return "audio/mp4"
    if head[:1] == b"\xff" and head[1] & _MPEG_SYNC == _MPEG_SYNC:
        return "audio/mpeg"
    return next((kind for magic, kind in _AT_START if head.startswith(magic)), None)
