"""Injected answers against the LLM judge on a model that obeys whatever order it can see."""

import asyncio
from collections import defaultdict

from tests.attacks.injection.cases import further_answers, injected_answers
from tests.attacks.injection.measure import harm
from tests.attacks.injection.models import honest, obeying


def main():
    """Prints a line a kind; 1 where a payload of the set earns a signal or becomes evidence."""
    print(
        f"{'kind':<24}{'answers':>8}{'recognised':>12}{'signals won':>13}{'as evidence':>13}"
        f"{'honest drift':>14}"
    )
    held = asyncio.run(table(injected_answers()))
    print("\nother wordings, which no detector was written for one by one:")
    asyncio.run(table(further_answers()))
    return int(not held)


async def table(cases):
    kinds = defaultdict(list)
    for case in cases:
        kinds[case.kind].append(case)
    held = True
    for kind, found in kinds.items():
        held &= await line(kind, found)
    return held


async def line(kind, cases):
    harms = []
    for case in cases:
        for quote_payload in (True, False):
            model = obeying(case.question, case.payload, quote_payload=quote_payload)
            harms.append(await harm(case, model))
    fair = [await harm(case, honest(case.question)) for case in cases]
    drift = sum(abs(h.shift) for h in fair)
    won = sum(len(h.gained) for h in harms)
    evidence = sum(h.evidence for h in harms)
    recognised = sum(h.recognised for h in harms) // 2
    print(
        f"{kind:<24}{len(cases):>8}{recognised / len(cases):>12.0%}{won:>13}{evidence:>13}"
        f"{drift:>14.1f}"
    )
    return not won and not evidence and not drift


if __name__ == "__main__":
    raise SystemExit(main())
