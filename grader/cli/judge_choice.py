"""The judge that a command line asks for."""

from grader.errors import InputError
from grader.judges.port import Judge

OFFLINE = "offline"


def chosen_judge(name: str) -> Judge:
    """Builds the judge of that name.

    Raises:
        InputError: No such judge.
    """
    if name == OFFLINE:
        from grader.judges.offline import OfflineJudge

        return OfflineJudge()
    raise InputError(f"--judge: there is no judge {name!r}", remedy="use offline")
