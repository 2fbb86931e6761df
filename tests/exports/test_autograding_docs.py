"""The guide to autograding, against the command and the exporters that it describes."""

import importlib
import re
import textwrap
from pathlib import Path

import pytest
import typer
import yaml

from grader.cli.autograde import command
from grader.cli.autograde_output import ResultsFormat
from grader.exercises.result import Reveal
from grader.exports.gradescope import Visibility

GUIDE = Path(__file__).parents[2] / "docs" / "autograding.md"
TEXT = GUIDE.read_text()
INDENTED = re.compile(r"(?:^ {4}.*\n|^\n(?= {4}))+", re.MULTILINE)
BLOCKS = [textwrap.dedent(block) for block in INDENTED.findall(TEXT)]


def block_with(words):
    (found,) = [block for block in BLOCKS if words in block]
    return found


def test_the_guide_names_every_option_and_no_other():
    app = typer.Typer(add_completion=False)
    app.command()(command)
    options = [o for p in typer.main.get_command(app).params for o in p.opts if o[:2] == "--"]
    declared = set(options) - {"--help"}
    assert len(declared) == 7
    assert set(re.findall(r"--[a-z]+", block_with("grader autograde [DIR]"))) == declared
    rows = re.findall(r"^\| `(--[a-z]+)`", TEXT, re.MULTILINE)
    assert set(rows) == declared


@pytest.mark.parametrize("words", [ResultsFormat, Reveal, Visibility])
def test_the_guide_names_every_choice(words):
    for word in words:
        assert word.value in TEXT


def test_the_workflow_is_yaml_that_hands_the_result_on():
    workflow = yaml.safe_load(block_with("name: Autograding Tests"))
    (job,) = workflow["jobs"].values()
    steps = {step.get("name"): step for step in job["steps"]}
    assert steps["Grade"]["id"] == "grader"
    report = steps["Report"]
    assert report["with"]["runners"] == steps["Grade"]["id"]
    # The reporter looks for the runner's name in capitals.
    assert report["env"] == {"GRADER_RESULTS": "${{ steps.grader.outputs.result }}"}


def test_the_gitlab_job_keeps_what_the_command_writes():
    job = yaml.safe_load(block_with("image: python:3.12"))["grade"]
    assert job["artifacts"]["reports"]["junit"] in job["script"][-1]
    assert "--format junit" in job["script"][-1]


def test_links_and_functions_of_the_guide_are_there():
    for target in re.findall(r"\]\(([^):]+)\)", TEXT):
        assert (GUIDE.parent / target).is_file(), target
    for module, name in re.findall(r"`(grader\.exports\.\w+)\.(\w+)\(", TEXT):
        assert callable(getattr(importlib.import_module(module), name)), name
