"""The LLM judge against a scripted server: verdicts, evidence, and what goes over the wire."""

from bench.mock_llm import MockServer, Script
from tests.judges.llm.cases import HONEST, MET, QUESTION, TEXT, guarded, judge_on, outcomes


async def test_one_call_judges_all_signals_with_evidence_at_exact_spans():
    async with MockServer(Script(), HONEST) as server:
        judgement = await judge_on(server).judge(QUESTION, guarded())
    assert outcomes(judgement) == MET
    assert len(server.log) == 1
    for verdict in judgement.verdicts[:3]:
        (evidence,) = verdict.evidence
        assert TEXT[evidence.start : evidence.end] == evidence.quote
        assert verdict.confidence == 0.9
    assert judgement.flags == ()
