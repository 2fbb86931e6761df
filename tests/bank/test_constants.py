"""Device figures in questions agree with the bank's constants."""

import re
from collections.abc import Iterator

import pytest
import yaml

from grader.bank.load import load_bank, question_paths
from grader.domain.question import Question
from grader.settings import shipped_bank

CONSTANTS = yaml.safe_load((shipped_bank() / "constants.yaml").read_text(encoding="utf-8"))
DEVICES = {d["named"]: d["figures"] for d in CONSTANTS["devices"]}
QUESTIONS = {f.question.id: f.question for f in load_bank(shipped_bank())}

NAMED = re.compile(rf"\b({'|'.join(DEVICES)})s?\b")
RATE = re.compile(r"(?<![\w.{])(\d[\d,]*(?:\.\d+)?) (TB/s|GB/s|Gb/s|TFLOP/s|TOP/s)")
# A capacity counts only right behind a device: "H100 (80 GB", "A100 with 80 GB", "H200s of 141 GB".
CAPACITY = re.compile(
    rf"\b({'|'.join(DEVICES)})s?(?: SXM)?(?: cards?| GPUs?)?(?: with| of|,)? "
    r"\(?(\d+) (GB|MB)\b(?!/s)"
)


def figures_of(devices: set[str]) -> set[tuple[float, str]]:
    return {(f["value"], f["unit"]) for d in devices for f in DEVICES[d]}


def rates_in(text: str) -> set[tuple[float, str]]:
    return {(float(value.replace(",", "")), unit) for value, unit in RATE.findall(text)}


def texts_on_devices(question: Question) -> Iterator[str]:
    """The prompt and what the references say a sheet states, where they name a device."""
    notes = (f"{r.title}: {r.note}" for r in question.references if "data sheet" in r.title)
    yield from (text for text in (question.prompt, *notes) if NAMED.search(text))


def disagreements(text: str) -> set[tuple[float, str]]:
    """Rates of a text that no device it names has, and capacities of the wrong device."""
    wrong = rates_in(text) - figures_of(set(NAMED.findall(text)))
    capacities = {(d, (float(v), u)) for d, v, u in CAPACITY.findall(text)}
    return wrong | {figure for d, figure in capacities if figure not in figures_of({d})}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("an H100 SXM (3.35 TB/s, 989 TFLOP/s dense BF16)", set()),
        ("H200s of 141 GB and 4.8 TB/s", set()),
        ("an A100 with 40 GB", {(40, "GB")}),
        ("an H100 with 3.9 TB/s", {(3.9, "TB/s")}),
        ("an H100 with 1,979 TFLOP/s in BF16 and 4.8 TB/s", {(4.8, "TB/s")}),
    ],
)
def test_a_figure_beside_the_wrong_device_is_found(text, wrong):
    assert disagreements(text) == wrong


@pytest.mark.parametrize("question_id", sorted(QUESTIONS))
def test_figures_beside_a_device_are_those_of_its_sheet(question_id):
    found = {text: disagreements(text) for text in texts_on_devices(QUESTIONS[question_id])}
    assert {text: wrong for text, wrong in found.items() if wrong} == {}


def test_bandwidths_that_vary_are_those_of_real_devices():
    known = {v for v, unit in figures_of(set(DEVICES)) if unit == "TB/s"}
    varied = {
        (q.id, value)
        for q in QUESTIONS.values()
        for parameter in q.parameters.values()
        if parameter.unit == "TB/s"
        for value in parameter.values
    }
    assert varied
    assert {(i, value) for i, value in varied if value not in known} == set()


def test_every_constant_carries_a_dated_source():
    used = {f["source"] for figures in DEVICES.values() for f in figures}
    assert used == set(CONSTANTS["sources"])
    assert all({"title", "url", "date"} == set(s) for s in CONSTANTS["sources"].values())


def test_the_constants_are_no_question(tmp_path):
    (tmp_path / "constants.yaml").write_text("devices: []\n")
    assert question_paths(tmp_path) == []
    (tmp_path / "decode").mkdir()
    (tmp_path / "decode" / "constants.yaml").write_text("id: constants\n")
    assert len(question_paths(tmp_path)) == 1
