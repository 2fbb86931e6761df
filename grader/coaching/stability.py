"""How far a judge agrees with itself: the same answers judged twice with the same settings."""

from collections import Counter
from collections.abc import Sequence

from grader.coaching.agreement import Indices, bootstrap_by_group
from grader.domain.grade import Grade
from grader.domain.model import FrozenModel
from grader.domain.verdict import Outcome


class StabilityReport(FrozenModel):
    """Flips between two runs.

    Attributes:
        answers: Answers judged twice.
        decided: Signals that both runs decided.
        flips: Of those, the ones with two outcomes.
        flip_share: Flips over decided; None without any.
        interval: Its 95 % interval over answers.
        undecided: Signals that only one run decided.
        score_shift: Mean absolute difference of the scores in points.
        by_signal: Flips of each signal that has any, under ``question_id/signal_id``.
    """

    answers: int
    decided: int
    flips: int
    flip_share: float | None
    interval: tuple[float, float] | None
    undecided: int
    score_shift: float
    by_signal: dict[str, int]


def stability_report(first: Sequence[Grade], second: Sequence[Grade]) -> StabilityReport:
    """Compares two runs over the same answers, in the same order.

    Raises:
        ValueError: The runs are not of the same answers.
    """
    pairs = [
        (number, f"{a.question_id}/{v.signal_id}", v.outcome, w.outcome)
        for number, (a, b) in enumerate(zip(first, second, strict=True))
        for v, w in zip(a.verdicts, b.verdicts, strict=True)
    ]
    open_ = [Outcome.CANNOT_ASSESS in pair[2:] for pair in pairs]
    decided = [pair for pair, is_open in zip(pairs, open_, strict=True) if not is_open]
    flips = [v is not w for _, _, v, w in decided]

    def share(indices: Indices) -> float:
        return float(sum(flips[int(i)] for i in indices) / len(indices))

    shifts = [abs(a.score - b.score) for a, b in zip(first, second, strict=True)]
    return StabilityReport(
        answers=len(first),
        decided=len(decided),
        flips=sum(flips),
        flip_share=sum(flips) / len(flips) if flips else None,
        interval=bootstrap_by_group([pair[0] for pair in decided], share),
        undecided=sum(v is not w for (_, _, v, w), o in zip(pairs, open_, strict=True) if o),
        score_shift=sum(shifts) / len(shifts) if shifts else 0.0,
        by_signal=dict(Counter(pair[1] for pair, f in zip(decided, flips, strict=True) if f)),
    )
