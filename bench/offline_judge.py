"""Measures the offline judge against people: `python -m bench.offline_judge [--data DIR]`.

Prints, for SAF English, SciEntsBank, Beetle and the question bank's own samples: accuracy,
macro-F1, kappa and AUC of all verdicts (met from probability 0.5), then coverage, accuracy and
macro-F1 of the decided ones with 95 % intervals over questions; without graded answers and with
ten graded answers a question (five draws of the ten, pooled); the check of every piece of
evidence; and the CPU time.

The shipped model is measured where it has not seen the data. For SAF and for the bank it is
retrained without the questions that it is measured on. Nothing is fitted on SemEval data, except
that "ten graded" shifts each question's threshold by ten of its own answers, which are then left
out of the measure. Partial labels of the bank are left out; two lines count them both ways.
"""

import argparse
import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.offline_data import (
    BANK,
    DATA,
    PARTIAL,
    Case,
    bank_questions,
    load_cases,
    sample_cases,
    training_questions,
)
from bench.train_offline import Source, sources, train
from grader.coaching.agreement import (
    accuracy,
    auc,
    bootstrap_by_group,
    cohen_kappa,
    macro_f1,
)
from grader.domain.answer import Answer
from grader.domain.question import Question
from grader.domain.verdict import Outcome
from grader.judges.guard import guard
from grader.judges.offline import OfflineJudge
from grader.judges.offline.calibration import fit_bias
from grader.judges.offline.decision import decide
from grader.judges.offline.judge import Assessment
from grader.judges.offline.logistic import sigmoid
from grader.judges.offline.model import Model, shipped_model

GRADED = 10
DRAWS = 5
LEAST_ANSWERS = 20
SAF_FOLDS = 4
SEED = 7
HEADER = (
    f"{'':34s} {'rows':>5s} {'qs':>4s} | {'acc':>5s} {'F1':>5s} {'kappa':>5s} {'AUC':>5s} | "
    f"{'cover':>5s} {'acc':>5s} {'[95 % interval]':15s} {'F1':>5s} {'[95 % interval]':15s}"
)


@dataclass(frozen=True)
class Judged:
    """A case with what the judge measured and decided.

    Attributes:
        probability: Of the signal being met, before the rules that make the judge abstain.
    """

    case: Case
    assessment: Assessment
    probability: float
    outcome: Outcome
    quotes: int
    quotes_hold: int


@dataclass(frozen=True)
class Bound:
    """What a row of the table is to reach."""

    accuracy: float = 0.0
    coverage: float = 0.0
    macro_f1: float = 0.0


def judge_cases(model: Model, cases: Iterable[Case], *, guarded: bool) -> list[Judged]:
    """Judges each case; only with the guard where the texts come from nobody we know."""
    judge = OfflineJudge(model)
    return [_judged(judge, case, guarded) for case in cases]


def _judged(judge: OfflineJudge, case: Case, guarded: bool) -> Judged:
    answer = guard(case.question, Answer.of(case.text)) if guarded else case.guarded
    signals = [case.question.signal(case.signal_id)]
    assessment = judge.assess(case.question, answer, signals)[0]
    verdict = asyncio.run(judge.judge(case.question, answer, signals)).verdicts[0]
    return Judged(
        case=case,
        assessment=assessment,
        probability=sigmoid(assessment.log_odds),
        outcome=verdict.outcome,
        quotes=len(verdict.evidence) if verdict.outcome is Outcome.MET else 0,
        quotes_hold=sum(e.holds_in(answer.answer.text) for e in verdict.evidence)
        if verdict.outcome is Outcome.MET
        else 0,
    )


def with_graded(judged: Sequence[Judged]) -> list[Judged]:
    """Each question's other answers after ten of them shifted its threshold, five draws of ten."""
    by_question: dict[str, list[Judged]] = {}
    for row in judged:
        by_question.setdefault(row.case.question.id, []).append(row)
    rng = random.Random(SEED)
    kept: list[Judged] = []
    for _ in range(DRAWS):
        for rows in by_question.values():
            if len(rows) >= LEAST_ANSWERS:
                graded = set(rng.sample(range(len(rows)), GRADED))
                kept += _calibrated(rows, graded)
    return kept


def _calibrated(rows: Sequence[Judged], graded: set[int]) -> Iterator[Judged]:
    shift = fit_bias(
        [rows[i].assessment.log_odds for i in sorted(graded)],
        [rows[i].case.label == 1.0 for i in sorted(graded)],
    )
    assert shift is not None
    for i, row in enumerate(rows):
        if i not in graded:
            a = row.assessment
            odds = shift.applied(a.log_odds)
            decision = decide(a.features, odds, a.signal, calibrated=True)
            yield replace(row, probability=sigmoid(odds), outcome=decision.outcome)


