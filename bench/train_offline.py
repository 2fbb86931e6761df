"""Trains the offline judge's shipped model: `python -m bench.train_offline [--data DIR]`.

Sources: SAF English (MIT) and the bank's own samples, accepts and rejects. Each source has the
same total weight, and within a source both classes have. The result is the same file on every
machine: sums are exactly rounded, coefficients are rounded to six digits, order is by id.
"""

import argparse
import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bench.offline_data import (
    BANK,
    DATA,
    PARTIAL,
    Case,
    bank_questions,
    load_cases,
    reduced,
    sample_cases,
    training_questions,
)
from grader.domain.question import Question
from grader.judges.offline.features import NAMES, measure
from grader.judges.offline.logistic import fit
from grader.judges.offline.match import read_answer
from grader.judges.offline.model import Model
from grader.judges.offline.rubric import Background, prepare
from grader.judges.offline.words import content_words

VERSION = 1
MODEL_FILE = Path(__file__).resolve().parents[1] / "grader/judges/offline/model.json"
RIDGE = 1.0
SOURCE_WEIGHT = 250.0
LEAST_QUESTIONS = 2


@dataclass(frozen=True)
class Source:
    """Cases of one origin."""

    name: str
    licence: str
    cases: Sequence[Case]


def sources(data: Path, questions: Sequence[Question]) -> list[Source]:
    """Everything the model may be trained on."""
    samples = list(sample_cases(questions))
    ours = "Apache-2.0"
    return [
        Source("SAF English", "MIT", load_cases("saf", data)),
        Source("samples of the bank", ours, samples),
        Source(
            "samples, statements and accepts", ours, [reduced(c, accepts=True) for c in samples]
        ),
        Source("samples, statements alone", ours, [reduced(c, accepts=False) for c in samples]),
    ]


def train(origins: Sequence[Source], log: Callable[[str], None] = lambda _: None) -> Model:
    """Word frequencies and coefficients from graded cases; partial labels are left out."""
    origins = [
        Source(o.name, o.licence, [c for c in o.cases if c.label != PARTIAL]) for o in origins
    ]
    origins = [o for o in origins if o.cases]
    idf, unseen = inverse_frequencies(chain.from_iterable(o.cases for o in origins))
    background = Background(idf, unseen)
    rows: list[tuple[float, ...]] = []
    labels: list[float] = []
    weights: list[float] = []
    for origin in origins:
        log(f"measuring {len(origin.cases):5d} cases of {origin.name}")
        rows += [(1.0, *_features(c, background)) for c in origin.cases]
        labels += [c.label for c in origin.cases]
        weights += _weights(origin.cases)
    beta = fit(rows, labels, weights, [1e-6] + [RIDGE] * len(NAMES))
    return Model(
        version=VERSION,
        intercept=round(beta[0], 6),
        coefficients=dict(zip(NAMES, (round(b, 6) for b in beta[1:]), strict=True)),
        idf=idf,
        unseen_idf=unseen,
        trained_on=[_description(o) for o in origins],
    )


def inverse_frequencies(cases: Iterable[Case]) -> tuple[dict[str, float], float]:
    """How common stems are over questions (not answers), so that topics do not look common."""
    vocabulary: dict[str, set[str]] = {}
    texts: set[str] = set()
    for case in cases:
        if case.text not in texts:
            texts.add(case.text)
            vocabulary.setdefault(case.group, set()).update(
                w.stem for w in content_words(case.text, {})
            )
    counts: dict[str, int] = {}
    for stems in vocabulary.values():
        for stem in stems:
            counts[stem] = counts.get(stem, 0) + 1
    n = len(vocabulary)
    idf = {
        s: round(math.log((n + 1) / (c + 0.5)), 4)
        for s, c in sorted(counts.items())
        if c >= LEAST_QUESTIONS
    }
    return idf, round(math.log((n + 1) / 1.0), 4)


def _features(case: Case, background: Background) -> tuple[float, ...]:
    prepared = prepare(case.question, background)
    answer = read_answer(case.text, (), prepared)
    return measure(prepared.signal(case.signal_id), answer, background).values


def _weights(cases: Sequence[Case]) -> list[float]:
    positive = sum(c.label == 1.0 for c in cases)
    share = {1.0: max(positive, 1), 0.0: max(len(cases) - positive, 1)}
    return [SOURCE_WEIGHT / 2 / share[c.label] for c in cases]


def _description(source: Source) -> dict[str, str | int]:
    digest = hashlib.sha256()
    for case in source.cases:
        digest.update(repr((case.group, case.signal_id, case.text, case.label)).encode())
    return {
        "name": source.name,
        "licence": source.licence,
        "rows": len(source.cases),
        "sha256": digest.hexdigest(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the graded answers")
    parser.add_argument("--bank", type=Path, default=BANK, help="folder of the question bank")
    parser.add_argument("--check", action="store_true", help="compare with the shipped file")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"no folder {options.data}: nothing to train on; give --data DIR")
        return 2
    text = train(
        sources(options.data, training_questions(bank_questions(options.bank))), print
    ).to_json()
    if options.check:
        same = text == MODEL_FILE.read_text(encoding="utf-8")
        print(
            "the shipped model is what this script makes" if same else "the shipped model differs"
        )
        return 0 if same else 1
    MODEL_FILE.write_text(text, encoding="utf-8")
    print(f"wrote {MODEL_FILE}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
