"""Questions as learners see them: nothing of the rubric."""

from pydantic import Field

from grader.api.schemas.base import Output, examples
from grader.bank.draw import draw_question
from grader.domain.question import Question, QuestionKind


class HintPrice(Output):
    """What a hint costs; its text is shown once it is bought within an attempt."""

    number: int
    cost: int = Field(description="Points of 100 taken off the attempt's result.")


class QuestionOut(Output):
    """A question without its rubric."""

    model_config = examples(
        {
            "id": "attention-sinks",
            "title": "Dropping the greeting breaks the chat",
            "topic": "kv-cache",
            "kind": "discussion",
            "difficulty": 3,
            "minutes": 8,
            "prompt": "To bound memory in an endless chat, a service keeps ...",
            "exercise_id": None,
            "pad": None,
            "hints": [{"number": 1, "cost": 10}],
            "starter": None,
        }
    )

    id: str
    title: str
    topic: str
    kind: QuestionKind
    difficulty: int
    minutes: int
    prompt: str
    exercise_id: str | None = None
    pad: str | None = None
    hints: tuple[HintPrice, ...] = ()
    starter: str | None = Field(default=None, description="Source that a learner begins with.")


def question_out(
    question: Question, *, draw_seed: int | None = None, starter: str | None = None
) -> QuestionOut:
    """What a learner may see of a question."""
    drawn = draw_question(question, draw_seed)
    return QuestionOut(
        id=drawn.id,
        title=drawn.title or drawn.id,
        topic=drawn.topic,
        kind=drawn.kind,
        difficulty=drawn.difficulty,
        minutes=drawn.minutes,
        prompt=drawn.prompt,
        exercise_id=drawn.exercise or None,
        pad=drawn.pad,
        hints=tuple(HintPrice(number=n, cost=h.cost) for n, h in enumerate(drawn.hints, 1)),
        starter=starter,
    )
