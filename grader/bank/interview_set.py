"""Interview sets: questions of a bank in an order, for a length, a role and a level."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from grader.bank.load import SETS_FOLDER
from grader.bank.namespace import qualified
from grader.bank.source import parse_yaml
from grader.domain.model import FrozenModel
from grader.domain.question import Identifier, Question, Text
from grader.errors import RubricError

_SLACK_MINUTES = 5


class InterviewSet(FrozenModel):
    """A loop of questions.

    Attributes:
        minutes: Length of the interview; the questions' own minutes sum to at most five less or
            exactly that, so that there is room to begin and to end.
    """

    id: Identifier
    title: Text
    minutes: Literal[30, 45, 60]
    role: Text
    level: Literal["junior", "mid", "senior", "staff"]
    questions: Annotated[tuple[Identifier, ...], Field(min_length=2)]


def load_sets(bank_folder: Path, namespace: str = "") -> list[InterviewSet]:
    """The sets of a bank, in the order of their files.

    Args:
        bank_folder: Root of the bank.
        namespace: Set before the ids of sets and questions, as the bank's questions are listed.

    Raises:
        RubricError: A file is no set.
    """
    paths = sorted((bank_folder / SETS_FOLDER).glob("*.yaml"))
    return [_listed(_load(path), namespace) for path in paths]


def _listed(interview: InterviewSet, namespace: str) -> InterviewSet:
    questions = tuple(qualified(namespace, i) for i in interview.questions)
    own = qualified(namespace, interview.id)
    return interview.model_copy(update={"id": own, "questions": questions})


def _load(path: Path) -> InterviewSet:
    source = parse_yaml(path.read_text(encoding="utf-8"), str(path))
    try:
        return InterviewSet.model_validate(source.data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "set"
        raise RubricError(
            f"{path}:{source.line_of(first['loc'])}: {field}: {first['msg']}",
            remedy="a set has id, title, minutes, role, level, questions",
        ) from error


def set_faults(interview: InterviewSet, questions: Mapping[str, Question]) -> list[str]:
    """What is wrong with a set, given the bank's questions by id."""
    faults = [f"no question {i!r}" for i in interview.questions if i not in questions]
    repeated = {i for i in interview.questions if interview.questions.count(i) > 1}
    faults += [f"the question {i!r} stands twice" for i in sorted(repeated)]
    total = sum(questions[i].minutes for i in interview.questions if i in questions)
    if not faults and not interview.minutes - _SLACK_MINUTES <= total <= interview.minutes:
        faults.append(
            f"its questions take {total} minutes, wanted are "
            f"{interview.minutes - _SLACK_MINUTES} to {interview.minutes}"
        )
    return faults
