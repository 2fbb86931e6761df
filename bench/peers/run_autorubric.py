"""autorubric: one rubric a question with signed weights, all answers gathered."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_OFFLINE_MODE"] = "true"

import asyncio

import _measure

CASES, BASE, AT_ONCE, MODE = _measure.work()
begun = _measure.start()
from autorubric import Criterion, LLMConfig, Rubric  # noqa: E402
from autorubric.graders import CriterionGrader  # noqa: E402

IMPORTED = _measure.since(begun)


async def main():
    config = LLMConfig(
        model="openai/gpt-4.1", api_base=BASE, api_key="k", max_parallel_requests=AT_ONCE
    )
    grader = CriterionGrader(judge_model_config=config, llm_calls=MODE)
    begun = _measure.start()
    reports = await asyncio.gather(*(grade(case, grader) for case in CASES))
    graded = _measure.since(begun)
    right = lost = 0
    for case, report in zip(CASES, reports, strict=True):
        for signal, entry in zip(case["signals"], report.report, strict=True):
            status = entry.final_verdict.value
            lost += status == "CANNOT_ASSESS"
            right += status == ("MET" if signal["verdict"] == "met" else "UNMET")
    _measure.report(IMPORTED, graded, right, lost)


def grade(case, grader):
    criteria = [
        Criterion(
            name=s["id"],
            weight=float(s["weight"] if s["kind"] == "positive" else -s["weight"]),
            requirement=s["statement"],
        )
        for s in case["signals"]
    ]
    query = f"{case['prompt']}\n\nGuidelines: {case['notes']}"
    return Rubric(criteria).grade(to_grade=case["text"], grader=grader, query=query)


asyncio.run(main())
