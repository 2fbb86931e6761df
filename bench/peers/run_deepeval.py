"""deepeval: G-Eval with given steps, one metric a signal, its own client, a semaphore around."""

import os

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"

import asyncio

import _measure

CASES, BASE, AT_ONCE, _ = _measure.work()
begun = _measure.start()
from deepeval.metrics import GEval  # noqa: E402
from deepeval.models import OpenAIModel  # noqa: E402
from deepeval.test_case import LLMTestCase, SingleTurnParams  # noqa: E402

IMPORTED = _measure.since(begun)


async def main():
    room = asyncio.Semaphore(AT_ONCE)
    begun = _measure.start()
    pairs = [(case, signal) for case in CASES for signal in case["signals"]]
    found = await asyncio.gather(*(judge(c, s, room) for c, s in pairs))
    graded = _measure.since(begun)
    right = sum(f is not None and f == (s["verdict"] == "met")
                for f, (_, s) in zip(found, pairs, strict=True))  # fmt: skip
    _measure.report(IMPORTED, graded, right, sum(f is None for f in found))


async def judge(case, signal, room):
    async with room:
        metric = GEval(
            name=signal["id"],
            evaluation_steps=[
                f"Decide whether the actual output makes this statement: {signal['statement']}"
            ],
            evaluation_params=[SingleTurnParams.INPUT, SingleTurnParams.ACTUAL_OUTPUT],
            model=OpenAIModel(model="gpt-4.1", api_key="k", base_url=BASE),
        )
        given = f"{case['prompt']}\n\nGuidelines: {case['notes']}"
        test = LLMTestCase(input=given, actual_output=case["text"])
        try:
            return await metric.a_measure(test, _show_indicator=False) >= 0.5
        except Exception:
            return None


asyncio.run(main())
