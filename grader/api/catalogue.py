"""The questions a tenant has: its own, and those of the deployment's banks."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from grader.bank.load import Bank, load_bank
from grader.bank.version import file_version
from grader.domain.question import Question, QuestionKind
from grader.errors import QuestionUnknownError
from grader.store.records.teaching import RubricVersion
from grader.store.unit import TenantStore


class Catalogue:
    """Finds questions by id; a tenant's own question hides the bank's of the same id.

    Args:
        folders: Of the deployment's banks.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], RubricVersion] = {}

    @cached_property
    def bank(self) -> Bank:
        """The deployment's questions."""
        with self._lock:
            return load_bank(*self._folders)

    def load(self) -> None:
        """Reads the banks now instead of at the first question.

        Raises:
            RubricError: A file is not a legal question.
        """
        _ = self.bank

    def questions(self, store: TenantStore) -> list[Question]:
        """All questions of a tenant, by id."""
        found = {file.question.id: file.question for file in self.bank}
        found |= {head.question_id: _content(head) for head in store.rubrics.heads()}
        return [found[identifier] for identifier in sorted(found)]

    def question(self, store: TenantStore, question_id: str) -> Question:
        """One question.

        Raises:
            QuestionUnknownError: The tenant has none of that id.
        """
        head = store.rubrics.head(question_id)
        return _content(head) if head else self._of_bank(question_id)

    def version(self, store: TenantStore, question_id: str) -> RubricVersion:
        """The version of a question that a submission of now is graded by, kept in the store.

        Raises:
            QuestionUnknownError: The tenant has none of that id.
        """
        head = store.rubrics.head(question_id)
        if head is not None:
            return head
        question = self._of_bank(question_id)
        kept = self._kept.get((store.id, question_id))
        if kept is None:
            kept = store.rubrics.keep(question)
        return kept

    def remember(self, store_id: str, version: RubricVersion) -> None:
        """Notes, after the commit, that a version of the bank is kept for a tenant."""
        if self._banked(version):
            self._kept[store_id, version.question_id] = version

    def exercise(self, store: TenantStore, name: str) -> RubricVersion:
        """The version of a coding question, by its own id or that of its exercise.

        Raises:
            QuestionUnknownError: There is none.
        """
        for question in self.questions(store):
            if question.kind is QuestionKind.CODING and name in (question.id, question.exercise):
                return self.version(store, question.id)
        raise QuestionUnknownError(
            f"no exercise {name!r} in the bank", remedy="see GET /v1/questions?kind=coding"
        )

    def _of_bank(self, question_id: str) -> Question:
        try:
            return self.bank.get(question_id)
        except QuestionUnknownError as error:
            raise QuestionUnknownError(error.message, remedy="see GET /v1/questions") from error

    def _banked(self, version: RubricVersion) -> bool:
        return self._file_versions.get(version.question_id) == version.file_version

    @cached_property
    def _file_versions(self) -> dict[str, str]:
        return {file.question.id: file_version(file.question) for file in self.bank}


def _content(version: RubricVersion) -> Question:
    return Question.model_validate(version.content)
