"""Risk-controlled release: from which confidence on verdicts stand without a person.

Thresholds are tried in an order fixed beforehand, the strictest first, and trying stops at the
first that fails. So each is tested only if all before it passed, and the chance that any wrong
one is taken stays under the one of a single test (fixed-sequence testing; Angelopoulos et al.,
2021, "Learn then test"). Thresholds above which too few verdicts lie to pass even without an
error are left out beforehand: that depends on the confidences alone, not on who was right.
"""

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.coaching.agreement import cohen_kappa
from grader.coaching.binomial import trials_needed, upper_bound
from grader.domain.verdict import Outcome
from grader.judges.release import ReleaseBound, ReleasePolicy, signal_key

THRESHOLDS = (0.99, 0.98, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5)
OWN_BOUND_FROM = 60
"""Labels from which a signal has a bound of its own."""
AUDIT_SHARE = 0.05


@dataclass(frozen=True)
class AuditedVerdict:
    """A decided verdict that a person has labelled, drawn at random."""

    judge: str
    question_id: str
    signal_id: str
    verdict: Outcome
    confidence: float
    label: Outcome

    @property
    def wrong(self) -> bool:
        """Whether the person sees it otherwise."""
        return self.verdict is not self.label


def fit_release(
    rows: Iterable[AuditedVerdict], *, error: float = 0.10, assurance: float = 0.95
) -> ReleasePolicy:
    """Fits thresholds, pooled by judge, and by signal where it has labels enough.

    Each bound holds by itself with the given assurance.

    Args:
        rows: From a random audit, never from a review queue alone: what people look at because
            it was doubtful says nothing of what was not.
        error: Bound asked for on the error among released verdicts.
        assurance: Probability with which a bound holds.
    """
    by_judge: dict[str, list[AuditedVerdict]] = defaultdict(list)
    by_signal: dict[str, list[AuditedVerdict]] = defaultdict(list)
    for row in rows:
        by_judge[row.judge].append(row)
        by_signal[signal_key(row.judge, row.question_id, row.signal_id)].append(row)
    return ReleasePolicy(
        error=error,
        assurance=assurance,
        judges={name: fit_bound(found, error, assurance) for name, found in by_judge.items()},
        signals={
            key: fit_bound(found, error, assurance)
            for key, found in by_signal.items()
            if len(found) >= OWN_BOUND_FROM
        },
        agreement=_agreement(by_judge),
    )


def fit_bound(rows: Sequence[AuditedVerdict], error: float, assurance: float) -> ReleaseBound:
    """The loosest threshold that the fixed order reaches."""
    needed = trials_needed(error, assurance)
    best = ReleaseBound(
        threshold=None, released=0, errors=0, error_bound=None, labels=len(rows), needed=needed
    )
    for threshold in THRESHOLDS:
        released = [r for r in rows if r.confidence >= threshold]
        if len(released) < needed:
            continue
        errors = sum(r.wrong for r in released)
        bound = upper_bound(errors, len(released), assurance)
        if bound > error:
            break
        best = best.model_copy(
            update={
                "threshold": threshold,
                "released": len(released),
                "errors": errors,
                "error_bound": bound,
            }
        )
    return best


def is_audited(key: Sequence[str], share: float, secret: bytes) -> bool:
    """Whether a verdict belongs to the random audit.

    Drawn by a keyed hash: the same verdict always gets the same answer, nobody without the secret
    can foresee it, and it does not depend on what the verdict says.

    Args:
        key: What names the verdict, such as question, answer and signal.
        share: Share to draw, in [0, 1].
        secret: The deployment's secret.
    """
    text = "audit\x00" + "\x00".join(key)
    digest = hmac.new(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return int.from_bytes(digest[:8]) < share * 2**64


def _agreement(by_judge: Mapping[str, Sequence[AuditedVerdict]]) -> dict[str, float]:
    """Kappa of each judge with the labels, where it is defined."""
    found = {
        judge: cohen_kappa([r.label.value for r in rows], [r.verdict.value for r in rows])
        for judge, rows in by_judge.items()
    }
    return {judge: kappa for judge, kappa in found.items() if kappa is not None}
