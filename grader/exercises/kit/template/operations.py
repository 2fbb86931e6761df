"""Generators of traces."""

from grader.exercises.authoring import Call, Choice, New, Trace, TraceBuilder


def totals(choice: Choice) -> Trace:
    """A few amounts, some of them negative, the total looked at after each."""
    trace = TraceBuilder()
    trace.add(New("t", "Total"))
    for _ in range(choice.integer(2, 8)):
        trace.add(Call("add", (choice.integer(-3, 9),), on="t"))
        trace.probe(Call("value", on="t"))
    return trace.build()
