"""Longest word runs that the bank shares with other texts: `python -m bench.wording`.

Every text of every question (prompt, statements, accepts, rejects, probes, samples, model answer,
notes) is held against every file of a folder (`--sources DIR`, by default `../shared/seeds` beside
the checkout). Prints the longest common run of words, lists the runs over seven words, and ends
with status 1 where one of them is no fixed technical phrase.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from grader.bank.load import question_paths

ROOT = Path(__file__).parents[1]
SOURCES = ROOT.parent / "shared" / "seeds"
MAX_RUN = 7
# Names and formulas that cannot be put in other words.
FIXED_PHRASES = frozenset(
    {
        "multi head multi query and grouped query attention",
        "time to first token and time per output token",
    }
)
_LEFT_OUT = frozenset({"references", "derived", "parameters", "terms", "url", "labels", "id"})
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")

Index = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class SharedRun:
    """Words that stand in a row in a text of the bank and in a source.

    Attributes:
        place: Question file and key path.
        source: Name of the other file.
        words: The run, lower-cased and without punctuation.
    """

    place: str
    source: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The words as one string."""
        return " ".join(self.words)

    @property
    def too_long(self) -> bool:
        """Over the limit, and not part of a fixed phrase."""
        return len(self.words) > MAX_RUN and not any(self.text in p for p in FIXED_PHRASES)


def words_of(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def index_of(words: Sequence[str]) -> Index:
    """Positions of each word."""
    index: dict[str, list[int]] = defaultdict(list)
    for position, word in enumerate(words):
        index[word].append(position)
    return index


def longest_run(text: Sequence[str], index: Index) -> tuple[str, ...]:
    """The longest run of words of a text that also stands in the indexed one."""
    end, best = 0, 0
    lengths: dict[int, int] = {}
    for position, word in enumerate(text):
        lengths = {at: lengths.get(at - 1, 0) + 1 for at in index.get(word, ())}
        longest = max(lengths.values(), default=0)
        if longest > best:
            end, best = position + 1, longest
    return tuple(text[end - best : end])


def texts_of(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Key path and text of everything in a question that a person wrote in words."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from texts_of(item, f"{path}.{number}")
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _LEFT_OUT:
                yield from texts_of(item, f"{path}.{key}" if path else str(key))


def shared_runs(bank: Path, sources: Path) -> list[SharedRun]:
    """The longest run of every bank text with every source, longest first."""
    files = sorted(p for p in sources.iterdir() if p.is_file())
    indexes = {p.name: index_of(words_of(p.read_text(encoding="utf-8"))) for p in files}
    runs = []
    for path in question_paths(bank):
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        for key, text in texts_of(data):
            words = words_of(text)
            place = f"{path.relative_to(bank)}: {key}"
            runs += [SharedRun(place, n, longest_run(words, i)) for n, i in indexes.items()]
    return sorted(runs, key=lambda run: -len(run.words))


def main() -> int:
    """Prints the runs; 1 where one is too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bank", type=Path, default=ROOT / "rubrics")
    parser.add_argument("--sources", type=Path, default=SOURCES)
    arguments = parser.parse_args()
    if not arguments.sources.is_dir():
        print(f"nothing compared: there is no folder {arguments.sources}; give --sources DIR")
        return 0
    runs = shared_runs(arguments.bank, arguments.sources)
    over = [run for run in runs if len(run.words) > MAX_RUN]
    for run in over:
        mark = "TOO LONG" if run.too_long else "fixed phrase"
        print(f"{mark}: {len(run.words)} words in {run.place}, {run.source}: {run.text}")
    if runs:
        print(f"{len(runs)} comparisons; longest common run {len(runs[0].words)} words:")
        print(f"  {runs[0].place}, {runs[0].source}: {runs[0].text}")
    print(f"{len(over)} runs over {MAX_RUN} words, {sum(run.too_long for run in over)} not fixed")
    return int(any(run.too_long for run in over))


if __name__ == "__main__":
    raise SystemExit(main())
