"""openevals: a boolean judge with reasoning, one call a signal, a semaphore around."""

import asyncio

import _measure

CASES, BASE, AT_ONCE, _ = _measure.work()
begun = _measure.start()
from langchain_openai import ChatOpenAI  # noqa: E402
from openevals.llm import create_async_llm_as_judge  # noqa: E402

IMPORTED = _measure.since(begun)
PROMPT = (
    "You judge one statement about an answer in a technical interview.\n{inputs}\n"
    "Statement: {reference_outputs}\nAnswer: {outputs}\nDoes the answer make the statement?"
)


async def main():
    room = asyncio.Semaphore(AT_ONCE)
    model = ChatOpenAI(model="gpt-4.1", api_key="k", base_url=BASE)
    judge = create_async_llm_as_judge(prompt=PROMPT, judge=model)

    async def one(case, signal):
        async with room:
            try:
                found = await judge(
                    inputs=f"Question: {case['prompt']}\nGuidelines: {case['notes']}",
                    outputs=case["text"],
                    reference_outputs=signal["statement"],
                )
            except Exception:
                return None
            return bool(found["score"])

    begun = _measure.start()
    pairs = [(case, signal) for case in CASES for signal in case["signals"]]
    found = await asyncio.gather(*(one(c, s) for c, s in pairs))
    graded = _measure.since(begun)
    right = sum(f is not None and f == (s["verdict"] == "met")
                for f, (_, s) in zip(found, pairs, strict=True))  # fmt: skip
    _measure.report(IMPORTED, graded, right, sum(f is None for f in found))


asyncio.run(main())
