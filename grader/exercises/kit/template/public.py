"""Examples that a learner may run."""

from grader.exercises.authoring import Call, Example, Line, New, Raises

EXAMPLES = (
    Example(
        "two amounts",
        (
            Line(New("t", "Total")),
            Line(Call("add", (2,), on="t"), 2),
            Line(Call("add", (3,), on="t"), 5),
            Line(Call("add", (-1,), on="t"), Raises("ValueError")),
            Line(Call("value", on="t"), 5),
        ),
    ),
)
