"""The page about the API names every code, scope, role and variable there is."""

import re
from pathlib import Path

import pytest

from grader.api.problems import STATUS
from grader.api.scopes import ROLE_SCOPES, Scope

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", sorted(STATUS))
def test_every_code_stands_beside_its_status(code):
    rows = [line for line in PAGE.splitlines() if f"`{code.value}`" in line and "|" in line]
    assert any(f"| {STATUS[code]} |" in row for row in rows), code


@pytest.mark.parametrize("word", [*Scope, *ROLE_SCOPES])
def test_every_scope_and_role_is_told(word):
    assert re.search(rf"[`| ]{word.value}[`| ]", PAGE)


def test_every_variable_of_the_api_is_told():
    for source in ("options.py", "llm_judges.py"):
        text = (ROOT / "grader" / "api" / source).read_text(encoding="utf-8")
        for name in set(re.findall(r'"(GRADER_[A-Z_]+)"', text)):
            assert f"`{name}`" in PAGE, name
