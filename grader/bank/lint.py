"""Finding faults of a rubric without any model.

Each rule is a function from one loaded file to findings; `RULES` is the whole list. What they
look for is documented with an example each in ``docs/rubric-format.md``.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.bank.draw import draw_question
from grader.bank.interview_set import load_sets, set_faults
from grader.bank.load import SETS_FOLDER, QuestionFile, load_question, question_paths
from grader.bank.source import KeyPath
from grader.bank.words import content_words, longest_shared_run
from grader.domain.question import Question, QuestionKind, SampleQuality, Signal, SignalKind
from grader.errors import RubricError

_LEAST_ACCEPTS = 3
_LONGEST_SHARED_RUN = 4
_OVERLAP = 0.7
_CLAUSE_WORDS = 4
_CODING_WEIGHT = 100
_DRAWS_TRIED = 20
_JOINERS = re.compile(r";\s|\bas well as\b|,?\s\band\b\s")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z])")


@dataclass(frozen=True)
class Finding:
    """One fault of a rubric.

    Attributes:
        rule: Stable name of the rule.
        place: File and line, as ``path:line``.
        field: Dotted path of the field.
        message: What is wrong and what to do about it.
    """

    rule: str
    place: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.field}: {self.message} [{self.rule}]"


Rule = Callable[[QuestionFile], Iterator[tuple[KeyPath, str]]]


def lint_folder(folder: Path) -> list[Finding]:
    """Lints every question file below a folder, or one file."""
    findings: list[Finding] = []
    loaded: list[QuestionFile] = []
    for path in question_paths(folder):
        try:
            loaded.append(load_question(path))
        except RubricError as error:
            findings += _format_findings(error)
    findings += [f for file in loaded for f in lint_question(file)]
    return [*findings, *_repeated_ids(loaded), *_lint_sets(folder, loaded)]


def lint_question(file: QuestionFile) -> list[Finding]:
    """The findings of all rules on one question."""
    return [
        Finding(name, f"{file.path}:{file.source.line_of(path)}", _dotted(path), message)
        for name, rule in RULES.items()
        for path, message in rule(file)
    ]


def _lint_sets(folder: Path, files: Iterable[QuestionFile]) -> Iterator[Finding]:
    questions = {file.question.id: file.question for file in files}
    try:
        sets = load_sets(folder)
    except RubricError as error:
        yield from _format_findings(error)
        return
    for interview in sets:
        for fault in set_faults(interview, questions):
            yield Finding("set", f"{folder / SETS_FOLDER}:1", interview.id, fault)


def _format_findings(error: RubricError) -> Iterator[Finding]:
    for line in error.message.splitlines():
        path, _, rest = line.partition(":")
        number, _, message = rest.partition(": ")
        yield Finding("format", f"{path}:{number}", "question", message)


def _repeated_ids(files: Iterable[QuestionFile]) -> Iterator[Finding]:
    first: dict[str, QuestionFile] = {}
    for file in files:
        earlier = first.setdefault(file.question.id, file)
        if earlier is not file:
            place = f"{file.path}:{file.source.line_of(('id',))}"
            message = f"{file.question.id!r} is already the id of {earlier.path}; choose another"
            yield Finding("duplicate-id", place, "id", message)


def _dotted(path: KeyPath) -> str:
    return ".".join(str(step) for step in path)


def _judged(question: Question) -> Iterator[tuple[int, Signal]]:
    """The signals that a judge reads; those of a coding question are checked by running it."""
    if question.kind is not QuestionKind.CODING:
        yield from enumerate(question.signals)


def _two_facts(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    for i, signal in _judged(file.question):
        text = signal.statement
        sides = [len(content_words(side)) for side in _SENTENCE_END.split(text)]
        joined = max(
            (
                min(len(content_words(text[: m.start()])), len(content_words(text[m.end() :])))
                for m in _JOINERS.finditer(text)
            ),
            default=0,
        )
        if len(sides) > 1 or joined >= _CLAUSE_WORDS:
            yield ("signals", i, "statement"), "states two facts; make two signals of it"


def _words_from_prompt(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    prompt = set(content_words(file.question.prompt))
    for i, signal in _judged(file.question):
        if set(content_words(signal.statement)) <= prompt:
            message = "every content word stands in the prompt, so copying it would earn the signal"
            yield ("signals", i, "statement"), message


def _overlapping(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    for (_, a), (j, b) in itertools.combinations(_judged(file.question), 2):
        words_a, words_b = set(content_words(a.statement)), set(content_words(b.statement))
        union = words_a | words_b
        if a.kind is b.kind and union and len(words_a & words_b) / len(union) >= _OVERLAP:
            yield ("signals", j, "statement"), f"says nearly the same as {a.id!r}; merge them"


def _few_accepts(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    for i, signal in _judged(file.question):
        if len(signal.accept) < _LEAST_ACCEPTS:
            message = f"{len(signal.accept)} accepts; give at least {_LEAST_ACCEPTS} phrasings"
            yield ("signals", i), message


def _heavy_signal(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    whole = file.question.positive_weight
    for i, signal in enumerate(file.question.signals):
        if signal.kind is SignalKind.POSITIVE and 2 * signal.weight > whole:
            message = f"holds {signal.weight} of {whole} points; no signal may hold over half"
            yield ("signals", i, "weight"), message


def _coding_weights(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    whole = file.question.positive_weight
    if file.question.kind is QuestionKind.CODING and whole != _CODING_WEIGHT:
        yield ("signals",), f"the invariants' weights sum to {whole}; they must sum to 100"


def _leaking_probe(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    prompt = set(content_words(file.question.prompt))
    for i, signal in _judged(file.question):
        if probe_leaks(signal, prompt):
            yield ("signals", i, "probe"), "gives the answer away; ask without the signal's terms"


def probe_leaks(signal: Signal, prompt_words: set[str], probe: str | None = None) -> bool:
    """Whether a follow-up names what it asks for.

    It does when it holds a whole term of the signal, or half of the statement's content words,
    counting only words that the prompt has not already given.

    Args:
        signal: What is missing from the answer.
        prompt_words: Content words of the prompt.
        probe: The follow-up to look at; the signal's own when None.
    """
    asked = set(content_words(signal.probe if probe is None else probe)) - prompt_words
    hidden = set(content_words(signal.statement)) - prompt_words
    if len(asked & hidden) >= 2 and 2 * len(asked & hidden) >= len(hidden):
        return True
    terms = (set(content_words(term)) for group in signal.terms for term in group)
    return any(words and words <= asked for words in terms)


def _missing_probe(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    for i, signal in _judged(file.question):
        if signal.kind is SignalKind.POSITIVE and not signal.probe.strip():
            yield ("signals", i), "has no probe; write the follow-up asked when it is missing"


def _repeating_sample(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    accepts = [(s.id, content_words(a)) for s in file.question.signals for a in s.accept]
    for i, sample in enumerate(file.question.samples):
        words = content_words(sample.text)
        for signal_id, accept in accepts:
            if longest_shared_run(words, accept) > _LONGEST_SHARED_RUN:
                message = f"repeats an accept of {signal_id!r}; say it in other words"
                yield ("samples", i, "text"), message
                break


def _unlabelled_sample(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    for i, sample in enumerate(file.question.samples):
        missing = [s.id for s in file.question.signals if s.id not in sample.labels]
        if missing and file.question.kind is not QuestionKind.CODING:
            yield ("samples", i, "labels"), f"no label for {', '.join(missing)}"


def _missing_sample(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    if file.question.kind is QuestionKind.CODING:
        return
    there = {sample.quality for sample in file.question.samples}
    wanted = (SampleQuality.STRONG, SampleQuality.MIDDLING, SampleQuality.WRONG)
    if missing := [quality.value for quality in wanted if quality not in there]:
        yield ("samples",), f"no {' and no '.join(missing)} sample; write one"


def _broken_figures(file: QuestionFile) -> Iterator[tuple[KeyPath, str]]:
    for seed in (None, *range(_DRAWS_TRIED)):
        try:
            draw_question(file.question, seed)
        except RubricError as error:
            yield ("derived",), error.message
            return


RULES: dict[str, Rule] = {
    "two-facts": _two_facts,
    "words-from-prompt": _words_from_prompt,
    "overlap": _overlapping,
    "few-accepts": _few_accepts,
    "heavy-signal": _heavy_signal,
    "coding-weights": _coding_weights,
    "probe-leaks": _leaking_probe,
    "no-probe": _missing_probe,
    "sample-repeats-accept": _repeating_sample,
    "sample-labels": _unlabelled_sample,
    "sample-missing": _missing_sample,
    "figures": _broken_figures,
}
