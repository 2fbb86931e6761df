"""A second judge whose contradiction is worth a person's look, and nothing else."""

from collections.abc import Sequence

from grader.domain.verdict import Outcome, Verdict

DISAGREES = "tripwire_disagrees"

_OPPOSITES = frozenset({Outcome.MET, Outcome.NOT_MET})


def contradicted(verdicts: Sequence[Verdict], second: Sequence[Verdict]) -> tuple[str, ...]:
    """The signals that one judge calls met and the other not met."""
    others = {v.signal_id: v.outcome for v in second}
    return tuple(
        v.signal_id for v in verdicts if {v.outcome, others.get(v.signal_id)} == _OPPOSITES
    )


def disagreements(verdicts: Sequence[Verdict], second: Sequence[Verdict]) -> tuple[str, ...]:
    """Flags of a grade: one for each contradicted signal, ``tripwire_disagrees:ID``."""
    return tuple(f"{DISAGREES}:{i}" for i in contradicted(verdicts, second))
