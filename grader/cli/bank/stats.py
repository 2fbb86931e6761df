"""``grader bank stats``."""

from collections import Counter

from grader.bank.load import load_bank
from grader.cli.bank.options import BankOption, bank_folders


def command(bank: BankOption = None) -> None:
    """Count questions, signals and samples by topic, kind and difficulty."""
    questions = [file.question for file in load_bank(*bank_folders(bank))]
    signals = sum(len(q.signals) for q in questions)
    samples = sum(len(q.samples) for q in questions)
    print(f"{len(questions)} questions, {signals} signals, {samples} samples")
    for title, counts in (
        ("topic", Counter(q.topic for q in questions)),
        ("kind", Counter(q.kind.value for q in questions)),
        ("difficulty", Counter(str(q.difficulty) for q in questions)),
    ):
        print(f"\n{title}")
        for name, count in sorted(counts.items()):
            print(f"  {name:<24}{count:>4}")