def line(name: str, rows: Sequence[Judged], bound: Bound | None = None) -> str:
    """One row of the table."""
    labels = [r.case.label == 1.0 for r in rows]
    called = [r.probability >= 0.5 for r in rows]
    decided = [r for r in rows if r.outcome is not Outcome.CANNOT_ASSESS]
    coverage = len(decided) / len(rows)
    right, f1 = _decided_accuracy(decided), _decided_f1(decided)
    text = (
        f"{name:34s} {len(rows):5d} {len({r.case.group for r in rows}):4d} | "
        f"{_figure(accuracy(labels, called))} {_figure(macro_f1(labels, called))} "
        f"{_figure(cohen_kappa(labels, called))} "
        f"{_figure(auc(labels, [r.probability for r in rows]))} | {_figure(coverage)} "
        f"{_figure(right)} {_interval(decided, _decided_accuracy):15s} "
        f"{_figure(f1)} {_interval(decided, _decided_f1):15s}"
    )
    return text if bound is None else f"{text} {_against(bound, coverage, right, f1)}"


def _decided_accuracy(rows: Sequence[Judged]) -> float | None:
    return accuracy([r.case.label == 1.0 for r in rows], [r.outcome is Outcome.MET for r in rows])


def _decided_f1(rows: Sequence[Judged]) -> float | None:
    return macro_f1([r.case.label == 1.0 for r in rows], [r.outcome is Outcome.MET for r in rows])


def _interval(rows: Sequence[Judged], measure) -> str:
    found = bootstrap_by_group(
        [r.case.group for r in rows], lambda picked: measure([rows[i] for i in picked]), draws=200
    )
    return f"[{found[0]:.3f}, {found[1]:.3f}]" if found else ""


def _figure(value: float | None) -> str:
    return "    -" if value is None else f"{value:5.3f}"


def _against(bound: Bound, coverage: float, right: float | None, f1: float | None) -> str:
    wanted = []
    for name, figure, least in (
        ("accuracy", right or 0.0, bound.accuracy),
        ("coverage", coverage, bound.coverage),
        ("macro-F1", f1 or 0.0, bound.macro_f1),
    ):
        if least:
            wanted.append(f"{name} >= {least:.2f}{'' if figure >= least else ' MISSED'}")
    return "bound on decided: " + ", ".join(wanted)


def held_out(
    origins: Sequence[Source], folds: Iterable[set[str]], guarded: Mapping[str, bool]
) -> dict[str, list[Judged]]:
    """Judges the cases of some sources with models that never saw their questions.

    Args:
        origins: Everything to train on.
        folds: Questions to leave out together.
        guarded: Names of the sources to judge -> whether the guard reads them first.
    """
    found: dict[str, list[Judged]] = {name: [] for name in guarded}
    for groups in folds:
        rest = [replace(o, cases=[c for c in o.cases if c.group not in groups]) for o in origins]
        model = train(rest)
        for origin in origins:
            if origin.name in guarded:
                cases = [c for c in origin.cases if c.group in groups]
                found[origin.name] += judge_cases(model, cases, guarded=guarded[origin.name])
    return found


def measure_public(data: Path, origins: Sequence[Source]) -> list[Judged]:
    """The lines of the public sets."""
    everything: list[Judged] = []
    saf_groups = sorted({c.group for c in origins[0].cases})
    folds = [set(saf_groups[k::SAF_FOLDS]) for k in range(SAF_FOLDS)]
    zero = held_out(origins, folds, {origins[0].name: False})[origins[0].name]
    ten = with_graded(zero)
    print(line("SAF English, questions held out", zero))
    print(line("  ten graded answers a question", ten))
    everything += zero
    least, least_ten = (
        {"scientsbank": Bound(0.75, 0.50), "beetle": Bound(0.70, 0.50)},
        Bound(0.78, 0.65),
    )
    for name, references in (("scientsbank", False), ("beetle", False), ("beetle", True)):
        zero = judge_cases(
            shipped_model(), load_cases(name, data, references=references), guarded=False
        )
        ten = with_graded(zero)
        title = f"{name}, all references" if references else f"{name}, one reference"
        bound = Bound(macro_f1=0.72) if references else least[name]
        print(line(title, zero, bound))
        print(line("  ten graded answers a question", ten, bound if references else least_ten))
        everything += zero
    return everything


