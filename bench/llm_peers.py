"""The LLM judge against autorubric, deepeval and openevals, and against the least possible time.

All judge the same answers by the same scripted model: 300 ms to the first token, 5 ms a token,
32 requests at once. Each peer runs in an environment of its own below ``out/peers``, made on the
first run; one that cannot be installed is left out and named.
"""

import asyncio
import json
import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench._corpus import Case, cases
from bench.mock_llm import MockProcess, Script
from bench.mock_llm.judging import GOLD_VARIABLE, squeezed
from bench.peers.floor import resend

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "out" / "peers"
AT_ONCE = 32
FIRST_TOKEN_MS, TOKEN_MS = 300.0, 5.0
CACHED_SHARE_PAID = 0.1
PEERS = {
    "autorubric per_criterion": ("autorubric", "run_autorubric.py", "per_criterion"),
    "autorubric per_item": ("autorubric", "run_autorubric.py", "per_item"),
    "deepeval": ("deepeval", "run_deepeval.py", "steps"),
    "openevals": ("openevals", "run_openevals.py", "boolean"),
}
PACKAGES = {
    "autorubric": ["autorubric==1.6.1"],
    "deepeval": ["deepeval==4.3.1"],
    "openevals": ["openevals==0.2.2", "langchain-openai"],
}
TIME_LIMIT_S = 400
PRICES = ((0.25, 0.025, 2.0), (2.0, 0.5, 8.0))


@dataclass(frozen=True)
class Row:
    """One system's figures: its own, and what the server saw."""

    name: str
    own: dict[str, float]
    server: dict[str, Any]

    @property
    def paid_tokens(self) -> float:
        """Prompt tokens with a cached one counted a tenth."""
        cached = self.server["cached_tokens"]
        return float(self.server["prompt_tokens"] - cached * (1 - CACHED_SHARE_PAID))

    def line(self) -> str:
        """The row of the table."""
        own, seen = self.own, self.server
        requests = max(1, seen["requests"])
        return (
            f"{self.name:<26}{own['wall_s']:>8.2f}{seen['requests']:>9}"
            f"{seen['prompt_tokens'] / 1000:>9.0f}{self.paid_tokens / 1000:>9.0f}"
            f"{seen['output_tokens'] / 1000:>9.1f}{own['cpu_s'] / requests * 1000:>9.1f}"
            f"{own['peak_mib']:>7.0f}{own['import_cpu_s']:>8.1f}"
            f"{own['right']:>7.0f}{own['lost']:>6.0f}{seen['peak']:>6}"
        )


HEAD = (
    f"{'system':<26}{'wall s':>8}{'requests':>9}{'k prompt':>9}{'k paid':>9}{'k out':>9}"
    f"{'ms/req':>9}{'MiB':>7}{'import':>8}{'right':>7}{'lost':>6}{'peak':>6}"
)


def main() -> int:
    """Prints the table, the floor and the targets; 1 where a target is missed."""
    found = cases()
    signals = sum(len(c.labels) for c in found)
    print(f"{len(found)} answers, {signals} signals, {AT_ONCE} at once, "
          f"{FIRST_TOKEN_MS:.0f} ms + {TOKEN_MS:.0f} ms a token\n\n{HEAD}")  # fmt: skip
    OUT.mkdir(parents=True, exist_ok=True)
    work = OUT / "work.json"
    work.write_text(json.dumps([as_data(c) for c in found]))
    write_gold(found, OUT / "gold.json")
    os.environ[GOLD_VARIABLE] = str(OUT / "gold.json")
    only = sys.argv[1:]
    with MockProcess(verdict="bench.peers.verdicts:verdict") as server:
        for name, (venv_name, script, mode) in PEERS.items():
            if only and venv_name not in only:
                continue
            python = environment(venv_name)
            if python is None:
                print(f"{name:<26} left out: it could not be installed (see {OUT}/{venv_name}.log)")
                continue
            row = measured(server, name, python, script, mode)
            print(row.line() if row else f"{name:<26} failed", flush=True)
        return ours(server, found)


def ours(server: MockProcess, found: list[Case]) -> int:
    """Measures this project, its floor and what a waiting learner sees."""
    own = Path(sys.executable)
    row = measured(server, "grader llm", own, "run_grader.py", "litellm")
    assert row is not None
    print(row.line(), flush=True)
    print(cost_of_100(row, len(found)), flush=True)
    bodies = [r["body"] for r in server.log()]
    cached = prefix_share(server.log())
    load(server)
    floor = asyncio.run(resend(server.port, bodies, AT_ONCE))
    print(f"{'floor: our bodies':<26}{floor.wall_s:>8.2f}", flush=True)
    load(server)
    replay = measured(server, "grader llm, replayed", own, "run_grader.py", "replay")
    wired = measured(server, "same with tripwire", own, "run_grader.py", "replay-tripwire")
    assert replay is not None
    assert wired is not None
    calls = row.server["requests"]
    own_ms = replay.own["cpu_s"] / calls * 1000
    wired_ms = wired.own["cpu_s"] / calls * 1000
    print(f"our own CPU, transport swapped: {own_ms:.1f} ms a request ({wired_ms:.1f} with the "
          "offline judge as tripwire)")  # fmt: skip
    print(f"cached share of prefixes of 1,024 tokens and more, leaders apart: {cached:.0%}")
    first, last = live(server, found)
    print(f"waiting learner, median: first verdict {first:.2f} s, all {last:.2f} s")
    return judged(
        {
            "requests an answer <= 1.1": calls / len(found) <= 1.1,
            "paid prompt tokens <= 200 k": row.paid_tokens <= 200_000,
            "output tokens <= 40 k": row.server["output_tokens"] <= 40_000,
            "wall <= 8.5 s": row.own["wall_s"] <= 8.5,
            "wall <= 1.05 of the floor": row.own["wall_s"] <= 1.05 * floor.wall_s,
            "cached share of the prefix >= 80 %": cached >= 0.8,
            "CPU <= 8 ms a request": row.own["cpu_s"] / calls <= 0.008,
            "of which ours <= 3 ms": own_ms <= 3,
            "peak <= 260 MiB": row.own["peak_mib"] <= 260,
            "first verdict <= 1.0 s": first <= 1.0,
            "all verdicts <= 1.2 s": last <= 1.2,
            "every verdict right": row.own["lost"] == 0
            and row.own["right"] == sum(len(c.labels) for c in found),
        }
    )


