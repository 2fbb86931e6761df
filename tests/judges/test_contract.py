"""Every judge under the one contract."""

import pytest

from grader.judges.offline import OfflineJudge
from grader.judges.panel import PanelJudge
from tests.judges.contract import holds_contract
from tests.judges.llm.cases import HONEST, judge_of


def broken(_seen):
    return "no JSON at all"


JUDGES = {
    "offline": OfflineJudge,
    "llm": lambda: judge_of(HONEST),
    "llm that answers nonsense": lambda: judge_of(broken),
    "panel": lambda: PanelJudge([judge_of(HONEST, model="a"), judge_of(HONEST, model="b")]),
    "panel with a broken member": lambda: PanelJudge([judge_of(HONEST), judge_of(broken)]),
}


@pytest.mark.parametrize("name", JUDGES)
async def test_a_judge_holds_the_contract(name):
    await holds_contract(JUDGES[name]())