def measure_bank(origins: Sequence[Source], questions: Sequence[Question]) -> list[Judged]:
    """The lines of the bank, each question judged by a model trained without it.

    A question that the shipped model was trained on is left out of a model trained anew; all
    others are judged by the shipped model itself.
    """
    names = [o.name for o in origins[1:]]
    guarded = {name: name == names[0] for name in names}
    trained_on = training_questions(questions)
    found = held_out(origins, [{q.id} for q in trained_on], guarded)
    print_bank_line(f"bank samples, {len(trained_on)} left out in turn", found[names[0]])
    everything = found[names[0]] + measure_strangers(questions)
    print_bank_line(f"bank samples, all {len(questions)} questions", everything)
    _print_worst_signals(everything)
    whole = [r for r in everything if r.case.label != PARTIAL]
    for label, as_what in ((1.0, "met"), (0.0, "not met")):
        counted = [
            replace(r, case=replace(r.case, label=label)) if r.case.label == PARTIAL else r
            for r in everything
        ]
        print(line(f"  {len(everything) - len(whole)} partial labels as {as_what}", counted))
    for name in names[1:]:
        print(line(f"  {name}", [r for r in found[name] if r.case.label != PARTIAL]))
    return everything


def measure_strangers(questions: Sequence[Question]) -> list[Judged]:
    """The questions that the shipped model was never trained on, judged by it."""
    known = {q.id for q in training_questions(questions)}
    strangers = [q for q in questions if q.id not in known]
    judged = judge_cases(shipped_model(), sample_cases(strangers), guarded=True)
    print_bank_line(f"bank samples, {len(strangers)} never trained on", judged)
    return judged


def print_bank_line(title: str, judged: Sequence[Judged]) -> None:
    """One line of the table; partial labels are left out."""
    bound = Bound(coverage=0.60, macro_f1=0.80)
    print(line(title, [r for r in judged if r.case.label != PARTIAL], bound))


def _print_worst_signals(judged: Sequence[Judged]) -> None:
    """The ten signals with the most wrong verdicts among decided ones, for authors to look at."""
    wrong: Counter[str] = Counter()
    for row in judged:
        decided = row.outcome in (Outcome.MET, Outcome.NOT_MET)
        if decided and row.case.label != PARTIAL:
            right = (row.outcome is Outcome.MET) == (row.case.label == 1.0)
            wrong[f"{row.case.question.id}/{row.case.signal_id}"] += not right
    worst = ", ".join(f"{name} ({count})" for name, count in wrong.most_common(10))
    print(f"  most wrong verdicts: {worst}")


def measure_speed(questions: Sequence[Question]) -> None:
    """CPU time of 8 signals on 300 words, guard apart."""
    judge = OfflineJudge(Model.from_json(shipped_model().to_json()))  # has prepared no rubric yet
    judging, guarding = [], []
    for _ in range(3):
        for question, answer in _long_answers(questions):
            start = time.process_time()
            guarded = guard(question, answer)
            middle = time.process_time()
            asyncio.run(judge.judge(question, guarded, question.signals[:8]))
            guarding.append(middle - start)
            judging.append(time.process_time() - middle)
    for name, times in (("offline judge", judging), ("guard", guarding)):
        times.sort()
        p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(
            f"CPU of the {name}, 8 signals, 300 words, {len(times)} runs, first reading of each "
            f"rubric included: p50 {p50 * 1e3:.1f} ms, p95 {p95 * 1e3:.1f} ms"
        )


def _long_answers(questions: Sequence[Question]) -> Iterator[tuple[Question, Answer]]:
    for question in questions:
        if len(question.signals) >= 8:
            for sample in question.samples:
                words = f"{sample.text} {question.model_answer} {sample.text}".split()[:300]
                yield question, Answer.of(" ".join(words))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the graded answers")
    parser.add_argument("--bank", type=Path, default=BANK, help="folder of the question bank")
    options = parser.parse_args()
    questions = bank_questions(options.bank)
    model = shipped_model()
    print(f"{OfflineJudge().id}, trained on")
    for source in model.trained_on:
        print(f"  {source['rows']:5d} cases of {source['name']} ({source['licence']})")
    print(HEADER, flush=True)
    judged: list[Judged] = []
    if options.data.is_dir():
        origins = sources(options.data, training_questions(questions))
        judged += measure_public(options.data, origins)
        judged += measure_bank(origins, questions)
    else:
        judged += measure_strangers(questions)
        print(f"no folder {options.data}: public data and the questions trained on not measured;")
        print("--data DIR takes saf_en, scientsbank and beetle as JSON lines")
    quotes, held = sum(r.quotes for r in judged), sum(r.quotes_hold for r in judged)
    met = sum(r.outcome is Outcome.MET for r in judged)
    print(f"evidence: {met} met verdicts, {quotes} quotes, {held} equal the text at their span")
    measure_speed(questions)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