def cost_of_100(row: Row, answers: int) -> str:
    """Tokens of 100 answers, and what they cost at two levels of price."""
    share = 100 / answers
    cached = row.server["cached_tokens"] * share
    fresh = row.server["prompt_tokens"] * share - cached
    output = row.server["output_tokens"] * share
    costs = ", ".join(
        f"${(fresh * p + cached * c + output * o) / 1e6:.3f} at ${p:g} / {c:g} / {o:g}"
        for p, c, o in PRICES
    )
    return (
        f"100 answers: {fresh / 1000:.0f} k fresh and {cached / 1000:.0f} k cached prompt tokens, "
        f"{output / 1000:.0f} k output tokens; {costs} a million (prompt / cached / output)"
    )


def judged(targets: dict[str, bool]) -> int:
    """Prints which targets hold; 1 where one does not."""
    print()
    for name, holds in targets.items():
        print(f"{'holds' if holds else 'MISSED':<8}{name}")
    return int(not all(targets.values()))


def measured(server: MockProcess, name: str, python: Path, script: str, mode: str) -> Row | None:
    """Runs one runner in its own process."""
    load(server)
    command = [str(python), str(ROOT / "bench" / "peers" / script), str(OUT / "work.json"),
               server.base_url, str(AT_ONCE), mode]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT) if script == "run_grader.py" else ""}
    with (OUT / f"{script}.{mode}.log").open("w") as log:
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True,
                                  env=environment, timeout=TIME_LIMIT_S, check=False)  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    return Row(name, json.loads(lines[0][7:]), server.stats()) if lines else None


def load(server: MockProcess) -> None:
    """A fresh script: empty log and cache."""
    server.load(Script(first_token_ms=FIRST_TOKEN_MS, token_ms=TOKEN_MS))


def environment(name: str) -> Path | None:
    """The Python of a peer's environment, made where absent; None where that fails."""
    folder = OUT / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    check = [str(python), "-c", f"import importlib.util as u; exit(not u.find_spec({name!r}))"]
    if subprocess.run(check, check=False).returncode == 0:
        return python
    with (OUT / f"{name}.log").open("w") as log:
        install = [str(python), "-m", "pip", "install", "-q", *PACKAGES[name]]
        done = subprocess.run(install, stdout=log, stderr=log, check=False)
    return python if done.returncode == 0 else None


def as_data(case: Case) -> dict[str, Any]:
    """A case for runners that do not know our models."""
    signals = [
        {"id": s.id, "statement": s.statement, "weight": s.weight, "kind": s.kind.value,
         "verdict": case.labels[s.statement][0]}
        for s in case.question.signals
    ]  # fmt: skip
    return {
        "question": case.question.model_dump(mode="json", by_alias=True),
        "prompt": case.question.prompt,
        "notes": case.question.notes,
        "text": case.text,
        "signals": signals,
    }


def write_gold(found: list[Case], path: Path) -> None:
    """The scripted model's labels, for our prompt and for raw answers."""
    path.write_text(json.dumps({c.key: c.labels for c in found}))
    raw = {squeezed(c.text): {squeezed(s): label for s, label in c.labels.items()} for c in found}
    path.with_name(path.name + ".raw").write_text(json.dumps(raw))


def prefix_share(log: list[dict[str, Any]]) -> float:
    """Cached tokens over prefix tokens, of requests after the first of each long prefix."""
    cached = whole = 0
    seen: set[str] = set()
    for row in log:
        system = row["body"]["messages"][0]["content"]
        schema = json.dumps(row["body"]["response_format"]["json_schema"]["schema"])
        tokens = (len(system) + len(schema)) // 4
        if tokens < 1024:
            continue
        if system in seen:
            cached += row["cached_tokens"]
            whole += tokens
        seen.add(system)
    return cached / whole if whole else 0.0


def live(server: MockProcess, found: list[Case]) -> tuple[float, float]:
    """Median seconds to the first and to the last verdict, one learner at a time."""
    from bench.peers.live import wait_times

    load(server)
    return asyncio.run(wait_times(server.base_url, found[::16]))


if __name__ == "__main__":
    sys.exit(main())
