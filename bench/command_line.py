"""What the command line costs: start-up of light commands, and the memory of a large batch.

CPU time is user plus system of the child process, median of several runs; memory its peak.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 7
RUBRIC = """\
id: floor
topic: decode
prompt: What bounds the time of one decode step at batch 1?
signals:
  - id: reads-weights
    statement: Every step reads all weights from memory once.
    weight: 3
    kind: positive
    accept: [each token streams the whole set of weights out of HBM]
"""
ANSWER = "Each generated token streams all the parameters out of HBM once. "


def cost(arguments: list[str], cwd: str = ".") -> tuple[float, float]:
    """CPU seconds and peak MiB of one run of the command."""
    process = subprocess.Popen(
        [sys.executable, "-m", "grader.cli", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{arguments} ended with status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def start_up() -> None:
    """Prints the cost of the commands that load nothing heavy."""
    floor = subprocess.Popen([sys.executable, "-c", "pass"])
    _, _, usage = os.wait4(floor.pid, 0)
    floor.returncode = 0
    print(f"python -c pass: {usage.ru_utime + usage.ru_stime:.2f} s CPU")
    for arguments in (["--help"], ["bank", "lint"], ["bank", "list", "--json"]):
        runs = [cost(arguments) for _ in range(RUNS)]
        cpu, peak = (statistics.median(r[i] for r in runs) for i in (0, 1))
        print(f"grader {' '.join(arguments)}: {cpu:.2f} s CPU, {peak:.0f} MiB")


def batch_memory() -> None:
    """Prints peak memory and CPU of batches of growing size."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bank").mkdir()
        (Path(folder) / "bank" / "floor.yaml").write_text(RUBRIC)
        for count in (100, 1_000, 10_000):
            with (Path(folder) / f"{count}.jsonl").open("w") as file:
                for number in range(count):
                    text = ANSWER * (1 + number % 3) + str(number)
                    row = {"question_id": "floor", "answer_id": str(number), "text": text}
                    file.write(json.dumps(row) + "\n")
            arguments = ["grade-batch", "--rubrics", "bank", "--answers", f"{count}.jsonl"]
            arguments += ["--out", f"p{count}.jsonl", "--scores", f"s{count}.jsonl"]
            cpu, peak = cost(arguments, folder)
            print(f"grade-batch of {count} answers: {peak:.0f} MiB, {cpu:.1f} s CPU")


def main() -> None:
    """Prints all figures."""
    start_up()
    batch_memory()
    own = resource.getrusage(resource.RUSAGE_SELF)
    print(f"this bench itself: {own.ru_utime + own.ru_stime:.1f} s CPU")


if __name__ == "__main__":
    main()
