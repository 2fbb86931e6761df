"""What a run would send and cost, without sending anything."""

from collections.abc import Iterable
from decimal import Decimal

from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.judges.guard import guard
from grader.judges.llm import LlmJudge


def print_dry_run(judges: Iterable[LlmJudge], answers: Iterable[tuple[Question, Answer]]) -> None:
    """Prints every prompt, the rubric part once a question, then tokens and cost.

    The estimate is of the first calls, before doubts; at most two more calls an answer follow.
    """
    asked = list(answers)
    for judge in judges:
        _Estimate(judge).run(asked)


class _Estimate:
    def __init__(self, judge: LlmJudge) -> None:
        self._judge = judge
        self._prefixes: set[str] = set()
        self._calls = self._prompt = self._most = 0
        self._usd: Decimal | None = Decimal(0)

    def run(self, answers: Iterable[tuple[Question, Answer]]) -> None:
        print(f"judge {self._judge.id}")
        for question, answer in answers:
            self._print(question, answer)
        cost = "unknown: no price" if self._usd is None else f"at most ${self._usd:.4f}"
        print(
            f"\n{self._calls} calls, about {self._prompt} prompt tokens, "
            f"at most {self._most} tokens; cost {cost}"
        )

    def _print(self, question: Question, answer: Answer) -> None:
        guarded = guard(question, answer)
        if guarded.settled is not None:
            print(f"\n--- {question.id}: settled by the guard ({guarded.settled_reason}), no call")
            return
        for request in self._judge.requests(question, guarded):
            system, user = (m.content for m in request.messages)
            if system not in self._prefixes:
                self._prefixes.add(system)
                print(f"\n=== {question.id}: system\n{system}\n=== schema\n{request.schema_text}")
            print(f"\n--- {question.id}: user\n{user}")
            estimate = self._judge.estimate(request)
            self._calls += 1
            self._prompt += estimate.prompt_tokens
            self._most += estimate.most_tokens
            if self._usd is not None and estimate.most_usd is not None:
                self._usd += estimate.most_usd
            else:
                self._usd = None
